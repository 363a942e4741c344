package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// Chemin de fer. N.J.A.C. 19:47-4.5 to 4.7(c); what follows is not in the text.
var cheminFamily = []*Rule{
	{
		Name: "chemin.auction.highest-bidder", Back: Seating, Doc: "The bank goes to the highest bidder.",
		Breach:   "Lower bidder gets the bank.",
		Severity: finding.Major, At: Dealt, Check: checkAuction(false),
	},
	{
		Name: "chemin.auction.tie-break", Back: Seating,
		Doc:      "Of equal bids the one nearest the dealer counterclockwise wins.",
		Breach:   "Higher seat preferred.",
		Severity: finding.Minor, At: Dealt, Check: checkAuction(true),
		Covers: []string{"chemin.auction.highest-bidder"},
	},
	{
		Name: "chemin.auction.order", Back: WholeShoe,
		Doc:      "The shoe is loaded, then the participants bid, then the bank is assigned.",
		Breach:   "The bank is given away before the cards are in the shoe.",
		Severity: finding.Minor, At: Dealt, Check: checkAuctionOrder,
	},
	{
		Name: "chemin.banker.deals", Back: Seating, Doc: "The Banker draws every card.",
		Breach:   "Another participant deals.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedShoeCamera, Check: checkBankerDeals,
	},
	{
		Name:     "chemin.banker.wager-before-deal",
		Doc:      "The Banker wagers before the first card and before any wager against him.",
		Breach:   "No Banker wager.",
		Severity: finding.Major, At: Settled, Check: checkBankerWagers, Needs: baccarat.FeedWagers,
		Covers: []string{"chemin.against.after-banker", "chemin.wager.late"},
	},
	{
		Name: "chemin.banker.first-wager", Back: Seating, Doc: "The Banker's first wager is at least his bid.",
		Breach:   "Bid not honoured.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedWagers, Check: checkFirstWager, Compares: ofSeat,
		Covers: ofBankAmount,
	},
	{
		Name: "chemin.banker.wager-range", Back: Seating,
		Doc:      "A later Banker wager is one to two times the one before.",
		Breach:   "Less than before or more than double.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedWagers, Check: checkWagerRange, Compares: ofSeat,
		Covers: ofBankAmount,
	},
	{
		Name:     "chemin.banker.wager-outcome",
		Doc:      "The Banker wager wins, loses or is void by the counts, and what was wagered against it moves.",
		Breach:   "Stand-off collected.",
		Severity: finding.Critical, At: Settled, Check: checkBankerOutcome,
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{"chemin.against.individual-cap", "chemin.banco.amount", "chemin.suivi.amount"},
	},
	{
		Name: "chemin.banker.cash-exchange", Doc: "A Banker's cash wager is exchanged before the first card.",
		Breach:   "Cash stays on the table.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedWagers, Check: checkBankerCash, Compares: ofSeat,
	},
	{
		Name: "chemin.against.after-banker", Doc: "No patron wagers against the Banker before he has wagered.",
		Breach:   "Premature wager.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedWagers, Check: checkAfterBanker,
	},
	{
		Name:     "chemin.against.opportunity",
		Doc:      "After the Banker's wager the remaining participants are given the opportunity to wager against it.",
		Breach:   "The wagers are opened to some participants only.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedWagers, Check: checkOpportunity,
	},
	{
		Name: "chemin.against.not-banker", Doc: "The Banker does not wager against himself.",
		Breach:   "The Banker covers a part of his bank.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedWagers, Check: checkNotBanker,
	},
	{
		Name: "chemin.against.individual-cap", Doc: "No participant wagers more than the Banker.",
		Breach:   "Too high.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedWagers, Check: checkIndividualCap, Again: true,
		Covers: []string{"chemin.against.aggregate-cap", "chemin.banco.amount", "chemin.suivi.amount"},
	},
	{
		Name: "chemin.against.aggregate-cap", Doc: "All participants together wager no more than the Banker.",
		Breach:   "Total too high.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedWagers, Check: checkAggregateCap, Again: true,
	},
	{
		Name: "chemin.suivi.eligibility", Back: WholeShoe,
		Doc:      "Banco suivi is for the participant who covered the whole bank and lost.",
		Breach:   "Another seat claims suivi.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedWagers, Check: checkSuiviEligible,
	},
	{
		Name: "chemin.suivi.priority", Back: Seating, Doc: "A qualified banco suivi comes before every other wager.",
		Breach:   "Banco of another seat accepted first.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedWagers, Check: checkSuiviPriority,
	},
	{
		Name: "chemin.suivi.amount", Back: Seating, Doc: "Banco suivi is for the whole Banker wager.",
		Breach:   "Partial suivi.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedWagers, Check: checkSuiviAmount, Compares: ofSeat,
	},
	{
		Name: "chemin.banco.priority", Doc: "A full banco comes before partial wagers.",
		Breach:   "Partial wagers taken although banco was called.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedWagers, Check: checkBancoPriority,
	},
	{
		Name: "chemin.banco.nearest", Doc: "Of several bancos the one nearest the Banker counterclockwise is taken.",
		Breach:   "Farther seat preferred.",
		Severity: finding.Minor, At: Dealt, Check: checkBancoNearest, Covers: []string{"chemin.banco.priority"},
		Needs: baccarat.FeedWagers,
	},
	{
		Name: "chemin.banco.amount", Doc: "A banco is for the whole Banker wager.",
		Breach:   "Banco for a part only.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedWagers, Check: checkBancoAmount, Compares: ofSeat,
	},
	{
		Name:     "chemin.banco.area",
		Doc:      "The wager of a banco suivi or a banco lies on the appropriate area of the layout.",
		Breach:   "A banco put beside its area.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedWagers | baccarat.FeedBetSpots, Check: checkBancoArea,
	},
	{
		Name:     "chemin.wager.late",
		Doc:      "Wagers against the Banker are made before the first card, and no wager is changed after it.",
		Breach:   "A participant wagers when he has seen a card.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedWagers, Check: checkLateChemin,
	},
	{
		Name: "chemin.wager.other", Doc: "Other wagers at chemin de fer.", Severity: finding.Info, At: Settled,
		Unknown: "which other wagers are taken at chemin de fer, and what they are paid, is not in the text",
		Needs:   baccarat.FeedWagers, Check: checkOtherWager,
	},
	{
		Name: "chemin.deal.unusual", Doc: "Deals of chemin de fer in another order than that of the other games.",
		Severity: finding.Info, At: Dealt,
		Unknown: "the order in which the cards of chemin de fer are dealt is not in the text", Check: checkUnusualDeal,
	},
	{
		Name: "chemin.draw.unusual", Doc: "Draws of chemin de fer that no source has.", Severity: finding.Info, At: Settled,
		Unknown: "the rules for the third card of chemin de fer are not in the text", Check: checkUnusualDraw,
	},
	{
		Name: "chemin.call.unusual", Doc: "Announcements of chemin de fer that the cards do not bear out.",
		Severity: finding.Info, At: Settled, Needs: baccarat.FeedAnnouncements,
		Unknown: "the announcements of chemin de fer are not in the text", Check: checkUnusualCall,
	},
	{
		Name: "chemin.irregularity", Doc: "Cards found face up, burned in play or taken out of a hand at chemin de fer.",
		Severity: finding.Info, At: Settled,
		Unknown: "the irregularities of chemin de fer are not in the text", Check: checkUnusualIrregularity,
	},
	{
		Name: "chemin.draw.optional-cells", Doc: "Cards are drawn where drawing is not free.",
		Breach:   "Mandatory cell violated.",
		Severity: finding.Major, At: Dealt, Check: checkFreeCells,
	},
	{
		Name: "chemin.vigorish", Doc: "Vigorish of chemin de fer.", Severity: finding.Info, At: Settled,
		Unknown: "percentage and base of the vigorish are not in the text", Needs: baccarat.FeedVigorish,
		Check: checkBankVigorish,
	},
}

