//go:build unix

package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/doctor"
	"github.com/shoeproof/shoeproof/internal/ingest"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// The secrets of a whole installation, each to be found wherever it should not be.
var secrets = map[string]string{
	"kafka": "CANARY-kafka-5d1f", "writer": "CANARY-writer-77ab", "migrator": "CANARY-migrator-19c2",
	"reader": "CANARY-reader-c04e", "patrons": "CANARY-hmac-of-patrons-88d0",
}

const patronCanary = "CANARY-PATRON-"

// house is an installation as docs/security.md has it: TLS everywhere, an account with the least rights
// at Kafka, a user for each task at ClickHouse, secrets in files.
type house struct {
	papers *papers
	kafka  *engine.Kafka
	ch     *engine.ClickHouse
	args   []string // of ingest
}

func secured(t *testing.T) *house {
	t.Helper()
	if testing.Short() {
		t.Skip("starts engines")
	}
	h := &house{papers: issue(t)}
	roles, err := migrations.Layout{Database: "shoeproof"}.RoleXML()
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"writer", "reader", "console", "archive", "auditor", "migrator", "retention"} {
		sum := sha256.Sum256([]byte(secrets[role]))
		t.Setenv("SHOEPROOF_"+strings.ToUpper(role)+"_SHA256", hex.EncodeToString(sum[:]))
	}
	roles = strings.Replace(roles, "<profiles>", "<quotas><default/></quotas><profiles><default/>", 1)
	roles = strings.Replace(roles, "<users>",
		"<users><default><password/><networks><ip>127.0.0.1</ip></networks></default>", 1)
	h.ch = startClickHouse(t, roles)
	for _, role := range []string{"WRITER", "READER", "CONSOLE", "ARCHIVE", "AUDITOR", "MIGRATOR", "RETENTION"} {
		os.Unsetenv("SHOEPROOF_" + role + "_SHA256") // They are the server's; t.Setenv puts back what was before.
	}
	acl := func(resource kmsg.ACLResourceType, name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{
			Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op,
			Allow: true,
		}
	}
	h.kafka = startKafka(t, kfake.TLS(h.papers.server(t, "good", true)), kfake.EnableSASL(), kfake.EnableACLs(),
		kfake.Superuser("SCRAM-SHA-256", "floor", "floor"),
		kfake.User("SCRAM-SHA-512", "ingest", secrets["kafka"], acl(kmsg.ACLResourceTypeTopic, topic, kmsg.ACLOperationRead),
			acl(kmsg.ACLResourceTypeTopic, topic, kmsg.ACLOperationDescribe),
			acl(kmsg.ACLResourceTypeTopic, topic, kmsg.ACLOperationDescribeConfigs),
			acl(kmsg.ACLResourceTypeGroup, "shoeproof", kmsg.ACLOperationRead)))
	dir := t.TempDir()
	for name, secret := range secrets {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(secret+"\n"), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	for _, user := range []string{"migrator", "writer"} {
		config := clickhouse.Config{
			Addrs: []string{front(t, h.papers.server(t, "good", true), h.ch.Addr)}, Database: "shoeproof", User: "shoeproof_" +
				user, Password: clickhouse.Secret(secrets[user]),
			TLS: h.papers.server(t, "good", false),
		}
		config.TLS.RootCAs = h.papers.pool
		if user == "migrator" {
			if _, _, err := clickhouse.Migrate(t.Context(), config); err != nil {
				t.Fatal(err)
			}
			continue
		}
		h.args = []string{
			"--log-level", "debug", "--patron-key-file", filepath.Join(dir, "patrons"),
			"--clickhouse-addrs", config.Addrs[0], "--clickhouse-user", config.User, "--clickhouse-password-file",
			filepath.Join(dir, "writer"),
			"--kafka-brokers", h.kafka.Addrs[0], "--kafka-sasl-mechanism", "scram-sha-512", "--kafka-sasl-username", "ingest",
			"--kafka-sasl-password-file", filepath.Join(dir, "kafka"),
		}
		for _, section := range []string{"kafka", "clickhouse"} {
			h.args = append(h.args, "--"+section+"-tls-enabled", "--"+section+"-tls-ca-file", h.papers.file("ca.pem"),
				"--"+section+"-tls-cert-file", h.papers.file("good.pem"), "--"+section+"-tls-key-file", h.papers.file("good.key"))
		}
	}
	t.Setenv("SHOEPROOF_PATRON_KEY", "")
	return h
}

