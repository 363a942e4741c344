package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
)

// night is a table over a gaming day.
type night struct {
	At                  store.Location
	Day, Previous, Next string
	Today               bool
	Takings             *takings
	Timeline            *timeline
	Findings            []store.Finding
	Stints              []store.Stint
	cuts
}

// cuts are the events that cut the shoes of a night. None reports that they could not be read.
type cuts struct {
	Cuts []store.Event
	None bool
}

// timeline draws the shoes of a day with their dealers and findings.
type timeline struct {
	Shoes, Dealers []stripe
	Marks, Cuts    []mark
	Hours          []timeTick
}

// stripe is a period of the timeline.
type stripe struct {
	X, W             float64
	Name, URL, Title string
	Gap              bool // it has rounds without their configuration or all events
}

// mark is a finding or a cut on the timeline.
type mark struct {
	X               float64
	URL, Text, Sort string
}

// The frame of a timeline of 600 units, in which the hour of its end is whole.
const timelineLeft, timelineRight, maxMarks = 60.0, 576.0, 200

// gamingDay returns the gaming day that a request selects, with the days beside it.
func (x *exchange) gamingDay() (day, previous, next string, err error) {
	today, _ := x.c.Law.Calendar.Of(x.c.Now().UnixNano())
	day = cmp.Or(x.r.URL.Query().Get("day"), today)
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return "", "", "", badRequest("day %q: want a gaming day such as 2026-11-19", day)
	}
	if day < today {
		next = date.AddDate(0, 0, 1).Format(time.DateOnly)
	}
	return day, date.AddDate(0, 0, -1).Format(time.DateOnly), next, nil
}

// bounds are the first moment of a gaming day and the first moment after it.
func (c *Console) bounds(day string) (since, until time.Time, err error) {
	from, to, err := c.Law.Calendar.Bounds(day, "")
	return time.Unix(0, from), time.Unix(0, to), err
}

// night reads a table over the gaming day that a request selects.
func (c *Console) night(x *exchange, at store.Location) (*night, error) {
	n := &night{At: store.Location{Property: at.Property, Table: at.Table}}
	var err error
	if n.Day, n.Previous, n.Next, err = x.gamingDay(); err != nil {
		return nil, err
	}
	n.Today = n.Next == ""
	since, until, err := c.bounds(n.Day)
	if err != nil {
		return nil, err
	}
	ctx, scope := x.r.Context(), x.scope()
	q := store.TakingQuery{Property: at.Property, Table: at.Table, Since: since, Until: until}
	var all errgroup.Group
	fetch(&all, &n.Takings, func() (*takings, error) { return c.takings(x, q) })
	fetch(&all, &n.Stints, func() ([]store.Stint, error) { return c.Store.Stints(ctx, scope, n.At, since, until) })
	fetch(&all, &n.Findings, func() ([]store.Finding, error) {
		return c.Store.Findings(ctx, scope, store.FindingQuery{
			Property: at.Property, Table: at.Table, Since: since, Until: until, Limit: maxMarks,
		})
	})
	if err := all.Wait(); err != nil {
		return nil, err
	}
	n.cuts = c.cuts(x, n)
	n.Timeline = c.timeline(n)
	return n, nil
}

// cuts reads the cuts of the shoes of a night from the archive, at most once a minute. The page is shown without them.
func (c *Console) cuts(x *exchange, n *night) cuts {
	const opening = 1000 // more events than there are between the cut of a shoe and its first round
	if len(n.Stints) == 0 {
		return cuts{}
	}
	scope := x.scope()
	key := fmt.Sprintf("cuts %#v %#v %s", scope, n.At, n.Day)
	of, err := cached(x.r.Context(), &c.figures, key, figuresTTL, func(ctx context.Context) (cuts, error) {
		r := store.EventRange{First: math.MaxInt64, Kind: schema.KindShoeCut.String()}
		for i := range n.Stints {
			r.First, r.Last = min(r.First, n.Stints[i].FirstSeq), max(r.Last, n.Stints[i].LastSeq)
		}
		r.First -= min(r.First, opening)
		events, err := c.Store.Events(ctx, scope, n.At, r)
		if errors.Is(err, store.ErrNoArchive) {
			return cuts{None: true}, nil
		}
		return cuts{Cuts: events}, err
	})
	if err != nil {
		c.Log.Warn("a table is shown without the cuts of its shoes", "table", n.At.Table, "error", err)
		of.None = true
	}
	return of
}

