package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// charge is the vigorish of a seat in a round for some of its banker wagers. It may be taken in several motions: no
// clause wants one, so their sum is judged.
type charge struct {
	seat uint32
	// marked and took are the sums of the marks and of the collections, amount is what is judged.
	marked, took, amount int64
	// after is the sum of the marks that followed a collection, which therefore did not pay them.
	after int64
	// joint means that one collection took it for wagers that were marked, or charged, apart.
	joint bool
	steps []record.Seq
	// won, other, paid and wagers have an element for each wager covered. The amount won is what the wager was paid, of a
	// wager that was not paid what it wins. other is the other reading of it: what it wins, and nothing if it was not
	// paid.
	won    []int64
	other  []int64
	paid   []record.Seq
	wagers []string
	// at are their indices in the round, ascending.
	at []int
}

// takes is what the kind of vigorish takes on the cards of the round.
func (p *Pass) takes() law.Takes { return p.Law.Takes(p.Config, p.coup()) }

// namesKind reports whether a configuration elects a kind of vigorish that the rulebook alone defines.
func (s *Set) namesKind(c *law.Config) bool {
	return c.Mode == baccarat.VigorishOther && s.Allows(c.Kind())
}

// charges lists the round's commissions on banker wagers that won and were paid.
func (p *Pass) charges(v baccarat.Vig, each func(*charge)) {
	r := p.Round
	if p.cancelled() || !p.coup().Complete || p.coup().Result() != baccarat.BankerWon || !p.takes().Won {
		return
	}
	p.charged, p.legal, p.together = p.charged[:0], seatLegality{}, r.PaidTogether()
	paid := func(w *record.Wager) bool { // or not, and the dealer owes it
		return w.Spot == baccarat.SpotBanker && (w.Paid.Times > 0 || !w.Gone && p.disposition(w) == baccarat.Pay)
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if r.Elsewhere(s) {
			continue // checkVigOver suspects it
		}
		if s.Kind == record.StepVigCollected || s.Kind == record.StepVigMarked && !p.Shoe.TakenOff(r, s, v.Percent) {
			p.addCharge(s, paid)
		}
	}
	p.widen(paid, func(c *charge) bool {
		c.amount = c.marked + c.took
		return p.judgeVig(v, c) == baccarat.VigLegal
	})
	for i := range p.charged {
		c := &p.charged[i]
		c.amount = c.marked + c.took
		if c.marked > c.after && c.took > 0 && p.judgeVig(v, c) != baccarat.VigLegal {
			// The collection pays the mark before it, unless both are parts that are too little together. If it is right,
			// the mark was put right before the next first card.
			if c.joint || !record.Parts(c.marked-c.after, c.took, v.Percent, sum(c.won)) {
				c.amount = c.took + c.after
			}
			if c.after == 0 && record.PartOfMark(&v, c.marked, c.took, c.won) && !p.Shoe.MarkGone(p.Round, c.at) {
				c.amount = c.marked
			}
		}
		each(c)
	}
}

// addCharge adds a step to the charge that covers a chargeable wager of it, or begins a charge.
func (p *Pass) addCharge(s *record.Step, chargeable func(*record.Wager) bool) {
	r, k := p.Round, -1 // the index of the charge
	for w := range r.Wagers {
		wager := &r.Wagers[w]
		named := s.Kind == record.StepVigMarked && s.Wager == w || s.Kind > record.StepVigMarked && s.Covers(r, w)
		if !named || !chargeable(wager) {
			continue
		}
		if k < 0 {
			k = p.chargeOf(s.Seat, wager.ID)
		} else {
			k = p.join(k, w)
		}
		p.cover(&p.charged[k], w)
	}
	if k < 0 {
		return
	}
	c := &p.charged[k]
	c.steps = append(c.steps, s.Seq)
	if s.Kind == record.StepVigMarked {
		c.marked += s.Amount
		if c.took > 0 {
			c.after += s.Amount
		}
	} else {
		c.took += s.Amount
	}
}

