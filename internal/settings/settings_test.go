package settings_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/ingest"
	"github.com/shoeproof/shoeproof/internal/settings"
)

const goodKey = "sixteen-bytes-or-more"

// execute runs ingest in this folder and gives the exit code and both streams. It must not get as far
// as to open its port.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	root := ingest.Command(ingest.Options{
		Version:   "test",
		Listening: func(addr string) { t.Errorf("%v: it listens at %s", args, addr) },
	})
	code = cli.Execute(t.Context(), root, args, cli.Streams{Out: &out, Err: &errs})
	return code, out.String(), errs.String()
}

func put(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func TestWrongSettings(t *testing.T) {
	for _, c := range []struct {
		name, file string
		env, args  []string
		want       []string
	}{
		{
			name: "unknown key", file: "kafka:\n  toppic: x\n",
			want: []string{"c.yaml:2: kafka.toppic: unknown key, did you mean kafka.topic?"},
		},
		{name: "unknown section", file: "kafk: {}\n", want: []string{"c.yaml:1: kafk: unknown key, did you mean kafka?"}},
		{
			name: "key for a terminal", file: "http:\n  \"\\e[31mred\\u202e\": 1\n",
			want: []string{`c.yaml:2: "http.\x1b[31mred\u202e": unknown key`},
		},
		{name: "nothing like it", file: "colour: green\n", want: []string{"c.yaml:1: colour: unknown key"}},
		{
			name: "key too deep", file: "kafka:\n  topic:\n    name: x\n",
			want: []string{"c.yaml:3: kafka.topic: want a value"},
		},
		{name: "section as a value", file: "kafka: yes\n", want: []string{"c.yaml:1: kafka: want keys and values"}},
		{name: "list as a file", file: "- a\n", want: []string{"c.yaml:1: the file: want keys and values"}},
		{name: "key twice", file: "log:\n  level: info\n  level: warn\n", want: []string{"c.yaml:3: log.level: given twice"}},
		{name: "no yaml", file: "kafka: [\n", want: []string{"c.yaml:2: did not find"}},
		{
			name: "no end of a list", file: "kafka:\n  brokers: [127.0.0.1:9\n", env: []string{"SHOEPROOF_PATRON_KEY="},
			want: []string{"configuration: c.yaml:2: did not find expected ',' or ']'"}, // and nothing of the file
		},
		{name: "two documents", file: "log: {}\n---\nlog: {}\n", want: []string{"c.yaml: more than one document"}},
		{
			name: "bomb", file: "log: {level: &a x}\nrulebooks: [*a, *a]\n",
			want: []string{"c.yaml:2: rulebooks: want plain values"},
		},
		{
			name: "bomb of sections", file: "a: &a [x, x]\nb: &b [*a, *a, *a]\nkafka: *b\n",
			want: []string{"c.yaml:1: a: unknown key", "c.yaml:2: b: unknown key", "kafka: want keys and values"},
		},
		{
			name: "traces in the clear", file: "tracing:\n  endpoint: http://otel.casino.example:4318\n",
			want: []string{"tracing.endpoint: ", "sends in the clear: want https, or tracing.plain"},
		},
		{
			name: "traces nowhere", file: "tracing: {endpoint: \"otel:4318\"}\n",
			want: []string{"tracing.endpoint: want https://HOST"},
		},
		{
			name: "an authority for no TLS", file: "tracing: {endpoint: \"http://127.0.0.1:4318\", ca_file: none.pem}\n",
			want: []string{"tracing.ca_file: given, but tracing.endpoint is not https"},
		},
		{
			name: "a public secret of traces", file: "tracing: {authorization_file: shared-secret}\n",
			want: []string{"tracing.authorization_file: "},
		},
		{
			name: "merged keys", file: "kafka: &k {topic: x}\nhttp:\n  <<: *k\n",
			want: []string{"c.yaml:3: http.<<: unknown key"},
		},
		{
			name: "alias that defines itself", file: "kafka: &k\n  topic: *k\n",
			want: []string{"c.yaml:2: kafka.topic: want a value"},
		},
		{name: "key that is a list", file: "[kafka]: x\n", want: []string{"c.yaml:1: "}},
		{name: "tabs", file: "kafka:\n\ttopic: x\n", want: []string{"c.yaml:2: found character"}},
		{
			name: "bytes that are no text", file: "kafka: {topic: \"\xff\xfe\"}\n",
			want: []string{"c.yaml:1: invalid leading UTF-8"},
		},
		{name: "map as a list", file: "kafka:\n  brokers: {a: 1}\n", want: []string{"c.yaml:2: kafka.brokers: want a value"}},
		{
			name: "list as a value", file: "kafka:\n  topic: [a, b]\n",
			want: []string{"c.yaml:2: kafka.topic: want a value"},
		},
		{
			name: "list as a map", file: "calendar:\n  shifts: [day]\n",
			want: []string{`calendar.shifts: "day", want distinct names`},
		},
		{name: "a folder", args: []string{"--config", "."}, want: []string{"read configuration: read .: is a directory"}},
		{
			name: "no file of the environment", env: []string{"SHOEPROOF_CONFIG=nothing.yaml"},
			want: []string{"nothing.yaml: no such file"},
		},
		{
			name: "nested list", file: "kafka:\n  brokers: [[a]]\n",
			want: []string{"c.yaml:2: kafka.brokers: want plain values"},
		},
		{name: "huge file", file: strings.Repeat("# comment\n", 1<<17), want: []string{"c.yaml: more than 1048576 bytes"}},
		{name: "no file", args: []string{"--config", "nothing.yaml"}, want: []string{"nothing.yaml: no such file"}},
		{
			name: "duration", file: "flush:\n  every: soon\n",
			want: []string{`flush.every: "soon", want a duration such as 500ms or 2s (from c.yaml:2)`},
		},
		{
			name: "duration without unit", env: []string{"SHOEPROOF_FLUSH_EVERY=5"},
			want: []string{`flush.every: "5", want a duration`, "(from SHOEPROOF_FLUSH_EVERY)"},
		},
		{name: "negative duration", file: "flush: {every: -1s}\n", want: []string{"flush.every: -1s, want 1ms to 1m"}},
		{name: "no number", file: "flush: {rows: many}\n", want: []string{`flush.rows: "many", want a whole number`}},
		{name: "fraction", file: "flush: {rows: 1.5}\n", want: []string{`flush.rows: "1.5", want a whole number`}},
		{
			name: "no rows", env: []string{"SHOEPROOF_FLUSH_ROWS=0"},
			want: []string{"flush.rows: 0, want 1 to 500000 (from SHOEPROOF_FLUSH_ROWS)"},
		},
		{
			name: "too seldom", file: "flush:\n  every: 61s\n",
			want: []string{"flush.every: 1m1s, want 1ms to 1m (from c.yaml:2)"},
		},
		{
			name: "idle too soon", file: "snapshot: {idle: 59s}\n",
			want: []string{"snapshot.idle: 59s, want 1m to 24h (from c.yaml:1)"},
		},
		{
			name: "idle too late", env: []string{"SHOEPROOF_SNAPSHOT_IDLE=25h"},
			want: []string{"snapshot.idle: 25h0m0s, want 1m to 24h (from SHOEPROOF_SNAPSHOT_IDLE)"},
		},
		{
			name: "short wait", file: "reorder: {max_wait: 10ms}\n",
			want: []string{"reorder.max_wait: 10ms, want 1s to 1h, or 0s (from c.yaml:1)"},
		},
		{name: "idle without unit", args: []string{"--snapshot-idle", "30"}, want: []string{"--snapshot-idle"}},
		{
			name: "few offsets", args: []string{"--snapshot-offsets", "999"},
			want: []string{"snapshot.offsets: 999, want 1000 to 10000000 (from --snapshot-offsets)"},
		},
		{
			name: "many offsets", file: "snapshot:\n  offsets: 10000001\n",
			want: []string{"snapshot.offsets: 10000001, want 1000 to 10000000 (from c.yaml:2)"},
		},
		{name: "duration beyond all", args: []string{"--flush-every", "9999999h"}, want: []string{"--flush-every"}},
		{
			name: "flag without a value", args: []string{"--kafka-topic"},
			want: []string{"flag needs an argument: --kafka-topic"},
		},
		{
			name: "negative rows", args: []string{"--flush-rows", "-1"},
			want: []string{"flush.rows: -1, want 1 to 500000 (from --flush-rows)"},
		},
		{name: "rows beyond an int", file: "flush: {rows: 99999999999999999999}\n", want: []string{"flush.rows:"}},
		{name: "flag of a wrong kind", args: []string{"--flush-rows", "many"}, want: []string{"--flush-rows"}},
		{name: "unknown flag", args: []string{"--kafka-toppic", "x"}, want: []string{"unknown flag: --kafka-toppic"}},
		{
			name: "a secret has no flag", args: []string{"--clickhouse-password", "x"},
			want: []string{"unknown flag: --clickhouse-password"},
		},
		{name: "argument", args: []string{"now"}, want: []string{`unknown command "now"`}},
		{
			name: "bool", file: "kafka: {tls: {enabled: perhaps}}\n",
			want: []string{`kafka.tls.enabled: "perhaps", want true or false`},
		},
		{
			name: "unknown variable", env: []string{"SHOEPROOF_KAFKA_TOPC=x"},
			want: []string{"SHOEPROOF_KAFKA_TOPC: unknown variable, did you mean SHOEPROOF_KAFKA_TOPIC?"},
		},
		{name: "no broker", file: "kafka: {brokers: []}\n", want: []string{"kafka.brokers: none, want host:port"}},
		{
			name: "broker without port", file: "kafka: {brokers: [kafka]}\n",
			want: []string{`kafka.brokers: "kafka", want host:port`},
		},
		{
			name: "broker with a wrong port", env: []string{"SHOEPROOF_KAFKA_BROKERS=a:1,b:70000"},
			want: []string{`kafka.brokers: "b:70000", want host:port`},
		},
		{
			name: "broker without host", file: "kafka: {brokers: [':9092']}\n",
			want: []string{`kafka.brokers: ":9092", want host:port`},
		},
		{
			name: "broker at port 0", file: "kafka: {brokers: ['a:0']}\n",
			want: []string{`kafka.brokers: "a:0", want host:port`},
		},
		{
			name: "broker as an address of the web", file: "kafka: {brokers: ['https://a:9092']}\n",
			want: []string{`kafka.brokers: "https://a:9092", want host:port`},
		},
		{
			name: "ClickHouse without port", file: "clickhouse:\n  addrs: [ch]\n",
			want: []string{`clickhouse.addrs: "ch", want host:port (from c.yaml:2)`},
		},
		{
			name: "mechanism in capitals", file: "kafka: {sasl: {mechanism: PLAIN, username: u}}\n",
			want: []string{`kafka.sasl.mechanism: "PLAIN", want plain`},
		},
		{
			name: "password without mechanism", env: []string{"SHOEPROOF_KAFKA_SASL_PASSWORD=canary"},
			want: []string{"kafka.sasl.password: given without kafka.sasl.mechanism, want plain"},
		},
		{name: "no topic", file: "kafka: {topic: ''}\n", want: []string{"kafka.topic: required, and not set"}},
		{name: "no group", file: "kafka: {group: ''}\n", want: []string{"kafka.group: required, and not set"}},
		{
			name: "mechanism", file: "kafka: {sasl: {mechanism: kerberos}}\n",
			want: []string{`kafka.sasl.mechanism: "kerberos", want plain`},
		},
		{
			name: "account without mechanism", file: "kafka: {sasl: {username: me}}\n",
			want: []string{"kafka.sasl.username: given without kafka.sasl.mechanism, want plain"},
		},
		{
			name: "mechanism without account", file: "kafka: {sasl: {mechanism: plain}}\n",
			want: []string{"kafka.sasl.mechanism: plain without kafka.sasl.username"},
		},
		{
			name: "certificate without TLS", file: "kafka: {tls: {ca_file: ca.pem}}\n",
			want: []string{"kafka.tls.ca_file: given, but kafka.tls.enabled is false"},
		},
		{
			name: "no authority", file: "kafka: {tls: {enabled: true, ca_file: nothing.pem}}\n",
			want: []string{"kafka.tls.ca_file: open nothing.pem"},
		},
		{
			name: "authority that is none", file: "kafka: {tls: {enabled: true, ca_file: c.yaml}}\n",
			want: []string{"kafka.tls.ca_file: c.yaml: no certificate"},
		},
		{
			name: "certificate without key", file: "clickhouse: {tls: {enabled: true, cert_file: c.pem}}\n",
			want: []string{"clickhouse.tls.cert_file: a certificate needs its key"},
		},
		{
			name: "certificate that is none", file: "clickhouse: {tls: {enabled: true, cert_file: c.yaml, key_file: c.yaml}}\n",
			want: []string{"clickhouse.tls.key_file: c.yaml is readable by everyone (mode 0644), want 0400"},
		},
		{
			name: "key that is none", file: "clickhouse: {tls: {enabled: true, cert_file: c.yaml, key_file: secret}}\n",
			want: []string{"clickhouse.tls.cert_file: tls: failed to find any PEM data"},
		},
		{
			name: "no key file", file: "kafka: {tls: {enabled: true, cert_file: c.yaml, key_file: nothing.pem}}\n",
			want: []string{"kafka.tls.key_file: stat nothing.pem"},
		},
		{
			name: "key file that is a folder", file: "kafka: {tls: {enabled: true, cert_file: c.yaml, key_file: .}}\n",
			want: []string{"kafka.tls.key_file: . is not a file"},
		},
		{
			name: "key without certificate", file: "kafka: {tls: {enabled: true, key_file: secret}}\n",
			want: []string{"kafka.tls.key_file: a certificate needs its key"},
		},
		{
			name: "name without TLS", file: "clickhouse: {tls: {server_name: ch}}\n",
			want: []string{"clickhouse.tls.server_name: given, but clickhouse.tls.enabled is false"},
		},
		{
			name: "authority that is a folder", file: "kafka: {tls: {enabled: true, ca_file: .}}\n",
			want: []string{"kafka.tls.ca_file: read .: is a directory"},
		},
		{
			name: "database", file: "clickhouse: {database: 'a; DROP'}\n",
			want: []string{`clickhouse.database: "a; DROP", want letters`},
		},
		{name: "cluster", file: "clickhouse: {cluster: '{x}'}\n", want: []string{`clickhouse.cluster: "{x}"`}},
		{name: "user", file: "clickhouse: {user: ''}\n", want: []string{"clickhouse.user: required, and not set"}},
		{name: "no ClickHouse", file: "clickhouse: {addrs: ''}\n", want: []string{"clickhouse.addrs: none"}},
		{name: "zone", file: "calendar: {zone: Atlantic/City}\n", want: []string{"calendar.zone: ", "Atlantic/City"}},
		{name: "local zone", file: "calendar: {zone: Local}\n", want: []string{"calendar.zone: "}},
		{
			name: "rollover between quarters", args: []string{"--calendar-rollover", "06:10"},
			want: []string{`calendar.rollover: "06:10": want hours and minutes at a quarter`},
		},
		{
			name: "rollover", file: "calendar: {rollover: 6am}\n",
			want: []string{`calendar.rollover: `, `"6am": want hours and minutes`},
		},
		{name: "shift", file: "calendar: {shifts: {day: '25:00'}}\n", want: []string{"calendar.shifts: ", `"25:00"`}},
		{
			name: "all of a calendar", file: "calendar: {zone: Atlantic/City, rollover: 6am, shifts: {b: noon, a: ten}}\n",
			want: []string{
				"calendar.zone: unknown time zone Atlantic/City", `calendar.rollover: "6am"`, "calendar.shifts: calendar shift a",
			},
		},
		{
			name: "rulebooks that are not there", file: "rulebooks: [one.yaml, two.yaml]\n",
			want: []string{"rulebooks: open one.yaml: no such", "open two.yaml: no such"},
		},
		{
			name: "shift without a time", args: []string{"--calendar-shifts", "day"},
			want: []string{`calendar.shifts: "day", want distinct names`},
		},
		{name: "rulebook", file: "rulebooks: [nothing.yaml]\n", want: []string{"rulebooks: open nothing.yaml"}},
		{
			name: "rulebook that is none", file: "rulebooks: [c.yaml]\n",
			want: []string{"rulebooks: c.yaml:1: rulebooks: unknown key"},
		},
		{name: "listen", file: "http: {listen: 9464}\n", want: []string{`http.listen: "9464", want host:port`}},
		{
			name: "port beyond all", file: "http: {listen: ':70000'}\n",
			want: []string{`http.listen: ":70000", want host:port`},
		},
		{name: "no listen", file: "http: {listen: ''}\n", want: []string{`http.listen: "", want host:port`}},
		{name: "level", file: "log: {level: loud}\n", want: []string{`log.level: "loud", want debug, info, warn or error`}},
		{name: "format", file: "log: {format: xml}\n", want: []string{`log.format: "xml", want json or text`}},
		{name: "no key", env: []string{"SHOEPROOF_PATRON_KEY="}, want: []string{"patron_key: none"}},
		{
			name: "short key", env: []string{"SHOEPROOF_PATRON_KEY=canary"},
			want: []string{"patron_key: 6 bytes, want 16 or more"},
		},
		{
			name: "secret twice", file: "clickhouse: {password: canary, password_file: secret}\n",
			want: []string{"clickhouse.password_file: the secret is also set directly"},
		},
		{
			name: "no secret file", file: "clickhouse: {password_file: nothing}\n",
			want: []string{"clickhouse.password_file: stat nothing"},
		},
		{
			name: "open secret file", file: "kafka: {sasl: {mechanism: plain, username: u, password_file: open-secret}}\n",
			want: []string{"kafka.sasl.password_file: open-secret is readable by everyone (mode 0644)"},
		},
		{
			name: "secret file of the group", file: "clickhouse: {password_file: group-secret}\n",
			want: []string{"clickhouse.password_file: group-secret is readable by its group (mode 0440), want 0400"},
		},
		{
			name: "secret file that the group writes", file: "clickhouse: {password_file: shared-secret}\n",
			want: []string{"clickhouse.password_file: shared-secret is readable by its group (mode 0460)"},
		},
		{
			name: "secret file that is a folder", file: "clickhouse: {password_file: .}\n",
			want: []string{"clickhouse.password_file: . "},
		},
		{
			name: "open key", file: "patron_key_file: open-secret\n", env: []string{"SHOEPROOF_PATRON_KEY="},
			want: []string{"patron_key_file: open-secret is readable by everyone"},
		},
		{
			name: "no key file for patrons", file: "patron_key_file: nothing\n", env: []string{"SHOEPROOF_PATRON_KEY="},
			want: []string{"patron_key_file: stat nothing"},
		},
		{
			name: "key twice over", file: "patron_key_file: secret\n",
			want: []string{"patron_key_file: the secret is also set directly"},
		},
		{
			name: "huge secret", file: "clickhouse: {password_file: huge}\n",
			want: []string{"clickhouse.password_file: huge: more than 1048576 bytes"},
		},
		{
			name: "empty secret file", file: "clickhouse: {password_file: empty}\n",
			want: []string{"clickhouse.password_file: empty is empty"},
		},
		{
			name: "all at once", file: "kafka: {topic: ''}\nlog: {level: loud}\nnonsense: 1\n",
			env: []string{"SHOEPROOF_NONSENSE=1"},
			want: []string{
				"configuration, 4 errors:", "kafka.topic", "log.level", "c.yaml:3: nonsense",
				"SHOEPROOF_NONSENSE",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("SHOEPROOF_PATRON_KEY", goodKey)
			for _, pair := range c.env {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			put(t, "open-secret", "canary", 0o644)
			put(t, "group-secret", "canary", 0o440)
			put(t, "shared-secret", "canary", 0o460)
			put(t, "secret", "canary-of-sixteen", 0o400)
			put(t, "empty", "\n", 0o400)
			put(t, "huge", strings.Repeat("canary\n", 1<<18), 0o400)
			args := c.args
			if c.file != "" {
				put(t, "c.yaml", c.file, 0o644)
				args = append(args, "--config", "c.yaml")
			}
			code, stdout, stderr := execute(t, args...)
			if code != cli.Usage {
				t.Errorf("exit code %d, want %d", code, cli.Usage)
			}
			for _, want := range c.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("want %q in:\n%s", want, stderr)
				}
			}
			if c.file != "" && !strings.Contains(stderr, "c.yaml: ") && !regexp.MustCompile(`c\.yaml:\d+`).MatchString(stderr) {
				t.Errorf("no line of the file in:\n%s", stderr)
			}
			if strings.Contains(stdout+stderr, "canary") {
				t.Errorf("a secret shows:\n%s%s", stdout, stderr)
			}
		})
	}
}

