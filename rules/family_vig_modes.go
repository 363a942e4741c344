package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// The checks of tables that charge otherwise than by a commission: ties, EZ, no vigorish.

func checkTieExclusive(p *Pass) {
	r := p.Round
	if p.Config.Mode != baccarat.Tie25 || !slices.Contains(p.Law.Modes, baccarat.Tie25) || p.cancelled() ||
		!p.coup().Complete || p.coup().Result() != baccarat.BankerWon {
		return
	}
	reading := p.option("ny_tie25_exclusive")
	if reading == "false" {
		return // both charges are read to stand side by side
	}
	from := len(p.Findings)
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Kind == record.StepVigMarked || s.Kind == record.StepVigCollected {
			p.Report(Finding{
				Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount,
				Evidence: append(cardEvidence(r), s.Seq),
				Expected: "no commission, the tie charge is elected", Observed: p.money(s.Amount) + " taken",
			})
		}
	}
	if reading == "either" {
		p.suspectFrom(from) // only N.J.A.C. 19:47-7.3(d) has the sentence that excludes the commission
	}
}

func checkTieAmount(p *Pass) {
	r := p.Round
	if p.cancelled() || !p.coup().Complete || p.coup().Result() != baccarat.Tie || p.takes().Tie == 0 {
		return
	}
	percent := p.takes().Tie
	p.suspectElsewhere(func(s *record.Step) bool { return s.Kind == record.StepTieCharge })
	p.stakeCharges()
	p.widen(func(*record.Wager) bool { return true }, func(c *charge) bool {
		_, _, right := p.ofStake(c, percent)
		return right
	})
	for i := range p.charged {
		c := &p.charged[i]
		switch amount, floor, right := p.ofStake(c, percent); {
		case right:
		case unreported(r, c.seat):
			p.CannotJudge(fmt.Sprintf("a wager of seat %d was not reported", c.seat), c.steps...)
		default:
			p.Report(Finding{
				Subject: finding.OfSeat(c.seat), Parts: ofWagers(c.wagers), Seat: c.seat, Amount: abs(floor - amount),
				Evidence: append(cardEvidence(r), c.steps...),
				Expected: fmt.Sprintf("%d percent of the banker wager: %s", percent, p.money(floor)),
				Observed: p.money(amount),
				Apart:    !p.ofReturned(c, percent, amount) && p.asCommission(c, amount) == nil,
			})
			p.exchangedTie(c, percent)
			p.chargedHereTie(c, percent)
		}
	}
}

// exchangedTie joins the last finding to the finding about an earlier charge, if each is a single motion and right for
// the other: the two were exchanged. It is one mistake.
func (p *Pass) exchangedTie(c *charge, percent int64) {
	last := len(p.Findings) - 1
	f := p.Findings[last]
	right := func(of charge, with *charge) bool {
		of.marked, of.took = with.marked, with.took
		_, _, ok := p.ofStake(&of, percent)
		return ok
	}
	for i := range p.charged {
		o := &p.charged[i]
		at := p.foundOf(o, f.Rule.Name, f.Verdict)
		if at < 0 || at == last || p.Findings[at].Seat != o.seat {
			continue
		}
		if !p.otherPlayers(c, o) || len(o.steps) != 1 || len(c.steps) != 1 || !right(*o, c) || !right(*c, o) {
			continue
		}
		p.Findings = p.Findings[:last]
		g := &p.Findings[at]
		g.Observed = fmt.Sprintf("%s at seat %d", g.Observed, g.Seat)
		g.join(&f)
		g.Parts, g.Apart = append(g.Parts, f.Parts...), g.Apart || f.Apart
		return
	}
}

// chargedHereTie adds to the finding about a charge the one wager of another seat that was not charged, if the charge
// is right for its own wagers and that one together.
func (p *Pass) chargedHereTie(c *charge, percent int64) {
	f := &p.Findings[len(p.Findings)-1]
	if f.Seat != c.seat {
		return
	}
	p.takenFor(f, "the excess", p.uncharged(c.seat, func(w *record.Wager) bool {
		both := charge{took: c.marked + c.took, wagers: append(slices.Clone(c.wagers), w.ID)}
		_, _, right := p.ofStake(&both, percent)
		return right
	}))
}

// ofReturned reports whether a charge is the percentage of what was returned of its wagers: then the stake is what is
// wrong with both.
func (p *Pass) ofReturned(c *charge, percent, amount int64) bool {
	var least, most int64
	for _, id := range c.wagers {
		low, high := law.TieCharge(percent, p.Round.Wagers[p.Round.WagerIndex(id)].Net().Returned)
		least, most = least+low, most+high
	}
	return least <= amount && amount <= most
}

