package bench

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// offers caches an offer for each configuration.
type offers struct {
	books law.Books
	mu    sync.Mutex
	made  map[string]*detectors.Offer
}

func (o *offers) of(c *schema.TableConfig, percent int64) (*detectors.Offer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := fmt.Sprint(c.ConfigID, c.PayTables, percent)
	if made := o.made[key]; made != nil {
		return made, nil
	}
	book, ok := o.books[c.Ruleset]
	if !ok {
		return nil, fmt.Errorf("no rulebook %s", c.Ruleset)
	}
	l, ok := book.Law(baccarat.Game(c.Game))
	if !ok {
		return nil, fmt.Errorf("rulebook %s has no %v", c.Ruleset, c.Game)
	}
	config := &law.Config{
		Game: baccarat.Game(c.Game), Mode: baccarat.VigorishMode(c.Vigorish.Mode), Percent: percent, Decks: c.Decks,
		BonusTable: c.PayTables["dragon_bonus"], TreasuresTable: c.PayTables["treasures"],
	}
	for _, s := range c.SideBets {
		config.SideBets = append(config.SideBets, baccarat.SideBet(s))
	}
	made := detectors.NewOffer(l, config)
	o.made[key] = made
	return made, nil
}

// The clock of a table: shoes of a gaming day, the time of a round, and the pauses between shoes and days.
const (
	shoesADay   = 10
	second      = int64(1e9)
	roundTime   = 48 * second
	shuffleTime = 8 * 60 * second
	day         = 24 * 3600 * second
)

// table plays the shoes of a simulated table for detectors.
type table struct {
	sim    *cheat.Table
	name   string
	config schema.TableConfig
	offers *offers
	pace   *rand.Rand
	at     int64
	shoes  int
	before []detectors.Card
	odds   exact.Odds
	exact  bool // work the odds out
	tray   int64
	// slug is the position of the shoe's slug, dealt the number of cards that left the shoe.
	slug  [2]int
	dealt int
	// frozen means that the card reader is known to be bad: detectors that depend on it are suspended.
	frozen bool
	// each is called after every call of the watcher, with the round if there is one.
	each func(*deal.PlayedRound, *detectors.Round)
}

func newTable(o deal.Options, by cheat.Options, offers *offers) *table {
	if o.Config.Decks == 0 {
		o.Config = by.Cheat.TableConfig()
	}
	t := &table{
		sim: cheat.NewTable(o, by), name: o.Table, config: o.Config, offers: offers,
		pace: rand.New(rand.NewPCG(o.Seed, 0xace)), tray: 500_000_000, exact: true,
		each: func(*deal.PlayedRound, *detectors.Round) {},
	}
	t.sim.Open()
	return t
}

// watcher receives the events of a table: a host of detectors, or a recording.
type watcher interface {
	Begin(*detectors.Shoe)
	Round(*detectors.Round)
	End(*detectors.Shoe)
	Tray(*detectors.Tray)
}

