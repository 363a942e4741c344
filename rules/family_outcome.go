package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

var outcomeFamily = []*Rule{
	outcome(
		"outcome.banker-wager", "A banker wager is paid, collected or returned by the counts.",
		"Losing banker wager left or paid.", baccarat.SpotBanker,
	),
	outcome(
		"outcome.player-wager", "A player wager is paid, collected or returned by the counts.",
		"Player wager taken on a tie.", baccarat.SpotPlayer,
	),
	outcome(
		"outcome.tie-wager", "A tie bet is paid on a tie and collected otherwise; it is never returned.",
		"Tie bet returned on a non-tie.", baccarat.SpotTie,
	),
	outcome(
		"outcome.pair-wager",
		"A pair wager is paid when the hand's first two cards have one rank, and collected otherwise.",
		"K Q paid as a pair of zero-value cards.", baccarat.SpotPlayerPair, baccarat.SpotBankerPair,
	),
	{
		Name: "outcome.ez-dragon-7-push", Doc: "At an EZ table banker wagers are returned on a dragon 7.",
		Breach:   "Banker wager paid 1:1 on a dragon 7.",
		Severity: finding.Critical, At: Settled, Check: checkDragonPush,
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{"outcome.banker-wager", "vig.ez.dragon-7-charge"},
	},
	outcome(
		"outcome.dragon-bonus", "A dragon bonus is paid, collected or returned by its definition.",
		"Non-natural tie returned.", baccarat.SpotDragonBonusPlayer, baccarat.SpotDragonBonusBanker,
	),
	outcome(
		"outcome.dragon-7-insurance",
		"Dragon 7 insurance is paid on a banker win with a three-card 7, and collected otherwise.",
		"Two-card banker 7 paid.", baccarat.SpotDragon7,
	),
	outcome(
		"outcome.panda-8-insurance",
		"Panda 8 insurance is paid on a player win with a three-card 8, and collected otherwise.",
		"Winning panda collected.", baccarat.SpotPanda8,
	),
	outcome(
		"outcome.treasures", "A 5 Treasures wager is paid on its qualifying event, and collected otherwise.",
		"Heavenly 9 collected because the round was a tie.", baccarat.SpotFortune7, baccarat.SpotGolden8,
		baccarat.SpotHeavenly9, baccarat.SpotBlazing7s, baccarat.SpotCoverAll,
	),
	{
		Name: "outcome.void-round", Doc: "Every wager of a void round is returned, and nothing is charged.",
		Breach:   "A void round is settled for one seat.",
		Severity: finding.Critical, At: Settled, Check: checkVoidRound, Covers: []string{"outcome.player-wager"},
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name:     "outcome.void-ground",
		Doc:      "A round is void only if too few cards remain in the shoe to complete it.",
		Breach:   "A complete round is declared void, and the winners are not paid.",
		Severity: finding.Critical, At: Settled, Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
		Check: checkVoidGround, Covers: []string{"outcome.void-round"},
	},
}

func outcome(name, doc, breach string, on ...baccarat.Spot) *Rule {
	return &Rule{
		Name: name, Doc: doc, Breach: breach, Severity: finding.Critical, At: Settled,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{
			"vig.ez.none", "vig.novig6.none", "vig.only-on-banker-win", "vig.tie25.all-players", "vig.tie25.amount",
		},
		Check: func(p *Pass) {
			for i := range p.Round.Wagers {
				w := &p.Round.Wagers[i]
				if slices.Contains(on, w.Spot) {
					p.judgeOutcome(w)
				}
			}
		},
	}
}

func (p *Pass) judgeOutcome(w *record.Wager) {
	if !p.misjudged(w) || p.dragonPush(w) {
		return
	}
	// A motion without an amount may be the one that put a mistake right.
	unread := record.Index(p.Round.Steps, func(s *record.Step) bool {
		return s.Amount == 0 && s.Kind <= record.StepReturned && s.Wager >= 0 && p.Round.Wagers[s.Wager].ID == w.ID
	})
	if unread >= 0 && w.Settlements() > 1 {
		p.Report(Finding{
			Subject: finding.OfWager(w.ID), Seat: w.Seat, Verdict: finding.Unauditable,
			Evidence: []record.Seq{p.Round.Steps[unread].Seq}, Observed: p.unread(w.Seat),
		})
		return
	}
	p.reportOutcome(w, p.disposition(w), w.Disposition())
}

