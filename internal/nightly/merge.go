package nightly

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/internal/tracing"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// merged are the merged parts of a day.
type merged struct {
	tables   []tableDone
	replayed []finding.Finding
	started  time.Time
	late     lateness
	// moved are the tables with events in several partitions.
	moved []engine.Moved
	// others are the releases that audited the day live, unless it was this one alone. Labels are not compared then.
	others []string
	// before are the tables with events on the gaming day before, or in the 24 hours before; nil if they were not read.
	before []string
}

// played are the tables with events.
func (m *merged) played() []string {
	names := []string{}
	for i := range m.tables {
		if m.tables[i].Events > 0 {
			names = append(names, m.tables[i].Table)
		}
	}
	return names
}

// merge merges the parts once all are done. Every worker that finds them done does it, with the same result.
func (r *run) merge(ctx context.Context, res *Result) error {
	days := make([]merged, len(r.windows))
	for worker := range r.Workers {
		for i := range r.windows {
			lines, err := r.store.Lines(ctx, r.partOf(worker, r.windows[i].day), r.lease(worker))
			if err != nil {
				return err
			}
			whole, err := days[i].take(lines)
			if err != nil {
				return fmt.Errorf("part %d of %d, %s: %w", worker, r.Workers, r.windows[i].day, err)
			}
			if !whole {
				res.Waiting = append(res.Waiting, fmt.Sprintf("%d/%d", worker, r.Workers))
				break
			}
		}
	}
	if len(res.Waiting) > 0 {
		return nil
	}
	days[0].before = r.before
	for i := range days {
		if i > 0 && r.Shift == "" && r.windows[i-1].until == r.windows[i].from {
			days[i].before = days[i-1].played()
		}
		if len(days[i].tables) == 0 {
			res.Nothing = append(res.Nothing, r.windows[i].day)
			continue
		}
		slices.SortFunc(days[i].tables, func(a, b tableDone) int { return cmp.Compare(a.Table, b.Table) })
		of, span := tracing.Start(ctx, "conclude "+r.windows[i].day)
		night, err := r.conclude(of, r.windows[i], &days[i])
		tracing.End(span, err)
		if err != nil {
			return err
		}
		res.Nights = append(res.Nights, night)
	}
	return nil
}

// take reads the lines of a part and reports whether the part is complete.
func (m *merged) take(lines []clickhouse.RunLine) (whole bool, err error) {
	if len(lines) == 0 || lines[len(lines)-1].Kind != "done" {
		return false, nil
	}
	for i, l := range lines {
		switch l.Kind {
		case "table":
			var t tableDone
			err = json.Unmarshal([]byte(l.Line), &t)
			m.tables = append(m.tables, t)
		case "finding":
			var f finding.Finding
			err = json.Unmarshal([]byte(l.Line), &f)
			m.replayed = append(m.replayed, f)
		case "done":
			var d partDone
			err = json.Unmarshal([]byte(l.Line), &d)
			if err == nil && d.Lines != i {
				return false, nil
			}
			if m.started.IsZero() || d.Started.Before(m.started) {
				m.started = d.Started
			}
		}
		if err != nil {
			return false, fmt.Errorf("line %d, %s: %w", i, l.Kind, err)
		}
	}
	return true, nil
}

