package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// Preferences among the wagers against the Banker. A participant exercises them by announcing and by placing the wager.
// N.J.A.C. 19:47-4.7(b), (c).

func suiviFor(seat uint32) string {
	if seat == 0 {
		return "no banco suivi: no participant who wagers now equaled the last decided Banker's wager and lost"
	}
	return fmt.Sprintf("banco suivi for seat %d alone", seat)
}

func checkSuiviPriority(p *Pass) {
	seat, known := p.suiviSeat()
	if !known {
		p.CannotJudge(p.unknownBefore(), p.Round.Started)
		return
	}
	if seat == 0 {
		return
	}
	if call := banco(p.Round, seat, true); call != nil {
		p.judgePreference(call, "banco suivi", p.others(seat), seat)
	}
}

// checkBancoPriority leaves to chemin.banco.nearest the case that another banco was taken.
func checkBancoPriority(p *Pass) {
	seat := p.preferred()
	if others := p.others(seat); seat != 0 && !slices.ContainsFunc(others, p.calledBanco) {
		p.judgePreference(banco(p.Round, seat, false), "banco", others, seat)
	}
}

func checkBancoNearest(p *Pass) {
	seat := p.preferred()
	others := slices.DeleteFunc(p.others(seat), func(s record.SeatChange) bool { return !p.calledBanco(s) })
	called := callers(p.Round)
	if seat == 0 || len(called) > 1 && p.nearestUnknown(append(called, p.Round.Curator), p.Round.Bancos[0].Seq) ||
		len(others) == 0 {
		return
	}
	from := len(p.Findings)
	p.judgePreference(banco(p.Round, seat, false), "banco", others, others[0].Seat)
	if others[0].Seat == counterclockwise(called, p.Round.Curator) {
		p.suspectFrom(from)
	}
}

// callers are the seats that called banco, ascending. The Banker is none of "the remaining participants", who wager
// against him. N.J.A.C. 19:47-4.7(a).
func callers(r *record.Round) (seats []uint32) {
	banker := bank(r)
	for _, b := range r.Bancos {
		if b.Call != record.Suivi && (banker == nil || b.Seat != banker.Seat) {
			seats = append(seats, b.Seat)
		}
	}
	slices.Sort(seats)
	return seats
}

// nearest is the first of some seats met counterclockwise from a seat, or from the dealer if that is 0, as the table
// declares its seats; 0 if there are none. Who follows their numbers at a table that declares another order is SUSPECT:
// the seats may have been declared in no order. N.J.A.C. 19:47-4.5(b), 4.7(c).
func (p *Pass) nearest(seats []uint32, from uint32) uint32 {
	if from != 0 {
		return p.nextSeat(seats, from)
	}
	if len(seats) == 0 {
		return 0
	}
	return slices.MinFunc(seats, func(a, b uint32) int { return cmp.Compare(p.ring(a), p.ring(b)) })
}

// nearestUnknown reports whether one of several seats is none of the table, so that their order is not known.
func (p *Pass) nearestUnknown(seats []uint32, at record.Seq) bool {
	i := slices.IndexFunc(seats, p.foreignSeat)
	if i < 0 || len(seats) < 2 {
		return false
	}
	p.CannotJudge(notOfTable(seats[i]), at)
	return true
}

// others are the wagers against the Banker of other seats, until the next call. A banco suivi that was granted to
// another participant is the breach of chemin.suivi.eligibility, whatever preference it took the place of.
func (p *Pass) others(seat uint32) []record.SeatChange {
	all := p.Round.AppendAgainst(p.scratch.others[:0])
	entitled, _ := p.suiviSeat()
	p.scratch.others = slices.DeleteFunc(all, func(s record.SeatChange) bool {
		return s.Seat == seat || s.Seat != entitled && p.calledSuivi(s.Seat) != nil
	})
	return p.scratch.others
}

