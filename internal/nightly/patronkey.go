package nightly

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// ErrPatronKey means that the engine has another patron key than ingest had.
var ErrPatronKey = errors.New("patron_key_file: want the key of ingest")

const (
	// sampledWagers is the number of stored wagers of a day that are compared at most.
	sampledWagers = 32
	// firstTables is the number of tables whose wagers are compared first: one wager that agrees is enough.
	firstTables = 2
	// minOfOneShoe is the number of wagers that must differ before the key counts as the cause, if all are of one shoe.
	minOfOneShoe = 5
)

// CheckPatronKey returns ErrPatronKey if the stored wagers of a gaming day have pseudonyms of another key than that of
// the engine. Wagers without a patron in the archive cannot be compared.
func CheckPatronKey(ctx context.Context, db *clickhouse.Store, of *engine.Options, property, day string) error {
	from, until, err := of.Calendar.Bounds(day, "")
	if err != nil {
		return err
	}
	r := &run{Options: Options{Property: property, Engine: *of}, store: db}
	return r.checkPatronKey(ctx, window{day, from, until}, nil)
}

// checkPatronKeys checks the key of each day. Tables are of the days; without events there is nothing to compare.
func (r *run) checkPatronKeys(ctx context.Context, tables []clickhouse.ArchivedTable) error {
	if len(tables) == 0 {
		return nil
	}
	busiest := slices.SortedStableFunc(slices.Values(tables), func(a, b clickhouse.ArchivedTable) int {
		return cmp.Compare(b.Events, a.Events)
	})
	var first []string
	for i := range busiest[:min(firstTables, len(busiest))] {
		first = append(first, busiest[i].Table)
	}
	var group errgroup.Group // the checks only read, and wait for the database
	group.SetLimit(runtime.GOMAXPROCS(0))
	failed := make([]error, len(r.windows))
	for i, w := range r.windows {
		group.Go(func() error {
			failed[i] = r.checkPatronKey(ctx, w, first)
			return nil
		})
	}
	_ = group.Wait()
	return cmp.Or(failed...) // of the first day
}

// checkPatronKey compares stored wagers with the archive: of some tables first, and of all tables if none agrees. The
// key is the cause only if every wager differs: a row that someone changed is a difference that the run reports.
func (r *run) checkPatronKey(ctx context.Context, w window, first []string) error {
	c, err := r.comparePatrons(ctx, w, first)
	if err == nil && !c.agrees && len(first) > 0 {
		c, err = r.comparePatrons(ctx, w, nil)
	}
	if err != nil || c.agrees || len(c.shoes) == 0 || len(c.shoes) == 1 && c.differ < minOfOneShoe {
		return err
	}
	return fmt.Errorf("%w, has key %s: property %s, gaming day %s: the pseudonyms of all %d stored wagers that were "+
		"compared, of %s, differ from those that this key gives. Set the file of ingest, with all its keys; "+
		"pseudonym_key in the manifest of an export is the id of the key of its day. If it is the file of ingest, the "+
		"stored pseudonyms were changed", ErrPatronKey, r.Engine.PatronKeyID(w.day), r.Property, w.day, c.differ,
		schema.Count(len(c.shoes), "shoe"))
}

// keyCheck is how stored pseudonyms compare with those of the key. Differ is the number of wagers, of the shoes,
// that differ if none agrees.
type keyCheck struct {
	agrees bool
	differ int
	shoes  map[tableShoe]bool
}

type tableShoe struct{ table, shoe string }

// comparePatrons compares a sample of the wagers of tables. It reads who took the seats only if no wager agrees whose
// own event names the patron.
func (r *run) comparePatrons(ctx context.Context, w window, tables []string) (c keyCheck, err error) {
	wagers, err := r.store.NamedWagers(ctx, &clickhouse.WagerSample{
		Property: r.Property, Tables: tables, From: w.from, Until: w.until, Limit: sampledWagers,
	})
	if err != nil || len(wagers) == 0 {
		return c, err
	}
	events, err := r.store.Placements(ctx, r.Property, w.from, w.until, wagers)
	if err != nil {
		return c, err
	}
	if c = r.compared(w, wagers, events); c.agrees {
		return c, nil
	}
	tables = nil
	for i := range wagers {
		tables = append(tables, wagers[i].Table)
	}
	seats, err := r.store.Occupations(ctx, r.Property, w.from-beside, w.until, tables)
	return r.compared(w, wagers, slices.Concat(seats, events)), err
}

// compared compares wagers with the patrons that events name.
func (r *run) compared(w window, wagers []clickhouse.NamedWager, events []schema.Event) keyCheck {
	c, named := keyCheck{shoes: map[tableShoe]bool{}}, patronsOf(events)
	for i := range wagers {
		have := &wagers[i]
		switch ref := named[placing{have.Table, have.ID, have.Placed}]; {
		case ref == "":
			continue
		case have.Patron == r.Engine.Mask(ref, w.day):
			c.agrees = true
		default:
			c.differ++
			c.shoes[tableShoe{have.Table, have.Shoe}] = true
		}
	}
	return c
}

// placing is the event that placed a wager.
type placing struct {
	table, wager string
	seq          uint64
}

// patronsOf returns the references of the patrons of wagers: that of the event which placed the wager, or else of the
// patron at the seat.
func patronsOf(events []schema.Event) map[placing]string {
	type seat struct {
		table string
		no    uint32
	}
	seated, named := map[seat]string{}, map[placing]string{}
	slices.SortStableFunc(events, func(a, b schema.Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq))
	})
	for i := range events {
		ev := &events[i]
		switch p := ev.Payload.(type) {
		case *schema.SeatOccupied:
			seated[seat{ev.TableID, p.Seat}] = p.PatronRef
		case *schema.WagerPlaced:
			named[placing{ev.TableID, p.WagerID, ev.Seq}] = cmp.Or(p.PatronRef, seated[seat{ev.TableID, p.Seat}])
		case *schema.BankerWagered:
			named[placing{ev.TableID, p.WagerID, ev.Seq}] = cmp.Or(p.PatronRef, seated[seat{ev.TableID, p.Seat}])
		default: // of no wager
		}
	}
	return named
}
