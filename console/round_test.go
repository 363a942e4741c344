//go:build unix

package console

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
)

// Every bead, row and finding leads to the page of its round, which shows the round whole, with closed findings too.
// The palette finds a round, a finding, a clause and a patron by the words that people have.
func TestRoundAndSearch(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	events := planted(t, "ac-1", "live-07", "draw.banker.must-stay")
	newTestFloor(t, s.Store).play(events)
	c := serve(t, s, nil)
	ctx, all := t.Context(), store.Scope{All: true}
	found, err := s.Findings(ctx, all, store.FindingQuery{Rule: "draw.banker.must-stay"})
	if err != nil || len(found) != 1 {
		t.Fatal(len(found), err)
	}
	f := &found[0]
	at := store.Location{Property: f.PropertyID, Table: f.TableID, Shoe: f.ShoeID}
	rounds, err := s.Rounds(ctx, all, at)
	if err != nil || len(rounds) < 3 {
		t.Fatal(len(rounds), err)
	}

	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "supervisor")
	shoe := pathOf("shoes", "ac-1", "live-07", f.ShoeID)
	for _, x := range [][2]string{ // a page, and what leads to a round
		{"/tables/ac-1/live-07", ".road a"},
		{"/tables/ac-1/live-07", "[aria-label='Open findings'] tbody tr"},
		{shoe, ".road a"},
		{shoe, "[aria-label=Rounds] tbody tr"},
		{shoe, "[aria-label='Vigorish ledger'] tbody tr:not(.sum)"},
		{"/findings/" + f.ID, ".deal h2"},
		{"/queue?q=" + f.ID, ".queue tbody tr"},
		{pathOf("patrons", "ac-1", patronAt(t, s, rounds[0])), "[aria-label=Wagers] tbody tr"},
	} {
		page, rows := x[0], x[1]
		b.open(page)
		n := eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", rows))
		to := eval[int](b, fmt.Sprintf("[...document.querySelectorAll(%q)].filter((x) => "+
			"x.matches(%[2]q) || x.querySelector(%[2]q)).length", rows, "a[href^='/rounds/ac-1/live-07/']"))
		if n == 0 || to != n {
			t.Errorf("%s: %d of %d %s lead to a round", page, to, n, rows)
		}
	}

	// A finding lists the others of its round, and of its shoe under its rule, and no other.
	var related []string
	for i, o := range []struct {
		rule  string
		round uint32
	}{{"count.announced", f.Round}, {f.Rule, rounds[0].Round}, {"count.announced", rounds[0].Round}} {
		id := strings.Repeat(fmt.Sprint(i+1), 32)
		insert(t, s, "findings", "id, kind, verdict, rule, severity, property_id, table_id, shoe_id, round, at, observed",
			id, "deviation", "BREACH", o.rule, "minor", "ac-1", "live-07", f.ShoeID, o.round, f.At,
			"player 6 and banker 7 announced at 6 to 6")
		if i < 2 {
			related = append(related, "/findings/"+id)
		}
	}
	testkit.Await(t, "the related findings and no other", func() bool { // the page shares its evidence for a moment
		b.open("/findings/" + f.ID)
		return slices.Equal(related, eval[[]string](b,
			"[...document.querySelectorAll('#related a')].map((x) => x.getAttribute('href')).sort()"))
	})

	// The round of the finding, whole; the finding stays there when it is closed.
	for _, step := range []store.Triage{
		{Actor: "ann", Action: store.Close, Disposition: "duplicate", Reason: "seen"},
		{Actor: "ben", Action: store.Confirm, Second: func(store.Who) error { return nil }},
	} {
		step.IDs = []string{f.ID}
		if _, err := s.Apply(ctx, all, step); err != nil {
			t.Fatal(err)
		}
	}
	b.open(roundURL(&rounds[f.Round-rounds[0].Round]))
	for what, selector := range map[string]string{
		"cards": ".felt .card", "wagers": "[aria-label=Wagers] tbody tr", "events": ".events tbody tr",
		"cited events": ".events tr.cited", "clips": ".timeline a.play", "findings": "[aria-label=Findings] tbody a",
		"the state of the finding": "[aria-label=Findings] .state-closed", "a video": "#video[href^='vms://']",
	} {
		if n := eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector)); n == 0 {
			t.Errorf("the page of the round has no %s", what)
		}
	}
	b.screenshot("round")
	b.press("]")
	b.await(fmt.Sprintf("document.querySelector('h1').textContent == 'Round %d'", f.Round+1))
	b.press("[")
	b.await(fmt.Sprintf("document.querySelector('h1').textContent == 'Round %d'", f.Round))
	if code, _ := send(t, "GET", c.url+pathOf("rounds", "ac-1", "live-07", f.ShoeID, "9999"), "", "Cookie",
		signedIn(t, c.url, "viewer")); code != 404 {
		t.Errorf("a round that does not exist: %d", code)
	}

	// The palette, by keys alone.
	b.open("/help")
	b.await("document.readyState == 'complete'")
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.await("document.querySelector('#palette').open")
	b.screenshot("palette")
	local := rounds[1].At.In(c.Law.Calendar.Zone).Format("15:04")
	b.do(chromedp.KeyEvent("live-07 " + local))
	b.await("document.querySelector('#found[data-for=\"live-07 " + local + "\"] a') != null") // not of a part of the text
	b.screenshot("palette-hits")
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	b.await("document.activeElement.closest('#hits') != null")
	b.do(chromedp.KeyEvent("\r"))
	b.await("location.pathname.startsWith('/rounds/ac-1/live-07/')")
	b.press("/")
	b.await("document.querySelector('#palette').open")
	b.do(chromedp.KeyEvent("nonsense words"))
	b.await("document.querySelector('#hits [role=alert]') != null")
	searches(t, c, events, f, rounds)
}