// cover adds a wager to those that a charge covers, unless it covers the wager.
func (p *Pass) cover(c *charge, w int) {
	at, covered := slices.BinarySearch(c.at, w)
	if covered {
		return
	}
	wager := &p.Round.Wagers[w]
	c.at = slices.Insert(c.at, at, w)
	won, paid := wager.Winnings(p.together)
	other := wager.Amount
	unpaid := wager.Paid.Times == 0 || wager.Paid.Amount > 0 && wager.Net().Paid == 0 // it was taken back
	if unpaid && wager.PaidWith(p.together) == 0 {
		won, other, paid = wager.Amount, 0, wager.Placed
	}
	if p.option("vig_coupon_in_base") == "false" {
		won, other = max(won-wager.Coupon, 0), max(other-wager.Coupon, 0) // a coupon wins its value
	}
	c.won, c.other, c.paid = append(c.won, won), append(c.other, other), append(c.paid, paid)
	c.wagers = append(c.wagers, wager.ID)
}

// chargeOf is the index of the charge that covers a wager, of a new one if none does.
func (p *Pass) chargeOf(seat uint32, wager string) int {
	for i := range p.charged {
		if slices.Contains(p.charged[i].wagers, wager) {
			return i
		}
	}
	p.charged = slices.Grow(p.charged, 1)[:len(p.charged)+1]
	last := len(p.charged) - 1
	c := &p.charged[last]
	*c = charge{
		seat: seat, steps: c.steps[:0], won: c.won[:0], other: c.other[:0], paid: c.paid[:0], wagers: c.wagers[:0],
		at: c.at[:0],
	}
	return last
}

// join adds to a charge the charge that covers a wager: a collection takes both. It returns the index of the charge.
func (p *Pass) join(to, wager int) int {
	covers := func(c *charge) bool {
		_, found := slices.BinarySearch(c.at, wager)
		return found
	}
	c := &p.charged[to]
	if covers(c) {
		return to
	}
	from := record.Index(p.charged, covers)
	if from < 0 {
		return to
	}
	o := &p.charged[from]
	c.at, c.won, c.paid = append(c.at, o.at...), append(c.won, o.won...), append(c.paid, o.paid...)
	c.other = append(c.other, o.other...)
	c.wagers, c.steps = append(c.wagers, o.wagers...), append(c.steps, o.steps...)
	slices.Sort(c.at)
	slices.Sort(c.steps)
	c.marked, c.took, c.after, c.joint = c.marked+o.marked, c.took+o.took, c.after+o.after, true
	p.charged = slices.Delete(p.charged, from, from+1)
	if from < to {
		to--
	}
	return to
}

// judgeVig judges a charge: for each wager, or, unless the option excludes that reading of "the amount won", for what a
// player won in the round.
func (p *Pass) judgeVig(v baccarat.Vig, c *charge) baccarat.VigVerdict {
	verdict := v.Judge(c.amount, c.won...)
	if p.option("vig_rounding_stage") == "at_collection" {
		return judgeLate(v, c)
	}
	if verdict == baccarat.VigLegal || p.option("vig_aggregate") == "per_wager" {
		return verdict
	}
	if v.Judge(c.amount, p.byPlayer(c)...) == baccarat.VigLegal || p.seatLegal(v, c.seat) {
		return baccarat.VigLegal
	}
	return verdict
}

// byPlayer is what each player won of what a charge covers. A player who is not known may be any of them.
func (p *Pass) byPlayer(charges ...*charge) []int64 {
	var players []string
	var won []int64
	for _, c := range charges {
		for i, id := range c.wagers {
			w := p.Round.WagerIndex(id)
			if w < 0 || p.Round.Wagers[w].Patron == "" {
				return []int64{sumOf(charges)}
			}
			at := slices.Index(players, p.Round.Wagers[w].Patron)
			if at < 0 {
				at, players, won = len(players), append(players, p.Round.Wagers[w].Patron), append(won, 0)
			}
			won[at] += c.won[i]
		}
	}
	return won
}

func sumOf(charges []*charge) (total int64) {
	for _, c := range charges {
		total = baccarat.Add(total, sum(c.won))
	}
	return total
}

// seatLegality is whether the charges of a seat are legal together, if known.
type seatLegality struct {
	known, legal bool
	seat         uint32
}

// seatLegal reports whether all charges of a seat together are a legal vigorish of all that it won.
func (p *Pass) seatLegal(v baccarat.Vig, seat uint32) bool {
	if l := &p.legal; !l.known || l.seat != seat {
		*l = seatLegality{known: true, seat: seat, legal: p.legalTogether(v, seat)}
	}
	return p.legal.legal
}

