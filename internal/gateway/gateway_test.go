//go:build unix

package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// topic is what the brokers have, in order.
type topic struct {
	mu      sync.Mutex
	records []kafka.Encoded
	// lost is how often an acknowledgement is lost, of ten.
	lost int
	away bool
	rng  *rand.Rand
}

func (k *topic) publish(_ context.Context, records ...kafka.Encoded) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.away {
		return errors.New("no broker answers")
	}
	for _, r := range records {
		r.Value = bytes.Clone(r.Value)
		k.records = append(k.records, r)
	}
	if k.rng != nil && k.rng.IntN(10) < k.lost {
		return errors.New("the acknowledgement is lost")
	}
	return nil
}

const secret = "a secret of a table system"

func options(t *testing.T, k *topic) Options {
	t.Helper()
	sum := sha256.Sum256([]byte(secret))
	tokens, err := ReadTokens(strings.NewReader("tokens: [{name: tables, sha256: " + hex.EncodeToString(sum[:]) +
		", properties: [sim]}]"))
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Folder: filepath.Join(t.TempDir(), "outbox"), Segment: 20_000, Backlog: 1 << 30, Keep: 100_000, Body: 1 << 20,
		Queue: 1 << 20, Tokens: func() *Tokens { return tokens }, Publish: k.publish, Log: slog.New(slog.DiscardHandler),
	}
}

// unnumbered are events of tables without their numbers, with ids, by time.
func unnumbered(t *testing.T, tables int) []schema.Event {
	t.Helper()
	var all [][]schema.Event
	for i := range tables {
		config, err := deal.Config("nj-mini", uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{
			Property: "sim", Table: fmt.Sprintf("t-%d", i), Config: config, Seed: uint64(i),
		})
		all = append(all, append(table.Open(), table.ShoeOf(3)...))
	}
	events := deal.Interleave(all...)
	for i := range events {
		events[i].Seq = 0
	}
	return events
}

// run runs a gateway until stop is called, which returns the error of Run.
func run(t *testing.T, o Options) (g *Gateway, stop func() error) {
	t.Helper()
	g, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	return g, func() error {
		cancel()
		return <-ended
	}
}

func post(g *Gateway, kind string, body []byte) (int, reply) {
	r := httptest.NewRequest(http.MethodPost, "/v1/events", bytes.NewReader(body))
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Authorization", "Bearer "+secret)
	w := httptest.NewRecorder()
	g.Handler().ServeHTTP(w, r)
	var out reply
	_ = json.Unmarshal(w.Body.Bytes(), &out)
	return w.Code, out
}

