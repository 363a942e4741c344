//go:build unix

package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

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

// once keeps the store that played returns.
var once struct {
	sync.Once
	store *Store
	err   error
}

// played returns a store with twelve tables of a property, each with a planted fault.
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
	cfg := clickhouse.Config{
		Addrs: []string{addr}, Database: "console", User: "default", RulesVersion: "r", Engine: "test", RowVersion: 1,
	}
	if _, _, err := clickhouse.Migrate(ctx, cfg); err != nil {
		return nil, err
	}
	s, err := Open(ctx, cfg, clickhouse.Config{}, time.Now)
	if err != nil {
		return nil, err
	}
	return s, fill(ctx, s.Store, "ac-1", time.Now().Add(-2*time.Hour))
}

// fill plays a table for each of the first twelve faults.
func fill(ctx context.Context, sink pipeline.Sink, property string, start time.Time) error {
	books, err := rules.Shipped()
	if err != nil {
		return err
	}
	calendar, err := calendar.Default()
	if err != nil {
		return err
	}
	e := auditor.New(auditor.Options{
		Books: books, Calendar: calendar, PatronKey: []byte("0123456789abcdef"), Version: "test",
	})
	b := &pipeline.Batch{}
	faults := fault.All()
	offset := int64(0)
	for i, f := range faults[:12] {
		table := deal.Options{
			Property: property, Pit: "p1", Table: "t-" + string(rune('a'+i)), Seed: uint64(i), Start: start,
		}
		events, _, err := fault.Plant(table, f, uint64(i))
		if err != nil {
			return err
		}
		for j := range events {
			record := pipeline.Record{Offset: offset, Format: schema.JSON, Value: schema.AppendJSON(nil, &events[j])}
			e.Apply(&record, "t", 0, &b.Set)
			offset++
		}
	}
	e.Finish(&b.Set)
	b.Range = pipeline.Range{Topic: "t", From: 0, To: offset - 1, Records: uint64(offset)}
	return sink.Write(ctx, b)
}

var everywhere = Scope{All: true}

