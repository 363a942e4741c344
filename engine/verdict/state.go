package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// State is the findings of a snapshot, for the shoes of the play that are not gone. Rules are in it by name.
type State struct {
	ClockReported bool
	// NotInForce is the rulebook that was reported as not in force.
	NotInForce string
	// Standing is what was reported of the table itself, by rule.
	Standing   map[string]string
	Prev, Shoe ShoeState
}

// ShoeState is what was found in a shoe.
type ShoeState struct {
	Made   []MarkState
	Ledger []EntryState
	Silent []string
	Tally  Tally
}

// MarkState is a finding that was made.
type MarkState struct {
	Rule        string
	Round, Seat uint32
	Subject     finding.Subject
}

// EntryState is a finding whose rule takes part in precedence.
type EntryState struct {
	Rule               string
	Round, Seat        uint32
	Subject            finding.Subject
	Parts              []finding.Subject
	Amount             int64
	Expected, Observed string
	Evidence           []record.Seq
	Verdict            finding.Verdict
	Cites              []string
	Basis              finding.Basis
	Until              rules.Stage
	At                 int64
	State              uint8
	CoveredBy          int
	Emitted            EmittedState
	Apart              bool `cbor:",omitempty"`
}

// EmittedState is a finding as it was emitted. It has the fields of finding.Finding, but each is written even if empty.
type EmittedState struct {
	ID         string
	Kind       finding.Kind
	Verdict    finding.Verdict
	Basis      finding.Basis
	Rule       string
	Severity   finding.Severity
	Citations  []string
	PropertyID string
	PitID      string
	TableID    string
	ShoeID     string
	Round      uint32
	Seat       uint32
	Subject    string
	DealerID   string
	At         schema.Time
	GamingDay  string
	Shift      string
	Expected   string
	Observed   string
	Amount     int64
	Currency   string
	Evidence   finding.Evidence
	Rulebook   string
	Engine     string
	LnE        float64
	Threshold  float64
	Odds       string
	Covers     []string
}

// State is the state of the table.
func (t *Table) State() State {
	return State{
		ClockReported: t.clockReported, NotInForce: t.notInForce,
		Standing: t.standing,
		Prev:     t.shoeState(t.Play.Prev), Shoe: t.shoeState(t.Play.Shoe),
	}
}

func (t *Table) shoeState(of *play.Shoe) ShoeState {
	at := slices.IndexFunc(t.shoes, func(s *shoe) bool { return s.of == of })
	if of == nil || at < 0 {
		return ShoeState{}
	}
	s := t.shoes[at]
	st := ShoeState{Tally: s.Tally}
	for m := range s.made {
		st.Made = append(st.Made, MarkState{m.rule.Name, m.round, m.seat, m.subject})
	}
	slices.SortFunc(st.Made, func(a, b MarkState) int {
		return cmp.Or(
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Seat, b.Seat),
			a.Subject.Compare(b.Subject),
		)
	})
	for i := range s.ledger.entries {
		e := &s.ledger.entries[i]
		f := &e.finding
		st.Ledger = append(st.Ledger, EntryState{
			Rule: f.Rule.Name, Round: f.Round, Seat: f.Seat, Subject: f.Subject, Parts: f.Parts, Amount: f.Amount,
			Expected: f.Expected, Observed: f.Observed, Evidence: f.Evidence, Verdict: f.Verdict, Cites: f.Cites,
			Basis: f.Basis, Until: e.until, At: e.at, State: uint8(e.state), CoveredBy: e.coveredBy,
			Emitted: EmittedState(e.row), Apart: f.Apart,
		})
	}
	for _, r := range s.silent {
		st.Silent = append(st.Silent, r.Name)
	}
	return st
}

// Restore takes the state of a table whose play is restored.
func (t *Table) Restore(st *State) error {
	byName := map[string]*rules.Rule{}
	for _, r := range rules.All() {
		byName[r.Name] = r
	}
	t.clockReported, t.notInForce, t.standing = st.ClockReported, st.NotInForce, st.Standing
	shoes, states := [2]*play.Shoe{t.Play.Prev, t.Play.Shoe}, [2]*ShoeState{&st.Prev, &st.Shoe}
	for i, s := range shoes {
		if s == nil {
			continue
		}
		if err := t.of(s).restore(states[i], byName); err != nil {
			return fmt.Errorf("shoe %s: %w", s.ID, err)
		}
	}
	return nil
}

func (s *shoe) restore(st *ShoeState, byName map[string]*rules.Rule) error {
	var unknown error
	named := func(name string) *rules.Rule {
		rule := byName[name]
		if rule == nil {
			unknown = fmt.Errorf("this release has no rule %s", name)
		}
		return rule
	}
	s.Tally = st.Tally
	for i := range st.Made {
		f := &st.Made[i]
		s.made[mark{named(f.Rule), f.Round, f.Seat, f.Subject}] = struct{}{}
	}
	for i := range st.Ledger {
		e := &st.Ledger[i]
		if e.State > uint8(covered) || e.CoveredBy < 0 || e.CoveredBy >= len(st.Ledger) {
			return fmt.Errorf("entry %d of %d is covered by %d, state %d", i, len(st.Ledger), e.CoveredBy, e.State)
		}
		s.ledger.entries = append(s.ledger.entries, entry{
			finding: rules.Finding{
				Rule: named(e.Rule), Round: e.Round, Seat: e.Seat, Subject: e.Subject, Parts: e.Parts, Amount: e.Amount,
				Expected: e.Expected, Observed: e.Observed, Evidence: e.Evidence, Verdict: e.Verdict, Cites: e.Cites,
				Basis: e.Basis, Apart: e.Apart,
			},
			until: e.Until, at: e.At, state: entryState(e.State), coveredBy: e.CoveredBy,
			row: finding.Finding(e.Emitted),
		})
	}
	if at := s.ledger.cycle(); at >= 0 {
		return fmt.Errorf("entry %d of %d is covered in a cycle", at, len(st.Ledger))
	}
	for _, name := range st.Silent {
		s.silent = append(s.silent, named(name))
	}
	return unknown
}