// checkBankVigorish says that vigorish of the round cannot be judged: 19:47-4.8 to 4.14 were not found.
func checkBankVigorish(p *Pass) {
	for i := range p.Round.Steps {
		if s := &p.Round.Steps[i]; isVig(s) || s.Kind == record.StepTieCharge {
			p.CannotJudge(p.rule.Unknown, s.Seq)
			return
		}
	}
}

// bank is the Banker's wager of the round, nil if he made none.
func bank(r *record.Round) *record.Wager {
	if r.Bank == 0 {
		return nil
	}
	return &r.Wagers[r.Bank-1]
}

// soleBank is the Banker's wager, nil if he made none. Of two wagers of the Banker, neither of which is a change of the
// other, it is not known what they come to, nor of one whose amount was not reported.
func (p *Pass) soleBank() *record.Wager {
	first := bank(p.Round)
	switch {
	case first == nil || first.Gone:
		return first
	case first.Unread():
		p.CannotJudge("the amount of the Banker's wager was not reported", first.Placed)
		return nil
	case p.Round.TwoBanks():
		p.CannotJudge("the Banker has several wagers in the round", first.Placed)
		return nil
	}
	return first
}

func seatAmount(list []record.SeatChange, seat uint32) int64 {
	for _, s := range list {
		if s.Seat == seat {
			return s.Amount
		}
	}
	return 0
}