// A record has the trace context of the request with which its event came first, also after a restart.
func TestTraceParentIsPassedOn(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	k := &topic{away: true}
	o := options(t, k)
	events := unnumbered(t, 1)[:6]
	g, stop := run(t, o)
	for i, header := range []string{parent, "", "too short"} {
		r := httptest.NewRequest(http.MethodPost, "/v1/events", bytes.NewReader(lines(events[2*i:2*i+2])))
		r.Header.Set("Content-Type", "application/x-ndjson")
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Traceparent", header)
		w := httptest.NewRecorder()
		if g.Handler().ServeHTTP(w, r); w.Code != http.StatusAccepted {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	k.away = false
	g, stop = run(t, o)
	testkit.Await(t, "all is published", func() bool { return g.Pending() == 0 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range k.records {
		got = append(got, r.TraceParent)
	}
	if want := []string{parent, parent, "", "", "", ""}; !slices.Equal(got, want) {
		t.Errorf("published with %q, want %q", got, want)
	}
}

func lines(events []schema.Event) []byte {
	var body []byte
	for i := range events {
		body = append(schema.AppendJSON(body, &events[i]), '\n')
	}
	return body
}

var errCrash = errors.New("crash")

// A gateway that ends at any step, with what it had not synced lost or damaged, is started again, and the client
// repeats what was not acknowledged: each event is published, under one number, in the order of its table.
func TestCrashes(t *testing.T) {
	for _, step := range []string{"write", "sync", "answer", "roll", "head", "acknowledge"} {
		t.Run(step, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(len(step))))
			k := &topic{rng: rand.New(rand.NewPCG(8, uint64(len(step)))), lost: 2} // publish runs beside the test
			o := options(t, k)
			var mu sync.Mutex
			left := 0
			o.step = func(name string) error {
				mu.Lock()
				defer mu.Unlock()
				if name != step {
					return nil
				}
				if left--; left < 0 {
					return errCrash
				}
				return nil
			}
			events := unnumbered(t, 3)
			numbers := map[string]uint64{}
			crashes := 0
			for at := 0; at < len(events); {
				mu.Lock()
				left = rng.IntN(12)
				if step == "roll" || step == "head" {
					left = 1
				}
				mu.Unlock()
				g, stop := run(t, o)
				for at < len(events) {
					n := min(1+rng.IntN(9), len(events)-at)
					code, got := post(g, "application/x-ndjson", lines(events[at:at+n]))
					if code != http.StatusAccepted {
						break // the client repeats it
					}
					for _, e := range got.Events {
						if before := numbers[e.EventID]; before != 0 && before != e.Seq {
							t.Fatalf("event %s is number %d, then %d", e.EventID, before, e.Seq)
						}
						numbers[e.EventID] = e.Seq
					}
					at += n
					for step == "acknowledge" && g.Pending() > 0 && g.running.Load() { // else all may be posted before it
						time.Sleep(time.Millisecond)
					}
				}
				if err := stop(); errors.Is(err, errCrash) {
					crashes++
					tear(t, rng, g.box)
				}
			}
			if crashes < 3 {
				t.Errorf("%d crashes, want some", crashes)
			}
			o.step = nil
			g, stop := run(t, o)
			for g.Pending() > 0 {
				time.Sleep(time.Millisecond)
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			once(t, k.records, events, numbers)
		})
	}
}

// tear loses and damages a random part of what was not synced.
func tear(t *testing.T, rng *rand.Rand, box *outbox) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(box.dir, "*"+segmentName))
	if err != nil {
		t.Fatal(err)
	}
	name, synced := slices.Max(names), box.size
	if name != box.name(box.segment) {
		synced = 0 // its head was not synced
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) <= synced {
		return
	}
	data = data[:synced+rng.Int64N(int64(len(data))-synced+1)]
	if n := int64(len(data)) - synced; n > 0 && rng.IntN(2) == 0 {
		data[synced+rng.Int64N(n)] ^= 0xff
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// once checks that each event was published under one number with the same bytes, without a gap and in order.
func once(t *testing.T, records []kafka.Encoded, events []schema.Event, numbers map[string]uint64) {
	t.Helper()
	decoder, ev := schema.NewDecoder(), schema.Event{}
	values, highest := map[string][]byte{}, map[string]uint64{}
	for _, r := range records {
		if err := decoder.Decode(r.Format, r.Value, &ev); err != nil {
			t.Fatal(err)
		}
		if before, ok := values[ev.EventID]; ok && !bytes.Equal(before, r.Value) {
			t.Fatalf("event %s was published twice with different bytes\n%s\n%s", ev.EventID, before, r.Value)
		}
		values[ev.EventID] = r.Value
		if ev.Seq > highest[ev.TableID]+1 {
			t.Fatalf("table %s: number %d after %d", ev.TableID, ev.Seq, highest[ev.TableID])
		}
		highest[ev.TableID] = max(highest[ev.TableID], ev.Seq)
		if numbers[ev.EventID] != ev.Seq {
			t.Errorf("event %s: published as %d, acknowledged as %d", ev.EventID, ev.Seq, numbers[ev.EventID])
		}
	}
	want := map[string]uint64{}
	for i := range events {
		want[events[i].TableID]++
		if values[events[i].EventID] == nil {
			t.Errorf("event %s is lost", events[i].EventID)
		}
	}
	for table, n := range want {
		if highest[table] != n {
			t.Errorf("table %s: numbers up to %d, want %d", table, highest[table], n)
		}
	}
}

func TestAnswers(t *testing.T) {
	k := &topic{}
	o := options(t, k)
	g, stop := run(t, o)
	events := unnumbered(t, 1)
	one := schema.AppendJSON(nil, &events[0])
	expect := func(name string, wantCode, code int, got reply, want string) {
		t.Helper()
		text, _ := json.Marshal(got)
		if code != wantCode || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d %s, want %d with %q", name, code, text, wantCode, want)
		}
	}
	send := func(name, kind string, body []byte, wantCode int, want string) {
		t.Helper()
		code, got := post(g, kind, body)
		expect(name, wantCode, code, got, want)
	}
	send("one", "application/json", one, 202, `"seq":1`)
	send("again", "application/json; charset=utf-8", one, 202, `"seq":1,"repeated":true`)
	send("lines", "application/x-ndjson", lines(events[1:4]), 202, `"seq":4`)
	value := schema.AppendProto(nil, &events[4])
	framed := append([]byte{byte(len(value)&0x7f | 0x80), byte(len(value) >> 7)}, value...)
	if len(value) < 128 {
		framed = append([]byte{byte(len(value))}, value...)
	}
	send("protobuf", "application/x-protobuf", framed, 202, `"seq":5`)
	changed := events[0].Clone()
	changed.At++
	send("changed", "application/json", schema.AppendJSON(nil, &changed), 409, "stored before as seq 1 with other content")
	later := events[5].Clone()
	later.Seq = 9
	send("numbered", "application/json", schema.AppendJSON(nil, &later), 422, "seq: is 9, expected none")
	both := append(lines(events[5:6]), []byte(`{"event_id":"x","propertyId":"sim"}`+"\n")...)
	send("one of two", "application/x-ndjson", both, 422, "this looks like names in camel case")
	send("cut off", "application/x-protobuf", framed[:len(framed)-3], 422, "the file ends")
	foreign := events[5].Clone()
	foreign.PropertyID = "other"
	send("foreign", "application/json", schema.AppendJSON(nil, &foreign), 403, "the token is not for table other/t-0")
	send("nothing", "application/x-ndjson", []byte("\n"), 400, "no event")
	send("kind", "text/plain", one, 415, "want application/json")
	send("large", "application/x-ndjson", bytes.Repeat([]byte(" "), 1<<20+1), 413, "more than 1048576 bytes")
	r := httptest.NewRequest(http.MethodPost, "/v1/events", bytes.NewReader(one))
	r.Header.Set("Authorization", "Bearer wrong")
	w := httptest.NewRecorder()
	g.Handler().ServeHTTP(w, r)
	if w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("a wrong token: %d", w.Code)
	}
	var logged bytes.Buffer
	g.o.Log = slog.New(slog.NewTextHandler(&logged, nil))
	for i := 2; i <= 30; i++ {
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, r)
		if want := 401; i <= maxStrange && w.Code != want || i > maxStrange && w.Code != 429 {
			t.Errorf("wrong token %d: %d", i, w.Code)
		}
	}
	if text := logged.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "192.0.2.1 requests=11") ||
		strings.Contains(text, "wrong") {
		t.Errorf("the log of wrong tokens: %s", text)
	}
	send("a right token from the same address", "application/json", one, 202, `"repeated":true`)
	g.queued.Store(o.Queue)
	send("busy", "application/json", one, 429, "too many requests")
	g.queued.Store(0)
	// Kafka is away: events are taken until the outbox is full.
	k.mu.Lock()
	k.away = true
	k.mu.Unlock()
	send("away", "application/x-ndjson", lines(events[5:7]), 202, `"seq":7`)
	g.o.Backlog = g.Pending() + 10
	send("full", "application/x-ndjson", lines(events[7:9]), 507, "events wait for Kafka")
	if g.Ready(t.Context()) != nil {
		t.Error("not ready, though events are taken while there is room")
	}
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "another process may have open") {
		t.Errorf("a second gateway in the folder: %v", err)
	}
	k.mu.Lock()
	k.away = false
	k.mu.Unlock()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	g.o.Backlog = 1 << 30
	send("ended", "application/json", one, 503, "repeat the request")
}

