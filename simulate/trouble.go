package simulate

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// trouble is what goes wrong in a shoe and is put right.
type trouble struct {
	from int // the first round in which it may
	kind troubleKind
}

type troubleKind uint8

const (
	noTrouble troubleKind = iota
	cardMoved
	cardBurned
	cardCarried
	cardFound
	shoeShort
	troubleKinds
)

// trouble chooses what goes wrong in the next shoe, and whether it is cut again.
func (t *Table) trouble(s *shoePlan, rounds int, legal bool) *trouble {
	if t.o.Flawless || !legal {
		return &trouble{}
	}
	if s.cutBy > 0 && !t.w.house.ny && t.rng.IntN(15) == 0 {
		s.again = &recut{seat: s.cutBy, depth: uint32(20 + t.rng.IntN(int(t.o.Config.Decks)*52-40))}
		if t.o.Config.Options["recut_by"] == "next-entitled" {
			s.again.seat = t.nextEntitled(s)
		}
	}
	if t.w.house.chemin || t.rng.IntN(5) > 0 {
		return &trouble{}
	}
	tr := &trouble{from: t.rng.IntN(30), kind: cardMoved + troubleKind(t.rng.IntN(int(troubleKinds-cardMoved)))}
	if rounds > 1 {
		tr.from = t.rng.IntN(rounds)
	}
	return tr
}

// nextEntitled is who cuts again when it is not who cut last: the next seat clockwise after the last
// offer, the dealer when nobody is left.
func (t *Table) nextEntitled(s *shoePlan) uint32 {
	n := len(t.patrons)
	if len(s.offers) == n {
		return 0
	}
	last := s.offers[len(s.offers)-1].seat
	for i, p := range t.patrons {
		if p.seat == last {
			return t.patrons[(i-1+n)%n].seat
		}
	}
	return 0
}

// deal gives a round its cards, with what goes wrong, and returns those left in the shoe. last is the
// number of rounds once it is known.
func (t *Table) deal(s *shoePlan, r *roundPlan, deck []card, tr *trouble, k, last int) []card {
	var over []card
	if k > 0 {
		if sl := s.rounds[k-1].slip; sl != nil && sl.kind == slipCarried {
			r.carried, over = true, []card{sl.card}
		}
	}
	due := tr.kind != noTrouble && k >= tr.from
	if tr.kind == shoeShort && k+1 == last && s.behind > 0 {
		tr.kind = noTrouble
		return t.RunShort(r, deck)
	}
	// Near its end a shoe has no cards to spare.
	due = due && tr.kind != shoeShort && len(deck) > s.behind+30
	if due && tr.kind == cardFound && !r.carried && k > 0 {
		at := t.rng.IntN(4)
		end := at + 1 + deck[at].burns()
		r.foundAt, r.found = at, []stray{{card: deck[at], burned: slices.Clone(deck[at+1 : end])}}
		deck = slices.Concat(deck[:at], deck[end:])
		tr.kind, due = noTrouble, false
	}
	from := deck
	if len(over) > 0 {
		from = slices.Concat(over, deck)
	}
	r.coup = dealCoup(from)
	deck = deck[r.coup.cards()-len(over):]
	if due && t.slip(r, tr.kind, deck[0], k+1 == last) {
		tr.kind = noTrouble
		switch r.slip.kind {
		case slipBurned:
			n := 1 + r.slip.card.burns()
			r.slip.burned, deck = deck[1:n:n], deck[n:]
		case slipCarried:
			deck = deck[1:]
		}
	}
	return deck
}

// slip draws a card in error where the hands allow it.
func (t *Table) slip(r *roundPlan, kind troubleKind, next card, last bool) bool {
	c := &r.coup
	sl := &slip{card: next, hand: t.rng.IntN(2)}
	if c.size(player) == 2 {
		// The player's hand was given a card though it stood.
		sl.hand = player
	}
	switch {
	case kind == cardMoved && c.size(player) == 2 && c.size(banker) == 3:
		sl.kind, sl.hand, sl.card = slipMoved, player, c.hands[banker][2]
	case kind == cardBurned && (c.size(player) == 3 || c.size(banker) == 2):
		sl.kind = slipBurned
	case kind == cardCarried && (c.size(player) == 3 || c.size(banker) == 2) && !last:
		sl.kind = slipCarried
	default:
		return false
	}
	r.slip = sl
	return true
}

