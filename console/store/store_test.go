//go:build unix

package store

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

var server enginetest.Server

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	os.Exit(server.Run(m))
}

// once is the store that played gives.
var once struct {
	sync.Once
	store *Store
	err   error
}

// played is a store with a few tables of a property, some with a planted fault.
func played(t testing.TB) *Store {
	t.Helper()
	addr := server.Start(t).Addr
	once.Do(func() { once.store, once.err = play(addr) })
	if once.err != nil {
		t.Fatal(once.err)
	}
	return once.store
}

func play(addr string) (*Store, error) {
	ctx := context.Background()
	cfg := clickhouse.Config{Addrs: []string{addr}, Database: "console", User: "default", RulesVersion: "r", Engine: "test", RowVersion: 1}
	if _, _, err := clickhouse.Migrate(ctx, cfg); err != nil {
		return nil, err
	}
	s, err := Open(ctx, cfg, clickhouse.Config{}, time.Now)
	if err != nil {
		return nil, err
	}
	return s, fill(ctx, s.Store, "ac-1", time.Now().Add(-2*time.Hour))
}

// fill plays a table for each of the first faults and one that is legal.
func fill(ctx context.Context, sink pipeline.Sink, property string, start time.Time) error {
	books, err := rules.Shipped()
	if err != nil {
		return err
	}
	calendar, err := auditor.DefaultCalendar()
	if err != nil {
		return err
	}
	e := auditor.New(auditor.Options{Books: books, Calendar: calendar, PatronKey: []byte("0123456789abcdef"), Version: "test"})
	b := &pipeline.Batch{}
	faults := fault.All()
	offset := int64(0)
	for i, f := range faults[:12] {
		events, _, err := fault.Plant(deal.Options{Property: property, Pit: "p1", Table: "t-" + string(rune('a'+i)), Seed: uint64(i), Start: start}, f, uint64(i))
		if err != nil {
			return err
		}
		for j := range events {
			e.Apply(&pipeline.Record{Offset: offset, Format: schema.JSON, Value: schema.AppendJSON(nil, &events[j])}, "t", 0, &b.Set)
			offset++
		}
	}
	e.Finish(&b.Set)
	b.Range = pipeline.Range{Topic: "t", From: 0, To: offset - 1, Records: uint64(offset)}
	return sink.Write(ctx, b)
}

var everything = Scope{All: true}

func TestQueueAndTriage(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	groups, err := s.Groups(ctx, everything, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) < 5 {
		t.Fatalf("%d groups, want those of twelve faults", len(groups))
	}
	for i := 1; i < len(groups); i++ {
		if groups[i-1].Urgency > groups[i].Urgency {
			t.Errorf("group %d is more urgent than the one before it", i)
		}
	}
	critical, err := s.Groups(ctx, everything, Filter{Severity: "critical"})
	if err != nil || len(critical) == 0 {
		t.Fatalf("critical: %d, %v", len(critical), err)
	}
	id := critical[0].ID
	step := func(actor, what string) error {
		_, err := s.Take(ctx, everything, Step{IDs: []string{id}, Actor: actor, What: what, Disposition: "confirmed-dealer-error", Reason: "seen on video"})
		return err
	}
	state := func() string {
		f, err := s.Finding(ctx, everything, id)
		if err != nil {
			t.Fatal(err)
		}
		return f.State
	}
	for _, x := range []struct {
		actor, what, state string
		refused            bool
	}{
		{"ann", Confirm, New, true},
		{"ann", Acknowledge, Acknowledged, false},
		{"ann", Acknowledge, Acknowledged, true},
		{"ann", Escalate, Escalated, false},
		{"ann", Close, Closing, false},
		{"ann", Confirm, Closing, true}, // two persons
		{"bob", Escalate, Closing, true},
		{"bob", Reject, InReview, false},
		{"ann", Close, Closing, false},
		{"bob", Confirm, Closed, false},
		{"bob", Close, Closed, true},
		{"bob", Reopen, Reopened, false},
	} {
		err := step(x.actor, x.what)
		if (err != nil) != x.refused || (err != nil && !errors.Is(err, ErrStep)) {
			t.Errorf("%s by %s: %v, want refused %v", x.what, x.actor, err, x.refused)
		}
		if got := state(); got != x.state {
			t.Errorf("%s by %s: %s, want %s", x.what, x.actor, got, x.state)
		}
		open, err := s.Open(ctx, everything, Filter{Text: id})
		if err != nil || (len(open) == 1) != (x.state != Closed) {
			t.Errorf("after %s: %d open, %v", x.what, len(open), err)
		}
	}
	actions, err := s.Actions(ctx, everything, id)
	if err != nil || len(actions) != 7 {
		t.Errorf("%d actions, %v, want the 7 that were taken", len(actions), err)
	}
	// Closed stays closed when the events are read again.
	if err := step("ann", Close); err != nil {
		t.Fatal(err)
	}
	if err := step("bob", Confirm); err != nil {
		t.Fatal(err)
	}
	if closed, _, err := s.Closed(ctx, everything, time.Now(), 10); err != nil || len(closed) != 1 || closed[0].FindingID != id || closed[0].Disposition != "confirmed-dealer-error" {
		t.Errorf("closed %+v, %v", closed, err)
	} else {
		for _, at := range []time.Time{closed[0].At, closed[0].At.AddDate(-1, 0, 0)} { // also if the clocks are far apart
			names, err := s.Names(ctx, everything, []Action{{FindingID: id, At: at}})
			if want := (Name{id, critical[0].Severity, critical[0].Rule, critical[0].TableID}); err != nil || len(names) != 1 || names[0] != want {
				t.Errorf("names %+v, %v, want %+v", names, err, want)
			}
		}
	}
	if _, err := s.Take(ctx, Scope{Properties: []string{"other"}}, Step{IDs: []string{id}, Actor: "eve", What: Reopen, Reason: "x"}); !errors.Is(err, ErrNone) {
		t.Errorf("a step on another property's finding: %v", err)
	}
}

