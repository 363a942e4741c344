package detectors

import (
	"math"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/numeric"
)

// cause names the cause that detectors share: what one of them reports in a visit of a subject, the others do not
// report again.
func (d *Detector) cause() string {
	switch d.ID {
	case "d03", "d06", "d07", "d09", "d10", "d11", "d16", "d20":
		return "play"
	}
	return d.ID
}

// preference is what a kind of key has in advance, in units of ln e, when keys are compared that may explain an alarm:
// a dealer is named if that explains more than a patron or a table does. Settlement, vigorish, procedure and shuffle
// are the dealer's.
func preference(d *Detector, kind KeyKind) float64 {
	switch kind {
	case OfPatron:
		return 3
	case OfTable, OfDevice, OfBatch, OfSupplier:
		return 1
	case OfDealer:
		if d.ID == "d05" || d.ID == "d11" || d.ID == "d12" || d.ID == "d13" {
			return 6
		}
	case OfPit:
		return -3
	default: // the pair of a dealer and a patron
	}
	return 0
}

// oneCase makes the alarms of a call cases: the subject of an alarm is the key that explains most of its evidence, and
// a subject with an alarm of the same cause has no further one until its next visit. Alarms outside the budget, but for
// those about accounts that offset, and certain facts are left.
func (h *Host) oneCase() {
	cases := h.Alarms[:0]
	for i := range h.Alarms {
		a := h.Alarms[i]
		if a.Certain || a.Detector.Starts == nil && a.Key.Kind != OfPair || a.Key.Kind.Ends() {
			cases = append(cases, a)
			continue
		}
		subject, open := h.subject(&a)
		if open {
			continue
		}
		if subject != a.Key {
			h.rename(&a, subject)
		}
		h.ledger.find(a.Detector, subject).reported = true
		cases = append(cases, a)
	}
	h.Alarms = cases
}

// rename makes an alarm one about another key, which rests from now on.
func (h *Host) rename(a *Alarm, subject Key) {
	x := h.ledger.find(a.Detector, subject)
	a.Key, a.Since, a.Rounds, a.Money = subject, h.ledger.moments.location(x.since), int(x.rounds), x.money
	a.Top, a.effect, a.Note = h.ledger.list(x), x.effect, ""
	h.ledger.rest(a.Detector, subject, &a.Location)
	h.note(a)
}

// subject is the key that explains most of an alarm, among those with a factor in this call. Open reports that the
// alarm belongs to a case that is open.
func (h *Host) subject(a *Alarm) (best Key, open bool) {
	play := preference(a.Detector, OfDealer) <= 0 // is what patrons know or do
	if h.alarmed(a, a.Key) || (a.Key.Kind == OfTable || a.Key.Kind == OfDealer && play) && h.opened(a) {
		return a.Key, true
	}
	best, most := a.Key, h.explained(a, a.Key, a.LnE)
	for i := range h.Factors {
		f := &h.Factors[i]
		if f.Detector.cause() != a.Detector.cause() || f.Key == a.Key || f.Key.Kind.Ends() {
			continue
		}
		if absorbs(f.Key, a) && h.alarmed(a, f.Key) {
			return f.Key, true
		}
		x := h.ledger.find(a.Detector, f.Key)
		if f.Detector != a.Detector || !explains(f.Key, a.Key) || x == nil || x.resting {
			continue
		}
		if v := h.explained(a, f.Key, x.lnR); v > most {
			best, most = f.Key, v
		}
	}
	return h.patronOf(a, h.dealerOf(a, best)), false
}

const (
	// aloneLnR is the evidence at which a patron is named in place of the table or the dealer: an innocent one has it in
	// at most one visit of 10,000. aloneLead is by how much it must exceed that of any other patron, a thousandfold.
	aloneLnR  = 9.21
	aloneLead = 6.91
)

// patronOf is the patron in place of the table or its dealer, if one who bets in the round alone has evidence at the
// table in this visit. That there is a case is decided by the evidence that raised the alarm, which the budget bounds.
// At that time too, the mean of the statistic of an innocent patron is at most the sum of its starts: about one a
// visit.
func (h *Host) patronOf(a *Alarm, best Key) Key {
	if best.Kind != OfTable && best.Kind != OfDealer || preference(a.Detector, OfDealer) > 0 {
		return best
	}
	patron, first, second := best, math.Inf(-1), aloneLnR-aloneLead
	for key, x := range h.ledger.accounts {
		if key.Kind != OfPatron {
			continue
		}
		x = x.of(a.Detector.number())
		if x == nil || x.resting || x.listed == 0 || a.Location.At-x.latest > visitGap ||
			h.ledger.moments.location(x.top.moments[0]).Table != a.Location.Table {
			continue
		}
		if x.lnR > first {
			patron, first, second = key, x.lnR, max(first, second)
		} else {
			second = max(second, x.lnR)
		}
	}
	if first-second < aloneLead || h.ledger.find(a.Detector, patron).latest != a.Location.At {
		return best
	}
	return patron
}

