package console

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
)

// hit is a result of a search.
type hit struct {
	Kind, Name, Text, URL string
	Severity, State       string    // of a finding
	At                    time.Time // of a round or a finding
}

// found is the content of the page of a search.
type found struct {
	Query  string
	Hits   []hit
	Notes  []string // the period that was searched, and what was not understood
	Failed bool
}

const maxHits = 20

// searchPage redirects to the one thing that the text names, or lists all things that it names. With list=1, which the
// palette sends, it lists always.
func searchPage(c *Console, x *exchange) error {
	const maxText = 200
	text := strings.TrimSpace(x.r.FormValue("q"))
	if len(text) > maxText {
		return badRequest("The search text is limited to %d characters.", maxText)
	}
	f := &found{Query: text}
	if text == "" {
		return x.page("search", "Search", f)
	}
	q, err := c.inquire(x, text)
	if err == nil {
		err = c.answer(x, q, f)
	}
	var bad requestError
	switch {
	case errors.As(err, &bad):
		f.Failed, f.Notes = true, append(f.Notes, bad.Error())
		if x.r.FormValue("list") != "" {
			return x.page("search", "Search", f) // The text may be half typed, which is no error of the palette's request.
		}
		return x.render(http.StatusBadRequest, "search", "Search", f)
	case err != nil:
		return err
	case len(f.Hits) == 1 && x.r.FormValue("list") == "":
		return x.redirect(f.Hits[0].URL)
	}
	return x.page("search", "Search", f)
}

// answer adds what an inquiry names to a page.
func (c *Console) answer(x *exchange, q *inquiry, f *found) error {
	if q.choice != "" {
		f.Notes = append(f.Notes, fmt.Sprintf("%d tables have the number of %q: choose one", len(q.tables), q.choice))
		for _, name := range q.tables[:min(len(q.tables), maxHits)] {
			text := strings.Replace(q.text, q.choice, name, 1)
			f.Hits = append(f.Hits, hit{Kind: "search", Name: text, URL: "/search?q=" + url.QueryEscape(text)})
		}
		return nil
	}
	if len(q.unknown) > 0 {
		return c.unknown(x, q, f)
	}
	for _, find := range []func(*exchange, *inquiry, *found) error{c.people, c.findingsByID, c.clauseHits, c.roundHits} {
		if err := find(x, q, f); err != nil {
			return err
		}
	}
	if q.rule != "" {
		f.Hits = append(f.Hits, hit{
			Kind: "rule", Name: q.rule, Text: docOf(q.rule), URL: "/queue?rule=" + url.QueryEscape(q.rule),
		})
	}
	if !q.aboutRounds() && q.clauses == nil && q.rule == "" {
		f.Hits = append(f.Hits, q.places()...)
	}
	if len(f.Hits) == 0 {
		return badRequest("Nothing within your properties matches %q.", q.text)
	}
	f.Hits = f.Hits[:min(len(f.Hits), 2*maxHits)]
	return nil
}

// places are the tables of an inquiry, or the floor of its property.
func (q *inquiry) places() (all []hit) {
	switch {
	case q.table != nil:
		for _, property := range q.at {
			text := property
			if q.table.PitID != "" && len(q.at) == 1 {
				text = "pit " + q.table.PitID + ", " + property
			}
			all = append(all, hit{
				Kind: "table", Name: q.table.TableID, Text: text, URL: pathOf("tables", property, q.table.TableID),
			})
		}
	case q.property != "" && q.dealer == "":
		all = append(all, hit{
			Kind: "property", Name: q.property, Text: "its floor", URL: "/floor?property=" + url.QueryEscape(q.property),
		})
	}
	return all
}

// unknown finds the text in the open findings, or reports the words that name nothing.
func (c *Console) unknown(x *exchange, q *inquiry, f *found) error {
	totals, err := c.Store.Totals(x.r.Context(), x.scope(), store.Filter{Text: q.text, High: c.High})
	if err != nil {
		return err
	}
	if totals.Open == 0 {
		return badRequest("No table, dealer, rule, clause, finding, time or day is %q, and no open finding has the text.",
			strings.Join(q.unknown, " "))
	}
	f.Hits = append(f.Hits, hit{
		Kind: "text", Name: q.text, Text: schema.Count(totals.Open, "open finding") + " with this text",
		URL: "/queue?q=" + url.QueryEscape(q.text),
	})
	return nil
}

// people adds the pages of a dealer and of a patron.
func (c *Console) people(x *exchange, q *inquiry, f *found) error {
	if q.dealer != "" && !q.aboutRounds() {
		for _, property := range q.dealtAt {
			f.Hits = append(
				f.Hits, hit{Kind: "dealer", Name: q.dealer, Text: property, URL: pathOf("dealers", property, q.dealer)},
			)
		}
	}
	for _, patron := range q.patrons {
		at, err := c.Store.PlayOf(x.r.Context(), x.scope(), patron)
		if err != nil {
			return err
		}
		for _, property := range at {
			f.Hits = append(f.Hits, hit{
				Kind: "patron", Name: short(patron), Text: property + ", masked", URL: pathOf("patrons", property, patron),
			})
		}
	}
	return nil
}

