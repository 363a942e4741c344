//go:build unix

package nightly

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
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

// An event that comes late changes findings: they said that events are missing. The next run replaces each in findings,
// queue and views, and opens it again if a person closed it. No difference to the live audit is left, however often the
// run is repeated; a row that another one wrote is replaced again.
func TestLateEventChangesFindings(t *testing.T) {
	db := database(t)
	f := play(t, 40, 40, 1)
	last := map[string]uint64{}
	for i := range f.events {
		last[f.events[i].TableID] = max(last[f.events[i].TableID], f.events[i].Seq)
	}
	var l, late log
	for i := range f.events {
		ev := &f.events[i]
		if n := last[ev.TableID]; n > 50 && ev.Seq == n*6/10 {
			late.append(*ev)
			continue
		}
		l.append(*ev)
	}
	ingest(t, db, &l)
	before := night(t, db, nil)
	if r := before.Run; r.Missing+r.Extra+r.Changed != 0 {
		t.Fatalf("before: %+v", r)
	}
	closeMissing(t, db, before.Findings)
	for p := range late.records {
		for _, r := range late.records[p] {
			r.Offset = int64(len(l.records[p]))
			l.records[p] = append(l.records[p], r)
		}
	}
	ingest(t, db, &l)
	after := night(t, db, nil)
	if r := after.Run; r.Changed < 4 || r.Late != r.Missing+r.Extra+r.Changed || int(r.Changed) != len(after.Changed) {
		t.Errorf("after: %+v, %d replaced", r, len(after.Changed))
	}
	was := map[string]*finding.Finding{}
	for i := range before.Findings {
		was[before.Findings[i].ID] = &before.Findings[i]
	}
	rose := 0
	for i := range after.Findings {
		now := &after.Findings[i]
		if now.Rule == "feed.reconcile" {
			t.Errorf("a difference: %s", brief(now))
		}
		if w := was[now.ID]; w != nil && w.Verdict == finding.Unauditable && now.Exception() {
			rose++
		}
	}
	if rose < 3 {
		t.Errorf("%d findings became exceptions, want some of each severity", rose)
	}
	checkCurrent(t, db, after)
	opened := []string{}
	for i := range after.Changed {
		if f := &after.Changed[i]; f.Verdict != finding.Information && was[f.ID].Verdict == finding.Unauditable {
			opened = append(opened, after.Changed[i].ID)
		}
	}
	checkStates(t, db, opened, "reopened")
	act(t, db, store.Acknowledge, opened)
	again := night(t, db, nil)
	if again.Run.ID != after.Run.ID || len(again.Withdrawn)+len(again.Changed) != 0 {
		t.Errorf("again: %+v, %+v, want run %s", again.Run, again.Withdrawn, after.Run.ID)
	}
	checkCurrent(t, db, again)

	forged := after.Changed[0]
	forged.Observed = "nothing to speak of"
	if err := db.ReplaceFindings(t.Context(), "forged", time.Now(), []finding.Finding{forged}); err != nil {
		t.Fatal(err)
	}
	healed := night(t, db, nil)
	if len(healed.Withdrawn) != 1 || len(healed.Changed) != 1 || len(healed.Records) != 1 ||
		!strings.HasSuffix(healed.Records[0], "the queue shows another observed") {
		t.Errorf("forged: %+v, %q", healed.Withdrawn, healed.Records)
	}
	healed.Records = nil
	checkCurrent(t, db, healed)
}

// closeMissing closes the findings of the queue that state missing events, as a person does.
func closeMissing(t *testing.T, of *clickhouse.Store, all []finding.Finding) {
	t.Helper()
	var ids []string
	for i := range all {
		if all[i].Verdict == finding.Unauditable && all[i].Kind == finding.Notice {
			ids = append(ids, all[i].ID)
		}
	}
	act(t, of, store.Close, ids)
}

