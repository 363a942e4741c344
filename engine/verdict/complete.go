package verdict

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Events that every table must publish, whatever its feeds. If such an event does not come although no event is
// missing, it was never published: a fault of the feed, which accuses no one. What rests on it is UNAUDITABLE.

const noDealer = "feed.dealer-assigned"

// shoeBegun reports what every shoe needs before its first card.
func (t *Table) shoeBegun(m *moment) {
	s := m.Shoe
	if s.Missing || s.Joined || t.Play.Incomplete || t.Play.Joined {
		return
	}
	if s.Loaded.Seq == 0 {
		t.absent(m, "feed.shoe-loaded", "shoe_loaded before the first card of the shoe", uint64(s.First), m.ev.Seq)
	}
	if t.Play.Dealer != "" {
		delete(t.standing, noDealer)
	} else if t.changed(noDealer, "") {
		t.absent(m, noDealer, "dealer_assigned before the first card of the shoe", uint64(s.First), m.ev.Seq)
	}
}

// roundComplete reports a round without its beginning or its end.
func (t *Table) roundComplete(m *moment) {
	s, r := m.Shoe, m.Round
	if s.Missing || s.Joined || r.Missing || len(r.Cards) == 0 {
		return
	}
	t.unknownWagers(m)
	last := uint64(r.Cards[len(r.Cards)-1].Seq)
	if r.Begun == 0 {
		t.absent(m, "feed.round-started", "round_started before the first event of the round", uint64(r.Started), last)
	}
	if r.Ended.Seq == 0 && r.Voided.Seq == 0 {
		t.absent(m, "feed.round-ended", "round_ended, or round_voided, before the next round", uint64(r.Started), last)
	}
}

// unknownWagers reports money that moved for a wager that was not published. It is reported once a round.
func (t *Table) unknownWagers(m *moment) {
	for i := range m.Round.Steps {
		s := &m.Round.Steps[i]
		settles := s.Kind == record.StepCollected || s.Kind == record.StepPaid || s.Kind == record.StepReturned
		if settles && s.Wager < 0 && (m.Round.Config == nil || m.Round.Config.Reports(baccarat.FeedWagers)) {
			t.absent(m, "feed.wager-unknown", "wager_placed before the money that moves for the wager",
				uint64(m.Round.Started), uint64(s.Seq))
			return
		}
	}
}

// shoeEnded reports a shoe that another one follows without its end. Closing the table ends a shoe as well.
func (t *Table) shoeEnded(m *moment) {
	s := m.Shoe
	next := max(s.NextShuffled, s.Succeeded)
	if s.Ended.Seq == 0 && s.TableClosed == 0 && next != 0 && s.Prepared && !s.Missing && !s.Joined {
		t.absent(m, "feed.shoe-ended", "shoe_ended before the next shoe", uint64(s.First), uint64(next))
	}
}

// Unsettled reports that the stream ended before a round was settled.
func (t *Table) Unsettled(s *play.Shoe, r *record.Round, out *[]finding.Finding) {
	from, to := uint64(r.Started), t.Log.Next()-1
	about := schema.Event{ShoeID: s.ID, PitID: s.Pit, Round: r.No, At: r.At}
	t.Fault(&about, &order.FeedFault{
		Rule: "feed.stream-ended", Subject: finding.OfRange(from, from),
		Expected: "the next round's first card, or the end of the shoe, before the end of the stream",
		Observed: fmt.Sprintf("the stream ends with event %d: the settlement of the round is not judged", to),
		Seqs:     []uint64{from, to}, EventIDs: []string{t.Log.ID(from), t.Log.ID(to)},
	}, out)
}

// absent reports that an event was not published.
func (t *Table) absent(m *moment, rule, expected string, from, to uint64) {
	about := schema.Event{ShoeID: m.Shoe.ID, PitID: m.Shoe.Pit, At: m.ev.At}
	if m.Round != nil {
		about.Round = m.Round.No
	}
	t.Fault(&about, &order.FeedFault{
		Rule: rule, Subject: finding.OfRange(from, to), Expected: expected,
		Observed: "not received, and no event is missing",
		Seqs:     []uint64{from, to}, EventIDs: []string{t.Log.ID(from), t.Log.ID(to)},
	}, m.out)
}
