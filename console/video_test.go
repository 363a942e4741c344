//go:build unix

package console

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
)

// The link of a recording survives the template, starts at the event that completes the breach, and stands on each line
// of the timeline, with date and time. The API has the same position. The title of a finding about a payment has its
// amounts.
func TestVideo(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	floor := newTestFloor(t, s.Store)
	floor.play(planted(t, "ac-1", "t-01", "draw.banker.must-stay"))
	floor.play(planted(t, "ac-1", "t-02", "payout.tie.min-odds"))
	c := serve(t, s, nil)
	ctx, all := context.Background(), store.Scope{All: true}
	found, err := s.Findings(ctx, all, store.FindingQuery{Rule: "draw.banker.must-stay"})
	if err != nil || len(found) != 1 {
		t.Fatal(len(found), err)
	}
	f := &found[0]
	events := citedEvents(t, s, f)
	last := events[len(events)-1].At

	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	b.open("/queue?rule=" + f.Rule)
	row := eval[[]string](b, "[...document.querySelectorAll('.queue .rule > a:first-child, .queue .rule p')]"+
		".map((x) => x.innerText)")
	sentence := regexp.MustCompile(`^Banker hand took a card on \d (against a third card of \d )?and kept it.* \(must stand\)$`)
	if len(row) != 2 || !sentence.MatchString(row[0]) || row[1] != f.Rule {
		t.Errorf("the row of the queue has %q, want a sentence and the rule", row)
	}
	b.open("/findings/" + f.ID)
	if verdict := eval[string](b, "document.querySelector('.head .verdict').textContent"); verdict != words(f.Verdict) {
		t.Errorf("the verdict %s is written %q", f.Verdict, verdict)
	}
	link := eval[string](b, "document.querySelector('#video').href")
	want := string(c.videoURL(eval[string](b, "document.querySelector('#camera').textContent"), last))
	if !strings.HasPrefix(link, "vms://") || link != want {
		t.Errorf("the link is %s, want %s at %s", link, want, last.Format(time.RFC3339Nano))
	}
	for _, rows := range []string{".timeline li", ".events tbody tr"} {
		lines := eval[int](b, "document.querySelectorAll('"+rows+"').length")
		links := eval[int](b, "[...document.querySelectorAll('"+rows+" a.play')].filter("+
			"(a) => a.href.startsWith('vms://') && "+
			"/^[A-Z]\\w\\w \\d+ [A-Z]\\w\\w \\d\\d:\\d\\d:\\d\\d$/.test(a.nextElementSibling.textContent)).length")
		if lines == 0 || links != lines {
			t.Errorf("%s: %d links to the recording with date and time in %d lines", rows, links, lines)
		}
	}
	if n := eval[int](b, "document.querySelectorAll('.clips li').length"); n != len(events) {
		t.Errorf("%d clips for %d cited events", n, len(events))
	}
	eval[int](b, "(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; return 0; })()")
	b.click("[data-copy]")
	b.await("window.copied == document.querySelector('#timecode').textContent")
	var inAPI struct{ Video notify.Position }
	_, body := send(t, "GET", c.url+"/api/v1/findings/"+f.ID, "", "Cookie", signedIn(t, c.url, "operator"))
	camera := eval[string](b, "document.querySelector('#camera').textContent")
	if err := json.Unmarshal([]byte(body), &inAPI); err != nil || !inAPI.Video.At.Equal(last) ||
		inAPI.Video.Camera != camera || inAPI.Video.URL != want {
		t.Errorf("the position in the API is %+v, want %s, %v, %s: %v", inAPI.Video, camera, last, want, err)
	}

	paid, err := s.Findings(ctx, all, store.FindingQuery{Rule: "payout.tie.min-odds"})
	if err != nil || len(paid) != 1 {
		t.Fatal(len(paid), err)
	}
	b.open("/findings/" + paid[0].ID)
	title := eval[string](b, "document.querySelector('h1').textContent")
	words := regexp.MustCompile(`^Tie \$[\d.,]+ should pay \$[\d.,]+, was paid \$[\d.,]+ \(short \$[\d.,]+\)$`)
	if !words.MatchString(title) {
		t.Errorf("the title of a finding about a payment is %q", title)
	}
	inAmounts(b, &paid[0])
	b.quiet()

	c.Video.Template = "javascript:alert({from})"
	if u := c.videoURL("cam", last); u != "" {
		t.Errorf("a template of another scheme gives the link %s", u)
	}
}

// citedEvents are the events that a finding cites, in order.
func citedEvents(t *testing.T, s *store.Store, f *store.Finding) []store.Event {
	t.Helper()
	at := store.Location{Property: f.PropertyID, Table: f.TableID}
	events, err := s.Events(t.Context(), store.Scope{All: true}, at, store.EventRange{First: 1, Also: f.Seqs})
	if err != nil || len(events) < 2 {
		t.Fatal(len(events), err)
	}
	return events
}

// inAmounts reports an amount of a finding about a payment that is written as the engine writes it, or in cents.
func inAmounts(b *browser, f *store.Finding) {
	b.t.Helper()
	engine := regexp.MustCompile(`\b[A-Z]{3} \d|\b(TIE|PLAYER|BANKER)\b`)
	for _, x := range [][2]string{
		{"/findings/" + f.ID, ".versus p"},
		{"/tables/" + f.PropertyID + "/" + f.TableID, "[aria-label='Open findings'] tbody .found"},
	} {
		b.open(x[0])
		text := eval[[]string](b, fmt.Sprintf("[...document.querySelectorAll(%q)].map((x) => x.textContent)", x[1]))
		if all := strings.Join(text, "|"); engine.MatchString(all) || strings.Count(all, "$") < 2 {
			b.t.Errorf("%s: %q, want the amounts of people", x[0], text)
		}
	}
	for _, x := range [][2]string{
		{"/findings/" + f.ID, "[aria-label=Wagers] td.num"},
		{"/tables/" + f.PropertyID + "/" + f.TableID, "[aria-label='Open findings'] td:nth-child(6)"},
		{"/queue?table=" + f.TableID, ".queue td.amount"},
	} {
		b.open(x[0])
		text := eval[[]string](b, fmt.Sprintf("[...document.querySelectorAll(%q)].map((x) => x.textContent.trim())", x[1]))
		amount := func(s string) bool { return strings.HasPrefix(strings.TrimPrefix(s, "≠ "), "$") }
		other := func(s string) bool { return s != "" && !amount(s) }
		if !slices.ContainsFunc(text, amount) || slices.ContainsFunc(text, other) {
			b.t.Errorf("%s: the amounts are %q", x[0], text)
		}
	}
}
