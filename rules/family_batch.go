package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Two batches of cards at a table with an automated shuffler. 9 NYCRR 5324.21(a)(4)(iv).
var batchFamily = []*Rule{
	{
		Name: "batch.two-equal", Doc: "A shuffler table has two equal batches of at least six decks.",
		Breach:   "Batches of eight and six decks.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkTwoBatches,
		Covers: []string{"batch.other-in-shuffler"},
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
		Name:     "batch.other-in-shuffler",
		Doc:      "While one batch is dealt, the other one is shuffled and stored in the shuffling device.",
		Breach:   "Both batches in play at the first card of a shoe.",
		Severity: finding.Major, At: Prepared, Again: true, Needs: baccarat.FeedPreparation, Check: checkOtherBatch,
	},
	{
		Name: "batch.discard-single", Doc: "The discard rack holds cards of one batch only.",
		Breach:   "Mixed rack.",
		Severity: finding.Major, At: Closed, Needs: baccarat.FeedRack | baccarat.FeedPreparation, Check: checkRack,
		Covers: []string{"batch.other-in-shuffler"},
	},
}

// deviceUse is what is known of the shuffling device for a shoe.
type deviceUse uint8

const (
	// noDevice: nothing shows that the table has one.
	noDevice deviceUse = iota
	// handShuffled: the table has one, but a dealer shuffled the cards of this shoe. The clause binds where the device
	// is used.
	handShuffled
	// methodUnknown: the table has one; how these cards were shuffled was not reported.
	methodUnknown
	// deviceUsed: the device shuffled the cards of this shoe at the table.
	deviceUsed
)

func (p *Pass) deviceUse() deviceUse {
	shuffles := p.Shoe.Prep.Shuffles
	has := p.Config.AutomatedShuffler
	switch {
	case slices.ContainsFunc(shuffles, func(h record.Shuffle) bool { return h.Device }):
		if !has && p.preShuffled() {
			return noDevice // before the cards came to the table
		}
		return deviceUsed
	case !has:
		return noDevice
	case slices.ContainsFunc(shuffles, func(h record.Shuffle) bool { return h.ByHand }):
		return handShuffled
	}
	return methodUnknown
}

// preShuffled reports whether the cards of the shoe came pre-shuffled to the table.
func (p *Pass) preShuffled() bool {
	b := p.Table.Batch(p.Shoe.Batch())
	return p.Config.PreShuffled || b != nil && b.PreShuffled
}

// batchReports are the latest report of the batch in the shoe and of the batch beside it: the one in the shuffling
// device, otherwise the batch reported last. A batch whose state was not reported has the content of its receipt.
func (p *Pass) batchReports() (dealt, other *record.BatchAt) {
	id := p.Shoe.Batch()
	reports := slices.Clone(p.Table.BatchesAt)
	for i := range p.Table.Batches {
		b := &p.Table.Batches[i]
		known := slices.ContainsFunc(reports, func(at record.BatchAt) bool { return at.ID == b.ID })
		if b.Received != 0 && !known {
			reports = append(reports, record.BatchAt{Seq: b.Received, ID: b.ID, Decks: b.Decks, BackColor: b.BackColor})
		}
	}
	for i := range reports {
		at := &reports[i]
		stored := other != nil && other.State == record.BatchInShuffler
		switch {
		case at.ID == "": // of one or the other
		case at.ID == id:
			dealt = at
		case other == nil, at.State == record.BatchInShuffler && !stored,
			at.Seq > other.Seq && (at.State == record.BatchInShuffler || !stored):
			other = at
		}
	}
	return dealt, other
}

// ofEither is a report that names no batch and came after the latest one of a batch: it may be of that batch. It is 0
// for none.
func (p *Pass) ofEither(dealt, other *record.BatchAt) record.Seq {
	for i := range p.Table.BatchesAt {
		at := &p.Table.BatchesAt[i]
		if at.ID == "" && (dealt == nil || other == nil || at.Seq > min(dealt.Seq, other.Seq)) {
			return at.Seq
		}
	}
	return 0
}

// whichBatch is why a report that names no batch leaves a rule unjudged.
const whichBatch = "which batch was reported is not known"

func checkTwoBatches(p *Pass) {
	use := p.deviceUse()
	dealt, other := p.batchReports()
	unnamed := p.ofEither(dealt, other)
	switch {
	case use == noDevice || use == handShuffled && other == nil:
		return
	case unnamed != 0:
		p.CannotJudge(whichBatch, unnamed)
		return
	case (dealt == nil || other == nil) && !p.Table.Whole:
		p.CannotJudge("the record of the table begins after its batches were reported", p.Shoe.First)
		return
	}
	f := Finding{Expected: "two equal batches of at least six decks"}
	var observed []string
	decks := uint32(0)
	equal, unread := dealt != nil && other != nil, (*record.BatchAt)(nil)
	for _, b := range []*record.BatchAt{dealt, other} {
		if b == nil {
			continue
		}
		f.Evidence = append(f.Evidence, b.Seq)
		if b.Decks == 0 {
			observed = append(observed, "decks of batch "+b.ID+" not reported")
			unread = b
			continue
		}
		observed = append(observed, fmt.Sprintf("batch %s with %s", b.ID, schema.Count(b.Decks, "deck")))
		equal = equal && b.Decks >= 6 && (decks == 0 || b.Decks == decks)
		decks = b.Decks
	}
	if equal {
		if unread != nil {
			p.CannotJudge("how many decks batch "+unread.ID+" has was not reported", unread.Seq)
		}
		return
	}
	if dealt == nil || other == nil {
		observed = append(observed, "no second batch reported")
	}
	if len(f.Evidence) == 0 {
		f.Evidence = []record.Seq{p.Shoe.First}
	}
	f.Observed = strings.Join(observed, ", ")
	p.whereUsed(use, other, f)
}