// publish writes records as the floor's account does.
func (h *house) publish(t *testing.T, records ...*kgo.Record) {
	t.Helper()
	config := h.papers.server(t, "good", false)
	config.RootCAs = h.papers.pool
	client, err := kgo.NewClient(kgo.SeedBrokers(h.kafka.Addrs...), kgo.DialTLSConfig(config),
		kgo.DefaultProduceTopic(topic),
		kgo.SASL(scram.Auth{User: "floor", Pass: "floor"}.AsSha256Mechanism()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// noSecret looks for every secret, also as a program would quote it.
func noSecret(t *testing.T, where, text string) {
	t.Helper()
	for name, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the secret %s shows in %s", name, where)
		}
	}
	if strings.Contains(text, patronCanary) {
		t.Errorf("a patron shows in %s", where)
	}
}

// naming gives every patron of the events a name to be found again.
func naming(events []schema.Event) (named int) {
	name := func(ref *string) {
		if *ref != "" {
			*ref = patronCanary + *ref
			named++
		}
	}
	for i := range events {
		if ev := &events[i]; ev.Actor.Role == schema.RolePatron {
			name(&ev.Actor.ID)
		}
		switch p := events[i].Payload.(type) {
		case *schema.SeatOccupied:
			name(&p.PatronRef)
		case *schema.SeatVacated:
			name(&p.PatronRef)
		case *schema.WagerPlaced:
			name(&p.PatronRef)
		}
	}
	return named
}

func (h *house) ask(t *testing.T, user, query string) string {
	t.Helper()
	at := url.URL{Scheme: "http", Host: h.ch.HTTPAddr, Path: "/", RawQuery: "database=shoeproof"}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.String(), strings.NewReader(query))
	if err != nil {
		t.Fatal(err)
	}
	if user != "default" {
		req.Header.Set("X-ClickHouse-User", "shoeproof_"+user)
		req.Header.Set("X-ClickHouse-Key", secrets[user])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s as %s: %v %.300s", query, user, err, body)
	}
	return strings.TrimSpace(string(body))
}

// An installation with minimal rights does all of its work, over TLS with certificates on both sides; no output has a
// secret, and no table that others than the auditor may read has a patron.
func TestSecretsAndPatronsStaySecret(t *testing.T) {
	h := secured(t)
	events := floor(t)
	if n := naming(events); n < 1000 {
		t.Fatalf("%d patrons named", n)
	}
	asJSON := []kgo.RecordHeader{{Key: "content-type", Value: []byte("application/json")}}
	var records []*kgo.Record
	for i := range events {
		r := &kgo.Record{Key: []byte(events[i].TableID), Value: schema.AppendProto(nil, &events[i])}
		if len(events[i].TableID)%2 == 0 {
			r.Value, r.Headers = schema.AppendJSON(nil, &events[i]), asJSON
		}
		records = append(records, r)
	}
	// What cannot be read names patrons, too.
	for _, bad := range []string{
		`{"wager_placed":{"patron_ref":"` + patronCanary + `x`,
		`{"event_id":"e","wager_placed":{"patron_ref":"` + patronCanary + "\xff" + `"}}`, patronCanary,
	} {
		records = append(records, &kgo.Record{Value: []byte(bad), Headers: asJSON})
	}
	h.publish(t, records...)
	p := start(t, h.args...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%.3000s", p.stderr.String())
		}
	})
	testkit.Await(t, "everything is in ClickHouse", func() bool {
		return h.ask(t, "default", "SELECT count() FROM v_events") == fmt.Sprint(len(events)) && h.ask(t, "default",
			"SELECT count() FROM v_dead_letters") == "3"
	})
	for _, page := range []string{"/metrics", "/healthz", "/readyz"} {
		code, text := p.probe(t, page)
		if noSecret(t, page, text); code != http.StatusOK {
			t.Errorf("%s is %d", page, code)
		}
	}
	for _, args := range [][]string{{"config", "print"}, {"config", "validate"}} {
		var out bytes.Buffer
		if code := cli.Execute(t.Context(), ingest.Command(ingest.Options{Version: "test"}), append(args, h.args...),
			cli.Streams{Out: &out, Err: &out}); code != cli.Done {
			t.Errorf("%v: exit code %d: %s", args, code, out.String())
		}
		noSecret(t, strings.Join(args, " "), out.String())
	}
	h.doctor(t)
	h.patrons(t)

	// Both engines go while it works, and come not back.
	h.ch.Kill()
	h.publish(t, records[:100]...)
	testkit.Await(t, "it logs that ClickHouse is down",
		func() bool { return strings.Contains(p.stderr.String(), "ClickHouse refused a request") })
	h.kafka.Stop()
	testkit.Await(t, "it logs that Kafka is down", func() bool {
		return strings.Contains(p.stderr.String(),
			"Kafka request failed")
	})
	_, text := p.probe(t, "/readyz")
	noSecret(t, "/readyz", text)
	p.end(t)
	noSecret(t, "the log", p.stderr.String())
	if !strings.Contains(p.stderr.String(), "dead_letters") {
		t.Error("the log has no line about dead letters")
	}
}

