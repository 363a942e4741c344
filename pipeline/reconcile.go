package pipeline

import (
	"fmt"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/schema"
)

// reconcileClause is the citation of a difference between two audits of the same events.
const reconcileClause = "nightly audit, reconciliation"

// Differences are the differences between a replay of the archive and the live audit.
type Differences struct {
	// Findings are one for each difference, rule feed.reconcile, in the order of finding.Compare.
	Findings []finding.Finding
	// Missing are findings of the replay alone, Extra of the live audit alone, Changed of both with other contents.
	Missing, Extra, Changed int
}

// Reconcile compares the findings of a replay with the findings of the live audit. It excludes anomalies, whose
// evidence
// spans gaming days, and the loss of records that no archive can have.
func Reconcile(live, replayed []finding.Finding, version string) Differences {
	var d Differences
	was := map[string]*finding.Finding{}
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
		case !finding.Same(before, f):
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
		d.Findings = append(d.Findings, difference(f, "the replay of the archive finds it too",
			"live alone: "+describe(f), version))
	}
	finding.Sort(d.Findings)
	return d
}

func reconciled(f *finding.Finding) bool {
	return f.Kind != finding.Anomaly && f.Rule != "feed.reconcile" && f.Rule != "feed.retention"
}

func describe(f *finding.Finding) string {
	return fmt.Sprintf("%s %s, expected %s, observed %s", f.Rule, f.Verdict, f.Expected, f.Observed)
}

// difference has the severity of the finding that it is about, and at least minor.
func difference(about *finding.Finding, expected, observed, version string) finding.Finding {
	f := *about
	f.Rule, f.Subject = "feed.reconcile", "finding:"+about.ID
	f.ID = f.Identity(1).ID()
	f.Kind, f.Verdict = finding.DataFault, finding.Suspect
	f.Severity = max(about.Severity, finding.Minor)
	f.Citations = []string{reconcileClause}
	f.Expected, f.Observed, f.Engine = expected, observed, version
	return f
}

// Hole reports offsets of a partition that nothing accounts for: no row of the journal covers them.
func Hole(calendar *calendar.Calendar, property, topic string, partition int32, from, to, at int64,
	version string,
) finding.Finding {
	return coverage(calendar, property, fmt.Sprintf("%s/%d", topic, partition), "feed.journal", finding.Major, from, to,
		at,
		fmt.Sprintf("offsets %d to %d in the journal", from, to), "no flush covers them", version)
}

// Letters reports records of a partition that could not be read.
func Letters(calendar *calendar.Calendar, property, topic string, partition int32, from, to int64, n uint64, at int64,
	version string,
) finding.Finding {
	return coverage(calendar, property, fmt.Sprintf("%s/%d", topic, partition), "feed.dead-letters", finding.Minor,
		from, to, at,
		fmt.Sprintf("readable records at offsets %d to %d", from, to), fmt.Sprintf("dead letters: %d", n), version)
}

func coverage(calendar *calendar.Calendar, property, partition, rule string, severity finding.Severity, from, to,
	at int64, expected, observed, version string,
) finding.Finding {
	day, shift := calendar.Of(at)
	f := finding.New(finding.Identity{
		PropertyID: property, TableID: partition, Rule: rule, Subject: finding.OfRange(uint64(from), uint64(to)).String(),
	}, finding.DataFault, finding.Unauditable, severity)
	f.Citations = []string{finding.FeedClause}
	f.At, f.GamingDay, f.Shift = schema.Time(at), day, shift
	f.Expected, f.Observed, f.Engine = expected, observed, version
	return f
}
