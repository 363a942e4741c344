//go:build unix

package store

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// tied are rows of which two are equal by what one may think orders them.
func tied() (all []string) {
	const at = "'2026-11-01 10:00:00'"
	add := func(format string, args ...any) { all = append(all, "INSERT INTO "+fmt.Sprintf(format, args...)) }
	// A note and the closing of a finding, two notes, and the closings of two findings.
	for _, x := range []string{
		"'f1', 'note', 'new', '', 'b', 3", "'f1', 'close', 'closed', 'data-fault', 'a', 1", "'f2', 'note', 'new', '', 'a', 2",
		"'f2', 'note', 'new', '', 'a', 1", "'f3', 'close', 'closed', 'data-fault', 'c', 1",
	} {
		add("{{finding_actions}} (property_id, at, finding_id, action, to_state, disposition, chain, link) "+
			"VALUES ('p', %s, %s)", at, x)
	}
	// A finding that two live audits dated differently, with two urgencies.
	for _, x := range []string{"'critical', 1, '10:00:00'", "'major', 2, '10:00:01'"} {
		add("{{open_findings}} (property_id, id, rule, arrived_at, changed_at, severity, urgency, at) "+
			"SELECT 'p', 'f1', 'r', %[1]s, %[1]s, x.1, x.2, concat('2026-11-01 ', x.3) FROM (SELECT (%[2]s) AS x)", at, x)
	}
	for _, x := range []string{"'2026-11-01 10:00:00', 'critical'", "'2026-11-01 10:00:01', 'major'"} {
		add("{{findings}} (property_id, table_id, shoe_id, id, rule, version, at, severity) VALUES "+
			"('p', 't', 's', 'f1', 'r', 1, %s)", x)
	}
	for _, x := range []string{
		"'add', 'f1', '', '', 'h1'", "'remove', 'f1', '', '', 'h2'", "'open', '', '', 'one', 'h3'",
		"'open', '', '', 'two', 'h4'", "'attach', '', 'a.txt', '', 'h5'", "'attach', '', 'b.txt', '', 'h6'",
		"'assign', '', 'ann', '', 'h7'",
		"'assign', '', 'bob', '', 'h8'",
	} {
		for _, id := range []string{"c1", "c2"} {
			add("{{case_steps}} (property_id, case_id, sha256, at, action, finding_id, name, text, hash) VALUES "+
				"('p', '%s', lower(hex(SHA256(''))), %s, %s)", id, at, x)
		}
	}
	add("{{findings}} (property_id, id) VALUES ('p', 'f2')")
	for i, x := range []string{"withdraw", "restore", "withdraw"} {
		add("{{withdrawals}} (property_id, finding_id, action, at, gaming_day, shift, rule) VALUES "+
			"('p', 'f3', '%[1]s', '2026-11-01 10:00:0%[2]d', '2026-11-0%[2]d', '%[2]d', '%[2]d')", x, i+1)
	}
	for _, x := range []string{"'EUR', 'minor', 'EUR'", "'USD', 'major', 'USD'"} {
		add("{{findings}} (property_id, dealer_id, verdict, rule, at, amount, id, severity, currency) VALUES "+
			"('p', 'x', 'BREACH', 'r', %s, 5, %s)", at, x)
	}
	for partition := range 2 {
		add("{{events}} (property_id, table_id, seq, event_id, at, partition, offset, copy) VALUES "+
			"('p', 't', 1, 'e', %s, %d, 0, %d)", at, 1-partition, 1-partition)
		add("{{events}} (property_id, table_id, seq, event_id, at, sha256, topic) VALUES "+
			"('p', 't', 2, 'e', %s, '%d', '%d')", at, partition, partition)
	}
	for round := range 3 {
		add("{{rounds}} (property_id, table_id, shoe_id, round, at) VALUES ('p', 't', 's', %d, %s)", round, at)
		add("{{wagers}} (property_id, table_id, shoe_id, round, at, wager_id, patron, spot, stake, disposition) VALUES "+
			"('p', 't', 's', %d, %s, 'w', 'x', 'PLAYER', 1, 'paid'), ('p', 't', 's', %d, %s, 'v', 'x', 'BANKER', 1, 'paid')",
			round, at, round, at)
		add("{{evidence}} (property_id, detector, key, round, at, table_id) VALUES ('p', 'd', 'k', 1, %s, '%d')", at, round)
		add("{{table_configs}} (property_id, table_id, seq, effective_at, at, config_id, config) VALUES "+
			"('p', 't', 7, '2026-11-01 10:00:02', '2026-11-01 10:00:0%d', 'c', '{\"currency\": \"US%d\"}')", round%2, round%2)
		add("{{console_log}} (property_id, at, action, chain, link) VALUES ('p', %s, 'notified', 'c', %d)", at, round)
		add("{{handovers}} (property_id, at, id) VALUES ('p', %s, '%d')", at, round)
		add("{{handovers}} (property_id, at, id, action, subject) VALUES ('p', %s, 'h', 'accept', '%d')", at, round)
		add("{{shelves}} (property_id, at, id, until) VALUES ('p', today(), '%d', today())", round)
	}
	for property := range 22 {
		add("{{wagers}} (property_id, patron, at) VALUES ('%d', 'y', %s)", property, at)
		add("{{dealer_rounds}} (property_id, dealer_id) VALUES ('%d', 'y')", property)
		add("{{finding_actions}} (property_id, finding_id, at) VALUES ('p', 'ab%d', %s)", property, at)
	}
	return all
}

