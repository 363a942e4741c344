//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/ingest"
	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

const topic = "table-events"

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	if os.Getenv(childEnv) != "" {
		main()
	}
	if os.Getenv("SHOEPROOF_PATRON_KEY") == "" {
		_ = os.Setenv("SHOEPROOF_PATRON_KEY", "a-key-for-tests-only")
	}
	os.Exit(m.Run())
}

func startKafka(t testing.TB, more ...kfake.Opt) *engine.Kafka {
	t.Helper()
	k, err := engine.StartKafka(engine.KafkaOptions{Topics: map[string]int32{topic: 4}, More: more})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	return k
}

func startClickHouse(t testing.TB, users string) *engine.ClickHouse {
	t.Helper()
	return enginetest.ClickHouse(t, engine.ClickHouseOptions{Users: users})
}

// databases creates the databases of this test binary. Each test starts a server of its own.
var databases clickhousetest.Server

func migrate(t testing.TB, ch *engine.ClickHouse) clickhouse.Config {
	t.Helper()
	return databases.MigratedAs(t, ch, "shoeproof")
}

// process is an ingest that runs.
type process struct {
	addr   string // of HTTP
	stderr testkit.Log
	stop   context.CancelFunc
	code   chan int
}

func start(t testing.TB, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := &process{stop: cancel, code: make(chan int, 1)}
	listening := make(chan string, 1)
	command := ingest.Command(ingest.Options{Version: "test", Listening: func(addr string) { listening <- addr }})
	go func() {
		p.code <- cli.Execute(ctx, command, append([]string{"--http-listen", "127.0.0.1:0"}, args...),
			cli.Streams{Out: io.Discard, Err: &p.stderr})
	}()
	select {
	case p.addr = <-listening:
	case code := <-p.code:
		p.code <- code
	}
	t.Cleanup(func() { p.end(t) })
	return p
}

// end stops the process and returns the exit code.
func (p *process) end(t testing.TB) int {
	t.Helper()
	p.stop()
	return p.wait(t)
}

func (p *process) wait(t testing.TB) int {
	t.Helper()
	select {
	case code := <-p.code:
		p.code <- code
		return code
	case <-time.After(5 * time.Minute): // on a busy machine; it takes less than a second
		t.Fatalf("it does not end:\n%s", p.stderr.String())
		return -1
	}
}

// probe is the status of a page, and its text.
func (p *process) probe(t testing.TB, path string) (int, string) {
	t.Helper()
	return monitortest.Get(t, "http://"+p.addr+path)
}

// lastLine is what an operator sees of an error.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestWrongConfigurationEndsIt(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	kafka := startKafka(t)
	missing := []string{"--kafka-brokers", kafka.Addrs[0], "--clickhouse-addrs", ch.Addr}
	tests := []struct {
		name     string
		migrated bool
		args     []string
		want     []string
	}{
		{name: "no tables yet", args: missing, want: []string{"database shoeproof has schema 0", "audit migrate"}},
		{
			name: "no such topic", migrated: true, args: append([]string{"--kafka-topic", "no-such"}, missing...),
			want: []string{"kafka topic no-such does not exist at " + kafka.Addrs[0]},
		},
		{
			name: "port taken", migrated: true, args: append([]string{"--http-listen", ch.HTTPAddr}, missing...),
			want: []string{"http.listen: ", "address already in use"},
		},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			if c.migrated {
				migrate(t, ch)
			}
			refused(t, start(t, c.args...), c.want...)
		})
	}
}

// refused checks that a process ends as wrong usage, with a one-line error.
func refused(t testing.TB, p *process, wants ...string) {
	t.Helper()
	if code := p.wait(t); code != cli.Usage {
		t.Errorf("exit code %d, want %d", code, cli.Usage)
	}
	said := p.stderr.String()
	for _, want := range wants {
		if !strings.Contains(lastLine(said), want) {
			t.Errorf("want %q in the last line of:\n%s", want, said)
		}
	}
}

