package notify

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// LogWriter receives the lines of the console log.
type LogWriter interface {
	Write(ctx context.Context, lines ...Line) error
}

// OTLP sends log records to an OpenTelemetry collector, by OTLP over HTTP in JSON.
type OTLP struct {
	url, authorization string
	client             *http.Client
	host, version      string
}

// Send sends a message as one record.
func (o *OTLP) Send(ctx context.Context, m *Message) error {
	data := [][2]string{
		{"id", m.ID},
		{"rule", m.Rule},
		{"severity", m.Severity},
		{"verdict", m.Verdict},
		{"kind", m.Kind},
		{"property", m.PropertyID},
		{"pit", m.PitID},
		{"table", m.TableID},
		{"shoe", m.ShoeID},
		{"expected", m.Expected},
		{"amount", m.Money},
		{"link", m.Link},
	}
	if m.Round > 0 {
		data = append(data, [2]string{"round", strconv.FormatUint(uint64(m.Round), 10)})
	}
	if m.Reminder > 0 {
		data = append(data, [2]string{"reminder", strconv.Itoa(m.Reminder)})
	}
	text := m.Observed
	if m.Test {
		text = "TEST, no finding: " + text
	}
	return o.Write(ctx, Line{At: m.At, Severity: level(m.Severity), Kind: "finding", Data: data, Text: text})
}

// The request and its answer, of opentelemetry-proto 1.
type (
	otlpValue struct {
		String string `json:"stringValue"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpRecord struct {
		Time       string          `json:"timeUnixNano"`
		Severity   int             `json:"severityNumber"`
		Text       string          `json:"severityText"`
		Event      string          `json:"eventName"`
		Body       otlpValue       `json:"body"`
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpAnswer struct {
		Partial struct {
			Rejected json.Number `json:"rejectedLogRecords"`
			Message  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
)

// RejectedError is the answer of a collector that took some lines of a request and rejected others. It must not be sent
// again (OTLP 1, "Partial Success").
type RejectedError struct {
	Rejected, Of int
	Reason       string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("the collector rejected %d of %d log records: %s", e.Rejected, e.Of, e.Reason)
}

// Write sends lines in one request. If the collector rejects some of them, the error is a *RejectedError.
func (o *OTLP) Write(ctx context.Context, lines ...Line) error {
	// The levels of syslog in the log data model of OpenTelemetry.
	numbers := [...]int{21, 19, 18, 17, 13, 10, 9, 5}
	names := [...]string{"emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"}
	records := make([]otlpRecord, len(lines))
	for i := range lines {
		l := &lines[i]
		records[i] = otlpRecord{
			Time:     strconv.FormatInt(max(0, l.At.Unix())*1e9+int64(l.At.Nanosecond()), 10),
			Severity: numbers[l.Severity], Text: names[l.Severity],
			Event: "shoeproof." + l.Kind, Body: otlpValue{oneLine(l.Text)}, Attributes: attributes(l.Data),
		}
	}
	body, err := json.Marshal(jsonObject{"resourceLogs": []jsonObject{{
		"resource": jsonObject{"attributes": attributes([][2]string{
			{"service.name", "shoeproof-console"}, {"service.version", o.version}, {"host.name", o.host},
		})},
		"scopeLogs": []jsonObject{{
			"scope": jsonObject{"name": "github.com/shoeproof/shoeproof"}, "logRecords": records,
		}},
	}}})
	if err != nil {
		return fmt.Errorf("encode log records: %w", err)
	}
	header := map[string]string{}
	if o.authorization != "" {
		header["Authorization"] = o.authorization
	}
	answer, err := exchange(ctx, o.client, o.url, body, header)
	if err != nil {
		return err
	}
	var got otlpAnswer
	if json.Unmarshal(answer, &got) == nil {
		if n, _ := got.Partial.Rejected.Int64(); n > 0 {
			return &RejectedError{int(min(n, int64(len(lines)))), len(lines), oneLine(got.Partial.Message)}
		}
	}
	return nil
}

// attributes are those that are not empty.
func attributes(data [][2]string) []otlpAttribute {
	all := []otlpAttribute{}
	for _, d := range data {
		if d[1] != "" {
			all = append(all, otlpAttribute{d[0], otlpValue{oneLine(d[1])}})
		}
	}
	return all
}

func (c *channel) otlp(e *Environment) (*OTLP, error) {
	o := &OTLP{host: e.Host, version: e.Version}
	u, err := url.Parse(c.Server)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return o, fmt.Errorf("server %q, want https://HOST[:PORT][/PATH]", c.Server)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/logs"
	}
	o.url = u.String()
	if c.SecretFile != "" {
		o.authorization, err = c.secret(e, "secret_file", c.SecretFile)
	}
	var config *tls.Config
	if u.Scheme == "https" {
		var bad error
		config, bad = c.encryption(e, u.Host)
		err = errors.Join(err, bad)
		if config != nil {
			config.ServerName = u.Hostname()
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = config
	o.client = &http.Client{
		Transport: transport, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return o, err
}
