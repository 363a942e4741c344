//go:build unix

package exporter_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// columns are changed alone: what ingest derives, labels, times, copies, and all of a row of the journal.
var columns = map[string][]string{
	"events": {"gaming_day = gaming_day + 1"}, "dead_letters": {"place = 'other'", "reason = 'other'"},
	"journal": {
		"low_offset = low_offset + 1", "clock = clock + 1", "generation = generation + 9", "epoch = epoch + 1",
		"rows = rows + 1", "hash = 'other'", "released = 'other'", "written_at = written_at - INTERVAL 9 DAY",
		"engine = 'other'", "rules_version = 'other'", "derived_sha256 = ''", "mac = ''",
	},
	"findings": {
		"citations = ['other']", "rulebook = 'other'", "engine = 'other'", "basis = if(basis = '', 'text', '')",
	},
	"rounds": {"settled_at = settled_at + 1"}, "shoes": {"engine = 'other'", "rulebook = 'other'"},
	"open_findings": {
		"kind = 'other'", "verdict = 'other'", "basis = 'other'", "rule = 'other'", "pit_id = 'other'",
		"table_id = 'other'", "shoe_id = 'other'", "round = round + 1", "seat = seat + 1", "dealer_id = 'other'",
		"gaming_day = gaming_day + 1", "shift = 'other'", "expected = 'other'", "observed = 'other'", "amount = amount + 1",
		"currency = 'XXX'", "owner = 'eve'", "fingerprint = 'other'",
	},
}

// A column that is changed alone before an export is found by another check than doctor, which only lists the
// statement. So is a row that is deleted under a range of the journal with the digest of the others. The short form
// tries one column of each table.
func TestChangedColumns(t *testing.T) {
	h := newHouse(t)
	if by, why := h.found(); len(by) > 0 {
		t.Fatalf("before any change:\n%s", why)
	}
	h.keep()
	all := testkit.Soak(false, true)
	var lines []string
	found := 0
	try := func(table, column string, a attempt) {
		t.Helper()
		by, why := h.attempt(a)
		by = slices.DeleteFunc(by, func(check string) bool { return check == "doctor" })
		if len(by) == 0 {
			t.Errorf("%s of %s: nothing finds it", column, table)
			by = []string{"nothing"}
		} else {
			found++
		}
		t.Logf("%s of %s: %s", column, table, why)
		lines = append(lines, fmt.Sprintf("| `%s` | %s | %s |", table, column, strings.Join(by, ", ")))
	}
	try("events", "a row deleted under a digest of fewer records", attempt{do: h.fewer})
	for _, table := range slices.Sorted(maps.Keys(columns)) {
		var key string
		err := h.db.Conn().QueryRow(t.Context(), "SELECT sorting_key FROM system.tables WHERE database = '"+h.cfg.Database+
			"' AND name = '"+table+"'").Scan(&key)
		if err != nil {
			t.Fatal(err)
		}
		one := h.row(table, key)
		for i, c := range columns[table] {
			if !all && i > 0 {
				break
			}
			name, _, _ := strings.Cut(c, " = ")
			try(table, "`"+name+"`", attempt{statement: "ALTER TABLE " + h.db.Table(table) + " UPDATE " + c + " WHERE " + one +
				" SETTINGS mutations_sync = 1"})
		}
	}
	t.Logf("%d of %d attempts found", found, len(lines))
	slices.Sort(lines)
	h.document("changed columns", fmt.Sprintf("%d of %d attempts are found:\n\n| table | column | found by |\n"+
		"|---|---|---|\n%s\n", found, len(lines), strings.Join(lines, "\n")), lines, all)
}

// fewer deletes an event, and adds a range of a newer generation with the digests of the other records.
func (h *house) fewer(ctx context.Context) error {
	journal, events := h.db.Table("journal"), h.db.Table("events")
	var topic string
	var partition int32
	var from, to int64
	err := h.db.Conn().QueryRow(ctx, "SELECT topic, partition, from_offset, to_offset FROM "+journal+
		" ORDER BY topic, partition, to_offset LIMIT 1").Scan(&topic, &partition, &from, &to)
	if err != nil {
		return err
	}
	where := fmt.Sprintf(" WHERE topic = '%s' AND partition = %d AND offset BETWEEN %d AND %d ", topic, partition, from,
		to)
	result, err := h.db.Conn().Query(ctx, "SELECT offset, toString(property_id), toString(pit_id), toString(table_id), seq, "+
		"event_id, toUnixTimestamp64Nano(at), shoe_id, round, toString(kind), toInt8(format), SHA256(raw), false, "+
		"toString(gaming_day), '' FROM "+events+where+"UNION ALL SELECT offset, '', '', '', toUInt64(0), '', toInt64(0), '', "+
		"toUInt32(0), '', toInt8(0), SHA256(raw), true, place, reason FROM "+h.db.Table("dead_letters")+where)
	if err != nil {
		return err
	}
	defer func() { _ = result.Close() }()
	var all []rows.ArchivedRecord
	for result.Next() {
		var r rows.ArchivedRecord
		var format int8
		var sum string
		if err := result.Scan(&r.Offset, &r.Property, &r.Pit, &r.Table, &r.Seq, &r.EventID, &r.At, &r.Shoe, &r.Round, &r.Kind,
			&format, &sum, &r.DeadLetter, &r.Derived[0], &r.Derived[1]); err != nil {
			return err
		}
		r.Format, r.SHA256 = schema.Format(format), []byte(sum)
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b rows.ArchivedRecord) int { return cmp.Compare(a.Offset, b.Offset) })
	gone := slices.IndexFunc(all, func(r rows.ArchivedRecord) bool { return !r.DeadLetter })
	at := all[gone].Offset
	var left rows.ArchiveDigest
	var derived rows.DerivedDigest
	for _, r := range slices.Delete(all, gone, gone+1) {
		left.Add(&r)
		derived.Add(&r)
	}
	return errors.Join(
		h.exec(ctx, "ALTER TABLE %s DELETE %s AND offset = %d SETTINGS mutations_sync = 1", events, where, at),
		h.exec(ctx, "INSERT INTO %s SELECT * REPLACE (generation + 9 AS generation, %d AS archived, '%s' AS archived_sha256, "+
			"'%s' AS derived_sha256) FROM (SELECT * FROM %[1]s %[5]s)", journal, left.Records, left.Sum(), derived.Sum(),
			fmt.Sprintf("WHERE topic = '%s' AND partition = %d AND from_offset = %d", topic, partition, from)))
}