func (p *Pass) legalTogether(v baccarat.Vig, seat uint32) bool {
	var amount int64
	var charges []*charge
	apart := true // each charge is of one known player
	for i := range p.charged {
		if c := &p.charged[i]; c.seat == seat {
			amount, charges = amount+c.marked+c.took, append(charges, c)
			apart = apart && p.chargedPlayer(c) != ""
		}
	}
	if len(charges) < 2 {
		return false
	}
	if !apart {
		return v.Judge(amount, p.byPlayer(charges...)...) == baccarat.VigLegal
	}
	return !slices.ContainsFunc(charges, func(c *charge) bool { return !p.legalOfPlayer(v, c, charges) })
}

// legalOfPlayer reports whether the charges of the player of one of several charges are a legal vigorish of all that
// the player won.
func (p *Pass) legalOfPlayer(v baccarat.Vig, of *charge, charges []*charge) bool {
	var amount int64
	var own []*charge
	for _, c := range charges {
		if p.chargedPlayer(c) == p.chargedPlayer(of) {
			amount, own = amount+c.marked+c.took, append(own, c)
		}
	}
	return v.Judge(amount, p.byPlayer(own...)...) == baccarat.VigLegal
}

// chargedPlayer is the patron of all wagers that a charge covers, empty if unknown or if there are several.
func (p *Pass) chargedPlayer(c *charge) (patron string) {
	for i, w := range c.at {
		of := p.Round.Wagers[w].Patron
		if i > 0 && of != patron {
			return ""
		}
		patron = of
	}
	return patron
}

// otherPlayers reports whether two charges are of different players, and are known to be. A seat may have several.
func (p *Pass) otherPlayers(c, o *charge) bool {
	one, other := p.chargedPlayer(c), p.chargedPlayer(o)
	return c.seat != o.seat || one != "" && other != "" && one != other
}

func sum(amounts []int64) (total int64) {
	for _, n := range amounts {
		total = baccarat.Add(total, n)
	}
	return total
}

// judgeLate is the reading that only what is collected is rounded: a mark is exact where that is a
// whole number of minor units, and one collection is rounded once.
func judgeLate(v baccarat.Vig, c *charge) baccarat.VigVerdict {
	won := sum(c.won)
	verdict := v.Judge(c.amount, won)
	if exact, whole := v.Exact(won); verdict == baccarat.VigLegal && c.took == 0 && whole && c.amount != exact {
		return baccarat.VigOver
	}
	return verdict
}

func vigAmount(verdict baccarat.VigVerdict) func(*Pass) {
	return func(p *Pass) {
		v, ok := p.Law.Commission(p.Config, p.coup())
		if !ok {
			return
		}
		p.charges(v, func(c *charge) {
			if p.judgeVig(v, c) != verdict || p.otherPercent(v, c) {
				return
			}
			from, mispaid := len(p.Findings), !slices.Equal(c.won, c.other)
			of, unpaid := *c, slices.Contains(c.other, 0)
			if wrong := mispaid && p.wrongToo(v, c, verdict); wrong || !unpaid {
				if wrong && !unpaid {
					of.won = c.other // what it wins by the cards
				}
				p.reportVig(v, &of, "")
				for i := range p.Findings[from:] {
					p.Findings[from+i].Apart = wrong
				}
				p.exchangedVig(v, c)
				p.chargedHere(v, c)
			}
		})
	}
}

// exchangedVig joins the findings about a charge with too much and a charge with too little, if each is a single motion
// and right for the other: the two were exchanged. It is one mistake. A seat may have several players.
func (p *Pass) exchangedVig(v baccarat.Vig, c *charge) {
	of := func(c *charge, amount int64) bool { return v.Judge(amount, c.won...) == baccarat.VigLegal }
	last := len(p.Findings) - 1
	if last < 0 || p.rule.Name != "vig.amount.over" || p.Findings[last].Rule != p.rule || len(c.steps) != 1 {
		return
	}
	for i := range p.charged {
		o := &p.charged[i]
		took := o.marked + o.took
		if !p.otherPlayers(c, o) || len(o.steps) != 1 || !of(c, took) || !of(o, c.amount) {
			continue
		}
		at := p.foundOf(o, "vig.amount.under", p.Findings[last].Verdict)
		if at < 0 {
			continue
		}
		under := p.Findings[at]
		p.Findings = slices.Delete(p.Findings, at, at+1)
		f := &p.Findings[len(p.Findings)-1]
		f.Observed = fmt.Sprintf("%s at seat %d", f.Observed, c.seat)
		f.join(&under)
		f.Parts = append(f.Parts, under.Parts...)
		return
	}
}

