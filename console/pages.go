package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/rules"
)

// Ages of the last record of a feed, by our clock.
const (
	feedSlow  = 30 * time.Second
	feedStale = 2 * time.Minute
)

// tile is a table of the floor with the state of its feed.
type tile struct {
	store.Tile
	// Feed is live, slow, stale or closed.
	Feed string
	Age  time.Duration
}

func (c *Console) tiles(tiles []store.Tile) []tile {
	now := c.Now()
	all := make([]tile, len(tiles))
	for i := range tiles {
		t := tile{Tile: tiles[i], Feed: "live", Age: now.Sub(tiles[i].ReceivedAt)}
		switch {
		case t.Kind == "table_closed":
			t.Feed = "closed"
		case t.Age > feedStale:
			t.Feed = "stale"
		case t.Age > feedSlow:
			t.Feed = "slow"
		}
		all[i] = t
	}
	return all
}

func floorPage(c *Console, x *exchange) error {
	scope, property := x.scope(), x.r.FormValue("property")
	key := fmt.Sprintf("floor %v %s", scope, property)
	tiles, err := cachedFor(&c.cached, key, 800*time.Millisecond, func() ([]store.Tile, error) {
		return c.Store.Floor(context.WithoutCancel(x.r.Context()), scope, store.Place{Property: property})
	})
	if err != nil {
		return err
	}
	all := c.tiles(tiles)
	slices.SortStableFunc(all, func(a, b tile) int { // what is closed comes last
		return cmp.Compare(strings.Count(a.Feed, "closed"), strings.Count(b.Feed, "closed"))
	})
	feeds := map[string]int{}
	type pit struct {
		Property, Pit string
		Tiles         []tile
	}
	var pits []pit
	for _, t := range all {
		feeds[t.Feed]++
		if n := len(pits); n == 0 || pits[n-1].Property != t.PropertyID || pits[n-1].Pit != t.PitID {
			pits = append(pits, pit{Property: t.PropertyID, Pit: t.PitID})
		}
		p := &pits[len(pits)-1]
		p.Tiles = append(p.Tiles, t)
	}
	return x.page("floor", "Floor", map[string]any{"Pits": pits, "Feeds": feeds, "Tables": len(all), "Wall": x.r.FormValue("wall") == "1"})
}

func tablePage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	p := store.Place{Property: x.r.PathValue("property"), Table: x.r.PathValue("table")}
	tiles, err := c.Store.Floor(ctx, scope, p)
	if err != nil {
		return err
	}
	if len(tiles) == 0 {
		return errNoPage
	}
	configs, err := c.Store.Configs(ctx, scope, p)
	if err != nil {
		return err
	}
	shoes, err := c.Store.Shoes(ctx, scope, p)
	if err != nil {
		return err
	}
	open, err := c.Store.Open(ctx, scope, store.Filter{Property: p.Property, Table: p.Table, High: c.High})
	if err != nil {
		return err
	}
	t := c.tiles(tiles)[0]
	data := map[string]any{"Tile": t, "Configs": configs, "Shoes": shoes, "Open": open}
	if t.ShoeID != "" {
		rounds, err := c.Store.Rounds(ctx, scope, store.Place{Property: p.Property, Table: p.Table, Shoe: t.ShoeID})
		if err != nil {
			return err
		}
		marked := map[uint32]string{}
		for _, f := range open {
			if f.ShoeID == t.ShoeID {
				marked[f.Round] = f.ID
			}
		}
		data["Roads"] = roadsOf(rounds, marked)
		if n := len(rounds); n > 0 {
			data["Last"] = rounds[n-1]
		}
	}
	return x.page("table", "Table "+p.Table, data)
}

