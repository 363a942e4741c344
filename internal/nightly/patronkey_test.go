//go:build unix

package nightly

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// withKeys are the options with other patron keys; each successor is of a gaming day.
func withKeys(first string, successors ...auditor.PatronKey) auditor.Options {
	o := options()
	o.PatronKey, o.Successors = []byte(first), successors
	return o
}

func keyFrom(day, secret string) auditor.PatronKey {
	return auditor.PatronKey{From: day, Secret: []byte(secret)}
}

// rowCounts are the rows of all tables of a database.
func rowCounts(t *testing.T, store *clickhouse.Store, database string) map[string]uint64 {
	t.Helper()
	var names []string
	err := store.Conn().QueryRow(t.Context(), "SELECT groupArray(name) FROM system.tables WHERE database = '"+database+
		"' AND engine LIKE '%MergeTree'").Scan(&names)
	if err != nil || len(names) < 10 {
		t.Fatalf("tables %q: %v", names, err)
	}
	counts := map[string]uint64{}
	for _, name := range names {
		var n uint64
		if err := store.Conn().QueryRow(t.Context(), "SELECT count() FROM "+store.Table(name)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[name] = n
	}
	return counts
}

// refusedKey expects that a run with other patron keys is refused before it stores anything.
func refusedKey(t *testing.T, cfg clickhouse.Config, store *clickhouse.Store, o auditor.Options, days ...string) {
	t.Helper()
	before := rowCounts(t, store, cfg.Database)
	_, err := Run(t.Context(), store, Options{
		Property: property, Days: days, Workers: 1, Engine: o, Holder: t.Name(), Now: time.Now,
	})
	if !errors.Is(err, ErrPatronKey) || !strings.Contains(err.Error(), "want the key of ingest, has key ") {
		t.Errorf("got %v, want ErrPatronKey", err)
	}
	if diff := gocmp.Diff(before, rowCounts(t, store, cfg.Database)); diff != "" {
		t.Errorf("a refused run stored rows:\n%s", diff)
	}
}

func changeWagers(t *testing.T, store *clickhouse.Store, where string) {
	t.Helper()
	err := store.Conn().Exec(t.Context(), "ALTER TABLE "+store.Table("wagers")+
		" UPDATE patron = reverse(patron) WHERE patron != '' AND "+where+" SETTINGS mutations_sync = 1")
	if err != nil {
		t.Fatal(err)
	}
}

// A run with another patron key than that of ingest is refused and stores nothing, whether wagers or only seats name
// the patrons. With the key of ingest, changed wagers are findings: one, and all of a table.
func TestWrongPatronKey(t *testing.T) {
	for name, clear := range map[string]func(*schema.Event){
		"wagers and seats": func(*schema.Event) {},
		"wagers only": func(ev *schema.Event) {
			if p, ok := ev.Payload.(*schema.SeatOccupied); ok {
				p.PatronRef = ""
			}
		},
		"seats only": func(ev *schema.Event) {
			switch p := ev.Payload.(type) {
			case *schema.WagerPlaced:
				p.PatronRef = ""
			case *schema.BankerWagered:
				p.PatronRef = ""
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := server.Migrated(t)
			store := clickhousetest.Open(t, cfg)
			f := play(t, 3, 0, 1)
			for i := range f.events {
				clear(&f.events[i])
			}
			var l log
			l.append(f.events...)
			ingest(t, store, &l)
			wagers, err := store.NamedWagers(t.Context(), &clickhouse.WagerSample{
				Property: property, From: opens.UnixNano(), Until: opens.Add(23 * time.Hour).UnixNano(), Limit: 1000,
			})
			if err != nil || len(wagers) < 3*minOfOneShoe {
				t.Fatalf("%d wagers with a patron: %v", len(wagers), err)
			}
			wrong := withKeys("another key")
			refusedKey(t, cfg, store, wrong, day)
			refusedKey(t, cfg, store, withKeys("test", keyFrom(day, "a later key")), day)
			if err := CheckPatronKey(t.Context(), store, &wrong, property, day); !errors.Is(err, ErrPatronKey) ||
				!strings.Contains(err.Error(), wrong.PatronKeyID(day)) {
				t.Errorf("got %v, want ErrPatronKey with the id of the key", err)
			}
			if n := night(t, store, nil); len(n.Facts) != 0 {
				t.Errorf("with the key of ingest: %q", n.Facts)
			}
			w := wagers[0]
			changeWagers(t, store, fmt.Sprintf("table_id = '%s' AND shoe_id = '%s' AND wager_id = '%s'", w.Table, w.Shoe, w.ID))
			if n := night(t, store, nil); len(n.Facts) != 1 || !strings.Contains(n.Facts[0], "table "+w.Table) {
				t.Errorf("one changed wager: %q, want a finding", n.Facts)
			}
			changeWagers(t, store, fmt.Sprintf("table_id = '%s' AND wager_id != '%s'", w.Table, w.ID))
			if n := night(t, store, nil); len(n.Facts) != 1 || !strings.Contains(n.Facts[0], "table "+w.Table) {
				t.Errorf("changed wagers of one table: %q, want a finding", n.Facts)
			}
		})
	}
}

// Keys that are rotated by gaming day are accepted, also by a run of the days on both sides of the change; a file
// without the later key is refused.
func TestRotatedPatronKeys(t *testing.T) {
	cfg := server.Migrated(t)
	store := clickhousetest.Open(t, cfg)
	const next = "2026-11-20"
	f := playFrom(t, 3, 0, 2, time.Date(2026, 11, 20, 10, 15, 0, 0, time.UTC)) // 45 minutes before the rollover
	var l log
	l.append(f.events...)
	rotated := withKeys("test", keyFrom(next, "the second key"))
	ingestWith(t, store, &l, rotated)
	for _, o := range []auditor.Options{
		rotated, withKeys("test", keyFrom(next, "the second key"), keyFrom("2026-12-01", "the third key")),
	} {
		res, err := Run(t.Context(), store, Options{
			Property: property, Days: []string{day, next}, Workers: 1, Engine: o, Holder: t.Name(), Now: time.Now,
		})
		if err != nil || len(res.Nights) != 2 || len(res.Nights[0].Facts)+len(res.Nights[1].Facts) > 0 {
			t.Fatalf("%+v: %v", res.Nights, err)
		}
	}
	refusedKey(t, cfg, store, options(), day, next)
	refusedKey(t, cfg, store, options(), next)
	refusedKey(t, cfg, store, withKeys("the second key"), next)
	night(t, store, func(o *Options) { o.Engine = options() }) // the day before the change needs the first key only
}

// What cannot be compared refuses no run: no wager has a patron, or too few of one shoe have one.
func TestTooFewNamedWagers(t *testing.T) {
	for named, refused := range map[int]bool{0: false, 1: false, minOfOneShoe - 1: false, minOfOneShoe: true} {
		t.Run(fmt.Sprint(named), func(t *testing.T) {
			cfg := server.Migrated(t)
			store := clickhousetest.Open(t, cfg)
			f := play(t, 1, 0, 1)
			left := named
			for i := range f.events {
				switch p := f.events[i].Payload.(type) {
				case *schema.SeatOccupied:
					p.PatronRef = ""
				case *schema.SeatVacated:
					p.PatronRef = ""
				case *schema.WagerPlaced:
					if left--; left < 0 {
						p.PatronRef = ""
					} else {
						p.PatronRef = fmt.Sprintf("P-%d", left%2)
					}
				}
			}
			var l log
			l.append(f.events...)
			ingest(t, store, &l)
			if refused {
				refusedKey(t, cfg, store, withKeys("another key"), day)
				return
			}
			n := night(t, store, func(o *Options) { o.Engine = withKeys("another key") })
			if len(n.Facts) != min(named, 1) {
				t.Errorf("%d wagers of one shoe under another key: %q", named, n.Facts)
			}
		})
	}
}

func TestPatronsOfWagers(t *testing.T) {
	at := func(table string, seq uint64, p schema.Payload) schema.Event {
		return schema.Event{TableID: table, Seq: seq, Payload: p}
	}
	got := patronsOf([]schema.Event{
		at("a", 1, &schema.SeatOccupied{Seat: 1, PatronRef: "ann"}),
		at("a", 2, &schema.WagerPlaced{WagerID: "w", Seat: 1}),
		at("a", 3, &schema.WagerPlaced{WagerID: "x", Seat: 1, PatronRef: "bob"}),
		at("a", 4, &schema.SeatOccupied{Seat: 1, PatronRef: "eve"}),
		at("a", 5, &schema.BankerWagered{WagerID: "y", Seat: 1}),
		at("b", 2, &schema.WagerPlaced{WagerID: "w", Seat: 1}),
	})
	want := map[placing]string{
		{"a", "w", 2}: "ann", {"a", "x", 3}: "bob", {"a", "y", 5}: "eve", {"b", "w", 2}: "",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
