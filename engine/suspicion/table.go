// Package suspicion passes the rounds of one table to the detectors and stores their evidence.
//
// A stage of the play goes in. The package makes the view of a round: the cards that were left before it, the exact
// odds, the wagers with their times and the payments due. Detectors score the view; facts are written from it. Rows of
// evidence and alarms come out.
//
// It accuses no one: an alarm becomes a finding in package verdict.
package suspicion

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Table is what the detectors of one table have seen. The exported fields are set once.
type Table struct {
	Play *play.Table
	// Log has the times of events.
	Log     *order.Log
	Clock   calendar.Clock
	Version string // of the program
	Budget  detectors.Budget
	// Rekey is the mask of a patron on a gaming day: the key of masks may change from a day on.
	Rekey func(mask, day string) string

	// host is nil before the first shoe in view. One host serves all shoes, but a restored one, which keeps the orders
	// of picking up with which its shoe began.
	host     *detectors.Host
	restored bool
	// shoe is the shoe in view. Everything about it begins again with the next shoe.
	shoe *play.Shoe
	// offer is that of law and config.
	offer  *detectors.Offer
	law    *law.Law
	config *law.Config

	cards Cards
	seen  Devices
	tray  TrayState

	view detectors.Round
	odds exact.Odds
	pass rules.Pass
	// key is the key of the last row of evidence, named its name.
	key   detectors.Key
	named string
}

// Cards are the cards of the shoe that is viewed.
type Cards struct {
	Decks uint32
	// Left are the cards not seen before the one at position Out.
	Left exact.Composition
	Out  int
	// Dealt are the cards dealt so far, Before those of earlier shoes.
	Dealt  []detectors.Card
	Before detectors.Orders
}

// Alarms are the alarms of the last round, shoe or tray.
func (t *Table) Alarms() []detectors.Alarm { return t.host.Alarms }

// Round scores a round that is settled and returns its view, which is valid until the next round.
func (t *Table) Round(s *play.Shoe, r *record.Round, out *rows.Set) *detectors.Round {
	v := t.viewRound(s, r)
	t.detectors().Round(v)
	t.evidence(out)
	return v
}

// End scores a shoe that has ended; false if no round of it was viewed.
func (t *Table) End(s *play.Shoe, out *rows.Set) bool {
	if t.shoe != s {
		return false
	}
	t.cards.advance(s, len(s.Order))
	v := t.viewShoe(s)
	v.At = max(s.EndedAt, s.At)
	for _, c := range s.Order {
		if c != baccarat.Unread {
			v.Read++
		}
	}
	t.detectors().End(&v)
	t.evidence(out)
	t.shoe = nil
	t.cards.Before, t.cards.Dealt = t.cards.Before.Add(s.Batch(), t.cards.Dealt), t.cards.Dealt[:0]
	return true
}

// Forget drops a shoe that is gone.
func (t *Table) Forget(s *play.Shoe) {
	if t.shoe == s {
		t.shoe = nil
	}
}

// Observe takes from an event what no rule uses: devices, readings, chips. It is true if a count of the tray was
// scored.
func (t *Table) Observe(ev *schema.Event, out *rows.Set) bool {
	t.seen.observe(ev)
	p, counted := ev.Payload.(*schema.TrayCounted)
	if !counted {
		t.tray.observe(ev)
		return false
	}
	tray := t.tray.count(ev, p)
	if c := t.Play.Config; c != nil {
		tray.Whole = tray.Whole && c.Reports(baccarat.FeedWagers|baccarat.FeedSettlement|baccarat.FeedVigorish)
	}
	tray.Dealer = t.Play.Dealer
	tray.Location = detectors.Location{
		Property: t.Play.Property, Pit: t.Play.Pit, Table: t.Play.ID, At: ev.At, Seq: record.Seq(ev.Seq),
	}
	t.detectors().Tray(&tray)
	t.evidence(out)
	return true
}

// evidence writes the evidence of the last call.
func (t *Table) evidence(out *rows.Set) {
	for i := range t.host.Factors {
		f := &t.host.Factors[i]
		if f.LnE == 0 && f.Start == 0 && !f.Certain {
			continue
		}
		day, _ := t.Clock.Of(f.Location.At)
		if t.key != f.Key || t.named == "" {
			t.key, t.named = f.Key, f.Key.String()
		}
		out.Evidence = append(out.Evidence, rows.Evidence{
			Detector: f.Detector.ID, Key: t.named, At: f.Location.At, PropertyID: t.Play.Property,
			TableID: t.Play.ID,
			ShoeID:  f.Location.Shoe, Round: f.Location.Round, Seq: uint64(f.Location.Seq), GamingDay: day,
			LnE: f.LnE, Start: f.Start, Engine: t.Version,
		})
	}
}