func shoePage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	p := store.Place{Property: x.r.PathValue("property"), Table: x.r.PathValue("table"), Shoe: x.r.PathValue("shoe")}
	shoes, err := c.Store.Shoes(ctx, scope, p)
	if err != nil {
		return err
	}
	rounds, err := c.Store.Rounds(ctx, scope, p)
	if err != nil {
		return err
	}
	if len(shoes) == 0 && len(rounds) == 0 {
		return errNoPage
	}
	findings, err := c.Store.Findings(ctx, scope, store.Where{Property: p.Property, Table: p.Table, Shoe: p.Shoe, Limit: 500})
	if err != nil {
		return err
	}
	ledger, err := c.Store.Ledger(ctx, scope, p)
	if err != nil {
		return err
	}
	slices.Reverse(findings)
	marked, by := map[uint32]string{}, map[uint32][]store.Finding{}
	for _, f := range findings {
		if f.Verdict == "BREACH" || f.Verdict == "SUSPECT" {
			marked[f.Round] = f.ID
		}
		by[f.Round] = append(by[f.Round], f)
	}
	data := map[string]any{
		"Place": p, "Rounds": rounds, "Findings": findings, "ByRound": by, "Roads": roadsOf(rounds, marked), "Ledger": ledgerOf(ledger, findings),
	}
	if len(shoes) > 0 {
		data["Shoe"] = shoes[0]
	}
	return x.page("shoe", "Shoe "+p.Shoe, data)
}

// account is what one seat owed in a shoe. Whether that was right is for the rules to say: some houses
// pay net of vigorish and mark nothing.
type account struct {
	Seat                           uint32
	Entries                        []entry
	Least, Most, Marked, Collected int64
}

type entry struct {
	store.Vigorish
	Finding string // the id of one about this wager's vigorish
}

func ledgerOf(rows []store.Vigorish, findings []store.Finding) []account {
	about := map[string]string{}
	for _, f := range findings {
		if wager, ok := strings.CutPrefix(f.Subject, "wager:"); ok && strings.HasPrefix(f.Rule, "vig.") && f.Verdict == "BREACH" {
			about[wager] = f.ID
		}
	}
	by := map[uint32]*account{}
	var order []uint32
	for _, v := range rows {
		a := by[v.Seat]
		if a == nil {
			a = &account{Seat: v.Seat}
			by[v.Seat] = a
			order = append(order, v.Seat)
		}
		a.Least += v.Least
		a.Most += v.Most
		a.Marked += v.Marked
		a.Collected += v.Collected
		a.Entries = append(a.Entries, entry{v, about[v.WagerID]})
	}
	slices.Sort(order)
	all := make([]account, len(order))
	for i, n := range order {
		all[i] = *by[n]
	}
	return all
}

// rate is how often something went wrong, with its interval.
type rate struct {
	store.Tally
	Rate, Low, High float64
	// Small says that there are too few rounds to say anything.
	Small bool
	// X, W and M place the interval and the point on a scale of 200.
	X, W, M          int
	Property, Dealer string
	// Apart says that the interval lies above the house's rate.
	Apart bool
}

// leastRounds is how many rounds a rate needs before it is shown as one.
const leastRounds = 300

func rateOf(t store.Tally, scale, house float64) rate {
	r := rate{Tally: t, Small: t.Rounds < leastRounds}
	if t.Rounds > 0 {
		r.Rate = float64(t.Findings) / float64(t.Rounds)
	}
	r.Low, r.High = interval(min(t.Findings, t.Rounds), t.Rounds)
	at := func(v float64) int { return int(200 * min(1, v/scale)) }
	r.X, r.W, r.M = at(r.Low), max(1, at(r.High)-at(r.Low)), at(r.Rate)
	r.Apart = !r.Small && r.Low > house
	r.Property, r.Dealer, _ = strings.Cut(t.Name, "/")
	return r
}

func (x *exchange) since(days int) (time.Time, int) {
	if n, err := strconv.Atoi(x.r.FormValue("days")); err == nil && n > 0 && n <= 366 {
		days = n
	}
	return x.c.Now().AddDate(0, 0, -days), days
}

// figuresFor is how long figures of days are shown before they are asked for again. They are twice that old at most.
const figuresFor = 30 * time.Second

// tallies are those of dealers at a moment.
type tallies struct {
	at  time.Time
	all []store.Tally
}

// dealers is what was found at each dealer's hands in the last days.
func (c *Console) dealers(x *exchange, days int) (tallies, error) {
	ctx, scope := context.WithoutCancel(x.r.Context()), x.scope()
	return cachedFor(&c.slow, fmt.Sprint("dealers ", scope, days), figuresFor, func() (t tallies, err error) {
		t.at = c.Now()
		t.all, err = c.Store.Dealers(ctx, scope, t.at.AddDate(0, 0, -days))
		return t, err
	})
}

