package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// The four payment procedures. N.J.A.C. 19:47-3.10(b), 9 NYCRR 5324.21(i)(2). Returns are free;
// vigorish of earlier rounds takes no part.
var orderFamily = []*Rule{
	{
		Name: "order.losing-first", Doc: "All losing wagers are collected before anything is paid or charged.",
		Breach:   "Pay first, then take.",
		Severity: finding.Minor, At: Settled, Check: checkLosingFirst,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	procedure("order.procedure-1.pay-then-vig", "Procedure 1: all payments, then all vigorish.", 1),
	procedure("order.procedure-2.vig-then-pay", "Procedure 2: all vigorish, then all payments.", 2),
	procedure("order.procedure-3.seat-pay-then-vig", "Procedure 3: seat by seat, payment then vigorish.", 3),
	procedure("order.procedure-4.seat-vig-then-pay", "Procedure 4: seat by seat, vigorish then payment.", 4),
	{
		Name: "order.procedure-elected", Doc: "A round is settled by one of the four payment procedures.",
		Breach:   "No procedure declared, and payments and vigorish in turns.",
		Severity: finding.Minor, At: Settled, Check: checkElectedProcedure, Covers: []string{"order.descending-seats"},
		Needs: baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name: "order.descending-seats", Doc: "Winning positions are served from the highest number downwards.",
		Breach:   "Low seat served first.",
		Severity: finding.Minor, At: Settled, Check: checkDescending,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name:     "order.procedure-notice",
		Doc:      "A payment procedure begins or changes after 30 minutes' written notice to commission and surveillance.",
		Breach:   "Notice to surveillance only.",
		Severity: finding.Major, At: Changed, Check: checkProcedureNotice,
	},
	{
		Name: "order.one-player-at-a-time", Doc: "Main and pair wagers of a patron are paid together.",
		Breach:   "Pair bets paid in a separate pass.",
		Severity: finding.Info, At: Settled, Check: checkOneBlock, Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
}

func isVig(s *record.Step) bool {
	return s.Kind == record.StepVigMarked || s.Kind == record.StepVigCollected
}

func checkLosingFirst(p *Pass) {
	if served, collected := p.losingLate(); served != 0 {
		p.Report(Finding{
			Expected: "losing wagers collected before a payment or a vigorish step",
			Observed: fmt.Sprintf("%s after %s", p.stepName(collected), p.stepName(served)),
			Evidence: []record.Seq{served, collected},
		})
	}
}

// losingLate finds a payment or vigorish step of the round and a losing wager collected after it, zero if none was.
func (p *Pass) losingLate() (served, collected record.Seq) {
	if p.cancelled() {
		return 0, 0
	}
	return p.outOfOrder(p.Round.Steps, steps.losingLate)
}

// losingLate finds a payment or vigorish step and a losing wager collected after it.
func (t steps) losingLate() (served, collected record.Seq) {
	for i := range t {
		switch s := &t[i]; {
		case s.Kind == record.StepCollected:
			collected = s.Seq
		case served == 0 && (s.Kind == record.StepPaid || s.Kind >= record.StepVigMarked):
			served = s.Seq
		}
	}
	if collected < served {
		return 0, 0
	}
	return served, collected
}

// outOfOrder finds two steps that break an order, zero if there are none. A wager that was paid or
// collected against the cards takes no part: its outcome is the finding, and it has no place in the order.
// Nor does what was taken by mistake from a wager that does not lose, or is taken back after the stake, nor what is
// paid after the full winnings, nor a vigorish that no wager owes, nor money or vigorish for a wager that is not on
// record or at another seat: it may be such a mistake. The rest of a payment or of a vigorish takes part if rests do.
func (p *Pass) outOfOrder(all steps, breaks func(steps) (first, second record.Seq)) (first, second record.Seq) {
	if _, second = breaks(all); second == 0 {
		return 0, 0
	}
	// Whether a vigorish is owed is known from the cards and the wagers.
	known := p.coup().Complete && p.Config.Feeds&baccarat.FeedWagers != 0
	due := p.due[:0]
	for _, s := range all {
		owed := !isVig(&s) || !known || p.mayCharge(&s) && p.namesBanker(&s)
		if known && s.Unplaced() || p.Round.Elsewhere(&s) || p.leavesOut(&s) ||
			s.Wager >= 0 && (p.misjudged(&p.Round.Wagers[s.Wager]) || p.takenBack(&s) || p.beyondDue(&s)) {
			continue
		}
		if owed {
			due = append(due, s)
		}
	}
	p.due = due
	return breaks(due)
}

// restsApart judges an order without the rests of payments and of vigorish, and again with them, which proves nothing,
// if nothing else broke it and a rest was left out.
func (p *Pass) restsApart(broken func() bool) {
	p.restLeftOut = false
	if broken() || !p.restLeftOut {
		return
	}
	p.rests = true
	broken()
	p.rests = false
}

// leavesOut reports whether a step is a rest that takes no part in the order.
func (p *Pass) leavesOut(s *record.Step) bool {
	if p.rests || !p.restOf(s) {
		return false
	}
	p.restLeftOut = true
	return true
}

// restOf reports whether a step pays a wager of which a part was paid before, or charges one that was charged before.
// No sentence says whether what the first step lacked has a place in the order.
func (p *Pass) restOf(s *record.Step) bool {
	if isVig(s) {
		return record.Any(p.Round.Steps, func(b *record.Step) bool {
			return isVig(b) && b.Seq < s.Seq && b.Seat == s.Seat &&
				(chargesOne(b, s) || s.Wager < 0 && b.Wager >= 0 && s.Covers(p.Round, b.Wager))
		})
	}
	if s.Kind != record.StepPaid || s.Wager < 0 {
		return false
	}
	paid, full := p.paidBefore(s)
	return paid > 0 && !full
}

// chargesOne reports whether two steps name one wager.
func chargesOne(a, b *record.Step) bool {
	named := func(s *record.Step, wager int) bool {
		return wager >= 0 && (s.Wager == wager || slices.Contains(s.Wagers, wager))
	}
	return named(b, a.Wager) || slices.ContainsFunc(a.Wagers, func(wager int) bool { return named(b, wager) })
}

// misordered is outOfOrder for the winning positions. Steps that came before the result was announced, or before the
// losing wagers were collected, are a finding of their own, which says why they are before the others: where there are
// such steps, their order and the order of the others are judged each.
func (p *Pass) misordered(all steps, breaks func(steps) (first, second record.Seq)) (first, second record.Seq) {
	if _, second = p.outOfOrder(all, breaks); second == 0 {
		return 0, 0
	}
	until := p.tooEarly()
	at := record.Index(all, func(s *record.Step) bool { return s.Seq > until })
	if at < 0 {
		at = len(all)
	}
	if first, second = p.outOfOrder(all[:at], breaks); second == 0 {
		first, second = p.outOfOrder(all[at:], breaks)
	}
	return first, second
}

// tooEarly is the announcement or the collection before which no wager is to be paid and no vigorish taken, if one was;
// else zero.
func (p *Pass) tooEarly() (until record.Seq) {
	if p.judges("order.losing-first") {
		_, until = p.losingLate()
	}
	if p.judges("announce.before-settlement") && p.Config.Reports(baccarat.FeedAnnouncements) {
		_, last := p.settledFirst()
		until = max(until, last)
	}
	return until
}

// commission reports whether the kind of vigorish takes a commission on some hands.
func (p *Pass) commission() bool { return p.Law.TakesEver(p.Config).Won }

// ordered reports whether the procedures are prescribed for the round: not at EZ tables, where nothing
// is charged, and not for a round that was cancelled.
func (p *Pass) ordered() bool { return p.Config.Mode != baccarat.EZ && !p.cancelled() }

// steps are the settlement of a round, or of one dealer's zone of it, in the order in which they came.
type steps []record.Step

// zones are the steps among which the order of seats is judged: all of the round, or under
// order_scope dealer-zone the steps of each dealer who settled, since the two paying dealers of a large table
// work beside each other. That two dealers have zones shows in their names and in seats that do not overlap.
func (p *Pass) zones() []steps {
	all := p.Round.Steps
	p.whole[0] = all
	if p.option("order_scope") != "dealer-zone" || len(all) == 0 || !record.Any(
		all, func(s *record.Step) bool { return s.By != all[0].By },
	) {
		return p.whole[:]
	}
	var zones []steps
	var dealers []string
	zoneOf := map[uint32]int{}
	for i := range all {
		s := &all[i]
		if s.Kind != record.StepPaid && !isVig(s) && s.Kind != record.StepTieCharge {
			continue // what is collected and returned has no place in the order of seats
		}
		at := slices.Index(dealers, s.By)
		if at < 0 {
			at = len(zones)
			dealers, zones = append(dealers, s.By), append(zones, nil)
		}
		zones[at] = append(zones[at], *s)
		if other, ok := zoneOf[s.Seat]; s.By == "" || ok && other != at {
			return p.whole[:]
		}
		zoneOf[s.Seat] = at
	}
	if len(zones) > 2 {
		return p.whole[:]
	}
	return zones
}

// stepName names a step of the settlement.
func (p *Pass) stepName(seq record.Seq) string {
	what := map[record.StepKind]string{
		record.StepCollected: "collection", record.StepPaid: "payment", record.StepReturned: "return",
		record.StepVigMarked: "vigorish mark", record.StepVigCollected: "vigorish collection",
		record.StepTieCharge: "tie charge",
	}
	for i := range p.Round.Steps {
		if s := &p.Round.Steps[i]; s.Seq == seq {
			which := ""
			switch {
			case !p.rests || !p.restOf(s):
			case isVig(s):
				which = "further "
			default:
				which = "rest of the "
			}
			return fmt.Sprintf("%s%s of seat %d", which, what[s.Kind], s.Seat)
		}
	}
	return "a step"
}

func procedure(name, doc string, number uint32) *Rule {
	return &Rule{
		Name: name, Doc: doc, Breach: "Steps interleaved or reversed.", Severity: finding.Minor, At: Settled,
		Covers: []string{"order.descending-seats"},
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
		Check: func(p *Pass) {
			if p.Config.Procedure != number || !p.commission() || !p.ordered() {
				return
			}
			p.restsApart(func() bool {
				return p.phasesBroken(number, doc, p.mayBeApart, p.rests) ||
					!p.rests && number > 2 && p.phasesBroken(number, doc, p.apart, true)
			})
		},
	}
}

// phasesBroken reports the first two steps that break a procedure, and whether there are any.
func (p *Pass) phasesBroken(number uint32, doc string, apart func(a, b *record.Step) bool, doubtful bool) bool {
	breaks := func(s steps) (record.Seq, record.Seq) { return s.breaksPhases(number, apart) }
	for _, s := range p.zones() {
		first, second := p.misordered(s, breaks)
		if second == 0 {
			continue
		}
		if !p.foreignStep(first, second) {
			p.suspectIf(doubtful, Finding{
				Expected: doc, Observed: p.phaseWrong(s, number, first, second), Evidence: []record.Seq{first, second},
			})
		}
		return true
	}
	return false
}

// phaseWrong describes two steps that break a procedure: their order, or the seat that was served between them.
func (p *Pass) phaseWrong(t steps, number uint32, first, second record.Seq) string {
	i := record.Index(t, func(s *record.Step) bool { return s.Seq == first })
	j := record.Index(t, func(s *record.Step) bool { return s.Seq == second })
	reversed := isVig(&t[i]) != isVig(&t[j]) && isVig(&t[i]) == (number == 3)
	if s := t.between(i, j); s != nil && number > 2 && !reversed {
		return fmt.Sprintf("%s between %s and %s", p.stepName(s.Seq), p.stepName(first), p.stepName(second))
	}
	return fmt.Sprintf("%s before %s", p.stepName(first), p.stepName(second))
}

// breaksPhases finds two steps, in the order in which they came, that a procedure wants the other
// way round; zero if there are none.
func (t steps) breaksPhases(number uint32, apart func(a, b *record.Step) bool) (first, second record.Seq) {
	for i := range t {
		a := &t[i]
		if a.Kind != record.StepPaid && !isVig(a) || number > 2 && !t.owes(a.Seat) {
			continue
		}
		between := false // another seat was served since
		for j := i + 1; j < len(t); j++ {
			b := &t[j]
			if b.Kind != record.StepPaid && !isVig(b) {
				continue
			}
			vigFirst, payFirst := isVig(a) && !isVig(b), !isVig(a) && isVig(b)
			same := a.Seat == b.Seat
			wrong := false
			switch number {
			case 1:
				wrong = vigFirst
			case 2:
				wrong = payFirst
			case 3:
				wrong = same && (between || vigFirst && !apart(a, b))
			case 4:
				wrong = same && (between || payFirst && !apart(a, b))
			}
			between = between || !same
			if wrong {
				return a.Seq, b.Seq
			}
		}
	}
	return 0, 0
}

// apart reports whether two steps at a seat are of different patrons: seat by seat "that player" is paid and charged,
// then the next one. N.J.A.C. 19:47-3.10(b)3-4; 9 NYCRR 5324.21(i)(2)(iii)-(iv).
func (p *Pass) apart(a, b *record.Step) bool {
	one, other := p.patronOf(a), p.patronOf(b)
	return one != "" && other != "" && one != other
}

// patronOf is the patron whose wagers a step is about, empty if unknown or if there are several.
func (p *Pass) patronOf(s *record.Step) string {
	if s.Kind <= record.StepVigMarked {
		if s.Wager < 0 {
			return ""
		}
		return p.Round.Wagers[s.Wager].Patron
	}
	if len(s.Wagers) > 0 {
		return p.patronCovered(s)
	}
	if of := &p.ofSeat; !of.known || of.seat != s.Seat {
		of.known, of.seat, of.patron = true, s.Seat, p.patronCovered(s)
	}
	return p.ofSeat.patron
}

// patronCovered is the patron of all wagers that a collection covers, empty if unknown or if there are several.
func (p *Pass) patronCovered(s *record.Step) string {
	patron := ""
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if !s.Covers(p.Round, i) {
			continue
		}
		if patron != "" && w.Patron != patron {
			return ""
		}
		if patron = w.Patron; patron == "" {
			return ""
		}
	}
	return patron
}

// mayBeApart reports whether a payment and a vigorish step at a seat are of different patrons, or may be of different
// wagers, which the text orders only as "that player's winning wager" and "the vigorish owed by that player".
func (p *Pass) mayBeApart(pay, vig *record.Step) bool {
	if p.apart(pay, vig) {
		return true
	}
	if isVig(pay) {
		pay, vig = vig, pay
	}
	return pay.Wager >= 0 && vig.Wager != pay.Wager && !slices.Contains(vig.Wagers, pay.Wager) &&
		(vig.Wager >= 0 || len(vig.Wagers) > 0 || p.patronOf(vig) == "")
}

// between is the step that served another seat between two steps of one seat, nil if none did.
func (t steps) between(i, j int) *record.Step {
	for k := i + 1; k < j; k++ {
		if s := &t[k]; (s.Kind == record.StepPaid || isVig(s)) && s.Seat != t[i].Seat {
			return s
		}
	}
	return nil
}

// owes reports whether a seat has a vigorish step in the round.
func (t steps) owes(seat uint32) bool {
	return record.Any(t, func(s *record.Step) bool { return isVig(s) && s.Seat == seat })
}

func checkDescending(p *Pass) {
	if p.ordered() {
		p.restsApart(p.descends)
	}
}

// descends reports the first two steps that break the order of seats, and whether there are any.
func (p *Pass) descends() bool {
	for _, s := range p.zones() {
		first, second := p.misordered(s, p.ascends)
		if second == 0 {
			continue
		}
		if !p.foreignStep(first, second) {
			p.suspectIf(p.rests, Finding{
				Expected: "seats served from the highest number downwards",
				Observed: fmt.Sprintf("%s before %s", p.stepName(first), p.stepName(second)),
				Evidence: []record.Seq{first, second}, Cites: p.citedProcedure(),
			})
		}
		return true
	}
	return false
}

// citedProcedure is the clause of the procedure that the table elected, none if it declares none.
func (p *Pass) citedProcedure() []string {
	names := [...]string{
		"order.procedure-1.pay-then-vig", "order.procedure-2.vig-then-pay", "order.procedure-3.seat-pay-then-vig",
		"order.procedure-4.seat-vig-then-pay",
	}
	n := p.Config.Procedure
	return p.cited(n >= 1 && n <= 4, names[min(max(n, 1), 4)-1])
}

// ascends finds two steps that break the order of seats in the passes that the table's charge and
// procedure prescribe.
func (p *Pass) ascends(s steps) (first, second record.Seq) {
	passes := [2]int{paySteps}
	switch {
	case p.Config.Mode == baccarat.Tie25 && p.option("order_ties") == "descending":
		passes[1] = tieSteps
	case !p.commission(), p.Config.Procedure == 0, p.Config.Procedure > 4:
	case p.Config.Procedure > 2:
		passes[0] |= vigSteps
	default:
		passes[1] = vigSteps
	}
	for _, pass := range passes {
		if first, second = s.ascends(pass); second != 0 {
			break
		}
	}
	return first, second
}

// The steps of a pass along the winning positions.
const (
	paySteps = 1 << iota
	vigSteps
	tieSteps
)

// ascends finds the first step of a pass that does not go down: to a higher seat, or back to a seat that was served.
func (t steps) ascends(pass int) (first, second record.Seq) {
	var last *record.Step
	for i := range t {
		s := &t[i]
		if (s.Kind != record.StepPaid || pass&paySteps == 0) && (!isVig(s) || pass&vigSteps == 0) &&
			(s.Kind != record.StepTieCharge || pass&tieSteps == 0) {
			continue
		}
		if last != nil && s.Seat > last.Seat {
			return last.Seq, s.Seq
		}
		last = s
	}
	return 0, 0
}

// foreignStep reports whether one of two steps is at a seat that the table does not have. Where such a seat is in the
// order is not known.
func (p *Pass) foreignStep(first, second record.Seq) bool {
	for i := range p.Round.Steps {
		if s := &p.Round.Steps[i]; (s.Seq == first || s.Seq == second) && p.foreignSeat(s.Seat) {
			p.CannotJudge(notOfTable(s.Seat), s.Seq)
			return true
		}
	}
	return false
}

// foreignSeat reports whether a seat is none of those that the table declares.
func (p *Pass) foreignSeat(seat uint32) bool {
	return len(p.Config.Seats) > 0 && !slices.Contains(p.Config.Seats, seat)
}

func notOfTable(seat uint32) string { return fmt.Sprintf("the table does not declare a seat %d", seat) }

func checkOneBlock(p *Pass) {
	if p.cancelled() {
		return
	}
	for _, s := range p.zones() {
		if a, b := p.twoBlocks(s); b != nil {
			p.Report(Finding{
				Subject: finding.OfSeat(a.Seat), Seat: a.Seat, Evidence: []record.Seq{a.Seq, b.Seq},
				Expected: fmt.Sprintf("main and pair wagers of seat %d paid together", a.Seat),
				Observed: "paid in two passes",
			})
			return
		}
	}
}

// twoBlocks finds payments of a main and a pair wager of one seat with another seat's between them.
func (p *Pass) twoBlocks(t steps) (a, b *record.Step) {
	pair := func(s *record.Step) bool { return p.Round.Wagers[s.Wager].Spot.SideBet() == baccarat.SidePair }
	due := func(s *record.Step) bool { // of a payment that is not due, the outcome is the finding
		if s.Kind != record.StepPaid || s.Wager < 0 {
			return false
		}
		want := p.disposition(&p.Round.Wagers[s.Wager])
		return want == baccarat.Pay || want == baccarat.Undetermined
	}
	for i := range t {
		if a = &t[i]; !due(a) {
			continue
		}
		between := false // another seat was paid since
		for j := i + 1; j < len(t); j++ {
			b = &t[j]
			if between && b.Seat == a.Seat && due(b) && pair(a) != pair(b) {
				return a, b
			}
			between = between || b.Kind == record.StepPaid && b.Seat != a.Seat
		}
	}
	return nil, nil
}

// checkElectedProcedure judges a table that declares none of the four procedures: a round that fits one of them may
// have been settled by it, a round that fits none was settled by no procedure of the text.
func checkElectedProcedure(p *Pass) {
	if n := p.Config.Procedure; n >= 1 && n <= 4 || !p.commission() || !p.ordered() ||
		!record.Any(p.Round.Steps, isVig) {
		return
	}
	var first, second record.Seq
	for n := range uint32(4) {
		if first, second = p.breaksProcedure(n + 1); second == 0 {
			p.CannotJudge(
				fmt.Sprintf("the table declares no payment procedure; the round fits %d", n+1), p.Round.ConfigAt,
			)
			return
		}
	}
	p.Report(Finding{
		Expected: "one of the payment procedures 1 to 4", Observed: "the steps fit none of them",
		Evidence: []record.Seq{p.Round.ConfigAt, first, second},
	})
}

// breaksProcedure finds two steps of the round that a procedure wants the other way round, zero if there are none.
func (p *Pass) breaksProcedure(number uint32) (first, second record.Seq) {
	c, q := *p.Config, *p
	c.Procedure, q.Config = number, &c
	for _, s := range q.zones() {
		phases := func(s steps) (record.Seq, record.Seq) { return s.breaksPhases(number, q.apart) }
		if first, second = q.misordered(s, phases); second != 0 {
			return first, second
		}
		if first, second = q.misordered(s, q.ascends); second != 0 {
			return first, second
		}
	}
	return 0, 0
}
