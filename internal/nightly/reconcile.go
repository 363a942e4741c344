package nightly

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// reconcileClause is the citation of a difference between two audits of the same events.
const reconcileClause = "nightly audit, reconciliation"

// differences are the differences between a replay of the archive and the live audit.
type differences struct {
	// Findings are one for each difference, rule feed.reconcile, in the order of finding.Compare.
	Findings []finding.Finding
	// Missing are findings of the replay alone, Extra of the live audit alone, Changed of both with other contents.
	Missing, Extra, Changed int
	// Late are the differences that follow from events that arrived late, or in another partition with numbers of its own,
	// by id of the finding, with the reason. They are no findings: the live audit was right about what it had.
	Late map[string]string
	// Replace are the findings of Changed and Late, as the replay gives them, at the time at which they are stored.
	Replace []finding.Finding
}

// reconcile compares the findings of a replay with the findings of the live audit. It excludes anomalies, which
// suspicions compares, and the loss of records that no archive can have.
func reconcile(live, replayed []finding.Finding, late *lateness, version string) differences {
	of := func(all []finding.Finding) []finding.Finding {
		return slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return !reconciled(&f) })
	}
	return reconcileAll(of(live), of(replayed), version, late, func(*finding.Finding) bool { return true })
}

// byID are findings by their ids.
func byID(all []finding.Finding) map[string]*finding.Finding {
	of := map[string]*finding.Finding{}
	for i := range all {
		of[all[i].ID] = &all[i]
	}
	return of
}

// reconcileAll compares all findings. It counts a difference only if counts reports that.
func reconcileAll(live, replayed []finding.Finding, version string, late *lateness,
	counts func(*finding.Finding) bool,
) differences {
	d := differences{Late: map[string]string{}}
	was := byID(live)
	for i := range replayed {
		f := &replayed[i]
		before := was[f.ID]
		delete(was, f.ID)
		switch {
		case !counts(f), late.awaited[f.ID], d.unjudged(f, before, live, late):
		case before != nil && finding.Same(before, f):
		case before == nil && late.lacks(f):
			d.Missing++
			d.Late[f.ID] = late.holes[f.TableID].String() + " arrived late"
		case before == nil:
			d.Missing++
			d.Findings = append(d.Findings, difference(f, describe(f), "the live audit did not find it", version))
		case late.made(before):
			d.Changed++
			d.Late[f.ID] = late.what(f) + " arrived late, and with it the finding differs; it was: " + describe(before)
			now := *f
			now.At, now.GamingDay, now.Shift = before.At, before.GamingDay, before.Shift
			d.Replace = append(d.Replace, now)
		default:
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
		if !counts(f) {
			continue
		}
		d.Extra++
		if why := late.apart(f); why != "" {
			d.Late[f.ID] = why
			continue
		}
		if late.explains(f) || late.made(f) {
			d.Late[f.ID] = late.what(f) + " arrived after the live audit had reported it missing, and with it the rules do " +
				"not find this"
			continue
		}
		d.Findings = append(d.Findings, difference(f, "the replay of the archive finds it too",
			"live alone: "+describe(f), version))
	}
	finding.Sort(d.Findings)
	return d
}

// unjudged takes a finding of the replay that is not judged, since the live audit of each partition of the table lacked
// events of the other; false for all others. Before is the finding of the live audit, nil if it has none.
func (d *differences) unjudged(f, before *finding.Finding, live []finding.Finding, late *lateness) bool {
	why := late.apart(f)
	switch {
	case why == "" || f.Verdict != finding.Unauditable && f.Kind != finding.DataFault:
		return false
	case before == nil:
		d.Missing++
	case late.replaced[f.ID]:
		d.Changed++
		d.replaceAll(f, live)
	case finding.Same(before, f):
		return false
	default:
		d.Changed++
		d.replaceAll(f, live)
		why += "; it was: " + describe(before)
	}
	d.Late[f.ID] = why
	return true
}

// replaceAll replaces the live findings with the id of a finding of the replay: there is one of each partition.
func (d *differences) replaceAll(f *finding.Finding, live []finding.Finding) {
	for i := range live {
		if live[i].ID == f.ID {
			now := *f
			now.At, now.GamingDay, now.Shift = live[i].At, live[i].GamingDay, live[i].Shift
			d.Replace = append(d.Replace, now)
		}
	}
}

// labels adds the findings of both audits that claim the same with other labels: another release, rulebook or basis, or
// other citations. It is for a live audit by this release under the same rules.
func (d *differences) labels(live, replayed []finding.Finding, version string) {
	was := byID(live)
	for i := range replayed {
		f := &replayed[i]
		before := was[f.ID]
		if before == nil || !reconciled(f) || !finding.Same(before, f) {
			continue
		}
		if f.Rule == "feed.conflict" { // under what the table was when the other event came
			continue
		}
		if want, have := labelsOf(f), labelsOf(before); want != have {
			d.Changed++
			d.Findings = append(d.Findings, difference(f, want, "live: "+have, version))
		}
	}
	finding.Sort(d.Findings)
}

func labelsOf(f *finding.Finding) string {
	return fmt.Sprintf("release %q, rulebook %q, basis %q, citations %q", f.Engine, f.Rulebook, f.Basis,
		f.Citations)
}

func reconciled(f *finding.Finding) bool {
	return f.Kind != finding.Anomaly && !slices.Contains([]string{
		"feed.reconcile", "feed.retention", "feed.partition", "console.records",
	}, f.Rule)
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

// offsetsFinding reports something about offsets of a partition.
func (r *run) offsetsFinding(of engine.Offsets, at int64, rule string, severity finding.Severity) finding.Finding {
	f := finding.New(finding.Identity{
		PropertyID: r.Property, TableID: fmt.Sprintf("%s/%d", of.Topic, of.Partition), Rule: rule,
		Subject: finding.OfRange(uint64(of.From), uint64(of.To)).String(),
	}, finding.DataFault, finding.Unauditable, severity)
	f.Citations = []string{finding.FeedClause}
	f.At, f.Engine = schema.Time(at), r.Engine.Version
	f.GamingDay, f.Shift = r.Engine.Calendar.Of(at)
	return f
}

// gap reports offsets that no row of the journal covers.
func (r *run) gap(of engine.Offsets, at int64) finding.Finding {
	f := r.offsetsFinding(of, at, "feed.journal", finding.Major)
	f.Expected, f.Observed = finding.OffsetRange(of.From, of.To)+" in the journal", "no flush covers them"
	return f
}

// deadLetters reports records that could not be read, or compared.
func (r *run) deadLetters(of engine.Offsets, n uint64, at int64) finding.Finding {
	f := r.offsetsFinding(of, at, "feed.dead-letters", finding.Minor)
	f.Expected = "records that can be read and compared at " + finding.OffsetRange(of.From, of.To)
	f.Observed = fmt.Sprintf("dead letters: %d", n)
	return f
}