func TestQueueAndTriage(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	groups, err := s.Groups(ctx, everywhere, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) < 5 {
		t.Fatalf("%d groups, want more from twelve faults", len(groups))
	}
	for i := 1; i < len(groups); i++ {
		if groups[i-1].Urgency > groups[i].Urgency {
			t.Errorf("group %d is more urgent than the one before it", i)
		}
	}
	critical, err := s.Groups(ctx, everywhere, Filter{Severity: "critical"})
	if err != nil || len(critical) == 0 {
		t.Fatalf("critical: %d, %v", len(critical), err)
	}
	id := critical[0].ID
	apply := func(actor, action string) error {
		who := Who{Issuer: "proxy", Subject: actor, Method: "proxy"}
		_, err := s.Apply(ctx, everywhere, Triage{
			IDs: []string{id}, Actor: actor, Who: who, Role: "supervisor", Action: action,
			Disposition: "confirmed-dealer-error", Reason: "seen on video",
			Second: func(requester Who) error {
				if requester == who {
					return errors.New("one person")
				}
				return nil
			},
		})
		return err
	}
	state := func() string {
		f, err := s.Finding(ctx, everywhere, id)
		if err != nil {
			t.Fatal(err)
		}
		return f.State
	}
	for _, x := range []struct {
		actor, action, state string
		refused              bool
	}{
		{"ann", Confirm, New, true},
		{"ann", Acknowledge, Acknowledged, false},
		{"ann", Acknowledge, Acknowledged, true},
		{"ann", Escalate, Escalated, false},
		{"ann", Close, Closing, false},
		{"ann", Confirm, Closing, true}, // the proposer cannot confirm
		{"bob", Escalate, Closing, true},
		{"bob", Reject, InReview, false},
		{"ann", Close, Closing, false},
		{"bob", Confirm, Closed, false},
		{"bob", Close, Closed, true},
		{"bob", Reopen, Reopened, false},
	} {
		err := apply(x.actor, x.action)
		if (err != nil) != x.refused || (err != nil && !errors.Is(err, ErrTransition)) {
			t.Errorf("%s by %s: %v, want refused %v", x.action, x.actor, err, x.refused)
		}
		if got := state(); got != x.state {
			t.Errorf("%s by %s: %s, want %s", x.action, x.actor, got, x.state)
		}
		open, err := s.Open(ctx, everywhere, Filter{Text: id})
		if err != nil || (len(open) == 1) != (x.state != Closed) {
			t.Errorf("after %s: %d open, %v", x.action, len(open), err)
		}
	}
	actions, err := s.Actions(ctx, everywhere, id)
	if err != nil || len(actions) != 7 {
		t.Errorf("%d actions, %v, want the 7 that were applied", len(actions), err)
	}
	for _, a := range actions {
		want := Who{Issuer: "proxy", Subject: a.Actor, Method: "proxy"}
		if a.Who != want || a.Role != "supervisor" {
			t.Errorf("%s by %s is stored as of %+v, role %s", a.Action, a.Actor, a.Who, a.Role)
		}
	}
	// Closings are listed with what was closed.
	if err := apply("ann", Close); err != nil {
		t.Fatal(err)
	}
	if err := apply("bob", Confirm); err != nil {
		t.Fatal(err)
	}
	closed, _, err := s.Closed(ctx, everywhere, Filter{State: Closed, Rule: critical[0].Rule}, time.Now())
	if err != nil || len(closed) != 1 || closed[0].ID != id || closed[0].Disposition != "confirmed-dealer-error" ||
		closed[0].Reason != "seen on video" || closed[0].Confirmed != "bob" || closed[0].By == "" {
		t.Fatalf("closed %+v, %v", closed, err)
	}
	if none, _, err := s.Closed(ctx, everywhere, Filter{Rule: "other"}, time.Now()); err != nil || len(none) > 0 {
		t.Errorf("closed findings of another rule: %+v, %v", none, err)
	}
	moment := closed[0].ClosedAt
	for _, at := range []time.Time{moment, moment.AddDate(-1, 0, 0)} { // even if the clocks are far apart
		got, err := s.ActedOn(ctx, everywhere, []Action{{FindingID: id, At: at}})
		f := got[id]
		if err != nil || f.Severity != critical[0].Severity || f.Rule != critical[0].Rule ||
			f.TableID != critical[0].TableID || !f.At.Equal(critical[0].At) || f.Observed != critical[0].Observed {
			t.Errorf("closed finding %+v, %v, want %+v", f, err, critical[0])
		}
	}
	reopen := Triage{IDs: []string{id}, Actor: "eve", Action: Reopen, Reason: "x"}
	if _, err := s.Apply(ctx, Scope{Properties: []string{"other"}}, reopen); !errors.Is(err, ErrNotFound) {
		t.Errorf("an action on a finding of another property: %v", err)
	}
}

// Each query returns a finding once and in its newest version, before and after ClickHouse merges the versions.
func TestFindings(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	table := s.Table("findings")
	for _, x := range []struct{ when, statement string }{
		{"two versions", "INSERT INTO " + table +
			" SELECT * REPLACE ('seen again' AS observed, version + 1 AS version) FROM " + table + " FINAL WHERE round % 2 = 0"},
		{"merged", "OPTIMIZE TABLE " + table + " FINAL"},
	} {
		if err := s.Conn().Exec(ctx, x.statement); err != nil {
			t.Fatal(err)
		}
		plain, err := read[Finding](ctx, s, "findings",
			"SELECT "+findingColumns+noTriage+" FROM {{findings}} FINAL ORDER BY at DESC, id", &where{})
		if err != nil || len(plain) < 12 {
			t.Fatalf("%d findings, %v", len(plain), err)
		}
		for _, f := range plain {
			for _, q := range []FindingQuery{
				{Dealer: f.DealerID},
				{Dealer: f.DealerID, Limit: 1}, // from the first period that has enough
				{Property: f.PropertyID, Dealer: f.DealerID, Since: f.At.Add(-time.Minute), Until: f.At.Add(time.Minute)},
				{Property: f.PropertyID, Table: f.TableID, Shoe: f.ShoeID, Round: f.Round},
				{Table: f.TableID, Rule: f.Rule, Dealer: f.DealerID},
				{Table: f.TableID, Limit: 1},
				{Rule: f.Rule},
				{},
				{Since: f.At, Until: f.At.Add(1)},
			} {
				var want []Finding
				for _, x := range plain {
					any := func(want, got string) bool { return want == "" || want == got }
					if any(q.Property, x.PropertyID) && any(q.Table, x.TableID) && any(q.Shoe, x.ShoeID) &&
						any(q.Dealer, x.DealerID) && any(q.Rule, x.Rule) && (q.Round == 0 || q.Round == x.Round) &&
						!x.At.Before(q.Since) && (q.Until.IsZero() || x.At.Before(q.Until)) {
						want = append(want, x)
					}
				}
				if q.Limit > 0 {
					want = want[:q.Limit]
				}
				got, err := s.Findings(ctx, everywhere, q)
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%s, %+v: %v\n%s", x.when, q, err, diff)
				}
			}
		}
	}
}

