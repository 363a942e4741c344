package rules

import "fmt"

// The four payment procedures. N.J.A.C. 19:47-3.10(b), 9 NYCRR 5324.21(i)(2). Returns are free;
// vigorish of earlier rounds takes no part.
var orderFamily = []*Rule{
	{
		Name: "order.losing-first", Doc: "All losing wagers are collected before anything is paid or charged.",
		Breach:   "Pay first, then take.",
		Severity: Minor, At: Settled, Check: checkLosingFirst,
	},
	procedure("order.procedure-1.pay-then-vig", "Procedure 1: all payments, then all vigorish.", "Steps interleaved or reversed.", 1),
	procedure("order.procedure-2.vig-then-pay", "Procedure 2: all vigorish, then all payments.", "Steps interleaved or reversed.", 2),
	procedure("order.procedure-3.seat-pay-then-vig", "Procedure 3: seat by seat, payment then vigorish.", "Steps interleaved or reversed.", 3),
	procedure("order.procedure-4.seat-vig-then-pay", "Procedure 4: seat by seat, vigorish then payment.", "Steps interleaved or reversed.", 4),
	{
		Name: "order.descending-seats", Doc: "Winning positions are served from the highest number downwards.",
		Breach:   "Low seat served first.",
		Severity: Minor, At: Settled, Check: checkDescending,
	},
	{
		Name: "order.procedure-notice", Doc: "A payment procedure is begun or changed only after 30 minutes' written notice to the commission and to surveillance.",
		Breach:   "Notice to surveillance only.",
		Severity: Major, At: Changed, Check: checkProcedureNotice,
	},
	{
		Name: "order.one-player-at-a-time", Doc: "Main and pair wagers of a patron are paid together.",
		Breach:   "Pair bets paid in a separate pass.",
		Severity: Info, At: Settled, Check: checkOneBlock, Suppresses: []string{"order.descending-seats"},
	},
}

func (s *Step) isVig() bool { return s.Kind == StepVigMarked || s.Kind == StepVigCollected }

func checkLosingFirst(p *Pass) {
	r := p.Round
	var collected, served Seq
	for i := range r.Steps {
		switch s := &r.Steps[i]; {
		case s.Kind == StepCollected:
			collected = s.Seq
		case served == 0 && (s.Kind == StepPaid || s.Kind >= StepVigMarked):
			served = s.Seq
		}
	}
	if served != 0 && collected > served && !p.cancelled() {
		p.Report(Finding{
			Expected: "losing wagers collected first", Observed: "a payment or vigorish step came before", Evidence: []Seq{served, collected},
		})
	}
}

// ordered says whether the procedures are prescribed for the round: not at EZ tables, where nothing
// is charged, and not for a round that was cancelled.
func (p *Pass) ordered() bool { return p.Config.Mode != EZ && !p.cancelled() }

func procedure(name, doc, breach string, number uint32) *Rule {
	return &Rule{
		Name: name, Doc: doc, Breach: breach, Severity: Minor, At: Settled, Suppresses: []string{"order.descending-seats"},
		Check: func(p *Pass) {
			if p.Config.Procedure != number || p.Config.Mode != Commission || !p.ordered() {
				return
			}
			if first, second := p.Round.breaksPhases(number); second != 0 {
				p.Report(Finding{Expected: doc, Observed: "steps interleaved or reversed", Evidence: []Seq{first, second}})
			}
		},
	}
}

// breaksPhases finds two steps, in the order in which they came, that a procedure wants the other
// way round; zero if there are none.
func (r *Round) breaksPhases(number uint32) (first, second Seq) {
	for i := range r.Steps {
		a := &r.Steps[i]
		if a.Kind != StepPaid && !a.isVig() {
			continue
		}
		for j := i + 1; j < len(r.Steps); j++ {
			b := &r.Steps[j]
			if b.Kind != StepPaid && !b.isVig() || !r.owes(a.Seat) && !r.owes(b.Seat) && number > 2 {
				continue
			}
			vigFirst, payFirst := a.isVig() && !b.isVig(), !a.isVig() && b.isVig()
			same := a.Seat == b.Seat
			wrong := false
			switch number {
			case 1:
				wrong = vigFirst
			case 2:
				wrong = payFirst
			case 3:
				wrong = same && (vigFirst || r.between(i, j))
			case 4:
				wrong = same && (payFirst || r.between(i, j))
			}
			if wrong {
				return a.Seq, b.Seq
			}
		}
	}
	return 0, 0
}

// between says whether another seat was served between two steps of one seat.
func (r *Round) between(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if s := &r.Steps[k]; (s.Kind == StepPaid || s.isVig()) && s.Seat != r.Steps[i].Seat {
			return true
		}
	}
	return false
}

// owes says whether a seat has a vigorish step in the round.
func (r *Round) owes(seat uint32) bool {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.isVig() && s.Seat == seat {
			return true
		}
	}
	return false
}

func checkDescending(p *Pass) {
	if !p.ordered() {
		return
	}
	r := p.Round
	first, second := Seq(0), Seq(0)
	switch {
	case p.Config.Mode == Tie25 && p.option("order_ties") == "descending":
		if first, second = r.ascends(paySteps); second == 0 {
			first, second = r.ascends(tieSteps)
		}
	case p.Config.Mode != Commission:
		first, second = r.ascends(paySteps)
	case p.Config.Procedure > 2:
		first, second = r.ascends(paySteps | vigSteps)
	default:
		if first, second = r.ascends(paySteps); second == 0 {
			first, second = r.ascends(vigSteps)
		}
	}
	if second != 0 {
		p.Report(Finding{
			Expected: "seats served from the highest number downwards", Observed: "a lower or earlier seat was served before", Evidence: []Seq{first, second},
		})
	}
}

// The steps of a pass along the winning positions.
const (
	paySteps = 1 << iota
	vigSteps
	tieSteps
)

// ascends finds the first step of a pass that does not go down: to a higher seat, or back to one
// that was already served.
func (r *Round) ascends(pass int) (first, second Seq) {
	var last *Step
	for i := range r.Steps {
		s := &r.Steps[i]
		if (s.Kind != StepPaid || pass&paySteps == 0) && (!s.isVig() || pass&vigSteps == 0) && (s.Kind != StepTieCharge || pass&tieSteps == 0) {
			continue
		}
		if last != nil && s.Seat > last.Seat {
			return last.Seq, s.Seq
		}
		last = s
	}
	return 0, 0
}

func checkOneBlock(p *Pass) {
	r := p.Round
	if p.cancelled() {
		return
	}
	for i := range r.Steps {
		a := &r.Steps[i]
		if a.Kind != StepPaid || a.Wager < 0 {
			continue
		}
		for j := i + 1; j < len(r.Steps); j++ {
			b := &r.Steps[j]
			if b.Kind != StepPaid || b.Wager < 0 || b.Seat != a.Seat || !r.paidBetween(i, j) {
				continue
			}
			if (r.Wagers[a.Wager].Spot.SideBet() == SidePair) != (r.Wagers[b.Wager].Spot.SideBet() == SidePair) {
				p.Report(Finding{
					Subject: OfSeat(a.Seat), Seat: a.Seat, Evidence: []Seq{a.Seq, b.Seq},
					Expected: "main and pair wagers paid together", Observed: fmt.Sprintf("seat %d served twice", a.Seat),
				})
				return
			}
		}
	}
}

func (r *Round) paidBetween(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if s := &r.Steps[k]; s.Kind == StepPaid && s.Seat != r.Steps[i].Seat {
			return true
		}
	}
	return false
}