func TestClickHouseRefusesThePassword(t *testing.T) {
	const canary = "canary-92"
	ch := startClickHouse(t, `<clickhouse>
<profiles><default/></profiles><quotas><default/></quotas>
<users><default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<guarded><password>another</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></guarded></users>
</clickhouse>`)
	t.Setenv("SHOEPROOF_CLICKHOUSE_PASSWORD", canary)
	p := start(t, "--clickhouse-user", "guarded", "--kafka-brokers", "127.0.0.1:1", "--clickhouse-addrs", ch.Addr)
	refused(t, p, "clickhouse "+ch.Addr, `"guarded"`, "password")
	if said := p.stderr.String(); strings.Contains(said, canary) {
		t.Errorf("the password shows:\n%s", said)
	}
}

// These brokers close the connection of a refused account without an error, which may be temporary: ingest retries, is
// not ready, and names the setting.
func TestKafkaRefusesThePassword(t *testing.T) {
	const canary = "canary-91"
	ch := startClickHouse(t, "")
	migrate(t, ch)
	guarded := startKafka(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "admin", "another"))
	t.Setenv("SHOEPROOF_KAFKA_SASL_PASSWORD", canary)
	p := start(t, "--kafka-brokers", guarded.Addrs[0], "--clickhouse-addrs", ch.Addr, "--kafka-sasl-mechanism", "plain",
		"--kafka-sasl-username", "admin")
	testkit.Await(t, "it names the setting", func() bool { return strings.Contains(p.stderr.String(), "kafka.sasl") })
	if code, _ := p.probe(t, "/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("/readyz is %d", code)
	}
	if code := p.end(t); code != cli.Done {
		t.Errorf("exit code %d, want %d", code, cli.Done)
	}
	if said := p.stderr.String(); strings.Contains(said, canary) {
		t.Errorf("the password shows:\n%s", said)
	}
}

// While the servers do not answer it stays up, logs it, and stops on a signal.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	const nobody = "127.0.0.1:1"
	p := start(t, "--kafka-brokers", nobody, "--clickhouse-addrs", nobody)
	testkit.Await(t, "it says that ClickHouse does not answer",
		func() bool { return strings.Contains(p.stderr.String(), "ClickHouse does not answer") })
	if code, _ := p.probe(t, "/healthz"); code != http.StatusOK {
		t.Errorf("/healthz is %d", code)
	}
	if code, body := p.probe(t, "/readyz"); code != http.StatusServiceUnavailable || strings.Contains(body, nobody) {
		t.Errorf("/readyz is %d: %s", code, body)
	}
	if code, body := p.probe(t, "/metrics"); code != http.StatusOK || !strings.Contains(body,
		`shoeproof_build_info{program="ingest",rules=`) {
		t.Errorf("/metrics is %d: %s", code, body)
	}
	if code := p.end(t); code != cli.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, p.stderr.String())
	}
}

// Kafka may come after ingest.
func TestKafkaIsAway(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	migrate(t, ch)
	p := start(t, "--kafka-brokers", "127.0.0.1:1", "--clickhouse-addrs", ch.Addr)
	testkit.Await(t, "it says that Kafka does not answer",
		func() bool { return strings.Contains(p.stderr.String(), "Kafka request failed") })
	if code, _ := p.probe(t, "/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("/readyz is %d", code)
	}
	if code := p.end(t); code != cli.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, p.stderr.String())
	}
}

// The image of ingest has no other program that checks its settings.
func TestDoctorOfIngest(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{
		"doctor", "-o", "json", "--kafka-brokers", "127.0.0.1:1", "--clickhouse-addrs", "127.0.0.1:1",
	}, strings.NewReader(""), &out, &errs)
	for _, want := range []string{`"sound": false`, `"area": "configuration"`, `"area": "clickhouse"`, `"fix": "`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
	if code != cli.Failed || !strings.HasPrefix(errs.String(), "ingest: checks failed: ") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	if names := cli.WithoutExample(ingest.Command(ingest.Options{})); len(names) > 0 {
		t.Errorf("no example: %v", names)
	}
}
