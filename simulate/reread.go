package simulate

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// replay writes events again as they were, with the numbers that they have now.
func (w *writer) replay(events []schema.Event) {
	for i := range events {
		ev := &events[i]
		switch p := ev.Payload.(type) {
		case *schema.CuratorAssigned:
			w.curator = p.Seat
		case *schema.BankerAssigned:
			w.banker = p.Seat
		case *schema.SeatOccupied:
			w.sit(p.Seat, p.PatronRef)
		case *schema.SeatVacated:
			w.stand(p.Seat)
		case *schema.ShoeLoaded:
			w.batch, w.back = p.BatchID, p.BackColor
		case *schema.TableConfigured:
			w.cfg, w.house = p.Config, newHouse(&p.Config)
		}
		c := ev.Clone()
		w.emitBy(c.Payload, c.Actor)
		last := &w.out[len(w.out)-1]
		last.EventID, last.Source, last.Video = c.EventID, c.Source, c.Video
		if c.At > w.at {
			w.at, last.At = c.At, c.At
		}
	}
}

// rereading is a shoe found again in events: its plan and a writer that stands before it.
type rereading struct {
	w        *writer
	plan     *shoePlan
	from, to int
}

// reread reads the plan of the n-th shoe (1 is the first) back from its events, so that it can be
// changed and everything downstream written anew.
func reread(events []schema.Event, n int) (*rereading, error) {
	shoes := map[string]int{}
	r := &rereading{from: -1}
	for i := range events {
		if ordinal(shoes, events[i].ShoeID) != n {
			continue
		}
		if r.from < 0 {
			r.from = i
		}
		r.to = i + 1
	}
	if r.from < 0 {
		return nil, fmt.Errorf("shoe %d: there are %d", n, len(shoes))
	}
	first := &events[r.from]
	for i := range events[r.from:r.to] {
		if id := events[r.from+i].ShoeID; id != "" && id != first.ShoeID {
			return nil, fmt.Errorf("shoe %s: events of %s lie among its own", first.ShoeID, id)
		}
	}
	o := origin{property: first.PropertyID, pit: first.PitID, table: first.TableID, seed: first.Seq}
	for _, c := range first.EventID {
		o.seed = o.seed*131 + uint64(c)
	}
	opened := false
	var before []schema.Event
	for i := range events[:r.from] {
		switch p := events[i].Payload.(type) {
		case *schema.TableOpened:
			o.config, opened = p.Config, true
		case *schema.TableConfigured:
			o.config = p.Config
		}
		before = append(before, events[i])
	}
	if !opened {
		return nil, fmt.Errorf("shoe %s: no table_opened before it", first.ShoeID)
	}
	r.w = newWriter(&o)
	r.w.at, r.w.seq = first.At-1, first.Seq-1
	r.w.recall(before, patronRefs(events))
	r.plan = &shoePlan{id: first.ShoeID}
	return r, r.read(events[r.from:r.to])
}

// patronRefs are the patrons of seats, by their first wager.
func patronRefs(events []schema.Event) map[uint32]string {
	out := map[uint32]string{}
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.WagerPlaced:
			if out[p.Seat] == "" {
				out[p.Seat] = p.PatronRef
			}
		case *schema.BankerWagered:
			out[p.Seat] = events[i].Actor.ID
		}
	}
	return out
}

// recall brings the writer to where the table stands after some events.
func (w *writer) recall(events []schema.Event, refs map[uint32]string) {
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.TableOpened:
			for _, s := range p.OccupiedSeats {
				w.sit(s, refs[s])
			}
		case *schema.SeatOccupied:
			w.stand(p.Seat)
			w.sit(p.Seat, p.PatronRef)
		case *schema.SeatVacated:
			w.stand(p.Seat)
		case *schema.CuratorAssigned:
			w.curator = p.Seat
		case *schema.BankerAssigned:
			w.banker = p.Seat
		case *schema.DealerAssigned:
			if w.dealer.ID == "" || p.Position != schema.DealerPositionPaying {
				w.dealer = schema.Actor{Role: schema.RoleDealer, ID: p.DealerID}
				w.boss = p.SupervisorID
			}
		case *schema.DeckReceived:
			w.batch, w.back, w.design = p.BatchID, p.BackColor, p.BackDesign
		}
	}
}

