package export

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// reference is an event that a finding names: its number, and the start of its id's hash, 0 for any id.
type reference struct{ seq, id uint64 }

func idHash(id string) uint64 {
	if id == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(sum[:]) | 1
}

// content is what the lines of a bundle say of each other.
type content struct {
	counts     map[Count]int64
	references map[string][]reference         // by table
	want       map[string]map[string][32]byte // by table and id: what a replay must give
	withdrawn  map[string]bool                // findings that must not be there
	days       []string
	last       finding.Finding
	lastAmend  Amendment
	coverage   []Coverage
	missing    map[string][]uint64
}

// checkContent reads every line: written as the exporter writes it, in order, with the id that its
// content gives, and with its evidence in the bundle.
func (v *verifier) checkContent(ctx context.Context) (string, *Failure) {
	c := &v.content
	c.counts, c.references, c.missing = map[Count]int64{}, map[string][]reference{}, map[string][]uint64{}
	c.want, c.withdrawn = map[string]map[string][32]byte{}, map[string]bool{}
	for _, part := range []struct {
		path string
		line func(line []byte) error
	}{
		{pathFindings, v.finding}, {pathAmendments, v.amendment}, {pathCoverage, v.covered}, {pathMissing, v.lost},
	} {
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
	events := int64(0)
	for _, p := range v.bundle.paths {
		if !strings.HasPrefix(p, dirEvidence) {
			continue
		}
		n, err := v.checkEvidence(p)
		if err != nil {
			return "", tampered(checkContent, "%s, %v", p, err)
		}
		events += n
	}
	for _, table := range slices.Sorted(maps.Keys(c.references)) {
		if err := v.resolve(table, &proofIDs{}); err != nil {
			return "", tampered(checkContent, "%s, %v", evidencePath(table), err)
		}
	}
	for _, table := range slices.Sorted(maps.Keys(c.missing)) {
		return "", tampered(checkContent, "%s names table %q, which no finding is about", pathMissing, table)
	}
	return fmt.Sprintf("%d findings and %d amendments with %d events behind them", v.manifest.Findings, v.manifest.Amendments, events), nil
}

func (v *verifier) finding(line []byte) error {
	c, m := &v.content, &v.manifest
	var f finding.Finding
	if err := decode(line, &f, encode); err != nil {
		return err
	}
	switch {
	case f.GamingDay != m.GamingDay:
		return fmt.Errorf("finding %s is of gaming day %q, the export of %q", f.ID, f.GamingDay, m.GamingDay)
	case c.last.ID != "" && order(&c.last, &f) >= 0:
		return fmt.Errorf("finding %s is out of order", f.ID)
	}
	c.counts[Count{f.Rule, f.Severity.String(), 0}]++
	c.last = f
	return v.claim(&f)
}

// identified is false for an id that no version of the finding's rule gives. A bundle may be older than the rule's
// current version.
func (v *verifier) identified(f *finding.Finding) bool {
	if v.versions == nil {
		v.versions = rules.Versions()
	}
	for version := range max(v.versions[f.Rule], 1) {
		if f.Identity(version+1).ID() == f.ID {
			return true
		}
	}
	return false
}

// claim checks what holds of any finding and notes what it names.
func (v *verifier) claim(f *finding.Finding) error {
	c, m := &v.content, &v.manifest
	switch {
	case f.PropertyID != m.Property:
		return fmt.Errorf("finding %s is of property %q, the export of %q", f.ID, f.PropertyID, m.Property)
	case !v.identified(f):
		return fmt.Errorf("finding %s has another id than its property, table, shoe, round, rule and subject give, %s", f.ID, f.Identity(1).ID())
	}
	c.references[f.TableID] = slices.Grow(c.references[f.TableID], 1) // findings without evidence name their table too
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
	same, err := sameness(f)
	if c.want[f.TableID] == nil {
		c.want[f.TableID] = map[string][32]byte{}
	}
	c.want[f.TableID][f.ID] = same
	return err
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
	case (a.Reason == amendLate) != (a.Leaf == -1) || (a.Reason == amendLate) != (a.Was == "") || (a.Reason == amendWithdrawn) != (a.Now == nil):
		return fmt.Errorf("amendment of %s: its parts do not fit the reason %s", a.Amends, a.Reason)
	case a.Leaf >= m.FirstLeaf || a.Leaf < -1 || was != (a.Leaf >= 0) || err != nil:
		return fmt.Errorf("amendment of %s: it replaces leaf %d, which is none of an earlier export", a.Amends, a.Leaf)
	case a.Now != nil && a.Now.ID != a.Amends:
		return fmt.Errorf("amendment of %s: it brings finding %s", a.Amends, a.Now.ID)
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

// parseHex says whether a text is a SHA-256 in hex; it is empty otherwise.
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

func (v *verifier) lost(line []byte) error {
	var one missingLine
	if err := decode(line, &one, encode); err != nil {
		return err
	}
	if _, twice := v.content.missing[one.Table]; twice || len(one.Seqs) == 0 {
		return fmt.Errorf("table %q is named twice or without events", one.Table)
	}
	v.content.missing[one.Table] = one.Seqs
	return nil
}

// totals compares the lines with what the manifest says of them all.
func (v *verifier) totals() *Failure {
	c, m := &v.content, &v.manifest
	counts := []Count{}
	for k, n := range c.counts {
		counts = append(counts, Count{k.Rule, k.Severity, n})
	}
	slices.SortFunc(counts, countOrder)
	switch {
	case !slices.Equal(counts, m.Counts):
		return tampered(checkContent, "the manifest's counts by rule and severity are not those of the findings")
	case !slices.Equal(c.days, m.Amends):
		return tampered(checkContent, "the manifest's amended gaming days are not those of the amendments")
	}
	for _, path := range []string{pathFindings, pathAmendments} {
		if f, _ := m.file(path); f.Path == "" {
			return tampered(checkContent, "%s is missing", path)
		}
	}
	return nil
}

// proofIDs are the events of a table that are in the bundle.
type proofIDs struct {
	bySeq map[uint64][]uint64 // hashes of ids
}

// checkEvidence reads the events of one table and resolves what findings name of it.
func (v *verifier) checkEvidence(path string) (n int64, err error) {
	ids := proofIDs{map[uint64][]uint64{}}
	d := schema.NewDecoder()
	var ev schema.Event
	var again []byte
	table := ""
	for line, err := range v.readEvidence(path) {
		if err != nil {
			return 0, err
		}
		n++
		if err := d.Decode(schema.JSON, line.Event, &ev); err != nil {
			return 0, fmt.Errorf("line %d: %w", n, err)
		}
		again = schema.AppendJSON(again[:0], &ev)
		switch {
		case string(again) != string(line.Event):
			return 0, fmt.Errorf("line %d: the event %w", n, errNotCanonical)
		case ev.PropertyID != v.manifest.Property || evidencePath(ev.TableID) != path:
			return 0, fmt.Errorf("line %d: an event of table %q of %q", n, ev.TableID, ev.PropertyID)
		case n > 1 && ev.TableID != table:
			return 0, fmt.Errorf("line %d: an event of table %q among those of %q", n, ev.TableID, table)
		case !v.content.covers(line):
			return 0, fmt.Errorf("line %d: offset %d of %s, partition %d, lies outside of %s", n, line.Offset, line.Topic, line.Partition, pathCoverage)
		}
		table = strings.Clone(ev.TableID)
		ids.bySeq[ev.Seq] = append(ids.bySeq[ev.Seq], idHash(ev.EventID))
	}
	if v.content.references[table] == nil {
		return 0, fmt.Errorf("no finding names the table %q", table)
	}
	return n, v.resolve(table, &ids)
}

func (c *content) covers(line *evidenceLine) bool {
	return slices.ContainsFunc(c.coverage, func(p Coverage) bool {
		return p.Topic == line.Topic && p.Partition == line.Partition && p.First <= line.Offset && line.Offset <= p.Last
	})
}

// resolve compares what is named of a table and not there with what missing.ndjson owns up to, and
// takes both off the lists.
func (v *verifier) resolve(table string, have *proofIDs) error {
	c := &v.content
	var lost []uint64
	for _, r := range c.references[table] {
		ids := have.bySeq[r.seq]
		if len(ids) == 0 || r.id != 0 && !slices.Contains(ids, r.id) {
			lost = append(lost, r.seq)
		}
	}
	slices.Sort(lost)
	if lost = slices.Compact(lost); !slices.Equal(lost, c.missing[table]) {
		return fmt.Errorf("findings name the events %s; %s owns up to %s", some(lost), pathMissing, some(c.missing[table]))
	}
	delete(c.references, table)
	delete(c.missing, table)
	return nil
}

// some are the first of many numbers, for people.
func some(n []uint64) string {
	if len(n) > 5 {
		return fmt.Sprintf("%v and %d more", n[:5], len(n)-5)
	}
	return fmt.Sprint(n)
}

// readEvidence gives the lines of a table's events, each valid until the next.
func (v *verifier) readEvidence(path string) iter.Seq2[*evidenceLine, error] {
	return func(yield func(*evidenceLine, error) bool) {
		var last *evidenceLine
		err := v.lines(path, func(_ int64, line []byte) error {
			var one evidenceLine
			if err := decode(line, &one, encode); err != nil {
				return err
			}
			if last != nil && last.compare(&one) >= 0 {
				return fmt.Errorf("offset %d is out of order", one.Offset)
			}
			last = &one
			if !yield(&one, nil) {
				return io.ErrClosedPipe
			}
			return nil
		})
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			yield(nil, err)
		}
	}
}

// replay runs the rules on the evidence: they must find again what the export says, and nothing besides
// that it does not own up to.
func (c *content) replay(ctx context.Context, v *verifier) (string, *Failure) {
	m := &v.manifest
	differs := func(format string, args ...any) (string, *Failure) {
		if v.opt.Engine != m.Engine {
			return "", undecided(checkReplay, format+fmt.Sprintf(". The export is of %s and this program is %s: ask again with that release", m.Engine, v.opt.Engine), args...)
		}
		return "", tampered(checkReplay, format, args...)
	}
	books, err := v.books()
	if err != nil {
		return differs("%s: %v", pathRulebook, err)
	}
	calendar, err := m.calendar()
	if err != nil {
		return differs("the manifest's calendar: %v", err)
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
		got := map[string]*found{}
		if _, there := v.bundle.sizes[evidencePath(table)]; there {
			if got, err = replay(books, calendar, v.readEvidence(evidencePath(table))); err != nil {
				return differs("table %s: %v", table, err)
			}
		}
		want := c.want[table]
		for _, id := range slices.Sorted(maps.Keys(want)) {
			f := got[id]
			switch {
			case skip[id]:
			case f == nil:
				return differs("finding %s of table %s is not found again", id, table)
			case f.same != want[id]:
				return differs("finding %s of table %s is found otherwise: expected %s, observed %s", id, table, f.finding.Expected, f.finding.Observed)
			default:
				again++
			}
		}
		for id, f := range got { // sorted below
			if _, wanted := want[id]; !wanted && f.finding.GamingDay == m.GamingDay {
				extra = append(extra, id)
			}
		}
	}
	if slices.Sort(extra); !slices.Equal(extra, m.Extra) {
		return differs("the evidence shows findings that the export neither carries nor names: %d, it names %d", len(extra), len(m.Extra))
	}
	return fmt.Sprintf("%d findings found again by the rules of the bundle; %d that one table's events cannot show", again, len(m.Unreplayed)), nil
}

// books are the rulebooks of the bundle, each with the version that its content gives.
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
		return nil, fmt.Errorf("it holds %v, the manifest names %v", refs, v.manifest.Rulebooks)
	}
	return books, nil
}
