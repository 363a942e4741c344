package exporter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/internal/coverage"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// recorder is the function of a Day that reads its records.
type recorder = func(context.Context, []rows.ChainHead) (*export.Heads, []rows.Step, error)

// records returns the function that proves the records of an export and gives it their ends, and the actions of triage
// after those of the last export. The bytes of the archive are proven from the range on that was written when the
// gaming day began; earlier exports proved what was before.
func (o *Options) records(from, until schema.Time) recorder {
	return func(ctx context.Context, after []rows.ChainHead) (*export.Heads, []rows.Step, error) {
		var result coverage.Result
		proof, err := o.Store.ProveJournal(ctx, o.Property, time.Unix(0, int64(from)))
		if err != nil {
			return nil, nil, err
		}
		result.Partitions, result.Heads = proof.Partitions, proof.Differ
		if result.Archived, err = o.Store.Bytes(ctx, "", time.Unix(0, int64(from))); err != nil {
			return nil, nil, err
		}
		problems := result.Problems()
		heads := &export.Heads{Chains: []rows.ChainHead{}, Journal: []rows.JournalHead{}}
		var steps []rows.Step
		before := endsOf(o.Property, after)
		for _, property := range []string{"", o.Property} {
			chains, err := o.Store.ProveChains(ctx, property, clickhouse.ChainCheck{Want: after, Step: func(s *rows.Step) {
				if s.Link > before[s.Chain] {
					steps = append(steps, *s)
				}
			}})
			if err != nil {
				return nil, nil, err
			}
			problems = append(problems, chains.Problems...)
			for _, name := range chains.Absent {
				problems = append(problems, name+": the last export has it")
			}
			heads.Chains = append(heads.Chains, chains.Heads...)
		}
		if heads.Facts, err = o.facts(ctx, from, until, &problems); err != nil {
			return nil, nil, err
		}
		switch {
		case len(problems) > 0 && o.Accept == "":
			return nil, nil, fmt.Errorf("%w, and not exported (audit coverage --archive and audit run list it; after the "+
				"incident is investigated, use --accept-unproven): %d: %s", coverage.ErrUnproven, len(problems),
				strings.Join(problems[:min(len(problems), 5)], "; "))
		case len(problems) > 0:
			heads.Accepted = &export.Unproven{Reason: o.Accept, Problems: problems}
		}
		heads.Journal = append(heads.Journal, proof.Heads...)
		return heads, steps, nil
	}
}

// endsOf returns the last links of the chains of a property, by chain.
func endsOf(property string, heads []rows.ChainHead) map[string]uint64 {
	ends := map[string]uint64{}
	for _, h := range heads {
		if h.Property == property {
			ends[h.Chain] = h.Link
		}
	}
	return ends
}

// facts returns the digest of the facts of the day. It adds a problem if the last run of the day proved other facts.
func (o *Options) facts(ctx context.Context, from, until schema.Time, problems *[]string) (*export.Facts, error) {
	now, err := o.Store.FactDigests(ctx, o.Property, int64(from), int64(until))
	if err != nil {
		return nil, err
	}
	run, _, err := o.Store.LastRun(ctx, o.Property, o.GamingDay, "")
	if err != nil {
		return nil, err
	}
	facts := &export.Facts{SHA256: clickhouse.FactSum(now)}
	switch {
	case run.FactsSHA256 == facts.SHA256:
		facts.Run = run.ID
	case run.FactsSHA256 != "":
		*problems = append(*problems, "rounds, wagers, vigorish, shoes, configurations or notices of "+o.GamingDay+
			" differ from those that run "+run.ID+" proved: run audit run again")
	}
	return facts, nil
}

// recordsComparer compares the ends and the actions of a bundle with the database.
type recordsComparer = func(context.Context, *export.Heads, []rows.ChainHead) ([]string, error)

// compareRecords returns the function that compares the ends and the actions of a bundle with the database. It passes
// what the proof of the chains takes as it was found to trusted.
func compareRecords(store *clickhouse.Store, m *export.Manifest, trusted func([]string)) recordsComparer {
	return func(ctx context.Context, heads *export.Heads, steps []rows.ChainHead) ([]string, error) {
		var missing []string
		for _, property := range []string{"", m.Property} {
			chains, err := store.ProveChains(ctx, property, clickhouse.ChainCheck{Want: slices.Concat(heads.Chains, steps)})
			if err != nil {
				return nil, err
			}
			missing = append(missing, chains.Absent...)
			trusted(chains.Trusted)
		}
		if f := heads.Facts; f != nil {
			now, err := store.FactDigests(ctx, m.Property, int64(m.From), int64(m.Until))
			if err != nil {
				return nil, err
			}
			if clickhouse.FactSum(now) != f.SHA256 {
				missing = append(missing, "the rounds, wagers, vigorish, shoes, configurations or notices of "+m.GamingDay)
			}
		}
		now, err := store.JournalHeads(ctx, heads.Journal)
		if err != nil {
			return nil, err
		}
		for _, h := range heads.Journal {
			if !slices.Contains(now, h) {
				missing = append(missing, fmt.Sprintf("the journal of %s/%d up to offset %d", h.Topic, h.Partition, h.To))
			}
		}
		return missing, nil
	}
}