func dealersPage(c *Console, x *exchange) error {
	_, days := x.since(30)
	tallies, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	rates, house := ratesOf(tallies.all)
	return x.page("dealers", "Dealers", map[string]any{"At": tallies.at, "Rates": rates, "Days": days, "House": house, "Least": leastRounds, "HouseX": int(200 * min(1, house/scaleOf(rates)))})
}

func ratesOf(tallies []store.Tally) ([]rate, float64) {
	var found, all uint64
	for _, t := range tallies {
		found += t.Findings
		all += t.Rounds
	}
	house := 0.0
	if all > 0 {
		house = float64(found) / float64(all)
	}
	scale := 0.01
	for _, t := range tallies {
		if t.Rounds >= leastRounds {
			_, high := interval(t.Findings, t.Rounds)
			scale = max(scale, high*1.1)
		}
	}
	rates := make([]rate, len(tallies))
	for i, t := range tallies {
		rates[i] = rateOf(t, scale, house)
	}
	slices.SortStableFunc(rates, func(a, b rate) int { // what can be said first, the worst of it at the top
		switch {
		case a.Small != b.Small:
			if a.Small {
				return 1
			}
			return -1
		case a.Small:
			return 0
		}
		return cmp.Compare(b.Low, a.Low)
	})
	return rates, house
}

func scaleOf(rates []rate) float64 {
	scale := 0.01
	for i := range rates {
		if !rates[i].Small {
			scale = max(scale, rates[i].High*1.1)
		}
	}
	return scale
}

func dealerPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	property, dealer := x.r.PathValue("property"), x.r.PathValue("dealer")
	since, days := x.since(30)
	dealers, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	var dealt, all uint64
	for _, t := range dealers.all {
		if of, name, _ := strings.Cut(t.Name, "/"); of == property {
			all += t.Rounds
			if name == dealer {
				dealt = t.Rounds
			}
		}
	}
	tallies, err := c.Store.DealerTallies(ctx, scope, property, dealer, since)
	if err != nil {
		return err
	}
	findings, err := c.Store.Findings(ctx, scope, store.Where{Property: property, Dealer: dealer, Since: since, Limit: 100})
	if err != nil {
		return err
	}
	if dealt == 0 && len(findings) == 0 {
		return errNoPage
	}
	scale := 0.01
	for i := range tallies {
		tallies[i].Rounds = dealt
		_, high := interval(min(tallies[i].Findings, dealt), dealt)
		scale = max(scale, high*1.1)
	}
	rates := make([]rate, len(tallies))
	for i, t := range tallies {
		rates[i] = rateOf(t, scale, 1)
	}
	return x.page("dealer", "Dealer "+dealer, map[string]any{
		"Property": property, "Dealer": dealer, "Rounds": dealt, "All": all, "Days": days, "Rates": rates, "Findings": findings, "Small": dealt < leastRounds, "Least": leastRounds,
	})
}

func patronPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	property, patron := x.r.PathValue("property"), x.r.PathValue("patron")
	var play []store.Patron
	var wagers []store.Wager
	var findings []store.Finding
	var all errgroup.Group
	all.Go(func() (err error) {
		play, err = c.Store.Patron(ctx, scope, property, patron)
		return err
	})
	all.Go(func() (err error) {
		wagers, err = c.Store.PatronWagers(ctx, scope, property, patron)
		return err
	})
	all.Go(func() (err error) {
		findings, err = c.Store.PatronFindings(ctx, scope, property, patron)
		return err
	})
	if err := all.Wait(); err != nil {
		return err
	}
	if len(play) == 0 {
		return errNoPage
	}
	x.log(property, "view-patron", patron, "masked")
	return x.page("patron", "Patron "+short(patron), map[string]any{"Property": property, "Patron": patron, "Play": play, "Wagers": wagers, "Findings": findings})
}

func shelvesPage(c *Console, x *exchange) error {
	shelves, err := c.Store.Shelves(x.r.Context(), x.scope())
	if err != nil {
		return err
	}
	now := c.Now()
	var inForce, past []store.Shelf
	for _, s := range shelves {
		if s.InForce(now) {
			inForce = append(inForce, s)
		} else {
			past = append(past, s)
		}
	}
	properties, err := c.Store.Properties(x.r.Context(), x.scope())
	if err != nil {
		return err
	}
	return x.page("shelves", "Shelves", map[string]any{
		"InForce": inForce, "Past": past, "Properties": properties, "Rule": x.r.FormValue("rule"), "Table": x.r.FormValue("table"), "Property": x.r.FormValue("property"),
	})
}

