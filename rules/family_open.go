package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// The opening of new cards. N.J.A.C. 19:47-3.4; 9 NYCRR 5324.21(d), 5322.15(c). They are evaluated for
// the first shoe of a batch.
var openFamily = []*Rule{
	{
		Name:     "open.inspection-before-play",
		Doc:      "The dealer sorts and inspects new cards before their first shuffle, and none is missing or extra.",
		Breach:   "First shuffle of a new batch with no inspection on record.",
		Severity: finding.Critical, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkInspection,
		Covers: []string{"open.floor-verification"},
	},
	{
		Name:     "open.shuffle-before-play",
		Doc:      "New cards are shuffled at the table before play, by the dealer or by a device.",
		Breach:   "New decks put into the shoe as they came.",
		Severity: finding.Critical, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkOpeningShuffle,
	},
	{
		Name: "open.inspector-calls", Doc: "The dealer who calls the game inspects new cards.",
		Breach:   "The paying dealer inspects.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkInspector,
	},
	{
		Name: "open.floor-verification", Doc: "The assigned floorperson verifies the inspection.",
		Breach:   "No second person.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkVerification,
	},
	{
		Name:     "open.spread-for-first-participant",
		Doc:      "The cards are spread face up for the first participants to see.",
		Breach:   "Spread skipped or face down.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkSpread,
	},
	{
		Name:     "open.spread-arrangement",
		Doc:      "The spread is by deck and suit, in sequence, in the arrangement of the game.",
		Breach:   "Rows used at a punto banco table.",
		Severity: finding.Minor, At: Prepared, Check: checkArrangement,
		Needs: baccarat.FeedOverhead | baccarat.FeedPreparation,
	},
	{
		Name: "open.wash-face-down-and-stack", Doc: "The cards are washed face down and stacked.",
		Breach:   "Wash omitted.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkWash,
	},
	{
		Name: "open.step-order", Doc: "The opening steps come in their order.",
		Breach:   "All steps present, one too early.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkOpeningOrder,
	},
}

// newBatch is the batch of the shoe when this is its first shoe. When the table's record begins in
// the middle the batch may have been opened before: then it cannot be judged.
func (p *Pass) newBatch() *record.Batch {
	id := p.Shoe.Batch()
	b := p.Table.Batch(id)
	if b == nil {
		if p.Shoe.Prep.First && p.Table.Whole {
			return &record.Batch{ID: id, Shuffled: p.Shoe.First}
		}
		return nil
	}
	if b.Dealt != 0 || (b.Received == 0 && !p.Table.Whole) {
		return nil
	}
	return b
}

// opened is the new batch unless its cards came pre-shuffled where the law lets that do. Where it does so by a section
// whose text the rulebook does not have, the opening steps cannot be judged.
func (p *Pass) opened() *record.Batch {
	b := p.newBatch()
	switch {
	case b == nil || !b.PreShuffled && !p.Config.PreShuffled,
		!p.Law.PreShuffledExempt && !p.Law.PreShuffledElsewhere:
		return b
	case !b.PreShuffled && b.Received != 0:
		p.CannotJudge("the table has pre-shuffled cards, their receipt does not say so", b.Received)
	case p.Law.PreShuffledElsewhere && !p.Law.PreShuffledExempt:
		p.CannotJudge("the conditions under which cards may come pre-shuffled are not reported", b.Received)
	}
	return nil
}

// steps are the events that a batch shows.
func batchSteps(b *record.Batch) []record.Seq {
	return []record.Seq{b.Received, b.Inspected, b.Verified, b.Spread, b.Viewed, b.Washed, b.Stacked, b.Shuffled}
}

func (p *Pass) reportBatch(b *record.Batch, expected, observed string) {
	p.Report(Finding{Expected: expected, Observed: observed, Evidence: append(batchSteps(b), b.Reinspected)})
}

func checkInspection(p *Pass) {
	b := p.opened()
	if b == nil {
		return
	}
	elsewhere := p.judges("external.ny.unsuitable-deck")
	joint := p.judges("open.shuffle-before-play") // the text has both, in no order
	switch {
	case joint && b.Inspected == 0:
		p.reportBatch(b, "inspected before the first card", "no inspection before it")
	case joint && b.Reshuffled != 0 && b.Reshuffled < max(b.Inspected, b.Reinspected):
		// The inspection sorts each deck into the order of new cards: 9 NYCRR 5322.15(c).
		p.reportBatch(b, "shuffled between the inspection and the first card", "last shuffled before the inspection")
	case !joint && (b.Inspected == 0 || b.Shuffled != 0 && b.Inspected > b.Shuffled):
		p.reportBatch(b, "inspected before the first shuffle", "no inspection before it")
	case !joint && b.Missing+b.Extra > 0 && !elsewhere:
		p.reportBatch(b, "no card missing or extra", fmt.Sprintf("%d missing, %d extra", b.Missing, b.Extra))
	case b.Inspected < b.Received: // of cards that are not there: one of the two was recorded out of its order
		p.Suspect(Finding{
			Expected: "inspected after the cards were received", Observed: "the receipt was recorded after the inspection",
			Evidence: []record.Seq{b.Inspected, b.Received},
		})
	}
}