// conclude makes the findings and the row of the run from the merged replay.
func (r *run) conclude(ctx context.Context, w window, m *merged) (night Night, err error) {
	live, replaced, err := r.audited(ctx, w, m)
	if err != nil {
		return night, err
	}
	row := r.totals(w, m, &night)
	beside, err := r.beyondTables(ctx, w, m, live, &night)
	if err != nil {
		return night, err
	}
	row.DeadLetters, row.FactsSHA256 = night.Run.DeadLetters, night.Run.FactsSHA256
	played := absent(live, beside)
	differ := reconcile(played, m.replayed, &m.late, r.Engine.Version)
	if len(m.others) == 0 {
		differ.labels(played, m.replayed, r.Engine.Version)
	}
	row.Missing, row.Extra, row.Changed = uint32(differ.Missing), uint32(differ.Extra), uint32(differ.Changed)
	row.Late = uint32(len(differ.Late))

	all := slices.Concat(m.replayed, beside, differ.Findings)
	if err := r.because(ctx, w, m, all); err != nil {
		return night, err
	}
	night.Facts = factsIn(all)
	finding.Sort(all)
	all = slices.CompactFunc(all, func(a, b finding.Finding) bool { return a.ID == b.ID })
	row.Findings = uint32(len(all))
	row.Gaps = gapsIn(all)
	if row.FindingsSHA256, err = digest(all); err != nil {
		return night, err
	}
	if row.LiveSHA256, err = digest(m.late.asReplaced(live, differ.Replace)); err != nil {
		return night, err
	}
	row.ID = idOf(&row)
	if err := r.store.AddFindings(ctx, row.ID, absent(all, live)); err != nil {
		return night, err
	}
	night.Changed = changed(differ.Replace, replaced)
	if err := r.store.ReplaceFindings(ctx, row.ID, r.Now(), night.Changed); err != nil {
		return night, err
	}
	if err := r.supersede(ctx, w, &row); err != nil {
		return night, err
	}
	night.Run, night.Findings = row, all
	if err := r.withdraw(ctx, w, &night, &differ, live); err != nil {
		return night, err
	}
	night.Run.Ended = r.Now()
	if err := r.logRun(ctx, &night); err != nil {
		return night, err
	}
	return night, r.store.WriteRun(ctx, &night.Run)
}

// audited returns the findings of the live audit, and adds to the merged parts what else is known of it.
func (r *run) audited(ctx context.Context, w window, m *merged) (live, replaced []finding.Finding, err error) {
	m.late = r.lateness(w, m)
	group, of := errgroup.WithContext(ctx) // they only read, and wait for the database
	group.Go(func() (err error) {
		live, replaced, err = r.live(of, w, &m.late)
		return err
	})
	group.Go(func() (err error) {
		m.others, err = r.others(of, w)
		return err
	})
	group.Go(func() (err error) {
		m.moved, err = r.store.Moved(of, r.Property, r.spread, w.from-movedSince, w.until)
		return err
	})
	err = group.Wait()
	return live, replaced, err
}

// idOf is the id of a run: a repeated run with the same result has the same.
func idOf(r *clickhouse.AuditRun) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %s %q %s %s %s %q %q", r.Property, r.GamingDay, r.Shift, r.EventsSHA256,
		r.FindingsSHA256, r.LiveSHA256, r.Rulebooks, r.Engine))
	return hex.EncodeToString(sum[:16])
}

// factsIn describes the findings about facts.
func factsIn(all []finding.Finding) (lines []string) {
	for i := range all {
		if f := &all[i]; strings.HasPrefix(f.Subject, ofFacts) {
			lines = append(lines, fmt.Sprintf("table %s, shoe %q, %s", f.TableID, f.ShoeID, f.Observed))
		}
	}
	return lines
}

func gapsIn(all []finding.Finding) (n uint32) {
	for i := range all {
		if all[i].Rule == "feed.gap" || all[i].Rule == "feed.journal" {
			n++
		}
	}
	return n
}

// others are the releases that audited the day live, none if it was this one alone.
func (r *run) others(ctx context.Context, w window) ([]string, error) {
	stored, err := r.storedOf(ctx, w)
	if err != nil {
		return nil, err
	}
	names, same, err := r.store.LiveReleases(ctx, stored.offsets)
	switch {
	case err != nil || same:
		return nil, err
	case len(names) == 0:
		return []string{"no release that the journal names"}, nil
	}
	return names, nil
}