// dealerOf is the subject of a case about what comes: the dealer of the round in place of the table, if there is about
// as much evidence about the dealer alone. What the cards show, they show under each dealer.
func (h *Host) dealerOf(a *Alarm, best Key) Key {
	if best.Kind != OfTable || a.Detector != d06 && a.Detector != d07 {
		return best
	}
	table := h.lnOf(a, best)
	for i := range h.Factors {
		f := &h.Factors[i]
		if f.Detector == a.Detector && f.Key.Kind == OfDealer && h.lnOf(a, f.Key) >= table-1 {
			return f.Key
		}
	}
	return best
}

// lnOf is the statistic of a key at an alarm, -Inf of one that rests.
func (h *Host) lnOf(a *Alarm, key Key) float64 {
	if key == a.Key {
		return a.LnE
	}
	if x := h.ledger.find(a.Detector, key); x != nil {
		return x.lnR
	}
	return math.Inf(-1)
}

// explained is how much a key explains of an alarm.
func (h *Host) explained(a *Alarm, key Key, lnR float64) float64 {
	if x, ok := h.processes[slices.Index(h.detectors, a.Detector)].(*offsetting); ok {
		return x.explained(key)
	}
	return lnR + h.advance(a.Detector, key.Kind)
}

// advance makes the statistics of keys of several kinds comparable: those with many starts are larger by their number.
func (h *Host) advance(d *Detector, kind KeyKind) float64 {
	return numeric.Log(roundsPerVisit(h.ledger.budget.Volume, kind)) + preference(d, kind)
}

// explains reports whether evidence about a key may be that about another one: of a patron about the pair with a
// dealer, of anybody about a dealer, table, device or pit.
func explains(key, about Key) bool {
	switch about.Kind {
	case OfPatron:
		return false
	case OfPair:
		return key.Kind == OfPair && within(key.ID, about.ID)
	case OfDealerPatron:
		n := len(about.ID) - len(key.ID)
		return key.Kind == OfPatron && n > 0 && about.ID[n:] == key.ID && about.ID[n-1] == '+'
	default:
		return true
	}
}

// within reports whether all accounts of one list are in the other: a pair is part of a group that offsets.
func within(a, b string) bool {
	few, many := strings.Split(a, "+"), strings.Split(b, "+")
	if len(few) > len(many) {
		few, many = many, few
	}
	for _, account := range few {
		if !slices.Contains(many, account) {
			return false
		}
	}
	return true
}

// absorbs reports whether an alarm belongs to an open case about a key: that of a dealer who settles wrongly has what
// is found about the patrons of the dealer.
func absorbs(key Key, a *Alarm) bool {
	switch key.Kind {
	case OfPatron, OfPair:
		return explains(key, a.Key)
	case OfDealer:
		if a.Key.Kind == OfPatron || a.Key.Kind == OfDealerPatron {
			return preference(a.Detector, OfDealer) > 0
		}
		return true
	case OfTable, OfDevice, OfSupplier:
		return a.Key.Kind != OfPatron && a.Key.Kind != OfDealerPatron
	default:
		return false
	}
}

// opened reports whether the case of a patron was opened at the table of an alarm in this visit: also in a round in
// which the patron does not bet, an alarm about the table or its dealer is about what the patron did before.
func (h *Host) opened(a *Alarm) bool {
	for key, x := range h.ledger.accounts {
		for ; key.Kind == OfPatron && x != nil; x = x.next {
			if h.detectorOf(x.detector).cause() == a.Detector.cause() && x.isOpen(a.Location.At) &&
				h.ledger.moments.location(x.since).Table == a.Location.Table {
				return true
			}
		}
	}
	return false
}

// alarmed reports whether a detector of the cause has raised an alarm about a key in this visit, other than the alarm.
func (h *Host) alarmed(a *Alarm, key Key) bool {
	for _, d := range h.detectors {
		if d == a.Detector && key == a.Key || d.cause() != a.Detector.cause() {
			continue
		}
		if h.ledger.find(d, key).isOpen(a.Location.At) {
			return true
		}
	}
	return false
}

// isOpen reports whether an account rests after a reported alarm of this visit.
func (x *account) isOpen(at int64) bool {
	return x != nil && x.resting && x.reported && at-x.latest <= visitGap && at-x.alarmAt <= restMax
}
