package export

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
)

func (b *builder) leaves(fresh []*digested, amendments []Amendment) error {
	m := &b.manifest
	b.entries = make([]newEntry, 0, len(fresh)+len(amendments))
	counts := map[Count]int64{}
	err := b.write(pathFindings, func(o *out) error {
		for _, f := range fresh {
			line, err := encode(&f.finding)
			if err != nil {
				return err
			}
			b.leaf(&f.finding, line, &f.digest)
			counts[Count{f.finding.Rule, f.finding.Severity.String(), 0}]++
			if err := o.line(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for c, n := range counts {
		m.Counts = append(m.Counts, Count{c.Rule, c.Severity, n})
	}
	slices.SortFunc(m.Counts, countOrder)
	return b.write(pathAmendments, func(o *out) error {
		for i := range amendments {
			a := &amendments[i]
			line, err := encode(a)
			if err != nil {
				return err
			}
			var digest *[32]byte
			now := a.Now
			if now == nil {
				now = &finding.Finding{ID: a.Amends, GamingDay: a.GamingDay}
			} else {
				sum, err := digestOf(now)
				if err != nil {
					return err
				}
				digest = &sum
			}
			b.leaf(now, line, digest)
			m.Amends = append(m.Amends, a.GamingDay)
			if err := o.line(line); err != nil {
				return err
			}
		}
		m.Amends = slices.Compact(m.Amends)
		return nil
	})
}

func countOrder(a, b Count) int {
	return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Severity, b.Severity))
}

// leaf adds a leaf about a finding. Without a digest, the finding is withdrawn.
func (b *builder) leaf(f *finding.Finding, line []byte, digest *[32]byte) {
	s := newEntry{f.ID, entry{day: f.GamingDay, leaf: b.log.size, line: sha256.Sum256(line), gone: digest == nil}}
	if digest != nil {
		s.digest, s.brief = *digest, briefOf(f, b.numbers[f.ID])
	}
	b.entries = append(b.entries, s)
	b.log.add(line)
}