// A withdrawn wager expects no payment: the page of its round marks nothing as wrong.
func TestWithdrawnWager(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	table := legal(t, simulated.Options{
		Property: "ac-1", Pit: "p1", Table: "live-07", Seed: 3, Start: time.Now().Add(-20 * time.Minute), Varied: true,
	})
	newTestFloor(t, s.Store).play(append(table.Open(), table.Shoe()...))
	wagers, err := s.Wagers(t.Context(), store.Scope{All: true}, store.Location{Property: "ac-1", Table: "live-07"})
	if err != nil {
		t.Fatal(err)
	}
	var round *store.Wager
	for i := range wagers {
		if wagers[i].Disposition == "withdrawn" {
			round = &wagers[i]
		}
	}
	if round == nil {
		t.Fatalf("none of %d wagers is withdrawn", len(wagers))
	}
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	b.open(roundPath("ac-1", "live-07", round.ShoeID, round.Round))
	text := eval[string](b, "document.querySelector('[aria-label=Wagers]').innerText")
	if !strings.Contains(text, "withdrawn") {
		t.Errorf("no withdrawn wager in %q", text)
	}
	if wrong := eval[string](b, "[...document.querySelectorAll('main .diff, main .wrong')].map((x) => "+
		"x.closest('tr, dd').innerText).join()"); wrong != "" {
		t.Errorf("a round with a withdrawn wager is marked: %s", wrong)
	}
	b.quiet()
}

// A settlement that cannot be judged is marked as wrong nowhere: the cards of a round, or the amount of a payment, were
// not read. A payment that is short is marked, also in a round with a wager that cannot be judged.
func TestUnreadSettlement(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	table := legal(t, simulated.Options{
		Property: "ac-1", Pit: "p1", Table: "live-07", Seed: 3, Start: time.Now().Add(-20 * time.Minute),
	})
	events := append(table.Open(), table.Shoe()...)
	paid := map[uint32][]*schema.WagerPaid{} // by round
	for i := range events {
		if p, ok := events[i].Payload.(*schema.WagerPaid); ok {
			paid[events[i].Round] = append(paid[events[i].Round], p)
		}
	}
	var rounds []uint32 // with two payments or more
	for n := uint32(2); len(rounds) < 4; n++ {
		if len(paid[n]) > 1 {
			rounds = append(rounds, n)
		}
	}
	cards, amount, short, both := rounds[0], rounds[1], rounds[2], rounds[3]
	for i := range events {
		if p, ok := events[i].Payload.(*schema.CardDealt); ok && events[i].Round == cards {
			p.Card = "??"
		}
	}
	paid[amount][0].Amount = 0
	paid[short][0].Amount /= 2
	paid[both][0].Amount, paid[both][1].Amount = 0, paid[both][1].Amount/2
	newTestFloor(t, s.Store).play(events)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	const marks = "[...document.querySelectorAll('main .diff, main .wrong')].map((x) => " +
		"x.closest('tr, dd').innerText).join('|')"
	const due = "[...document.querySelectorAll('main dt')].find((x) => x.textContent == 'Due')" +
		".nextElementSibling.textContent"
	shoe := events[len(events)-1].ShoeID
	for n, want := range map[uint32]struct{ marked, due bool }{
		cards: {}, amount: {}, short: {true, true}, both: {marked: true}, both + 1: {due: true},
	} {
		b.open("/shoes/ac-1/live-07/" + shoe)
		row := fmt.Sprintf("[...document.querySelectorAll('[aria-label=Rounds] tbody tr')].find((x) => "+
			"x.cells[0].textContent == '%d')", n)
		if eval[bool](b, row+".querySelector('.diff') != null") != want.marked {
			t.Errorf("the shoe: round %d is marked: %v; %s", n, !want.marked, eval[string](b, row+".innerText"))
		}
		if text := eval[string](b, row+".cells[6].textContent"); (text != "?") != want.due {
			t.Errorf("the shoe: due in round %d is %q", n, text)
		}
		b.open(roundPath("ac-1", "live-07", shoe, n))
		if text := eval[string](b, marks); (text != "") != want.marked {
			t.Errorf("the page of round %d marks %q", n, text)
		}
		if text := eval[string](b, due); (text != "not determined") != want.due {
			t.Errorf("the page of round %d: due %q", n, text)
		}
	}
	b.quiet()
}