// What is wrong with the settings of audit, most of them the console's.
func TestWrongSettingsOfAudit(t *testing.T) {
	const access = "groups: {floor: [{role: operator, properties: [ac-1]}]}\n"
	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"listen", "listen: 8480", []string{`console.listen: "8480", want host:port`}},
		{"metrics", "metrics_listen: 9464", []string{`console.metrics_listen: "9464", want host:port`}},
		{
			"public URL", "public_url: 'https://audit.example/console'",
			[]string{`console.public_url: "https://audit.example/console", want a URL such as https://audit.example, without a path`},
		},
		{
			"in the clear", "public_url: 'http://audit.example'",
			[]string{"is not an https URL, and sessions must not cross a network in the clear"},
		},
		{"certificate without key", "cert_file: c.pem", []string{"console.cert_file: a certificate needs its key"}},
		{
			"in the clear on all addresses", "{listen: ':8480', public_url: 'http://127.0.0.1:8480', sign_in: token, " +
				"access_file: access.yaml}", []string{`console.listen: ":8480" is reached by other hosts in the clear`},
		},
		{
			"in the clear on an address", "{listen: '10.0.0.5:8480', public_url: 'http://localhost:8480', sign_in: token, " +
				"access_file: access.yaml}", []string{`console.listen: "10.0.0.5:8480" is reached by other hosts in the clear`},
		},
		{
			"open key of the certificate", "{cert_file: c.pem, key_file: open-secret}",
			[]string{"console.key_file: open-secret is readable by everyone (mode 0644), want 0400"},
		},
		{
			"access file that anyone may write", "{sign_in: token, access_file: open-access}",
			[]string{"console.access_file: open-access is writable by everyone (mode 0666)"},
		},
		{
			"a secret in an open settings file", "webhook: {url: 'https://hook', secret: canary-of-sixteen}",
			[]string{"c.yaml:2: console.webhook.secret: the secret is in the settings file, and c.yaml is readable by everyone"},
		},
		{"sign-in", "sign_in: ldap", []string{`console.sign_in: "ldap", want oidc, proxy, token or none`}},
		{
			"everybody", "listen: ':8480'",
			[]string{`console.sign_in: none, but console.listen ":8480" is not a loopback address`},
		},
		{"tokens of nobody", "sign_in: token", []string{"console.access_file: required, and not set"}},
		{"no access file", "{sign_in: token, access_file: nothing.yaml}", []string{"console.access_file: open nothing.yaml"}},
		{"access file that is none", "{sign_in: token, access_file: c.yaml}", []string{"console.access_file: "}},
		{
			"issuer", "{sign_in: oidc, access_file: access.yaml, oidc: {client_id: c, issuer: 'http://id.example'}}",
			[]string{`console.oidc.issuer: "http://id.example", want an https URL`},
		},
		{
			"no client", "{sign_in: oidc, access_file: access.yaml, oidc: {issuer: 'https://id.example'}}",
			[]string{"console.oidc.client_id: required, and not set"},
		},
		{
			"proxy from nowhere", "{sign_in: proxy, access_file: access.yaml, proxy: {secret_file: long}}",
			[]string{"console.proxy.from: want networks such as 10.0.3.0/24"},
		},
		{
			"proxy from a name", "{sign_in: proxy, access_file: access.yaml, proxy: {secret_file: long, from: [gate]}}",
			[]string{"console.proxy.from: want networks such as 10.0.3.0/24"},
		},
		{"short secret of the proxy", "{sign_in: proxy, access_file: access.yaml, proxy: {secret_file: secret, from: " +
			"[10.0.3.0/24]}}", []string{"console.proxy.secret: 17 bytes, want 32 or more"}},
		{
			"webhook", "webhook: {url: 'ftp://hook', secret_file: secret}",
			[]string{`console.webhook.url: "ftp://hook", want an http or https URL`},
		},
		{
			"webhook that signs nothing", "webhook: {url: 'https://hook'}",
			[]string{"console.webhook.secret: 0 bytes, want 16 or more"},
		},
		{
			"open secret of the webhook", "webhook: {url: 'https://hook', secret_file: open-secret}",
			[]string{"console.webhook.secret_file: open-secret is readable by everyone"},
		},
		{
			"recordings", "video: {template: 'file:///{camera}'}",
			[]string{`console.video.template: "file:///{camera}", want an http, https or vms URL`},
		},
		{"short key of the chains", "chain_key: short", []string{"console.chain_key: key 1 has 5 bytes, want 32 or more"}},
		{"recordings of the past", "video: {keep_days: -1}", []string{"console.video.keep_days: want 0 or more"}},
		{
			"critical recordings of the past", "video: {keep_critical_days: -1}",
			[]string{"console.video.keep_days: want 0 or more"},
		},
		{"amount", "high_amount: -5", []string{"console.high_amount: want 0 or more"}},
		{"amount with a point", "high_amount: 10.50", []string{`console.high_amount: "10.5`, "want a whole number"}},
		{
			"notices without brokers", "notify_topic: alarms\nkafka: {brokers: []}",
			[]string{"kafka.brokers: none, want host:port"},
		},
		{
			"archive's password alone", "archive: {password_file: secret}",
			[]string{"console.archive.password: given without console.archive.user"},
		},
		{
			"archive's open password", "archive: {user: a, password_file: open-secret}",
			[]string{"console.archive.password_file: open-secret is readable by everyone"},
		},
		{
			"archive's password twice", "archive: {user: a, password: canary, password_file: secret}",
			[]string{"console.archive.password_file: the secret is also set directly"},
		},
		{
			"unknown key", "archive: {usr: a}",
			[]string{"console.archive.usr: unknown key, did you mean console.archive.user?"},
		},
		{"retention", "high_amount: 1\nretention: {events: 6}", []string{"retention.events: 6, want 7 to 100 years"}},
		{"signing key", "high_amount: 1\nexport: {key_file: nothing}", []string{"export.key_file: stat nothing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "open-secret", "canary", 0o644)
			put(t, "secret", "canary-of-sixteen", 0o400)
			put(t, "long", "canary-of-32-bytes-or-more-than-that", 0o400)
			put(t, "access.yaml", access, 0o600)
			put(t, "open-access", access, 0o666)
			first, rest, _ := strings.Cut(c.file, "\n")
			if strings.HasPrefix(first, "{") {
				first = "console: " + first
			} else {
				first = "console:\n  " + first
			}
			put(t, "c.yaml", first+"\n"+rest+"\n", 0o644)
			root := &cobra.Command{Use: "audit"}
			root.AddCommand(settings.Command("audit", func() any { c := settings.DefaultAudit(); return &c }))
			var out, errs bytes.Buffer
			code := cli.Execute(t.Context(), root, []string{"config", "validate", "--config", "c.yaml"},
				cli.Streams{Out: &out, Err: &errs})
			if code != cli.Usage {
				t.Errorf("exit code %d, want %d", code, cli.Usage)
			}
			for _, want := range c.want {
				if !strings.Contains(errs.String(), want) {
					t.Errorf("want %q in:\n%s", want, errs.String())
				}
			}
			if strings.Contains(out.String()+errs.String(), "canary") {
				t.Errorf("a secret shows:\n%s%s", out.String(), errs.String())
			}
		})
	}
}