// checkAuction judges every assignment of the bank since the round before, by the last bid of each seat
// since the assignment before it.
func checkAuction(tie bool) func(*Pass) {
	return func(p *Pass) {
		before := roundBefore(p.Shoe, p.Round.No)
		start := 0
		for i := range p.Shoe.Bids {
			b := &p.Shoe.Bids[i]
			if !b.Assigned {
				continue
			}
			for start < i && before != nil && p.Shoe.Bids[start].Seq < before.Card {
				start++ // bids for an earlier bank, of which the assignment was not published
			}
			if before == nil || b.Seq >= before.Card {
				p.judgeAuction(p.Shoe.Bids[start:i], b, tie)
			}
			start = i + 1
		}
		if !tie {
			p.seatTaken()
		}
		first := p.Round.FirstCard()
		if !tie && start < len(p.Shoe.Bids) && first != 0 && p.Shoe.Bids[len(p.Shoe.Bids)-1].Seq < first {
			p.CannotJudge("to whom the bank went after the bids was not reported", p.Shoe.Bids[start].Seq)
		}
	}
}

// auction is what the bids that stand show.
type auction struct {
	// Highest is the highest amount, -1 if none was reported. Equal are the seats that bid it, in order.
	Highest int64
	Equal   []uint32
	// Unread is a bid without an amount, that of the seat with the bank if it is one; nil for none.
	Unread *record.Bid
}

// standing returns the last bid of each seat. A bid without an amount has what was accepted of its seat.
func standing(bids []record.Bid, accepted *record.Bid) (stand []record.Bid) {
	for i, o := range bids {
		if record.Any(bids[i+1:], func(later *record.Bid) bool { return later.Seat == o.Seat }) {
			continue
		}
		if o.Amount == 0 && o.Seat == accepted.Seat {
			o.Amount = accepted.Amount
		}
		stand = append(stand, o)
	}
	return stand
}

// auctionOf compares the bids that stand.
func auctionOf(stand []record.Bid, accepted *record.Bid) auction {
	a := auction{Highest: -1}
	for i := range stand {
		switch o := &stand[i]; {
		case o.Amount == 0:
			if a.Unread == nil || o.Seat == accepted.Seat {
				a.Unread = o
			}
		case o.Amount > a.Highest:
			a.Highest, a.Equal = o.Amount, append(a.Equal[:0], o.Seat)
		case o.Amount == a.Highest:
			a.Equal = append(a.Equal, o.Seat)
		}
	}
	slices.Sort(a.Equal)
	return a
}

// judgeAuction judges an assignment of the bank by the bids before it: of equal bids if tie is true, else of others.
func (p *Pass) judgeAuction(bids []record.Bid, b *record.Bid, tie bool) {
	stand := standing(bids, b)
	if len(stand) > 0 && b.Amount > 0 && !record.Any(stand, func(o *record.Bid) bool { return o.Seat == b.Seat }) {
		if !tie {
			p.CannotJudge(fmt.Sprintf("the bid of seat %d, to which the bank went, was not reported", b.Seat), b.Seq)
		}
		stand = append(stand, *b)
	}
	a := auctionOf(stand, b)
	first, tied := p.nearest(a.Equal, 0), slices.Contains(a.Equal, b.Seat)
	// A bid that was read and goes before the accepted one proves the breach, whatever another seat bid.
	if a.Unread != nil && (a.Unread.Seat == b.Seat || a.Highest < 0 || first == b.Seat) {
		if !tie {
			p.CannotJudge(fmt.Sprintf("what seat %d bid was not reported", a.Unread.Seat), a.Unread.Seq, b.Seq)
		}
		return
	}
	if tie && tied && p.nearestUnknown(a.Equal, b.Seq) || a.Highest < 0 || first == b.Seat || tied != tie {
		return
	}
	evidence := []record.Seq{b.Seq}
	for i := range stand {
		evidence = append(evidence, stand[i].Seq)
	}
	expected := fmt.Sprintf("bank to seat %d, bid %s", first, p.money(a.Highest))
	if a.Unread != nil {
		expected += fmt.Sprintf(", or to seat %d, whose bid was not reported", a.Unread.Seat)
	}
	f := Finding{
		Subject: finding.OfSeat(b.Seat), Seat: b.Seat, Amount: a.Highest, Evidence: evidence, Expected: expected,
		Observed: fmt.Sprintf("to seat %d", b.Seat),
	}
	// The highest bidder played as the Banker: he may have the bank, and the record of another seat be wrong.
	plays := p.actsAsBanker(first)
	if plays {
		f.Observed += fmt.Sprintf(", and seat %d drew every card as the Banker", first)
	}
	p.suspectIf(plays || tied && b.Seat == a.Equal[0], f)
}