func (c *Console) findingsByID(x *exchange, q *inquiry, f *found) error {
	if q.finding == "" {
		return nil
	}
	ids, err := c.Store.Abbreviated(x.r.Context(), x.scope(), q.finding)
	if len(ids) == 0 && err == nil {
		ids = []string{q.finding}
	}
	for _, id := range ids {
		one, missing := c.Store.Finding(x.r.Context(), x.scope(), id)
		if errors.Is(missing, store.ErrNotFound) {
			continue
		}
		if err = cmp.Or(err, missing); err != nil {
			return err
		}
		f.Hits = append(f.Hits, findingHit(x, &one))
	}
	return err
}

func findingHit(x *exchange, f *store.Finding) hit {
	text := f.TableID
	if f.Round > 0 {
		text += fmt.Sprintf(" round %d", f.Round)
	}
	if x.several() {
		text += " · " + f.PropertyID
	}
	return hit{
		Kind: "finding", Name: headline(f.Rule, f.Kind, f.Seat, f.Expected, f.Observed), Text: text + " · " + f.Rule,
		URL: "/findings/" + f.ID, Severity: f.Severity, State: f.State, At: f.At,
	}
}

// clauseHits adds the rules that a clause has, and the findings that cite it.
func (c *Console) clauseHits(x *exchange, q *inquiry, f *found) error {
	if len(q.clauses) == 0 {
		return nil
	}
	rulesOf := map[string]string{}
	for _, cited := range q.clauses {
		for _, rule := range c.citations(x.r.Context())[cited] {
			rulesOf[rule] = cited
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(rulesOf)) {
		f.Hits = append(f.Hits, hit{
			Kind: "rule", Name: rule, Text: rulesOf[rule] + " · " + docOf(rule),
			URL: "/queue?rule=" + url.QueryEscape(rule),
		})
	}
	f.Hits = f.Hits[:min(len(f.Hits), maxHits)]
	p := c.periodOf(q, 7)
	fq := store.FindingQuery{Since: p.since, Until: p.until, Limit: maxHits}
	if q.table != nil {
		fq.Table = q.table.TableID
	}
	if len(q.at) == 1 {
		fq.Property = q.at[0]
	}
	cited, err := c.Store.Citing(x.r.Context(), x.scope(), q.clauses, fq)
	for i := range cited {
		f.Hits = append(f.Hits, findingHit(x, &cited[i]))
	}
	f.Notes = append(f.Notes, "findings that cite the clause, closed ones too, "+c.periodText(p))
	return err
}

// daysOfTime is the number of days on which a time of day without a day is looked for.
const daysOfTime = 3

// tries is the number of periods that are searched until one has rounds: a time of day without a day is looked for on
// three days, and a time in words in each half of a day.
func (q *inquiry) tries() int {
	n := 1
	if q.minute >= 0 && q.day.IsZero() {
		n = daysOfTime
	}
	if q.half {
		n *= 2
	}
	return n
}

// earlier is the period that is searched after p.
func (q *inquiry) earlier(p span) span {
	if q.half {
		const half = -12 * time.Hour
		return span{p.since.Add(half), p.until.Add(half), p.near.Add(half)}
	}
	return span{p.since.AddDate(0, 0, -1), p.until.AddDate(0, 0, -1), p.near.AddDate(0, 0, -1)}
}

// roundHits adds the rounds that an inquiry describes.
func (c *Console) roundHits(x *exchange, q *inquiry, f *found) error {
	if !q.aboutRounds() {
		return nil
	}
	days := 1
	rq := store.RoundQuery{
		Dealer: q.dealer, Round: q.round, Seat: q.seat, MinStake: q.min, MaxStake: q.max, Limit: maxHits,
		Brief: true,
	}
	if q.table != nil {
		days, rq.Table = 2, q.table.TableID
	}
	scope := x.scope()
	if len(q.at) == 1 {
		rq.Property = q.at[0]
	} else if len(q.at) > 1 {
		scope = store.Scope{Properties: q.at}
	}
	p := c.periodOf(q, days)
	latest := p
	var rounds []store.Round
	for try := range q.tries() {
		if len(rounds) > 0 {
			break
		}
		if try > 0 {
			p = q.earlier(p)
		}
		rq.Since, rq.Until, rq.Near = p.since, p.until, p.near
		var err error
		if rounds, err = c.Store.FindRounds(x.r.Context(), scope, rq); err != nil {
			return err
		}
	}
	several := x.several()
	for i := range rounds {
		r := &rounds[i]
		text := fmt.Sprintf("%s %d–%d · shoe %s", words(r.Result), r.PlayerCount, r.BankerCount, r.ShoeID)
		if r.DealerID != "" {
			text += " · dealer " + r.DealerID
		}
		if several {
			text += " · " + r.PropertyID
		}
		f.Hits = append(f.Hits, hit{
			Kind: "round", Name: fmt.Sprintf("%s round %d", r.TableID, r.Round), Text: text, URL: roundURL(r), At: r.At,
		})
	}
	note := "rounds " + c.periodText(p)
	if len(rounds) == 0 && q.minute >= 0 && q.day.IsZero() {
		note = fmt.Sprintf("rounds within 15 minutes of the time, on each of the %d days %s", daysOfTime,
			c.periodText(span{since: p.since, until: latest.until}))
	}
	f.Notes = append(f.Notes, note)
	return nil
}