// calledSuivi is the call of banco suivi of a seat that did not call banco, which needs no qualification; nil if none.
func (p *Pass) calledSuivi(seat uint32) *record.Banco {
	if banco(p.Round, seat, false) != nil {
		return nil
	}
	return banco(p.Round, seat, true)
}

func (p *Pass) calledBanco(s record.SeatChange) bool { return banco(p.Round, s.Seat, false) != nil }

// judgePreference judges the wagers that were taken beside a call which goes before them. If its wager was placed, no
// other stands beside it. If it was announced before the others exercised their option and never placed, the preference
// may have been refused, or given up: that is suspected, unless the wager was withdrawn. The finding is about a seat.
func (p *Pass) judgePreference(call *record.Banco, what string, others []record.SeatChange, about uint32) {
	if first := p.Round.FirstCard(); first != 0 && p.judges("chemin.wager.late") { // that rule has what came after it
		others = slices.DeleteFunc(others, func(s record.SeatChange) bool { return s.Seq > first })
	}
	bank := p.soleBank()
	if bank == nil || len(others) == 0 {
		return
	}
	other := slices.MinFunc(others, func(a, b record.SeatChange) int { return int(a.Seq) - int(b.Seq) })
	f := Finding{
		Subject: finding.OfSeat(about), Seat: about, Evidence: []record.Seq{call.Seq, other.Seq},
		Expected: fmt.Sprintf("the %s of seat %d alone", what, call.Seat),
		Observed: fmt.Sprintf("wager of seat %d, %s, taken", other.Seat, p.money(other.Amount)),
	}
	switch placed := seatAmount(p.Round.Against(), call.Seat); {
	case placed >= bank.Amount:
		f.Observed += " beside it"
		p.Report(f)
	case placed == 0 && p.announcedBefore(call, others):
		withdrew, handedBack := p.gone(call.Seat)
		switch {
		case withdrew:
			return
		case handedBack != nil:
			f.Observed += fmt.Sprintf("; the wager of seat %d was handed back", call.Seat)
			f.Evidence = append(f.Evidence, handedBack.Returned.Seq)
		default:
			f.Observed += fmt.Sprintf("; seat %d announced and placed no wager", call.Seat)
		}
		p.Suspect(f)
	}
}

// announcedBefore reports whether a call came before each of the other seats had exercised its option: announced and
// placed its wager. A wager that lay there before the Banker's was not yet made against it, and precedes no call.
func (p *Pass) announcedBefore(call *record.Banco, others []record.SeatChange) bool {
	return !slices.ContainsFunc(others, func(s record.SeatChange) bool {
		made := s.Seq
		for _, b := range p.Round.Bancos {
			if b.Seat == s.Seat {
				made = max(made, b.Seq)
			}
		}
		return made < call.Seq && made > bank(p.Round).Placed
	})
}

// gone reports whether a seat withdrew a wager against the Banker, and which was handed back to it. Who wanted that was
// not reported: the dealer may have refused the wager.
func (p *Pass) gone(seat uint32) (withdrew bool, handedBack *record.Wager) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if !w.Gone || w.Seat != seat || w.Spot != baccarat.SpotAgainstBanker {
			continue
		}
		if n := len(w.Changes); n > 0 && w.Changes[n-1].GivenBack {
			handedBack = w
			continue
		}
		withdrew = true
	}
	return withdrew, handedBack
}

// checkBancoArea judges where a wager lies that goes with a call. For other wagers against the Banker no sentence that
// was found names an area: 19:47-3.2(c) and 7.2(c) are about other games, and 4.8 to 4.14 were not found.
func checkBancoArea(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		called := slices.ContainsFunc(p.Round.Bancos, func(b record.Banco) bool { return b.Seat == w.Seat })
		switch {
		case w.Spot != baccarat.SpotAgainstBanker || w.Gone || w.AreaOK:
		case called:
			p.reportWager(w, "on the appropriate area of the layout", "outside it")
		default:
			p.CannotJudge("where a wager without a call of banco lies is in no sentence that was found", w.Placed)
		}
	}
}
