package clickhouse

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// uncompared are columns of evidence that no check compares before an export, each with the reason. They are limits of
// docs/security.md unless the reason makes the column no evidence.
var uncompared = map[string]map[string]string{
	"events":        {"sha256": "of raw, whose bytes are compared", "copy": "the partition, which is compared"},
	"findings":      {"version": "decides between rows of one key, which have one content"},
	"rounds":        {"version": "as of findings"},
	"shoes":         {"version": "as of findings"},
	"wagers":        {"version": "as of findings"},
	"vigorish":      {"version": "as of findings"},
	"table_configs": {"version": "as of findings"},
	"notices":       {"version": "as of findings"},
	"case_steps":    {"content": "the proof of cases compares its SHA-256 with that of the step"},
	"audit_runs":    {"error": "no program writes or reads it"},
	"open_findings": {
		"arrived_at": "limit: when the server stored it", "changed_at": "limit: when the server stored it",
	},
}

// compared are columns that the checks read by name, in place of a declaration.
var compared = map[string]string{
	"events": "property_id pit_id table_id seq event_id at shoe_id round kind format raw partition offset topic " +
		"gaming_day",
	"dead_letters":  "topic partition offset raw place reason",
	"legal_holds":   "hold_id at action property_id from_day until_day actor reason",
	"open_findings": "property_id id state severity version is_deleted owner",
}

// Each column of the evidence is compared by a check, or is in the list of those that are not, with a reason: a column
// that is added needs a decision.
func TestColumnsAreDecided(t *testing.T) {
	have := evidenceColumns(t)
	found := map[string][]string{}
	for name, columns := range compared {
		found[name] = strings.Fields(columns)
	}
	for _, table := range rows.FactTables() {
		for _, c := range slices.Concat(table.Compared(), table.Labels()) {
			if !slices.Contains(found[table.Name], c.Name) {
				found[table.Name] = append(found[table.Name], c.Name)
			}
		}
	}
	copied, _ := queueCopies()
	found["open_findings"] = append(found["open_findings"], copied...)
	journal := rows.TableOf[rows.Journal]("")
	found["journal"] = append(changes(journal, func(j *rows.Journal) string { return j.Sum(&journal) }), "mac_key", "mac")
	found["findings"] = changes(rows.TableOf[finding.Finding]("findings"), func(f *finding.Finding) string {
		if finding.Same(f, &finding.Finding{}) {
			return "same"
		}
		return "differs"
	})
	// The labels of a finding, of a day that this release audited live.
	found["findings"] = append(found["findings"], "engine", "rulebook", "basis", "citations")
	found["finding_actions"] = append(changes(rows.TableOf[rows.Step](""), (*rows.Step).Sum), "hash", "mac_key", "mac")
	found["console_log"] = append(changes(rows.TableOf[rows.Entry](""), (*rows.Entry).Sum), "hash", "mac_key", "mac")
	found["case_steps"] = append(changes(rows.TableOf[rows.CaseStep](""), (*rows.CaseStep).Sum), "hash")
	found["withdrawals"] = append(changes(rows.TableOf[Withdrawal](""), (*Withdrawal).Sum), "hash")
	found["audit_runs"] = changes(rows.TableOf[AuditRun](""), (*AuditRun).sum)
	for table, columns := range found {
		if len(have[table]) == 0 {
			t.Errorf("no table %s", table)
		}
		for _, c := range have[table] {
			_, listed := uncompared[table][c]
			if is := slices.Contains(columns, c); is == listed {
				t.Errorf("%s.%s: compared %v, and listed as not compared %v", table, c, is, listed)
			}
		}
		for c := range uncompared[table] {
			if !slices.Contains(have[table], c) {
				t.Errorf("%s has no column %s", table, c)
			}
		}
	}
}

// evidenceColumns are the columns of the tables after all migrations.
func evidenceColumns(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../schema/migrations/definitions/single.sql")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string][]string{}
	column := regexp.MustCompile("(?m)^    `(\\w+)`")
	for _, statement := range strings.Split(string(text), "CREATE TABLE _database_.")[1:] {
		name, body, _ := strings.Cut(statement, "\n")
		body, _, _ = strings.Cut(body, "\nENGINE")
		for _, m := range column.FindAllStringSubmatch(body, -1) {
			have[name] = append(have[name], m[1])
		}
	}
	return have
}

// changes returns the columns whose change alone changes the sum of a row.
func changes[R any](t rows.Table, sum func(*R) string) (names []string) {
	var empty R
	for i := range t.Columns {
		var row R
		v := reflect.ValueOf(t.Columns[i].Ref(&row)).Elem()
		switch v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int64, reflect.Int32, reflect.Int8, reflect.Int:
			v.SetInt(1)
		case reflect.Uint8, reflect.Uint32, reflect.Uint64:
			v.SetUint(1)
		case reflect.Float64:
			v.SetFloat(1)
		case reflect.Slice:
			v.Set(reflect.ValueOf([]string{"x"}))
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[finding.Evidence]() {
				v.Set(reflect.ValueOf(finding.Evidence{Seqs: []uint64{1}}))
			} else { // a time
				v.Set(reflect.ValueOf(v.Interface().(time.Time).AddDate(1, 0, 0)))
			}
		}
		if sum(&row) != sum(&empty) {
			names = append(names, t.Columns[i].Name)
		}
	}
	return names
}