func shelve(c *Console, x *exchange) error {
	form := x.r.PostForm
	hours, err := strconv.Atoi(form.Get("hours"))
	if err != nil || hours < 1 || hours > int(store.LongestShelf/time.Hour) {
		return badRequest("Shelve for 1 to %d hours.", int(store.LongestShelf/time.Hour))
	}
	now := c.Now().UTC()
	s := store.Shelf{
		PropertyID: form.Get("property"), ID: rand.Text(), Rule: form.Get("rule"), TableID: form.Get("table"), Reason: strings.TrimSpace(form.Get("reason")),
		Actor: x.who.Name, At: now, Until: now.Add(time.Duration(hours) * time.Hour),
	}
	switch {
	case !x.scope().Has(s.PropertyID) || s.PropertyID == "":
		return errForbidden
	case s.Rule == "" || s.Reason == "" || len(s.Reason) > 2000 || len(s.Rule) > 100 || len(s.TableID) > 100:
		return badRequest("A shelf needs a rule and a reason.")
	}
	if err := c.Store.Shelve(x.r.Context(), s); err != nil {
		return err
	}
	x.log(s.PropertyID, "shelve", s.Rule, s.TableID)
	c.changed()
	return x.redirect("/shelves")
}

func lift(c *Console, x *exchange) error {
	shelves, err := c.Store.Shelves(x.r.Context(), x.scope())
	if err != nil {
		return err
	}
	for _, s := range shelves {
		if s.ID == x.r.PostForm.Get("id") && s.InForce(c.Now()) {
			s.LiftedBy = x.who.Name
			if err := c.Store.Shelve(x.r.Context(), s); err != nil {
				return err
			}
			x.log(s.PropertyID, "lift", s.Rule, s.TableID)
			c.changed()
			return x.redirect("/shelves")
		}
	}
	return errNoPage
}

func handoverPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	last, err := c.Store.Handovers(ctx, scope)
	if err != nil {
		return err
	}
	now := c.Now()
	since := now.Add(-8 * time.Hour)
	if len(last) > 0 && last[0].At.After(now.AddDate(0, 0, -2)) {
		since = last[0].At
	}
	day, shift := c.Law.Calendar.Of(now.UnixNano())
	open, err := c.Store.Open(ctx, scope, store.Filter{High: c.High, Limit: 100})
	if err != nil {
		return err
	}
	totals, err := c.Store.Totals(ctx, scope, store.Filter{})
	if err != nil {
		return err
	}
	actions, err := c.Store.ActionsSince(ctx, scope, since, 300)
	if err != nil {
		return err
	}
	shelves, err := c.Store.Shelves(ctx, scope)
	if err != nil {
		return err
	}
	shelves = slices.DeleteFunc(shelves, func(s store.Shelf) bool { return !s.InForce(now) })
	var pending []store.Waiting // touched and not closed
	for _, w := range open {
		if w.State != store.New {
			pending = append(pending, w)
		}
	}
	properties, err := c.Store.Properties(ctx, x.who.Scope(HandOver))
	if err != nil && x.who.May(HandOver) {
		return err
	}
	return x.page("handover", "Hand-over", map[string]any{
		"Last": last, "Since": since, "Day": day, "Shift": shift, "Open": open, "Pending": pending, "Totals": totals, "Actions": actions, "Shelves": shelves, "Properties": properties,
	})
}

func handover(c *Console, x *exchange) error {
	form := x.r.PostForm
	property, note := form.Get("property"), strings.TrimSpace(form.Get("note"))
	switch {
	case property == "" || !x.scope().Has(property):
		return errForbidden
	case note == "" || len(note) > 8000:
		return badRequest("A hand-over needs a note of up to 8000 letters.")
	}
	totals, err := c.Store.Totals(x.r.Context(), store.Scope{Properties: []string{property}}, store.Filter{})
	if err != nil {
		return err
	}
	now := c.Now()
	day, shift := c.Law.Calendar.Of(now.UnixNano())
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return fmt.Errorf("hand over: %w", err)
	}
	err = c.Store.HandOver(x.r.Context(), store.Handover{
		PropertyID: property, At: now.UTC(), GamingDay: date, Shift: shift, Actor: x.who.Name, Note: note,
		Open: uint32(totals.Open), Critical: uint32(totals.Critical), Unowned: uint32(totals.Unowned),
	})
	if err != nil {
		return err
	}
	x.log(property, "hand-over", day, shift)
	return x.redirect("/handover")
}