// stakeCharges gathers what was marked and collected for the banker wagers of the round.
func (p *Pass) stakeCharges() {
	p.charged, p.together = p.charged[:0], nil
	for i := range p.Round.Steps {
		s := &p.Round.Steps[i]
		off := s.Kind == record.StepVigMarked && p.Shoe.TakenOff(p.Round, s, p.percent())
		if s.Kind >= record.StepVigMarked && p.namesBanker(s) && !off {
			p.addCharge(s, func(w *record.Wager) bool { return w.Spot == baccarat.SpotBanker })
		}
	}
}

// ofStake is the amount of a charge of a percentage of the stake, the least that it may be, and whether it is right.
func (p *Pass) ofStake(c *charge, percent int64) (amount, floor int64, right bool) {
	floor, ceil := p.tieCharge(c, percent, p.option("tie25_coupon_in_base") == "true")
	within := func(amount int64) bool {
		low, high := floor, ceil
		if p.option("tie25_coupon_in_base") == "either" && amount > ceil {
			low, high = p.tieCharge(c, percent, true)
		}
		return low <= amount && amount <= high
	}
	amount = c.marked + c.took
	if c.took > 0 && (within(c.marked) || within(c.took) || c.took == c.marked && !within(amount)) {
		amount = c.took // the collection is no further part: it pays the mark
	}
	return amount, floor, within(amount)
}

// tieCharge is the range of what is charged on a tie for the wagers that a charge covers. There is no rounding clause:
// of an amount that is not whole either neighbour is accepted, unless the option names one. A coupon is a part of the
// wager, 19:47-7.2(c), or only the right to one: the base has it or has it not.
func (p *Pass) tieCharge(c *charge, percent int64, coupon bool) (floor, ceil int64) {
	for _, id := range c.wagers {
		wager := &p.Round.Wagers[p.Round.WagerIndex(id)]
		stake := wager.Amount
		if !coupon {
			stake -= wager.Coupon
		}
		low, high := law.TieCharge(percent, stake)
		switch p.option("tie25_fraction") {
		case "floor":
			high = low
		case "ceil":
			low = high
		}
		floor, ceil = floor+low, ceil+high
	}
	return floor, ceil
}

func checkTieTiming(p *Pass) {
	for i := range p.Shoe.Dues {
		d := &p.Shoe.Dues[i]
		if d.Tie && !d.Unproved && !d.AtOnce && (d.CollectedAt != 0 || d.Marked != 0) {
			p.reportDue(d, "collected before the next first card", "deferred", max(d.CollectedAt, d.MarkedAt))
		}
		if at := p.cardAfter(d); d.Tie && !d.Unproved && d.AtOnce && at != 0 {
			p.reportDue(d, "collected at the end of the round", "collected before the last card", d.CollectedAt, at)
		}
	}
}

// cardAfter is a card that left the shoe after the vigorish of a wager was collected, and before the result of its
// round was called, 0 if none did.
func (p *Pass) cardAfter(d *record.Due) record.Seq {
	r := round(p.Shoe, d.Round)
	if r == nil || d.CollectedAt == 0 || d.CollectedAt > r.Called {
		return 0
	}
	for _, at := range p.Shoe.OrderAt {
		if at > d.CollectedAt && at < r.Called {
			return at
		}
	}
	return 0
}

func checkTieAll(p *Pass) {
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; d.Tie && !d.Unproved && d.CollectedAt == 0 && d.Marked == 0 && p.dueAmount(d) > 0 {
			p.reportDue(d, fmt.Sprintf("charged %d percent", p.Law.TiePercent(d.Kind)), "not charged")
		}
	}
}

func checkTieAuthorised(p *Pass) {
	p.inUse(func(c, since *law.Config, at record.Seq) {
		if c.Mode == baccarat.Tie25 && (since == nil || since.Mode != c.Mode) &&
			!slices.Contains(p.Law.Modes, baccarat.Tie25) {
			p.Report(Finding{
				Expected: kindsText(p.Law.Kinds()), Observed: "TIE25", Evidence: []record.Seq{at},
			})
		}
	})
}

func checkNoVigorish(mode baccarat.VigorishMode) func(*Pass) {
	return func(p *Pass) {
		if p.Config.Mode != mode || p.cancelled() {
			return
		}
		quarter := p.quarterTaken()
		for i := range p.Round.Steps {
			s := &p.Round.Steps[i]
			if s.Kind < record.StepVigMarked || p.dragonCharge() {
				continue
			}
			f := Finding{
				Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: []record.Seq{s.Seq},
				Expected: fmt.Sprintf("no vigorish under %v", mode), Observed: p.money(s.Amount) + " taken",
				Parts: p.asWin(s),
			}
			if !p.liftedAgain(s, &f) && quarter && p.namesBanker(s) {
				f.Verdict = finding.Suspect
			}
			p.Report(f)
		}
	}
}

