package export

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// reference is an event that a finding names: its sequence number and the hash of its id, 0 for any id.
type reference struct{ seq, id uint64 }

func idHash(id string) uint64 {
	if id == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(sum[:]) | 1
}

// content collects the references between the lines of a bundle.
type content struct {
	counts     map[Count]int64
	references map[string][]reference         // by table
	want       map[string]map[string][32]byte // by table and id: digests that a replay must give
	digests    map[string][32]byte            // of all findings, by id
	withdrawn  map[string]bool                // ids
	days       []string
	last       finding.Finding
	lastAmend  Amendment
	coverage   []Coverage
	missing    map[string][]uint64
	steps      []rows.ChainHead // the actions of triage
	lastStep   rows.ChainHead
}

// checkContent reads every line. Each must be canonical, in order, with the id of its content, and with its evidence
// in the bundle.
func (v *verifier) checkContent(ctx context.Context) (string, *Failure) {
	c := &v.content
	c.counts, c.references, c.missing = map[Count]int64{}, map[string][]reference{}, map[string][]uint64{}
	c.want, c.withdrawn = map[string]map[string][32]byte{}, map[string]bool{}
	c.digests = map[string][32]byte{}
	type file struct {
		path string
		line func(line []byte) error
	}
	parts := []file{
		{pathFindings, v.finding}, {pathAmendments, v.amendment}, {pathCoverage, v.covered}, {pathMissing, v.missing},
	}
	if v.manifest.Steps > 0 {
		parts = append(parts, file{pathSteps, v.step})
	}
	for _, part := range parts {
		err := v.lines(part.path, func(n int64, line []byte) error {
			if n%1000 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return part.line(line)
		})
		if err != nil {
			return "", tampered(checkContent, "%s, %v", part.path, err)
		}
	}
	if f := v.totals(); f != nil {
		return "", f
	}
	events, states := int64(0), map[string]bool{}
	for _, p := range v.bundle.paths {
		if !strings.HasPrefix(p, dirEvidence) {
			continue
		}
		n, table, err := v.checkEvidence(p)
		states[statePath(table)] = true
		if err != nil {
			return "", tampered(checkContent, "%s, %v", p, err)
		}
		events += n
	}
	if err := v.checkStates(states); err != nil {
		return "", tampered(checkContent, "%v", err)
	}
	for _, table := range slices.Sorted(maps.Keys(c.references)) {
		if err := v.resolve(table, &proofIDs{}); err != nil {
			return "", tampered(checkContent, "%s, %v", v.manifest.evidencePath(table), err)
		}
	}
	for _, table := range slices.Sorted(maps.Keys(c.missing)) {
		return "", tampered(checkContent, "%s names table %q, which has no finding", pathMissing, table)
	}
	return fmt.Sprintf("%s and %s with %s of evidence", schema.Count(v.manifest.Findings, "finding"),
		schema.Count(v.manifest.Amendments, "amendment"), schema.Count(events, "event")), nil
}

func (v *verifier) finding(line []byte) error {
	c, m := &v.content, &v.manifest
	var f finding.Finding
	if err := decode(line, &f, encode); err != nil {
		return err
	}
	switch {
	case f.GamingDay != m.GamingDay:
		return fmt.Errorf("finding %s has gaming day %q, the export %q", f.ID, f.GamingDay, m.GamingDay)
	case c.last.ID != "" && findingOrder(&c.last, &f) >= 0:
		return fmt.Errorf("finding %s is out of order", f.ID)
	}
	c.counts[Count{f.Rule, f.Severity.String(), 0}]++
	c.last = f
	return v.claim(&f)
}

