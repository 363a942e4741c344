package clickhouse

import (
	"context"
	"fmt"
	"strings"
)

// queueCopies are the columns of the queue that follow from the finding, with the expression of each over a row of
// findings.
func queueCopies() (names, of []string) {
	for _, name := range []string{
		"at", "kind", "verdict", "rule", "pit_id", "table_id", "shoe_id", "round", "seat", "dealer_id", "gaming_day",
		"shift", "expected", "observed", "amount", "currency", "basis",
	} {
		names, of = append(names, name), append(of, name)
	}
	return append(names, "urgency", "fingerprint"), append(of, urgencyOf, fingerprintOf)
}

// What the queue derives from a finding, as the migrations define it.
const (
	urgencyOf     = "toUInt8(indexOf(['critical', 'major', 'minor', 'info'], toString(severity)))"
	fingerprintOf = "concat('1-', lower(hex(sipHash128(rule, property_id, table_id, if(dealer_id != '', dealer_id, " +
		"shoe_id), verdict))))"
)

// hashed is an array of the hashes of expressions.
func hashed(expressions []string) string {
	var all []string
	for _, e := range expressions {
		all = append(all, "sipHash64(toString("+e+"))")
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// copies names the rows of the queue that show something else than their finding, at most a thousand. A row of a
// version that a forged one doubles counts, too: which of the two a merge keeps is not known. Where two live audits of
// one table made a finding at two times, each of its rows may show either.
func (s *Store) copies(ctx context.Context, property string) (problems []string, err error) {
	names, of := queueCopies()
	shown, found := hashed(names), hashed(of)
	// A row that left the queue because its finding moved keeps its place in it.
	var id, differ string
	differs := func(row string) string {
		return "arraySort(d -> length(d), arrayMap(f -> arrayFilter((name, a, b) -> a != b AND NOT (gone AND name IN " +
			"('at', 'urgency')), ['" + strings.Join(names, "', '") + "'], " + row + ", f), due))[1]"
	}
	err = s.scan(ctx, "SELECT id, arrayStringConcat(arrayDistinct(arrayConcat("+differs("one")+", "+differs("other")+
		")), ', ') AS differ FROM (SELECT id, argMax("+shown+", (version, cityHash64("+shown+"))) AS one, argMax("+shown+
		", (version, bitNot(cityHash64("+shown+")))) AS other, argMax(state = 'withdrawn', version) AS gone FROM "+
		s.name("open_findings")+" WHERE property_id = {property:String} GROUP BY id) AS q "+
		"GLOBAL INNER JOIN (SELECT id, arraySort(groupUniqArray("+found+")) AS due FROM "+s.name("findings")+
		" FINAL WHERE property_id = {property:String} GROUP BY id) AS f ON q.id = f.id WHERE notEmpty(differ) "+
		"ORDER BY id LIMIT 1000", params("property", property), func() {
		problems = append(problems, fmt.Sprintf("finding %s: the queue shows another %s", id, differ))
	}, &id, &differ)
	return problems, s.explain("compare the queue with the findings", err)
}

// QueueOwners passes the owner of each finding that the queue has to each.
func (s *Store) QueueOwners(ctx context.Context, property string, each func(id, owner string)) error {
	var id, owner string
	err := s.scan(ctx, "SELECT id, argMax(toString(owner), version) FROM "+s.name("open_findings")+
		" WHERE property_id = {property:String} GROUP BY id ORDER BY id", params("property", property),
		func() { each(id, owner) }, &id, &owner)
	return s.explain("read the owners of the queue", err)
}
