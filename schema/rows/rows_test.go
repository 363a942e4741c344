package rows_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// The declaration of a table has its columns, their types and the key.
func Example() {
	t := rows.Find("vigorish")
	fmt.Println(t.Keys())
	for _, name := range []string{"gaming_day", "kind", "won"} {
		fmt.Println(name, t.Column(name).ClickHouse)
	}
	set := rows.Set{Vigorish: []rows.Vigorish{{Kind: "COMMISSION", Won: 10_000}, {Kind: "TIE25", Won: 2_500}}}
	won, n := t.Column("won").Values(t.View(&set), &rows.Buffers{})
	fmt.Println(won, n)
	// Output:
	// [property_id table_id shoe_id round wager_id kind]
	// gaming_day Date32
	// kind LowCardinality(String)
	// won Int64
	// [10000 2500] 2
}

// Every tag is valid, every table has a key and an insert of its own, and findings are inserted last.
func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	tables := rows.Tables()
	for _, table := range append(tables, rows.TableOf[rows.Journal]("journal")) {
		if seen[table.Name] || len(table.Keys()) == 0 {
			t.Errorf("table %s: declared twice or without a key", table.Name)
		}
		seen[table.Name] = true
		names := table.Names()
		slices.Sort(names)
		if len(slices.Compact(names)) != len(table.Columns)+len(table.Added) {
			t.Errorf("table %s has a column twice: %v", table.Name, table.Names())
		}
	}
	if last := tables[len(tables)-1].Name; len(tables) != 11 || last != "findings" {
		t.Errorf("%d tables, the last insert is %s, want 11 and findings", len(tables), last)
	}
}

// A set that is reused has no row, and nothing keeps what the rows pointed to.
func TestReset(t *testing.T) {
	set := rows.Set{Findings: []finding.Finding{{ID: "f"}}, DeadLetters: []rows.DeadLetter{{Raw: []byte("d")}}}
	set.Events.Seq = append(set.Events.Seq, 1)
	set.Events.EventID.AppendString("e")
	set.Rounds.Round = append(set.Rounds.Round, 1)
	set.Wagers.Seat = append(set.Wagers.Seat, 1)
	if set.Len() != 5 {
		t.Errorf("%d rows, want 5", set.Len())
	}
	set.Reset()
	if set.Len() != 0 || set.Events.EventID.Len() != 0 || set.Findings[:1][0].ID != "" ||
		set.DeadLetters[:1][0].Raw != nil {
		t.Errorf("rows are left: %+v", set)
	}
}

// The optional list of a finding is part of the hash only if it is there.
func TestOptionalColumnKeepsTheHash(t *testing.T) {
	plain := rows.Set{Findings: []finding.Finding{{ID: "f", Covers: []string{}}}}
	covers := rows.Set{Findings: []finding.Finding{{ID: "f", Covers: []string{"r round:1"}}}}
	// The value of the other columns alone.
	if got, want := plain.Hash(), "463d27154fd0903414d7b324a3aa60b6fc2e04e5628f6256262be840923d6427"; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	if plain.Hash() == covers.Hash() {
		t.Error("what a finding covers is not in the hash")
	}
}
