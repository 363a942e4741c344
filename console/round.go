package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
)

// played is a round with all that is recorded of it. Round is nil, and Seats are empty, for the events of a shoe or a
// table.
type played struct {
	Round    *store.Round
	Currency string
	Deal     *deal
	Seats    []seat
	Events   []shownEvent
	// NoEvents is the reason why there are no events.
	NoEvents string

	archived  []decodedEvent
	noArchive bool // no access to the archive
}

// Settlement is what is known of the payments of the round.
func (p *played) Settlement() store.Settlement {
	s := store.Settlement{Determined: true}
	for i := range p.Seats {
		for j := range p.Seats[i].Wagers {
			w := &p.Seats[i].Wagers[j]
			s.Determined = s.Determined && w.AmountDetermined()
			s.Mispaid = s.Mispaid || w.Mispaid()
		}
	}
	return s
}

// played reads the round at a location unless it is known, and the events of the round and those that a finding cites.
func (c *Console) played(x *exchange, at store.Location, f *store.Finding, known *store.Round) (*played, error) {
	ctx, scope := x.r.Context(), x.scope()
	p := &played{Currency: f.Currency, Round: known}
	var wagers []store.Wager
	var ledger []store.Vigorish
	var all errgroup.Group
	if at.Round > 0 {
		fetch(&all, &wagers, func() ([]store.Wager, error) { return c.Store.Wagers(ctx, scope, at) })
		fetch(&all, &ledger, func() ([]store.Vigorish, error) { return c.Store.Ledger(ctx, scope, at) })
	}
	if p.Currency == "" {
		fetch(&all, &p.Currency, func() (string, error) { return c.currency(x, at) })
	}
	fetch(&all, &p.archived, func() ([]decodedEvent, error) { return c.roundAndEvents(x, p, at, f) })
	if err := all.Wait(); err != nil {
		return nil, err
	}
	p.Seats = seats(wagers, ledger, f)
	if p.Round != nil {
		p.Deal = c.dealOf(p.archived, p.Round, p.Currency)
	}
	p.Events = c.show(p.archived, at.Table)
	return p, nil
}

// roundAndEvents reads the round, then the events of the round and the cited events.
func (c *Console) roundAndEvents(
	x *exchange, p *played, at store.Location, f *store.Finding,
) ([]decodedEvent, error) {
	const maxEvents = 500
	ctx, scope := x.r.Context(), x.scope()
	r := citedBy(f)
	if at.Round > 0 && p.Round == nil {
		rounds, err := c.Store.Rounds(ctx, scope, at)
		if err != nil {
			return nil, err
		}
		if len(rounds) > 0 {
			p.Round = &rounds[0]
		}
	}
	if p.Round != nil {
		r.First, r.Last = p.Round.FirstSeq, min(p.Round.EndSeq, p.Round.FirstSeq+maxEvents)
	}
	events, err := c.Store.Events(ctx, scope, at, r)
	if errors.Is(err, store.ErrNoArchive) {
		p.noArchive = true
		p.NoEvents = "This console has no access to the archive: " +
			"its second user, console.archive.user, is not set or lacks the role archive."
		return nil, nil
	}
	return decode(events, f), err
}

// roundView is the page of a round.
type roundView struct {
	*played
	At             store.Location
	Findings       []store.Finding
	Previous, Next string // URLs, empty at the ends of the shoe
	Clip           clip   // from the first event of the round
}

func roundPage(c *Console, x *exchange) error {
	v, err := c.sharedRound(x)
	if err != nil {
		return err
	}
	return x.page("round", fmt.Sprintf("Round %d, shoe %s", v.At.Round, v.At.Shoe), v)
}

// sharedRound is the round that the path names. It must not be changed.
func (c *Console) sharedRound(x *exchange) (*roundView, error) {
	x, done := x.detached()
	defer done()
	key := fmt.Sprintf("round %#v %#v %q", x.scope(), x.location(), x.r.PathValue("round"))
	return cached(x.r.Context(), &c.volatile, key, evidenceTTL, func(context.Context) (*roundView, error) {
		return c.round(x)
	})
}

// round reads the round that the path names. A round has a row when it is settled.
func (c *Console) round(x *exchange) (*roundView, error) {
	ctx, scope, at := x.r.Context(), x.scope(), x.location()
	n, err := strconv.ParseUint(x.r.PathValue("round"), 10, 32)
	if err != nil || n == 0 {
		return nil, errNoPage
	}
	v := &roundView{At: at}
	v.At.Round = uint32(n)
	shoe, err := c.Store.Rounds(ctx, scope, at)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(shoe, func(r store.Round) bool { return r.Round == v.At.Round })
	if i < 0 {
		return nil, errNoPage
	}
	if i > 0 {
		v.Previous = roundURL(&shoe[i-1])
	}
	if i+1 < len(shoe) {
		v.Next = roundURL(&shoe[i+1])
	}
	if v.Findings, err = c.Store.Findings(ctx, scope, store.FindingQuery{
		Property: at.Property, Table: at.Table, Shoe: at.Shoe, Round: v.At.Round, Limit: 200,
		Since: shoe[i].At.Add(-store.ShoeLasts), Until: shoe[i].At.Add(store.ShoeLasts),
	}); err != nil {
		return nil, err
	}
	var cited store.Finding // by any finding of the round
	for i := range v.Findings {
		cited.Seqs = append(cited.Seqs, v.Findings[i].Seqs...)
	}
	var all errgroup.Group
	all.Go(func() error { return c.Store.States(ctx, scope, v.Findings) })
	fetch(&all, &v.played, func() (*played, error) { return c.played(x, v.At, &cited, &shoe[i]) })
	if err := all.Wait(); err != nil {
		return nil, err
	}
	if len(v.archived) == 0 && v.NoEvents == "" {
		v.NoEvents = "The archive does not have the events of this round."
	}
	camera := cameraOf(v.archived)
	v.Clip = clip{Camera: camera, At: v.Round.At}
	if len(v.archived) > 0 {
		v.Clip = c.clipOf(&v.archived[0], camera, at.Table)
	} else {
		v.Clip.URL = c.videoURL(at.Table, v.Round.At)
	}
	return v, nil
}

func roundURL(r *store.Round) string { return roundPath(r.PropertyID, r.TableID, r.ShoeID, r.Round) }

func roundPath(property, table, shoe string, round uint32) string {
	return pathOf("rounds", property, table, shoe, strconv.FormatUint(uint64(round), 10))
}

// rawRoundPage shows the events of a round as received, patrons included. Each view is logged before it is shown.
func rawRoundPage(c *Console, x *exchange) error {
	v, err := c.round(x)
	if err != nil {
		return err
	}
	here := roundURL(v.Round)
	if err := x.mustLog(v.At.Property, unmasked, here, "events as received"); err != nil {
		return err
	}
	return v.raw(x, here)
}

func apiRound(c *Console, x *exchange) error {
	v, err := c.sharedRound(x)
	if err != nil {
		return err
	}
	wagers, vigorish := []any{}, []any{}
	for i := range v.Seats {
		for j := range v.Seats[i].Wagers {
			w := &v.Seats[i].Wagers[j]
			wagers = append(wagers, plain(w.Wager))
			if w.Vigorish != nil {
				vigorish = append(vigorish, plain(*w.Vigorish))
			}
		}
	}
	return x.json(map[string]any{
		"round": plain(v.Round), "currency": v.Currency, "wagers": wagers, "vigorish": vigorish,
		"findings": plain(v.Findings), "events": eventRows(v.Events), "video": v.Clip.position(),
	})
}
