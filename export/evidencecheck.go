package export

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// proofIDs are the events of a table that are in the bundle.
type proofIDs struct {
	bySeq map[uint64][]uint64 // hashes of ids
}

// checkEvidence reads the events of one table and resolves the references to them.
func (v *verifier) checkEvidence(path string) (n int64, table string, err error) {
	ids := proofIDs{map[uint64][]uint64{}}
	d := schema.NewDecoder()
	d.AcceptAny()
	var ev schema.Event
	var again []byte
	for line, err := range v.readEvidence(path) {
		if err != nil {
			return 0, "", err
		}
		n++
		if err := d.Decode(schema.JSON, line.Event, &ev); err != nil {
			return 0, "", fmt.Errorf("line %d: %w", n, err)
		}
		again = schema.AppendJSON(again[:0], &ev)
		switch {
		case string(again) != string(line.Event):
			return 0, "", fmt.Errorf("line %d: the event %w", n, errNotCanonical)
		case ev.PropertyID != v.manifest.Property || v.manifest.evidencePath(ev.TableID) != path:
			return 0, "", fmt.Errorf("line %d: the event belongs to table %q of %q", n, ev.TableID, ev.PropertyID)
		case n > 1 && ev.TableID != table:
			return 0, "", fmt.Errorf("line %d: the event belongs to table %q, the file to %q", n, ev.TableID, table)
		case !v.content.received(line.place()):
			return 0, "", fmt.Errorf("line %d: offset %d of %s, partition %d, is not in %s", n, line.Offset, line.Topic,
				line.Partition, pathCoverage)
		}
		table = strings.Clone(ev.TableID)
		ids.bySeq[ev.Seq] = append(ids.bySeq[ev.Seq], idHash(ev.EventID))
	}
	if v.content.references[table] == nil {
		return 0, "", fmt.Errorf("no finding names table %q", table)
	}
	if _, err := v.readSegments(table); err != nil {
		return 0, "", err
	}
	return n, table, v.resolve(table, &ids)
}

// received reports whether a place is in the coverage.
func (c *content) received(at place) bool {
	return slices.ContainsFunc(c.coverage, func(p Coverage) bool {
		return p.Topic == at.Topic && p.Partition == at.Partition && p.First <= at.Offset && at.Offset <= p.Last
	})
}

// resolve compares the events of a table that findings name and the bundle lacks with missing.ndjson, and removes
// the table from both lists.
func (v *verifier) resolve(table string, have *proofIDs) error {
	c := &v.content
	var missing []uint64
	for _, r := range c.references[table] {
		ids := have.bySeq[r.seq]
		if len(ids) == 0 || r.id != 0 && !slices.Contains(ids, r.id) {
			missing = append(missing, r.seq)
		}
	}
	slices.Sort(missing)
	if missing = slices.Compact(missing); !slices.Equal(missing, c.missing[table]) {
		return fmt.Errorf("findings name the events %s, which are not in the bundle; %s lists %s", some(missing), pathMissing,
			some(c.missing[table]))
	}
	delete(c.references, table)
	delete(c.missing, table)
	return nil
}

// some formats the first numbers of a list and the count of the others.
func some(n []uint64) string {
	if len(n) > 5 {
		return fmt.Sprintf("%v and %d more", n[:5], len(n)-5)
	}
	return fmt.Sprint(n)
}

// readEvidence iterates over the events of a table; a line is valid until the next.
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
