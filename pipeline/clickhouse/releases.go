package clickhouse

import (
	"context"
	"slices"
	"strings"
)

// LiveReleases names the releases that audited the events at the offsets of a window live, with the versions of their
// rules. Same is true if it was this release alone, under the same rules: then a replay gives the labels of a row, too.
func (s *Store) LiveReleases(ctx context.Context, day []Offsets) (names []string, same bool, err error) {
	var partitions, first, last []uint64
	for _, p := range day {
		if p.First > p.Last {
			continue
		}
		partitions = append(partitions, uint64(p.Partition))
		first, last = append(first, uint64(p.First)), append(last, uint64(p.Last))
	}
	signed := ""
	if len(s.cfg.ChainKeys) > 0 {
		// No proof reports an unsigned row that coverage does not count: its release must not end the comparison of labels.
		signed = "AND (j.mac != '' OR j.signed = 0 OR j.to_offset < j.first) "
	}
	var engine, rules string
	query := "SELECT DISTINCT toString(j.engine) AS engine, toString(j.rules_version) AS rules FROM " +
		"(SELECT *, countIf(mac != '') OVER of_log AS signed, minIf(from_offset, mac != '') OVER of_log AS first FROM " +
		s.name("journal") + ` WINDOW of_log AS (PARTITION BY topic, partition)) AS j WHERE arrayExists((p, first, last) ->
j.partition = p AND j.to_offset >= first AND j.from_offset <= last,
{partitions:Array(UInt64)}, {first:Array(UInt64)}, {last:Array(UInt64)}) AND j.from_offset <= j.to_offset ` + signed +
		"ORDER BY engine, rules"
	err = s.scan(ctx, query, params("partitions", partitions, "first", first, "last", last), func() {
		release, _, _ := strings.Cut(engine, " memory ") // the limits of snapshots are no label of a row
		if name := release + ", rules " + rules; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}, &engine, &rules)
	same = slices.Equal(names, []string{s.cfg.Engine + ", rules " + s.cfg.RulesVersion})
	return names, same, s.explain("read the releases in the journal", err)
}

// LiveRulebooks returns the rulebooks by which the live audit judged the shoes of each table that began from one time
// to before another, sorted.
func (s *Store) LiveRulebooks(ctx context.Context, property string, from, until int64) (map[string][]string, error) {
	of := map[string][]string{}
	var table string
	var books []string
	err := s.scan(ctx, "SELECT toString(table_id), arraySort(groupUniqArray(toString(rulebook))) FROM "+s.name("shoes")+
		" FINAL WHERE property_id = {property:String} AND rulebook != '' AND at >= fromUnixTimestamp64Nano({from:Int64}) "+
		"AND at < fromUnixTimestamp64Nano({until:Int64}) GROUP BY 1",
		params("property", property, "from", from, "until", until), func() { of[table] = slices.Clone(books) },
		&table, &books)
	return of, s.explain("read the rulebooks of the live audit", err)
}
