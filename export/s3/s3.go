// Package s3 stores the log of exports and its bundles in a bucket with an S3 API. It implements export.Objects.
package s3

import (
	"bytes"
	"cmp"
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

// Config is a bucket and an account.
type Config struct {
	Endpoint             string // https://HOST[:PORT]; http without TLS
	Region               string // default us-east-1
	Bucket, Prefix       string
	AccessKey, SecretKey string
	TLS                  *tls.Config // default: the system's authorities
}

// ParseURL reads s3://BUCKET or s3://BUCKET/PREFIX.
func ParseURL(text string) (bucket, prefix string, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", "", fmt.Errorf("%q: want s3://BUCKET/PREFIX", text)
	}
	return u.Host, strings.Trim(u.Path, "/"), nil
}

// Store is a bucket, or a prefix of it.
type Store struct {
	core           minio.Core
	bucket, prefix string
}

// Open connects to the bucket and checks that the store supports conditional PUT requests. A store that ignores the
// conditions would let two exports follow the same one.
func Open(ctx context.Context, c Config) (*Store, error) {
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil ||
		u.RawQuery != "" {
		return nil, fmt.Errorf("endpoint %q: want https://HOST or https://HOST:PORT", c.Endpoint)
	}
	c.Region = cmp.Or(c.Region, "us-east-1")
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", c.Endpoint, err)
	}
	if c.TLS != nil {
		transport.TLSClientConfig = c.TLS
	}
	core, err := minio.NewCore(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""), Secure: u.Scheme == "https", Region: c.Region,
		Transport: transport, MaxRetries: 5,
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
	text := []byte("audit export checks with this object that the store supports conditional PUT requests.\n")
	if _, err := s.Swap(ctx, probe, text, ""); err != nil {
		return err
	}
	for _, version := range []string{"", "00000000000000000000000000000000"} {
		switch swapped, err := s.Swap(ctx, probe, text, version); {
		case err != nil:
			return err
		case swapped:
			return errors.New("it ignores If-Match or If-None-Match of a PUT and cannot store a log")
		}
	}
	return nil
}

func (s *Store) key(name string) string { return path.Join(s.prefix, name) }

// Get opens an object and returns its version; fs.ErrNotExist without one.
func (s *Store) Get(ctx context.Context, name string) (io.ReadCloser, string, error) {
	body, info, _, err := s.core.GetObject(ctx, s.bucket, s.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, "", s.errorOf("read", name, err)
	}
	return body, info.ETag, nil
}

// maxObject is the limit of S3 for one request.
const maxObject = 5 << 30

// Put creates or replaces an object atomically.
func (s *Store) Put(ctx context.Context, name string, body io.Reader, size int64) error {
	if size > maxObject {
		return fmt.Errorf("write s3://%s/%s: %d bytes, want %d at most", s.bucket, s.key(name), size, int64(maxObject))
	}
	if _, err := s.core.Client.PutObject(ctx, s.bucket, s.key(name), body, size,
		minio.PutObjectOptions{DisableMultipart: true}); err != nil {
		return s.errorOf("write", name, err)
	}
	return nil
}

// Swap replaces an object atomically if it has the version, "" for none, and reports whether it did. After a retry it
// may return false although it replaced the object.
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
	// 409 means concurrent writes; some stores return 404 if the object is gone.
	switch r := minio.ToErrorResponse(err); {
	case r.StatusCode == http.StatusPreconditionFailed,
		r.StatusCode == http.StatusConflict,
		r.Code == minio.NoSuchKey && version != "":
		return false, nil
	}
	return false, s.errorOf("write", name, err)
}

// Copy copies an object; fs.ErrNotExist without one.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	_, err := s.core.Client.CopyObject(ctx, minio.CopyDestOptions{Bucket: s.bucket, Object: s.key(to)},
		minio.CopySrcOptions{Bucket: s.bucket, Object: s.key(from)})
	if err != nil {
		return s.errorOf("copy", from, err)
	}
	return nil
}

// Remove removes an object, if it exists.
func (s *Store) Remove(ctx context.Context, name string) error {
	if err := s.core.RemoveObject(ctx, s.bucket, s.key(name), minio.RemoveObjectOptions{}); err != nil {
		return s.errorOf("remove", name, err)
	}
	return nil
}

func (s *Store) errorOf(what, name string, err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = fs.ErrNotExist
	}
	return fmt.Errorf("%s s3://%s/%s: %w", what, s.bucket, s.key(name), err)
}