// checkOpeningShuffle judges new cards. What was shuffled in later shoes is in no sentence of the text.
func checkOpeningShuffle(p *Pass) {
	s := p.Shoe
	if len(s.Prep.Shuffles) > 0 || s.Joined {
		return
	}
	b := p.Table.Batch(s.Batch())
	switch {
	case b == nil || b.Received == 0 || b.Dealt != 0 || b.Shuffled != 0:
		p.CannotJudge("no shuffle of these cards was reported", p.loading()...)
	case b.PreShuffled:
	case p.Config.PreShuffled:
		p.CannotJudge("the table has pre-shuffled cards, their receipt does not say so", b.Received)
	default:
		p.reportBatch(b, "shuffled before the first card", "no shuffle")
	}
}

// checkInspector needs the assignment of a calling dealer before the inspection.
func checkInspector(p *Pass) {
	b := p.opened()
	switch {
	case b == nil || b.Inspected == 0 || b.Calling == "" || b.InspectedBy == b.Calling:
	case b.InspectedBy == "":
		p.CannotJudge("who inspected was not reported", b.Inspected)
	default:
		p.Report(Finding{
			Expected: "inspected by the calling dealer, " + b.Calling, Observed: "inspected by " + b.InspectedBy,
			Evidence: []record.Seq{b.Inspected},
		})
	}
}

func checkVerification(p *Pass) {
	b := p.opened()
	switch {
	case b == nil:
	case b.Verified == 0:
		p.reportBatch(b, "verified by the floorperson", "not verified")
	case b.VerifierRole == baccarat.NoRole:
		p.CannotJudge("who verified was not reported", b.Verified)
	case b.VerifierRole == baccarat.RoleSupervisor:
		p.Suspect(Finding{
			Expected: "verified by FLOORPERSON", Observed: "verified by SUPERVISOR", Evidence: batchSteps(b),
		})
	case b.VerifierRole != baccarat.RoleFloorperson:
		p.reportBatch(b, "verified by FLOORPERSON", fmt.Sprintf("verified by %v", b.VerifierRole))
	case b.Floor != "" && b.VerifiedBy == "":
		p.CannotJudge("which floorperson verified was not reported", b.Verified)
	case b.Floor != "" && b.VerifiedBy != b.Floor:
		p.reportBatch(b, "verified by the floorperson assigned, "+b.Floor, "verified by "+b.VerifiedBy)
	case b.VerifiedBy != "" && b.VerifiedBy == b.InspectedBy:
		p.reportBatch(b, "verified by a second person", "verified by the dealer who inspected")
	}
}

func checkSpread(p *Pass) {
	b := p.opened()
	switch {
	case b == nil:
	case b.Spread == 0 && !p.Config.Reports(baccarat.FeedOverhead):
		p.CannotJudge("the table does not report the spread of the cards", p.Shoe.Loaded.Seq)
	case b.Spread == 0:
		p.reportBatch(b, "spread face up", "not spread")
	case b.SpreadFace == baccarat.NoFace:
		p.CannotJudge("the face of the spread was not reported", b.Spread)
	case b.SpreadFace != baccarat.FaceUp:
		p.reportBatch(b, "spread face up", "spread face "+b.SpreadFace.String())
	case b.Viewed == 0 || b.Viewers == 0:
		p.reportBatch(b, "seen by at least one participant", "seen by none")
	}
}

func checkArrangement(p *Pass) {
	b := p.opened()
	if b == nil || b.Spread == 0 {
		return
	}
	if !b.Arranged {
		p.CannotJudge("the arrangement of the spread was not reported", b.Spread)
		return
	}
	want, got := arrangementWord(p.Law.SpreadColumns), arrangementWord(b.Columns)
	if want != got || !b.InSequence {
		p.reportBatch(b, want+", suits in sequence", fmt.Sprintf("%s, in sequence %t", got, b.InSequence))
	}
}

func arrangementWord(columns bool) string {
	if columns {
		return "COLUMNS"
	}
	return "ROWS"
}

func checkWash(p *Pass) {
	b := p.opened()
	switch {
	case b == nil:
	case b.Washed != 0 && b.WashFace == baccarat.NoFace:
		p.CannotJudge("the face of the wash was not reported", b.Washed)
	case b.Washed == 0:
		p.reportBatch(b, "washed face down", "not washed")
	case b.WashFace != baccarat.FaceDown:
		p.reportBatch(b, "washed face down", "washed face "+b.WashFace.String())
	case b.Stacked == 0:
		p.reportBatch(b, "stacked after the wash", "not stacked")
	}
}

func checkOpeningOrder(p *Pass) {
	b := p.opened()
	if b == nil || b.Inspected > b.Shuffled {
		return
	}
	last, permuted := 0, ""
	steps := batchSteps(b)
	if slices.ContainsFunc(steps, func(s record.Seq) bool { return s != 0 && s < b.Received }) {
		steps[0] = 0 // recorded late
	}
	names := [...]string{"received", "inspected", "verified", "spread", "viewed", "washed", "stacked", "shuffled"}
	for i, s := range steps {
		if s == 0 {
			continue // not done is another finding
		}
		if s < steps[last] && permuted == "" {
			permuted = names[i] + " before " + names[last]
		}
		last = i
	}
	if permuted != "" {
		p.reportBatch(b, strings.Join(names[:], ", "), permuted)
	}
}
