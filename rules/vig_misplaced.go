package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// mostSteps is the most steps of a round of which vigorish is placed; a full table has some tens.
const mostSteps = 256

// PlaceMarks finds the wager of vigorish whose event names another one: a wager that owes nothing, or nothing more, or
// none on record. It is the wager that is not charged and owes exactly that amount. A marker may lie in the rectangle
// of another player; a collection stays at its seat. N.J.A.C. 19:47-3.3(c), 7.3(c); 9 NYCRR 5324.21(c)(3)(ii). The
// round keeps what the events named as Misplaced.
func PlaceMarks(l *law.Law, s *record.Shoe, r *record.Round) {
	if l == nil || r.Config == nil || r.Config.Game == baccarat.CheminDeFer || r.Missing || len(r.Steps) > mostSteps ||
		r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void {
		return
	}
	coup := Settling(l, r)
	v, ok := l.Commission(r.Config, coup)
	if !ok || !coup.Complete || coup.Result() != baccarat.BankerWon || !l.Takes(r.Config, coup).Won {
		return
	}
	for i := range r.Steps {
		m := &r.Steps[i]
		named := m.Wager
		switch {
		case m.Amount <= 0:
			continue
		case m.Kind == record.StepVigCollected && len(m.Wagers) > 0:
			named = m.Wagers[0]
			if !placeCollection(v, r, i) {
				continue
			}
		case m.Kind != record.StepVigMarked || r.Marker(m) != m.Amount || s.Lifted(r, m) != 0 ||
			s.Repeats(r, m, v.Percent) || !placeMark(v, r, i):
			continue
		}
		if named >= 0 {
			r.Misplaced = append(r.Misplaced, record.Misplaced{Seq: m.Seq, Named: named})
		}
	}
}

// placeMark gives a marker to the wager that owes it, and reports whether it did. One without a wager on record stays
// at its seat; money for an unknown wager there may be of the same wager.
func placeMark(v baccarat.Vig, r *record.Round, at int) bool {
	m := &r.Steps[at]
	if m.Wager >= 0 && (m.Area == 0 || !owesNothing(v, r, at, m.Wager)) || m.Wager < 0 && unreportedPaid(r, m.Seat) {
		return false
	}
	of := owing(v, r, m)
	if of < 0 || m.Wager < 0 && r.Wagers[of].Seat != m.Seat {
		return false
	}
	m.Wager, m.Seat = of, r.Wagers[of].Seat
	return true
}

// unreportedPaid reports whether a wager of a seat that is not on record was settled.
func unreportedPaid(r *record.Round, seat uint32) bool {
	return record.Any(r.Steps, func(s *record.Step) bool {
		return s.Seat == seat && s.Unplaced()
	})
}

// placeCollection gives a collection to the wagers of its seat that owe it, and reports whether it did.
func placeCollection(v baccarat.Vig, r *record.Round, at int) bool {
	m := &r.Steps[at]
	for _, w := range m.Wagers {
		if !owesNothing(v, r, at, w) {
			return false
		}
	}
	var all []int
	var won []int64
	for i := range r.Wagers {
		if w := &r.Wagers[i]; w.Seat == m.Seat && w.Spot == baccarat.SpotBanker && !w.Gone && w.Collected.Times == 0 &&
			!r.Charged(i) {
			all, won = append(all, i), append(won, w.Amount)
		}
	}
	if len(all) == 0 || v.Judge(m.Amount, won...) != baccarat.VigLegal {
		return false
	}
	m.Wagers = all
	return true
}

// owesNothing reports whether a wager of a step owes no vigorish, or is charged rightly without the step.
func owesNothing(v baccarat.Vig, r *record.Round, step, at int) bool {
	w := &r.Wagers[at]
	if w.Spot != baccarat.SpotBanker || w.Gone {
		return true
	}
	charged := int64(0)
	for i := range r.Steps {
		t := &r.Steps[i]
		if i != step && (t.Kind == record.StepVigMarked && t.Wager == at ||
			t.Kind > record.StepVigMarked && t.Covers(r, at)) {
			charged = baccarat.Add(charged, t.Amount)
		}
	}
	return v.Judge(charged, w.Amount) == baccarat.VigLegal
}

// owing is the only banker wager of a round that is not charged and owes the amount of a marker; of several, the one at
// the rectangle or the seat of the marker; -1 if that is none or not one.
func owing(v baccarat.Vig, r *record.Round, m *record.Step) (of int) {
	of = -1
	best, several := 0, false
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot != baccarat.SpotBanker || w.Gone || w.Collected.Times > 0 ||
			v.Judge(m.Amount, w.Amount) != baccarat.VigLegal || r.Charged(i) {
			continue
		}
		near := 1
		if w.Seat == m.Area || w.Seat == m.Seat {
			near = 2
		}
		if of >= 0 && near == best && w.Seat == r.Wagers[of].Seat {
			continue // one rectangle
		}
		several = near == best || several && near < best
		if near > best {
			of, best = i, near
		}
	}
	if several {
		return -1
	}
	return of
}

// suspectNamed suspects vigorish at the seat of the player who owes its amount that names a wager of another seat: one
// of the two is a device's error.
func (p *Pass) suspectNamed() {
	r := p.Round
	for _, m := range r.Misplaced {
		at := record.Index(r.Steps, func(s *record.Step) bool { return s.Seq == m.Seq })
		if at < 0 {
			continue
		}
		s, named := &r.Steps[at], r.Wagers[m.Named].Seat
		if s.Kind <= record.StepReturned || s.Kind == record.StepVigMarked && s.Area != s.Seat || named == s.Seat {
			continue // no vigorish, or vig.mark.area, or one rectangle
		}
		p.Suspect(Finding{
			Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: []record.Seq{s.Seq},
			Expected: fmt.Sprintf("vigorish of seat %d at seat %d", named, named),
			Observed: fmt.Sprintf("%s at seat %d", p.money(s.Amount), s.Seat),
		})
	}
}