// bar is ten minutes of the alarm rate.
type bar struct {
	store.Slot
	X, Y, H int
	Flood   bool
}

// figures are those of the rates at a moment.
type figures struct {
	at      time.Time
	slots   []store.Slot
	answers []store.Answer
	noisy   []store.Noise
}

func ratesPage(c *Console, x *exchange) error {
	scope := x.scope()
	const slots = 72 // of ten minutes, half a day
	ctx := context.WithoutCancel(x.r.Context())
	f, err := cachedFor(&c.slow, fmt.Sprint("rates ", scope), figuresFor, func() (figures, error) {
		f := figures{at: c.Now()}
		var ask errgroup.Group
		ask.Go(func() (err error) {
			f.slots, err = c.Store.AlarmRate(ctx, scope, f.at.Add(-slots*10*time.Minute))
			return err
		})
		ask.Go(func() (err error) {
			f.answers, err = c.Store.Answers(ctx, scope, f.at.AddDate(0, 0, -7))
			return err
		})
		ask.Go(func() (err error) {
			f.noisy, err = c.Store.Noisy(ctx, scope, f.at.AddDate(0, 0, -7))
			return err
		})
		err := ask.Wait()
		return f, err
	})
	if err != nil {
		return err
	}
	rows := f.slots
	most, floods, total := uint64(12), 0, uint64(0)
	for _, r := range rows {
		most = max(most, r.Alarms)
		total += r.Alarms
	}
	var bars []bar
	for _, r := range rows {
		i := slots - 1 - int(f.at.Truncate(10*time.Minute).Sub(r.At)/(10*time.Minute))
		b := bar{Slot: r, X: 10 * i, H: max(2, int(120*r.Alarms/most)), Flood: r.Alarms > 10}
		b.Y = 120 - b.H
		if b.Flood {
			floods++
		}
		if i >= 0 {
			bars = append(bars, b)
		}
	}
	return x.page("rates", "Alarm rates", map[string]any{
		"At": f.at, "Bars": bars, "Most": most, "FloodY": 120 - int(120*10/most), "Floods": floods, "Total": total, "PerHour": float64(total) / 12, "Answers": f.answers, "Noisy": f.noisy,
	})
}

// search leads to what a text names, or lists the findings that have it.
func search(c *Console, x *exchange) error {
	q := strings.TrimSpace(x.r.FormValue("q"))
	if len(q) > 200 {
		return badRequest("Search for up to 200 letters.")
	}
	if len(q) == 32 {
		if f, err := c.Store.Finding(x.r.Context(), x.scope(), q); err == nil {
			return x.redirect("/findings/" + url.PathEscape(f.ID))
		}
	}
	tiles, err := c.Store.Floor(x.r.Context(), x.scope(), store.Place{})
	if err != nil {
		return err
	}
	for i := range tiles {
		if strings.EqualFold(tiles[i].TableID, q) {
			return x.redirect("/tables/" + url.PathEscape(tiles[i].PropertyID) + "/" + url.PathEscape(tiles[i].TableID))
		}
	}
	return x.redirect("/queue?q=" + url.QueryEscape(q))
}

func rulesPage(_ *Console, x *exchange) error {
	return x.page("rules", "Rules", map[string]any{"Rules": rules.All()})
}

func logPage(c *Console, x *exchange) error {
	entries, err := c.Store.Entries(x.r.Context(), x.logScope(), x.r.FormValue("actor"), x.r.FormValue("action"))
	if err != nil {
		return err
	}
	return x.page("log", "Console log", map[string]any{"Entries": entries, "Actor": x.r.FormValue("actor"), "Action": x.r.FormValue("action")})
}

// logScope includes what belongs to no property, such as a sign-in.
func (x *exchange) logScope() store.Scope {
	s := x.scope()
	s.Properties = append(slices.Clone(s.Properties), "")
	return s
}

func helpPage(c *Console, x *exchange) error {
	return x.page("help", "Help", map[string]any{"Roles": roles()})
}