// Each fact of a shoe is returned once and in its newest version, also if late events moved it to another month.
func TestPlay(t *testing.T) {
	s := played(t)
	ctx, shoe := t.Context(), "moved-"+rand.Text()
	at := Location{Property: "ac-1", Table: "moved", Shoe: shoe}
	for _, table := range []string{"rounds", "wagers", "vigorish"} {
		name := s.Table(table)
		copied := "INSERT INTO " + name + " SELECT * REPLACE ('moved' AS table_id, '" + shoe + "' AS shoe_id, " +
			"at + INTERVAL %d DAY AS at, version + %d AS version, 4711 AS collected) FROM (SELECT * FROM " + name +
			" FINAL WHERE property_id = 'ac-1' AND table_id != 'moved' ORDER BY table_id, shoe_id, round LIMIT 1)"
		for version, days := range []int{0, 40, 80} { // later versions are in later months
			if err := s.Conn().Exec(ctx, fmt.Sprintf(copied, days, version)); err != nil {
				t.Fatal(err)
			}
		}
	}
	rounds, err1 := s.Rounds(ctx, everywhere, at)
	wagers, err2 := s.Wagers(ctx, everywhere, at)
	vigorish, err3 := s.Ledger(ctx, everywhere, at)
	if err := errors.Join(err1, err2, err3); err != nil || len(rounds) != 1 || len(wagers) != 1 || len(vigorish) != 1 {
		t.Fatalf("%d rounds, %d wagers, %d of vigorish, %v, want one of each", len(rounds), len(wagers), len(vigorish), err)
	}
	soon := time.Now().AddDate(0, 0, 70) // the newest versions are later
	if rounds[0].At.Before(soon) || wagers[0].At.Before(soon) || vigorish[0].At.Before(soon) {
		t.Errorf("the round is of %v, the wager of %v, the vigorish of %v, want the newest versions", rounds[0].At,
			wagers[0].At, vigorish[0].At)
	}
}

