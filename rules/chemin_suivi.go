package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// The participant who has the banco suivi. N.J.A.C. 19:47-4.7(b).

// unknownBefore is why it is not known who may call suivi.
func (p *Pass) unknownBefore() string {
	if p.bankDisputed() {
		return "the Banker's wager is not of the seat to which the bank went"
	}
	if last := p.lastDecided(); last != nil && last.Changed {
		return "the Banker's wager of the last decided round was changed after a wager against it, or its banco was of less"
	}
	if last := p.lastDecided(); last != nil && last.Result == baccarat.Void && !p.wagersLost() {
		return "whether the wager of a void round is the preceding one is not in the text"
	}
	if last := p.lastDecided(); last != nil && exceeded(last) {
		return "a wager against the Banker exceeded the Banker's in the last decided round"
	}
	return unreadBefore
}

// exceeded reports whether a seat wagered more than the Banker, which is a breach of its own: whether it equaled the
// Banker's wager is open.
func exceeded(b *record.BankRound) bool {
	return record.Any(b.Against, func(s *record.SeatChange) bool { return s.Amount > b.Amount })
}

// unreadAgainst reports whether the amount of a wager against the Banker was not reported.
func unreadAgainst(b *record.BankRound) bool {
	return record.Any(b.Against, func(s *record.SeatChange) bool { return s.Amount == 0 })
}

// suiviSeat is the one seat that may call suivi, 0 if none: it covered the whole bank in the last
// decided round and lost. Two full wagers would have exceeded the cap. It is not known if suivi was
// called and a card of that round was not read.
func (p *Pass) suiviSeat() (seat uint32, known bool) {
	called := slices.ContainsFunc(p.Round.Bancos, func(b record.Banco) bool { return b.Call == record.Suivi })
	if p.wagersLost() || p.bankDisputed() {
		return 0, !called
	}
	last := p.lastDecided()
	if last == nil {
		return 0, true
	}
	switch last.Result {
	case baccarat.NoResult, baccarat.Void: // no sentence says whether a void round counts
		return 0, !called
	case baccarat.BankerWon:
		for _, s := range last.Against {
			if s.Amount == last.Amount {
				return p.seatOf(last.Equaled, s.Seat), true
			}
		}
		if last.Equaled != "" { // at several seats
			seat = p.seatOf(last.Equaled, 0)
			for _, b := range p.Round.Bancos { // who called and does not wager now
				if seat == 0 && b.Call == record.Suivi && seatAmount(last.Against, b.Seat) > 0 {
					seat = p.seatOf(last.Equaled, b.Seat)
				}
			}
			return seat, true
		}
		return 0, !last.Changed && !exceeded(last) && !unreadAgainst(last) || !called
	}
	return 0, true
}

// seatOf is the seat from which a participant wagers against the Banker: the seat before, another to which he moved, or
// 0 if another patron wagers from the seat. The option is the participant's, not the seat's. N.J.A.C. 19:47-4.7(b).
func (p *Pass) seatOf(patron string, before uint32) uint32 {
	if patron == "" {
		return before
	}
	seat := before
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		switch {
		case w.Spot != baccarat.SpotAgainstBanker || w.Gone || w.Patron == "":
		case w.Patron == patron && (before == 0 || w.Seat == before):
			return w.Seat
		case w.Patron == patron:
			seat = w.Seat
		case w.Seat == seat:
			seat = 0
		}
	}
	return seat
}

func checkSuiviEligible(p *Pass) {
	seat, known := p.suiviSeat()
	if !known {
		p.CannotJudge(p.unknownBefore(), p.Round.Started)
		return
	}
	for _, b := range p.Round.Bancos {
		if b.Call != record.Suivi || b.Seat == seat || p.calledSuivi(b.Seat) == nil ||
			seatAmount(p.against(), b.Seat) == 0 {
			continue
		}
		switch another := p.newcomer(b.Seat); {
		case another != "" && p.ownAt(b.Seat): // chemin.against.not-banker reports it
		case p.lastDecided() == nil && (!p.Shoe.Prep.First || !p.Table.Whole):
			p.CannotJudge("the Banker's preceding wager may be one of an earlier shoe", b.Seq)
		case p.equaledFormer(b.Seat):
			p.CannotJudge("whether the preceding wager of the Banker may be one of the Banker before is not in the text", b.Seq)
		default:
			p.suspectIf(another != "", Finding{
				Subject: finding.OfSeat(b.Seat), Seat: b.Seat, Evidence: []record.Seq{b.Seq},
				Expected: suiviFor(seat), Observed: fmt.Sprintf("granted to seat %d", b.Seat) + another,
			})
		}
	}
}

// equaledFormer reports whether a seat equaled and lost the last decided wager of another Banker than the present one.
// Of the amount of a wager the text compares "his immediately preceding wager", of a banco suivi "the immediately
// preceding wager of the Banker". N.J.A.C. 19:47-4.6(b), 4.7(b).
func (p *Pass) equaledFormer(seat uint32) bool {
	for _, b := range slices.Backward(p.Shoe.Bank) {
		if b.Result == baccarat.Tie {
			continue
		}
		former := b.Banker != p.Round.Curator || p.bankPassed(b.No) || p.Round.Replaced.Taken != 0
		for _, s := range b.Against {
			if former && b.Result == baccarat.BankerWon && s.Amount == b.Amount && p.seatOf(b.Equaled, s.Seat) == seat {
				return true
			}
		}
		return false
	}
	return false
}

// newcomer adds to a seat that wagered the whole bank before that another patron wagers from it now: the references of
// patrons show that, and not a change of the seat.
func (p *Pass) newcomer(seat uint32) string {
	if last := p.lastDecided(); last != nil && last.Result == baccarat.BankerWon && last.Equaled != "" &&
		seatAmount(last.Against, seat) == last.Amount {
		return ", where another patron wagers now"
	}
	return ""
}

func checkSuiviAmount(p *Pass) {
	seat, known := p.suiviSeat()
	if !known {
		p.CannotJudge(p.unknownBefore(), p.Round.Started)
		return
	}
	if call := banco(p.Round, seat, true); seat != 0 && call != nil {
		p.judgeCall(call)
	}
}
