//go:build unix

package nightly

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

// The facts of a table with an event that came late are those that the live audit made without it. They are compared,
// whatever the event is: nothing lawful is reported, and a changed row is.
func TestFactsOfTablesWithLateEvents(t *testing.T) {
	store := database(t)
	const tables = 16
	f := play(t, tables, 0, 1)
	byKind := map[string][][]int{} // positions by kind of event and table
	for i := range f.events {
		kind := fmt.Sprintf("%T", f.events[i].Payload)
		if byKind[kind] == nil {
			byKind[kind] = make([][]int, tables)
		}
		var table int
		if _, err := fmt.Sscanf(f.events[i].TableID, "t-%d", &table); err != nil {
			t.Fatal(err)
		}
		byKind[kind][table] = append(byKind[kind][table], i)
	}
	var kinds []string
	for kind := range byKind {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	late := map[int]string{} // the kind of an event that comes late
	next := 0
	for table := range tables {
		for range kinds {
			kind := kinds[next%len(kinds)]
			next++
			if at := byKind[kind][table]; len(at) > 0 {
				late[at[len(at)/2]] = fmt.Sprintf("%s of t-%03d", kind, table)
				break
			}
		}
	}
	var l log
	for i := range f.events {
		if late[i] == "" {
			l.append(f.events[i])
		}
	}
	ingest(t, store, &l)
	before := night(t, store, nil)
	for i := range f.events {
		if late[i] != "" {
			l.append(f.events[i])
		}
	}
	ingest(t, store, &l)
	after := night(t, store, nil)
	t.Logf("late: %v", late)
	if len(before.Facts)+len(after.Facts) > 0 || after.Run.Supersedes != before.Run.ID {
		t.Errorf("before: %q\nafter: %q", before.Facts, after.Facts)
	}
	// A row of another round, at a table with a late event.
	for i, what := range late {
		if _, dealt := f.events[i].Payload.(*schema.CardDealt); !dealt {
			continue
		}
		err := store.Conn().Exec(t.Context(), fmt.Sprintf("ALTER TABLE %s UPDATE staked = staked + 1 WHERE table_id = '%s' "+
			"AND round = %d SETTINGS mutations_sync = 1", store.Table("rounds"), f.events[i].TableID, f.events[i].Round+2))
		if err != nil {
			t.Fatal(err)
		}
		again := night(t, store, nil)
		if len(again.Facts) != 1 || !strings.Contains(again.Facts[0], "table "+f.events[i].TableID) {
			t.Errorf("%s came late, a round of the table was changed: %q", what, again.Facts)
		}
		return
	}
	t.Fatal("no card came late")
}