// live returns the findings of the live audit. A finding that a run replaced is as the live audit made it, which the
// replay without the late events gives; the rows of runs that replaced it are replaced.
func (r *run) live(ctx context.Context, w window, late *lateness) (live, replaced []finding.Finding, err error) {
	of := clickhouse.Filter{PropertyID: r.Property, GamingDay: w.day, Shift: r.Shift, Withdrawn: true, Live: true}
	if live, err = r.store.Findings(ctx, of); err != nil {
		return nil, nil, err
	}
	of.Live, of.Replaced = false, true
	if replaced, err = r.store.Findings(ctx, of); err != nil {
		return nil, nil, err
	}
	for _, f := range replaced {
		if was, known := late.lived[f.ID]; known {
			f = was
		} else if late.apart(&f) != "" {
			late.replaced[f.ID] = true
		}
		live = append(live, f)
	}
	return live, replaced, nil
}

// changed returns the findings that differ from the stored rows of their ids.
func changed(list, stored []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f finding.Finding) bool {
		return slices.ContainsFunc(stored, func(s finding.Finding) bool { return s.ID == f.ID && finding.Same(&s, &f) })
	})
}

// beyondTables makes the findings that the live audit does not have, because they need all tables or the whole day.
func (r *run) beyondTables(
	ctx context.Context, w window, m *merged, live []finding.Finding, night *Night,
) (found []finding.Finding, err error) {
	var floor, covered, recorded, facts []finding.Finding
	var deadLetters uint64
	group, of := errgroup.WithContext(ctx) // they only read, and wait for the database
	group.Go(func() (err error) {
		floor, err = r.floor(of, w, m.replayed)
		return err
	})
	group.Go(func() (err error) {
		of, span := tracing.Start(of, "coverage")
		covered, deadLetters, err = r.coverage(of, w)
		tracing.End(span, err)
		return err
	})
	group.Go(func() (err error) {
		of, span := tracing.Start(of, "records")
		recorded, err = r.records(of, w, night)
		tracing.End(span, err)
		return err
	})
	group.Go(func() (err error) {
		if facts, night.Run.FactsSHA256, err = r.compareFacts(of, w, m); err == nil {
			night.Vanished, err = r.vanished(of, w, m)
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	night.Run.DeadLetters = deadLetters
	var suspected, reviewed, tested []finding.Finding
	group, of = errgroup.WithContext(ctx)
	group.Go(func() (err error) { // a statistic of evidence needs all of it, late feeds included
		if suspected, night.Suspicions, err = r.suspicions(of, w, live); err == nil {
			reviewed, err = r.statistics(of, w, true)
		}
		return err
	})
	group.Go(func() (err error) {
		tested, err = r.statistics(of, w, false)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(floor, covered, recorded, facts, suspected, r.moved(w, m.moved), reviewed, tested), nil
}

// totals is the row of the run with the totals of the replay; the open shoes go into the night.
func (r *run) totals(w window, m *merged, night *Night) clickhouse.AuditRun {
	row := clickhouse.AuditRun{
		Property: r.Property, GamingDay: w.day, Shift: r.Shift, Started: m.started, Engine: r.Engine.Version,
		Tables:    uint32(len(m.tables)),
		Rulebooks: []string{},
	}
	events := sha256.New()
	for i := range m.tables {
		t := &m.tables[i]
		row.Events += t.Events
		row.Shoes += t.Shoes
		row.Rounds += t.Rounds
		fmt.Fprintf(events, "%q %s\n", t.Table, t.Digest)
		for _, book := range t.Books {
			if !slices.Contains(row.Rulebooks, book) {
				row.Rulebooks = append(row.Rulebooks, book)
			}
		}
		night.Open = append(night.Open, t.Open...)
	}
	night.Others = m.others
	slices.Sort(row.Rulebooks)
	row.EventsSHA256, row.OpenShoes = hex.EncodeToString(events.Sum(nil)), uint32(len(night.Open))
	return row
}

// vanished returns the tables that have events on the day before, or in the 24 hours before, and none in it.
func (r *run) vanished(ctx context.Context, w window, m *merged) ([]string, error) {
	before := m.before
	if before == nil {
		var err error
		if before, err = r.store.Tables(ctx, r.Property, w.from-int64(24*time.Hour), w.from); err != nil {
			return nil, err
		}
	}
	now := m.played()
	return slices.DeleteFunc(slices.Clone(before), func(name string) bool { return slices.Contains(now, name) }), nil
}

// statistics returns the findings of the statistics that read evidence, or of all others.
func (r *run) statistics(ctx context.Context, w window, evidence bool) (found []finding.Finding, err error) {
	for _, s := range r.Statistics {
		if s.ReadsEvidence() != evidence {
			continue
		}
		more, err := s.Night(ctx, r.store, r.Property, w.day, r.Shift)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// supersede sets the run that a run replaces.
func (r *run) supersede(ctx context.Context, w window, row *clickhouse.AuditRun) error {
	last, ok, err := r.store.LastRun(ctx, r.Property, w.day, r.Shift)
	switch {
	case err != nil:
		return err
	case ok && last.ID != row.ID:
		row.Supersedes = last.ID
	case ok:
		row.Supersedes = last.Supersedes
	}
	return nil
}

// floor evaluates the rules that compare tables on the configurations in force in the day.
func (r *run) floor(ctx context.Context, w window, replayed []finding.Finding) ([]finding.Finding, error) {
	configs, err := r.store.Configs(ctx, r.Property, w.from, w.until)
	if err != nil {
		return nil, err
	}
	from := r.usedUntil // the days are in order: the rounds of those before are known
	if from == 0 {
		from = w.from
		for i := range configs {
			if !configs[i].Closed {
				from = min(from, configs[i].EffectiveAt)
			}
		}
	}
	more, err := r.store.FirstRounds(ctx, r.Property, from, w.until)
	if err != nil {
		return nil, err
	}
	r.used, r.usedUntil = append(r.used, more), w.until
	gaps, err := r.store.Gaps(ctx, r.Property, configs, w.until)
	if err != nil {
		return nil, err
	}
	f := engine.NewFloor(r.Engine)
	f.Note(configs)
	for _, used := range r.used {
		f.NoteRounds(used)
	}
	f.NoteGaps(gaps)
	f.NoteGaps(replayed)
	return slices.DeleteFunc(f.Findings(), func(f finding.Finding) bool {
		return f.GamingDay != w.day ||
			(r.Shift != "" && f.Shift != r.Shift)
	}), nil
}

// coverage checks that the journal accounts for every offset of the day.
func (r *run) coverage(ctx context.Context, w window) (found []finding.Finding, deadLetters uint64, err error) {
	stored, err := r.storedOf(ctx, w)
	if err != nil {
		return nil, 0, err
	}
	covered, err := r.store.DayCoverage(ctx, stored.offsets)
	if err != nil {
		return nil, 0, err
	}
	for i := range covered {
		c := &covered[i]
		for _, h := range c.Holes {
			of := engine.Offsets{Topic: c.Topic, Partition: c.Partition, From: h.From, To: h.To}
			found = append(found, r.gap(of, c.At))
		}
		if deadLetters += c.DeadLetters; c.DeadLetters > 0 {
			of := engine.Offsets{Topic: c.Topic, Partition: c.Partition, From: c.FirstDeadLetter, To: c.LastDeadLetter}
			found = append(found, r.deadLetters(of, c.DeadLetters, c.At))
		}
	}
	return found, deadLetters, nil
}

// absent returns the findings that are not in another list.
func absent(all, live []finding.Finding) []finding.Finding {
	stored := map[string]bool{}
	for i := range live {
		stored[live[i].ID] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return stored[f.ID] })
}

func digest(findings []finding.Finding) (string, error) {
	sorted := slices.Clone(findings)
	finding.Sort(sorted)
	sum := sha256.New()
	for i := range sorted {
		line, err := finding.Line(sorted[i])
		if err != nil {
			return "", err
		}
		sum.Write(line)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
