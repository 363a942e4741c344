//go:build unix

package store

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// another is a console of the database of played, with keys of the chains and a clock.
func another(t *testing.T, keys rows.ChainKeys, now func() time.Time) *Store {
	t.Helper()
	cfg := clickhouse.Config{
		Addrs: []string{server.Start(t).Addr}, Database: "console", User: "default", RulesVersion: "r", Engine: "test",
		RowVersion: 1, ChainKeys: keys,
	}
	s, err := Open(t.Context(), cfg, clickhouse.Config{}, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Who adds a chain without the key is found, also when a console starts after it. On the first day of the key, consoles
// that do not have it yet write without it.
func TestChainWithoutTheKey(t *testing.T) {
	played(t)
	keys, err := rows.ParseChainKeys("a key of the chains, for tests only")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for _, c := range []struct {
		property string
		later    time.Duration
		problems int
	}{{"same-day", time.Hour, 0}, {"next-day", 25 * time.Hour, 1}} {
		write := func(keys rows.ChainKeys, at time.Time) *Store {
			s := another(t, keys, func() time.Time { return at })
			err := s.Log(t.Context(), Entry{PropertyID: c.property, At: at, Actor: "ann", Action: "view"})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		write(nil, began.Add(-time.Hour)) // from before the key
		write(keys, began)
		write(nil, began.Add(time.Minute))
		s := write(keys, began.Add(c.later))
		proven, err := s.ProveChains(t.Context(), c.property, clickhouse.ChainCheck{})
		if err != nil || proven.Chains != 4 || len(proven.Problems) != c.problems {
			t.Errorf("%s: %+v, %v, want %d problems", c.property, proven, err, c.problems)
		}
	}
}

// A row about a finding that has another property hides nothing, and the proof of the finding's property names it.
func TestRowsOfAnotherProperty(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	exec := func(query string) {
		t.Helper()
		if err := s.Conn().Exec(ctx, s.expand(query)); err != nil {
			t.Fatal(err)
		}
	}
	count := func() (open, listed, stored int) {
		t.Helper()
		if err := errors.Join(s.Refresh(ctx), s.Reload(ctx)); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Open(ctx, Scope{Properties: []string{"ac-1"}}, Filter{Limit: MaxRows})
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Findings(ctx, everywhere, FindingQuery{Property: "ac-1", Limit: MaxRows})
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Store.Findings(ctx, clickhouse.Filter{PropertyID: "ac-1"})
		if err != nil {
			t.Fatal(err)
		}
		return len(rows), len(found), len(all)
	}
	open, listed, stored := count()
	before, err := s.ProveQueue(ctx, "ac-1")
	if err != nil || open == 0 || listed == 0 {
		t.Fatalf("%d open, %d findings, %v", open, listed, err)
	}
	const one = "(SELECT min(id) FROM {{open_findings}} WHERE property_id = 'ac-1' AND state = 'new')"
	exec("INSERT INTO {{open_findings}} SELECT * REPLACE ('nobody' AS property_id, version + 1000 AS version, " +
		"1 AS is_deleted, now64(3) AS changed_at) FROM (SELECT * FROM {{open_findings}} WHERE property_id = 'ac-1' AND id = " + one + ")")
	exec("INSERT INTO {{withdrawals}} (property_id, finding_id, at, action) SELECT 'nobody', id, now64(9), 'withdraw' " +
		"FROM {{open_findings}} WHERE property_id = 'ac-1' AND id = " + one)
	exec("INSERT INTO {{finding_actions}} (property_id, finding_id, at, action, to_state) " +
		"SELECT 'nobody', id, now64(9), 'note', 'closed' FROM {{open_findings}} WHERE property_id = 'ac-1' AND id = " + one)
	defer func() {
		for _, t := range []string{"open_findings", "withdrawals", "finding_actions"} {
			exec("ALTER TABLE {{" + t + "}} DELETE WHERE property_id = 'nobody' SETTINGS mutations_sync = 1")
		}
	}()
	if o, l, n := count(); o != open || l != listed || n != stored {
		t.Errorf("%d open, %d listed, %d stored, want %d, %d and %d", o, l, n, open, listed, stored)
	}
	after, err := s.ProveQueue(ctx, "ac-1")
	if err != nil || len(after) != len(before)+3 {
		t.Errorf("%q, %v, want the row of the queue, the action and the withdrawal", after, err)
	}
}

// Consoles that write at the same time make chains without a fork; rows from before there were chains are counted by
// the first one, and each chain follows those before it.
func TestChains(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	exec := func(query string) {
		t.Helper()
		if err := s.Conn().Exec(ctx, s.expand(query)); err != nil {
			t.Fatal(err)
		}
	}
	old := "INSERT INTO {{console_log}} (property_id, at, actor, action, object) VALUES ('old', now64(6), 'ann', 'view', '"
	exec(old + "1')")
	exec("INSERT INTO {{finding_actions}} (finding_id, at, property_id, actor, action) " +
		"VALUES ('x', now64(9), 'old', 'a', 'note')")
	open := func() *Store { return another(t, nil, time.Now) }
	log := func(s *Store, object string) error {
		return s.Log(ctx, Entry{
			PropertyID: "old", At: time.Now().UTC(), Actor: "ann", Action: "view", Object: object + "\xff",
		})
	}
	prove := func(name string, chains, entries, problems int) {
		t.Helper()
		c, err := s.ProveChains(ctx, "old", clickhouse.ChainCheck{})
		if err != nil || c.Chains != chains || c.Entries != entries || len(c.Problems) != problems {
			t.Errorf("%s: %+v, %v, want %d chains, %d entries, %d problems", name, c, err, chains, entries, problems)
		}
		if c.Unchained.Steps != 1 {
			t.Errorf("%s: %d actions without a chain", name, c.Unchained.Steps)
		}
	}
	first, second := open(), open()
	if err := log(first, "first"); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 20 {
		for _, s := range []*Store{first, second} {
			wait.Go(func() {
				if err := log(s, fmt.Sprint(i)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wait.Wait()
	prove("two consoles", 2, 2+1+40, 0)
	if err := log(open(), "third"); err != nil {
		t.Fatal(err)
	}
	prove("a third one", 3, 2+1+40+2, 0)
	// A whole chain that a later one follows.
	var followed string
	err := s.Conn().QueryRow(ctx, s.expand("SELECT chain FROM {{console_log}} WHERE property_id = 'old' "+
		"AND action = 'chain' ORDER BY at LIMIT 1 OFFSET 1")).Scan(&followed)
	if err != nil {
		t.Fatal(err)
	}
	exec("ALTER TABLE {{console_log}} DELETE WHERE chain = '" + followed + "' SETTINGS mutations_sync = 1")
	prove("a chain less", 2, 1+1+20+2, 1)
	exec(old + "2')")
	prove("a row without a chain more", 2, 1+1+20+2, 2)
}

// A chain that began with its console is continued by what is logged, and begins once.
func TestChainsBeginEarly(t *testing.T) {
	_, property := played(t), "ac-1"
	s := another(t, nil, time.Now)
	for range 2 {
		if err := s.BeginChains(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	heads := func() map[string]uint64 {
		all, err := s.ChainHeads(t.Context(), property)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]uint64{}
		for _, h := range all {
			of[h.Chain] = h.Link
		}
		return of
	}
	chain := s.chains.of[property].last.Chain
	if n := heads()[chain]; chain == "" || n != 1 {
		t.Fatalf("chain %q has %d links, want the first alone", chain, n)
	}
	entry := Entry{PropertyID: property, At: time.Now(), Actor: "ann", Action: "view-patron"}
	if err := s.Log(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	if n := heads()[chain]; n != 2 {
		t.Errorf("chain %q has %d links, want 2", chain, n)
	}
}
