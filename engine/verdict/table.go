// Package verdict evaluates the rules of a stage and reports what they find.
//
// A stage of the play goes in, findings come out. Each finding is made once for its shoe. A finding gives way
// to another finding that covers it; if a later stage may still cover it, it is deferred until then. A finding that
// would accuse on missing evidence is UNAUDITABLE. Faults of the feed and anomalies of the detectors become findings
// here as well, so that all findings of a table are built in one place.
//
// The package knows no other table. It changes one thing in the record of the play: the card that the reader is
// suspected of having misread.
package verdict

import (
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// Table makes the findings of one table. The exported fields are set once.
type Table struct {
	Play *play.Table
	// Log has the ids and times of events.
	Log     *order.Log
	Clock   calendar.Clock
	Version string // of the program
	// Restarted is the event time of the latest restart of the numbers, 0 without one.
	Restarted func() int64

	pass     rules.Pass
	shoes    []*shoe // shoes with findings that are not gone
	spare    []*shoe
	reported uint64
	// clockReported is true if event times that go backwards were reported in this shoe.
	clockReported bool
	// notInForce is the rulebook that was reported as not in force.
	notInForce string
	// standing is what was reported of the table itself, by rule: it is reported once until it changes.
	standing map[string]string
}

// moment is a stage while it is judged.
type moment struct {
	*play.Stage
	ev    *schema.Event
	rules rules.Stage
	out   *[]finding.Finding
}

// At judges a stage that an event reached, and appends the findings.
func (t *Table) At(ev *schema.Event, stage *play.Stage, out *[]finding.Finding) {
	m := &moment{Stage: stage, ev: ev, out: out}
	switch stage.Kind {
	case play.Began:
		t.clockReported = false
	case play.ShoeReused, play.ShoeJoined, play.RoundRepeated, play.Disputed, play.Configured, play.SettledLate,
		play.ResumedLate, play.Misplaced, play.Inconsistent, play.Crowded:
		t.feedStage(m)
	case play.Prepared:
		t.shoeBegun(m)
		t.prepared(m)
	case play.CardLost:
		t.absent(m, "feed.card-dealt", "card_dealt of each card of the round", uint64(m.Round.Started), ev.Seq)
	case play.Changed:
		t.evaluate(m, rules.Changed)
	case play.Betting:
		t.evaluate(m, rules.Betting)
	case play.Dealt:
		t.evaluateCards(m, rules.Dealt, t.pass.Evaluate)
	case play.Recorded:
		t.evaluateCards(m, rules.Dealt, func(rules.Stage) { t.pass.EvaluateAgain() })
	case play.Settled:
		t.roundComplete(m)
		t.evaluateCards(m, rules.Settled, t.pass.Evaluate)
		t.endOfStage(m)
	case play.Closed:
		t.shoeEnded(m)
		t.closed(m)
	case play.Gone:
		t.forget(stage.Shoe)
	case play.NoticeGiven, play.TableClosed: // no rule is evaluated
	}
}

// Tally is the tally of a shoe so far.
func (t *Table) Tally(s *play.Shoe) Tally {
	for _, found := range t.shoes {
		if found.of == s {
			return found.Tally
		}
	}
	return Tally{}
}

// Reported is the number of findings since the last call.
func (t *Table) Reported() uint64 {
	n := t.reported
	t.reported = 0
	return n
}

// prepared evaluates the preparation of a shoe. Rules that lack their feed are reported as unauditable, once.
func (t *Table) prepared(m *moment) {
	s := m.Shoe
	if !t.Play.View(&t.pass, s, nil) {
		t.notice(m, feedNotice{
			rule: "feed.gap", subject: finding.OfRange(uint64(s.First), uint64(s.First)),
			expected: "the table's configuration", observed: "none was seen: the shoe cannot be audited",
		})
		return
	}
	for _, rule := range t.pass.Law.Rules() {
		if lacks := (rule.Needs | rule.Reads) &^ s.Config.Feeds; lacks != 0 {
			f := rules.Finding{
				Rule: rule, Expected: rule.Doc, Observed: "the table does not report " + lacks.String(),
				Evidence: []record.Seq{s.First},
				Verdict:  finding.Unauditable,
			}
			t.weigh(m, &f)
			t.emit(m, &entry{finding: f, at: m.ev.At}, nil)
			of := t.of(s)
			of.silent = append(of.silent, rule)
			of.Unauditable++
		}
	}
	t.evaluate(m, rules.Prepared)
}

// evaluate evaluates the rules of a stage about its round, or about its shoe if it has none.
func (t *Table) evaluate(m *moment, stage rules.Stage) {
	m.rules = stage
	if !m.full() && t.Play.View(&t.pass, m.Shoe, m.Round) {
		t.checkDates(m)
		t.pass.Evaluate(stage)
		t.report(m)
	}
}

// closed evaluates a shoe as a whole. What was deferred is emitted, unless it was covered since.
func (t *Table) closed(m *moment) {
	m.rules, t.pass.Round = rules.Closed, nil
	if m.Shoe.Prepared {
		t.evaluate(m, rules.Closed)
	}
	t.endOfStage(m)
}
