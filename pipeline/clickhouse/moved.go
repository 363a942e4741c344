package clickhouse

import (
	"context"

	"github.com/shoeproof/shoeproof/pipeline"
)

// Moved returns which of some tables had events from one time to before another in several partitions of a topic:
// for each partition but the first, the first event of the table there, in the order of table, topic and time.
func (s *Store) Moved(ctx context.Context, property string, tables []string, from, until int64) (
	all []pipeline.Moved, err error,
) {
	if len(tables) == 0 {
		return nil, nil
	}
	of := " FROM " + s.name("events") + " WHERE property_id = {property:String} AND table_id IN {tables:Array(String)} " +
		"AND at < fromUnixTimestamp64Nano({until:Int64})"
	var table, topic string
	var before, in [2]string
	var partition int32
	m := pipeline.Moved{PropertyID: property}
	err = s.scan(ctx, "SELECT toString(table_id) AS name, toString(topic) AS log, partition, "+
		"(argMin((seq, event_id, toUnixTimestamp64Nano(at), toString(pit_id)), offset) AS first).1, "+
		"first.2, first.3, first.4"+
		of+" AND (table_id, topic) GLOBAL IN (SELECT table_id, topic"+of+
		" AND at >= fromUnixTimestamp64Nano({from:Int64}) GROUP BY table_id, topic HAVING min(partition) < max(partition)) "+
		"GROUP BY name, log, partition ORDER BY name, log, first.3, partition",
		params("property", property, "tables", tables, "from", from, "until", until), func() {
			m.From, m.To, m.TableID = m.To, partition, table
			if in = [2]string{table, topic}; in == before {
				all = append(all, m)
			}
			before = in
		}, &table, &topic, &partition, &m.Seq, &m.EventID, &m.At, &m.PitID)
	return all, s.explain("read the partitions of tables", err)
}
