package export

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// span is the evidence that findings name at a table.
type span struct {
	first, last uint64
	findings    []*finding.Finding
}

// spans returns the span of each table with exceptions.
func spans(fresh []*digested, amendments []Amendment) map[string]*span {
	all := map[string]*span{}
	add := func(f *finding.Finding) {
		if !f.Exception() {
			return
		}
		s := all[f.TableID]
		if s == nil {
			s = &span{first: 1<<64 - 1}
			all[f.TableID] = s
		}
		s.findings = append(s.findings, f)
		for _, seq := range f.Evidence.Seqs {
			s.first, s.last = min(s.first, seq), max(s.last, seq)
		}
	}
	for _, f := range fresh {
		add(&f.finding)
	}
	for i := range amendments {
		if amendments[i].Now != nil {
			add(amendments[i].Now)
		}
	}
	return all
}

// evidence writes the events of each table, and compares the findings with a replay of these events.
func (b *builder) evidence(ctx context.Context, fresh []*digested, amendments []Amendment) error {
	m := &b.manifest
	var missing []missingLine
	tables := spans(fresh, amendments)
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		s := tables[table]
		replayed, err := b.prove(table, s)
		if err != nil {
			return err
		}
		seqs, err := b.compare(table, s, replayed)
		if err != nil {
			return err
		}
		if len(seqs) > 0 {
			missing = append(missing, missingLine{Table: table, Seqs: seqs})
		}
	}
	slices.Sort(m.Unreplayed)
	slices.Sort(m.Extra)
	for _, s := range b.spans {
		m.Topics = append(m.Topics, s.Topic)
	}
	slices.Sort(m.Topics)
	m.Topics = slices.Compact(m.Topics)
	return writeLines(b, pathMissing, missing)
}

// prove writes the events that prove the exceptions of a table, and returns the findings of their replay.
func (b *builder) prove(table string, s *span) (map[string]*digested, error) {
	b.proofs[table] = &proof{}
	if s.last == 0 || b.day.Events == nil {
		return nil, nil
	}
	t, err := b.day.readEvidence(b.day.Events(table, s.first, s.last))
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", table, err)
	}
	b.proofs[table] = t.proof
	if t.whole && b.day.Epochs != nil {
		epoch, err := b.day.Epochs(table)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", table, err)
		}
		t.startEpochs(epoch)
	}
	if t.inOrder && b.day.Released != nil {
		err := t.readReleased(func(of Span) ([]int64, error) { return b.day.Released(table, of) })
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", table, err)
		}
	}
	r := replayer{b.day.Books, b.day.Calendar}
	of := rows.Snapshot{PropertyID: b.day.Property, TableID: table}
	all := &segment{Ends: true, InOrder: t.inOrder, Epochs: t.epochs, Released: t.released}
	whole, err := r.replay(all, of, lineSeq(t.lines), t.shoes)
	if err != nil {
		return nil, fmt.Errorf("replay table %s: %w", table, err)
	}
	segments := t.cut(whole, s.findings)
	if err := b.writeEvidence(table, t.lines, segments); err != nil {
		return nil, err
	}
	again, err := r.segments(of, segments, lineSeq(t.lines))
	if err != nil {
		return nil, fmt.Errorf("replay the evidence of table %s: %w", table, err)
	}
	return again, nil
}

// compare enters the differences of findings and replay in the manifest, and returns the sequence numbers of the
// events that are missing, in order.
func (b *builder) compare(table string, s *span, replayed map[string]*digested) (missing []uint64, err error) {
	m := &b.manifest
	for _, f := range s.findings {
		seqs, _ := b.proofs[table].of(f)
		missing = append(missing, seqs...)
		digest, err := digestOf(f)
		if err != nil {
			return nil, err
		}
		if again := replayed[f.ID]; again == nil || again.digest != digest {
			m.Unreplayed = append(m.Unreplayed, f.ID)
		}
		delete(replayed, f.ID)
	}
	for id, again := range replayed { // sorted by evidence
		if again.finding.GamingDay == m.GamingDay && again.finding.Exception() {
			m.Extra = append(m.Extra, id)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing), nil
}

func (b *builder) writeEvidence(table string, lines []evidenceLine, segments []segment) error {
	if len(lines) == 0 {
		return nil
	}
	for i := range lines {
		b.cover(&lines[i])
	}
	if len(segments) > 0 {
		if err := writeLines(b, statePath(table), segments); err != nil {
			return err
		}
	}
	return writeLines(b, b.manifest.evidencePath(table), lines)
}

// cover extends the spans by the offset of an event.
func (b *builder) cover(l *evidenceLine) {
	i := slices.IndexFunc(b.spans, func(s Span) bool { return s.Topic == l.Topic && s.Partition == l.Partition })
	if i < 0 {
		b.spans = append(b.spans, Span{l.Topic, l.Partition, l.Offset, l.Offset})
		return
	}
	b.spans[i].First, b.spans[i].Last = min(b.spans[i].First, l.Offset), max(b.spans[i].Last, l.Offset)
}

func (b *builder) writeCoverage() (err error) {
	if b.coverage, err = b.day.Coverage(b.spans); err != nil {
		return fmt.Errorf("read the coverage: %w", err)
	}
	slices.SortFunc(b.coverage, coverageOrder)
	for i := range b.coverage {
		c := &b.coverage[i]
		c.Gaps, c.DeadLetters = list(c.Gaps), list(c.DeadLetters)
	}
	return writeLines(b, pathCoverage, b.coverage)
}

func coverageOrder(a, b Coverage) int {
	return cmp.Or(strings.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.First, b.First))
}

func (b *builder) proof(head *head, frontier []byte) error {
	if err := b.writeData(pathFrontier, frontier); err != nil || head.Export == 0 {
		return err
	}
	return b.writeData(pathPrevious, []byte(head.Checkpoint))
}
