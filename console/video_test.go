//go:build unix

package console

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// The link of a recording survives the template, starts at the event that completes the breach, and stands on each line
// of the timeline.
func TestVideo(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	newTestFloor(t, s.Store).play(planted(t, "ac-1", "t-01", "draw.banker.must-stay"))
	c := serve(t, s, nil)
	ctx, all := context.Background(), store.Scope{All: true}
	found, err := s.Findings(ctx, all, store.FindingQuery{Rule: "draw.banker.must-stay"})
	if err != nil || len(found) != 1 {
		t.Fatal(len(found), err)
	}
	f := &found[0]
	at := store.Location{Property: f.PropertyID, Table: f.TableID}
	events, err := s.Events(ctx, all, at, store.EventRange{First: 1, Also: f.Seqs})
	if err != nil || len(events) < 2 {
		t.Fatal(len(events), err)
	}
	last := events[len(events)-1].At

	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	b.open("/findings/" + f.ID)
	link := eval[string](b, "document.querySelector('#video').href")
	want := string(c.videoURL(eval[string](b, "document.querySelector('#camera').textContent"), last))
	if !strings.HasPrefix(link, "vms://") || link != want {
		t.Errorf("the link is %s, want %s at %s", link, want, last.Format(time.RFC3339Nano))
	}
	for _, rows := range []string{".timeline li", ".events tbody tr"} {
		lines := eval[int](b, "document.querySelectorAll('"+rows+"').length")
		links := eval[int](b, "[...document.querySelectorAll('"+rows+" a.play')].filter("+
			"(a) => a.href.startsWith('vms://')).length")
		if lines == 0 || links != lines {
			t.Errorf("%s: %d links to the recording in %d lines", rows, links, lines)
		}
	}
	if n := eval[int](b, "document.querySelectorAll('.clips li').length"); n != len(events) {
		t.Errorf("%d clips for %d cited events", n, len(events))
	}
	b.quiet()

	c.Video.Template = "javascript:alert({from})"
	if u := c.videoURL("cam", last); u != "" {
		t.Errorf("a template of another scheme gives the link %s", u)
	}
}
