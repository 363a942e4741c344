package deal

import (
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// bets plans the wagers of each patron by habit.
func (t *Table) bets(r *shoe.Round, k int) {
	from := t.rng.IntN(len(t.patrons))
	for i := range t.patrons {
		p := t.patrons[(from+i)%len(t.patrons)]
		if t.rng.IntN(100) < p.SitsOut {
			continue
		}
		t.stake(r, p, p.Ref, t.side(p), t.amount(p))
		if p.hasCompanion && t.rng.IntN(4) == 0 {
			t.stake(r, p, p.Ref+"b", t.side(p), t.amount(p))
		}
		if t.rng.IntN(100) < p.ties {
			t.stake(r, p, p.Ref, schema.SpotTie, max(p.UsualStake/10/100*100, 500))
		}
		t.sideBets(r, p)
	}
	if len(r.Stakes) == 0 {
		p := t.patrons[from]
		t.stake(r, p, p.Ref, p.Favourite, p.UsualStake)
	}
	t.numberWagers(r, k)
}

// numberWagers numbers the wagers of a round.
func (t *Table) numberWagers(r *shoe.Round, k int) {
	prefix := "w" + strconv.Itoa(t.shoes) + "." + strconv.Itoa(k+1) + "."
	for i := range r.Stakes {
		r.Stakes[i].ID = prefix + strconv.Itoa(i+1)
	}
}

func (t *Table) side(p *Patron) schema.Spot {
	spot := p.Favourite
	if t.length > 0 && (p.FollowsStreak && t.length > 1 || p.BetsAgainstStreak) {
		spot = schema.SpotPlayer
		if (t.streak == schema.ResultBanker) != p.BetsAgainstStreak {
			spot = schema.SpotBanker
		}
	}
	if t.rng.IntN(5) == 0 {
		spot = schema.SpotBanker + schema.SpotPlayer - spot
	}
	return spot
}

func (t *Table) amount(p *Patron) int64 {
	a := p.UsualStake << min(p.losses, 4)
	switch x := t.rng.IntN(10); {
	case x == 0:
		a *= 2
	case x == 1 && a > 2500:
		a /= 2
	case x < 5 && p.oddAmounts:
		odd := []int64{10300, 250, 12345, 700, 2600, 7535, 3330, 100}
		a = odd[t.rng.IntN(len(odd))]
	}
	return a
}

func (t *Table) sideBets(r *shoe.Round, p *Patron) {
	main := slices.ContainsFunc(r.Stakes, func(st shoe.Stake) bool {
		return st.Seat == p.Seat && (st.Spot == schema.SpotBanker || st.Spot == schema.SpotPlayer)
	})
	if t.o.Config.SupplementalRequiresMain && !main {
		return
	}
	for _, spot := range shoe.SideSpots(&t.o.Config) {
		if t.rng.IntN(100) < p.sides {
			t.stake(r, p, p.Ref, spot, 500*(1+t.rng.Int64N(5)))
		}
	}
	for i := range t.w.House.Bets {
		if t.rng.IntN(100) < p.sides {
			t.stake(r, p, p.Ref, schema.SpotOther, 500*(1+t.rng.Int64N(5))).Name = t.w.House.Bets[i].Name
		}
	}
}

// stake adds a wager, with its medium and the collection of its vigorish.
func (t *Table) stake(r *shoe.Round, p *Patron, ref string, spot schema.Spot, amount int64) *shoe.Stake {
	st := shoe.Stake{
		Seat: p.Seat, Patron: ref, Spot: spot, Amount: amount, Medium: schema.WagerMediumChips,
		Exact: p.ExactVigorish,
	}
	mode := t.w.House.Mode
	main := spot == schema.SpotBanker || spot == schema.SpotPlayer
	if spot == schema.SpotBanker {
		switch {
		case mode == schema.VigorishModeTie25 && t.rng.IntN(30) > 0:
			st.Amount = max(amount/100*100, 100)
		case t.w.House.Names():
			st.Amount = max(amount/100*100, 100)
		case mode == schema.VigorishModeNovig6:
			st.Amount = max(amount/2*2, 2)
		}
	}
	switch x := t.rng.IntN(100); {
	case !main:
	case x == 0 && t.w.CountsTray: // no coupons where the tray is counted, see arrive
	case x == 0 && (spot == schema.SpotPlayer || mode != schema.VigorishModeTie25):
		st.Medium, st.Coupon = schema.WagerMediumChipsAndCoupon, 1000
		st.Amount += 1000 + max(0, 1000-st.Amount)
	case x < 4 && st.Amount >= 50_000:
		st.Medium = schema.WagerMediumPlaques
	case x < 10 && p.callsCash && !t.w.House.NewYork:
		st.Medium = schema.WagerMediumVerbalCash
		st.Amount = max(st.Amount/10_000*10_000, 10_000)
	case x < 12:
		st.Change = p.UsualStake
		st.Amount += p.UsualStake
	case x == 12:
		st.Change = -p.UsualStake
	case x == 13:
		st.MovedFrom = schema.SpotBanker + schema.SpotPlayer - spot
	case x == 14:
		st.Withdrawn = len(r.Stakes) > 0 && !t.o.Config.SupplementalRequiresMain
	}
	switch t.o.Config.Vigorish.Timing {
	case schema.VigorishTimingDeferred:
		st.Deferred = true
	case schema.VigorishTimingMixed:
		st.Deferred = p.DefersVigorish
	}
	if t.o.Config.Vigorish.Unit == 0 {
		st.Exact = true
	}
	st.Late = p.betsLate && len(r.Stakes)%2 == 0
	r.Stakes = append(r.Stakes, st)
	return &r.Stakes[len(r.Stakes)-1]
}
