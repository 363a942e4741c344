package deal

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Patron is a patron with the habits that decide on wagers.
type Patron struct {
	Ref  string
	Seat uint32
	// UsualStake is in minor units.
	UsualStake int64
	// Favourite is the preferred spot of banker and player. FollowsStreak bets on the streak instead,
	// BetsAgainstStreak against it.
	Favourite                        schema.Spot
	FollowsStreak, BetsAgainstStreak bool
	// ties and sides are the chances in percent of a tie bet and of each side bet.
	ties, sides    int
	oddAmounts     bool
	SitsOut        int // chance of sitting out a round, percent
	DefersVigorish bool
	ExactVigorish  bool
	DeclinesShoe   bool
	callsCash      bool // places verbal cash wagers
	hasCompanion   bool // a second patron bets from behind the seat
	Stays          bool // until the table closes
	// doubles: the stake doubles after each loss. betsLate: some wagers are placed when no more bets are called. Both
	// need a Scheme.
	doubles, betsLate bool
	losses            int
}

// PatronAt returns the patron at a seat, nil if the seat is empty.
func (t *Table) PatronAt(seat uint32) *Patron {
	for _, p := range t.patrons {
		if p.Seat == seat {
			return p
		}
	}
	return nil
}

// arrive seats a new patron.
func (t *Table) arrive(seat uint32) *Patron {
	t.guests++
	units := []int64{2500, 2500, 5000, 5000, 10_000, 10_000, 25_000, 50_000, 100_000}
	p := &Patron{
		Ref: "pt-" + t.o.Table + "-" + strconv.Itoa(t.guests), Seat: seat, UsualStake: units[t.rng.IntN(len(units))],
		Favourite: schema.SpotBanker + schema.Spot(t.rng.IntN(2)), FollowsStreak: t.rng.IntN(3) == 0,
		BetsAgainstStreak: t.rng.IntN(6) == 0,
		ties:              t.rng.IntN(20), sides: t.rng.IntN(25), oddAmounts: t.rng.IntN(3) == 0, SitsOut: t.rng.IntN(25),
		DefersVigorish: t.rng.IntN(2) == 0, ExactVigorish: t.rng.IntN(2) == 0, DeclinesShoe: t.rng.IntN(4) == 0,
		callsCash:    t.rng.IntN(8) == 0,
		hasCompanion: t.rng.IntN(6) == 0,
	}
	if t.o.Scheme != nil {
		x := shoe.Mix(t.o.Seed ^ uint64(t.guests)<<32)
		p.doubles, p.betsLate = x%6 == 0, x>>8%5 == 0
		p.callsCash = p.callsCash && !t.o.CountTray // the count of a tray is exact if no patron buys chips
	}
	t.patrons = append(t.patrons, p)
	slices.SortFunc(t.patrons, func(a, b *Patron) int { return cmp.Compare(a.Seat, b.Seat) })
	return p
}

// betweenRounds plans what happens before a round: collections, a pass, a relief, patrons who come and go.
func (t *Table) betweenRounds(s *shoe.Plan, r *shoe.Round) {
	for _, p := range t.patrons {
		if n := t.owed[p.Seat]; n > 0 && t.rng.IntN(25) == 0 {
			c := shoe.Collection{Seat: p.Seat}
			if n > 1 && t.rng.IntN(2) == 0 {
				c.Markers = 1 + t.rng.IntN(n-1)
			}
			t.owed[p.Seat] -= c.Markers
			if c.Markers == 0 {
				t.owed[p.Seat] = 0
			}
			r.Collections = append(r.Collections, c)
		}
	}
	if t.w.House.Punto && t.rng.IntN(20) == 0 {
		r.PassesShoe = true
		t.pickCurator(s, t.curator)
	}
	if t.rng.IntN(25) == 0 {
		r.Relief = t.nextDealer()
		t.dealing = r.Relief
	}
	comings := 12
	if t.o.Regulars {
		comings = 60
	}
	if t.rng.IntN(comings) == 0 && len(t.patrons) > 4 {
		p := t.patrons[t.rng.IntN(len(t.patrons))]
		if p.Seat != t.curator && !p.Stays {
			if t.owed[p.Seat] > 0 {
				r.Collections = slices.DeleteFunc(r.Collections, func(c shoe.Collection) bool {
					return c.Seat == p.Seat
				})
				r.Collections = append(r.Collections, shoe.Collection{Seat: p.Seat})
				t.owed[p.Seat] = 0
			}
			r.Seating = append(r.Seating, shoe.Seating{Seat: p.Seat, Patron: p.Ref, Leaves: true})
			t.patrons = slices.DeleteFunc(t.patrons, func(x *Patron) bool { return x == p })
		}
	}
	if t.rng.IntN(comings) == 0 && len(t.patrons) < len(t.o.Config.Seats) {
		for _, seat := range t.o.Config.Seats {
			if t.PatronAt(seat) == nil &&
				!slices.ContainsFunc(r.Seating, func(x shoe.Seating) bool { return x.Seat == seat }) &&
				t.rng.IntN(2) == 0 {
				p := t.arrive(seat)
				p.DeclinesShoe = false
				r.Seating = append(r.Seating, shoe.Seating{Seat: seat, Patron: p.Ref, Leaves: false})
				break
			}
		}
	}
}

// noteLosses counts the losses of the patrons who double after a loss.
func (t *Table) noteLosses(r *shoe.Round) {
	for i := range r.Stakes {
		st := &r.Stakes[i]
		p := t.PatronAt(st.Seat)
		if p == nil || !p.doubles || st.Withdrawn || st.Spot > schema.SpotPlayer {
			continue
		}
		switch out, _ := t.w.House.Settle(st, &r.Coup); out {
		case shoe.Lost:
			p.losses++
		case shoe.Won:
			p.losses = 0
		case shoe.Pushed:
		}
	}
}
