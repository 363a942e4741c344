package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/shoeproof/shoeproof/export/s3"
	"github.com/shoeproof/shoeproof/export/s3/s3test"
)

func openObjects(t testing.TB, c s3.Config) *s3.Store {
	t.Helper()
	s, err := s3.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// store makes the next export of a log that is stored.
func store(ctx context.Context, objects Objects, day *Day, signer note.Signer, failpoint func(string) error) (*Done,
	error,
) {
	l, err := OpenStored(ctx, objects)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }()
	if failpoint != nil {
		l.failpoint = failpoint
	}
	return l.Export(ctx, day, signer, Target{})
}

func fetch(t testing.TB, objects Objects, name string) []byte {
	t.Helper()
	body, _, err := objects.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// verifyStored has a regulator take a bundle from the store.
func (c *casino) verifyStored(t testing.TB, objects Objects, name string) {
	t.Helper()
	local := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(local, fetch(t, objects, name), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := c.verify(t, local, VerifyOptions{Last: c.last(), Replay: true}); v.Code != Good {
		t.Errorf("%s: %+v", name, v)
	}
}

// An object store holds what a folder would, export by export, and leaves nothing behind.
func TestStoredIsAsInAFolder(t *testing.T) {
	objects := openObjects(t, s3test.Config(t))
	folder, c := newCasino(t, "ac-1", 3), newCasino(t, "ac-1", 3)
	for n := 1; n <= 3; n++ {
		f := folder.first()
		f.Observed = fmt.Sprintf("otherwise %d", n)
		folder.findings[f.ID], c.findings[f.ID] = f, f
		want := folder.export(t, false)
		done, err := store(t.Context(), objects, &c.day, c.signer, nil)
		if err != nil {
			t.Fatal(err)
		}
		if done.Path != "bundles/"+filepath.Base(want) {
			t.Errorf("it is called %s, want as %s", done.Path, want)
		}
		if !bytes.Equal(fetch(t, objects, done.Path), readFile(t, want)) {
			t.Errorf("export %d differs from the one in a folder", n)
		}
		c.verifyStored(t, objects, done.Path)
		var h head
		if err := decode(fetch(t, objects, headName), &h, encodeIndented); err != nil || h.Export != int64(n) {
			t.Fatalf("the head: %+v, %v", h, err)
		}
		for _, ext := range []string{".zip", ".ndjson"} {
			if _, _, err := objects.Get(t.Context(), h.Partial+ext); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s%s was left: %v", h.Partial, ext, err)
			}
		}
	}
	if _, err := store(t.Context(), objects, &c.day, c.signer, nil); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing changed since: %v", err)
	}
}

// broken fails at a call of an object store, before or after the store has done it.
type broken struct {
	Objects
	call  string
	after bool
}

var errGone = errors.New("the store is gone")

func (b *broken) at(call string, do func() error) error {
	if call != b.call {
		return do()
	}
	if b.after {
		if err := do(); err != nil {
			return err
		}
	}
	return errGone
}

func (b *broken) Put(ctx context.Context, name string, body io.Reader, size int64) error {
	return b.at("put "+filepath.Ext(name), func() error { return b.Objects.Put(ctx, name, body, size) })
}

func (b *broken) Swap(ctx context.Context, name string, data []byte, version string) (swapped bool, err error) {
	err = b.at("swap", func() error {
		swapped, err = b.Objects.Swap(ctx, name, data, version)
		return err
	})
	return swapped && err == nil, err
}

func (b *broken) Copy(ctx context.Context, from, to string) error {
	return b.at("copy "+filepath.Ext(to), func() error { return b.Objects.Copy(ctx, from, to) })
}

func (b *broken) Remove(ctx context.Context, name string) error {
	return b.at("remove "+filepath.Ext(name), func() error { return b.Objects.Remove(ctx, name) })
}

// Wherever an export or the store breaks off, the next attempt makes the one export that follows: never two,
// never a half one.
func TestStoredBreaksOff(t *testing.T) {
	want := newCasino(t, "ac-1", 2).export(t, false)
	for _, call := range []string{
		"put .zip", "put .ndjson", "swap", "copy .ndjson", "copy .zip", "remove .zip",
		"remove .ndjson",
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, after %v", call, after), func(t *testing.T) {
				objects := openObjects(t, s3test.Config(t))
				c := newCasino(t, "ac-1", 2)
				if _, err := store(t.Context(), &broken{objects, call, after}, &c.day, c.signer, nil); !errors.Is(err, errGone) {
					t.Fatalf("%v, want %v", err, errGone)
				}
				_, err := store(t.Context(), objects, &c.day, c.signer, nil)
				headed := call == "swap" && after || strings.HasPrefix(call, "copy") || strings.HasPrefix(call, "remove")
				if headed != errors.Is(err, ErrNothing) || !headed && err != nil {
					t.Errorf("again: %v", err)
				}
				name := "bundles/" + filepath.Base(want)
				if !bytes.Equal(fetch(t, objects, name), readFile(t, want)) {
					t.Errorf("%s differs from an export that was not broken off", name)
				}
				c.verifyStored(t, objects, name)
			})
		}
	}
}

// Of exports at the same time each follows another: one history, whoever comes first.
func TestStoredDoesNotFork(t *testing.T) {
	objects := openObjects(t, s3test.Config(t))
	c := newCasino(t, "ac-1", 1)
	const many = 6
	var mu sync.Mutex
	made := map[int64]string{}
	busy := 0
	var group, staged sync.WaitGroup
	staged.Add(many)
	for i := range many {
		day := c.day
		day.GamingDay = fmt.Sprintf("2026-11-%02d", i+1) // of which there are no findings
		group.Go(func() {
			for tries := 0; ; tries++ {
				done, err := store(t.Context(), objects, &day, c.signer, func(at string) error {
					if at == "staged" && tries == 0 { // all follow nothing
						staged.Done()
						staged.Wait()
					}
					return nil
				})
				mu.Lock()
				if errors.Is(err, ErrBusy) {
					busy++
					mu.Unlock()
					continue
				}
				if err != nil {
					t.Error(err)
				} else {
					if made[done.Manifest.Export] != "" {
						t.Errorf("two are export %d", done.Manifest.Export)
					}
					made[done.Manifest.Export] = done.Path
				}
				mu.Unlock()
				return
			}
		})
	}
	group.Wait()
	if len(made) != many || busy < many-1 {
		t.Fatalf("%d exports of %d, %d of them came too late", len(made), many, busy)
	}
	for n := int64(1); n <= many; n++ {
		c.verifyStored(t, objects, made[n])
	}
	t.Logf("%d exports, one after the other; %d attempts came too late", many, busy)
}

// A PUT of the head that was taken, but whose answer was lost, is repeated by the client and then refused:
// it was ours all the same.
func TestStoredAnswerIsLost(t *testing.T) {
	lost := 0
	objects := openObjects(t, s3test.InProcess(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/"+headName) && lost == 0 {
				lost++
				h.ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			h.ServeHTTP(w, r)
		})
	}))
	c := newCasino(t, "ac-1", 1)
	done, err := store(t.Context(), objects, &c.day, c.signer, nil)
	if err != nil || lost != 1 {
		t.Fatalf("%v, %d lost", err, lost)
	}
	c.verifyStored(t, objects, done.Path)
}