func (r *rereading) read(events []schema.Event) error {
	s := r.plan
	start := slices.IndexFunc(events, func(ev schema.Event) bool { return ev.Payload.Kind() == schema.KindRoundStarted })
	if start < 0 {
		return fmt.Errorf("shoe %s: no round_started", s.id)
	}
	s.prep = slices.Clone(events[:start])
	for i := range s.prep {
		if err := r.readPrep(&s.prep[i]); err != nil {
			return err
		}
	}
	habits := readHabits(events)
	var cur *roundReader
	next := &roundReader{roundPlan: &roundPlan{}}
	var marked []mark
	for i := start; i < len(events); i++ {
		ev := &events[i]
		switch {
		case ev.Payload.Kind() == schema.KindRoundStarted:
			if n := len(s.rounds); n > 0 && s.rounds[n-1].slip != nil {
				next.carried = s.rounds[n-1].slip.kind == slipCarried
			}
			s.rounds = append(s.rounds, *next.roundPlan)
			next = &roundReader{roundPlan: &roundPlan{}}
			cur = &roundReader{roundPlan: &s.rounds[len(s.rounds)-1]}
			n := slices.IndexFunc(events[i:], isNoMoreBets)
			if n < 0 {
				return fmt.Errorf("shoe %s round %d: no NO_MORE_BETS", s.id, ev.Round)
			}
			cur.bets = slices.Clone(events[i : i+n])
			cur.readBets(habits)
			i += n
		case ev.Round > 0:
			if err := cur.readRound(ev); err != nil {
				return fmt.Errorf("shoe %s round %d: %w", s.id, ev.Round, err)
			}
			if p, ok := ev.Payload.(*schema.VigorishMarked); ok {
				marked = append(marked, mark{p.WagerID, p.Seat, p.Amount})
			}
		default:
			if err := next.readBetween(ev, s, &marked); err != nil {
				return fmt.Errorf("shoe %s after round %d: %w", s.id, len(s.rounds), err)
			}
		}
	}
	return nil
}

func isNoMoreBets(ev schema.Event) bool {
	p, ok := ev.Payload.(*schema.Announced)
	return ok && p.Code == schema.CallNoMoreBets
}

func (r *rereading) readPrep(ev *schema.Event) error {
	s := r.plan
	switch p := ev.Payload.(type) {
	case *schema.CutcardPlaced:
		if p.Which == 1 {
			s.behind = int(p.CardsBehind)
		}
	case *schema.ShoeBurned:
		cards, err := parseCards(append([]string{p.Indicator}, p.Cards...))
		s.burn = cards
		return err
	case *schema.CuratorOffered:
		if !p.Accepted {
			s.shy = append(s.shy, p.Seat)
		}
	}
	return nil
}

func parseCards(texts []string) ([]card, error) {
	out := make([]card, len(texts))
	for i, t := range texts {
		if t == "??" {
			continue
		}
		c, err := parseCard(t)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// roundReader reads a round back from its events.
type roundReader struct {
	*roundPlan
	// settled: money moved; sided: a side bet was announced.
	settled, sided bool
	last           int // hand of the latest card
}

// habit is how a wager's vigorish was taken: marked or at once.
type habit struct{ marks bool }

// readHabits finds for each wager, and for each seat, how its vigorish was taken.
func readHabits(events []schema.Event) map[string]habit {
	out := map[string]habit{}
	put := func(id string, seat uint32, h habit) {
		out[id] = h
		out[fmt.Sprintf("seat %d", seat)] = h
	}
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.VigorishMarked:
			put(p.WagerID, p.Seat, habit{true})
		case *schema.VigorishCollected:
			if p.VigorishKind == schema.VigorishKindRound {
				for _, id := range p.WagerIDs {
					put(id, p.Seat, habit{false})
				}
			}
		}
	}
	return out
}

func (r *roundReader) readBets(habits map[string]habit) {
	for i := range r.bets {
		switch p := r.bets[i].Payload.(type) {
		case *schema.WagerPlaced:
			h, ok := habits[p.WagerID]
			if !ok {
				h = habits[fmt.Sprintf("seat %d", p.Seat)]
			}
			r.stakes = append(r.stakes, stake{
				id: p.WagerID, seat: p.Seat, patron: p.PatronRef, spot: p.Spot, name: p.SpotName, amount: p.Amount,
				coupon: p.Coupon, medium: p.Medium, marks: h.marks,
			})
		case *schema.BankerWagered, *schema.BancoAnnounced:
			r.readBank(p)
		case *schema.WagerChanged:
			for j := range r.stakes {
				if r.stakes[j].id == p.WagerID {
					changeStake(&r.stakes[j], p)
				}
			}
		}
	}
}

func changeStake(st *stake, p *schema.WagerChanged) {
	delta := max(p.Delta, -p.Delta)
	switch p.Change {
	case schema.WagerChangeRaised:
		st.amount += delta
	case schema.WagerChangeLowered:
		st.amount -= delta
	case schema.WagerChangeMoved:
		st.spot = p.ToSpot
	case schema.WagerChangeWithdrawn:
		st.withdrawn = true
	}
}