// chargedHere adds to the finding about an excessive charge the one wager of another seat that was not charged, if the
// excess is what it owes.
func (p *Pass) chargedHere(v baccarat.Vig, c *charge) {
	last := len(p.Findings) - 1
	if last < 0 || p.rule.Name != "vig.amount.over" || p.Findings[last].Rule != p.rule || p.Findings[last].Seat != c.seat {
		return
	}
	p.takenFor(&p.Findings[last], "the excess", p.uncharged(c.seat, func(w *record.Wager) bool {
		due := func(owed int64) bool {
			return v.Judge(owed, w.Amount) == baccarat.VigLegal && v.Judge(c.amount-owed, c.won...) == baccarat.VigLegal
		}
		exact, _ := v.Exact(w.Amount)
		return w.Paid.Times > 0 && (due(exact) || due(v.Rounded(w.Amount)))
	}))
}

// uncharged is the only banker wager of another seat that is due and was not charged, nil if there is none or several.
func (p *Pass) uncharged(seat uint32, due func(*record.Wager) bool) (of *record.Wager) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		switch {
		case w.Spot != baccarat.SpotBanker || w.Seat == seat || w.Gone || p.Round.Charged(i) || !due(w):
		case of != nil:
			return nil // it is not known which of them
		default:
			of = w
		}
	}
	return of
}

// takenFor adds to the finding about vigorish at a seat the wager of another seat that owes it: it was taken from the
// wrong seat, which is one mistake. If both seats may be of one patron, it was "extracted from the winning player".
// N.J.A.C. 19:47-3.3(c), 7.3(c) and (d); 9 NYCRR 5324.21(c)(3).
func (p *Pass) takenFor(f *Finding, what string, of *record.Wager) {
	if of == nil {
		return
	}
	f.Parts = append(f.Parts, finding.OfWager(of.ID))
	f.Observed += fmt.Sprintf(": %s is what seat %d owes and was not charged", what, of.Seat)
	vacant, unknown, one := true, of.Patron == "", false
	for i := range p.Round.Wagers {
		if w := &p.Round.Wagers[i]; w.Seat == f.Seat {
			vacant, unknown, one = false, unknown || w.Patron == "", one || w.Patron == of.Patron
		}
	}
	switch {
	case vacant, unknown:
		f.Observed = fmt.Sprintf(
			"whether seats %d and %d are of one patron was not reported; found: %s", f.Seat, of.Seat, f.Observed,
		)
	case one:
		f.Observed = fmt.Sprintf("one patron wagered at seats %d and %d; found: %s", f.Seat, of.Seat, f.Observed)
	default:
		return
	}
	f.Verdict = finding.Unauditable
}

// foundOf is the index of the finding of a rule about a charge, with a verdict; -1 without one.
func (p *Pass) foundOf(c *charge, rule string, verdict finding.Verdict) int {
	return record.Index(p.Findings, func(g *Finding) bool {
		return g.Rule.Name == rule && g.Subject == finding.OfSeat(c.seat) && g.Verdict == verdict &&
			slices.Contains(g.Parts, finding.OfWager(c.wagers[0]))
	})
}

// wrongToo reports whether a charge of wagers that were paid wrong, or not at all, is wrong in the same way by the
// other reading of "the amount won", and together with what was paid: then it is a breach beside the payment, which
// else explains it. N.J.A.C. 19:47-3.3(c), 7.3(c); 9 NYCRR 5324.21(c)(3).
func (p *Pass) wrongToo(v baccarat.Vig, c *charge, verdict baccarat.VigVerdict) bool {
	o := *c
	o.won = c.other
	if p.judgeVig(v, &o) != verdict {
		return false
	}
	if slices.Contains(c.other, 0) {
		return true
	}
	o.amount += sum(c.other) - sum(c.won) // kept of the payment, or given back with it
	net := p.judgeVig(v, &o)
	return net == verdict || verdict == baccarat.VigUnder && net != baccarat.VigLegal
}