// misjudged reports whether a wager was settled otherwise than by the cards that count.
func (p *Pass) misjudged(w *record.Wager) bool {
	want, got := p.disposition(w), w.Disposition()
	return want != baccarat.Undetermined && got != baccarat.Undetermined && got != want
}

func (p *Pass) reportOutcome(w *record.Wager, want, got baccarat.Disposition) {
	c, observed := p.coup(), got.String()
	if w.Settlements() > 1 {
		observed = p.settled(w)
	}
	settled := want.String()
	if w.Spot == baccarat.SpotBanker && p.Law.WinOrPush(p.Config.Kind(), c) {
		settled = "paid or returned"
	}
	f := Finding{
		Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount, Evidence: evidence(w, p.Round),
		Expected: fmt.Sprintf("%s wager %s at player %d, banker %d", p.spot(w), settled, c.P, c.B), Observed: observed,
	}
	if want == baccarat.Pay && got == baccarat.Return && p.lesser(w) {
		f.Verdict = finding.Suspect
	}
	if f.Verdict != "" || !p.crossed(&f, w) {
		p.Report(f)
	}
}

// evidence are the wager, its settlement and the cards it was settled on.
func evidence(w *record.Wager, r *record.Round) []record.Seq {
	return append(moneyEvidence(w, r), cardEvidence(r)...)
}

// moneyEvidence are the wager and all motions of its settlement.
func moneyEvidence(w *record.Wager, r *record.Round) []record.Seq {
	seqs := []record.Seq{w.Placed}
	for s := range motions(w, r) {
		seqs = append(seqs, s.Seq)
	}
	return seqs
}

// coup is what money is judged on.
func (p *Pass) coup() *baccarat.Coup { return Settling(p.Law.Law, p.Round) }

// Settling is the coup on which a round is settled: the cards as dealt, or under settlement_basis
// as_required the cards that the rules required. Where a card that was due was never dealt, the latter is
// incomplete, and no money is judged.
func Settling(l *law.Law, r *record.Round) *baccarat.Coup {
	if l == nil || !l.AsRequired {
		return r.Coup()
	}
	c, _ := redeal(l, r)
	c.Complete = c.Complete && l.CardsDue(&c) == 0
	return &c
}

// dispose computes the disposition of a wager.
func (p *Pass) dispose(w *record.Wager) baccarat.Disposition {
	if w.Gone {
		return baccarat.Withdrawn
	}
	c := p.coup()
	if !c.Complete || p.cancelled() && !p.seized(w) {
		return baccarat.Undetermined
	}
	d := p.outcomeOf(w, c)
	if p.refused(w) || w.Disposition() == baccarat.Pay && p.openCover(w) {
		return baccarat.Undetermined
	}
	if d == baccarat.Pay && w.Disposition() != baccarat.Collect && p.outshone(w) {
		return baccarat.Undetermined
	}
	return d
}

// Due is the disposition of a wager by the cards that count, and its minimum payment: by the
// posted odds where the law gives a floor.
func (p *Pass) Due(w *record.Wager) (baccarat.Disposition, int64) {
	d := p.disposition(w)
	if d != baccarat.Pay {
		return d, 0
	}
	odds := p.oddsOf(w, p.coup())
	if !odds.Known() {
		return d, 0
	}
	return d, odds.Winnings(w.Amount)
}

// treasureOdds are what the elected paytable pays a treasure wager on the round, unknown if it loses.
func (p *Pass) treasureOdds(s baccarat.Spot) baccarat.Odds {
	if s.SideBet() != baccarat.SideTreasures {
		return baccarat.Odds{}
	}
	return p.Law.PaidOdds(p.Config, s, p.coup())
}

// dragonPush reports whether a banker wager is pushed by an EZ dragon 7. The pushes of a kind of vigorish that the
// rulebook names are judged with the other outcomes of banker wagers.
func (p *Pass) dragonPush(w *record.Wager) bool {
	kind := p.Config.Kind()
	return w.Spot == baccarat.SpotBanker && p.coup().Complete && !kind.Named() && p.Law.Pushes(kind, p.coup()) &&
		!p.Law.WinOrPush(kind, p.coup())
}

func checkDragonPush(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if got := w.Disposition(); p.dragonPush(w) && !w.Gone && !p.cancelled() && got != baccarat.Undetermined &&
			got != baccarat.Return {
			p.reportOutcome(w, baccarat.Return, got)
		}
	}
}

