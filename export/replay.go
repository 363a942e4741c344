package export

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// replayTable evaluates the rules on the evidence of one table and returns the findings by id, without their release.
func (v *verifier) replayTable(r *replayer, table string) (map[string]*digested, error) {
	path := v.manifest.evidencePath(table)
	if _, there := v.bundle.sizes[path]; !there {
		return map[string]*digested{}, nil
	}
	of := rows.Snapshot{PropertyID: v.manifest.Property, TableID: table}
	if v.manifest.first() {
		done, err := r.replay(&segment{Ends: true}, of, v.readEvidence(path), nil)
		if err != nil {
			return nil, err
		}
		return done.findings, nil
	}
	segments, err := v.readSegments(table)
	if err != nil {
		return nil, err
	}
	return r.segments(of, segments, v.readEvidence(path))
}

// replay evaluates the rules on the evidence. The result must equal the findings of the export; the manifest names
// the exceptions.
func (c *content) replay(ctx context.Context, v *verifier) (string, *Failure) {
	m := &v.manifest
	books, err := v.books()
	if err != nil {
		return v.differs("%s: %v", pathRulebook, err)
	}
	calendar, err := m.calendar()
	if err != nil {
		return v.differs("the manifest's calendar: %v", err)
	}
	skip := map[string]bool{}
	for _, id := range m.Unreplayed {
		skip[id] = true
	}
	again, extra := 0, []string{}
	for _, table := range slices.Sorted(maps.Keys(c.want)) {
		if err := context.Cause(ctx); err != nil {
			return "", fail(Wrong, checkReplay, "%v", []any{err})
		}
		got, err := v.replayTable(&replayer{books, calendar}, table)
		if err != nil {
			return v.differs("table %s: %v", table, err)
		}
		want := c.want[table]
		for _, id := range slices.Sorted(maps.Keys(want)) {
			f := got[id]
			switch {
			case skip[id]:
			case f == nil:
				return v.differs("the replay does not give finding %s of table %s", id, table)
			case f.digest != want[id]:
				return v.differs("the replay gives finding %s of table %s with other content: expected %s, observed %s", id, table,
					f.finding.Expected, f.finding.Observed)
			default:
				again++
			}
		}
		for id, f := range got { // sorted below
			if _, wanted := want[id]; !wanted && f.finding.GamingDay == m.GamingDay && m.proves(&f.finding) {
				extra = append(extra, id)
			}
		}
	}
	if slices.Sort(extra); !slices.Equal(extra, m.Extra) {
		return v.differs("the replay gives %s not in the export; the manifest names %d", schema.Count(len(extra), "finding"),
			len(m.Extra))
	}
	return fmt.Sprintf("%s confirmed by the rules of the bundle; not confirmed by a replay of one table's events: %d",
		schema.Count(again, "finding"), len(m.Unreplayed)), nil
}

// differs is the failure of a replay. Another release than that of the export may give another result.
func (v *verifier) differs(format string, args ...any) (string, *Failure) {
	if v.opt.Engine == v.manifest.Engine {
		return "", tampered(checkReplay, format, args...)
	}
	format += ". The export was made by %s and this program is %s: verify with that release"
	return "", undecided(checkReplay, format, append(args, v.manifest.Engine, v.opt.Engine)...)
}

// books returns the rulebooks of the bundle; the version of each must match its content.
func (v *verifier) books() (law.Books, error) {
	data, err := v.bundle.read(pathRulebook, maxRulebook)
	if err != nil {
		return nil, err
	}
	var raw map[string]json.RawMessage
	if err := decode(data, &raw, encodeIndented); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for ref, book := range raw {
		files[ref] = book
	}
	books, err := rules.Load(files)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	refs := []string{}
	for _, b := range books {
		refs = append(refs, b.Ref())
	}
	slices.Sort(refs)
	if !slices.Equal(refs, slices.Sorted(maps.Keys(raw))) || !slices.Equal(refs, v.manifest.Rulebooks) {
		return nil, fmt.Errorf("it has %v, the manifest names %v", refs, v.manifest.Rulebooks)
	}
	return books, nil
}
