//go:build unix

package clickhouse

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// The kinds of rows that fill gives every field.
const (
	zeroes   = iota // nothing
	ordinary        // strings that name their field, numbers of their own
	most            // the greatest numbers, long strings
	least           // the least numbers, strings that are no text
	kindsOfRows
)

// fill sets a value of a row type to a value that no other field has.
func fill(v reflect.Value, name string, kind int, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name, kind, n)
		}
	case reflect.String:
		v.SetString(word(name, kind, *n))
	case reflect.Slice:
		if kind == zeroes {
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(word(name, kind, *n)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), name, kind, n)
		fill(v.Index(1), name, kind, n)
	case reflect.Bool:
		v.SetBool(kind == most || kind == ordinary && *n%2 == 0)
	case reflect.Int32, reflect.Int64:
		bits := v.Type().Bits()
		v.SetInt([]int64{0, int64(*n), math.MaxInt64 >> (64 - bits), math.MinInt64 >> (64 - bits)}[kind])
	case reflect.Float64:
		v.SetFloat([]float64{0, float64(*n) + .5, 1<<10 + .25, -1<<10 - .25}[kind])
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		if severity, ok := reflect.TypeAssert[*finding.Severity](v.Addr()); ok {
			*severity = []finding.Severity{finding.Info, finding.Minor, finding.Critical, finding.Major}[kind]
			return
		}
		v.SetUint([]uint64{0, uint64(*n % 256), math.MaxUint64 >> (64 - v.Type().Bits()), 0}[kind])
	default:
		panic(v.Kind().String())
	}
}

func word(name string, kind, n int) string {
	switch {
	case name == "GamingDay":
		return []string{"", "2026-11-19", "2299-12-31", "1900-01-02"}[kind]
	case name == "SHA256":
		return strings.Repeat(string(rune('a'+kind)), 32)
	}
	return []string{"", fmt.Sprintf("%s %d \u724c \u00fc\t\"'\\\n", name, n), name + strings.Repeat("x", 70_000), name +
		"\x00\x01"}[kind]
}

// fillRows appends one row of each kind to a slice of rows, or to a struct of columns.
func fillRows(table any) {
	v := reflect.ValueOf(table).Elem()
	for kind := range kindsOfRows {
		n := 100 * kind
		if v.Kind() == reflect.Slice {
			row := reflect.New(v.Type().Elem()).Elem()
			fill(row, "", kind, &n)
			v.Set(reflect.Append(v, row))
			continue
		}
		for i := range v.NumField() {
			name, column := v.Type().Field(i).Name, v.Field(i)
			n++
			switch column := column.Addr().Interface().(type) {
			case *rows.Text:
				column.AppendString(word(name, kind, n))
			case *rows.Words:
				column.Append(word(name, kind, n))
			case *[]schema.Format:
				*column = append(*column, []schema.Format{0, schema.Protobuf, schema.JSON, 0}[kind])
			default:
				list := reflect.ValueOf(column).Elem()
				cell := reflect.New(list.Type().Elem()).Elem()
				fill(cell, name, kind, &n)
				list.Set(reflect.Append(list, cell))
			}
		}
	}
}

func fullBatch() *pipeline.Batch {
	b := &pipeline.Batch{Range: pipeline.Range{
		Topic: "table-events", Partition: 3, From: 100, To: 199, Low: 42, Clock: 77, Generation: 5, Epoch: 2, Cut: 90,
		Lost: 95, Records: 100, CRC: 3_000_000_000, Rows: 40, Hash: "c0ffee",
	}}
	for _, table := range batchTables(b) {
		fillRows(table)
	}
	return b
}

func batchTables(b *pipeline.Batch) map[string]any {
	return map[string]any{
		"events": &b.Events, "rounds": &b.Rounds, "wagers": &b.Wagers, "vigorish": &b.Vigorish, "shoes": &b.Shoes,
		"table_configs": &b.Configs, "notices": &b.Notices, "table_memory": &b.Snapshots, "findings": &b.Findings,
		"evidence": &b.Evidence, "dead_letters": &b.DeadLetters,
	}
}

// asStored are the rows as ClickHouse should print them.
func asStored(table any) []map[string]any {
	v := reflect.ValueOf(table).Elem()
	out := make([]map[string]any, kindsOfRows)
	for kind := range out {
		out[kind] = map[string]any{}
		of := v
		if v.Kind() == reflect.Slice {
			of = v.Index(kind)
		}
		for i := range of.NumField() {
			name, cell := of.Type().Field(i).Name, of.Field(i)
			switch column := cell.Addr().Interface().(type) {
			case *rows.Text:
				cell = reflect.ValueOf(string(column.At(kind)))
			case *rows.Words:
				cell = reflect.ValueOf(column.At(kind))
			default:
				if v.Kind() != reflect.Slice {
					cell = cell.Index(kind)
				}
			}
			out[kind][columnName(name)] = stored(name, cell)
		}
	}
	return out
}

