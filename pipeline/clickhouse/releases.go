package clickhouse

import (
	"context"
	"slices"
	"strings"
)

// LiveReleases names the releases that audited the events of a property from one time to before another live, with the
// versions of their rules. Same is true if it was this release alone, under the same rules: then a replay gives the
// labels of a row again, too.
func (s *Store) LiveReleases(ctx context.Context, property string, from, until int64) (names []string, same bool,
	err error,
) {
	signed := ""
	if len(s.cfg.ChainKeys) > 0 {
		// No proof reports an unsigned row that coverage does not count: its release must not end the comparison of labels.
		signed = "AND (j.mac != '' OR j.signed = 0 OR j.to_offset < j.first) "
	}
	var engine, rules string
	err = s.scan(ctx, "SELECT DISTINCT toString(j.engine) AS engine, toString(j.rules_version) AS rules FROM "+
		"(SELECT *, countIf(mac != '') OVER of_log AS signed, minIf(from_offset, mac != '') OVER of_log AS first FROM "+
		s.name("journal")+" WINDOW of_log AS (PARTITION BY topic, partition)) AS j GLOBAL INNER JOIN (SELECT partition, min(offset) AS first, max(offset) AS last FROM "+
		s.name("events")+` WHERE property_id = {property:String} AND at >= fromUnixTimestamp64Nano({from:Int64})
AND at < fromUnixTimestamp64Nano({until:Int64}) GROUP BY partition) AS e ON j.partition = e.partition
WHERE j.to_offset >= e.first AND j.from_offset <= e.last AND j.from_offset <= j.to_offset `+signed+`ORDER BY engine, rules`,
		params("property", property, "from", from, "until", until), func() {
			release, _, _ := strings.Cut(engine, " memory ") // the limits of snapshots are no label of a row
			if name := release + ", rules " + rules; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}, &engine, &rules)
	same = slices.Equal(names, []string{s.cfg.Engine + ", rules " + s.cfg.RulesVersion})
	return names, same, s.explain("read the releases in the journal", err)
}
