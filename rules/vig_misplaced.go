package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// PlaceMarks gives a marker that names a wager that owes nothing, or nothing more, to the one wager of the round that
// is not charged and owes exactly its amount: it lies in the rectangle of another player, or the event names another
// wager. N.J.A.C. 19:47-3.3(c), 7.3(c); 9 NYCRR 5324.21(c)(3)(ii). The round keeps what they named as Misplaced.
func PlaceMarks(l *law.Law, s *record.Shoe, r *record.Round) {
	if l == nil || r.Config == nil || r.Config.Game == baccarat.CheminDeFer || r.Missing ||
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
		if m.Kind != record.StepVigMarked || m.Wager < 0 || m.Area == 0 || m.Amount <= 0 || r.Marker(m) != m.Amount ||
			s.Lifted(r, m) != 0 || s.Repeats(r, m, v.Percent) || !owesNothing(v, r, i) {
			continue
		}
		if of := owing(v, r, m); of >= 0 {
			r.Misplaced = append(r.Misplaced, record.Misplaced{Seq: m.Seq, Seat: m.Seat, Named: m.Wager})
			m.Wager, m.Seat = of, r.Wagers[of].Seat
		}
	}
}

// owesNothing reports whether the wager of a mark owes no vigorish, or is charged rightly without the mark.
func owesNothing(v baccarat.Vig, r *record.Round, mark int) bool {
	at := r.Steps[mark].Wager
	w := &r.Wagers[at]
	if w.Spot != baccarat.SpotBanker || w.Gone {
		return true
	}
	charged := int64(0)
	for i := range r.Steps {
		t := &r.Steps[i]
		if i != mark && (t.Kind == record.StepVigMarked && t.Wager == at ||
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
			v.Judge(m.Amount, w.Amount) != baccarat.VigLegal || chargedFor(r, i) {
			continue
		}
		near := 1
		if w.Seat == m.Area || w.Seat == m.Seat {
			near = 2
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

// chargedFor reports whether vigorish of a wager was marked or collected in its round.
func chargedFor(r *record.Round, wager int) bool {
	return record.Any(r.Steps, func(s *record.Step) bool {
		return s.Kind == record.StepVigMarked && s.Wager == wager || s.Kind > record.StepVigMarked && s.Covers(r, wager)
	})
}

// suspectNamed suspects markers that lie in the rectangle of the player who owes their amount, and name a wager of
// another seat: one of the two is a device's error.
func (p *Pass) suspectNamed() {
	r := p.Round
	for _, m := range r.Misplaced {
		at := record.Index(r.Steps, func(s *record.Step) bool { return s.Seq == m.Seq })
		if at < 0 {
			continue
		}
		s, named := &r.Steps[at], r.Wagers[m.Named].Seat
		if s.Area != s.Seat || named == s.Seat {
			continue // vig.mark.area, or one rectangle
		}
		p.Suspect(Finding{
			Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: []record.Seq{s.Seq},
			Expected: fmt.Sprintf("vigorish of seat %d at seat %d", named, named),
			Observed: fmt.Sprintf("%s at seat %d", p.money(s.Amount), s.Seat),
		})
	}
}
