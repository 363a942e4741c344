//go:build unix

package console

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// arrive stores findings as ingest does.
func arrive(t *testing.T, s *store.Store, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		insert(t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, round, observed", "ac-1",
			time.Now(), fmt.Sprintf("%032d", i), "deviation", "BREACH", "draw.banker.must-stay", "critical",
			fmt.Sprintf("t-%d", i), uint32(1), "x")
	}
}

// Of two users who take one finding at two consoles at the same moment, one has it and the other one reads why not. The
// actions follow from each other, and so do the links of both chains.
func TestTwoConsolesAndOneFinding(t *testing.T) {
	s := emptyStore(t)
	const findings = 12
	arrive(t, s, 0, findings)
	consoles := []*served{serve(t, s, nil), serve(t, store.On(s.Store, time.Now), nil)}
	var cookies []string
	for _, c := range consoles {
		cookies = append(cookies, signedIn(t, c.url, "supervisor"))
	}
	for i := range findings {
		id := fmt.Sprintf("%032d", i)
		var codes [2]int
		var texts [2]string
		var both sync.WaitGroup
		for k, c := range consoles {
			both.Go(func() {
				for {
					codes[k], texts[k] = send(t, http.MethodPost, c.url+"/api/v1/findings/"+id+"/steps",
						`{"step":"acknowledge"}`, "Cookie", cookies[k], "Content-Type", "application/json")
					if !strings.Contains(texts[k], "try again") { // it could not wait any longer for the other console
						return
					}
				}
			})
		}
		both.Wait()
		lost := slices.Index(codes[:], http.StatusConflict)
		if lost < 0 || codes[1-lost] != http.StatusOK || !strings.Contains(texts[lost], "is already acknowledged") {
			t.Errorf("finding %d: %v, want one 200 and one 409 with its reason", i, codes)
		}
		actions, err := s.Actions(t.Context(), store.Scope{All: true}, id)
		if err != nil || len(actions) != 1 {
			t.Errorf("finding %d: %d actions, want one, %v", i, len(actions), err)
		}
	}
	proof, err := s.ProveChains(t.Context(), "ac-1", clickhouse.ChainCheck{})
	if err != nil || len(proof.Problems) > 0 || proof.Steps != findings || proof.Chains != 2 {
		t.Errorf("%d actions in %d chains, %v: %q", proof.Steps, proof.Chains, err, proof.Problems)
	}
}

// A console whose action cannot wait any longer refuses it.
func TestTriageIsHeldByAnotherConsole(t *testing.T) {
	s := emptyStore(t)
	arrive(t, s, 0, 1)
	l, err := s.Take(t.Context(), store.TriageLease, "another console")
	if err != nil {
		t.Fatal(err)
	}
	act := func() error {
		_, err := s.Apply(t.Context(), store.Scope{All: true}, store.Triage{
			IDs: []string{fmt.Sprintf("%032d", 0)}, Actor: "ann", Role: "operator", Action: store.Acknowledge,
		})
		return err
	}
	if err := act(); err == nil || !strings.Contains(err.Error(), "another console acts on findings") {
		t.Errorf("%v", err)
	}
	if err := l.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := act(); err != nil {
		t.Errorf("after the other console: %v", err)
	}
}

// Of two consoles one sends notifications. When it stops, the other one sends what comes then, and nothing twice.
func TestOneConsoleNotifies(t *testing.T) {
	s := emptyStore(t)
	rooms := []*receiver{{}, {}}
	open := func(t *testing.T, s *store.Store, r *receiver) *served {
		t.Helper()
		return serve(t, s, func(o *Options) {
			o.Notify = notify.Setup{
				Channels: []notify.Named{{Name: "room", Channel: r}},
				Routes:   []notify.Route{{Channel: "room", Severities: []string{"critical"}}},
			}
		})
	}
	count := func() (all map[string]int) {
		all = map[string]int{}
		for _, r := range rooms {
			r.mu.Lock()
			for i := range r.got {
				all[r.got[i].ID]++
			}
			r.mu.Unlock()
		}
		return all
	}
	var second *served
	t.Run("two", func(first *testing.T) {
		c := open(first, s, rooms[0])
		testkit.Await(first, "the lease", c.leading.Load)
		second = open(t, store.On(s.Store, time.Now), rooms[1])
		arrive(t, s, 0, 5)
		testkit.Await(first, "the messages", func() bool { return len(count()) == 5 })
		testkit.Await(first, "the lines of the log", func() bool {
			lines, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Action: store.Notified})
			return err == nil && len(lines) == 5
		})
		if second.leading.Load() {
			first.Error("two consoles send")
		}
	})
	arrive(t, s, 5, 5)
	testkit.Await(t, "the messages of the second console", func() bool { return len(count()) == 10 })
	if all := count(); slices.Max(slices.Collect(maps.Values(all))) != 1 || len(rooms[0].got) != 5 {
		t.Errorf("messages by finding %v, %d of the first console", all, len(rooms[0].got))
	}
	// A console that cannot renew the lease does not send: another one may have it.
	if err := s.Conn().Exec(t.Context(), "RENAME TABLE "+s.Table("leases")+" TO "+s.Table("leases_away")); err != nil {
		t.Fatal(err)
	}
	testkit.Await(t, "the end of the lease", func() bool { return !second.leading.Load() })
}

// A flood of findings is a bounded number of messages: the first ones, and then summaries that count the others.
func TestFloodOfNotifications(t *testing.T) {
	s := emptyStore(t)
	var ahead atomic.Int64
	room := &receiver{}
	c := serve(t, s, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		o.Notify = notify.Setup{
			Channels: []notify.Named{{Name: "room", Channel: room, Limit: 3}},
			Routes:   []notify.Route{{Channel: "room", Severities: []string{"critical"}}},
		}
	})
	testkit.Await(t, "the lease", c.leading.Load)
	const findings = 40
	arrive(t, s, 0, findings)
	received := func() (single, summaries, counted int) {
		room.mu.Lock()
		defer room.mu.Unlock()
		for i := range room.got {
			if m := &room.got[i]; m.Rule == "notify.summary" {
				summaries, counted = summaries+1, counted+m.Findings
				if m.Severity != "critical" || m.PropertyID != "ac-1" || !strings.HasSuffix(m.Link, "/queue") {
					t.Errorf("summary %+v", m)
				}
				continue
			}
			single++
		}
		return single, summaries, counted
	}
	testkit.Await(t, "the log of all findings", func() bool {
		ahead.Add(int64(30 * time.Second))
		lines, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Action: store.Notified, Limit: 1000})
		return err == nil && len(lines) == findings
	})
	single, summaries, counted := received()
	if counted+single != findings || summaries == 0 || single+summaries > findings/2 {
		t.Errorf("%d messages, %d summaries of %d findings, want all %d", single, summaries, counted, findings)
	}
	if err := c.catchUp(t.Context()); err != nil {
		t.Error(err)
	}
	ahead.Add(int64(2 * time.Minute))
	time.Sleep(1500 * time.Millisecond)
	if a, b, n := received(); a != single || b != summaries || n != counted {
		t.Errorf("again: %d messages, %d summaries of %d findings", a, b, n)
	}
}