// settledWith reports whether the wagers of a vigorish were settled at its seat as well, and not at their own:
// payout.unsettled has it.
func (p *Pass) settledWith(s *record.Step) bool {
	r := p.Round
	at := func(w int) bool { return r.SettledAt(w) == s.Seat }
	if !p.judges("payout.unsettled") {
		return false
	}
	return s.Wager >= 0 && at(s.Wager) || s.Wager < 0 && !slices.ContainsFunc(s.Wagers, func(w int) bool { return !at(w) })
}

func checkVigOver(p *Pass) {
	vigAmount(baccarat.VigOver)(p)
	p.suspectNamed()
	p.suspectElsewhere(isVig)
}

// suspectElsewhere suspects vigorish of a kind that was taken at another seat than that of a wager which it names: one
// of the two seats may be a device's error. A collection may be for wagers of one patron at several seats.
func (p *Pass) suspectElsewhere(of func(*record.Step) bool) {
	r := p.Round
	for i := range r.Steps {
		s := &r.Steps[i]
		if !of(s) || p.settledWith(s) {
			continue
		}
		owing := r.Owing(s)
		if owing == s.Seat {
			switch w, known := p.ofAnother(s); {
			case w == nil:
				continue
			case !known:
				p.CannotJudge(
					fmt.Sprintf("whether seats %d and %d are of one patron was not reported", s.Seat, w.Seat), s.Seq,
				)
				continue
			default:
				owing = w.Seat
			}
		}
		p.Suspect(Finding{
			Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: []record.Seq{s.Seq},
			Expected: fmt.Sprintf("vigorish of seat %d at seat %d", owing, owing),
			Observed: fmt.Sprintf("%s at seat %d", p.money(s.Amount), s.Seat),
		})
	}
}

// ofAnother is a wager that a collection names, at another seat than its own, and not of a patron whose wager it names
// at its seat; nil if there is none. Vigorish is extracted "from the winning player". It is not known if a patron is
// not. N.J.A.C. 19:47-3.3(c), 7.3(c) and (d).
func (p *Pass) ofAnother(s *record.Step) (w *record.Wager, known bool) {
	wagers := p.Round.Wagers
	here := func(of func(*record.Wager) bool) bool {
		return slices.ContainsFunc(s.Wagers, func(o int) bool { return wagers[o].Seat == s.Seat && of(&wagers[o]) })
	}
	unknown := here(func(o *record.Wager) bool { return o.Patron == "" })
	for _, at := range s.Wagers {
		other := &wagers[at]
		patron := other.Patron
		switch {
		case other.Seat == s.Seat, patron != "" && here(func(o *record.Wager) bool { return o.Patron == patron }):
		case patron != "" && !unknown:
			return other, true
		default:
			w = other
		}
	}
	return w, false
}

func (p *Pass) reportVig(v baccarat.Vig, c *charge, note string) {
	if unreported(p.Round, c.seat) { // the charge may be for that wager
		p.CannotJudge(fmt.Sprintf("a wager of seat %d was not reported", c.seat), c.steps...)
		return
	}
	var won, up int64
	for _, w := range c.won {
		won += w
		up = baccarat.Add(up, v.Rounded(w))
	}
	exact, whole := v.Exact(won)
	if p.option("vig_rounding_stage") == "at_collection" {
		if up = v.Rounded(won); whole && c.took == 0 {
			up = exact
		}
	}
	legal := p.money(up)
	if whole && exact != up {
		legal = p.money(exact) + " or " + p.money(up)
	}
	off := up - c.amount
	if whole && abs(exact-c.amount) < abs(off) {
		off = exact - c.amount
	}
	once := *c // without marks that may have been published twice
	for i := range p.Round.Steps {
		s := &p.Round.Steps[i]
		if s.Kind == record.StepVigMarked && slices.Contains(c.steps, s.Seq) && p.Shoe.Repeats(p.Round, s, v.Percent) {
			once.amount -= s.Amount
		}
	}
	repeated := once.amount < c.amount && p.judgeVig(v, &once) == baccarat.VigLegal
	p.suspectIf(repeated || p.oneLower(c.seat) || p.maybeTakenOff(v, c), Finding{
		Subject: finding.OfSeat(c.seat), Parts: ofWagers(c.wagers), Seat: c.seat, Amount: abs(off),
		Evidence: append(append(slices.Clone(c.paid), c.steps...), p.heldFor(c)...),
		Expected: fmt.Sprintf("%d percent of %s: %s", v.Percent, p.money(won), legal),
		Observed: p.money(c.amount) + note,
	})
}