// A hash is compared to its last byte, which is 0 of one in 256 events.
func TestHashThatEndsInZero(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	events := legal(t, simulated.Options{Property: "ac-1", Table: "live-07", Seed: 3, Start: time.Now()}).Open()
	e, hash := &events[0], [sha256.Size]byte{sha256.Size - 1: 1}
	for n := 0; hash[sha256.Size-1] != 0; n++ {
		e.EventID = fmt.Sprint("event-", n)
		hash = sha256.Sum256(schema.AppendJSON(nil, e))
	}
	newTestFloor(t, s.Store).play(events)
	stored, err := s.Events(t.Context(), store.Scope{All: true}, store.Location{Property: "ac-1", Table: "live-07"},
		store.EventRange{Last: uint64(len(events))})
	if err != nil || len(stored) != len(events) || stored[0].SHA256 != string(hash[:]) {
		t.Fatalf("%d events of %d, with the hash of the first: %x: %v", len(stored), len(events), hash, err)
	}
	for _, e := range decode(stored, &store.Finding{}) {
		if !e.HashMatches {
			t.Errorf("the hash %x of event %d does not match", e.SHA256, e.Seq)
		}
	}
}

// searches sends texts to the search, and compares the first line of what is found.
func searches(t *testing.T, c *served, events []schema.Event, f *store.Finding, rounds []store.Round) {
	t.Helper()
	wagers, err := c.Store.Wagers(t.Context(), store.Scope{All: true}, store.Location{
		Property: "ac-1", Table: "live-07", Shoe: f.ShoeID,
	})
	if err != nil || len(wagers) == 0 {
		t.Fatal(len(wagers), err)
	}
	top := wagers[0]
	for _, w := range wagers {
		if w.Stake > top.Stake {
			top = w
		}
	}
	stake := strings.TrimPrefix(formatMoney(top.Stake, ""), "$")
	ref := ""
	for i := range events {
		if w, ok := events[i].Payload.(*schema.WagerPlaced); ok && w.PatronRef != "" {
			ref = w.PatronRef
		}
	}
	code := engine.Pseudonym(c.Law.PatronKey, ref)
	operator, auditor := signedIn(t, c.url, "operator"), signedIn(t, c.url, "auditor")
	round := func(n uint32) string { return fmt.Sprintf("<b>live-07 round %d</b>", n) }
	last, day := &rounds[len(rounds)-1], "today"
	if today, _ := c.Law.Calendar.Of(time.Now().UnixNano()); store.Day(last.GamingDay) != today {
		day = "yesterday" // a gaming day has begun since the shoe did, 20 minutes ago
	}
	for text, want := range map[string]string{
		"live-07 r" + fmt.Sprint(rounds[2].Round):            round(rounds[2].Round),
		fmt.Sprintf("LIVE-07 round %d", rounds[2].Round):     round(rounds[2].Round),
		fmt.Sprintf("seat %d >=$%s", top.Seat, stake):        round(top.Round),
		fmt.Sprintf("seat %d >=$%s", 99, stake):              "Nothing within your properties",
		fmt.Sprintf("live-07 seat %d >%s", top.Seat, "$90m"): "Nothing within your properties",
		fmt.Sprintf("live-07 seat %d >$%s", top.Seat, stake): "Nothing within your properties", // and no round of the stake
		"live-07":                       `href="/tables/ac-1/live-07"`,
		f.Citations[0]:                  `href="/queue?rule=draw.banker.must-stay`,
		strings.ToLower(f.Citations[0]): `href="/findings/` + f.ID,
		f.ID:                            `href="/findings/` + f.ID,
		f.ID[:8]:                        `href="/findings/` + f.ID,
		f.DealerID:                      `href="/dealers/ac-1/` + f.DealerID,
		"draw.banker.must-stay":         `href="/queue?rule=draw.banker.must-stay`,
		code:                            `href="/patrons/ac-1/` + code,
		"patron " + code:                `href="/patrons/ac-1/` + code,
		"patron " + ref:                 "Your role sees masked patrons only",
		"zz-99 r6":                      "No table, dealer, rule, clause, finding, time or day is &#34;zz-99&#34;",
		">lots":                         "want an amount such as",
		"live-07 " + day:                round(last.Round),
	} {
		_, body := send(t, "GET", c.url+"/search?list=1&q="+url.QueryEscape(text), "", "Cookie", operator)
		if !strings.Contains(body, want) {
			_, after, _ := strings.Cut(body, `<div id="found"`)
			t.Errorf("%q: no %s in %.900s", text, want, after)
		}
	}
	for path, want := range map[string]int{"/search?q=": 400, "/search?list=1&q=": 200} { // the palette sends half a text
		if code, _ := send(t, "GET", c.url+path+"live-07,+seat", "", "Cookie", operator); code != want {
			t.Errorf("%s with half a text: %d, want %d", path, code, want)
		}
	}
	number := c.url + "/search?list=1&q=" + url.QueryEscape("patron "+ref)
	if _, body := send(t, "GET", number, "", "Cookie", auditor); !strings.Contains(body, code) {
		t.Errorf("an auditor does not find the patron %s", ref)
	}
	entries, err := c.Store.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Action: "unmask"})
	if err != nil || len(entries) != 1 || entries[0].Object != code {
		t.Errorf("the log of the search for a patron's number: %+v, %v", entries, err)
	}
	key := c.Law.PatronKey
	c.Law.PatronKey = nil // a mask without the key is of no patron
	if _, body := send(t, "GET", number, "", "Cookie", auditor); !strings.Contains(body, "has no patron key") {
		t.Errorf("a search for a number without the patron key: %.600s", body)
	}
	c.Law.PatronKey = key
	if code, _ := send(t, "GET", c.url+"/search?q="+f.ID, "", "Cookie", operator); code != 303 {
		t.Errorf("a search with one result: %d, want a redirect", code)
	}

	// Nothing at a time without a day: the note has all days that were searched.
	at := time.Now().In(c.Law.Calendar.Zone).Add(-5 * time.Hour)
	_, body := send(t, "GET", c.url+"/search?q=live-07+"+at.Format("15:04"), "", "Cookie", operator)
	if want := at.Add(15 * time.Minute).Format(" to Mon 2 Jan 15:04"); !strings.Contains(body, want) ||
		!strings.Contains(body, "on each of the 3 days") {
		_, after, _ := strings.Cut(body, `<div id="found"`)
		t.Errorf("no days%s in %.300s", want, after)
	}

	// Of two tables with one number the reader chooses one.
	other := legal(t, simulated.Options{Property: "ac-1", Table: "pb-07", Seed: 4, Start: time.Now().Add(-time.Minute)})
	newTestFloor(t, c.Store).play(other.Open())
	testkit.Await(t, "both tables with the number 7", func() bool {
		_, body := send(t, "GET", c.url+"/search?q=table+7,+seat+2", "", "Cookie", operator)
		return strings.Contains(body, "2 tables have the number of") &&
			strings.Contains(body, `href="/search?q=live-07%2C&#43;seat&#43;2"`) &&
			strings.Contains(body, `href="/search?q=pb-07%2C&#43;seat&#43;2"`)
	})
}