func checkBankerDeals(p *Pass) {
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		switch {
		case c.Carried:
		case c.ByRole == baccarat.NoRole || c.BySeat == 0 && c.ByRole == baccarat.RoleBanker ||
			c.Curator == 0 || p.Round.Curator == 0:
			p.CannotJudge(p.noDrawer(c, "who drew the card, or who has the bank, was not reported"), c.Seq)
			return
		case c.BySeat != p.Round.Curator:
			f := Finding{
				Subject: finding.OfCard(c.CardSeq), Seat: c.BySeat, Evidence: []record.Seq{c.Seq},
				Expected: fmt.Sprintf("drawn by the Banker, seat %d", p.Round.Curator),
				Observed: fmt.Sprintf("seat %d", c.BySeat),
			}
			if c.BySeat == 0 {
				f.Observed = fmt.Sprintf("drawn by %v", c.ByRole)
			}
			if p.actsAsBanker(c.BySeat) {
				if p.dealtBefore(c.BySeat) {
					return
				}
				f.Verdict = finding.Suspect
				f.Observed += ", as every card of the round"
			}
			p.Report(f)
			return
		case c.ByRole != baccarat.RoleBanker && c.ByRole != baccarat.RoleCurator && c.ByRole != baccarat.RolePatron &&
			c.ByRole != baccarat.RoleDevice: // who has no seat at the table
			p.Suspect(Finding{
				Subject: finding.OfCard(c.CardSeq), Seat: c.BySeat, Evidence: []record.Seq{c.Seq},
				Expected: fmt.Sprintf("drawn by the Banker, seat %d", p.Round.Curator), Observed: "drawn by " + drawer(c),
			})
			return
		}
	}
}

// actsAsBanker reports whether a seat drew every card of the round as the Banker, and no other seat wagered as such:
// it may have the bank by an assignment that was not reported.
func (p *Pass) actsAsBanker(seat uint32) bool {
	r := p.Round
	if b := bank(r); b != nil && b.Seat != seat {
		return false
	}
	return seat != 0 && r.DealtBy() == seat
}

func checkBankerWagers(p *Pass) {
	r := p.Round
	first, bank := r.FirstCard(), bank(r)
	if first == 0 {
		return
	}
	if bank != nil && bank.Placed < first {
		p.judgeBankStands(bank, first)
		return
	}
	drew := r.Cards[record.Index(r.Cards, func(c *record.DealtCard) bool { return c.Seq == first })].BySeat
	if bank == nil && (unreported(r, r.Curator) || unreported(r, drew) && p.actsAsBanker(drew)) {
		p.CannotJudge("the wager of the Banker was not reported", first)
		return
	}
	evidence, observed := []record.Seq{first}, "no wager of the Banker"
	if bank != nil {
		evidence, observed = append(evidence, bank.Placed), "wagered after the first card"
	}
	// Without a seat it is about the whole round: wagers before the Banker's are explained by it.
	p.suspectIf(bank != nil && p.settledBefore(bank), Finding{
		Expected: fmt.Sprintf("the Banker, seat %d, wagers before the first card", r.Curator), Observed: observed,
		Evidence: evidence,
	})
}

// bankBefore is the round before of the same Banker since he took the shoe, nil for his first.
func (p *Pass) bankBefore() *record.BankRound {
	if n := len(p.Shoe.Bank); n > 0 && p.Shoe.Bank[n-1].Banker == p.Round.Curator && p.Round.Replaced.Taken == 0 &&
		!p.bankPassed(p.Shoe.Bank[n-1].No) {
		return &p.Shoe.Bank[n-1]
	}
	return nil
}

// bankerUnreported reports whether a round was played after a round of the Banker, and no wager of his is on record
// for it.
func (p *Pass) bankerUnreported(since *record.BankRound) bool {
	return slices.ContainsFunc(p.Shoe.Rounds, func(r record.RoundSummary) bool { return r.No > since.No && r.Card != 0 })
}

// firstUnreported reports whether rounds were played since the bank was assigned, and no wager of the Banker is on
// record for any.
func (p *Pass) firstUnreported() bool {
	return p.Round.Replaced.Taken == 0 && slices.ContainsFunc(p.Shoe.Rounds, func(r record.RoundSummary) bool {
		return r.Card != 0 && r.Result != baccarat.Void && r.No < p.Round.No && !p.bankPassed(r.No) &&
			!slices.ContainsFunc(p.Shoe.Bank, func(b record.BankRound) bool { return b.No >= r.No })
	})
}

// bankPassed reports whether the bank was assigned again after a round, or bid for: then the assignment was not
// published.
func (p *Pass) bankPassed(no uint32) bool {
	last := round(p.Shoe, no)
	return last != nil &&
		slices.ContainsFunc(p.Shoe.Bids, func(b record.Bid) bool { return b.Seq > last.Card })
}