// What listens in the clear where that is meant, and secrets in a private settings file, are accepted.
func TestPlainWhereItIsMeant(t *testing.T) {
	for name, text := range map[string]string{
		"a container":        "{listen: ':8480', public_url: 'http://127.0.0.1:8480', listen_plain: true}",
		"behind a proxy":     "{listen: ':8480', public_url: 'https://audit.example'}",
		"loopback":           "{listen: '127.0.0.1:8480'}",
		"an inline secret":   "{webhook: {url: 'https://hook', secret: canary-of-sixteen}}",
		"a listening IPv6":   "{listen: '[::1]:8480', public_url: 'http://localhost:8480'}",
		"an empty, open one": "{webhook: {secret: ''}}",
	} {
		t.Chdir(t.TempDir())
		put(t, "access.yaml", "groups: {floor: [{role: operator, properties: [ac-1]}]}\n", 0o644)
		mode := os.FileMode(0o600)
		if strings.HasPrefix(name, "an empty") {
			mode = 0o644
		}
		put(t, "c.yaml", "console: "+strings.Replace(text, "{", "{sign_in: token, access_file: access.yaml, ", 1)+"\n", mode)
		root := &cobra.Command{Use: "audit"}
		root.AddCommand(settings.Command("audit", func() any { c := settings.DefaultAudit(); return &c }))
		var errs bytes.Buffer
		code := cli.Execute(t.Context(), root, []string{"config", "validate", "--config", "c.yaml"},
			cli.Streams{Out: io.Discard, Err: &errs})
		if code != cli.Done {
			t.Errorf("%s: exit code %d: %s", name, code, &errs)
		}
	}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "password"), "canary-of-the-file\n", 0o400)
	put(t, filepath.Join(dir, "c.yaml"), `
kafka: {brokers: [a:1, b:2], topic: from-file, group: from-file, tls: {plain: true}}
clickhouse: {addrs: 'c:3, d:4', password_file: `+dir+`/password, user: 0123}
calendar: {zone: UTC, shifts: {Late: '17:00'}}
flush: {every: 2s, rows: }
`, 0o644)
	t.Setenv("SHOEPROOF_CONFIG", filepath.Join(dir, "c.yaml"))
	t.Setenv("SHOEPROOF_PATRON_KEY", goodKey)
	t.Setenv("SHOEPROOF_KAFKA_TOPIC", "from-env")
	t.Setenv("SHOEPROOF_KAFKA_GROUP", "from-env")
	t.Setenv("SHOEPROOF_TEST_OURS", "1")
	code, stdout, stderr := execute(t, "config", "print", "--kafka-group", "from-flag", "--clickhouse-tls-enabled")
	if code != cli.Done || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{
		"brokers: ['a:1', 'b:2'] # from ", "addrs: ['c:3', 'd:4'] # from ", "topic: from-env # from SHOEPROOF_KAFKA_TOPIC",
		"group: from-flag # from --kafka-group", "enabled: true # from --clickhouse-tls-enabled", `user: "0123"`,
		"{Late: \"17:00\"}", "zone: UTC", "every: 2s", "rows: 200000\n", "password: '****'",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("want %q in:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "canary") || strings.Contains(stdout, goodKey) {
		t.Errorf("a secret shows:\n%s", stdout)
	}
}

func TestSecretsPrintMasked(t *testing.T) {
	s := settings.Secret("canary")
	text, err := s.MarshalText()
	if err != nil || string(text) != "****" || s.String() != "****" || s.GoString() != "****" ||
		settings.Secret("").String() != "" {
		t.Errorf("%s, %s, %#v: %v", text, s, s, err)
	}
}