// ordered are reads of tied rows, by the names of their functions.
func ordered(ctx context.Context, s *Store) map[string]func() (any, error) {
	since := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	until, table := since.AddDate(0, 2, 0), Location{Property: "p", Table: "t"}
	return map[string]func() (any, error){
		"Actions":      func() (any, error) { return s.Actions(ctx, everywhere, "f1") },
		"two notes":    func() (any, error) { return s.Actions(ctx, everywhere, "f2") },
		"ActionsSince": func() (any, error) { return s.ActionsSince(ctx, everywhere, since, 10) },
		"before": func() (any, error) {
			return s.before(ctx, everywhere, &Triage{Action: Undo}, []OpenFinding{{ID: "f1"}, {ID: "f2"}})
		},
		"Finding": func() (any, error) { return s.Finding(ctx, everywhere, "f1") },
		"Closed, page by page": func() (any, error) {
			var all []ClosedFinding
			for before := until; !before.IsZero(); {
				page, next, err := s.Closed(ctx, everywhere, Filter{Limit: 1}, before)
				if err != nil {
					return nil, err
				}
				all, before = append(all, page...), next
			}
			if len(all) != 2 {
				return nil, fmt.Errorf("%d closed findings, want 2: %+v", len(all), all)
			}
			return all, nil
		},
		"FindingsByID": func() (any, error) {
			return s.FindingsByID(ctx, everywhere, []string{"f1"})
		},
		"Findings of a shoe": func() (any, error) {
			return s.Findings(ctx, everywhere, FindingQuery{Property: "p", Table: "t", Shoe: "s"})
		},
		"ActedOn": func() (any, error) {
			return s.ActedOn(ctx, everywhere, []Action{{FindingID: "f1", At: since}})
		},
		"queue": func() (any, error) { return s.Open(ctx, everywhere, Filter{Text: "f1"}) },
		"part of the queue": func() (any, error) {
			r, err := s.newest(ctx, 1, "FINAL ORDER BY urgency, at DESC, id LIMIT 1", &where{})
			return r, err
		},
		"Case":   func() (any, error) { return s.Case(ctx, everywhere, "p", "c1") },
		"Cases":  func() (any, error) { return s.Cases(ctx, everywhere, "f1") },
		"titles": func() (any, error) { return s.CaseTitles(ctx, everywhere, []string{"c1"}) },
		"Attachment": func() (any, error) {
			name, _, err := s.Attachment(ctx, everywhere, "p", "c1",
				"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
			return name, err
		},
		"Events": func() (any, error) { return s.Events(ctx, everywhere, table, EventRange{First: 1, Last: 9}) },
		"Replay": func() (any, error) {
			var all []Event
			for e, err := range s.Replay(ctx, everywhere, table, Replay{9, 9}) {
				if err != nil {
					return nil, err
				}
				all = append(all, *e)
			}
			return all, nil
		},
		"rounds, page by page": func() (any, error) {
			var all []Round
			q := RoundQuery{Since: since, Until: until, Limit: 1}
			for range 3 {
				page, err := s.FindRounds(ctx, everywhere, q)
				if err != nil || len(page) != 1 {
					return nil, fmt.Errorf("%d rounds, want 1: %w", len(page), err)
				}
				all, q.After = append(all, page...), page[0]
			}
			return all, nil
		},
		"PatronWagers": func() (any, error) { return s.PatronWagers(ctx, everywhere, "p", "x") },
		"Factors":      func() (any, error) { return s.Factors(ctx, everywhere, FactorQuery{"p", "d", "k", until, 0}) },
		"Takings": func() (any, error) {
			return s.Takings(ctx, everywhere, TakingQuery{Property: "p", Table: "t", Since: since, Until: until})
		},
		"Configs":       func() (any, error) { return s.Configs(ctx, everywhere, table) },
		"Offered":       func() (any, error) { return s.Offered(ctx, everywhere, "p", []string{"t"}) },
		"Currency":      func() (any, error) { return s.Currency(ctx, everywhere, table) },
		"Notices":       func() (any, error) { return s.Notices(ctx, since) },
		"Handovers":     func() (any, error) { return s.Handovers(ctx, everywhere) },
		"Handover":      func() (any, error) { return s.Handover(ctx, everywhere, "p", "h") },
		"AlarmRate":     func() (any, error) { return s.AlarmRate(ctx, everywhere, since) },
		"ResponseTimes": func() (any, error) { return s.ResponseTimes(ctx, everywhere, since) },
		"NoisyRules":    func() (any, error) { return s.NoisyRules(ctx, everywhere, since) },
		"PlayOf":        func() (any, error) { return s.PlayOf(ctx, everywhere, "y") },
		"DealtBy":       func() (any, error) { return s.DealtBy(ctx, everywhere, "y") },
		"Abbreviated":   func() (any, error) { return s.Abbreviated(ctx, everywhere, "ab") },
		"Silences": func() (any, error) {
			all, err := s.Silences(ctx, everywhere)
			var ids []string
			for i := range all {
				ids = append(ids, all[i].ID)
			}
			return ids, err
		},
		"TriageActions": func() (any, error) {
			return s.TriageActions(ctx, clickhouse.Days{Property: "p", From: "1900-01-01", To: "1900-01-01"})
		},
		"StepsByFinding": func() (any, error) {
			var all []rows.Step
			err := s.StepsByFinding(ctx, "p", func(of []rows.Step) { all = append(all, of...) })
			return all, err
		},
		"ProveQueue": func() (any, error) { return s.ProveQueue(ctx, "p") },
		"v_withdrawn": func() (any, error) {
			return s.names(ctx, "v_withdrawn", "SELECT concat(toString(gaming_day), shift, rule) AS name FROM {{v_withdrawn}}",
				&where{})
		},
		"v_dealer_findings": func() (any, error) {
			return s.names(ctx, "v_dealer_findings", "SELECT concat(toString(amount), currency) AS name "+
				"FROM {{v_dealer_findings}} ORDER BY name", &where{})
		},
		"DealerTallies": func() (any, error) { return s.DealerTallies(ctx, everywhere, "p", "x", since) },
		"v_triage": func() (any, error) {
			return s.names(ctx, "v_triage", "SELECT concat(property_id, finding_id, first_actor, state, disposition) AS name "+
				"FROM {{v_triage}} ORDER BY finding_id", &where{})
		},
		"v_queue": func() (any, error) {
			return s.names(ctx, "v_queue", "SELECT severity AS name FROM {{v_queue}} WHERE id = 'f1'", &where{})
		},
		"v_configs": func() (any, error) {
			return s.names(ctx, "v_configs", "SELECT currency AS name FROM {{v_configs}}", &where{})
		},
	}
}

// What a page shows does not depend on the order in which equal rows came.
func TestOrderOfEqualRows(t *testing.T) {
	addr := server.Start(t).Addr
	got := [2]map[string]any{{}, {}}
	for i := range got {
		cfg := clickhouse.Config{
			Addrs: []string{addr}, Database: fmt.Sprint("order", i), User: "default", RulesVersion: "r", Engine: "test",
			RowVersion: 1,
		}
		if _, _, err := clickhouse.Migrate(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), cfg, clickhouse.Config{}, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		all := tied()
		if i == 1 {
			slices.Reverse(all)
		}
		for _, row := range all {
			if err := s.Conn().Exec(t.Context(), s.expand(row)); err != nil {
				t.Fatalf("%v\n%s", err, row)
			}
		}
		for name, read := range ordered(t.Context(), s) {
			all, err := read()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			got[i][name] = all
		}
	}
	for name, all := range got[0] {
		if diff := cmp.Diff(all, got[1][name], cmp.AllowUnexported(past{})); diff != "" {
			t.Errorf("%s depends on the order in which the rows came:\n%s", name, diff)
		}
	}
	actions := got[0]["Actions"].([]Action)
	if len(actions) != 2 || actions[0].Action != Note || actions[1].Action != Close {
		t.Errorf("a note and a closing of one time are %+v, want the note first", actions)
	}
	for name, want := range map[string]any{
		"Currency":          "US1", // the later event is in force
		"v_configs":         []string{"US1"},
		"v_withdrawn":       []string{"2026-11-0333"},
		"v_dealer_findings": []string{"5EUR", "5USD"},
		"DealerTallies": []Tally{{
			Name: "r", Severity: "major", Findings: 2, LastAt: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC),
			Amounts: []int64{5, 5}, Currencies: []string{"EUR", "USD"},
		}},
	} {
		if diff := cmp.Diff(want, got[0][name]); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