// However findings are chosen, each is there once, in its newest version: while both versions lie there, and when they are merged.
func TestFindings(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	table := s.Table("findings")
	for _, x := range []struct{ when, statement string }{
		{"two versions", "INSERT INTO " + table + " SELECT * REPLACE ('seen again' AS observed, version + 1 AS version) FROM " + table + " FINAL WHERE round % 2 = 0"},
		{"merged", "OPTIMIZE TABLE " + table + " FINAL"},
	} {
		if err := s.Conn().Exec(ctx, x.statement); err != nil {
			t.Fatal(err)
		}
		plain, err := read[Finding](ctx, s, "findings", "SELECT "+findingColumns+noTriage+" FROM {{findings}} FINAL ORDER BY at DESC, id", &where{})
		if err != nil || len(plain) < 12 {
			t.Fatalf("%d findings, %v", len(plain), err)
		}
		for _, f := range plain {
			for _, w := range []Where{
				{Dealer: f.DealerID},
				{Property: f.PropertyID, Dealer: f.DealerID, Since: f.At.Add(-time.Minute), Until: f.At.Add(time.Minute)},
				{Property: f.PropertyID, Table: f.TableID, Shoe: f.ShoeID, Round: f.Round},
				{Table: f.TableID, Rule: f.Rule, Dealer: f.DealerID},
				{Since: f.At, Until: f.At.Add(1)},
			} {
				var want []Finding
				for _, x := range plain {
					if (w.Property == "" || w.Property == x.PropertyID) && (w.Table == "" || w.Table == x.TableID) && (w.Shoe == "" || w.Shoe == x.ShoeID) && (w.Round == 0 || w.Round == x.Round) &&
						(w.Dealer == "" || w.Dealer == x.DealerID) && (w.Rule == "" || w.Rule == x.Rule) && !x.At.Before(w.Since) && (w.Until.IsZero() || x.At.Before(w.Until)) {
						want = append(want, x)
					}
				}
				got, err := s.Findings(ctx, everything, w)
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%s, %+v: %v\n%s", x.when, w, err, diff)
				}
			}
		}
	}
}

