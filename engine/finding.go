package engine

import (
	"slices"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// report takes in what a pass found, each finding once. It emits what no other finding covers, and defers what a later
// stage may still cover.
func (t *table) report(s *shoe, r *record.Round, stage rules.Stage, b *rows.Set) {
	before := len(s.ledger.entries)
	for _, f := range t.pass.Findings {
		if f.Unauditable {
			// Reported once a shoe; it covers no other finding.
			if !slices.Contains(s.said, f.Rule) {
				s.said = append(s.said, f.Rule)
				f.Round, f.Seat, f.Subject = 0, 0, finding.Subject{}
				t.emit(s, &f, t.now.At, nil, b)
			}
			continue
		}
		m := mark{f.Rule, f.Round, f.Seat, f.Subject}
		if _, ok := s.made[m]; ok {
			continue
		}
		if s.made == nil {
			s.made = map[mark]struct{}{}
		}
		s.made[m] = struct{}{}
		if t.unproved(s, r, stage, &f) {
			f.Unauditable = true
			f.Observed = "events are missing; found: " + f.Observed
		}
		if !t.pass.Rules.TakesPart(f.Rule) {
			t.emit(s, &f, t.now.At, nil, b)
			continue
		}
		s.ledger.add(&f, t.pass.Rules.CoveredUntil(f.Rule), t.now.At)
	}
	if len(s.ledger.entries) > before {
		t.settleFindings(s, b, func(i int, e *entry) bool { return i >= before && e.until <= stage })
	}
}

// endOfStage emits the findings that nothing covered by the end of a stage.
func (t *table) endOfStage(s *shoe, round uint32, stage rules.Stage, b *rows.Set) {
	t.settleFindings(s, b, func(_ int, e *entry) bool {
		return e.until <= stage && (stage != rules.Settled || e.finding.Round == round)
	})
}

func (t *table) settleFindings(s *shoe, b *rows.Set, due func(int, *entry) bool) {
	if len(s.ledger.entries) == 0 || s.law == nil {
		return
	}
	s.ledger.settle(t.engine.rulesOf(s.law), due,
		func(e *entry, covers []string) finding.Finding { return t.emit(s, &e.finding, e.at, covers, b) },
		func(row finding.Finding) { b.Findings = append(b.Findings, row) })
}

// emit writes a finding of a rule.
func (t *table) emit(s *shoe, f *rules.Finding, at int64, covers []string, b *rows.Set) finding.Finding {
	cited, _ := s.law.Cited(f.Rule.Name)
	kind, verdict, severity := finding.Deviation, finding.Breach, f.Rule.Severity
	switch {
	case f.Unauditable:
		kind, verdict, severity = finding.Notice, finding.Unauditable, finding.Info
	case severity == finding.Info:
		verdict = finding.Information
	}
	row := t.row(finding.Identity{
		ShoeID: s.ID, Round: f.Round, Rule: f.Rule.Name, Version: f.Rule.Version, Subject: f.Subject.String(),
	}, kind, verdict, severity)
	row.Citations, row.Seat, row.Amount = cited.Citations, f.Seat, f.Amount
	row.Expected, row.Observed, row.Covers = f.Expected, f.Observed, covers
	row.PitID, row.Currency, row.Rulebook = s.pit, s.config.Currency, s.law.Book.Ref()
	row.DealerID = t.dealer
	if r := s.live(f.Round); r != nil {
		row.DealerID = r.Dealer
	} else if r := t.pass.Round; r != nil && r.No == f.Round && f.Round != 0 {
		row.DealerID = r.Dealer
	}
	t.prove(&row, f.Evidence, at)
	s.found++
	t.add(row, b)
	return row
}

func (s *shoe) live(no uint32) *record.Round {
	for _, r := range []*record.Round{s.round, s.settling} {
		if r != nil && no != 0 && r.No == no {
			return r
		}
	}
	return nil
}

// row builds a finding about this table.
func (t *table) row(about finding.Identity, kind finding.Kind, verdict finding.Verdict, severity finding.Severity) finding.Finding {
	about.PropertyID, about.TableID = t.property, t.id
	row := finding.New(about, kind, verdict, severity)
	row.PitID, row.Engine = t.pit, t.engine.opt.Version
	return row
}

// prove names the events of a finding and dates it by the latest of them.
func (t *table) prove(row *finding.Finding, evidence []record.Seq, at int64) {
	seqs := make([]uint64, 0, len(evidence))
	for _, seq := range evidence {
		if seq != 0 {
			seqs = append(seqs, uint64(seq))
		}
	}
	slices.Sort(seqs)
	seqs = slices.Compact(seqs)
	ids := make([]string, 0, len(seqs))
	when := int64(0)
	for _, seq := range seqs {
		id := t.log.id(seq)
		if id == "" {
			id = t.kept[seq]
		}
		ids = append(ids, id)
		when = max(when, t.log.time(seq))
	}
	if when == 0 {
		when = at
	}
	row.Evidence = finding.Evidence{Seqs: seqs, EventIDs: ids}
	row.At = schema.Time(when)
	row.GamingDay, row.Shift = t.clock.of(when)
}

func (t *table) add(row finding.Finding, b *rows.Set) {
	t.engine.Counts.Findings++
	b.Findings = append(b.Findings, row)
}

// cannotAudit says that a rule cannot be judged for a shoe.
func (t *table) cannotAudit(s *shoe, rule *rules.Rule, why string, b *rows.Set) {
	t.emit(s, &rules.Finding{Rule: rule, Expected: rule.Doc, Observed: why, Evidence: []record.Seq{s.First}, Unauditable: true}, t.now.At, nil, b)
	s.unauditable++
}

// feedFault is something wrong with the record itself.
type feedFault struct {
	rule               string
	subject            finding.Subject
	expected, observed string
	seqs               []uint64
	ids                []string
}

// feedSeverity is what each fault of the feed weighs, and how it is put.
func feedSeverity(rule string) (severity finding.Severity, verdict finding.Verdict) {
	switch rule {
	case "feed.conflict", "feed.reset":
		return finding.Major, finding.Suspect
	case "feed.gap", "feed.retention":
		return finding.Major, finding.Unauditable
	case "feed.shoe-reused":
		return finding.Minor, finding.Suspect
	case "feed.late":
		return finding.Minor, finding.Unauditable
	}
	return finding.Minor, finding.Information
}

func (t *table) feed(b *rows.Set, ev *schema.Event, f feedFault) {
	shoeID, round := ev.ShoeID, ev.Round
	if f.rule == "feed.gap" {
		shoeID, round = "", 0 // a hole belongs to no shoe: nobody knows what was in it
	}
	severity, verdict := feedSeverity(f.rule)
	row := t.row(finding.Identity{ShoeID: shoeID, Round: round, Rule: f.rule, Subject: f.subject.String()}, finding.DataFault, verdict, severity)
	row.PitID, row.DealerID, row.Expected, row.Observed = ev.PitID, t.dealer, f.expected, f.observed
	row.Citations = []string{finding.FeedClause}
	t.context(&row)
	row.Evidence = finding.Evidence{Seqs: f.seqs, EventIDs: f.ids}
	if row.Evidence.EventIDs == nil {
		row.Evidence.EventIDs = []string{}
	}
	row.At = schema.Time(ev.At)
	row.GamingDay, row.Shift = t.clock.of(ev.At)
	t.add(row, b)
}

// context fills in what is in force at the table.
func (t *table) context(row *finding.Finding) {
	if t.config != nil {
		row.Currency = t.config.Currency
	}
	if t.law != nil {
		row.Rulebook = t.law.Book.Ref()
	}
}

// notice says that something cannot be known. It accuses nobody.
func (t *table) notice(b *rows.Set, rule string, subject finding.Subject, expected, observed string) {
	ev := t.now
	row := t.row(finding.Identity{ShoeID: ev.ShoeID, Rule: rule, Subject: subject.String()}, finding.Notice, finding.Unauditable, finding.Info)
	row.Citations = []string{finding.FeedClause}
	row.PitID, row.DealerID, row.Expected, row.Observed = ev.PitID, t.dealer, expected, observed
	t.context(&row)
	t.prove(&row, []record.Seq{record.Seq(ev.Seq)}, ev.At)
	t.add(row, b)
}