// A search for the wagers of a seat at all tables finds, page by page, each round in which the seat has one.
func TestRoundsOfASeat(t *testing.T) {
	s, ctx := played(t), t.Context()
	var want []struct {
		Key string `ch:"key"`
	}
	const key = "concat(property_id, ' ', table_id, ' ', shoe_id, ' ', toString(round))"
	err := s.Conn().Select(ctx, &want, "SELECT DISTINCT "+key+" AS key FROM "+s.Table("wagers")+" FINAL WHERE seat = 2 "+
		"AND (table_id, shoe_id, round) IN (SELECT table_id, shoe_id, round FROM "+s.Table("rounds")+") ORDER BY key")
	if err != nil || len(want) < 50 {
		t.Fatal(len(want), err)
	}
	rounds, err := s.FindRounds(ctx, everywhere, RoundQuery{Limit: 1, Until: time.Now().AddDate(1, 0, 0)})
	if err != nil || len(rounds) != 1 {
		t.Fatal(len(rounds), err)
	}
	for _, near := range []bool{false, true} {
		q := RoundQuery{Seat: 2, Until: rounds[0].At.Add(time.Second), Limit: 9}
		if near {
			q.Near, q.Limit = rounds[0].At.Add(-time.Hour), MaxRows
		}
		found := map[string]bool{}
		for range len(want) {
			part, err := s.FindRounds(ctx, everywhere, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range part {
				found[fmt.Sprint(r.PropertyID, " ", r.TableID, " ", r.ShoeID, " ", r.Round)] = true
			}
			if len(part) < q.Limit {
				break
			}
			q.After = part[len(part)-1]
		}
		if len(found) != len(want) {
			t.Errorf("nearest first %v: %d rounds, want %d", near, len(found), len(want))
		}
		for _, w := range want {
			if !found[w.Key] {
				t.Errorf("nearest first %v: no round %s", near, w.Key)
			}
		}
	}
	q := RoundQuery{Seat: 2, Until: rounds[0].At.Add(time.Second), Limit: 9}
	whole, err := s.FindRounds(ctx, everywhere, q)
	if err != nil || len(whole) != q.Limit {
		t.Fatal(len(whole), err)
	}
	q.Brief = true
	brief, err := s.FindRounds(ctx, everywhere, q)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range whole {
		whole[i] = Round{
			PropertyID: r.PropertyID, TableID: r.TableID, ShoeID: r.ShoeID, Round: r.Round, At: r.At, DealerID: r.DealerID,
			Result: r.Result, PlayerCount: r.PlayerCount, BankerCount: r.BankerCount,
		}
	}
	if !cmp.Equal(whole, brief) {
		t.Errorf("brief rounds differ: %s", cmp.Diff(whole, brief))
	}
	none, err := s.FindRounds(ctx, everywhere, RoundQuery{Seat: 99, Until: time.Now().AddDate(1, 0, 0)})
	if err != nil || len(none) != 0 {
		t.Errorf("seat 99 has %d rounds, %v", len(none), err)
	}
}

// One statement or two read the same: the newest version of a finding that late events moved, and the other findings of
// its shoe.
func TestWithShoe(t *testing.T) {
	s, ctx := played(t), t.Context()
	const property = "moved"
	for _, move := range []string{"0", "-60"} { // seconds by which late events moved the findings
		if err := s.Conn().Exec(ctx, "INSERT INTO "+s.Table("findings")+" SELECT * REPLACE ('"+property+
			"' AS property_id, 't' AS table_id, 'shoe' AS shoe_id, 'by "+move+"' AS observed, at + toIntervalSecond("+move+
			") AS at, version + 1 - "+move+" AS version) FROM (SELECT * FROM "+s.Table("findings")+
			" FINAL WHERE property_id = 'ac-1')"); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, table := range []string{"findings", "dealer_findings", "open_findings"} {
			if err := s.Conn().Exec(context.Background(), "ALTER TABLE "+s.Table(table)+" DELETE WHERE property_id = '"+
				property+"' SETTINGS mutations_sync = 2"); err != nil {
				t.Error(err)
			}
		}
	})
	scope := Scope{Properties: []string{property}}
	all, err := s.Findings(ctx, scope, FindingQuery{Shoe: "shoe", Since: time.Unix(0, 0)})
	if err != nil || len(all) < 12 {
		t.Fatal(len(all), err)
	}
	if err := s.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []bool{false, true} {
		for _, want := range all {
			s.cache.mu.Lock()
			s.cache.readAt = time.Time{} // old: it knows no finding
			s.cache.mu.Unlock()
			if cache {
				if err := s.Refresh(ctx); err != nil {
					t.Fatal(err)
				}
			}
			others := slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.ID == want.ID })
			got, ofShoe, err := s.WithShoe(ctx, scope, want.ID)
			if known := s.cache.find(scope, want.ID, s.now()) != nil; known != (cache && want.Severity != "info") {
				t.Errorf("the cache has a finding of severity %s: %t", want.Severity, known)
			}
			if want.Severity != "info" {
				want.State = New
			}
			got.Owner, got.Fingerprint = "", ""
			want.Owner, want.Fingerprint = "", ""
			if diff := cmp.Diff(want, got); err != nil || diff != "" || want.Observed != "by -60" {
				t.Errorf("with cache %t: %v\n%s", cache, err, diff)
			}
			if diff := cmp.Diff(others, ofShoe); diff != "" {
				t.Errorf("with cache %t: other findings\n%s", cache, diff)
			}
		}
	}
}

// A finding whose newest version has severity info is no exception, whatever an older one was.
func TestExceptionsChooseTheNewestVersion(t *testing.T) {
	s := played(t)
	table := s.Table("findings")
	found, err := s.Findings(t.Context(), everywhere, FindingQuery{Limit: 1})
	if err != nil || len(found) == 0 {
		t.Fatal(len(found), err)
	}
	f := &found[0]
	q := DayQuery{Property: f.PropertyID, Day: Day(f.GamingDay), Since: f.At, Until: f.At}
	for _, severity := range []string{"minor", "info"} {
		if err := s.Conn().Exec(t.Context(), "INSERT INTO "+table+" SELECT * REPLACE ('"+severity+
			"' AS severity, version + 1 AS version) FROM "+table+" FINAL WHERE id = '"+f.ID+"'"); err != nil {
			t.Fatal(err)
		}
		all, err := s.Exceptions(t.Context(), everywhere, q)
		if listed := slices.ContainsFunc(all, func(o Finding) bool { return o.ID == f.ID }); err != nil ||
			listed != (severity == "minor") {
			t.Errorf("a finding whose newest version is %s is an exception: %t, %v", severity, listed, err)
		}
	}
}