// A group that was durable and is damaged stops the gateway; nothing behind it is dropped.
func TestDamage(t *testing.T) {
	k := &topic{away: true}
	o := options(t, k)
	o.Segment = 1 << 20
	g, stop := run(t, o)
	events := unnumbered(t, 1)
	for i := range 5 {
		post(g, "application/json", schema.AppendJSON(nil, &events[i]))
	}
	name := g.box.name(g.box.segment)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{2, len(data) / 2} {
		broken := slices.Clone(data)
		broken[at] ^= 1
		if err := os.WriteFile(name, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if g, err := Open(o); !errors.Is(err, errDamaged) {
			t.Errorf("byte %d: %v, %v, want the damage", at, g, err)
		}
	}
}

// Published segments are removed down to Keep bytes. The numbers go on after them, and the ids in the others are known.
func TestPrune(t *testing.T) {
	k := &topic{}
	o := options(t, k)
	o.Keep = 30_000
	events := unnumbered(t, 3)
	numbers := map[string]uint64{}
	g, stop := run(t, o)
	send := func(from, to int) (repeated int) {
		for i := from; i < to; i++ {
			code, got := post(g, "application/json", schema.AppendJSON(nil, &events[i]))
			if code != http.StatusAccepted {
				t.Fatalf("event %d: status %d", i, code)
			}
			if got.Events[0].Repeated {
				repeated++
			}
			numbers[got.Events[0].EventID] = got.Events[0].Seq
			testkit.Await(t, "it is published", func() bool { return g.Pending() == 0 })
		}
		return repeated
	}
	half := len(events) / 2
	send(0, half)
	if first := g.box.segments[0].first; first == 1 {
		t.Error("the first segment is still there")
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	g, stop = run(t, o)
	if again := send(half-20, half); again != 20 {
		t.Errorf("%d of the last 20 events are known after a start", again)
	}
	send(half, len(events))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(o.Folder, "*"+segmentName))
	if err != nil {
		t.Fatal(err)
	}
	var kept int64
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		kept += info.Size()
	}
	if kept < o.Keep/2 || kept > o.Keep+2*o.Segment+10_000 {
		t.Errorf("%d files with %d bytes, want about %d", len(files), kept, o.Keep)
	}
	once(t, k.records, events, numbers)
}

