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
func (o *Options) records(from schema.Time) recorder {
	return func(ctx context.Context, after []rows.ChainHead) (*export.Heads, []rows.Step, error) {
		var result coverage.Result
		var err error
		if result.Partitions, err = o.Store.Coverage(ctx, ""); err != nil {
			return nil, nil, err
		}
		if result.Archived, err = o.Store.Bytes(ctx, "", time.Unix(0, int64(from))); err != nil {
			return nil, nil, err
		}
		problems := result.Problems()
		heads := &export.Heads{Chains: []rows.ChainHead{}, Journal: []export.JournalHead{}}
		for _, property := range []string{"", o.Property} {
			chains, err := o.Store.ProveChains(ctx, property)
			if err != nil {
				return nil, nil, err
			}
			problems = append(problems, chains.Problems...)
			heads.Chains = append(heads.Chains, chains.Heads...)
		}
		missing, err := absentLinks(ctx, o.Store, after)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range missing {
			problems = append(problems, name+": the last export has it")
		}
		switch {
		case len(problems) > 0 && o.Accept == "":
			return nil, nil, fmt.Errorf("%w, and not exported (audit coverage --archive and audit run list it; after the "+
				"incident is investigated, use --accept-unproven): %d: %s", coverage.ErrUnproven, len(problems),
				strings.Join(problems[:min(len(problems), 5)], "; "))
		case len(problems) > 0:
			heads.Accepted = &export.Unproven{Reason: o.Accept, Problems: problems}
		}
		journal, err := o.Store.JournalHeads(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		for _, h := range journal {
			heads.Journal = append(heads.Journal, export.JournalHead(h))
		}
		steps, err := o.steps(ctx, after, heads.Chains)
		return heads, steps, err
	}
}

// steps returns the actions of triage of the property between two sets of ends, by chain and link.
func (o *Options) steps(ctx context.Context, after, until []rows.ChainHead) ([]rows.Step, error) {
	end := func(heads []rows.ChainHead, chain string) uint64 {
		i := slices.IndexFunc(heads, func(h rows.ChainHead) bool { return h.Property == o.Property && h.Chain == chain })
		if i < 0 {
			return 0
		}
		return heads[i].Link
	}
	var steps []rows.Step
	err := o.Store.Steps(ctx, o.Property, "", func(s *rows.Step) error {
		if s.Link > end(after, s.Chain) && s.Link <= end(until, s.Chain) {
			steps = append(steps, *s)
		}
		return nil
	})
	return steps, err
}

// absentLinks names the links that are not in the database with their hash.
func absentLinks(ctx context.Context, store *clickhouse.Store, links []rows.ChainHead) ([]string, error) {
	wanted := map[rows.ChainHead]bool{} // false until it is found
	properties := map[string]bool{}
	for _, l := range links {
		wanted[l], properties[l.Property] = false, true
	}
	found := func(l rows.ChainHead, sum string) error {
		if _, ok := wanted[l]; ok && sum == l.Hash {
			wanted[l] = true
		}
		return nil
	}
	for property := range properties {
		err := store.Steps(ctx, property, "", func(s *rows.Step) error {
			return found(rows.ChainHead{Property: property, Chain: s.Chain, Link: s.Link, Hash: s.Hash}, s.Sum())
		})
		if err != nil {
			return nil, err
		}
		err = store.Entries(ctx, property, "", func(e *rows.Entry) error {
			return found(rows.ChainHead{Property: property, Chain: e.Chain, Link: e.Link, Hash: e.Hash}, e.Sum())
		})
		if err != nil {
			return nil, err
		}
	}
	var missing []string
	for _, l := range links {
		if !wanted[l] {
			missing = append(missing, fmt.Sprintf("link %d of chain %s", l.Link, l.Chain))
		}
	}
	return missing, nil
}

// compareRecords returns the function that compares the ends and the actions of a bundle with the database.
func compareRecords(store *clickhouse.Store) func(context.Context, *export.Heads, []rows.ChainHead) ([]string, error) {
	return func(ctx context.Context, heads *export.Heads, steps []rows.ChainHead) ([]string, error) {
		missing, err := absentLinks(ctx, store, slices.Concat(heads.Chains, steps))
		if err != nil {
			return nil, err
		}
		var until []clickhouse.JournalHead
		for _, h := range heads.Journal {
			until = append(until, clickhouse.JournalHead(h))
		}
		now, err := store.JournalHeads(ctx, until)
		if err != nil {
			return nil, err
		}
		for _, h := range until {
			if !slices.Contains(now, h) {
				missing = append(missing, fmt.Sprintf("the journal of %s/%d up to offset %d", h.Topic, h.Partition, h.To))
			}
		}
		return missing, nil
	}
}
