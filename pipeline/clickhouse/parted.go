package clickhouse

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Parted is a table whose events are in several partitions of a topic, each with numbers of its own, as of two systems
// that publish it. No audit can put such events in order. It has the times of the events of each partition.
type Parted struct {
	// Since is when the second partition began.
	Since int64
	in    map[int32]*numbering
}

// numbering is the events of a table in a partition: the ticks in which it has some, in order, and the highest number,
// and the highest before the last tick.
type numbering struct {
	ticks        []int64
	high, before uint64
}

// partedTick is the precision of the times, in ns: the partitions have events of two clocks.
const partedTick = 5 * int64(time.Second)

// Beside returns another partition that has events between two events of a partition, with these times, or close to
// one of them. A nil Parted has none.
func (p *Parted) Beside(partition int32, from, to int64) (other int32, beside bool) {
	if p == nil {
		return 0, false
	}
	first, last := min(from, to)/partedTick-1, max(from, to)/partedTick+1
	for _, other := range slices.Sorted(maps.Keys(p.in)) {
		ticks := p.in[other].ticks
		if i, _ := slices.BinarySearch(ticks, first); other != partition && i < len(ticks) && ticks[i] <= last {
			return other, true
		}
	}
	return 0, false
}

// outOfOrder is how far the numbers of events of one numbering may be from the order of their times.
const outOfOrder = 64

// add notes the lowest and the highest number of the events of a tick. It reports whether a lower number follows a
// higher one of another partition: they are not of one numbering.
func (p *Parted) add(partition int32, tick int64, low, high uint64) (apart bool) {
	for other, n := range p.in {
		before := n.high
		if n.ticks[len(n.ticks)-1] == tick {
			before = n.before
		}
		apart = apart || other != partition && before > low+outOfOrder
	}
	n := p.in[partition]
	if n == nil {
		n = &numbering{}
		p.in[partition] = n
		if len(p.in) == 2 {
			p.Since = tick * partedTick
		}
	}
	n.ticks = append(n.ticks, tick)
	n.before, n.high = n.high, max(n.high, high)
	return apart
}

// Parted returns by name which of some tables of a property are parted from one time to before another.
func (s *Store) Parted(ctx context.Context, property string, tables []string, from, until int64) (
	map[string]*Parted, error,
) {
	if len(tables) == 0 {
		return nil, nil
	}
	const doing = "read the partitions of tables"
	of := " FROM " + s.name("events") + " WHERE property_id = {property:String} AND table_id IN {tables:Array(String)} " +
		"AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({until:Int64})"
	args := params("property", property, "tables", tables, "from", from, "until", until, "tick", partedTick)
	all, apart := map[string]*Parted{}, map[string]bool{}
	var table string
	var partition int32
	var tick int64
	var low, high uint64
	err := s.scan(ctx, "SELECT toString(table_id) AS name, partition, intDiv(toUnixTimestamp64Nano(at), {tick:Int64}) AS "+
		"tick, min(seq), max(seq)"+of+" AND (table_id, topic) GLOBAL IN (SELECT table_id, topic"+of+
		" GROUP BY table_id, topic HAVING min(partition) < max(partition)) GROUP BY name, partition, tick "+
		"ORDER BY name, tick, partition", args, func() {
		p := all[table]
		if p == nil {
			p = &Parted{in: map[int32]*numbering{}}
			all[table] = p
		}
		apart[table] = p.add(partition, tick, low, high) || apart[table]
	}, &table, &partition, &tick, &low, &high)
	if err != nil || len(all) == 0 {
		return nil, s.explain(doing, err)
	}
	// Numbers that are close to each other show it by two events of one number.
	err = s.scan(ctx, "SELECT toString(table_id) AS name FROM (SELECT table_id, seq"+of+
		" GROUP BY table_id, seq "+
		"HAVING min(partition) < max(partition) AND uniqExact(event_id) > 1) GROUP BY name",
		args, func() { apart[table] = true }, &table)
	maps.DeleteFunc(all, func(table string, _ *Parted) bool { return !apart[table] })
	return all, s.explain(doing, err)
}
