//go:build unix

package console

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
)

// A bead has its cards in words and dots for pairs and naturals; ties are counted on the big road.
func TestRoads(t *testing.T) {
	t.Parallel()
	round := func(n uint32, result, cards string, player, banker uint8) store.Round {
		return store.Round{
			Round: n, Result: result, Cards: cards, PlayerCount: player, BankerCount: banker, PlayerCards: 2,
			BankerCards: 2,
		}
	}
	r := roadsOf([]store.Round{
		round(1, "PLAYER", "P 4c 4h B 7d Ks", 8, 7), round(2, "TIE", "P 3c 4h B 7d Ks", 7, 7),
		round(3, "TIE", "P 3c 4h B Kd Ks", 7, 0), round(4, "BANKER", "P ?? ?? B 7d Ks", 0, 7),
	}, nil)
	first, last := r.Bead[0], r.Bead[3]
	if !first.Natural || !first.PlayerPair || first.BankerPair || last.PlayerPair || !r.Bead[2].BankerPair {
		t.Errorf("beads: %+v", r.Bead)
	}
	if want := "Round 1: player 8–7, P 4c 4h B 7d Ks, natural, player pair"; first.Text != want {
		t.Errorf("the first bead is %q, want %q", first.Text, want)
	}
	if len(r.Big) != 2 || r.Big[0].Ties != 2 {
		t.Errorf("the big road: %+v", r.Big)
	}
	c, _ := offline(t, func(*Options) {})
	pages, err := c.pages[""]()
	if err != nil {
		t.Fatal(err)
	}
	for name, cells := range map[string][]cell{"bead plate": r.Bead, "big road": r.Big} {
		var out strings.Builder
		data := map[string]any{"Cells": cells, "W": 312, "Label": name}
		if err := pages["table"].ExecuteTemplate(&out, "road", data); err != nil {
			t.Fatal(err)
		}
		marks := map[string]bool{
			"dot-P": true, "dot-N": true, "dot-B": name == "bead plate", "dy=\"12\">2</text>": name == "big road",
			"<title>" + first.Text + "</title>": true,
		}
		for mark, want := range marks {
			if strings.Contains(out.String(), mark) != want {
				t.Errorf("the %s has %s: %v, want %v", name, mark, !want, want)
			}
		}
	}
}