// liftedAgain makes a mark whose marker was taken off again an information.
func (p *Pass) liftedAgain(s *record.Step, f *Finding) bool {
	off := p.Shoe.Lifted(p.Round, s)
	if off == 0 || s.Kind != record.StepVigMarked {
		return false
	}
	f.Verdict, f.Evidence = finding.Information, append(f.Evidence, off)
	f.Observed = p.money(s.Amount) + " marked, and the marker taken off again"
	return true
}

// quarterTaken reports whether the quarter that the text may allow was taken of each banker wager, as a charge or as a
// return net of it. 9 NYCRR 5324.21(b)(1)(i)(c) and (c)(4) let any table charge that on a tie; whether beside another
// kind of vigorish, no sentence has.
func (p *Pass) quarterTaken() bool {
	percent := p.quarter()
	if percent == 0 || p.sparedBanker(percent) != 0 {
		return false
	}
	p.stakeCharges()
	for i := range p.charged {
		if _, _, right := p.ofStake(&p.charged[i], percent); !right {
			return false
		}
	}
	return true
}

// quarter is the percentage that the text may let any table charge of each banker wager on a tie, or an EZ table on a
// dragon 7, 0 if it does not on the cards of the round.
func (p *Pass) quarter() int64 {
	onTie, onDragon, c := p.option("ny_tie25_exclusive"), p.option("ez_dragon7_charge"), p.coup()
	switch {
	case p.cancelled() || !c.Complete:
	case p.dragonCharge() && (onDragon == "either" || onDragon == "pct25"):
		return dragonPercent
	case c.Result() == baccarat.Tie && onTie != "" && onTie != "true":
		return p.Law.TiePercent("")
	}
	return 0
}

// keptQuarter reports whether a wager without a charge on record was returned less a percentage of it.
func (p *Pass) keptQuarter(w int, percent int64) bool {
	wager := &p.Round.Wagers[w]
	net := charge{took: wager.Amount - wager.Net().Returned, wagers: []string{wager.ID}}
	_, _, right := p.ofStake(&net, percent)
	return right && wager.Disposition() == baccarat.Return && !p.tookFrom(w)
}

// dragonPercent is the charge of the stake on an EZ dragon 7 that 9 NYCRR 5324.21(b)(1)(i)(c) names.
const dragonPercent = 25

// dragonCharge reports whether the round is an EZ dragon 7, whose charge has a separate rule.
func (p *Pass) dragonCharge() bool {
	c := p.coup()
	return c.Complete && !p.Config.Kind().Named() && p.Law.Pushes(p.Config.Kind(), c)
}

// checkDragonCharge judges what is charged on an EZ dragon 7. 9 NYCRR 5324.21(b)(1)(i)(c) names a charge of 25 percent,
// (a)(2)(vii)(c) advises players of a push: a quarter taken of each banker wager is suspected, any other amount, or
// some wagers spared, is allowed by neither.
func checkDragonCharge(p *Pass) {
	r := p.Round
	if !p.dragonCharge() || p.cancelled() {
		return
	}
	spared := p.sparedBanker(dragonPercent)
	orCharged := fmt.Sprintf("a dragon 7 is a pure push, or each banker wager is charged %d percent", dragonPercent)
	p.stakeCharges()
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Kind < record.StepVigMarked {
			continue
		}
		f := Finding{
			Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: append(cardEvidence(r), s.Seq),
			Expected: "a dragon 7 is a pure push", Observed: p.money(s.Amount) + " charged",
		}
		quarter := p.Round.UnreadVigorish(s.Seat) != 0
		c := p.chargeWith(s)
		if c != nil {
			if s.Seq != c.steps[0] {
				continue // one charge, in several motions
			}
			amount, _, right := p.ofStake(c, dragonPercent)
			f.Amount, f.Observed, quarter = amount, p.money(amount)+" charged", quarter || right
			f.Evidence = append(cardEvidence(r), c.steps...)
			f.Parts = p.asCommission(c, amount)
		}
		switch {
		case (c == nil || c.took == 0) && p.liftedAgain(s, &f):
			p.Report(f)
		case !quarter:
			f.Expected = orCharged
			p.Report(f)
		case spared != 0:
			f.Expected = orCharged
			f.Observed += fmt.Sprintf(", nothing of the banker wager at seat %d", spared)
			p.Report(f)
		case p.option("ez_dragon7_charge") == "either":
			p.Suspect(f)
		case p.option("ez_dragon7_charge") != "pct25":
			p.Report(f)
		}
	}
}