// act is an action of a person on findings.
func act(t *testing.T, of *clickhouse.Store, action string, ids []string) {
	t.Helper()
	eve := store.Who{Issuer: "test", Subject: "eve"}
	_, err := store.On(of, time.Now).Apply(t.Context(), store.Scope{All: true}, store.Triage{
		IDs: ids, Actor: "eve", Who: eve, Role: "supervisor", Action: action, Disposition: "data-fault",
		Reason: "events are missing",
		Log:    &store.Entry{At: time.Now(), Actor: "eve", Who: eve, Role: "supervisor", Action: action},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkStates compares the states of findings in the queue.
func checkStates(t *testing.T, of *clickhouse.Store, ids []string, want string) {
	t.Helper()
	for _, id := range ids {
		var states []string
		err := of.Conn().QueryRow(t.Context(), "SELECT groupArray(toString(state)) FROM "+of.Table("v_queue")+
			" WHERE id = '"+id+"'").Scan(&states)
		if err != nil || len(states) != 1 || states[0] != want {
			t.Errorf("finding %s is in the queue as %q, want %s once: %v", id, states, want, err)
		}
	}
}

// An event comes late, and the run applies another version of the rulebook: what its rules do not find does not follow
// from the event. It is a difference, and is not withdrawn.
func TestLateEventAndAnotherRulebook(t *testing.T) {
	with := func(limits string) auditor.Options {
		o := options()
		var err error
		o.Books, err = rules.ShippedWith(map[string][]byte{"house.yaml": []byte(`name: house
extends: nj-19-47
title: a house
notes: for a test
in_force: {from: '2026-01-01'}
games: {PUNTO_BANCO: {rules: {external.table-limits: {cite: ['ICS 5'], off: ` + limits + `}}}}
`)})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	config, err := deal.Config("nj-punto", 1)
	if err != nil {
		t.Fatal(err)
	}
	config.Ruleset, config.MaxWager = "house", 10_000
	table := deal.NewTable(deal.Options{
		Property: property, Pit: "p", Table: "t-1", Seed: 1, Config: config, Start: opens, Flawless: true,
	})
	events := slices.Concat(table.Open(), table.ShoeOf(12), table.Close())
	late := len(events) / 2
	var l log
	l.append(slices.Concat(events[:late], events[late+1:], events[late:late+1])...)
	db := database(t)
	ingestWith(t, db, &l, with("false"))
	limits := 0
	for _, f := range liveFindings(t, db) {
		if f.Rule == "external.table-limits" {
			limits++
		}
	}
	res := night(t, db, func(o *Options) { o.Engine = with("true") })
	for i := range res.Withdrawn {
		if w := &res.Withdrawn[i]; w.Rule == "external.table-limits" {
			t.Errorf("withdrawn: %s", w.Reason)
		}
	}
	differ := 0
	cause := fmt.Sprintf("; the live audit was under the rulebook %s, the run is under %s",
		with("false").Books["house"].Ref(), with("true").Books["house"].Ref())
	for i := range res.Findings {
		f := &res.Findings[i]
		if f.Rule == "feed.reconcile" && strings.Contains(f.Observed, "external.table-limits") {
			differ++
		}
		if f.Rule == "feed.reconcile" && !strings.HasSuffix(f.Observed, cause) {
			t.Errorf("a difference without its cause: %s", f.Observed)
		}
	}
	if len(res.Facts) == 0 || !strings.HasSuffix(res.Facts[0], cause) {
		t.Errorf("facts %q, want that of the shoe with its cause", res.Facts)
	}
	if limits == 0 || differ != limits {
		t.Errorf("%d of %d findings of the other rulebook are differences", differ, limits)
	}
	// The other way round: what the live audit lacked under its rules, it did not lack for the late event.
	lacks := database(t)
	ingestWith(t, lacks, &l, with("true"))
	found := 0
	res = night(t, lacks, func(o *Options) { o.Engine = with("false") })
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Rule == "feed.reconcile" && strings.Contains(f.Expected, "external.table-limits") {
			found++
		}
	}
	if found < limits {
		t.Errorf("%d of %d findings that the live audit lacks are differences", found, limits)
	}
}
