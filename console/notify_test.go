//go:build unix

package console

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// receiver is a channel that keeps what it received, and fails while down is set.
type receiver struct {
	down atomic.Bool
	mu   sync.Mutex
	got  []notify.Message
}

func (r *receiver) Send(_ context.Context, m *notify.Message) error {
	if r.down.Load() {
		return errors.New("post to chat.example: 503")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, *m)
	return nil
}

// tables are the tables of the messages, with the number of the reminder.
func (r *receiver) tables() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for i := range r.got {
		all = append(all, fmt.Sprintf("%s/%d", r.got[i].TableID, r.got[i].Reminder))
	}
	return strings.Join(all, " ")
}

// syslogServer returns the address of a receiver of syslog over TCP, and its lines.
func syslogServer(t *testing.T) (string, chan string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	lines := make(chan string, 1000)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			for in := bufio.NewReader(conn); ; {
				count, err := in.ReadString(' ')
				n, bad := strconv.Atoi(strings.TrimSpace(count))
				line := make([]byte, max(n, 0))
				if _, short := io.ReadFull(in, line); errors.Join(err, bad, short) != nil {
					break
				}
				lines <- string(line)
			}
			_ = conn.Close()
		}
	}()
	return l.Addr().String(), lines
}

// Notifications begin with the look at the console log that finds no beginning. Under load the line was written seconds
// later, with its own time, and the findings that had arrived meanwhile were never announced.
func TestNotificationsBegin(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	c, err := New(Options{Store: s, PublicURL: &url.URL{Scheme: "http", Host: "h"}, SignIn: ByChoice, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	look := time.Now().Add(-time.Minute).UTC().Truncate(time.Millisecond)
	for range 2 { // the second look reads what the first one wrote
		begin, err := c.recall(t.Context(), look)
		if err != nil || !begin.Equal(look) {
			t.Fatalf("notifications begin at %v (%v), want %v", begin, err, look)
		}
	}
}

// A console that starts announces the findings of the last day that arrived since notifications began, be it long ago.
func TestNotificationsOfADay(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	start := time.Now()
	insert(t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, observed", "ac-1", start,
		strings.Repeat("1", 32), "deviation", "BREACH", "draw.banker.must-stay", "critical", "t-1", "x")
	for _, x := range []struct {
		after time.Duration
		want  int
	}{{-72 * time.Hour, 1}, {time.Minute, 1}, {23 * time.Hour, 1}, {25 * time.Hour, 0}} {
		c, _ := offline(t, func(o *Options) {
			o.Store, o.Now = s, func() time.Time { return start.Add(x.after) }
			o.Webhook = notify.Webhook{URL: "https://hook.example", Secret: "s"}
		})
		if err := c.catchUp(t.Context()); err != nil || len(c.outlets[0].queue) > 0 {
			t.Errorf("%v after a finding, a console without the lease announces it; %v", x.after, err)
		}
		c.leading.Store(true)
		if err := c.catchUp(t.Context()); err != nil || len(c.outlets[0].queue) != x.want {
			t.Errorf("%v after a finding, %d are announced, want %d; %v", x.after, len(c.outlets[0].queue), x.want, err)
		}
	}
}

// A finding goes to the channels whose routes select it, and again until it is acknowledged. What a channel does not
// take is a dead letter, which an administrator sees and sends again; a test says whether a channel works. The console
// log goes out as it is written.
func TestNotificationRoutes(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	var ahead atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	address, lines := syslogServer(t)
	siem, err := notify.Read(strings.NewReader(`channels: [{name: siem, kind: syslog, server: "tcp://`+address+
		`", console_log: true}]`), &notify.Environment{
		Now: now, ReadFile: os.ReadFile, ReadSecret: os.ReadFile, TLS: func() *tls.Config { return nil }, Host: "h",
	})
	if err != nil {
		t.Fatal(err)
	}
	pit, house := &receiver{}, &receiver{}
	access := Access{}
	in := time.Now().Add(48 * time.Hour)
	root := secretOf(&access, "root", "admin", "*", in)
	local := secretOf(&access, "local", "admin", "there-2", in)
	c := serve(t, s, func(o *Options) {
		o.SignIn, o.Access, o.Now = ByToken, access, now
		o.Notify = notify.Setup{Log: siem.Log, Channels: []notify.Named{
			{Name: "pit", Text: "slack at chat.example", Channel: pit}, {Name: "house", Text: "e-mail", Channel: house},
		}, Routes: []notify.Route{
			{
				Channel: "pit", Properties: []string{"ac-1"}, Severities: []string{"critical", "major"}, Every: 10 * time.Minute,
				Times: 2,
			},
			{Channel: "house", Severities: []string{"critical"}, Verdicts: []string{"BREACH"}, Kinds: []string{"deviation"}},
		}}
	})
	c.pause = time.Microsecond
	testkit.Await(t, "the begin of notifications", c.begun.Load)
	for i, f := range []struct{ property, table, severity, verdict string }{
		{"ac-1", "t-crit", "critical", "BREACH"},
		{"ac-1", "t-major", "major", "BREACH"},
		{"ac-1", "t-minor", "minor", "BREACH"},
		{"there-2", "t-there", "critical", "BREACH"},
		{"there-2", "t-susp", "critical", "SUSPECT"},
	} {
		insert(t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, dealer_id, round, observed, "+
			"amount, currency", f.property, time.Now(), fmt.Sprintf("%032d", i+1), "deviation", f.verdict,
			"draw.banker.must-stay", f.severity, f.table, "d1", uint32(1), "USD 10.00", int64(1000), "USD")
	}
	received := func(r *receiver, want string) {
		t.Helper()
		testkit.Await(t, "the messages "+want, func() bool {
			if err := errors.Join(s.Refresh(t.Context()), c.catchUp(t.Context())); err != nil {
				t.Error(err)
			}
			return len(r.tables()) >= len(want)
		})
		if got := r.tables(); got != want && len(got) != len(want) {
			t.Errorf("messages %s, want %s", got, want)
		}
	}
	received(pit, "t-crit/0 t-major/0")
	received(house, "t-crit/0 t-there/0")
	pit.mu.Lock()
	if m := pit.got[0]; m.Money != "$10.00" || m.Local == "" || !strings.HasSuffix(m.Link, "/findings/"+m.ID) {
		t.Errorf("the message %+v", m)
	}
	pit.got = nil
	pit.mu.Unlock()
	all := store.Scope{All: true}
	logged := func(n int) {
		t.Helper()
		testkit.Await(t, "the lines of the log", func() bool {
			lines, err := s.Entries(t.Context(), all, store.EntryQuery{Action: store.Notified})
			return err == nil && len(lines) == n
		})
	}
	logged(4)

	// One is acknowledged; the other is sent again, twice.
	taken := store.Triage{
		IDs: []string{fmt.Sprintf("%032d", 1)}, Actor: "ann", Action: store.Acknowledge, Note: "Mr Patron",
	}
	if _, err := s.Apply(t.Context(), all, taken); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 4; n++ {
		ahead.Add(int64(11 * time.Minute))
		received(pit, "t-major/1 t-major/2"[:min(n, 2)*10-1])
		logged(4 + min(n, 2))
	}
	if got := house.tables(); got != "t-crit/0 t-there/0" && got != "t-there/0 t-crit/0" {
		t.Errorf("a channel without repetition: %s", got)
	}

	// The receiver of the house is down: a dead letter, in page and status, only for administrators of the property.
	house.down.Store(true)
	insert(t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, dealer_id, round, observed, "+
		"expected", "ac-1", time.Now(), fmt.Sprintf("%032d", 9), "deviation", "BREACH", "draw.banker.must-stay", "critical",
		"t-dead", "d1", uint32(1), "took a card", "banker hand on 7 stays")
	testkit.Await(t, "the dead letter", func() bool { return c.Status().Dead["house"] == 1 })
	page := func(secret string) string {
		t.Helper()
		code, body := send(t, "GET", c.url+"/notifications", "", "Authorization", "Bearer "+secret)
		if code != http.StatusOK {
			t.Fatal(code, body)
		}
		return body
	}
	id := fmt.Sprintf("%032d", 9)
	if text := page(root); !strings.Contains(text, "/findings/"+id) || !strings.Contains(text, "t-dead</a>") ||
		!strings.Contains(text, ">Banker hand took a card on 7 (must stand)</a>") ||
		!strings.Contains(text, "chat.example: 503") ||
		!strings.Contains(text, "every 10m0s, 2 times") ||
		!strings.Contains(text, `action="/notifications/test"><input type="hidden" name="channel" value="house">`) {
		t.Errorf("the page lacks the dead letter, the route or the test:\n%s", text)
	}
	rename := func(from, to string) {
		t.Helper()
		if err := s.Conn().Exec(t.Context(), "RENAME TABLE "+s.Table(from)+" TO "+s.Table(to)); err != nil {
			t.Fatal(err)
		}
	}
	rename("findings", "away") // no finding can be read
	if text := page(root); !strings.Contains(text, "/findings/"+id) || strings.Contains(text, "not stored any more") {
		t.Errorf("the page without findings:\n%s", text)
	}
	rename("away", "findings")
	if text := page(local); strings.Contains(text, id) {
		t.Error("an administrator of another property sees the dead letter")
	}
	post := func(secret, path, form string, want int) string {
		t.Helper()
		code, body := send(t, "POST", c.url+path, form, "Authorization", "Bearer "+secret)
		if code != want {
			t.Errorf("%s %s: %d, want %d", path, form, code, want)
		}
		return body
	}
	if text := post(root, "/notifications/test", "channel=house", 200); !strings.Contains(text, "the test failed") {
		t.Errorf("the test of a channel that is down: %s", text)
	}
	// A console that starts now knows the dead letter from the log.
	other, _ := offline(t, func(o *Options) {
		o.Store, o.Now, o.Notify = s, now, notify.Setup{Channels: c.Notify.Channels, Routes: c.Notify.Routes}
	})
	if err := other.catchUp(t.Context()); err != nil || other.Status().Dead["house"] != 1 {
		t.Errorf("after a restart: %v, %v", other.Status().Dead, err)
	}
	if p := other.outlets[0].history(fmt.Sprintf("%032d", 2)); p.sent != 3 {
		t.Errorf("after a restart, a message with two reminders was sent %d times", p.sent)
	}
	house.down.Store(false)
	if text := post(root, "/notifications/test", "channel=house", 200); !strings.Contains(text, "was sent") {
		t.Errorf("the test of a channel: %s", text)
	}
	house.mu.Lock()
	if m := house.got[len(house.got)-1]; !m.Test || m.Rule != "test.message" {
		t.Errorf("the test message is %+v", m)
	}
	house.mu.Unlock()
	post(local, "/notifications/retry", "finding="+id+"&channel=house", 404)
	post(root, "/notifications/test", "channel=none", 404)
	post(root, "/notifications/retry", "finding="+id+"&channel=house", 303)
	testkit.Await(t, "the dead letter again", func() bool {
		return strings.HasSuffix(house.tables(), "t-dead/0") && c.Status().Dead["house"] == 0
	})

	// The log as it happens: each line once, in the order of its chain, without what a person typed.
	if err := s.Log(t.Context(), store.Entry{
		PropertyID: "ac-1", At: now(), Actor: "ann", Action: "shelve", Object: "feed.gap",
		Detail: "table \"\": Mr Patron asked",
	}); err != nil {
		t.Fatal(err)
	}
	links := map[string]uint64{}
	for {
		line := <-lines
		_, rest, _ := strings.Cut(line, `chain="`)
		chain, rest, _ := strings.Cut(rest, `" link="`)
		number, _, _ := strings.Cut(rest, `"`)
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil || n != links[chain]+1 || strings.Contains(line, "Patron") {
			t.Fatalf("after link %d: %s", links[chain], line)
		}
		links[chain] = n
		if strings.Contains(line, `action="shelve"`) {
			break
		}
	}
}

// syslogTo is a log channel to an address.
func syslogTo(t *testing.T, address string) notify.LogWriter {
	t.Helper()
	setup, err := notify.Read(strings.NewReader(`channels: [{name: siem, kind: syslog, server: "tcp://`+address+
		`", console_log: true}]`), &notify.Environment{
		Now: time.Now, ReadFile: os.ReadFile, ReadSecret: os.ReadFile, TLS: func() *tls.Config { return nil }, Host: "h",
	})
	if err != nil {
		t.Fatal(err)
	}
	return setup.Log
}

// The lines that wait when a console ends reach the receiver, also more than one part; what it does not take is counted
// as lost.
func TestLinesAtTheEnd(t *testing.T) {
	t.Parallel()
	address, lines := syslogServer(t)
	closed, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	const waiting = 3*maxPart + 7
	for to, lost := range map[string]int{address: 0, closed.Addr().String(): waiting} {
		counted := map[string]int{}
		c, _ := offline(t, func(o *Options) {
			o.Notify.Log = syslogTo(t, to)
			o.Hooks.Logged = func(outcome string, n int) { counted[outcome] += n }
		})
		for range waiting {
			c.stream.add(notify.Line{Kind: "x"})
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if n := c.stream.waiting(); n != waiting {
			t.Errorf("%d lines wait, want %d", n, waiting)
		}
		c.sendRest(ended, nil)
		for range waiting - lost {
			<-lines
		}
		if counted[Lost] != lost || counted[Sent] != waiting-lost {
			t.Errorf("%v of %d lines, want %d lost", counted, waiting, lost)
		}
	}
}

// The number of lines that did not fit is reported when the receiver answers again.
func TestLostLinesAreReported(t *testing.T) {
	t.Parallel()
	address, lines := syslogServer(t)
	closed, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{}
	c, _ := offline(t, func(o *Options) {
		o.Notify.Log = syslogTo(t, closed.Addr().String())
		o.Log = slog.New(slog.DiscardHandler)
		o.Hooks.Logged = func(outcome string, n int) { counted[outcome] += n }
	})
	for range maxStream + 3 {
		c.stream.add(notify.Line{Kind: "x"})
	}
	part := c.stream.fill(nil)
	if c.sendPart(t.Context(), part) {
		t.Fatal("a receiver that is down took the lines")
	}
	c.Notify.Log = syslogTo(t, address)
	if !c.sendPart(t.Context(), part) {
		t.Fatal("the receiver did not take the lines")
	}
	for range part {
		<-lines
	}
	if last := <-lines; !strings.Contains(last, "3 lines of the console log not sent") {
		t.Errorf("the last line is %s", last)
	}
	if counted[Lost] != 3 {
		t.Errorf("%d lines counted as lost, want 3", counted[Lost])
	}
}

// partly takes all lines but one.
type partly struct{ requests int }

func (p *partly) Write(_ context.Context, lines ...notify.Line) error {
	p.requests++
	return fmt.Errorf("send: %w", &notify.RejectedError{Rejected: 1, Of: len(lines), Reason: "too long"})
}

// Lines that a collector rejects are counted as lost and not sent again: it would store the others twice.
func TestRejectedLinesAreNotSentAgain(t *testing.T) {
	t.Parallel()
	counted, collector := map[string]int{}, &partly{}
	c, _ := offline(t, func(o *Options) {
		o.Notify.Log = collector
		o.Log = slog.New(slog.DiscardHandler)
		o.Hooks.Logged = func(outcome string, n int) { counted[outcome] += n }
	})
	if !c.sendPart(t.Context(), []notify.Line{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}) {
		t.Error("the lines are to be sent again")
	}
	if counted[Lost] != 1 || counted[Sent] != 2 || collector.requests != 1 {
		t.Errorf("%v in %d requests, want 1 lost and 2 sent in one", counted, collector.requests)
	}
}