// claim checks a finding or the finding of an amendment, and collects its references.
func (v *verifier) claim(f *finding.Finding) error {
	c, m := &v.content, &v.manifest
	switch {
	case f.PropertyID != m.Property:
		return fmt.Errorf("finding %s has property %q, the export %q", f.ID, f.PropertyID, m.Property)
	case !f.Identified(v.versions[f.Rule]):
		return fmt.Errorf("finding %s does not have the id of its content, %s", f.ID, f.Identity(1).ID())
	}
	if v.opt.Replay {
		digest, err := digestOf(f)
		if err != nil {
			return err
		}
		c.digests[f.ID] = digest
	}
	if !m.proves(f) {
		return nil
	}
	c.references[f.TableID] = slices.Grow(c.references[f.TableID], 1) // an entry for the table also without evidence
	for i, seq := range f.Evidence.Seqs {
		r := reference{seq: seq}
		if i < len(f.Evidence.EventIDs) {
			r.id = idHash(f.Evidence.EventIDs[i])
		}
		c.references[f.TableID] = append(c.references[f.TableID], r)
	}
	if !v.opt.Replay {
		return nil
	}
	if c.want[f.TableID] == nil {
		c.want[f.TableID] = map[string][32]byte{}
	}
	c.want[f.TableID][f.ID] = c.digests[f.ID]
	return nil
}

func (v *verifier) amendment(line []byte) error {
	c, m := &v.content, &v.manifest
	var a Amendment
	if err := decode(line, &a, encode); err != nil {
		return err
	}
	was, err := parseHex(a.Was)
	switch {
	case !slices.Contains([]string{amendLate, amendChanged, amendWithdrawn, amendRestored}, a.Reason):
		return fmt.Errorf("amendment of %s: reason %q", a.Amends, a.Reason)
	case (a.Reason == amendLate) != (a.Leaf == -1) || (a.Reason == amendLate) != (a.Was == "") ||
		(a.Reason == amendWithdrawn) != (a.Now == nil):
		return fmt.Errorf("amendment of %s: leaf, hash or finding do not match the reason %s", a.Amends, a.Reason)
	case a.Leaf >= m.FirstLeaf || a.Leaf < -1 || was != (a.Leaf >= 0) || err != nil:
		return fmt.Errorf("amendment of %s: it replaces leaf %d, which is not of an earlier export", a.Amends, a.Leaf)
	case a.Now != nil && a.Now.ID != a.Amends:
		return fmt.Errorf("amendment of %s: it contains finding %s", a.Amends, a.Now.ID)
	case c.lastAmend.Amends != "" && amendmentOrder(&c.lastAmend, &a) >= 0:
		return fmt.Errorf("amendment of %s: out of order", a.Amends)
	}
	c.lastAmend = a
	c.days = append(c.days, a.GamingDay)
	c.days = slices.Compact(c.days)
	if a.Now == nil {
		c.withdrawn[a.Amends] = true
		return nil
	}
	return v.claim(a.Now)
}

// parseHex reports whether a text is a SHA-256 in hex; an empty text is not.
func parseHex(s string) (bool, error) {
	if s == "" {
		return false, nil
	}
	if len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return false, errors.New("want 64 hex digits")
	}
	return true, nil
}

func (v *verifier) covered(line []byte) error {
	c := &v.content
	var one Coverage
	if err := decode(line, &one, encode); err != nil {
		return err
	}
	if n := len(c.coverage); one.First > one.Last || n > 0 && coverageOrder(c.coverage[n-1], one) >= 0 {
		return fmt.Errorf("partition %d of %s is out of order", one.Partition, one.Topic)
	}
	c.coverage = append(c.coverage, one)
	return nil
}

func (v *verifier) missing(line []byte) error {
	var one missingLine
	if err := decode(line, &one, encode); err != nil {
		return err
	}
	if _, twice := v.content.missing[one.Table]; twice || len(one.Seqs) == 0 {
		return fmt.Errorf("table %q occurs twice or without events", one.Table)
	}
	v.content.missing[one.Table] = one.Seqs
	return nil
}

// totals compares the lines with the totals of the manifest.
func (v *verifier) totals() *Failure {
	c, m := &v.content, &v.manifest
	counts := []Count{}
	for k, n := range c.counts {
		counts = append(counts, Count{k.Rule, k.Severity, n})
	}
	slices.SortFunc(counts, countOrder)
	switch {
	case !slices.Equal(counts, m.Counts):
		return tampered(checkContent, "the manifest's counts by rule and severity differ from the findings")
	case !slices.Equal(c.days, m.Amends):
		return tampered(checkContent, "the manifest's amended gaming days differ from the amendments")
	}
	for _, path := range []string{pathFindings, pathAmendments} {
		if m.file(path).Path == "" {
			return tampered(checkContent, "%s is missing", path)
		}
	}
	return nil
}
