//go:build linux

package gateway

import (
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
)

// A full disk refuses events with 507 and loses none: while Kafka is away, and when it is back, although the note of
// what is published cannot be stored. Published segments then make room.
func TestFullDisk(t *testing.T) {
	k := &topic{away: true}
	o := options(t, k)
	o.Keep = 10_000
	if err := os.Mkdir(o.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", o.Folder, "tmpfs", 0, "size=96k"); err != nil {
		t.Skipf("NOT RUN: no right to mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(o.Folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	events := unnumbered(t, 5)
	numbers := map[string]uint64{}
	g, stop := run(t, o)
	post := func(ev *schema.Event) int {
		code, got := post(g, "application/json", schema.AppendJSON(nil, ev))
		for _, e := range got.Events {
			numbers[e.EventID] = e.Seq
		}
		return code
	}
	at, code := 0, 0
	for ; at < len(events); at++ {
		if code = post(&events[at]); code != http.StatusAccepted {
			break
		}
	}
	if code != http.StatusInsufficientStorage || at < 50 {
		t.Fatalf("event %d: status %d, want 507 after some", at, code)
	}
	if err := stop(); err != nil { // and it is started again on the full disk
		t.Fatal(err)
	}
	g, stop = run(t, o)
	if code := post(&events[at]); code != http.StatusInsufficientStorage {
		t.Errorf("after a start: status %d, want 507", code)
	}
	k.mu.Lock()
	k.away = false
	k.mu.Unlock()
	testkit.Await(t, "all is published", func() bool { return g.Pending() == 0 })
	for ; at < len(events); at++ {
		testkit.Await(t, "room on the disk, after all is published", func() bool {
			code = post(&events[at])
			return code != http.StatusInsufficientStorage
		})
		if code != http.StatusAccepted {
			t.Fatalf("event %d: status %d", at, code)
		}
	}
	testkit.Await(t, "all is published", func() bool { return g.Pending() == 0 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	once(t, k.records, events, numbers)
}