// asWin is asCommission for the charge of a step.
func (p *Pass) asWin(s *record.Step) []finding.Subject {
	p.stakeCharges()
	c := p.chargeWith(s)
	if c == nil {
		return nil
	}
	amount, _, _ := p.ofStake(c, dragonPercent)
	return p.asCommission(c, amount)
}

// asCommission are the wagers of a charge if each was paid, and the charge is the commission on what was paid. If they
// did not win, the payment and the charge are one mistake: the round was settled as a win of the banker hand.
func (p *Pass) asCommission(c *charge, amount int64) []finding.Subject {
	for _, id := range c.wagers {
		if p.Round.Wagers[p.Round.WagerIndex(id)].Disposition() != baccarat.Pay {
			return nil
		}
	}
	for _, percent := range slices.Sorted(maps.Keys(p.Law.Units)) {
		if v, ok := p.Law.Rate("", percent); ok && v.Judge(amount, c.won...) == baccarat.VigLegal {
			return ofWagers(c.wagers)
		}
	}
	return nil
}

// chargeWith is the charge of which a step is a part, nil if it is of no banker wager.
func (p *Pass) chargeWith(s *record.Step) *charge {
	for i := range p.charged {
		if c := &p.charged[i]; slices.Contains(c.steps, s.Seq) {
			return c
		}
	}
	return nil
}

// sparedBanker is the seat of a banker wager of the round from which nothing was taken, and which was not returned less
// the percentage; 0 if there is none.
func (p *Pass) sparedBanker(percent int64) uint32 {
	r := p.Round
	for w := range r.Wagers {
		wager := &r.Wagers[w]
		if wager.Spot == baccarat.SpotBanker && !wager.Gone && !p.tookFrom(w) && !p.keptQuarter(w, percent) {
			return wager.Seat
		}
	}
	return 0
}

// tookFrom reports whether a vigorish of any kind was marked or collected for a wager of the round.
func (p *Pass) tookFrom(w int) bool {
	return record.Any(p.Round.Steps, func(s *record.Step) bool {
		return s.Kind == record.StepVigMarked && s.Wager == w || s.Kind > record.StepVigMarked && s.Covers(p.Round, w)
	})
}

func checkOneMode(p *Pass) {
	p.changedInRound(func(now *law.Config) bool {
		return !kindUnknown(now) && !kindUnknown(p.Config) && now.Kind() != p.Config.Kind()
	}, "kind of vigorish")
}

// checkElectedCharge judges winning banker wagers at a table whose kind of vigorish the text does not know: it pays
// them and takes nothing, or what it takes has no rule.
func checkElectedCharge(p *Pass) {
	mode := p.Config.Mode
	if p.Law.Allows(p.Config.Kind()) || mode == baccarat.Tie25 || p.cancelled() || !p.coup().Complete ||
		p.coup().Result() != baccarat.BankerWon {
		return
	}
	declared := p.Config.Kind().String()
	if mode == baccarat.NoVigorishMode {
		declared = "no kind of vigorish"
	}
	// Where the book has another kind, which may take nothing from a banker hand that wins, the table may charge that: it
	// declares none, or a word that the book does not have.
	lawful := (mode == baccarat.NoVigorishMode || mode == baccarat.VigorishOther) &&
		(len(p.Law.Unseen)+len(p.Law.NamedModes) > 0 ||
			slices.ContainsFunc(p.Law.Modes, func(m baccarat.VigorishMode) bool {
				return m != baccarat.Commission
			}))
	for w := range p.Round.Wagers {
		wager := &p.Round.Wagers[w]
		switch {
		case wager.Spot != baccarat.SpotBanker || wager.Gone || wager.Paid.Times == 0:
		case lawful:
			p.CannotJudge("the table declares "+declared, p.Round.ConfigAt, wager.Placed)
		case slices.Contains(p.Law.Unseen, mode):
			p.CannotJudge(
				"the table declares "+declared+", the terms of which are not in the text", p.Round.ConfigAt,
				wager.Placed,
			)
		case p.tookFrom(w):
			p.CannotJudge("a charge was taken at a table that declares "+declared, p.Round.ConfigAt, wager.Placed)
		default:
			p.reportWager(
				wager, "a vigorish collected or marked, as "+kindsText(p.Law.Kinds()),
				fmt.Sprintf("paid %s and nothing taken; the table declares %s", p.money(wager.Net().Paid), declared),
				p.Round.ConfigAt, wager.Paid.Seq,
			)
		}
	}
}

func kindsText(kinds []law.Kind) string {
	var words []string
	for _, k := range kinds {
		words = append(words, k.String())
	}
	return strings.Join(words, ", ")
}
