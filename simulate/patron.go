package simulate

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
)

// patron is somebody with habits.
type patron struct {
	ref  string
	seat uint32
	// unit is the usual stake, minor units.
	unit int64
	// lean is the favourite of banker and player; follows backs the streak instead, chops bets
	// against it.
	lean           schema.Spot
	follows, chops bool
	// ties and sides are chances in a hundred of a tie bet and of each side bet.
	ties, sides int
	odd         bool // likes odd amounts
	idle        int  // sits out, chances in a hundred
	defers      bool
	exact       bool
	shy         bool // declines the shoe
	cash        bool // may call a cash bet
	friend      bool // somebody stands behind and bets too
	stays       bool // to the end of play
	// doubles after each of so many losses, where somebody cheats; tarry bets late now and then.
	doubles, tarry bool
	losses         int
}

// PatronAt is the patron at a seat, nil if nobody sits there.
func (t *Table) PatronAt(seat uint32) *patron {
	for _, p := range t.patrons {
		if p.seat == seat {
			return p
		}
	}
	return nil
}

// arrive seats a new patron.
func (t *Table) arrive(seat uint32) *patron {
	t.guests++
	units := []int64{2500, 2500, 5000, 5000, 10_000, 10_000, 25_000, 50_000, 100_000}
	p := &patron{
		ref: "pt-" + t.o.Table + "-" + strconv.Itoa(t.guests), seat: seat, unit: units[t.rng.IntN(len(units))],
		lean: schema.SpotBanker + schema.Spot(t.rng.IntN(2)), follows: t.rng.IntN(3) == 0, chops: t.rng.IntN(6) == 0,
		ties: t.rng.IntN(20), sides: t.rng.IntN(25), odd: t.rng.IntN(3) == 0, idle: t.rng.IntN(25),
		defers: t.rng.IntN(2) == 0, exact: t.rng.IntN(2) == 0, shy: t.rng.IntN(4) == 0, cash: t.rng.IntN(8) == 0,
		friend: t.rng.IntN(6) == 0,
	}
	if t.o.Scheme != nil {
		x := mix(t.o.Seed ^ uint64(t.guests)<<32)
		p.doubles, p.tarry = x%6 == 0, x>>8%5 == 0
		p.cash = p.cash && !t.o.CountTray // a tray closes to the chip if nobody buys chips at the table
	}
	t.patrons = append(t.patrons, p)
	slices.SortFunc(t.patrons, func(a, b *patron) int { return cmp.Compare(a.seat, b.seat) })
	return p
}

// between chooses what happens before a round: collections, a pass, a relief, patrons who come and go.
func (t *Table) between(s *shoePlan, r *roundPlan) {
	for _, p := range t.patrons {
		if n := t.owed[p.seat]; n > 0 && t.rng.IntN(25) == 0 {
			c := collection{seat: p.seat}
			if n > 1 && t.rng.IntN(2) == 0 {
				c.marks = 1 + t.rng.IntN(n-1)
			}
			t.owed[p.seat] -= c.marks
			if c.marks == 0 {
				t.owed[p.seat] = 0
			}
			r.collect = append(r.collect, c)
		}
	}
	if t.w.house.punto && t.rng.IntN(20) == 0 {
		r.pass = true
		t.pickCurator(s, t.curator)
	}
	if t.rng.IntN(25) == 0 {
		r.relief = t.nextDealer()
		t.dealing = r.relief
	}
	comings := 12
	if t.o.Regulars {
		comings = 60
	}
	if t.rng.IntN(comings) == 0 && len(t.patrons) > 4 {
		p := t.patrons[t.rng.IntN(len(t.patrons))]
		if p.seat != t.curator && !p.stays {
			if t.owed[p.seat] > 0 {
				r.collect = slices.DeleteFunc(r.collect, func(c collection) bool { return c.seat == p.seat })
				r.collect = append(r.collect, collection{seat: p.seat})
				t.owed[p.seat] = 0
			}
			r.seating = append(r.seating, seating{p.seat, p.ref, true})
			t.patrons = slices.DeleteFunc(t.patrons, func(x *patron) bool { return x == p })
		}
	}
	if t.rng.IntN(comings) == 0 && len(t.patrons) < len(t.o.Config.Seats) {
		for _, seat := range t.o.Config.Seats {
			if t.PatronAt(seat) == nil && !slices.ContainsFunc(r.seating, func(x seating) bool { return x.seat == seat }) && t.rng.IntN(2) == 0 {
				p := t.arrive(seat)
				p.shy = false
				r.seating = append(r.seating, seating{seat, p.ref, false})
				break
			}
		}
	}
}

// bets lets each patron stake by habit.
func (t *Table) bets(r *roundPlan, k int) {
	from := t.rng.IntN(len(t.patrons))
	for i := range t.patrons {
		p := t.patrons[(from+i)%len(t.patrons)]
		if t.rng.IntN(100) < p.idle {
			continue
		}
		t.stake(r, p, p.ref, t.side(p), t.amount(p))
		if p.friend && t.rng.IntN(4) == 0 {
			t.stake(r, p, p.ref+"b", t.side(p), t.amount(p))
		}
		if t.rng.IntN(100) < p.ties {
			t.stake(r, p, p.ref, schema.SpotTie, max(p.unit/10/100*100, 500))
		}
		t.sideBets(r, p)
	}
	if len(r.stakes) == 0 {
		p := t.patrons[from]
		t.stake(r, p, p.ref, p.lean, p.unit)
	}
	t.name(r, k)
}