// Every query runs, and none shows what is out of scope.
func TestScope(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	all, err := s.Findings(ctx, everything, Where{})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d findings, %v", len(all), err)
	}
	// A finding of a table that took vigorish.
	i := slices.IndexFunc(all, func(x Finding) bool {
		taken, err := s.Ledger(ctx, everything, Place{Property: x.PropertyID, Table: x.TableID})
		return err == nil && len(taken) > 0
	})
	if i < 0 {
		t.Fatal("no finding of the kind")
	}
	f := all[i]
	place := Place{Property: f.PropertyID, Table: f.TableID}
	wagers, err := s.Wagers(ctx, everything, place)
	if err != nil || len(wagers) == 0 {
		t.Fatalf("%d wagers, %v", len(wagers), err)
	}
	patron := ""
	for _, w := range wagers {
		if w.Patron != "" {
			patron = w.Patron
		}
	}
	long := time.Now().AddDate(-1, 0, 0)
	if err := s.Shelve(ctx, Shelf{PropertyID: f.PropertyID, ID: "s1", Rule: "feed.gap", Reason: "r", Actor: "ann", At: time.Now(), Until: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if err := s.HandOver(ctx, Handover{PropertyID: f.PropertyID, At: time.Now(), GamingDay: f.GamingDay, Shift: "day", Actor: "ann", Note: "quiet"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Log(ctx, Entry{PropertyID: f.PropertyID, At: time.Now(), Actor: "ann", Role: "auditor", Action: "view", Object: f.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Take(ctx, everything, Step{IDs: []string{firstOpen(t, s)}, Actor: "ann", What: Note, Note: "looked"}); err != nil {
		t.Fatal(err)
	}
	for name, count := range map[string]func(Scope) (int, error){
		"groups": func(x Scope) (int, error) { r, err := s.Groups(ctx, x, Filter{High: 100}); return len(r), err },
		"totals": func(x Scope) (int, error) { r, err := s.Totals(ctx, x, Filter{}); return int(r.Open), err },
		"findings": func(x Scope) (int, error) {
			r, err := s.Findings(ctx, x, Where{Table: f.TableID, Since: long, Until: time.Now().AddDate(1, 0, 0)})
			return len(r), err
		},
		"finding": func(x Scope) (int, error) { _, err := s.Finding(ctx, x, f.ID); return found(err) },
		"events": func(x Scope) (int, error) {
			r, err := s.Events(ctx, x, f.PropertyID, f.TableID, 1, 5, []uint64{9})
			return len(r), err
		},
		"each": func(x Scope) (int, error) {
			n := 0
			_, err := s.EachEvent(ctx, x, f.PropertyID, f.TableID, 50, 1000, func(*Event) error { n++; return nil })
			return n, err
		},
		"rounds":  func(x Scope) (int, error) { r, err := s.Rounds(ctx, x, place); return len(r), err },
		"wagers":  func(x Scope) (int, error) { r, err := s.Wagers(ctx, x, place); return len(r), err },
		"ledger":  func(x Scope) (int, error) { r, err := s.Ledger(ctx, x, place); return len(r), err },
		"shoes":   func(x Scope) (int, error) { r, err := s.Shoes(ctx, x, place); return len(r), err },
		"configs": func(x Scope) (int, error) { r, err := s.Configs(ctx, x, place); return len(r), err },
		"floor":   func(x Scope) (int, error) { r, err := s.Floor(ctx, x, Place{}); return len(r), err },
		"dealers": func(x Scope) (int, error) { r, err := s.Dealers(ctx, x, long); return len(r), err },
		"dealer": func(x Scope) (int, error) {
			r, err := s.DealerTallies(ctx, x, f.PropertyID, f.DealerID, long)
			return len(r), err
		},
		"dealer's findings": func(x Scope) (int, error) {
			r, err := s.Findings(ctx, x, Where{Property: f.PropertyID, Dealer: f.DealerID, Since: long})
			return len(r), err
		},
		"patron":          func(x Scope) (int, error) { r, err := s.Patron(ctx, x, f.PropertyID, patron); return len(r), err },
		"patron's wagers": func(x Scope) (int, error) { r, err := s.PatronWagers(ctx, x, f.PropertyID, patron); return len(r), err },
		"shelves":         func(x Scope) (int, error) { r, err := s.Shelves(ctx, x); return len(r), err },
		"handovers":       func(x Scope) (int, error) { r, err := s.Handovers(ctx, x); return len(r), err },
		"log":             func(x Scope) (int, error) { r, err := s.Entries(ctx, x, "ann", ""); return len(r), err },
		"actions":         func(x Scope) (int, error) { r, err := s.ActionsSince(ctx, x, long, 10); return len(r), err },
		"alarms":          func(x Scope) (int, error) { r, err := s.AlarmRate(ctx, x, long); return len(r), err },
		"noisy":           func(x Scope) (int, error) { r, err := s.Noisy(ctx, x, long); return len(r), err },
		"answers":         func(x Scope) (int, error) { r, err := s.Answers(ctx, x, long); return len(r), err },
		"properties":      func(x Scope) (int, error) { r, err := s.Properties(ctx, x); return len(r), err },
	} {
		for scope, want := range map[string]bool{"*": true, f.PropertyID: true, "other": false, "": false} {
			x := Scope{All: scope == "*"}
			if !x.All && scope != "" {
				x.Properties = []string{scope}
			}
			n, err := count(x)
			if err != nil {
				t.Errorf("%s of %q: %v", name, scope, err)
			} else if (n > 0) != want {
				t.Errorf("%s of %q: %d", name, scope, n)
			}
		}
	}
	if _, err := s.PatronFindings(ctx, everything, f.PropertyID, patron); err != nil {
		t.Error(err)
	}
	if _, err := s.Factors(ctx, everything, "d01", "x", time.Now()); err != nil {
		t.Error(err)
	}
}

func found(err error) (int, error) {
	if errors.Is(err, ErrNone) {
		return 0, nil
	}
	return 1, err
}

func firstOpen(t *testing.T, s *Store) string {
	t.Helper()
	open, err := s.Open(t.Context(), everything, Filter{Limit: 1})
	if err != nil || len(open) != 1 {
		t.Fatalf("%d open, %v", len(open), err)
	}
	return open[0].ID
}

// Whatever is asked for is looked for as it stands: nothing of it is ever SQL.
func TestInjection(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	fields := []func(*Filter, string){
		func(f *Filter, v string) { f.Property = v }, func(f *Filter, v string) { f.Pit = v }, func(f *Filter, v string) { f.Table = v },
		func(f *Filter, v string) { f.Shoe = v }, func(f *Filter, v string) { f.Dealer = v }, func(f *Filter, v string) { f.Rule = v },
		func(f *Filter, v string) { f.Severity = v }, func(f *Filter, v string) { f.Verdict = v }, func(f *Filter, v string) { f.Kind = v },
		func(f *Filter, v string) { f.State = v }, func(f *Filter, v string) { f.Owner = v }, func(f *Filter, v string) { f.Day = v },
		func(f *Filter, v string) { f.Shift = v }, func(f *Filter, v string) { f.Fingerprint = v }, func(f *Filter, v string) { f.Text = v },
	}
	every := 5 // a field has a fifth of the payloads, with SHOEPROOF_SOAK all
	if os.Getenv("SHOEPROOF_SOAK") != "" {
		every = 1
	}
	for n, payload := range injections() {
		for i, set := range fields {
			if (n+i)%every > 0 {
				continue
			}
			f := Filter{}
			set(&f, payload)
			groups, err := s.Groups(ctx, everything, f)
			if err != nil || len(groups) != 0 {
				t.Errorf("field %d, %q: %d groups, %v", i, payload, len(groups), err)
			}
		}
		if rows, err := s.Findings(ctx, Scope{Properties: []string{payload}}, Where{}); err != nil || len(rows) > 0 {
			t.Errorf("scope %q: %d rows, %v", payload, len(rows), err)
		}
		if _, err := s.Finding(ctx, everything, payload); !errors.Is(err, ErrNone) {
			t.Errorf("id %q: %v", payload, err)
		}
		if rows, err := s.Names(ctx, everything, []Action{{FindingID: payload}}); err != nil || len(rows) > 0 {
			t.Errorf("ids %q: %d rows, %v", payload, len(rows), err)
		}
	}
	if n, err := s.Totals(ctx, everything, Filter{}); err != nil || n.Open == 0 {
		t.Errorf("the queue afterwards: %+v, %v", n, err)
	}
}

// injections are ways out of a string, each with ways to go on.
func injections() []string {
	var all []string
	for _, out := range []string{"'", "\"", "`", "\\'", "\\\\'", "''", "')", "'))", "\x00'", "\n'", "\t'", "{x:String}'", "];", "'\\"} {
		for _, on := range []string{
			" OR 1=1 --", " OR '1'='1", "; DROP TABLE findings", " UNION ALL SELECT * FROM system.users --", " OR sleep(3) --", "/**/OR/**/1=1#",
			" FORMAT JSON", " SETTINGS max_result_rows=0", " INTO OUTFILE '/tmp/x'", " OR url('http://127.0.0.1/', CSV, 'a String')", "}}", "{{findings}}", " OR 1=1)",
		} {
			all = append(all, out+on)
		}
	}
	return append(all, strings.Repeat("'", 999), "%", "_%", "\\N", "NULL", "[]", "['a']", "\xff\xfe", "\u2028", "0x27", "%27 OR 1=1")
}