func (r *roundReader) readRound(ev *schema.Event) error {
	settling := false
	switch p := ev.Payload.(type) {
	case *schema.CardDealt:
		c, err := parseCard(p.Card)
		if err != nil {
			return err
		}
		if p.Hand == schema.HandUnspecified {
			return fmt.Errorf("card %d: no hand", p.CardSeq)
		}
		h := int(p.Hand) - 1
		r.last = h
		r.bankerFirst = r.bankerFirst || h == player && p.Index == 3 && len(r.coup.hands[banker]) == 3
		r.coup.hands[h] = append(r.coup.hands[h], c)
	case *schema.Announced:
		switch p.Code {
		case schema.CallPlayerWins, schema.CallBankerWins, schema.CallTieHand:
			r.sideFirst = r.sided
		case schema.CallPlayerPair, schema.CallBankerPair, schema.CallDragon7, schema.CallPanda8, schema.CallTreasure,
			schema.CallTotalCards:
			r.sided = true
		}
	case *schema.CardMoved, *schema.CardCarriedOver, *schema.CardFoundFaceup, *schema.ShoeBurned:
		return r.readSlip(p)
	case *schema.SqueezeRelinquished:
		r.gives[p.Hand-1] = &give{seat: p.Seat, ordered: p.Cause == schema.PassCauseOrdered}
	case *schema.SqueezeOffered:
		if g := r.gives[p.Hand-1]; g != nil {
			g.offers = append(g.offers, offer{p.Seat, p.Accepted})
		}
	case *schema.RoundVoided:
		r.void = p.Cause
	case *schema.RoundEnded:
		r.endedFirst = !r.settled
	case *schema.WagerCollected, *schema.WagerPaid, *schema.WagerReturned, *schema.VigorishMarked:
		settling = true
	case *schema.VigorishCollected:
		settling = true
		r.together = r.together || len(p.WagerIDs) > 1
		if len(p.WagerIDs) == 1 {
			r.took(p.WagerIDs[0], p.Amount)
		}
	}
	if p, ok := ev.Payload.(*schema.VigorishMarked); ok {
		r.took(p.WagerID, p.Amount)
	}
	r.settled = r.settled || settling
	return nil
}

// took notes the vigorish that a wager came to.
func (r *roundReader) took(id string, amount int64) {
	for i := range r.stakes {
		if r.stakes[i].id == id {
			r.stakes[i].taken = amount
		}
	}
}

func (r *roundReader) readBetween(ev *schema.Event, s *shoePlan, marked *[]mark) error {
	switch p := ev.Payload.(type) {
	case *schema.SeatOccupied:
		r.seating = append(r.seating, seating{p.Seat, p.PatronRef, false})
	case *schema.SeatVacated:
		r.seating = append(r.seating, seating{p.Seat, p.PatronRef, true})
	case *schema.DealerAssigned:
		r.relief = p.DealerID
	case *schema.CuratorPassed:
		r.pass = r.pass || p.Cause == schema.PassCauseVoluntary
	case *schema.CuratorOffered:
		if !p.Accepted && !slices.Contains(s.shy, p.Seat) {
			s.shy = append(s.shy, p.Seat)
		}
	case *schema.VigorishCollected:
		c := collection{seat: p.Seat}
		open, sum := 0, int64(0)
		keep := (*marked)[:0]
		for _, m := range *marked {
			if m.seat == p.Seat {
				open++
			}
			if slices.Contains(p.WagerIDs, m.wager) {
				sum += m.amount
				continue
			}
			keep = append(keep, m)
		}
		*marked = keep
		if len(p.WagerIDs) < open {
			c.marks = len(p.WagerIDs)
		}
		s.ceilEnd = s.ceilEnd || p.Amount > sum
		r.collect = append(r.collect, c)
	case *schema.CardFoundFaceup, *schema.ShoeBurned:
		return r.readSlip(p)
	case *schema.TableConfigured, *schema.NoticeFiled, *schema.NoticePosted, *schema.LayoutAttested:
		r.news = append(r.news, ev.Clone())
	case *schema.BankerRelinquished, *schema.BidOffered:
		r.readBank(p)
	case *schema.CuratorAssigned, *schema.BankerAssigned, *schema.VigorishMarkerRemoved, *schema.Announced, *schema.ShoeEnded:
	default:
		return fmt.Errorf("cannot write %s anew", ev.Payload.Kind())
	}
	return nil
}

// write writes the shoe of the plan as it now is.
func (r *rereading) write() []schema.Event {
	r.w.prepare(r.plan)
	for i := range r.plan.rounds {
		r.w.play(r.plan, i)
	}
	r.w.finish(r.plan)
	return r.w.take()
}