// name numbers the wagers of a round.
func (t *Table) name(r *roundPlan, k int) {
	prefix := "w" + strconv.Itoa(t.shoes) + "." + strconv.Itoa(k+1) + "."
	for i := range r.stakes {
		r.stakes[i].id = prefix + strconv.Itoa(i+1)
	}
}

func (t *Table) side(p *patron) schema.Spot {
	spot := p.lean
	if t.length > 0 && (p.follows && t.length > 1 || p.chops) {
		spot = schema.SpotPlayer
		if (t.streak == schema.ResultBanker) != p.chops {
			spot = schema.SpotBanker
		}
	}
	if t.rng.IntN(5) == 0 {
		spot = schema.SpotBanker + schema.SpotPlayer - spot
	}
	return spot
}

func (t *Table) amount(p *patron) int64 {
	a := p.unit << min(p.losses, 4)
	switch x := t.rng.IntN(10); {
	case x == 0:
		a *= 2
	case x == 1 && a > 2500:
		a /= 2
	case x < 5 && p.odd:
		odd := []int64{10300, 250, 12345, 700, 2600, 7535, 3330, 100}
		a = odd[t.rng.IntN(len(odd))]
	}
	return a
}

func (t *Table) sideBets(r *roundPlan, p *patron) {
	main := slices.ContainsFunc(r.stakes, func(st stake) bool {
		return st.seat == p.seat && (st.spot == schema.SpotBanker || st.spot == schema.SpotPlayer)
	})
	if t.o.Config.SupplementalRequiresMain && !main {
		return
	}
	for _, spot := range sideSpots(&t.o.Config) {
		if t.rng.IntN(100) < p.sides {
			t.stake(r, p, p.ref, spot, 500*(1+t.rng.Int64N(5)))
		}
	}
}

// sideSpots are the side bets that a configuration offers.
func sideSpots(c *schema.TableConfig) []schema.Spot {
	var out []schema.Spot
	for _, b := range c.SideBets {
		switch b {
		case schema.SideBetPair:
			out = append(out, schema.SpotPlayerPair, schema.SpotBankerPair)
		case schema.SideBetDragonBonus:
			out = append(out, schema.SpotDragonBonusPlayer)
			if c.Options["dragon_bonus_hands"] != "[player]" {
				out = append(out, schema.SpotDragonBonusBanker)
			}
		case schema.SideBetDragon7:
			out = append(out, schema.SpotDragon7)
		case schema.SideBetPanda8:
			out = append(out, schema.SpotPanda8)
		case schema.SideBetTreasures:
			out = append(out, schema.SpotFortune7, schema.SpotGolden8, schema.SpotHeavenly9, schema.SpotBlazing7s, schema.SpotCoverAll)
		}
	}
	return out
}

// stake adds a wager with its medium and the way its vigorish will be taken.
func (t *Table) stake(r *roundPlan, p *patron, ref string, spot schema.Spot, amount int64) *stake {
	st := stake{seat: p.seat, patron: ref, spot: spot, amount: amount, medium: schema.WagerMediumChips, exact: p.exact}
	mode := t.w.house.mode
	main := spot == schema.SpotBanker || spot == schema.SpotPlayer
	if spot == schema.SpotBanker {
		switch {
		case mode == schema.VigorishModeTie25 && t.rng.IntN(30) > 0:
			st.amount = max(amount/100*100, 100)
		case mode == schema.VigorishModeNovig6:
			st.amount = max(amount/2*2, 2)
		}
	}
	switch x := t.rng.IntN(100); {
	case !main:
	case x == 0 && t.w.trays: // nor coupons, see arrive
	case x == 0 && (spot == schema.SpotPlayer || mode != schema.VigorishModeTie25):
		st.medium, st.coupon = schema.WagerMediumChipsAndCoupon, 1000
		st.amount += 1000 + max(0, 1000-st.amount)
	case x < 4 && st.amount >= 50_000:
		st.medium = schema.WagerMediumPlaques
	case x < 10 && p.cash && !t.w.house.ny:
		st.medium = schema.WagerMediumVerbalCash
		st.amount = max(st.amount/10_000*10_000, 10_000)
	case x < 12:
		st.changed = p.unit
		st.amount += p.unit
	case x == 12:
		st.changed = -p.unit
	case x == 13:
		st.from = schema.SpotBanker + schema.SpotPlayer - spot
	case x == 14:
		st.withdrawn = len(r.stakes) > 0 && !t.o.Config.SupplementalRequiresMain
	}
	switch t.o.Config.Vigorish.Timing {
	case schema.VigorishTimingDeferred:
		st.marks = true
	case schema.VigorishTimingMixed:
		st.marks = p.defers
	}
	if t.o.Config.Vigorish.Unit == 0 {
		st.exact = true
	}
	st.late = p.tarry && len(r.stakes)%2 == 0
	r.stakes = append(r.stakes, st)
	return &r.stakes[len(r.stakes)-1]
}

// temper lets patrons who double after a loss remember it.
func (t *Table) temper(r *roundPlan) {
	for i := range r.stakes {
		st := &r.stakes[i]
		p := t.PatronAt(st.seat)
		if p == nil || !p.doubles || st.withdrawn || st.spot > schema.SpotPlayer {
			continue
		}
		switch out, _ := t.w.house.settle(st, &r.coup); out {
		case lost:
			p.losses++
		case won:
			p.losses = 0
		case pushed:
		}
	}
}
