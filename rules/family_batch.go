package rules

import (
	"fmt"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// Two batches of cards at a table with an automated shuffler. 9 NYCRR 5324.21(a)(4)(iv).
var batchFamily = []*Rule{
	{
		Name: "batch.two-equal", Doc: "A shuffler table has two equal batches of at least six decks.",
		Breach:   "Batches of eight and six decks.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkTwoBatches,
	},
	{
		Name: "batch.back-colors-differ", Doc: "The two batches have different back colours.",
		Breach:   "Both batches red.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkBatchColours,
	},
	{
		Name: "batch.alternate-every-shoe", Doc: "The two batches alternate shoe by shoe.",
		Breach:   "Same batch used in two consecutive shoes.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkAlternate,
	},
	{
		Name: "batch.discard-single", Doc: "The discard rack holds cards of one batch only.",
		Breach:   "Mixed rack.",
		Severity: finding.Major, At: Closed, Needs: baccarat.FeedRack, Check: checkRack,
	},
}

func checkTwoBatches(p *Pass) {
	if !p.Config.AutomatedShuffler {
		return
	}
	at := p.Table.BatchesAt
	if len(at) < 2 && !p.Table.Whole {
		p.CannotJudge("the record of the table begins after its batches were reported", p.Shoe.First)
		return
	}
	var evidence []record.Seq
	var observed []string
	equal := len(at) == 2
	for _, b := range at {
		evidence = append(evidence, b.Seq)
		observed = append(observed, fmt.Sprintf("%s %d decks", b.ID, b.Decks))
		equal = equal && b.Decks >= 6 && b.Decks == at[0].Decks
	}
	if !equal {
		p.Report(Finding{
			Expected: "two equal batches of at least six decks",
			Observed: strings.Join(append(observed, fmt.Sprintf("%d batches", len(at))), ", "), Evidence: evidence,
		})
	}
}

func checkBatchColours(p *Pass) {
	at := p.Table.BatchesAt
	if p.Config.AutomatedShuffler && len(at) == 2 && at[0].BackColor == at[1].BackColor {
		p.Report(Finding{
			Expected: "two back colours", Observed: "both " + at[0].BackColor,
			Evidence: []record.Seq{at[0].Seq, at[1].Seq},
		})
	}
}

func checkAlternate(p *Pass) {
	s := p.Shoe
	if p.Config.AutomatedShuffler && s.Prep.BatchBefore != "" && s.Loaded.Batch == s.Prep.BatchBefore {
		p.reportLoaded("the batch that was not in the shoe before", "batch "+s.Loaded.Batch+" again")
	}
}

func checkRack(p *Pass) {
	if s := p.Shoe; p.Config.AutomatedShuffler && s.RackMixed != 0 {
		p.Report(Finding{
			Expected: "discards of one batch", Observed: "of two", Evidence: []record.Seq{s.RackHeld, s.RackMixed},
		})
	}
}
