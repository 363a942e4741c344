package pipeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// reconcileClause is what a difference between two audits of the same events is held against.
const reconcileClause = "nightly audit, reconciliation"

// Differences are how a replay of the archive and what was found live disagree.
type Differences struct {
	// Findings are one for each difference, rule feed.reconcile, in the order of Sort.
	Findings []schema.Finding
	// Missing were found by the replay alone, Extra live alone, Changed by both and not alike.
	Missing, Extra, Changed int
}

// Reconcile compares the findings of a replay with those of the live audit. Anomalies are left out: they
// weigh on more than one gaming day. So is the loss of records that no archive can have.
func Reconcile(live, replayed []schema.Finding, version string) Differences {
	var d Differences
	was := map[string]*schema.Finding{}
	for i := range live {
		if f := &live[i]; reconciled(f) {
			was[f.ID] = f
		}
	}
	for i := range replayed {
		f := &replayed[i]
		if !reconciled(f) {
			continue
		}
		before := was[f.ID]
		delete(was, f.ID)
		switch {
		case before == nil:
			d.Missing++
			d.Findings = append(d.Findings, difference(f, describe(f), "the live audit did not find it", version))
		case !alike(before, f):
			d.Changed++
			d.Findings = append(d.Findings, difference(f, describe(f), "live: "+describe(before), version))
		}
	}
	for i := range live {
		f := &live[i]
		if was[f.ID] == nil {
			continue
		}
		delete(was, f.ID) // live rows may repeat an id
		d.Extra++
		d.Findings = append(d.Findings, difference(f, "the replay of the archive finds it too", "live alone: "+describe(f), version))
	}
	Sort(d.Findings)
	return d
}

func reconciled(f *schema.Finding) bool {
	return f.Kind != "anomaly" && f.Rule != "feed.reconcile" && f.Rule != "feed.retention"
}

func describe(f *schema.Finding) string {
	return fmt.Sprintf("%s %s, expected %s, observed %s", f.Rule, f.Verdict, f.Expected, f.Observed)
}

// alike compares all but what names the program and its law.
func alike(a, b *schema.Finding) bool {
	x, y := *a, *b
	for _, f := range []*schema.Finding{&x, &y} {
		f.Engine, f.Rulebook, f.Citations = "", "", nil
	}
	return reflect.DeepEqual(x, y)
}

// difference weighs what the finding weighs that it is about, and never less than minor.
func difference(about *schema.Finding, expected, observed, version string) schema.Finding {
	f := *about
	f.Rule, f.Subject = "feed.reconcile", "finding:"+about.ID
	f.ID = FindingID(f.PropertyID, f.TableID, f.ShoeID, f.Round, f.Rule, f.Subject)
	f.Kind, f.Verdict = kindDataFault, verdictSuspect
	severity, _ := rules.ParseSeverity(about.Severity)
	f.Severity = max(severity, rules.Minor).String()
	f.Citations = []string{reconcileClause}
	f.Expected, f.Observed, f.Engine = expected, observed, version
	return f
}

// Hole reports offsets of a partition that nothing accounts for: no row of the journal covers them.
func Hole(calendar *Calendar, property, topic string, partition int32, from, to, at int64, version string) schema.Finding {
	return coverage(calendar, property, fmt.Sprintf("%s/%d", topic, partition), "feed.journal", rules.Major, from, to, at,
		fmt.Sprintf("offsets %d to %d in the journal", from, to), "no flush covers them", version)
}

// Letters reports records of a partition that could not be read.
func Letters(calendar *Calendar, property, topic string, partition int32, from, to int64, n uint64, at int64, version string) schema.Finding {
	return coverage(calendar, property, fmt.Sprintf("%s/%d", topic, partition), "feed.dead-letters", rules.Minor, from, to, at,
		fmt.Sprintf("readable records at offsets %d to %d", from, to), fmt.Sprintf("dead letters: %d", n), version)
}

func coverage(calendar *Calendar, property, partition, rule string, severity rules.Severity, from, to, at int64, expected, observed, version string) schema.Finding {
	subject := rules.OfRange(uint64(from), uint64(to)).String()
	day, shift := calendar.Of(at)
	return schema.Finding{
		ID: FindingID(property, partition, "", 0, rule, subject), Kind: kindDataFault, Verdict: verdictUnauditable, Rule: rule,
		Severity: severity.String(), Citations: []string{feedClause}, PropertyID: property, TableID: partition, Subject: subject,
		At: schema.Time(at), GamingDay: day, Shift: shift, Expected: expected, Observed: observed,
		Evidence: schema.Evidence{Seqs: []uint64{}, EventIDs: []string{}}, Engine: version,
	}
}

// Sort puts findings in the order in which they are digested and exported: table, time, id.
func Sort(findings []schema.Finding) {
	slices.SortFunc(findings, func(a, b schema.Finding) int {
		return cmp.Or(cmp.Compare(a.PropertyID, b.PropertyID), cmp.Compare(a.TableID, b.TableID), cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
	})
}

// Line is a finding as digests know it: its JSON without the program's version, and a line feed.
func Line(f schema.Finding) ([]byte, error) {
	f.Engine = ""
	line, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", f.ID, err)
	}
	return append(line, '\n'), nil
}
