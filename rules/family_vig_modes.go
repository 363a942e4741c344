package rules

import (
	"fmt"
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
	p.charged = p.charged[:0]
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Kind >= record.StepVigMarked && p.namesBanker(s) {
			p.addCharge(s, func(w *record.Wager) bool { return w.Spot == baccarat.SpotBanker })
		}
	}
	for i := range p.charged {
		c := &p.charged[i]
		floor, ceil := p.tieCharge(c, p.option("tie25_coupon_in_base") == "true")
		amount := c.marked + c.took
		right := func(amount int64) bool {
			low, high := floor, ceil
			if p.option("tie25_coupon_in_base") == "either" && amount > ceil {
				low, high = p.tieCharge(c, true)
			}
			return low <= amount && amount <= high
		}
		if c.took > 0 && right(c.marked) {
			amount = c.took // the collection is no further part: it pays the mark
		}
		switch {
		case right(amount):
		case unreported(r, c.seat):
			p.CannotJudge(fmt.Sprintf("a wager of seat %d was not reported", c.seat), c.steps...)
		default:
			p.Report(Finding{
				Subject: finding.OfSeat(c.seat), Seat: c.seat, Amount: abs(floor - amount),
				Evidence: append(cardEvidence(r), c.steps...),
				Expected: fmt.Sprintf("%d percent of the banker wager: %s", percent, p.money(floor)),
				Observed: p.money(amount),
			})
		}
	}
}

// tieCharge is the range of what is charged on a tie for the wagers that a charge covers. There is no rounding clause:
// of an amount that is not whole either neighbour is accepted, unless the option names one. A coupon is a part of the
// wager, 19:47-7.2(c), or only the right to one: the base has it or has it not.
func (p *Pass) tieCharge(c *charge, coupon bool) (floor, ceil int64) {
	for _, id := range c.wagers {
		wager := &p.Round.Wagers[p.Round.WagerIndex(id)]
		stake := wager.Amount
		if !coupon {
			stake -= wager.Coupon
		}
		low, high := law.TieCharge(p.takes().Tie, stake)
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
	}
}

func checkTieAll(p *Pass) {
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; d.Tie && !d.Unproved && d.CollectedAt == 0 && d.Marked == 0 && p.dueAmount(d) > 0 {
			p.reportDue(d, fmt.Sprintf("charged %d percent", p.Law.TiePercent(d.Kind)), "not charged")
		}
	}
}

func checkTieAuthorised(p *Pass) {
	p.inUse(func(c *law.Config, at record.Seq) {
		if c.Mode == baccarat.Tie25 && !slices.Contains(p.Law.Modes, baccarat.Tie25) {
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
		for i := range p.Round.Steps {
			if s := &p.Round.Steps[i]; s.Kind >= record.StepVigMarked && !p.dragonCharge() {
				p.Report(Finding{
					Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: []record.Seq{s.Seq},
					Expected: fmt.Sprintf("no vigorish under %v", mode), Observed: p.money(s.Amount) + " taken",
				})
			}
		}
	}
}

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
	spared := p.sparedBanker()
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Kind < record.StepVigMarked {
			continue
		}
		f := Finding{
			Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: append(cardEvidence(r), s.Seq),
			Expected: "a dragon 7 is a pure push", Observed: p.money(s.Amount) + " charged",
		}
		switch {
		case !p.quarterOfStake(s):
			f.Expected = "a dragon 7 is a pure push, or each banker wager is charged 25 percent"
			p.Report(f)
		case spared != 0:
			f.Expected = "a dragon 7 is a pure push, or each banker wager is charged 25 percent"
			f.Observed += fmt.Sprintf(", nothing of the banker wager at seat %d", spared)
			p.Report(f)
		case p.option("ez_dragon7_charge") == "either":
			p.Suspect(f)
		case p.option("ez_dragon7_charge") != "pct25":
			p.Report(f)
		}
	}
}

// sparedBanker is the seat of a banker wager of the round from which nothing was taken, 0 if there is none.
func (p *Pass) sparedBanker() uint32 {
	r := p.Round
	for w := range r.Wagers {
		wager := &r.Wagers[w]
		if wager.Spot == baccarat.SpotBanker && !wager.Gone && !p.tookFrom(w) {
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

// quarterOfStake reports whether a charge is 25 percent of the banker wagers that it covers, or may be.
func (p *Pass) quarterOfStake(s *record.Step) bool {
	var stake int64
	for w := range p.Round.Wagers {
		covered := s.Kind == record.StepVigMarked && s.Wager == w || s.Kind != record.StepVigMarked &&
			s.Covers(p.Round, w)
		if wager := &p.Round.Wagers[w]; covered && wager.Spot == baccarat.SpotBanker {
			stake += wager.Amount
		}
	}
	return 4*s.Amount == stake || p.Round.UnreadVigorish(s.Seat) != 0
}

func checkOneMode(p *Pass) {
	p.changedInRound(func(now *law.Config) bool { return now.Kind() != p.Config.Kind() }, "kind of vigorish")
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
