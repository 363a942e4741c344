package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shoeproof/shoeproof/export/s3"
	"github.com/shoeproof/shoeproof/export/s3/s3test"
)

func open(t *testing.T, c s3.Config) *s3.Store {
	t.Helper()
	s, err := s3.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, s *s3.Store, name string) (content, version string) {
	t.Helper()
	body, version, err := s.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(data), version
}

func TestObjects(t *testing.T) {
	s := open(t, s3test.Config(t))
	ctx := t.Context()
	if _, _, err := s.Get(ctx, "a/none"); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "ac-1/a/none") {
		t.Errorf("what is not there: %v", err)
	}
	if err := s.Copy(ctx, "a/none", "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a copy of what is not there: %v", err)
	}
	big := bytes.Repeat([]byte("0123456789abcdef"), 3<<20)
	for name, data := range map[string]string{"a/small": "x", "big": string(big)} {
		if err := s.Put(ctx, name, strings.NewReader(data), int64(len(data))); err != nil {
			t.Fatal(err)
		}
		if err := s.Copy(ctx, name, name+".2"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{name, name + ".2"} {
			if got, _ := read(t, s, name); got != data {
				t.Errorf("%s: %d bytes, want %d as they were written", name, len(got), len(data))
			}
		}
		for range 2 {
			if err := s.Remove(ctx, name); err != nil {
				t.Errorf("remove %s: %v", name, err)
			}
		}
		if _, _, err := s.Get(ctx, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s after it was removed: %v", name, err)
		}
	}
}

// Of many that replace the same version one does, again and again.
func TestSwap(t *testing.T) {
	s := open(t, s3test.Config(t))
	if swapped, err := s.Swap(t.Context(), "head", []byte("x"), "00000000000000000000000000000000"); swapped ||
		err != nil {
		t.Errorf("a version of what is not there: %v, %v", swapped, err)
	}
	version := ""
	for round := range 5 {
		var did atomic.Int32
		var won atomic.Value
		var group sync.WaitGroup
		for i := range 16 {
			group.Go(func() {
				mine := fmt.Sprintf("round %d, of %d", round, i)
				switch swapped, err := s.Swap(t.Context(), "head", []byte(mine), version); {
				case err != nil:
					t.Error(err)
				case swapped:
					did.Add(1)
					won.Store(mine)
				}
			})
		}
		group.Wait()
		got, next := read(t, s, "head")
		if did.Load() != 1 || got != won.Load() || next == version {
			t.Fatalf("round %d: %d swapped, %v the last; it holds %q", round, did.Load(), won.Load(), got)
		}
		version = next
	}
}

// A store that does not keep the conditions, or is none, is refused at once.
func TestUnfitStores(t *testing.T) {
	drop := func(name string) s3.Config {
		return s3test.InProcess(t, func(store http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del(name)
				store.ServeHTTP(w, r)
			})
		})
	}
	answer := func(status int) s3.Config {
		return s3test.InProcess(t, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		})
	}
	for name, c := range map[string]struct {
		config s3.Config
		want   string
	}{
		"no If-Match":      {drop("If-Match"), "ignores If-Match or If-None-Match"},
		"no If-None-Match": {drop("If-None-Match"), "ignores If-Match or If-None-Match"},
		"forbidden":        {answer(http.StatusForbidden), "Access Denied"},
		"no store":         {answer(http.StatusTeapot), "418"},
		"no endpoint":      {s3.Config{Bucket: "audit"}, `endpoint "": want https://HOST`},
		"endpoint of AWS":  {s3.Config{Bucket: "audit", Endpoint: "s3.example:9000"}, "want https://HOST"},
		"a path":           {s3.Config{Bucket: "audit", Endpoint: "https://s3.example/audit"}, "want https://HOST"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := s3.Open(t.Context(), c.config); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]string{
		"s3://audit": "audit ", "s3://audit/": "audit ",
		"s3://audit/ac-1/log/": "audit ac-1/log",
	} {
		bucket, prefix, err := s3.ParseURL(text)
		if got := bucket + " " + prefix; got != want || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "audit/ac-1", "s3:audit", "s3:///ac-1", "https://audit/ac-1", "s3://me@audit/x",
		"s3://audit/x?y=1",
	} {
		if _, _, err := s3.ParseURL(text); err == nil || !strings.Contains(err.Error(), "s3://BUCKET/PREFIX") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