// A file of tokens in which two have one secret, or one has a secret that everyone knows, is refused.
func TestTokenFiles(t *testing.T) {
	of := func(secrets ...string) error {
		text := "tokens:\n"
		for i, s := range secrets {
			text += fmt.Sprintf("- {name: t%d, sha256: %x, properties: [p%d]}\n", i, sha256.Sum256([]byte(s)), i)
		}
		_, err := ReadTokens(strings.NewReader(text))
		return err
	}
	if err := of(secret, secret+"2"); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][]string{{secret, secret}, {""}, {"test"}} {
		if of(wrong...) == nil {
			t.Errorf("secrets %q are accepted", wrong)
		}
	}
}

// A mistake in the file of tokens is found by config validate. The error has the place, and no character of the file
// that a terminal obeys.
func TestTokenFileIsValidated(t *testing.T) {
	t.Chdir(t.TempDir())
	const of = "sha256: 8888888888888888888888888888888888888888888888888888888888888888"
	for text, want := range map[string]string{
		"tokens:\n- {name: a, " + of + ", properties: [ac-1]}\n": "",
		"tokens:\n- {name: a, " + of + "}\n":                     "gateway.tokens_file: tokens.yaml: token a: no properties",
		"tokens:\n- {name: a, \"propertie\\e[31m\": [ac-1]}\n":   `gateway.tokens_file: tokens.yaml:2: "propertie\x1b[31m": unknown key`,
		"tokens: []\n": "gateway.tokens_file: tokens.yaml: no token",
	} {
		if err := os.WriteFile("tokens.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, problems bytes.Buffer
		code := cli.Execute(t.Context(), Command("test"), []string{
			"config", "validate", "--gateway-folder", "outbox", "--gateway-tokens-file", "tokens.yaml",
		}, cli.Streams{Out: &out, Err: &problems})
		if wrong := code == 2; wrong != (want != "") || !strings.Contains(problems.String(), want) {
			t.Errorf("%q: code %d, %s%s, want %s", text, code, out.String(), problems.String(), want)
		}
	}
}

// The time of a request grows with its events and not with their square: the others wait for it.
func TestManySmallEvents(t *testing.T) {
	events := make([]incoming, 300_000)
	for i := range events {
		events[i].event = schema.Event{
			EventID: fmt.Sprintf("%08d", i), PropertyID: "p", TableID: "t", Payload: &schema.NoticePosted{},
		}
	}
	group := grouping{box: &outbox{}, last: map[tableKey]uint64{}, known: map[eventKey]known{}}
	began := time.Now()
	if _, err := group.add(events); err != nil {
		t.Fatal(err)
	}
	testkit.Within(t, fmt.Sprintf("%d events", len(events)), time.Since(began), 20*time.Second)
	same := events[:1:1]
	same = append(same, events[0])
	same[1].sum[0]++
	if _, err := (&grouping{box: &outbox{}}).add(same); err == nil {
		t.Error("one event_id with two contents is accepted")
	}
}