func stored(name string, v reflect.Value) any {
	switch v := v.Interface().(type) {
	case string:
		switch {
		case name == "GamingDay" && v == "":
			return "1900-01-01"
		case name == "SHA256":
			return strings.ToUpper(hex.EncodeToString([]byte(v)))
		}
		return v
	case finding.Kind:
		return string(v)
	case finding.Verdict:
		return string(v)
	case finding.Basis:
		return string(v)
	case finding.Severity:
		return v.String()
	case []byte:
		return string(v)
	case schema.Format:
		return []string{"unknown", "protobuf", "json"}[v]
	case schema.Time:
		return json.Number(fmt.Sprint(int64(v)))
	case finding.Evidence:
		return map[string]any{"seqs": stored("", reflect.ValueOf(v.Seqs)), "event_ids": stored("",
			reflect.ValueOf(v.EventIDs))}
	case bool:
		return v
	}
	if v.Kind() == reflect.Slice {
		list := []any{}
		for i := range v.Len() {
			list = append(list, stored("", v.Index(i)))
		}
		return list
	}
	return json.Number(fmt.Sprint(v.Interface()))
}

// columnName is the snake_case of a field's name.
func columnName(field string) string {
	switch field {
	case "Where":
		return "place"
	case "State":
		return "memory"
	}
	var b strings.Builder
	for i, r := range field {
		lower := i > 0 && field[i-1] >= 'a'
		if r < 'a' && lower {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(strings.ReplaceAll(b.String(), "IDs", "_IDs"))
}

// printed are a table's rows as JSON, in the order that they were inserted in, without what is the same in all.
func printed(t *testing.T, s *Store, table string) []map[string]any {
	t.Helper()
	moments := value[[]string](t, s, fmt.Sprintf(
		"SELECT groupArray(name) FROM system.columns WHERE database = '%s' AND table = '%s' AND type LIKE 'DateTime64(9%%'",
		s.cfg.Database, table))
	columns := "*"
	if value[uint64](t, s,
		fmt.Sprintf("SELECT count() FROM system.columns WHERE database = '%s' AND table = '%s' AND name = 'version'",
			s.cfg.Database, table)) == 1 {
		columns = "* EXCEPT (version, epoch)" // of the batch
	}
	var replaced []string
	for _, name := range moments {
		replaced = append(replaced, "toUnixTimestamp64Nano("+name+") AS "+name)
	}
	if table == "events" {
		replaced = append(replaced, "hex(sha256) AS sha256")
	}
	if len(replaced) > 0 {
		columns += " REPLACE (" + strings.Join(replaced, ", ") + ")"
	}
	query := "SELECT " + columns + " FROM " + s.name(table) +
		` FINAL FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 0`
	d := json.NewDecoder(strings.NewReader(text(t, server.Start(t), query)))
	d.UseNumber()
	var list []map[string]any
	for d.More() {
		var row map[string]any
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

// Every field of every row is in the column of its name, whatever its value.
func TestRowsAreStored(t *testing.T) {
	s := open(t, migrated(t))
	b := fullBatch()
	write(t, s, b)
	key := func(row map[string]any) string { return fmt.Sprintf("%v", row) }
	for table, list := range batchTables(b) {
		want, got := map[string]map[string]any{}, map[string]map[string]any{}
		for _, row := range asStored(list) {
			want[key(row)] = row
		}
		for _, row := range printed(t, s, table) {
			got[key(row)] = row
		}
		if diff := cmp.Diff(want, got); diff != "" {
			if len(diff) > 4000 {
				diff = diff[:4000]
			}
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
	if v := value[uint32](t, s, "SELECT max(version) FROM "+s.name("findings")); v != 7 {
		t.Errorf("version %d, want 7", v)
	}
	row := value[string](t, s,
		"SELECT toString((topic, partition, from_offset, to_offset, low_offset, clock, generation, epoch, cut_from, "+
			"cut_to, rules_version, engine, records, crc, rows, hash)) FROM "+s.name("journal"))
	if want := "('table-events',3,100,199,42,77,5,2,90,95,'r1','test',100,3000000000,40,'c0ffee')"; row != want {
		t.Errorf("journal %s, want %s", row, want)
	}
}