func checkWagerRange(p *Pass) {
	before, bank := p.bankBefore(), bank(p.Round)
	if before == nil && (bank == nil || !p.firstUnreported()) {
		return
	}
	if bank = p.soleBank(); bank == nil {
		return
	}
	if before == nil || p.bankerUnreported(before) {
		p.CannotJudge(unreadBefore, bank.Placed)
		return
	}
	if p.option("chemin_standoff_counts_for_range") == "false" {
		if before = p.lastDecided(); before == nil {
			return
		}
		if before.Result == baccarat.NoResult || before.Result == baccarat.Void {
			p.CannotJudge(unreadBefore, bank.Placed)
			return
		}
	}
	if before.Unreported {
		p.CannotJudge("what the Banker wagered before is not known", bank.Placed)
		return
	}
	least, most := p.rangeAfter(before)
	off := max(least-bank.Amount, bank.Amount-most)
	if off <= 0 {
		return
	}
	if before.Result == baccarat.Void && p.withinAnother(bank.Amount) {
		p.CannotJudge("whether a wager of a void round is the preceding one is not in the text", bank.Placed)
		return
	}
	if p.withinLawful(bank.Amount, before.No) {
		p.CannotJudge("whether a wager outside of its own range is the preceding one is not in the text", bank.Placed)
		return
	}
	others, _ := p.agreed(bank)
	f := Finding{
		Subject: finding.OfWager(bank.ID), Parts: others, Seat: bank.Seat, Amount: off,
		Evidence: []record.Seq{bank.Placed}, Expected: p.money(least) + " to " + p.money(most),
		Observed: p.money(bank.Amount),
	}
	banco := shortBanco(before)
	follows := bank.Amount >= banco && bank.Amount <= 2*banco
	if follows {
		f.Observed += ", which may follow the banco of " + p.money(banco) + " of the round before"
	}
	p.suspectIf(follows, f)
}

// shortBanco is the one wager against the Banker in a round, if it is less than his and it is open whether it equaled
// his: then one of the two amounts may be wrong. It is 0 otherwise.
func shortBanco(b *record.BankRound) int64 {
	if !b.Changed || len(b.Against) != 1 || b.Against[0].Amount >= b.Amount {
		return 0
	}
	return b.Against[0].Amount
}

// withinAnother reports whether an amount is one to two times the wager of the Banker before the void rounds, or may
// be: none is on record.
func (p *Pass) withinAnother(amount int64) bool {
	for i := len(p.Shoe.Bank) - 1; i >= 0; i-- {
		b := &p.Shoe.Bank[i]
		switch {
		case b.Banker != p.Round.Curator || p.bankPassed(b.No):
			return true
		case b.Result != baccarat.Void:
			return amount >= b.Amount && amount <= 2*b.Amount
		case b.Begins:
			return true
		}
	}
	return true
}

func checkBankerOutcome(p *Pass) {
	bank := bank(p.Round)
	c := p.Round.Coup()
	if !c.Complete || p.cancelled() {
		p.seizedAgainst(c)
		return
	}
	from := len(p.Findings)
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		switch {
		case p.againstTogether(w, c.Result()):
			p.onePlayer(w)
			continue
		case w.Disposition() == baccarat.Undetermined:
			p.CannotJudge(
				fmt.Sprintf("how the %v wager of seat %d was settled was not reported", w.Spot, w.Seat), w.Placed,
			)
		}
		p.judgeAgainst(w, c.Result())
	}
	p.suspectFrom(from) // the text has the outcome of the Banker's wager alone
	if bank == nil || bank.Gone {
		return
	}
	want, got := cheminOutcome(bank, c.Result()), bank.Disposition()
	if (want == baccarat.Collect || got == baccarat.Return) && p.uncoveredReturned(bank) {
		return
	}
	from = len(p.Findings)
	switch {
	case got != baccarat.Undetermined && got != want:
		p.reportOutcome(bank, want, got)
	case got == want:
		p.settledElsewhere(bank)
	}
	for i := range p.Findings[from:] {
		p.Findings[from+i].Apart = true
	}
	if got == want {
		p.judgeBankAmount(bank)
	}
}

// seizedAgainst suspects what was paid or collected against the cards in a complete round that is recorded as void
// and was not declared void: it is wrong whether the round counts or not.
func (p *Pass) seizedAgainst(c *baccarat.Coup) {
	r := p.Round
	if !c.Complete || r.Voided.Seq != 0 {
		return
	}
	from := len(p.Findings)
	for i := range r.Wagers {
		w := &r.Wagers[i]
		want, got := cheminOutcome(w, c.Result()), w.Disposition()
		if got != want && (got == baccarat.Pay || got == baccarat.Collect) {
			p.reportOutcome(w, want, got)
			p.Findings[len(p.Findings)-1].Apart = true
		}
	}
	p.suspectFrom(from)
}

// cheminOutcome is what becomes of the Banker's wager, or of one against it, on a result.
func cheminOutcome(w *record.Wager, result baccarat.Result) baccarat.Disposition {
	if result == baccarat.Tie {
		return baccarat.Return
	}
	return baccarat.PayIf((result == baccarat.BankerWon) == (w.Spot != baccarat.SpotAgainstBanker))
}

// moved is the sum that a wager was paid, collected or returned.
func moved(w *record.Wager) int64 {
	net := w.Net()
	switch w.Disposition() {
	case baccarat.Pay:
		return net.Paid
	case baccarat.Collect:
		return net.Collected
	default:
		return net.Returned
	}
}

