// Package s3test gives tests an S3 store: in the process, or the store that SHOEPROOF_TEST_S3 names as
// ENDPOINT,ACCESS_KEY,SECRET_KEY.
package s3test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/shoeproof/shoeproof/export/s3"
)

const env = "SHOEPROOF_TEST_S3"

// InProcess is a store in this process behind a handler that may do what it likes to requests; nil for one
// that does nothing.
func InProcess(t testing.TB, between func(store http.Handler) http.Handler) s3.Config {
	t.Helper()
	const bucket = "audit"
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	store := gofakes3.New(backend).Server()
	if between != nil {
		store = between(store)
	}
	server := httptest.NewServer(store)
	t.Cleanup(server.Close)
	return s3.Config{Endpoint: server.URL, Bucket: bucket, Prefix: "ac-1", AccessKey: "key", SecretKey: "secret"}
}

// Config is a bucket of its own in the store that the environment names, else in one in this process.
func Config(t testing.TB) s3.Config {
	t.Helper()
	given := os.Getenv(env)
	if given == "" {
		return InProcess(t, nil)
	}
	part := strings.SplitN(given, ",", 3)
	if len(part) != 3 {
		t.Fatalf("%s: want ENDPOINT,ACCESS_KEY,SECRET_KEY", env)
	}
	sum := sha256.Sum256([]byte(t.TempDir())) // a name that no other test has
	c := s3.Config{
		Endpoint: part[0], AccessKey: part[1], SecretKey: part[2], Bucket: fmt.Sprintf("audit-%x", sum[:8]),
		Prefix: "ac-1",
	}
	client, err := minio.New(
		strings.TrimPrefix(c.Endpoint, "http://"),
		&minio.Options{Creds: credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""), Region: "us-east-1"},
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.MakeBucket(t.Context(), c.Bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return c
}
