//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
)

// poster is a table system that repeats a request until it is answered with 202.
type poster struct {
	t       *testing.T
	args    []string
	gateway *child
	addr    string
	numbers map[string]uint64
}

var (
	takingAt = regexp.MustCompile(`"msg":"taking events","address":"([^"]+)"`)
	servesAt = regexp.MustCompile(`"msg":"serving metrics and probes","address":"([^"]+)"`)
)

func (p *poster) start() {
	p.gateway = spawnAs(p.t, p.args...)
	testkit.Await(p.t, "the gateway takes events", func() bool {
		found := takingAt.FindStringSubmatch(p.gateway.stderr.String())
		if found == nil {
			return false
		}
		p.addr = found[1]
		return true
	})
}

// post returns false if the request has no answer.
func (p *poster) post(events []schema.Event) bool {
	var body []byte
	for i := range events {
		body = append(schema.AppendJSON(body, &events[i]), '\n')
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, "http://"+p.addr+"/v1/events",
		bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer a secret")
	req.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var answer struct {
		Events []struct {
			EventID string `json:"event_id"`
			Seq     uint64 `json:"seq"`
		} `json:"events"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return false
	}
	if resp.StatusCode != http.StatusAccepted || len(answer.Events) != len(events) {
		p.t.Fatalf("status %d with %d events, want %d", resp.StatusCode, len(answer.Events), len(events))
	}
	for _, e := range answer.Events {
		if before := p.numbers[e.EventID]; before != 0 && before != e.Seq {
			p.t.Errorf("event %s is number %d, then %d", e.EventID, before, e.Seq)
		}
		p.numbers[e.EventID] = e.Seq
	}
	return true
}

// A gateway that is killed at any instant loses no event and numbers none twice.
func TestGatewayKilled(t *testing.T) {
	t.Parallel()
	broker := startKafka(t)
	dir := t.TempDir()
	sum := sha256.Sum256([]byte("a secret"))
	tokens := filepath.Join(dir, "tokens.yaml")
	text := "tokens: [{name: tables, sha256: " + hex.EncodeToString(sum[:]) +
		", properties: [sim-nj-mini, sim-nj-midi]}]\n"
	if err := os.WriteFile(tokens, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	events := floor(t)
	var sent []schema.Event
	for i := range events {
		if p := events[i].PropertyID; p == "sim-nj-mini" || p == "sim-nj-midi" {
			ev := events[i].Clone()
			ev.Seq = 0
			sent = append(sent, ev)
		}
	}
	p := &poster{t: t, numbers: map[string]uint64{}, args: []string{
		"gateway", "--gateway-folder", filepath.Join(dir, "outbox"), "--gateway-tokens-file", tokens,
		"--kafka-brokers", broker.Addrs[0], "--gateway-listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0",
	}}
	rng := rand.New(rand.NewPCG(1, 21))
	kills, wanted := 0, testkit.Soak(5, 60)
	p.start()
	for at := 0; at < len(sent); {
		n := min(1+rng.IntN(5), len(sent)-at)
		if rng.IntN(len(sent)/8/wanted+1) == 0 && kills < wanted { // while the request is under way, or after it
			gone := p.gateway
			kill := time.AfterFunc(time.Duration(rng.IntN(1500))*time.Microsecond, gone.kill)
			ok := p.post(sent[at : at+n])
			if kill.Stop() {
				gone.kill()
			}
			<-gone.gone
			kills++
			p.start()
			if !ok {
				continue // the table system repeats it
			}
			at += n
			continue
		}
		if !p.post(sent[at : at+n]) {
			t.Fatalf("no answer of a gateway that runs:\n%s", p.gateway.stderr.String())
		}
		at += n
	}
	if kills < wanted {
		t.Errorf("%d kills, want %d", kills, wanted)
	}
	metrics := "http://" + servesAt.FindStringSubmatch(p.gateway.stderr.String())[1] + "/metrics"
	testkit.Await(t, "all events are published", func() bool {
		_, page := monitortest.Get(t, metrics)
		return monitortest.Figure(t, page, "shoeproof_gateway_pending_bytes") == 0
	})
	_, page := monitortest.Get(t, metrics)
	ours := func(name string) bool {
		return regexp.MustCompile(`^shoeproof_(gateway_|build_info)`).MatchString(name)
	}
	monitortest.Asked(t, page, ours, "../../deploy", monitortest.Alerts)
	p.published(broker, sent)
}

// published checks that the topic has each event under the number that was acknowledged, in order, and no other.
func (p *poster) published(broker *engine.Kafka, sent []schema.Event) {
	t := p.t
	source, err := kafka.Open(kafka.Config{Brokers: broker.Addrs, Topic: topic, StopAtEnd: true})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	type found struct{ table, id string }
	values, highest := map[found][]byte{}, map[string]uint64{}
	var events []schema.Event
	done := make(chan []schema.Event, 4)
	err = source.Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
		var all []schema.Event
		decoder, ev := schema.NewDecoder(), schema.Event{}
		for {
			records, err := s.Next(ctx, time.Second)
			for i := range records {
				if err := decoder.Decode(records[i].Format, records[i].Value, &ev); err != nil {
					return err
				}
				all = append(all, ev.Clone())
			}
			if err != nil {
				done <- all
				return nil
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for len(done) > 0 {
		events = append(events, <-done...)
	}
	repeated := 0
	for i := range events {
		ev := &events[i]
		key, value := found{ev.TableID, ev.EventID}, schema.AppendProto(nil, ev)
		if before, ok := values[key]; ok {
			if repeated++; !bytes.Equal(before, value) {
				t.Errorf("event %s was published with two contents", ev.EventID)
			}
		}
		values[key] = value
		if ev.Seq > highest[ev.TableID]+1 {
			t.Errorf("table %s: number %d after %d", ev.TableID, ev.Seq, highest[ev.TableID])
		}
		highest[ev.TableID] = max(highest[ev.TableID], ev.Seq)
		if p.numbers[ev.EventID] != ev.Seq {
			t.Errorf("event %s is published as number %d and acknowledged as %d", ev.EventID, ev.Seq, p.numbers[ev.EventID])
		}
	}
	if len(values) != len(sent) {
		t.Errorf("%d events are published, want %d", len(values), len(sent))
	}
	t.Logf("%d events, %d published twice", len(sent), repeated)
}
