// Package finding is the record of one result of the audit: a breach of a rule, an anomaly that a detector scored, a
// fault of the event feed, or a notice that something cannot be audited.
//
// Rules, detectors and the pipeline build findings with New, which computes the identity. Everything above compares
// them with Same, orders them with Compare and digests them with Line. The package reads no event and evaluates no
// rule.
package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// Kind is the source of a finding.
type Kind string

// Kinds.
const (
	Deviation Kind = "deviation"  // a rule was evaluated and is broken
	Anomaly   Kind = "anomaly"    // a detector's evidence reached its threshold
	DataFault Kind = "data_fault" // the event feed itself is wrong or incomplete
	Notice    Kind = "notice"     // something cannot be audited; accuses no one
)

// Verdict is what a finding claims.
type Verdict string

// Verdicts.
const (
	Breach      Verdict = "BREACH"
	Suspect     Verdict = "SUSPECT"
	Unauditable Verdict = "UNAUDITABLE"
	Information Verdict = "INFO"
)

// FeedClause is the citation of a fault of the event feed: docs/events.md.
const FeedClause = "event contract, identity and order"

// Finding is one deviation, anomaly, data fault or notice. Its JSON is the line that `audit replay -o ndjson` prints.
// The JSON names are the columns of the table findings; the tag column gives the conversion, see package schema/rows.
type Finding struct {
	ID         string      `json:"id" column:",key"`
	Kind       Kind        `json:"kind" column:",word"`
	Verdict    Verdict     `json:"verdict" column:",word"`
	Basis      Basis       `json:"basis,omitempty" column:",word"`
	Rule       string      `json:"rule" column:",word"`
	Severity   Severity    `json:"severity" column:",word"`
	Citations  []string    `json:"citations" column:",word"`
	PropertyID string      `json:"property_id" column:",word"`
	PitID      string      `json:"pit_id" column:",word"`
	TableID    string      `json:"table_id" column:",word"`
	ShoeID     string      `json:"shoe_id"`
	Round      uint32      `json:"round"`
	Seat       uint32      `json:"seat"`
	Subject    string      `json:"subject"`
	DealerID   string      `json:"dealer_id" column:",word"`
	At         schema.Time `json:"at" column:",time"`
	GamingDay  string      `json:"gaming_day" column:",day"`
	Shift      string      `json:"shift" column:",word"`
	Expected   string      `json:"expected"`
	Observed   string      `json:"observed"`
	Amount     int64       `json:"amount"` // minor units
	Currency   string      `json:"currency" column:",word"`
	Evidence   Evidence    `json:"evidence"`
	Rulebook   string      `json:"rulebook" column:",word"`
	Engine     string      `json:"engine" column:",word"`
	// LnE and Threshold are the evidence of an anomaly and its threshold, natural logarithms. Odds is LnE in words.
	LnE       float64 `json:"ln_e,omitempty"`
	Threshold float64 `json:"threshold,omitempty"`
	Odds      string  `json:"odds,omitempty"`
	// Covers names the findings that this one explains and that are not reported by themselves: rule, round, subject.
	Covers []string `json:"covers,omitempty" column:",optional"`
}

// Evidence names the events that prove a finding.
type Evidence struct {
	Seqs     []uint64 `json:"seqs" ch:"seqs"`
	EventIDs []string `json:"event_ids" ch:"event_ids"`
}

// New builds a finding with its identity and without evidence. The caller fills the fields that are no part of the
// identity.
func New(about Identity, kind Kind, verdict Verdict, severity Severity) Finding {
	return Finding{
		ID: about.ID(), Kind: kind, Verdict: verdict, Rule: about.Rule, Severity: severity, Citations: []string{},
		PropertyID: about.PropertyID, TableID: about.TableID, ShoeID: about.ShoeID, Round: about.Round,
		Subject:  about.Subject,
		Evidence: Evidence{Seqs: []uint64{}, EventIDs: []string{}},
	}
}

// Same is true if two findings claim the same. The program, the rulebook's version and its citations may differ:
// another release that finds the same changes nothing. Findings of releases before the basis was recorded have none.
// Releases before package numeric rounded the last digits of evidence by processor.
func Same(a, b *Finding) bool {
	if !slices.Equal(a.Evidence.Seqs, b.Evidence.Seqs) || !slices.Equal(a.Evidence.EventIDs, b.Evidence.EventIDs) ||
		!slices.Equal(a.Covers, b.Covers) {
		return false
	}
	if a.Basis != b.Basis && a.Basis != "" && b.Basis != "" {
		return false
	}
	x, y := *a, *b
	if math.Abs(x.LnE-y.LnE) <= 1e-9*math.Abs(x.LnE) && math.Abs(x.Threshold-y.Threshold) <= 1e-9*math.Abs(x.Threshold) {
		x.LnE, x.Threshold = y.LnE, y.Threshold
	}
	for _, f := range []*Finding{&x, &y} {
		f.Engine, f.Rulebook, f.Citations, f.Evidence, f.Covers, f.Basis = "", "", nil, Evidence{}, nil, ""
	}
	if x.Rule == "feed.conflict" && y.Rule == x.Rule { // it has no amount, and is filed under what came last
		x.Currency, y.Currency = "", ""
	}
	return reflect.DeepEqual(x, y)
}

// Claim is the verdict, and its basis unless that is the text.
func (f *Finding) Claim() string {
	if f.Basis == "" || f.Basis == Text {
		return string(f.Verdict)
	}
	return string(f.Verdict) + ", " + string(f.Basis)
}

// compare is the order of findings in digests and exports: property, table, time, id.
func compare(a, b *Finding) int {
	return cmp.Or(
		cmp.Compare(a.PropertyID, b.PropertyID), cmp.Compare(a.TableID, b.TableID),
		cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID),
	)
}

// Sort sorts findings by Compare.
func Sort(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int { return compare(&a, &b) })
}

// Latest keeps the last version of each finding, in the order in which they first appear. The engine emits a finding
// again, under its id, when it turns out to cover another one. Of two times, as of an event that two others contest, it
// keeps the later, as readers of the database do.
func Latest(findings []Finding) []Finding {
	at := map[string]int{}
	var latest []Finding
	for _, f := range findings {
		i, ok := at[f.ID]
		if !ok {
			i = len(latest)
			at[f.ID] = i
			latest = append(latest, f)
		}
		if f.At >= latest[i].At {
			latest[i] = f
		}
	}
	return latest
}

// Line is the line of a finding in a digest: its JSON without the program's version, and a line feed.
func Line(f Finding) ([]byte, error) {
	f.Engine = ""
	line, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("encode finding %s: %w", f.ID, err)
	}
	return append(line, '\n'), nil
}
