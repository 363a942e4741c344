package rules

import (
	"fmt"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// seatTaken judges another patron in the seat of the Banker, to whom no one gave the bank. The first hand is for the
// highest bidder, N.J.A.C. 19:47-4.5(b); how the bank passes later is in no sentence that was found.
func (p *Pass) seatTaken() {
	taken := p.Round.Replaced
	seat := p.Round.Curator
	switch {
	case taken.Taken == 0:
	case !taken.Another:
		p.CannotJudge(fmt.Sprintf("which patron has the seat of the Banker, seat %d, was not reported", seat), taken.Taken)
	case p.bankPlayed(seat):
		p.CannotJudge(
			fmt.Sprintf("another patron took seat %d of the Banker; how the bank passes is in no sentence that was found", seat),
			taken.Taken,
		)
	default:
		p.Suspect(Finding{
			Subject: finding.OfSeat(seat), Seat: seat, Evidence: taken.Evidence(),
			Expected: fmt.Sprintf("the first hand dealt by the patron at seat %d to whom the bank went", seat),
			Observed: "another patron in the seat, and no other offer of the bank",
		})
	}
}

// bankPlayed reports whether a hand was dealt from a seat since the bank was last assigned.
func (p *Pass) bankPlayed(seat uint32) bool {
	n := len(p.Shoe.Bank)
	return n > 0 && p.Shoe.Bank[n-1].Banker == seat && !p.bankPassed(p.Shoe.Bank[n-1].No)
}

// ownBids are the bids of the Banker in the auction that gave him the bank: the last and the highest one. Without a
// reported bid they are the bid that was accepted.
func ownBids(bids []record.Bid, assigned int) (last, highest record.Bid) {
	for _, b := range slices.Backward(bids[:assigned]) {
		if b.Assigned {
			break
		}
		if b.Seat != bids[assigned].Seat {
			continue
		}
		if last.Seq == 0 {
			last = b
		}
		if b.Amount > highest.Amount {
			highest = b
		}
	}
	if last.Seq == 0 {
		return bids[assigned], bids[assigned]
	}
	return last, highest
}

// ofBankAmount are the rules about other amounts of a round, of which a wrong amount of the Banker is a breach too.
var ofBankAmount = []string{
	"chemin.against.individual-cap", "chemin.against.aggregate-cap", "chemin.banco.amount", "chemin.suivi.amount",
	"chemin.banker.wager-outcome",
}

// agreed are the seats that wagered against the Banker if what they wagered, called and moved agrees on another wager
// of the Banker, which his rules allow: then his amount is wrong. It is false if it does not, or if events are missing
// that may prove his amount right.
func (p *Pass) agreed(bank *record.Wager) (seats []finding.Subject, ok bool) {
	if p.Shoe.Missing || p.Shoe.Joined || p.Round.Missing {
		return nil, false
	}
	least, most := p.bidOf(bank.Seat), int64(math.MaxInt64)
	if before := p.bankBefore(); before != nil {
		if p.option("chemin_standoff_counts_for_range") == "false" {
			before = p.lastDecided()
		}
		if before == nil || before.Unreported {
			return nil, false
		}
		least, most = p.rangeAfter(before)
	}
	exactly := func(amount int64) { least, most = max(least, amount), min(most, amount) }
	for _, s := range p.against() {
		least = max(least, s.Amount)
		seats = append(seats, finding.OfSeat(s.Seat))
		if slices.ContainsFunc(p.Round.Bancos, func(b record.Banco) bool { return b.Seat == s.Seat }) {
			exactly(max(s.Amount, p.ofParticipant(s.Seat)))
		}
	}
	least = max(least, p.covered())
	switch bank.Disposition() {
	case baccarat.Return:
		exactly(moved(bank))
	case baccarat.Pay, baccarat.Collect:
		least = max(least, moved(bank))
	}
	if least > most {
		return nil, false
	}
	return seats, true
}

// rangeAfter is what the Banker may wager after a round of his.
func (p *Pass) rangeAfter(before *record.BankRound) (least, most int64) {
	least = before.Amount
	if p.option("chemin_prev_wager") == "covered" {
		least = 0
		for _, s := range before.Against {
			least += s.Amount
		}
		least = min(least, before.Amount)
	}
	return least, 2 * least
}

// withinLawful reports whether an amount is one to two times the wager or the bid that a round of the Banker had to
// follow, if his wager of that round was itself outside of its range. A Banker who goes back to what was lawful mends
// that wager: it is reported once.
func (p *Pass) withinLawful(amount int64, no uint32) bool {
	bank := p.Shoe.Bank
	i := slices.IndexFunc(bank, func(b record.BankRound) bool { return b.No == no })
	for ; i >= 0 && !bank[i].Begins; i-- {
		first := i == 0 || bank[i-1].Banker != bank[i].Banker || p.bankPassed(bank[i-1].No)
		of, most := p.bidOf(bank[i].Banker), int64(math.MaxInt64)
		if !first {
			of, most = bank[i-1].Amount, 2*bank[i-1].Amount
		}
		switch was := bank[i].Amount; {
		case was >= of && was <= most:
			return false
		case amount >= of && amount <= 2*of:
			return true
		case first:
			return false
		}
	}
	return false
}

// bidOf is the last bid of a Banker in the auction that gave him the bank, 0 if there was none.
func (p *Pass) bidOf(seat uint32) int64 {
	at := lastAssigned(p.Shoe.Bids, seat)
	if at < 0 {
		return 0
	}
	last, _ := ownBids(p.Shoe.Bids, at)
	return last.Amount
}

// lastAssigned is the index of the last assignment of the bank, -1 if it was not to a seat.
func lastAssigned(bids []record.Bid, seat uint32) int {
	for i, b := range slices.Backward(bids) {
		if b.Assigned {
			if b.Seat != seat {
				return -1
			}
			return i
		}
	}
	return -1
}

// checkFirstWager compares the Banker's first wager with what he offered in the bidding, whatever the assignment says.
// N.J.A.C. 19:47-4.6(b).
func checkFirstWager(p *Pass) {
	if p.bankBefore() != nil || p.Round.Replaced.Taken != 0 {
		return
	}
	bank := p.soleBank()
	if bank == nil || bank.Gone {
		return
	}
	bids := p.Shoe.Bids
	at := lastAssigned(bids, bank.Seat)
	if at < 0 {
		return
	}
	last, highest := ownBids(bids, at)
	others, _ := p.agreed(bank)
	short := func(b record.Bid, verdict finding.Verdict) {
		p.Report(Finding{
			Subject: finding.OfWager(bank.ID), Parts: others, Seat: bank.Seat, Amount: b.Amount - bank.Amount,
			Verdict:  verdict,
			Expected: "at least the bid of " + p.money(b.Amount), Observed: p.money(bank.Amount),
			Evidence: []record.Seq{b.Seq, bids[at].Seq, bank.Placed},
		})
	}
	switch {
	case bank.Amount < last.Amount:
		short(last, "")
	case bank.Amount < highest.Amount: // a bid that he put down lower himself
		short(highest, finding.Suspect)
	case bank.Amount < bids[at].Amount:
		short(bids[at], finding.Suspect)
	}
}

// checkAuctionOrder judges the first bank of a shoe; later ones may be taken over without bids. N.J.A.C. 19:47-4.5(b).
func checkAuctionOrder(p *Pass) {
	s := p.Shoe
	if firstDealt(s) != 0 {
		return
	}
	if len(s.Bids) == 0 {
		if first := p.Round.FirstCard(); first != 0 && !s.Joined {
			p.CannotJudge("neither a bid nor the bank of the shoe was reported", first)
		}
		return
	}
	first := &s.Bids[0]
	report := func(expected, observed string, verdict finding.Verdict, evidence ...record.Seq) {
		p.Report(Finding{
			Subject: finding.OfSeat(first.Seat), Seat: first.Seat, Expected: expected, Observed: observed,
			Verdict: verdict, Evidence: evidence,
		})
	}
	// Where the cards were burned before that as well, the loading is what is out of place.
	late := p.judges("shoe.burn.once-before-play") && p.burnedBeforeLoad()
	if loads := s.Prep.Loads; !late && len(loads) > 0 && first.Seq < loads[0] {
		what := "bid"
		if first.Assigned {
			what = "bank assigned"
		}
		report("bids after the cards are placed in the shoe", what+" before that", "", first.Seq, loads[0])
		return
	}
	if !first.Assigned {
		return
	}
	const expected = "the bank assigned after the participants bid"
	later := slices.IndexFunc(s.Bids, func(b record.Bid) bool { return !b.Assigned })
	switch {
	case later >= 0 && (p.Round.FirstCard() == 0 || s.Bids[later].Seq < p.Round.FirstCard()):
		report(expected, "assigned before the first bid", "", first.Seq, s.Bids[later].Seq)
	case first.Amount == 0:
		report(expected, "assigned without a bid", finding.Suspect, first.Seq)
	default:
		p.CannotJudge("the bids for the first bank of the shoe were not reported", first.Seq)
	}
}

// bankFor is the Banker's wager when a seat last changed its wagers against it.
func (p *Pass) bankFor(seat uint32) int64 {
	bank := bank(p.Round)
	made := bank.Placed
	for i := range p.Round.Wagers {
		if w := &p.Round.Wagers[i]; w.Spot == baccarat.SpotAgainstBanker && w.Seat == seat {
			made = max(made, w.Placed)
			for _, c := range w.Changes {
				made = max(made, c.Seq)
			}
		}
	}
	amount, _ := bank.StoodAt(made)
	return amount
}

// lowered suspects a Banker's wager that was lowered below what had been wagered against it. That must not exceed the
// Banker's wager; the text does not say whether at the time of the wager or at the deal. N.J.A.C. 19:47-4.7(a).
func (p *Pass) lowered(sum int64, against ...record.Seq) {
	bank := bank(p.Round)
	p.Suspect(Finding{
		Subject: finding.OfWager(bank.ID), Seat: bank.Seat, Amount: sum - bank.Amount,
		Evidence: append([]record.Seq{bank.Placed}, against...),
		Expected: "at least the " + p.money(sum) + " wagered against it", Observed: "lowered to " + p.money(bank.Amount),
	})
}

// judgeExchange judges who exchanged the Banker's cash: the dealer. N.J.A.C. 19:47-4.6(c).
func (p *Pass) judgeExchange(bank *record.Wager) {
	f := Finding{
		Subject: finding.OfWager(bank.ID), Seat: bank.Seat, Amount: bank.Amount,
		Expected: "cash exchanged by the dealer", Observed: fmt.Sprintf("exchanged by %v", bank.ConvertedBy),
		Evidence: []record.Seq{bank.Placed, bank.Converted.Seq},
	}
	switch bank.ConvertedBy {
	case baccarat.RoleDealer:
	case baccarat.NoRole, baccarat.RoleDevice:
		p.CannotJudge("who exchanged the Banker's cash was not reported", f.Evidence...)
	case baccarat.RoleFloorperson, baccarat.RoleSupervisor:
		p.Suspect(f)
	default:
		p.Report(f)
	}
}

// checkOpportunity judges the opening of the wagers against the Banker where it is reported; it need not be.
// N.J.A.C. 19:47-4.7(a).
func checkOpportunity(p *Pass) {
	bank, opened := bank(p.Round), &p.Round.Opened
	if opened.Seq == 0 {
		return
	}
	if bank != nil && opened.Seq < bank.Placed {
		p.Report(Finding{
			Expected: "wagers opened after the Banker's wager", Observed: "opened before it",
			Evidence: []record.Seq{opened.Seq, bank.Placed},
		})
		return
	}
	for _, seat := range opened.LeftOut {
		p.Report(Finding{
			Subject: finding.OfSeat(seat), Seat: seat, Evidence: []record.Seq{opened.Seq},
			Expected: fmt.Sprintf("an opportunity for seat %d to wager against the Banker", seat),
			Observed: fmt.Sprintf("opened to seats %v", opened.Seats),
		})
	}
}

// checkNotBanker finds the Banker among those who wager against him: the same patron, or at least his seat.
// N.J.A.C. 19:47-4.7(a).
func checkNotBanker(p *Pass) {
	bank := bank(p.Round)
	if bank == nil {
		return
	}
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot != baccarat.SpotAgainstBanker || w.Gone {
			continue
		}
		his := isOf(w, bank)
		if !his && (w.Seat != bank.Seat || w.Patron != "" && bank.Patron != "") {
			continue
		}
		f := Finding{
			Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount,
			Expected: "a wager of a participant who is not the Banker", Evidence: []record.Seq{bank.Placed, w.Placed},
			Observed: fmt.Sprintf("the Banker's wager at seat %d", w.Seat),
		}
		if his {
			p.Report(f)
			continue
		}
		f.Observed = fmt.Sprintf("a wager at the Banker's seat %d", w.Seat)
		p.Suspect(f)
	}
}

// isOf reports whether a wager is known to be the Banker's own.
func isOf(w, bank *record.Wager) bool { return w.Patron != "" && w.Patron == bank.Patron }

// ownAt reports whether a wager of a seat against the Banker is his own.
func (p *Pass) ownAt(seat uint32) bool {
	bank := bank(p.Round)
	return bank != nil && slices.ContainsFunc(p.Round.Wagers, func(w record.Wager) bool {
		return w.Seat == seat && w.Spot == baccarat.SpotAgainstBanker && !w.Gone && isOf(&w, bank)
	})
}
