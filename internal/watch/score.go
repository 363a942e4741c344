package watch

import (
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// turn is an item as the detectors take it.
type turn struct {
	*item
	detectors detectors.Stored
	// late reports a table whose feed catches up. Hour is that in which the item is the first one, else 0.
	late bool
	hour int64
	// rounds are the settled round, or the rounds of the closed shoe; under are their terms.
	rounds []detectors.Round
	under  []*terms
	// begin and end are the closed shoe.
	begin, end detectors.Shoe
}

// turnsAtOnce is the number of turns that one part of the detectors leaves to the next.
const turnsAtOnce = 64

// score scores items in order. The second part of the detectors scores items while the first one scores what follows.
// If an item fails, both have scored those before it.
func (w *watcher) score(items []item) error {
	left := make(chan []turn, 1)
	var group errgroup.Group
	group.Go(func() error {
		defer close(left)
		after := w.after
		for some := range slices.Chunk(items, turnsAtOnce) {
			turns := make([]turn, 0, len(some))
			var err error
			for i := 0; i < len(some) && err == nil; i++ {
				var t turn
				if t, err = w.turn(&some[i], &after); err == nil {
					w.observe(&t, 0, &w.first)
					turns = append(turns, t)
				}
			}
			left <- turns
			if err != nil {
				return err
			}
		}
		return nil
	})
	for turns := range left {
		for i := range turns {
			w.observe(&turns[i], 1, &w.pending)
			w.scored(&turns[i])
		}
	}
	err := group.Wait()
	w.pending.add(&w.first)
	w.first = pending{evidence: w.first.evidence[:0], places: w.first.places[:0]}
	return err
}

// turn makes the turn of an item after a cursor, which it moves. It fails before it changes anything, or not at all.
func (w *watcher) turn(x *item, after *clickhouse.Cursor) (t turn, err error) {
	t.item = x
	played := x.played
	if x.shoe == nil {
		played = []clickhouse.PlayedRound{*x.round}
	}
	for i := range played {
		of, err := w.of(x.Table, &played[i])
		if err != nil {
			return t, err
		}
		t.under = append(t.under, of)
	}
	if t.late = x.Compare(after) <= 0; t.late {
		t.detectors = w.ofLate(x.Table)
	} else {
		t.detectors, *after = w.parts, x.Cursor
		if hour := x.At / int64(time.Hour); hour > w.hour {
			w.hour, t.hour = hour, hour
		}
	}
	if x.shoe != nil {
		w.shoe(&t)
		return t, nil
	}
	before := w.begun[x.Table]
	touched := slices.ContainsFunc(x.round.Faults, func(at int64) bool { return at >= before })
	w.begun[x.Table] = x.round.At
	r := w.round(x.round, t.under[0], touched)
	r.Part = detectors.Prompt
	t.under[0].commission(&r)
	t.rounds = []detectors.Round{r}
	return t, nil
}

// ofLate returns the detectors of a table whose feed catches up. What is known of a patron later may depend on the
// cards of a round that is late: it is scored by detectors that know the earlier rounds of its table only.
func (w *watcher) ofLate(table string) detectors.Stored {
	p, ok := w.late[table]
	if !ok {
		p = detectors.NewStored(w.promise)
		w.late[table] = p
	}
	return p
}

// shoe adds a closed shoe to its turn, with its rounds.
func (w *watcher) shoe(t *turn) {
	c, played := t.item.shoe, t.played
	s := detectors.Shoe{
		Location: detectors.Location{Property: w.options.Property, Pit: c.Pit, Table: c.Table, Shoe: c.Shoe, At: c.At},
		Decks:    int(c.Decks), Whole: !c.Missing && !c.Joined, Lost: c.Missing,
	}
	if len(played) > 0 {
		s.Dealer, s.Batch, s.Shuffler = played[0].Dealer, played[0].Batch, played[0].Shuffler
	}
	s.Before = slices.Clone(w.before[c.Table].Of(s.Batch)) // Add uses their storage again
	t.begin = s
	var cards []detectors.Card
	s.Left = exact.Full(int(c.Decks))
	for i := range played {
		r := w.round(&played[i], t.under[i], disputed(c, played, i))
		r.Part = detectors.AtEnd
		t.rounds = append(t.rounds, r)
		cards = append(cards, r.Cards...)
		if r.Odds != nil {
			s.Left = r.Left
			for _, card := range r.Cards {
				s.Left[card.Card]--
			}
		}
	}
	for card := 1; card < len(s.Left); card++ {
		s.Read += int(c.Decks) - int(s.Left[card])
	}
	s.At = c.Closed
	t.end = s
	w.before[c.Table] = w.before[c.Table].Add(s.Batch, cards)
}

// observe has a part of the detectors score a turn. At each full hour of event time they drop the visits that have
// ended: the state follows from the facts, not from the times of the passes.
func (w *watcher) observe(t *turn, part int, done *pending) {
	host := t.detectors[part]
	if t.hour > 0 {
		host.Forget(t.hour * int64(time.Hour))
	}
	if t.item.shoe != nil {
		host.Begin(&t.begin)
		w.take(host, &t.begin.Location, "", nil, done)
	}
	var last *terms
	for i := range t.rounds {
		r := &t.rounds[i]
		last = t.under[i]
		host.Round(r)
		w.take(host, &r.Location, r.Dealer, last, done)
	}
	if t.item.shoe != nil {
		host.End(&t.end)
		w.take(host, &t.end.Location, t.end.Dealer, last, done)
	}
}

// scored notes how far the detectors are.
func (w *watcher) scored(t *turn) {
	if t.late {
		w.lately.add(t.Table, t.At)
	} else {
		w.after = t.Cursor
	}
	w.tables[t.Table] = t.Cursor
	if day, _ := w.options.Engine.Calendar.Of(t.At); w.days[t.Table] != day {
		w.days[t.Table] = day
		w.pending.promised += w.promise.Promised(false)
	}
	if t.item.shoe != nil {
		w.pending.shoes++
	} else {
		w.pending.rounds++
	}
}

// disputed reports whether an open finding about the feed touches round i of a shoe: it falls between the round before
// and the next one.
func disputed(c *clickhouse.ClosedShoe, played []clickhouse.PlayedRound, i int) bool {
	from, to := c.At, c.Closed
	if i > 0 {
		from = played[i-1].At
	}
	if i+1 < len(played) {
		to = played[i+1].At
	}
	return slices.ContainsFunc(c.Faults, func(at int64) bool { return from <= at && at <= to })
}
