package console

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
)

// evidence is the content of the page of a finding.
type evidence struct {
	Finding store.Finding
	Doc     string
	Actions []store.Action
	// Round is the round of the finding and Deal its cards; nil for a finding about a shoe or a table.
	Round        *store.Round
	Deal         *deal
	Seats        []seat
	Events       []shownEvent
	Video        *video
	Dispositions []string
	Curve        *curve
	// NoEvents is the reason why there are no events.
	NoEvents string

	archived  []decodedEvent
	noArchive bool // no access to the archive
}

func findingPage(c *Console, x *exchange) error {
	ev, err := c.evidence(x, x.r.PathValue("id"))
	if err != nil {
		return err
	}
	return x.page("finding", ev.Finding.Rule, ev)
}

func (c *Console) evidence(x *exchange, id string) (*evidence, error) {
	ctx, scope := x.r.Context(), x.scope()
	f, err := c.Store.Finding(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	ev := &evidence{Finding: f, Doc: docOf(f.Rule), Dispositions: store.Dispositions()}
	at := store.Location{Property: f.PropertyID, Table: f.TableID, Shoe: f.ShoeID, Round: f.Round}
	var wagers []store.Wager
	var ledger []store.Vigorish
	var all errgroup.Group
	fetch(&all, &ev.Actions, func() ([]store.Action, error) { return c.Store.Actions(ctx, scope, id) })
	if f.Round > 0 {
		fetch(&all, &wagers, func() ([]store.Wager, error) { return c.Store.Wagers(ctx, scope, at) })
		fetch(&all, &ledger, func() ([]store.Vigorish, error) { return c.Store.Ledger(ctx, scope, at) })
	}
	fetch(&all, &ev.archived, func() ([]decodedEvent, error) { return c.roundAndEvents(x, ev, at) })
	if err := all.Wait(); err != nil {
		return nil, err
	}
	ev.Seats = seats(wagers, ledger, &f)
	if len(ev.archived) == 0 && ev.NoEvents == "" {
		ev.NoEvents = "The archive does not have the events that this finding cites."
	}
	if ev.Round != nil {
		ev.Deal = c.dealOf(ev.archived, ev.Round)
	}
	ev.Events = c.show(ev.archived, f.TableID)
	ev.Video = c.video(&f, ev.archived)
	if f.Kind == "anomaly" {
		if ev.Curve, err = c.curve(x, &f); err != nil {
			return nil, err
		}
	}
	return ev, nil
}

// citedBy are the first 1,000 events that a finding cites, without a range: First is after Last.
func citedBy(f *store.Finding) store.EventRange {
	return store.EventRange{First: 1, Also: f.Seqs[:min(len(f.Seqs), 1000)]}
}

// roundAndEvents reads the round of a finding, then the events of the round and the cited events.
func (c *Console) roundAndEvents(x *exchange, ev *evidence, at store.Location) ([]decodedEvent, error) {
	const maxEvents = 500
	ctx, scope, f := x.r.Context(), x.scope(), &ev.Finding
	r := citedBy(f)
	if f.Round > 0 {
		rounds, err := c.Store.Rounds(ctx, scope, at)
		if err != nil {
			return nil, err
		}
		if len(rounds) > 0 {
			ev.Round = &rounds[0]
			r.First, r.Last = ev.Round.FirstSeq, min(ev.Round.EndSeq, ev.Round.FirstSeq+maxEvents)
		}
	}
	events, err := c.Store.Events(ctx, scope, at, r)
	if errors.Is(err, store.ErrNoArchive) {
		ev.noArchive = true
		ev.NoEvents = "This console has no access to the archive: " +
			"its second user, console.archive.user, is not set or lacks the role archive."
		return nil, nil
	}
	return decode(events, f), err
}

// rawPage shows events as received, patrons included. Each view is logged before it is shown.
func rawPage(c *Console, x *exchange) error {
	id := x.r.PathValue("id")
	f, err := c.Store.Finding(x.r.Context(), x.scope(), id)
	if err != nil {
		return err
	}
	if err := x.mustLog(f.PropertyID, "unmask", id, "events as received"); err != nil {
		return err
	}
	ev, err := c.evidence(x, id)
	if err != nil {
		return err
	}
	if ev.noArchive {
		return store.ErrNoArchive
	}
	for i := range ev.archived {
		e := &ev.archived[i]
		if e.Err == nil {
			ev.Events[i].Raw = string(schema.AppendJSON(nil, &e.Body))
		} else {
			ev.Events[i].Raw = strconv.QuoteToASCII(e.Raw[:min(len(e.Raw), 2000)])
		}
	}
	return x.page("raw", "Events as received", map[string]any{"Finding": f, "Events": ev.Events})
}

// curve is the growth of the evidence of a suspicion over time.
type curve struct {
	Factors []store.Factor
	Line    string // points of a polyline in a frame of 600 by 120
	Last    float64
	High    float64
}

func (c *Console) curve(x *exchange, f *store.Finding) (*curve, error) {
	factors, err := c.Store.Factors(x.r.Context(), x.scope(), f.Rule, f.Subject, f.At)
	if err != nil || len(factors) == 0 {
		return nil, err
	}
	s := &curve{Factors: factors}
	sums, low := make([]float64, len(factors)), 0.0
	for i := range factors {
		s.Last += factors[i].LnE
		sums[i] = s.Last
		s.High, low = math.Max(s.High, s.Last), math.Min(low, s.Last)
	}
	spread := math.Max(1, s.High-low)
	var line strings.Builder
	for i, v := range sums {
		x := 600 * float64(i) / math.Max(1, float64(len(sums)-1))
		fmt.Fprintf(&line, "%.1f,%.1f ", x, 115-110*(v-low)/spread)
	}
	s.Line = line.String()
	return s, nil
}
