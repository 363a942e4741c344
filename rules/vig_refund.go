package rules

import (
	"cmp"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// GiveBack takes vigorish that was given back from the collections, and the motions that gave it back from the
// settlement: the last motions of wagers that come to exactly what is beyond their outcome, after a collection from the
// player that was too much, if not less than is due is left. The contract has no event for it. The money of a round is
// judged by what its motions come to before the next first card. The round keeps what was given back as Refunds.
func GiveBack(l *law.Law, r *record.Round) {
	if l == nil || r.Config == nil || r.Config.Game == baccarat.CheminDeFer || !record.Any(r.Steps, tookVig) {
		return
	}
	g := giving{law: l, round: r, coup: Settling(l, r)}
	if g.void = r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void; g.void {
		g.void = !SettledByCards(l, r)
	}
	if !g.coup.Complete && !g.void {
		return
	}
	for i := range r.Wagers {
		switch back := g.beyond(i); {
		case back <= 0:
		case r.Wagers[i].Settlements() == 1:
			g.within(i, back)
		default:
			g.last(i, back)
		}
		g.only(i)
	}
	for len(g.motions) > 0 {
		g.player(g.motions[0].Wager)
	}
}

func tookVig(s *record.Step) bool {
	return s.Kind == record.StepVigCollected || s.Kind == record.StepTieCharge
}

// giving is a round of which vigorish may have been given back, and the motions that may have given it.
type giving struct {
	law     *law.Law
	round   *record.Round
	coup    *baccarat.Coup
	void    bool
	motions []record.Refund
}

// beyond is how much more a wager was paid or returned than the cards have it, 0 if that is not known.
func (g *giving) beyond(wager int) int64 {
	w := &g.round.Wagers[wager]
	if w.Gone || w.Amount <= 0 || w.Paid.Times+w.Returned.Times == 0 {
		return 0
	}
	want := baccarat.Return
	if !g.void {
		want = outcomeUnder(g.law, g.round.Config, w, g.coup)
	}
	got := baccarat.Add(w.Paid.Amount, w.Returned.Amount) - w.Collected.Amount // what was put right is 0 in the sum
	switch want {
	case baccarat.Return:
		got -= w.Amount
	case baccarat.Collect:
		got += w.Amount
	case baccarat.Pay:
		odds := oddsUnder(g.law, g.round.Config, w, g.coup)
		if !odds.Known() {
			return 0
		}
		if got -= odds.Winnings(w.Amount); w.Net().Returned >= w.Amount {
			got -= w.Amount // the stake went back with the winnings
		}
	default:
		return 0
	}
	return max(got, 0)
}

// only notes the only motion of a wager that wins, if it comes to less than the winnings and to exactly what makes the
// vigorish of the wager right: the wager was not paid, and that is reported.
func (g *giving) only(wager int) {
	w := &g.round.Wagers[wager]
	if g.void || w.Gone || w.Spot != baccarat.SpotBanker || w.Settlements() != 1 || w.Collected.Times > 0 ||
		outcomeUnder(g.law, g.round.Config, w, g.coup) != baccarat.Pay {
		return
	}
	low, high := g.due(func(i int) bool { return i == wager })
	var took int64
	for i := range g.round.Steps {
		s := &g.round.Steps[i]
		switch {
		case tookVig(s) && g.of(s, func(i int) bool { return i == wager }):
			took = baccarat.Add(took, s.Amount)
		case s.Kind > record.StepReturned || s.Wager != wager:
		case s.Amount < w.Amount && took > high && took-s.Amount >= low && took-s.Amount <= high:
			g.motions = append(g.motions, record.Refund{Seq: s.Seq, Wager: wager, Amount: s.Amount})
		}
	}
}

// last notes the last motions of a wager if they come to an amount, or the latest motion of it that does.
func (g *giving) last(wager int, amount int64) {
	n, rest, one := len(g.motions), amount, -1
	for i := len(g.round.Steps) - 1; i >= 0 && (rest > 0 || rest < 0 && one < 0); i-- {
		s := &g.round.Steps[i]
		if s.Kind > record.StepReturned || s.Wager != wager {
			continue
		}
		if s.Kind == record.StepCollected {
			rest = min(rest, 0) - 1
			continue
		}
		if s.Amount == amount && one < 0 {
			one = i
		}
		if rest > 0 {
			rest -= s.Amount
			g.motions = append(g.motions, record.Refund{Seq: s.Seq, Wager: wager, Amount: s.Amount})
		}
	}
	if rest == 0 {
		return
	}
	if g.motions = g.motions[:n]; one >= 0 {
		s := &g.round.Steps[one]
		g.motions = append(g.motions, record.Refund{Seq: s.Seq, Wager: wager, Amount: s.Amount})
	}
}

// within notes a part of the only motion of a wager: what was taken too much goes back with the payment.
func (g *giving) within(wager int, amount int64) {
	at := record.Index(g.round.Steps, func(s *record.Step) bool {
		return s.Kind <= record.StepReturned && s.Wager == wager
	})
	if at >= 0 {
		g.motions = append(g.motions, record.Refund{Seq: g.round.Steps[at].Seq, Wager: wager, Amount: amount})
	}
}

// player gives back the motions of the player of a wager, and takes them from those that are noted.
func (g *giving) player(wager int) {
	of, r := &g.round.Wagers[wager], g.round
	is := func(w int) bool { return r.Wagers[w].MayBeOf(of) }
	var back int64
	var mine, others []record.Refund
	for _, m := range g.motions {
		if is(m.Wager) {
			mine, back = append(mine, m), baccarat.Add(back, m.Amount)
			continue
		}
		others = append(others, m)
	}
	g.motions = others
	own := func(w int) bool { return slices.ContainsFunc(mine, func(m record.Refund) bool { return m.Wager == w }) }
	from := g.taken(mine, back, is)
	if from == nil {
		from = g.taken(mine, back, own) // the others of the player are charged apart
	}
	if from == nil {
		return
	}
	g.reduce(from, back)
	for _, m := range mine {
		g.remove(m)
	}
	r.Refunds = append(r.Refunds, mine...)
}

// taken are the collections from some wagers of a player of which motions gave an amount back, nil if they did not: too
// much was collected before them, and not less than what is due is left.
func (g *giving) taken(motions []record.Refund, back int64, of func(wager int) bool) (from []int) {
	first := slices.MinFunc(motions, func(a, b record.Refund) int { return cmp.Compare(a.Seq, b.Seq) }).Seq
	var took int64
	for i := range g.round.Steps {
		s := &g.round.Steps[i]
		switch {
		case s.Kind == record.StepVigMarked && s.Wager >= 0 && of(s.Wager):
			return nil // what is marked is not taken
		case !tookVig(s) || !g.of(s, of):
		case s.Seq > first || s.Amount <= 0:
			return nil
		default:
			took, from = baccarat.Add(took, s.Amount), append(from, i)
		}
	}
	if low, high := g.due(of); took <= high || took-back < low {
		return nil
	}
	return from
}

// of reports whether a collection is of wagers that are all of a player.
func (g *giving) of(s *record.Step, is func(wager int) bool) bool {
	covers := false
	for i := range g.round.Wagers {
		if named := slices.Contains(s.Wagers, i); named || s.Covers(g.round, i) {
			if !is(i) {
				return false
			}
			covers = true
		}
	}
	return covers
}

// due is the range of the vigorish of wagers.
func (g *giving) due(is func(wager int) bool) (low, high int64) {
	if g.void {
		return 0, 0
	}
	takes := g.law.Takes(g.round.Config, g.coup)
	v, commission := g.law.Commission(g.round.Config, g.coup)
	commission = commission && takes.Won && g.coup.Result() == baccarat.BankerWon
	withoutCoupon := g.law.Options["vig_coupon_in_base"] == "false"
	var won, up int64
	for i := range g.round.Wagers {
		w := &g.round.Wagers[i]
		if w.Spot != baccarat.SpotBanker || w.Gone || !is(i) {
			continue
		}
		switch {
		case commission:
			of := w.Amount
			if withoutCoupon {
				of = max(of-w.Coupon, 0)
			}
			won, up = baccarat.Add(won, of), baccarat.Add(up, v.Up(of))
		case takes.Tie > 0:
			of, _ := law.TieCharge(takes.Tie, w.Amount-w.Coupon)
			_, to := law.TieCharge(takes.Tie, w.Amount)
			low, high = baccarat.Add(low, of), baccarat.Add(high, to)
		}
	}
	if commission && won > 0 {
		return v.Low(won), max(up, v.Up(won))
	}
	return low, high
}

// reduce takes an amount from collections: first what each has beyond the vigorish of its wagers, then the rest from
// the latest. A collection that was given back as a whole is removed.
func (g *giving) reduce(from []int, back int64) {
	take := func(s *record.Step, most int64) {
		part := min(back, max(most, 0))
		s.Amount, back = s.Amount-part, back-part
	}
	for _, i := range from {
		s := &g.round.Steps[i]
		_, high := g.due(func(w int) bool { return s.Covers(g.round, w) })
		take(s, s.Amount-high)
	}
	for _, i := range slices.Backward(from) {
		s := &g.round.Steps[i]
		if take(s, s.Amount); s.Amount == 0 { // an index before it stays
			g.round.Steps = slices.Delete(g.round.Steps, i, i+1)
		}
	}
}

// remove takes a motion, or a part of it, from the settlement of its wager.
func (g *giving) remove(m record.Refund) {
	r := g.round
	w := &r.Wagers[m.Wager]
	var before record.Seq // the motion of its kind before it
	at := record.Index(r.Steps, func(s *record.Step) bool { return s.Seq == m.Seq && s.Wager == m.Wager })
	kind := r.Steps[at].Kind
	for i := range r.Steps[:at] {
		if s := &r.Steps[i]; s.Kind == kind && s.Wager == m.Wager {
			before = s.Seq
		}
	}
	into := &w.Paid
	if kind == record.StepReturned {
		into, w.PutBack = &w.Returned, w.PutBack-min(w.PutBack, m.Amount)
	}
	if s := &r.Steps[at]; s.Amount > m.Amount {
		s.Amount, into.Amount = s.Amount-m.Amount, into.Amount-m.Amount
		return
	}
	*into = record.Settlement{Seq: before, Times: into.Times - 1, Amount: into.Amount - m.Amount}
	r.Steps = slices.Delete(r.Steps, at, at+1)
}

// refund is what was given back of the vigorish of a wager, and the motions that gave it back.
func (p *Pass) refund(w *record.Wager) (back int64, motions []record.Seq) {
	for _, m := range p.Round.Refunds {
		if &p.Round.Wagers[m.Wager] == w {
			back, motions = baccarat.Add(back, m.Amount), append(motions, m.Seq)
		}
	}
	return back, motions
}