// heldFor are the payments of the earlier wagers of the seat of a charge if a marker of it took the place of earlier
// ones: it has what is owed of these as well.
func (p *Pass) heldFor(c *charge) (paid []record.Seq) {
	held := func(s *record.Step) bool { return s.Held > 0 && slices.Contains(c.steps, s.Seq) }
	if !record.Any(p.Round.Steps, held) {
		return nil
	}
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; d.Seat == c.seat && d.Round < p.Round.No {
			paid = append(paid, d.PaidAt)
		}
	}
	return paid
}

// maybeTakenOff reports whether a charge is right without one of its markers, and the table does not report which of
// them are taken off.
func (p *Pass) maybeTakenOff(v baccarat.Vig, c *charge) bool {
	if p.Config.Reports(baccarat.FeedMarkers) {
		return false
	}
	return record.Any(p.Round.Steps, func(s *record.Step) bool {
		without := *c
		without.amount -= s.Amount
		return s.Kind == record.StepVigMarked && slices.Contains(c.steps, s.Seq) && without.amount > 0 &&
			p.judgeVig(v, &without) == baccarat.VigLegal
	})
}

// otherPercent reports whether a charge is wrong at the table's percentage, right at another allowed
// one, and another seat was charged rightly: then patrons of the table are charged differently.
// 19:47-3.3(d).
func (p *Pass) otherPercent(v baccarat.Vig, c *charge) bool {
	if !p.judges("vig.uniform-table") || !p.takes().Elected || p.judgeVig(v, c) == baccarat.VigLegal {
		return false
	}
	other := false
	for percent := range p.Law.Units {
		o, _ := p.Law.Vigorish(percent)
		other = other || (percent != v.Percent && o.Judge(c.amount, c.won...) == baccarat.VigLegal)
	}
	return other && p.chargedElsewhere(v, c.seat)
}

// chargedElsewhere reports whether another seat of the shoe was charged at the table's percentage.
func (p *Pass) chargedElsewhere(v baccarat.Vig, seat uint32) bool {
	return record.Any(p.Shoe.Dues, func(d *record.Due) bool {
		took := max(d.Marked, d.Took)
		return d.Seat != seat && !d.Unproved && d.Percent == v.Percent && took > 0 &&
			v.Judge(took, d.Won) == baccarat.VigLegal
	})
}

func checkUniformTable(p *Pass) {
	v, ok := p.Law.Commission(p.Config, p.coup())
	if !ok {
		return
	}
	p.charges(v, func(c *charge) {
		switch {
		case !p.otherPercent(v, c):
		case p.oneLower(c.seat), p.oneHigher(c.seat):
			p.reportVig(v, c, ", another percentage than in other rounds")
		default:
			p.reportVig(v, c, ", another percentage than other seats")
		}
	})
}

// oneLower reports whether the banker wagers of a round that won are of several seats, and each was charged the same
// percentage below the table's: no player of the round is charged differently, and the decrease may have been reported
// too late. An increase needs a notice.
func (p *Pass) oneLower(seat uint32) bool {
	return p.oneOther(seat, func(percent int64) bool { return percent < p.Config.Percent })
}

// oneHigher reports the same of one percentage above the table's.
func (p *Pass) oneHigher(seat uint32) bool {
	return p.oneOther(seat, func(percent int64) bool { return percent > p.Config.Percent })
}

func (p *Pass) oneOther(seat uint32, than func(percent int64) bool) bool {
	for percent := range p.Law.Units {
		of, _ := p.Law.Vigorish(percent)
		if !than(percent) {
			continue
		}
		others := 0
		for i := range p.charged {
			c := &p.charged[i]
			if of.Judge(c.marked+c.took, c.won...) != baccarat.VigLegal {
				others = 0
				break
			}
			if c.seat != seat {
				others++
			}
		}
		if others > 0 {
			return true
		}
	}
	return false
}