// whereUsed reports a breach of a clause about the shuffling device; a SUSPECT finding where it may not have been used.
func (p *Pass) whereUsed(use deviceUse, other *record.BatchAt, f Finding) {
	if use == handShuffled && (other == nil || other.State != record.BatchInShuffler) {
		p.Suspect(f)
		return
	}
	p.Report(f)
}

func checkBatchColours(p *Pass) {
	use := p.deviceUse()
	dealt, other := p.batchReports()
	unnamed := p.ofEither(dealt, other)
	switch {
	case use == noDevice || dealt == nil || other == nil:
	case unnamed != 0:
		p.CannotJudge(whichBatch, unnamed)
	case dealt.BackColor == "" || other.BackColor == "":
		p.CannotJudge("the back colour of a batch was not reported", dealt.Seq, other.Seq)
	case dealt.BackColor == other.BackColor:
		p.whereUsed(use, other, Finding{
			Expected: "two back colours", Observed: "both " + dealt.BackColor,
			Evidence: []record.Seq{dealt.Seq, other.Seq},
		})
	}
}

func checkAlternate(p *Pass) {
	s := p.Shoe
	use := p.deviceUse()
	_, other := p.batchReports()
	if use == noDevice || other == nil || s.Prep.BatchBefore == "" || s.Batch() != s.Prep.BatchBefore {
		return
	}
	f := Finding{
		Expected: "the batch that was not in the shoe before", Observed: "batch " + s.Batch() + " again",
		Evidence: p.loading(),
	}
	// Cards that were received since are not the cards of the shoe before.
	if b := p.Table.Batch(s.Batch()); b != nil && b.Received > s.Prep.CardBefore {
		p.CannotJudge("the cards of batch "+b.ID+" were received after the shoe before", b.Received, s.Prep.CardBefore)
		return
	}
	switch use {
	case methodUnknown:
		p.CannotJudge("how the cards were shuffled was not reported", f.Evidence...)
	case handShuffled:
		f.Verdict = finding.Information
		f.Observed += ", shuffled by hand"
		p.Report(f)
	default:
		p.Report(f)
	}
}

// loading is the event that loaded the shoe, or its first one.
func (p *Pass) loading() []record.Seq {
	if p.Shoe.Loaded.Seq != 0 {
		return []record.Seq{p.Shoe.Loaded.Seq}
	}
	return []record.Seq{p.Shoe.First}
}

// takenOut reports whether a batch came into play between the first and the last card of the shoe.
func takenOut(s *record.Shoe, other *record.BatchAt) bool {
	return other.State == record.BatchInPlay && len(s.Rounds) > 0 && other.Seq > s.Rounds[0].Card &&
		other.Seq < s.LastCard
}

// checkOtherBatch is evaluated at the first card: until then the batches may change places. At the end of the shoe it
// finds a batch that was taken out of the device before the last card.
func checkOtherBatch(p *Pass) {
	s := p.Shoe
	use := p.deviceUse()
	dealt, other := p.batchReports()
	if use == noDevice || other == nil || p.preShuffled() || p.stage == Closed && !takenOut(s, other) {
		return
	}
	f := Finding{
		Expected: "batch " + other.ID + " in the shuffling device", Evidence: []record.Seq{other.Seq},
	}
	if dealt != nil {
		f.Evidence = append(f.Evidence, dealt.Seq)
	}
	// What was reported of a batch before it was dealt no longer holds.
	stale := other.ID == s.Prep.BatchBefore && other.Seq < s.Prep.CardBefore
	unnamed := p.ofEither(dealt, other)
	switch {
	case unnamed != 0:
		p.CannotJudge(whichBatch, unnamed)
	case other.State == record.NoBatchState || stale:
		if use != handShuffled {
			p.CannotJudge("where batch "+other.ID+" is was not reported", f.Evidence...)
		}
	case other.State == record.BatchInPlay:
		f.Observed = "batch " + other.ID + " in play beside batch " + s.Batch()
		p.Report(f)
	case other.State == record.BatchInRack:
		f.Observed = "batch " + other.ID + " in the discard rack"
		p.whereUsed(use, other, f)
	case use == handShuffled && s.Prep.BatchBefore != "" && s.Batch() != s.Prep.BatchBefore:
		f.Expected, f.Observed = "batch "+s.Batch()+" shuffled in the device", "shuffled by hand"
		p.Suspect(f)
	}
}

func checkRack(p *Pass) {
	s := p.Shoe
	before := s.Prep.BatchBefore
	held := record.Index(p.Table.BatchesAt, func(at *record.BatchAt) bool { return at.Seq == s.RackHeld })
	unnamed := record.Index(p.Table.BatchesAt, func(at *record.BatchAt) bool {
		return at.ID == "" && at.State == record.BatchInRack
	})
	switch {
	case p.deviceUse() == noDevice:
	case s.RackMixed == 0 && unnamed >= 0:
		p.CannotJudge(whichBatch, p.Table.BatchesAt[unnamed].Seq)
	case s.RackMixed == 0:
	case s.RackHeld != 0 && s.RackHeld < s.Prep.CardBefore && before != s.Batch():
		// What was reported of a batch before it was dealt no longer holds. Without a name any batch was dealt before.
		if before == "" && held >= 0 {
			before = p.Table.BatchesAt[held].ID
		}
		p.CannotJudge("whether batch "+before+" was still in the discard rack was not reported", s.RackHeld, s.RackMixed)
	default:
		p.Report(Finding{
			Expected: "discards of one batch in the rack", Observed: "discards of two batches",
			Evidence: []record.Seq{s.RackHeld, s.RackMixed},
		})
	}
}