// checkVoidRound judges the money of a void round. A round that is recorded as void without round_voided is judged by
// its money alone: where everything was returned, only the declaration is missing.
func checkVoidRound(p *Pass) {
	r := p.Round
	if !p.cancelled() {
		return
	}
	before := len(p.Findings)
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if net := w.Net(); (net.Paid > 0 || net.Collected > 0) && !p.seized(w) {
			p.Report(Finding{
				Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount,
				Evidence: append(moneyEvidence(w, r), p.voidedAt()),
				Expected: "returned in full, the round is void", Observed: p.settled(w),
			})
		}
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Kind >= record.StepVigMarked {
			p.Report(Finding{
				Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount,
				Evidence: []record.Seq{p.voidedAt(), s.Seq},
				Expected: "no vigorish, the round is void", Observed: p.money(s.Amount) + " taken",
			})
		}
	}
	if r.Voided.Seq == 0 && len(p.Findings) == before {
		p.CannotJudge("the round is recorded as void, and no round_voided was reported", r.Ended.Seq)
	}
}

// checkVoidGround finds a round that was declared void although its cards did not run short. What the texts of a game
// do not contain may know another ground.
func checkVoidGround(p *Pass) {
	r := p.Round
	if r.Voided.Seq == 0 {
		p.recordedVoid()
		return
	}
	ground := p.ground()
	if ground != HandComplete && (ground != CardsLeft || p.claimed()) {
		return
	}
	f := Finding{
		Expected: "void only if too few cards remain in the shoe to complete the round",
		Observed: fmt.Sprintf("void with the round incomplete and %s left", schema.Count(r.Left, "card")),
		Evidence: append(cardEvidence(r), r.Voided.Seq),
	}
	if ground == HandComplete {
		c := r.Coup()
		f.Observed = fmt.Sprintf("void with the round complete at player %d, banker %d", c.P, c.B)
		if !p.cancelled() {
			f.Observed += ", and settled by these counts"
		}
	}
	if p.Config.Game == baccarat.CheminDeFer {
		p.CannotJudge("irregularities of chemin de fer are not in the text; "+f.Observed, f.Evidence...)
		return
	}
	if r.Ended.Result != baccarat.Void || p.cancelled() || !collects(r) {
		f.Verdict = finding.Suspect
	}
	if ground == HandComplete {
		winners, due := p.withheld()
		for _, w := range winners {
			f.Evidence, f.Amount = append(f.Evidence, moneyEvidence(w, r)...), due
		}
		if len(winners) > 0 {
			f.Observed += fmt.Sprintf("; winning wagers not paid: %d", len(winners))
			if p.Config.Game == baccarat.PuntoBanco {
				f.Verdict = ""
			}
		}
	}
	p.Report(f)
}

// recordedVoid judges a round that is recorded as void without a declaration. If it was settled by its cards, either
// the record is wrong or the settlement: that is one finding about the round, and each payment that is right by the
// cards accuses no one. It is a breach if anything was collected, which a void round never permits. What was returned
// is left to outcome.void-round. N.J.A.C. 19:47-4.8 to 4.14 were not found.
func (p *Pass) recordedVoid() {
	r, c := p.Round, p.coup()
	switch {
	case r.Ended.Result != baccarat.Void:
	case p.Config.Game == baccarat.CheminDeFer:
		p.CannotJudge(
			"the round is recorded as void, and no round_voided was reported; irregularities of chemin de fer are not "+
				"in the text", append(cardEvidence(r), r.Ended.Seq)...,
		)
	case !p.cancelled():
		f := Finding{
			Expected: "void only if too few cards remain in the shoe to complete the round",
			Observed: fmt.Sprintf(
				"recorded as void with the round complete at player %d, banker %d, and settled by these counts", c.P, c.B,
			),
			Evidence: append(cardEvidence(r), r.Ended.Seq),
		}
		for i := range r.Wagers {
			f.Evidence = append(f.Evidence, moneyEvidence(&r.Wagers[i], r)...)
		}
		p.suspectIf(!collects(r), f)
	}
}

// collects reports whether a wager of a round was collected: a void round never permits that.
func collects(r *record.Round) bool {
	return record.Any(r.Wagers, func(w *record.Wager) bool { return w.Disposition() == baccarat.Collect })
}

// claimed reports whether the round was declared void for lack of cards, and the rulebook has the rule that judges
// that claim.
func (p *Pass) claimed() bool {
	return p.judges("irreg.insufficient.false-claim") && p.Round.Voided.Insufficient
}
