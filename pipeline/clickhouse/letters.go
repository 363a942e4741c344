package clickhouse

import (
	"bytes"
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Letters returns the dead letters that contest an archived event of a table by which nothing was judged, since it came
// late, or is in another partition. Their own partition could not compare them. They have the Following of that event.
func (s *Store) Letters(ctx context.Context, of *ArchivedTable) ([]*Archived, error) {
	all, err := s.forgotten(ctx, of.Property, []string{of.Table})
	if err != nil {
		return nil, err
	}
	return s.contesting(ctx, of, all[of.Table])
}

// forgotten returns by table the dead letters of a property that are events, as rows.Forgotten.
func (s *Store) forgotten(ctx context.Context, property string, tables []string) (map[string][]*Archived, error) {
	all := map[string][]*Archived{}
	d := schema.NewDecoder()
	d.AcceptAny()
	var ev schema.Event
	var l Archived
	var raw string
	err := s.scan(ctx, "SELECT partition, offset, raw FROM "+s.name("dead_letters")+" FINAL WHERE endsWith(reason, '"+
		rows.Forgotten+"') AND extract(reason, '(?s)^table (.*) has passed event [0-9]+: ') IN {tables:Array(String)} "+
		"ORDER BY topic, partition, offset", params("tables", tables), func() {
		l.Format, l.Value, l.SHA256 = schema.Protobuf, []byte(raw), sha256.Sum256([]byte(raw))
		if bytes.HasPrefix(bytes.TrimSpace(l.Value), []byte("{")) {
			l.Format = schema.JSON
		}
		if d.Decode(l.Format, l.Value, &ev) == nil && ev.PropertyID == property {
			letter := l
			letter.Seq, letter.At, letter.Letter = ev.Seq, ev.At, true
			table := strings.Clone(ev.TableID)
			all[table] = append(all[table], &letter)
		}
	}, &l.Partition, &l.Offset, &raw)
	return all, s.explain("read the events among the dead letters", err)
}

// contesting returns the forgotten events of a table that contest an event by which nothing was judged.
func (s *Store) contesting(ctx context.Context, of *ArchivedTable, letters []*Archived) (found []*Archived, err error) {
	if len(letters) == 0 {
		return nil, nil
	}
	epochs, err := s.epochs(ctx, of)
	if err != nil {
		return nil, err
	}
	r := archiveReader{store: s, property: of.Property}
	in := make([]*reading, len(epochs))
	for _, l := range letters {
		i := epochWhen(epochs, l.At)
		if in[i] == nil {
			in[i] = &reading{TableReplay: &TableReplay{Table: of}, epochs: epochs[i : i+1]}
		}
		same, err := r.arrivals(ctx, in[i], l.Seq, l.Seq, math.MaxInt64)
		if err != nil {
			return nil, err
		}
		if len(same) == 0 || slices.ContainsFunc(same, func(e arrival) bool { return e.sum == l.SHA256 }) {
			continue
		}
		disputes := same[0].partition != l.Partition
		if !disputes {
			if disputes, err = r.late(ctx, in[i], l); err != nil {
				return nil, err
			}
		}
		if disputes {
			l.Following = len(epochs) - 1 - i
			found = append(found, l)
		}
	}
	return found, nil
}

// epochWhen is the epoch in which an event with a time was published.
func epochWhen(all []epoch, at int64) (in int) {
	for i := range all {
		if i > 0 && all[i].began <= at {
			in = i
		}
	}
	return in
}