// RunShort lets cards lie face up before the last round until the rest may not be enough for it. A
// round that cannot be finished is void. 19:47-3.12(d).
func (t *Table) RunShort(r *roundPlan, deck []card) []card {
	for {
		i := slices.IndexFunc(deck, func(c card) bool { return c.burns()+1 <= len(deck)-4 })
		if i < 0 {
			break
		}
		deck[0], deck[i] = deck[i], deck[0]
		n := 1 + deck[0].burns()
		r.found = append(r.found, stray{card: deck[0], burned: slices.Clone(deck[1:n])})
		deck = deck[n:]
	}
	pad := slices.Concat(deck, []card{13, 13, 13, 13})
	r.coup = dealCoup(pad)
	missing := r.coup.cards() - len(deck)
	if missing <= 0 {
		return deck[r.coup.cards():]
	}
	for _, h := range []int{banker, player} {
		if missing > 0 && r.coup.size(h) == 3 {
			r.coup.hands[h] = r.coup.hands[h][:2]
			missing--
		}
	}
	r.void = schema.VoidCauseInsufficientCards
	return deck[len(deck):]
}

// giveUp lets a patron give up the right to turn a hand over.
func (t *Table) giveUp(r *roundPlan) {
	h := t.rng.IntN(2)
	seat := r.handed(h)
	if seat == 0 {
		return
	}
	g := &give{seat: seat, ordered: t.rng.IntN(3) == 0}
	n := len(t.patrons)
	first := slices.IndexFunc(t.patrons, func(p *patron) bool { return p.seat == seat })
	for i := 1; i < n; i++ {
		o := offer{t.patrons[(first+i)%n].seat, t.rng.IntN(2) == 0}
		g.offers = append(g.offers, o)
		if o.accepted {
			break
		}
	}
	r.gives[h] = g
}

// reform changes the table's policy between two shoes now and then, with every notice that is due.
func (t *Table) reform() {
	if t.rng.IntN(5) > 0 {
		return
	}
	c := t.o.Config
	topic := schema.NoticeTopicUnspecified
	switch h := &t.w.house; t.rng.IntN(5) {
	case 0:
		if h.mode != schema.VigorishModeCommission {
			return
		}
		c.Vigorish.Percent = 9 - c.Vigorish.Percent
		fitUnit(&c)
		topic = schema.NoticeTopicVigorishPercent
	case 1:
		switch {
		case h.bucket:
			return
		case h.mode == schema.VigorishModeCommission:
			c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeTie25}
		case h.mode == schema.VigorishModeTie25:
			c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeCommission, Percent: 4, Timing: schema.VigorishTimingMixed}
		default:
			return
		}
		topic = schema.NoticeTopicVigorishType
	case 2:
		c.PaymentProcedure = c.PaymentProcedure%4 + 1
		topic = schema.NoticeTopicPaymentProcedure
	case 3:
		if h.ny {
			return
		}
		c.ReshuffleAfterLacing = !c.ReshuffleAfterLacing
		topic = schema.NoticeTopicReshuffleOption
	case 4:
		c.MinWager, c.MaxWager = 100+100*t.rng.Int64N(5), 20_000_000
		topic = schema.NoticeTopicTableLimits
	}
	t.w.notify(topic)
	t.Configure(c)
}

// reprice changes an elected pay table between two rounds.
func (t *Table) reprice(r *roundPlan) {
	c := t.o.Config
	tables := map[string]string{}
	switch {
	case c.PayTables["dragon_bonus"] != "":
		tables["dragon_bonus"] = string("ABC"[(c.PayTables["dragon_bonus"][0]-'A'+1)%3])
	case c.PayTables["treasures"] != "":
		tables["treasures"] = string('1' + '2' - c.PayTables["treasures"][0])
	default:
		return
	}
	c.PayTables = tables
	c.ConfigID += "'"
	t.o.Config = c
	r.change, r.topic = &c, schema.NoticeTopicPayTable
}

// notify files and posts a notice and lets its time pass.
func (w *writer) notify(topic schema.NoticeTopic) {
	effective := w.at + 40*minute
	w.file(topic, effective)
	w.emit(&schema.NoticePosted{Topic: topic, Medium: schema.NoticeMediumSign, PostedAt: w.at, EffectiveAt: effective})
	w.at = effective
}

// Configure brings another configuration into force between two shoes.
func (t *Table) Configure(c schema.TableConfig) {
	c.ConfigID += "+"
	t.o.Config = c
	t.w.pass(60_000)
	t.w.enact(c)
}

func (w *writer) enact(c schema.TableConfig) {
	w.cfg, w.house = c, newHouse(&c)
	w.emit(&schema.TableConfigured{Config: c, EffectiveAt: w.at})
}