// play plays a shoe before a watcher.
func (t *table) play(host watcher) error {
	if t.shoes%shoesADay == 0 {
		t.at = int64(1+t.shoes/shoesADay) * day
	}
	t.shoes++
	t.at += shuffleTime
	p := t.sim.Play()
	offer, err := t.offers.of(&t.config, p.Percent)
	if err != nil {
		return err
	}
	name := t.name
	shoe := detectors.Shoe{
		Location: detectors.Location{Property: "sim", Pit: "p1", Table: name, Shoe: p.ID, At: t.at},
		Dealer:   p.Dealer, Batch: p.Batch, Shuffler: name + "-shuffler", Decks: p.Decks, Before: t.before, Whole: true,
		Frozen: t.frozen,
	}
	left := exact.Full(p.Decks)
	dealt := make([]detectors.Card, 0, 52*p.Decks)
	take := func(c detectors.Card) {
		dealt = append(dealt, c)
		if c.Card != baccarat.Unread {
			left[c.Card]--
			shoe.Read++
		}
	}
	for _, c := range p.Burned {
		take(detectors.Card{Card: baccarat.Card(c)})
	}
	t.slug = p.Slug
	host.Begin(&shoe)
	t.each(nil, nil)
	var taken, paid, vigs int64
	for i := range p.Rounds {
		played := &p.Rounds[i]
		r := t.round(&shoe, i, played, &left, offer)
		host.Round(r)
		for _, c := range r.Cards {
			take(c)
		}
		t1, p1, v1 := settled(played)
		taken, paid, vigs = taken+t1, paid+p1, vigs+v1
		t.dealt = len(dealt)
		t.each(played, r)
	}
	shoe.At, shoe.Left, shoe.Frozen = t.at, left, t.frozen
	host.End(&shoe)
	t.each(nil, nil)
	opened := t.tray
	t.tray += taken - paid + vigs + p.Fill - p.Gone
	host.Tray(&detectors.Tray{
		Location: shoe.Location, Dealer: p.Dealer, Open: opened, Close: t.tray, Fills: p.Fill, Won: taken, Paid: paid,
		Vigs: vigs, Whole: true, Frozen: t.frozen,
	})
	t.each(nil, nil)
	t.before = dealt
	return nil
}

// settled sums what the tray took and paid in a round.
func settled(played *deal.PlayedRound) (taken, paid, vigs int64) {
	for k := range played.Stakes {
		st := &played.Stakes[k]
		switch st.Done {
		case deal.FateCollected:
			taken += st.AtSettlement
		case deal.FatePaid:
			paid += st.Paid
		}
		vigs += st.VigTaken
	}
	return taken, paid, vigs
}

// round is a played round as detectors see it.
func (t *table) round(s *detectors.Shoe, i int, played *deal.PlayedRound, left *exact.Composition,
	offer *detectors.Offer,
) *detectors.Round {
	first := t.at + 25*second
	r := &detectors.Round{
		Location: s.Location, Dealer: played.Dealer, Batch: s.Batch, Shuffler: s.Shuffler, Reader: s.Table + "-reader",
		Locked: first - second, First: first, Decks: s.Decks, Left: *left, Offer: offer, Played: !played.Unread,
		Frozen: t.frozen,
	}
	r.Round, r.At, r.Seq = uint32(i+1), t.at, record.Seq(100*(81*t.shoes+i))
	if t.exact && offer.Kernel.Odds(left, &t.odds) {
		r.Odds = &t.odds
	}
	if played.Misdrawn {
		r.Breaches = 1
	}
	var hands [3][]baccarat.Card
	for _, c := range played.Cards {
		card := detectors.Card{Card: baccarat.Card(c.Card), Hand: baccarat.Hand(c.Hand), Index: c.Index}
		r.Cards = append(r.Cards, card)
		hands[c.Hand] = append(hands[c.Hand], card.Card)
	}
	r.Coup = baccarat.NewCoup(hands[baccarat.Player], hands[baccarat.Banker])
	r.Wagers = make([]detectors.Wager, len(played.Stakes))
	// A round takes its time by cards and settlements, more or less.
	took := 4*int64(len(r.Cards)) + 2*int64(len(r.Wagers)) + t.pace.Int64N(6)
	r.Ended = first + took*second + t.pace.Int64N(second)
	for k := range played.Stakes {
		st := &played.Stakes[k]
		r.Wagers[k] = detectors.Wager{
			ID: st.ID, Patron: st.Patron, Seat: st.Seat, Spot: baccarat.Spot(st.Spot), Stake: st.Stake, Placed: first - st.Lead,
			Late:  st.Lead < 0,
			Ruled: baccarat.Disposition(st.Ruled), Done: baccarat.Disposition(st.Done), Due: st.Due, Paid: st.Paid,
			VigDue: st.VigDue, VigTaken: st.VigTaken, AtLock: st.AtLock, AtSettlement: st.AtSettlement, HasReads: true,
		}
	}
	t.at += roundTime + t.pace.Int64N(6*second)
	return r
}