// A change of a wager names the seat, the spot and the amount.
func TestDrawing(t *testing.T) {
	t.Parallel()
	d := drawing{currency: "USD", placed: map[string]*schema.WagerPlaced{"w": {Seat: 10, Spot: schema.SpotPlayer}}}
	for want, p := range map[string]schema.WagerChanged{
		"seat 10, player: raised by $50.00": {WagerID: "w", Change: schema.WagerChangeRaised, Delta: 5000},
		"wager x: raised by $50.00":         {WagerID: "x", Change: schema.WagerChangeRaised, Delta: 5000},
	} {
		if got := d.changed(&p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, p := range map[string]schema.Payload{
		"seat 10, player: returned $100.00": &schema.WagerReturned{WagerID: "w", Amount: 10000},
		"seat 3: vigorish collected $1.25":  &schema.VigorishCollected{Seat: 3, Amount: 125},
		"card 27 of the shoe moved from under shoe right to banker": &schema.CardMoved{
			CardSeq: 27, From: schema.MovePlaceUnderShoeRight, To: schema.MovePlaceBanker,
		},
		"player cards handed to seat 2, face down": &schema.CardsHanded{
			Hand: schema.HandPlayer, Seat: 2, CardSeqs: []uint32{54, 56}, Face: schema.FaceDown,
		},
		"called: player wins": &schema.Announced{Code: schema.CallPlayerWins, Hand: schema.HandPlayer},
		"round started":       &schema.RoundStarted{},
		"instructed: banker draws": &schema.DealInstructed{
			Hand: schema.HandBanker, Instruction: schema.InstructionDraw,
		},
		"instructed: player stands": &schema.DealInstructed{
			Hand: schema.HandPlayer, Instruction: schema.InstructionStay,
		},
		"tray counted: amount $1,500.00, occasion closer": &schema.TrayCounted{
			Amount: 150000, Occasion: schema.TrayOccasionCloser,
		},
	} {
		e := decodedEvent{Event: store.Event{Kind: p.Kind().String()}, Body: schema.Event{Payload: p}}
		if m, _ := d.momentOf(&e); m.What != want {
			t.Errorf("%q, want %q", m.What, want)
		}
	}
}

// The title of a finding is what happened, in the amounts of people.
func TestHeadline(t *testing.T) {
	t.Parallel()
	for want, x := range map[string][4]string{
		"Player hand stood on 4 (must draw)": {"draw.player.third-card", "deviation", "player hand on 4 draws", "stood"},
		"The banker wager of seat 5, $100.00, was paid $95.00 (must be $100.00, 1:1)": {
			"payout.banker.odds", "deviation", "BANKER USD 100.00 paid 1:1: USD 100.00", "paid USD 95.00",
		},
		"Player hand took a card after a natural (player 5, banker 8) (not proved: events are missing)": {
			"draw.natural.no-more-cards", "notice", "natural, player 5 and banker 8: no further card",
			"events are missing; found: PLAYER hand took a card",
		},
		"Cannot be audited: the table does not report rack": {
			"batch.discard-single", "notice", "The discard rack holds cards of one batch only.",
			"the table does not report RACK",
		},
		"Cannot be audited: when the round ended was not reported": {
			"paytable.dragon-bonus.change-window", "notice", "", "when the round ended was not reported",
		},
		"Seat 5 wagered with verbal cash (permitted: chips, plaques)": {
			"wager.medium", "deviation", "one of [CHIPS PLAQUES]", "VERBAL_CASH",
		},
		"Paid $20.00 (expected: $40.00)": {"other", "deviation", "USD 40.00", "paid USD 20.00"},
		"Player $60.00 placed late":      {"other", "deviation", "", "PLAYER USD 60.00 placed late"},
		"20 cards repeat":                {"other", "anomaly", "", "20 cards repeat; rounds 3, 4"},
		"other":                          {"other", "data_fault", "", ""},
		"Not announced":                  {"other", "deviation", strings.Repeat("x", 121), "not announced"},
	} {
		if got := headline(x[0], x[1], 5, x[2], x[3]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s := emptyStore(t)
	id := strings.Repeat("ab", 16)
	insert(t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, expected, observed",
		"ac-1", time.Now(), id, "deviation", "SUSPECT", "draw.player.third-card", "minor", "t-1", "player hand on 4 draws",
		"stood")
	c := serve(t, s, nil)
	cookie, title := signedIn(t, c.url, "viewer"), ">Player hand stood on 4 (must draw)</"
	shows := func(path, rule string) {
		_, page := send(t, "GET", c.url+path, "", "Cookie", cookie)
		for _, want := range []string{title, rule, `<span class="verdict verdict-SUSPECT">suspect</span>`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s has not %s: %.5000s", path, want, page)
			}
		}
	}
	shows("/queue", `<p><span class="mono">draw.player.third-card</span>`)
	shows("/findings/"+id, `<p class="mono" id="rule">draw.player.third-card</p>`)
	step := store.Triage{
		IDs: []string{id}, Actor: "ann", Disposition: store.Dispositions()[0], Reason: "seen",
	}
	for _, x := range [][2]string{{store.Acknowledge, "/handover"}, {store.Close, "/queue?state=closed"}} {
		step.Action = x[0]
		if _, err := s.Apply(t.Context(), store.Scope{All: true}, step); err != nil {
			t.Fatal(err)
		}
		shows(x[1], `<small class="mono">draw.player.third-card</small>`)
	}
}

// A reader chooses a clock of 12 hours, or UTC, for all pages. At the property it is half past noon, and an hour later.
func TestClocks(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	newTestFloor(t, s.Store).play(planted(t, "ac-1", "live-07", "draw.banker.must-stay"))
	var later atomic.Int64
	c := serve(t, s, func(o *Options) {
		began := time.Now().In(o.Law.Calendar.Zone)
		noon := time.Date(began.Year(), began.Month(), began.Day(), 12, 30, 0, 0, began.Location())
		o.Now = func() time.Time { return noon.Add(time.Since(began) + time.Duration(later.Load())) }
	})
	b := openBrowser(t, c.url, 1440, 900)
	clocks(t, c, b)
	b.do(chromedp.Navigate("about:blank")) // An hour ends the session: an open page would be refused its updates.
	later.Store(int64(time.Hour))
	clocks(t, c, b)
	b.quiet()
}

// clocks chooses each clock and compares what pages show.
func clocks(t *testing.T, c *served, b *browser) {
	t.Helper()
	b.signIn("ann", "operator")
	b.open("/queue")
	shown := "document.querySelector('#now').textContent"
	// The last is the one that the first page has: to await it there would read a page that is being replaced.
	for _, clock := range [][4]string{
		{"12", "3:04:05 PM", "2006-01-02 3:04:05.000 PM MST", `since \w+ \d+ \w+ \d+:\d\d [AP]M`},
		{"utc", "15:04:05", "2006-01-02 15:04:05.000 MST", `since \w+ \d+ \w+ \d\d:\d\d$`},
		{"", "15:04:05", "2006-01-02 15:04:05.000 MST", `since \w+ \d+ \w+ \d\d:\d\d$`},
	} {
		value, layout := clock[0], clock[1]
		hours, _, _ := strings.Cut(layout, ":")
		b.click("footer [name=clock][value='" + value + "']")
		b.await("document.querySelector('footer [aria-pressed=true]').value == '" + value + "'")
		if eval[bool](b, "getComputedStyle(document.querySelector('footer [aria-pressed=true]')).borderColor == "+
			"getComputedStyle(document.querySelector('footer [aria-pressed=false]')).borderColor") {
			t.Errorf("clock %q looks as those that are not chosen", value)
		}
		zone := c.Law.Calendar.Zone
		if value == "utc" {
			zone = time.UTC
		}
		if text := eval[string](b, "document.querySelector('footer').innerText"); !strings.Contains(text,
			"Times in "+c.Now().In(zone).Format("MST")) {
			t.Errorf("clock %q: the footer names no zone: %s", value, text)
		}
		first := eval[string](b, shown)
		b.await(fmt.Sprintf("%s != %q", shown, first)) // the script goes on from the text of the server
		text := eval[string](b, shown)
		at, err := time.ParseInLocation(layout, text, zone)
		now := c.Now().In(zone)
		today := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), at.Second(), 0, zone)
		if off := now.Sub(today); err != nil || off.Abs() > time.Minute || !strings.HasPrefix(text, now.Format(hours+":")) {
			t.Errorf("clock %q shows %s: %v off, %v", value, text, off, err)
		}
		title := eval[string](b, "document.querySelector('.queue time').title")
		if _, err := time.Parse(clock[2], title); err != nil {
			t.Errorf("clock %q: the time of a row is %q", value, title)
		}
		b.open("/handover")
		since := eval[string](b, "document.querySelector('.bar .dim').textContent")
		if !regexp.MustCompile(clock[3]).MatchString(since) {
			t.Errorf("clock %q: a page has the time %q", value, since)
		}
		b.open("/queue")
	}
}