// cutShoes puts the cuts of the shoes on the timeline.
func (t *timeline) cutShoes(n *night, shoes map[string]*store.Stint, x func(time.Time) float64, c *Console) {
	for i := range n.Cuts {
		e := &n.Cuts[i]
		if shoes[e.ShoeID] == nil {
			continue
		}
		at := e.At.In(c.Law.Calendar.Zone).Format("15:04:05")
		t.Cuts = append(t.Cuts, mark{
			X: x(e.At), URL: pathOf("shoes", n.At.Property, n.At.Table, e.ShoeID),
			Text: fmt.Sprintf("Shoe %s, %s, %s", e.ShoeID, at, cutText(e)),
		})
	}
}

// cutText describes the cut of a shoe.
func cutText(e *store.Event) string {
	ev, err := e.Decode(schema.NewDecoder())
	p, ok := ev.Payload.(*schema.ShoeCut)
	if err != nil || !ok {
		return "cut"
	}
	by := words(p.ByRole.String())
	if p.Seat > 0 {
		by = fmt.Sprintf("seat %d", p.Seat)
	}
	return fmt.Sprintf("cut by %s, %d of %d cards from the front", by, p.DepthFromFront, p.StackSize)
}

func (c *Console) timeline(n *night) *timeline {
	if len(n.Stints) == 0 {
		return nil
	}
	first, last := n.Stints[0].First, n.Stints[0].Last
	for i := range n.Stints {
		if s := &n.Stints[i]; s.Last.After(last) {
			last = s.Last
		}
	}
	length := max(float64(last.Sub(first)), float64(time.Minute))
	x := func(t time.Time) float64 {
		share := min(max(float64(t.Sub(first))/length, 0), 1)
		return math.Round(10*(timelineLeft+(timelineRight-timelineLeft)*share)) / 10
	}
	t := &timeline{}
	var shoes []*store.Stint
	byShoe := map[string]*store.Stint{}
	for i := range n.Stints {
		s := &n.Stints[i]
		if s.Dealer != "" {
			t.Dealers = append(t.Dealers, stripe{
				X: x(s.First), W: max(3, x(s.Last)-x(s.First)), Name: s.Dealer,
				URL:   pathOf("dealers", n.At.Property, s.Dealer),
				Title: fmt.Sprintf("Dealer %s: %s, %s", s.Dealer, count(s.Rounds, "round"), c.hours(s.First, s.Last)),
			})
		}
		shoe := byShoe[s.Shoe]
		if shoe == nil {
			shoe = &store.Stint{Shoe: s.Shoe, First: s.First}
			byShoe[s.Shoe], shoes = shoe, append(shoes, shoe)
		}
		shoe.Rounds += s.Rounds
		shoe.Gaps += s.Gaps
		if s.Last.After(shoe.Last) {
			shoe.Last = s.Last
		}
	}
	for _, s := range shoes {
		title := fmt.Sprintf("Shoe %s: %s, %s", s.Shoe, count(s.Rounds, "round"), c.hours(s.First, s.Last))
		if s.Gaps > 0 {
			title += fmt.Sprintf(", %d incomplete", s.Gaps)
		}
		t.Shoes = append(t.Shoes, stripe{
			X: x(s.First), W: max(3, x(s.Last)-x(s.First)), Name: s.Shoe, Gap: s.Gaps > 0, Title: title,
			URL: pathOf("shoes", n.At.Property, n.At.Table, s.Shoe),
		})
	}
	t.cutShoes(n, byShoe, x, c)
	t.marks(n.Findings, x, c)
	for at := first.Truncate(time.Hour); !at.After(last); at = at.Add(time.Duration(math.Ceil(length/
		float64(8*time.Hour))) * time.Hour) {
		if !at.Before(first) {
			t.Hours = append(t.Hours, timeTick{X: x(at), Text: at.In(c.Law.Calendar.Zone).Format("15:04")})
		}
	}
	if len(t.Hours) == 0 { // within an hour
		for _, at := range []time.Time{first, last} {
			t.Hours = append(t.Hours, timeTick{X: x(at), Text: at.In(c.Law.Calendar.Zone).Format("15:04")})
		}
	}
	return t
}

// marks puts findings on the timeline, the most severe of each place on top.
func (t *timeline) marks(findings []store.Finding, x func(time.Time) float64, c *Console) {
	for _, want := range []string{"info", "minor", "major", "critical"} {
		for i := range findings {
			if f := &findings[i]; severity(f.Severity) == want {
				t.Marks = append(t.Marks, mark{
					x(f.At), "/findings/" + f.ID, f.At.In(c.Law.Calendar.Zone).Format("15:04:05") + ", " +
						headline(f.Rule, f.Kind, f.Seat, f.Expected, f.Observed), want,
				})
			}
		}
	}
}

// hours writes a period of a day.
func (c *Console) hours(first, last time.Time) string {
	zone := c.Law.Calendar.Zone
	return first.In(zone).Format("15:04") + "–" + last.In(zone).Format("15:04")
}
