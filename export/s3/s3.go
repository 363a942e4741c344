// Package s3 keeps the log of exports and its bundles in a bucket of an object store that speaks S3.
package s3

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Config says which bucket, and as whom.
type Config struct {
	Endpoint             string // https://HOST[:PORT]; http without TLS
	Region               string // us-east-1 for ""
	Bucket, Prefix       string
	AccessKey, SecretKey string
	TLS                  *tls.Config // the system's authorities for nil
}

// ParseURL reads s3://BUCKET/PREFIX; the prefix may be missing.
func ParseURL(text string) (bucket, prefix string, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", "", fmt.Errorf("%q: want s3://BUCKET/PREFIX", text)
	}
	return u.Host, strings.Trim(u.Path, "/"), nil
}

// Store is a bucket, or what lies under a prefix of it.
type Store struct {
	core           minio.Core
	bucket, prefix string
}

// Open asks the store for the bucket, and whether it keeps the conditions of a PUT: one that ignores them
// would let two exports follow the same one.
func Open(ctx context.Context, c Config) (*Store, error) {
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("endpoint %q: want https://HOST or https://HOST:PORT", c.Endpoint)
	}
	if c.Region == "" {
		c.Region = "us-east-1"
	}
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", c.Endpoint, err)
	}
	if c.TLS != nil {
		transport.TLSClientConfig = c.TLS
	}
	core, err := minio.NewCore(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""), Secure: u.Scheme == "https", Region: c.Region, Transport: transport, MaxRetries: 5,
	})
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", c.Endpoint, err)
	}
	s := &Store{*core, c.Bucket, c.Prefix}
	if err := s.conditional(ctx); err != nil {
		return nil, fmt.Errorf("object store %s, bucket %s: %w", c.Endpoint, c.Bucket, err)
	}
	return s, nil
}

func (s *Store) conditional(ctx context.Context) error {
	const probe = "conditions"
	text := []byte("audit export asks with this whether the store keeps the conditions of a PUT.\n")
	if _, err := s.Swap(ctx, probe, text, ""); err != nil {
		return err
	}
	for _, version := range []string{"", "00000000000000000000000000000000"} {
		switch swapped, err := s.Swap(ctx, probe, text, version); {
		case err != nil:
			return err
		case swapped:
			return errors.New("it ignores If-Match or If-None-Match of a PUT, and cannot keep a log")
		}
	}
	return nil
}

func (s *Store) key(name string) string { return path.Join(s.prefix, name) }

// Get opens an object and gives its version; fs.ErrNotExist if there is none.
func (s *Store) Get(ctx context.Context, name string) (io.ReadCloser, string, error) {
	body, info, _, err := s.core.GetObject(ctx, s.bucket, s.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, "", s.wrong("read", name, err)
	}
	return body, info.ETag, nil
}

// most is what one request may write or copy.
const most = 5 << 30

// Put makes or replaces an object, whole or not at all.
func (s *Store) Put(ctx context.Context, name string, body io.Reader, size int64) error {
	if size > most {
		return fmt.Errorf("write s3://%s/%s: %d bytes, want %d at most", s.bucket, s.key(name), size, int64(most))
	}
	if _, err := s.core.Client.PutObject(ctx, s.bucket, s.key(name), body, size, minio.PutObjectOptions{DisableMultipart: true}); err != nil {
		return s.wrong("write", name, err)
	}
	return nil
}

// Swap replaces an object if it still has that version, "" for one that is not there, and says whether it
// did. After a request that was repeated it may say no although the first one did.
func (s *Store) Swap(ctx context.Context, name string, data []byte, version string) (bool, error) {
	var opt minio.PutObjectOptions
	if version == "" {
		opt.SetMatchETagExcept("*")
	} else {
		opt.SetMatchETag(version)
	}
	_, err := s.core.Client.PutObject(ctx, s.bucket, s.key(name), bytes.NewReader(data), int64(len(data)), opt)
	if err == nil {
		return true, nil
	}
	// 409 is two at the same time; of an object that is gone some say 404.
	switch r := minio.ToErrorResponse(err); {
	case r.StatusCode == http.StatusPreconditionFailed, r.StatusCode == http.StatusConflict, r.Code == minio.NoSuchKey && version != "":
		return false, nil
	}
	return false, s.wrong("write", name, err)
}

// Copy gives an object's content another name also; fs.ErrNotExist if it is not there.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	_, err := s.core.Client.CopyObject(ctx, minio.CopyDestOptions{Bucket: s.bucket, Object: s.key(to)}, minio.CopySrcOptions{Bucket: s.bucket, Object: s.key(from)})
	if err != nil {
		return s.wrong("copy", from, err)
	}
	return nil
}

// Remove takes an object away, if it is there.
func (s *Store) Remove(ctx context.Context, name string) error {
	if err := s.core.RemoveObject(ctx, s.bucket, s.key(name), minio.RemoveObjectOptions{}); err != nil {
		return s.wrong("remove", name, err)
	}
	return nil
}

func (s *Store) wrong(what, name string, err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = fs.ErrNotExist
	}
	return fmt.Errorf("%s s3://%s/%s: %w", what, s.bucket, s.key(name), err)
}