// judgeBankAmount judges the sum that moved for the Banker's wager. The text prints that a stand-off returns it. It
// prints no odds: a win or a loss is suspected outside the range from the sum of the wagers against the Banker to his
// own wager, since those are made "against all or a part" of it. N.J.A.C. 19:47-4.6(a), 4.7(a).
func (p *Pass) judgeBankAmount(bank *record.Wager) {
	if p.soleBank() == nil || !p.readAll() {
		return
	}
	sum, covered := moved(bank), p.covered()
	if bank.Disposition() == baccarat.Return {
		if sum != bank.Amount {
			p.reportMoney(bank, p.money(bank.Amount), sum-bank.Amount)
			p.ofAmount(bank)
		}
		return
	}
	least, most := min(covered, bank.Amount), max(covered, bank.Amount) // another rule reports that covered is too much
	if off := max(least-sum, sum-most); off > 0 {
		from, due := len(p.Findings), p.money(least)
		if least < most {
			due += " to " + p.money(most)
		}
		p.reportMoney(bank, due, off)
		p.ofAmount(bank)
		p.suspectFrom(from)
	}
}

// ofAmount says that a wrong amount of the Banker explains the last finding, if the round agrees on another one.
func (p *Pass) ofAmount(bank *record.Wager) {
	f := &p.Findings[len(p.Findings)-1]
	others, ok := p.agreed(bank)
	f.Parts, f.Apart = others, !ok
}

// covered is the sum of the wagers against the Banker.
func (p *Pass) covered() (sum int64) {
	for _, s := range p.against() {
		sum += s.Amount
	}
	return sum
}

// reportMoney reports a wager that was paid, collected or returned with a sum that is off.
func (p *Pass) reportMoney(w *record.Wager, expected string, off int64) {
	p.Report(p.offMoney(w, expected, off))
}

// offMoney is the finding about a wager that was paid, collected or returned with a sum that is off.
func (p *Pass) offMoney(w *record.Wager, expected string, off int64) Finding {
	return Finding{
		Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: abs(off), Evidence: evidence(w, p.Round),
		Expected: w.Disposition().String() + " " + expected, Observed: p.settled(w),
	}
}

// readAll reports whether the amounts of all wagers of the round and of their motions were reported, and each motion is
// of a wager on record.
func (p *Pass) readAll() bool {
	r := p.Round
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Unplaced() {
			p.CannotJudge("money moved for a wager that was not reported", s.Seq)
			return false
		}
	}
	return !record.Any(r.Wagers, func(w *record.Wager) bool { return !w.Gone && !p.read(w) })
}

// againstTogether reports whether a wager against the Banker was settled with others of its participant by motions that
// do not name all of them.
func (p *Pass) againstTogether(w *record.Wager, result baccarat.Result) bool {
	return w.Spot == baccarat.SpotAgainstBanker &&
		p.inOneMotion(w, cheminOutcome(w, result), func(sum, stake int64) bool { return sum == stake })
}

// judgeAgainst suspects a wager against the Banker that was settled as if the Banker's wager had come out otherwise:
// the text has the outcome of the Banker's wager alone, against which it was made. N.J.A.C. 19:47-4.6(a), 4.7(a).
func (p *Pass) judgeAgainst(w *record.Wager, result baccarat.Result) {
	if w.Spot != baccarat.SpotAgainstBanker || w.Gone {
		return
	}
	want, got := cheminOutcome(w, result), w.Disposition()
	switch {
	case got == want:
		p.judgeAgainstAmount(w)
		p.settledElsewhere(w)
	case got == baccarat.Collect || got == baccarat.Pay, got == baccarat.Return && p.returnedInPlay(w) && !p.beyondBank(w):
		p.reportOutcome(w, want, got)
	}
}

// returnedInPlay reports whether a wager was placed before the first card and returned after it.
func (p *Pass) returnedInPlay(w *record.Wager) bool {
	first := p.Round.FirstCard()
	return first != 0 && w.Placed < first && w.Returned.Seq > first
}

// beyondBank reports whether the wagers against the Banker exceed his own by at least this one, which may then be given
// back. N.J.A.C. 19:47-4.7(a).
func (p *Pass) beyondBank(w *record.Wager) bool {
	bank := bank(p.Round)
	return bank == nil || w.Amount <= p.covered()-bank.Amount
}

// judgeAgainstAmount finds a wager against the Banker for which another sum than its own moved, to be suspected. The
// text prints no odds: what it wins is the part of the Banker's wager that it was made against. Of one above that,
// chemin.against.individual-cap has what exceeds it. N.J.A.C. 19:47-4.7(a).
func (p *Pass) judgeAgainstAmount(w *record.Wager) {
	bank := bank(p.Round)
	capped := bank != nil && bank.Amount < w.Amount && p.judges("chemin.against.individual-cap") &&
		w.Disposition() != baccarat.Return
	sum := moved(w)
	if !p.read(w) || sum == w.Amount || capped && sum == bank.Amount {
		return
	}
	f, gain := p.offMoney(w, p.money(w.Amount), sum-w.Amount), sum-w.Amount
	if w.Disposition() == baccarat.Collect {
		gain = -gain
	}
	if !p.exchanged(&f, w, gain) {
		p.Report(f)
	}
}