// doctor passes the installation, and reports the missing rights of a user.
func (h *house) doctor(t *testing.T) {
	t.Helper()
	var config settings.Ingest
	look := func(role string, more ...string) []doctor.Check {
		config = settings.DefaultIngest()
		command := ingest.Command(ingest.Options{Version: "test"})
		if err := command.ParseFlags(append(append([]string{}, h.args...), more...)); err != nil {
			t.Fatal(err)
		}
		_, wrong := settings.Load(command.Flags(), &config)
		checks := doctor.Run(t.Context(), doctor.Options{Config: &config, ConfigErr: wrong, Version: "test", Role: role})
		for _, c := range checks {
			noSecret(t, "doctor", c.Seen+c.Fix)
		}
		return checks
	}
	for _, c := range look("writer") {
		if c.Status != doctor.OK {
			t.Errorf("doctor: %+v", c)
		}
		t.Logf("%-4s  %-13s  %s", c.Status, c.Area, c.Seen)
	}
	var lacks doctor.Check
	for _, c := range look("auditor") {
		if c.Area == "grants" {
			lacks = c
		}
	}
	if lacks.Status != doctor.Fail || !strings.Contains(lacks.Seen, `user "shoeproof_writer" lacks `) ||
		!strings.Contains(lacks.Fix, "role shoeproof_auditor") {
		t.Errorf("a writer as an auditor: %+v", lacks)
	}
}

// patrons looks for the patrons' names in every column of every table.
func (h *house) patrons(t *testing.T) {
	t.Helper()
	named := map[string]bool{}
	tables := strings.Fields(h.ask(t, "default",
		"SELECT name FROM system.tables WHERE database = 'shoeproof' AND engine != 'MaterializedView' ORDER BY name"))
	if len(tables) < 30 {
		t.Fatalf("%d tables and views", len(tables))
	}
	for _, table := range tables {
		if h.ask(t, "default", "SELECT count() FROM "+table+" WHERE formatRow('TSV', *) LIKE '%"+patronCanary+"%'") != "0" {
			named[strings.TrimPrefix(table, "v_")] = true
		}
		// What a reader gets to see of it.
		columns := h.ask(t, "reader", "SELECT arrayStringConcat(groupArray(name), ', ') FROM system.columns WHERE "+
			"database = 'shoeproof' AND table = '"+table+"'")
		if columns != "" {
			noSecret(t, "what a reader sees of "+table, h.ask(t, "reader", "SELECT "+columns+" FROM "+table))
		}
	}
	for table := range named {
		if table != "events" && table != "dead_letters" {
			t.Errorf("patrons are named in %s", table)
		}
	}
	if !named["events"] || !named["dead_letters"] {
		t.Errorf("the canary is not where it must be: %v", named)
	}
	// The same patron is the same under the key, and only under the key.
	ref := h.ask(t, "default", "SELECT JSONExtractString(raw, 'wager_placed', 'patron_ref') AS ref FROM events WHERE "+
		"ref != '' LIMIT 1")
	mac := hmac.New(sha256.New, []byte(secrets["patrons"]))
	fmt.Fprintf(mac, "player\x00%s", ref)
	n := h.ask(t, "reader", "SELECT count() FROM v_wagers WHERE patron = '"+hex.EncodeToString(mac.Sum(nil)[:16])+"'")
	if n == "0" || !strings.HasPrefix(ref, patronCanary) {
		t.Errorf("%s wagers of %q under the key", n, ref)
	}
}