// Every query runs, and none returns rows that are out of scope.
func TestScope(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	all, err := s.Findings(ctx, everywhere, FindingQuery{})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d findings, %v", len(all), err)
	}
	// A finding at a table that collected vigorish.
	i := slices.IndexFunc(all, func(x Finding) bool {
		taken, err := s.Ledger(ctx, everywhere, Location{Property: x.PropertyID, Table: x.TableID})
		return err == nil && len(taken) > 0
	})
	if i < 0 {
		t.Fatal("no finding at a table with vigorish")
	}
	f := all[i]
	place := Location{Property: f.PropertyID, Table: f.TableID}
	wagers, err := s.Wagers(ctx, everywhere, place)
	if err != nil || len(wagers) == 0 {
		t.Fatalf("%d wagers, %v", len(wagers), err)
	}
	patron := ""
	for _, w := range wagers {
		if w.Patron != "" {
			patron = w.Patron
		}
	}
	now := time.Now()
	_, noted := s.Apply(ctx, everywhere, Triage{IDs: []string{firstOpen(t, s)}, Actor: "ann", Action: Note, Note: "seen"})
	for _, err := range []error{
		noted,
		s.WriteSilence(ctx, Silence{
			PropertyID: f.PropertyID, ID: "s1", Rule: "feed.gap", Reason: "r", Actor: "ann", At: now, Until: now.Add(time.Hour),
		}),
		s.HandOver(ctx, SignedHandover{Handover: Handover{
			PropertyID: f.PropertyID, At: now, GamingDay: f.GamingDay, Shift: "day", Actor: "ann", Note: "quiet",
		}}),
		s.Log(ctx, Entry{
			PropertyID: f.PropertyID, At: now, Actor: "ann", Role: "auditor", Action: "view", Object: f.ID,
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, count := range scopedReads(ctx, s, f, patron) {
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
	play, err := s.Patron(ctx, everywhere, f.PropertyID, patron)
	if err != nil || len(play) == 0 {
		t.Fatal(len(play), err)
	}
	// A suspicion is about the patron and names no seat.
	for i, subject := range []string{"patron:" + patron, "dealer+patron:d1+" + patron, "patron:other"} {
		if err := s.Conn().Exec(ctx, fmt.Sprintf("INSERT INTO %s SELECT * REPLACE ('about%d' AS id, 0 AS seat, '%s' AS subject) "+
			"FROM (SELECT * FROM %[1]s WHERE id = '%[4]s' LIMIT 1)", s.Table("findings"), i, subject, f.ID)); err != nil {
			t.Fatal(err)
		}
	}
	about, err := s.PatronFindings(ctx, everywhere, f.PropertyID, patron, play)
	ids := map[string]bool{}
	for i := range about {
		ids[about[i].ID] = true
	}
	if err != nil || !ids["about0"] || !ids["about1"] || ids["about2"] {
		t.Errorf("the findings of a patron are %v, %v", ids, err)
	}
	if _, err := s.Factors(ctx, everywhere, FactorQuery{Property: f.PropertyID, Until: time.Now()}); err != nil {
		t.Error(err)
	}
}

// Dealers of few rounds have no rate, and are in no order of it.
func TestDealersOrder(t *testing.T) {
	s := played(t)
	var want []string
	for _, d := range []struct {
		name          string
		rounds, found int
	}{{"rate-high", 500, 5}, {"rate-low", 2000, 5}, {"many", 499, 0}, {"few", 4, 1}} {
		want = append(want, "order/"+d.name)
		for _, q := range []string{
			fmt.Sprintf("INSERT INTO %s SELECT 'order', '%s', today(), 't', 's', groupBitmapState(toUInt32(number)), now() "+
				"FROM numbers(%d)", s.Table("dealer_rounds"), d.name, d.rounds),
			fmt.Sprintf("INSERT INTO %s (property_id, dealer_id, at, id, table_id, verdict, rule, severity, version) "+
				"SELECT 'order', '%s', now() - 60, concat('%[2]s', toString(number)), 't', 'BREACH', 'draw', 'major', 1 "+
				"FROM numbers(%[3]d)", s.Table("dealer_findings"), d.name, d.found),
		} {
			if err := s.Conn().Exec(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := s.Dealers(t.Context(), Scope{Properties: []string{"order"}}, time.Now().AddDate(0, 0, -7))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range all {
		got = append(got, all[i].Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the dealers are %v, want %v", got, want)
	}
}

// scopedReads are the reads of a store about a finding and a patron. Each returns the number of rows in a scope.
func scopedReads(ctx context.Context, s *Store, f Finding, patron string) map[string]func(Scope) (int, error) {
	place := Location{Property: f.PropertyID, Table: f.TableID}
	property, dealer, long := f.PropertyID, f.DealerID, time.Now().AddDate(-1, 0, 0)
	during := FindingQuery{Table: f.TableID, Since: long, Until: time.Now().AddDate(1, 0, 0)}
	ofDealer := FindingQuery{Property: property, Dealer: dealer, Since: long}
	return map[string]func(Scope) (int, error){
		"groups":   func(x Scope) (int, error) { return size(s.Groups(ctx, x, Filter{High: 100})) },
		"totals":   func(x Scope) (int, error) { t, err := s.Totals(ctx, x, Filter{}); return int(t.Open), err },
		"findings": func(x Scope) (int, error) { return size(s.Findings(ctx, x, during)) },
		"finding": func(x Scope) (int, error) {
			if _, err := s.Finding(ctx, x, f.ID); !errors.Is(err, ErrNotFound) {
				return 1, err
			}
			return 0, nil
		},
		"events": func(x Scope) (int, error) { return size(s.Events(ctx, x, place, EventRange{1, 5, []uint64{9}, ""})) },
		"replay": func(x Scope) (n int, err error) {
			for _, err := range s.Replay(ctx, x, place, Replay{50, 1000}) {
				if err != nil {
					return n, err
				}
				n++
			}
			return n, nil
		},
		"rounds":            func(x Scope) (int, error) { return size(s.Rounds(ctx, x, place)) },
		"wagers":            func(x Scope) (int, error) { return size(s.Wagers(ctx, x, place)) },
		"ledger":            func(x Scope) (int, error) { return size(s.Ledger(ctx, x, place)) },
		"shoes":             func(x Scope) (int, error) { return size(s.Shoes(ctx, x, place)) },
		"configs":           func(x Scope) (int, error) { return size(s.Configs(ctx, x, place)) },
		"floor":             func(x Scope) (int, error) { return size(s.Floor(ctx, x, Location{})) },
		"dealers":           func(x Scope) (int, error) { return size(s.Dealers(ctx, x, long)) },
		"dealer":            func(x Scope) (int, error) { return size(s.DealerTallies(ctx, x, property, dealer, long)) },
		"dealer's findings": func(x Scope) (int, error) { return size(s.Findings(ctx, x, ofDealer)) },
		"patron":            func(x Scope) (int, error) { return size(s.Patron(ctx, x, property, patron)) },
		"patron's wagers":   func(x Scope) (int, error) { return size(s.PatronWagers(ctx, x, property, patron)) },
		"silences":          func(x Scope) (int, error) { return size(s.Silences(ctx, x)) },
		"handovers":         func(x Scope) (int, error) { return size(s.Handovers(ctx, x)) },
		"log":               func(x Scope) (int, error) { return size(s.Entries(ctx, x, EntryQuery{Actor: "ann"})) },
		"actions":           func(x Scope) (int, error) { return size(s.ActionsSince(ctx, x, long, 10)) },
		"alarms":            func(x Scope) (int, error) { return size(s.AlarmRate(ctx, x, long)) },
		"noisy rules":       func(x Scope) (int, error) { return size(s.NoisyRules(ctx, x, long)) },
		"response times":    func(x Scope) (int, error) { return size(s.ResponseTimes(ctx, x, long)) },
		"properties":        func(x Scope) (int, error) { return size(s.Properties(ctx, x)) },
	}
}

func size[T any](rows []T, err error) (int, error) { return len(rows), err }

func firstOpen(t *testing.T, s *Store) string {
	t.Helper()
	open, err := s.Open(t.Context(), everywhere, Filter{Limit: 1})
	if err != nil || len(open) != 1 {
		t.Fatalf("%d open, %v", len(open), err)
	}
	return open[0].ID
}

// A statement of the background yields to others.
func TestPriority(t *testing.T) {
	s := played(t)
	for want, ctx := range map[string]context.Context{"1": t.Context(), "2": Background(t.Context())} {
		got, err := s.names(ctx, "the priority", "SELECT toString(getSetting('priority')) AS name", &where{})
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("priority %v, %v, want %s", got, err, want)
		}
	}
}

// The console log has lines of the last day and older ones, page by page.
func TestEntriesOfAllDays(t *testing.T) {
	s, ctx := played(t), t.Context()
	const actor = "of all days"
	for i := range 9 {
		at := time.Now().Add(-time.Duration(i*i) * 7 * time.Hour) // the gaps grow beyond a day
		e := Entry{PropertyID: "ac-1", Actor: actor, Action: "a", Object: fmt.Sprint(i), At: at}
		if err := s.Log(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	q, got := EntryQuery{Actor: actor, Limit: 2}, ""
	for {
		lines, err := s.Entries(ctx, everywhere, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range lines {
			got += e.Object
		}
		if len(lines) < q.Limit {
			break
		}
		q.After = lines[len(lines)-1]
	}
	if got != "012345678" {
		t.Errorf("the lines are %s, want 012345678", got)
	}
}

// A value is compared as it is: no part of it becomes SQL.
func TestInjection(t *testing.T) {
	s := played(t)
	ctx := t.Context()
	fields := func(f *Filter) []*string {
		return []*string{
			&f.Property, &f.Pit, &f.Table, &f.Shoe, &f.Dealer, &f.Rule, &f.Severity, &f.Verdict, &f.Kind, &f.State, &f.Owner,
			&f.Day, &f.Shift, &f.Fingerprint, &f.Text,
		}
	}
	every := 5 // one payload in five for each field; SHOEPROOF_SOAK tests all
	if os.Getenv("SHOEPROOF_SOAK") != "" {
		every = 1
	}
	for n, payload := range injections() {
		for i := range fields(&Filter{}) {
			if (n+i)%every > 0 {
				continue
			}
			f := Filter{}
			*fields(&f)[i] = payload
			groups, err := s.Groups(ctx, everywhere, f)
			if err != nil || len(groups) != 0 {
				t.Errorf("field %d, %q: %d groups, %v", i, payload, len(groups), err)
			}
		}
		if rows, err := s.Findings(ctx, Scope{Properties: []string{payload}}, FindingQuery{}); err != nil || len(rows) > 0 {
			t.Errorf("scope %q: %d rows, %v", payload, len(rows), err)
		}
		if _, err := s.Finding(ctx, everywhere, payload); !errors.Is(err, ErrNotFound) {
			t.Errorf("id %q: %v", payload, err)
		}
		if rows, err := s.ActedOn(ctx, everywhere, []Action{{FindingID: payload}}); err != nil || len(rows) > 0 {
			t.Errorf("ids %q: %d rows, %v", payload, len(rows), err)
		}
	}
	if n, err := s.Totals(ctx, everywhere, Filter{}); err != nil || n.Open == 0 {
		t.Errorf("the queue after the test: %+v, %v", n, err)
	}
}

// injections are endings of a string literal, each with continuations.
func injections() []string {
	var all []string
	for _, out := range []string{
		"'", "\"", "`", "\\'", "\\\\'", "''", "')", "'))", "\x00'", "\n'", "\t'", "{x:String}'", "];", "'\\",
	} {
		for _, on := range []string{
			" OR 1=1 --", " OR '1'='1", "; DROP TABLE findings", " UNION ALL SELECT * FROM system.users --",
			" OR sleep(3) --", "/**/OR/**/1=1#", " FORMAT JSON", " SETTINGS max_result_rows=0", " INTO OUTFILE '/tmp/x'",
			" OR url('http://127.0.0.1/', CSV, 'a String')", "}}", "{{findings}}", " OR 1=1)",
		} {
			all = append(all, out+on)
		}
	}
	return append(all, strings.Repeat("'", 999), "%", "_%", "\\N", "NULL", "[]", "['a']", "\xff\xfe", "\u2028", "0x27",
		"%27 OR 1=1")
}