// uncoveredReturned reports whether the returned part of the Banker wager is the part that no participant wagered
// against, which may be all of it. N.J.A.C. 19:47-4.7(a): participants wager against all or a part of it.
func (p *Pass) uncoveredReturned(bank *record.Wager) bool {
	covered := p.covered()
	taken, back := bank.Collected.Amount, bank.Returned.Amount
	return taken >= covered && back > 0 && taken+back == bank.Amount
}

func checkBankerCash(p *Pass) {
	bank := bank(p.Round)
	if bank == nil || bank.Gone || bank.Medium != baccarat.Cash && bank.Medium != baccarat.VerbalCash {
		return
	}
	first, at := p.Round.FirstCard(), bank.Converted.Seq
	want := p.money(bank.Amount) + " exchanged for chips before the first card"
	switch {
	case at != 0 && first != 0 && at > first:
		p.reportWager(bank, want, "exchanged after it", first, at)
	case at == 0, bank.Converted.Amount != bank.Amount && !stood(bank, bank.Placed, bank.Converted.Amount) &&
		!stood(bank, at, bank.Converted.Amount): // a raise may be of chips
		p.reportWager(bank, want, p.money(bank.Converted.Amount)+" exchanged")
	default:
		p.judgeExchange(bank)
	}
}

func checkAfterBanker(p *Pass) {
	bank := bank(p.Round)
	if bank == nil {
		return
	}
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot != baccarat.SpotAgainstBanker || w.Placed > bank.Placed {
			continue
		}
		from := len(p.Findings)
		p.reportWager(w, "after the Banker's wager", "before it", bank.Placed)
		f := &p.Findings[from]
		if stands, _ := w.StoodAt(p.Round.FirstCard()); stands == 0 && w.Gone && f.Verdict == "" {
			f.Verdict, f.Observed = finding.Information, f.Observed+", and given back before the first card"
		}
	}
}

// against are the sums wagered against the Banker by seat, ascending, until the next call.
func (p *Pass) against() []record.SeatChange {
	p.scratch.against = p.Round.AppendAgainst(p.scratch.against[:0])
	return p.scratch.against
}

func checkIndividualCap(p *Pass) {
	bank := p.soleBank()
	if bank == nil || p.mayBeRefused() {
		return
	}
	for _, s := range p.against() {
		switch {
		case s.Amount <= bank.Amount:
		case s.Amount <= p.bankFor(s.Seat):
			p.lowered(s.Amount, s.Seq)
		default:
			p.Report(Finding{
				Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount - bank.Amount,
				Evidence: []record.Seq{bank.Placed, s.Seq},
				Expected: "at most " + p.money(bank.Amount), Observed: p.money(s.Amount),
			})
		}
	}
}

func checkAggregateCap(p *Pass) {
	bank := p.soleBank()
	if bank == nil || p.mayBeRefused() {
		return
	}
	if sum := p.covered(); sum > bank.Amount {
		evidence, then := []record.Seq{bank.Placed}, bank.Amount
		for _, s := range p.against() {
			evidence, then = append(evidence, s.Seq), max(then, p.bankFor(s.Seat))
		}
		if sum <= then {
			p.lowered(sum, evidence[1:]...)
			return
		}
		_, ok := p.agreed(bank)
		above := record.Any(p.against(), func(s *record.SeatChange) bool { return s.Amount > bank.Amount })
		p.Report(Finding{
			Amount: sum - bank.Amount, Evidence: evidence, Expected: "together at most " + p.money(bank.Amount),
			Observed: p.money(sum), Apart: !ok && !above,
		})
	}
}

// mayBeRefused reports whether a wager against the Banker was changed after the end of the betting, in a round that is
// not settled: until then the change may be refused, [RefuseChanges].
func (p *Pass) mayBeRefused() bool {
	closed := betsClosed(p.Round)
	return p.stage < Settled && closed != 0 && record.Any(p.Round.Wagers, func(w *record.Wager) bool {
		n := len(w.Changes)
		return w.Spot == baccarat.SpotAgainstBanker && n > 0 && w.Changes[n-1].Seq > closed
	})
}

// lastDecided is the latest earlier round of this Banker that was no stand-off. Its result is NoResult if a
// card was not read: it, or one before it, is the round.
func (p *Pass) lastDecided() *record.BankRound {
	if p.Round.Replaced.Taken != 0 {
		return nil
	}
	for i := len(p.Shoe.Bank) - 1; i >= 0; i-- {
		b := &p.Shoe.Bank[i]
		if b.Banker != p.Round.Curator || p.bankPassed(b.No) {
			return nil
		}
		if b.Result != baccarat.Tie {
			return b
		}
		if b.Begins {
			return nil
		}
	}
	return nil
}