func patronAt(t *testing.T, s *store.Store, r store.Round) string {
	t.Helper()
	wagers, err := s.Wagers(t.Context(), store.Scope{All: true}, store.Location{
		Property: r.PropertyID, Table: r.TableID, Shoe: r.ShoeID,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wagers {
		if w.Patron != "" {
			return w.Patron
		}
	}
	t.Fatal("no wager has a patron")
	return ""
}

// Today is the gaming day in progress, also after midnight.
func TestTodayAfterMidnight(t *testing.T) {
	law := options(t)
	for at, want := range map[string]string{
		"2026-11-23 00:15": "2026-11-22 06:00", "2026-11-23 05:59": "2026-11-22 06:00",
		"2026-11-23 06:00": "2026-11-23 06:00",
		"2026-11-23 23:59": "2026-11-23 06:00",
	} {
		now, err := time.ParseInLocation("2006-01-02 15:04", at, law.Calendar.Zone)
		if err != nil {
			t.Fatal(err)
		}
		c := &Console{Options: Options{Law: law, Now: func() time.Time { return now }}}
		q := &inquiry{minute: -1}
		if !q.moment("today", c) {
			t.Fatal("today is no day")
		}
		if got := c.periodOf(q, 1).since.Format("2006-01-02 15:04"); got != want {
			t.Errorf("today at %s begins at %s, want %s", at, got, want)
		}
	}
}
