//go:build unix

package store

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

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
	open := func() *Store {
		t.Helper()
		cfg := clickhouse.Config{
			Addrs: []string{server.Start(t).Addr}, Database: "console", User: "default", RulesVersion: "r", Engine: "test",
			RowVersion: 1,
		}
		other, err := Open(ctx, cfg, clickhouse.Config{}, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = other.Close() })
		return other
	}
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
