package pipeline

import (
	"slices"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// feedClause is the citation of a fault of the event feed: docs/events.md.
const feedClause = "event contract, identity and order"

// report takes what a pass found: each is made once, dropped when a finding suppresses it, and held
// while a later stage still may.
func (t *table) report(s *shoe, r *record.Round, stage rules.Stage, b *Batch) {
	fresh := t.pass.Findings[:0]
	for _, f := range t.pass.Findings {
		if f.Unauditable {
			// Said once a shoe, and never a reason to silence another finding.
			if !slices.Contains(s.said, f.Rule) {
				s.said = append(s.said, f.Rule)
				f.Round, f.Seat, f.Subject = 0, 0, finding.Subject{}
				t.emit(s, &f, t.now.At, b)
			}
			continue
		}
		m := markOf(&f)
		if _, ok := s.made[m]; ok {
			continue
		}
		if s.made == nil {
			s.made, s.silenced = map[mark]struct{}{}, map[silence]struct{}{}
		}
		s.made[m] = struct{}{}
		if t.unproved(s, r, stage, &f) {
			f.Unauditable = true
			f.Observed = "events are missing; found: " + f.Observed
		} else {
			s.silence(m)
		}
		fresh = append(fresh, f)
	}
	if len(fresh) == 0 {
		return
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w waiting) bool { return s.suppressed(markOf(&w.finding)) })
	for i := range fresh {
		f := &fresh[i]
		if s.suppressed(markOf(f)) {
			continue
		}
		if until := t.pass.Rules.HoldUntil(f.Rule); until > stage {
			s.waiting = append(s.waiting, waiting{*f, until, t.now.At})
			continue
		}
		t.emit(s, f, t.now.At, b)
	}
}

func markOf(f *rules.Finding) mark { return mark{f.Rule, f.Round, f.Seat, f.Subject} }

// silence is a place where findings of a rule are suppressed. Round 0 and seat 0 are findings that name
// none; anywhere is any of them.
type silence struct {
	rule        string
	round, seat uint64
}

const anywhere = 1 << 32

// silence enters what a finding suppresses: other rules' findings on the same evidence, which share its
// round and its seat as far as both name one.
func (s *shoe) silence(m mark) {
	for _, rule := range m.rule.Suppresses {
		for _, round := range [2]uint64{uint64(m.round), anywhere} {
			for _, seat := range [2]uint64{uint64(m.seat), anywhere} {
				s.silenced[silence{rule, round, seat}] = struct{}{}
			}
		}
	}
}

// suppressed says whether a finding made before silences one.
func (s *shoe) suppressed(m mark) bool {
	if len(s.silenced) == 0 {
		return false
	}
	rounds, seats := [2]uint64{0, uint64(m.round)}, [2]uint64{0, uint64(m.seat)}
	if m.round == 0 {
		rounds = [2]uint64{anywhere, anywhere}
	}
	if m.seat == 0 {
		seats = [2]uint64{anywhere, anywhere}
	}
	for _, round := range rounds {
		for _, seat := range seats {
			if _, ok := s.silenced[silence{m.rule.Name, round, seat}]; ok {
				return true
			}
		}
	}
	return false
}

// flushWaiting lets go the findings that nothing suppressed by the end of a stage.
func (t *table) flushWaiting(s *shoe, round uint32, stage rules.Stage, b *Batch) {
	keep := s.waiting[:0]
	for i := range s.waiting {
		w := &s.waiting[i]
		if stage < w.until || (stage == rules.Settled && w.finding.Round != round) {
			keep = append(keep, *w)
			continue
		}
		if !s.suppressed(markOf(&w.finding)) {
			t.emit(s, &w.finding, w.at, b)
		}
	}
	s.waiting = keep
}

// emit writes a finding of a rule.
func (t *table) emit(s *shoe, f *rules.Finding, at int64, b *Batch) {
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
	row.Expected, row.Observed = f.Expected, f.Observed
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

func (t *table) add(row finding.Finding, b *Batch) {
	t.engine.Counts.Findings++
	b.Findings = append(b.Findings, row)
}

// cannotAudit says that a rule cannot be judged for a shoe.
func (t *table) cannotAudit(s *shoe, rule *rules.Rule, why string, b *Batch) {
	t.emit(s, &rules.Finding{Rule: rule, Expected: rule.Doc, Observed: why, Evidence: []record.Seq{s.First}, Unauditable: true}, t.now.At, b)
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

func (t *table) feed(b *Batch, ev *schema.Event, f feedFault) {
	shoeID, round := ev.ShoeID, ev.Round
	if f.rule == "feed.gap" {
		shoeID, round = "", 0 // a hole belongs to no shoe: nobody knows what was in it
	}
	severity, verdict := feedSeverity(f.rule)
	row := t.row(finding.Identity{ShoeID: shoeID, Round: round, Rule: f.rule, Subject: f.subject.String()}, finding.DataFault, verdict, severity)
	row.PitID, row.DealerID, row.Expected, row.Observed = ev.PitID, t.dealer, f.expected, f.observed
	row.Citations = []string{feedClause}
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
func (t *table) notice(b *Batch, rule string, subject finding.Subject, expected, observed string) {
	ev := t.now
	row := t.row(finding.Identity{ShoeID: ev.ShoeID, Rule: rule, Subject: subject.String()}, finding.Notice, finding.Unauditable, finding.Info)
	row.Citations = []string{feedClause}
	row.PitID, row.DealerID, row.Expected, row.Observed = ev.PitID, t.dealer, expected, observed
	t.context(&row)
	t.prove(&row, []record.Seq{record.Seq(ev.Seq)}, ev.At)
	t.add(row, b)
}
