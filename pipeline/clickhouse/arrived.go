package clickhouse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/pipeline"
)

// arrived is what follows from the order of arrival for the events of a table with a Seq from one number to before
// another.
type arrived struct {
	from, until uint64
	late        map[uint64]bool
	// disputes are the hashes of the events that contest another one by which nothing was judged, since it came late, or
	// its turn had not come.
	disputes map[[32]byte]bool
}

// arrivedChunk is the number of Seqs that are read at once. arrivedReach is how many besides on each side: the reach of
// reordering.
const (
	arrivedChunk = 16 << 10
	arrivedReach = 4096 + 64
)

// disputes reports whether an event contests another one by which nothing was judged.
func (r *archiveReader) disputes(ctx context.Context, t *reading, e *Archived) (bool, error) {
	err := r.arrive(ctx, t, e.Seq)
	return t.arrived.disputes[e.SHA256], err
}

// late reports whether an event came late.
func (r *archiveReader) late(ctx context.Context, t *reading, e *Archived) (bool, error) {
	err := r.arrive(ctx, t, e.Seq)
	return t.arrived.late[e.Seq], err
}

// arrive reads in what order the events from a Seq on arrived.
func (r *archiveReader) arrive(ctx context.Context, t *reading, seq uint64) error {
	a := &t.arrived
	if a.late != nil && seq >= a.from && seq < a.until {
		return nil
	}
	*a = arrived{seq, seq + min(arrivedChunk, math.MaxUint64-seq), map[uint64]bool{}, map[[32]byte]bool{}}
	all, err := r.arrivals(ctx, t, a.from-min(arrivedReach, a.from), a.until+min(arrivedReach, math.MaxUint64-a.until),
		math.MaxInt64)
	if err != nil {
		return err
	}
	return r.store.receive(ctx, t.Table, all, func(e, was *arrival, late, disputes bool) {
		switch {
		case was == nil:
			a.late[e.seq] = late
		case was.partition != e.partition: // nothing was judged by both
			a.disputes[e.sum], a.disputes[was.sum] = true, true
		case disputes:
			a.disputes[e.sum] = true
		}
	})
}

// receive takes events in the order of their arrival, with the releases of the journal, as the live audit did. each
// receives the event, the first one with its Seq, nil if it is that, and what Arrivals reports.
func (s *Store) receive(ctx context.Context, of *ArchivedTable, all []arrival,
	each func(e, was *arrival, late, disputes bool),
) error {
	first := map[uint64]*arrival{}
	var arrivals pipeline.Arrivals
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(e arrival) bool { return e.partition != all[0].partition })
		if n < 0 {
			n = len(all)
		}
		releases, err := s.releases(ctx, of, all[:n])
		if err != nil {
			return err
		}
		for i := range all[:n] {
			e := &all[i]
			for ; len(releases) > 0 && releases[0] < e.offset; releases = releases[1:] {
				arrivals.Release()
			}
			was := first[e.seq]
			if was != nil && was.sum == e.sum {
				continue // not merged yet
			}
			late, disputes := arrivals.Receive(e.seq, e.at)
			if each(e, was, late, disputes); was == nil {
				first[e.seq] = e
			}
		}
		all = all[n:]
	}
	return nil
}

// arrival is an event of the archive, and where it arrived.
type arrival struct {
	location
	topic string
	seq   uint64
	at    int64
	sum   [32]byte
}

// arrivals returns the events of the epoch of a table in a range of Seq, both inclusive, in the order of their arrival,
// so many of them.
func (r *archiveReader) arrivals(ctx context.Context, t *reading, from, until, limit uint64) (all []arrival, err error) {
	where, args := r.where([]*reading{t}, func(*reading) string {
		return fmt.Sprintf("seq >= %d AND seq <= %d", from, until)
	})
	var e arrival
	var sum string
	err = r.store.scan(ctx, "SELECT toString(topic), partition, offset, seq, toUnixTimestamp64Nano(at), sha256"+where+
		fmt.Sprintf(" ORDER BY partition, offset, topic LIMIT %d", limit), args, func() {
		copy(e.sum[:], sum)
		all = append(all, e)
	}, &e.topic, &e.partition, &e.offset, &e.seq, &e.at, &sum)
	pipeline.InTurn(all, func(e *arrival) (int32, int64) { return e.partition, e.at })
	return all, r.store.explain("read the order of arrival of table "+t.Table.Table, err)
}

// releases returns the offsets after which the live audit gave up what was missing of a table, among events of a
// partition.
func (s *Store) releases(ctx context.Context, of *ArchivedTable, events []arrival) (all []int64, err error) {
	first, last := &events[0], &events[len(events)-1]
	return s.Released(ctx, pipeline.Table{PropertyID: of.Property, TableID: of.Table}, first.topic, first.partition,
		Span{first.offset, last.offset})
}

// Released returns the offsets of a span of a partition, but for its last, after which the live audit gave up what was
// missing of a table, in order.
func (s *Store) Released(ctx context.Context, table pipeline.Table, topic string, partition int32, of Span,
) (all []int64, err error) {
	given, err := s.Releases(ctx, topic, partition, of.From, of.To)
	for i := range given {
		if slices.Contains(given[i].Released, table) {
			all = append(all, given[i].To)
		}
	}
	return all, err
}