// wagersLost reports whether wagers of this Banker's rounds since the last decided one were not reported.
func (p *Pass) wagersLost() bool {
	if taken := p.Round.Replaced; taken.Taken != 0 {
		return !taken.Another
	}
	for _, r := range slices.Backward(p.Shoe.Rounds) {
		if r.Card == 0 || r.Result == baccarat.Void {
			continue
		}
		if p.bankPassed(r.No) {
			return false
		}
		i := slices.IndexFunc(p.Shoe.Bank, func(b record.BankRound) bool { return b.No == r.No })
		if i < 0 || p.Shoe.Bank[i].Unreported {
			return true
		}
		if p.Shoe.Bank[i].Result != baccarat.Tie || p.Shoe.Bank[i].Begins {
			return false
		}
	}
	return false
}

const unreadBefore = "a card or a wager of the round before was not reported"

// bankDisputed reports whether another seat wagers as the Banker than the one to which the bank went by the record.
func (p *Pass) bankDisputed() bool {
	bank := bank(p.Round)
	return bank != nil && p.Round.Curator != 0 && bank.Seat != p.Round.Curator
}

func banco(r *record.Round, seat uint32, suivi bool) *record.Banco {
	for i := range r.Bancos {
		if b := &r.Bancos[i]; b.Seat == seat && (b.Call == record.Suivi) == suivi {
			return b
		}
	}
	return nil
}

// judgeCall judges that the seat of a call wagered the whole Banker wager.
func (p *Pass) judgeCall(call *record.Banco) {
	bank := p.soleBank()
	if bank == nil {
		return
	}
	switch got := p.inTime(call.Seat); {
	case got == 0 || got == bank.Amount || p.ofParticipant(call.Seat) == bank.Amount:
	case got == p.bankFor(call.Seat):
		if got < bank.Amount { // chemin.against.individual-cap has the opposite
			p.CannotJudge("whether the Banker may raise a wager that was covered is in no sentence that was found", call.Seq)
		}
	default:
		p.Report(Finding{
			Subject: finding.OfSeat(call.Seat), Seat: call.Seat, Amount: abs(bank.Amount - got),
			Evidence: []record.Seq{bank.Placed, call.Seq}, Expected: p.money(bank.Amount), Observed: p.money(got),
		})
	}
}

// inTime is what a seat wagered against the Banker as it lay at the end of the betting: of a later change
// chemin.wager.late is the finding.
func (p *Pass) inTime(seat uint32) int64 {
	sum, closed := seatAmount(p.against(), seat), betsClosed(p.Round)
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot == baccarat.SpotAgainstBanker && w.Seat == seat && !w.Gone && closed != 0 && w.Placed < closed {
			before, _ := w.StoodAt(closed)
			sum += before - w.Amount
		}
	}
	return sum
}

// ofParticipant is the sum of the wagers against the Banker, at any seat, of the participant who wagers from a seat:
// the option is of a participant. It is 0 if several wager from it, or the participant is not known.
func (p *Pass) ofParticipant(seat uint32) (sum int64) {
	patron := ""
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot != baccarat.SpotAgainstBanker || w.Gone || w.Seat != seat {
			continue
		}
		if w.Patron == "" || patron != "" && w.Patron != patron {
			return 0
		}
		patron = w.Patron
	}
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot == baccarat.SpotAgainstBanker && !w.Gone && w.Patron == patron && patron != "" {
			sum += w.Amount
		}
	}
	return sum
}

// preferred is the seat whose banco is to be taken, 0 if none was called or a suivi goes before.
func (p *Pass) preferred() uint32 {
	r := p.Round
	if seat, known := p.suiviSeat(); !known || seat != 0 && banco(r, seat, true) != nil {
		return 0
	}
	return p.nearest(callers(r), r.Curator)
}

func checkBancoAmount(p *Pass) {
	if seat := p.preferred(); seat != 0 {
		p.judgeCall(banco(p.Round, seat, false))
	}
}

// checkFreeCells judges only cells that both the drawing table and the secondary sources hold
// mandatory: player 0 to 4 draws, 6 and 7 stay, 5 is free; the Banker is free on 3 against a 9, on 5
// against a 4, and on 6 when the player stood. Off unless a house rulebook switches it on.
func checkFreeCells(p *Pass) {
	if c, ok := p.drawn(); ok && !c.Natural() {
		p.judgeCells(c)
	}
}

func (p *Pass) judgeCells(c *baccarat.Coup) {
	switch {
	case c.P2 <= 4 && c.NP == 2:
		p.reportDraw(baccarat.Player, fmt.Sprintf("player hand on %d draws", c.P2), "stood")
		return
	case c.P2 >= 6 && c.NP > 2:
		p.reportDraw(baccarat.Player, fmt.Sprintf("player hand on %d stays", c.P2), "took a card")
		return
	}
	free := (c.B2 == 3 && c.Third == 9) || (c.B2 == 5 && c.Third == 4) || (c.B2 == 6 && c.Third == baccarat.NoThird)
	if !free {
		p.judgeBanker(c, true)
		p.judgeBanker(c, false)
	}
}
