// Package notify sends messages about findings to the people on duty: to chats, by e-mail, by syslog and to webhooks.
// A channel is a receiver, a route the findings that a channel receives.
//
// A message has the facts of a finding that identify no patron. Its texts are of the engine: it has no text that a
// person typed.
package notify

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Message is a message about a finding. Its JSON is the body of webhooks and of the topic.
type Message struct {
	ID         string    `json:"id"`
	Rule       string    `json:"rule"`
	Severity   string    `json:"severity"`
	Verdict    string    `json:"verdict"`
	Kind       string    `json:"kind"`
	PropertyID string    `json:"property_id"`
	PitID      string    `json:"pit_id"`
	TableID    string    `json:"table_id"`
	ShoeID     string    `json:"shoe_id"`
	Round      uint32    `json:"round"`
	At         time.Time `json:"at"`
	Expected   string    `json:"expected"`
	Observed   string    `json:"observed"`
	Amount     int64     `json:"amount"`
	Currency   string    `json:"currency"`
	Link       string    `json:"link"`
	// Video is the position of the breach in its recording; nil if the events cannot be read.
	Video *Position `json:"video,omitempty"`
	// Reminder counts the repetitions of a message that is not acknowledged; Test marks a message about no finding.
	Reminder int  `json:"reminder,omitempty"`
	Test     bool `json:"test,omitempty"`
	// Findings is the number of findings of a summary, which is about no single one.
	Findings int `json:"findings,omitempty"`
	// Money and Local are the amount and the time as people write them, for templates.
	Money string `json:"-"`
	Local string `json:"-"`
}

// Position is a position in a recording.
type Position struct {
	Camera string    `json:"camera_id"`
	At     time.Time `json:"at"`
	URL    string    `json:"url"`
}

// Channel sends messages to one receiver. It is safe for concurrent use.
type Channel interface {
	Send(ctx context.Context, m *Message) error
}

// TestMessage is the message of the test of a channel. It names no table.
func TestMessage(at time.Time, local, link string) *Message {
	return &Message{
		ID: "00000000000000000000000000000000", Rule: "test.message", Severity: "info", Verdict: "INFO", Kind: "notice",
		PropertyID: "none", TableID: "none", At: at.UTC(), Local: local, Link: link, Test: true,
		Expected: "this message arrives", Observed: "a user of the console tests the channel",
	}
}

// defaultTemplate is the text of a message without a template. Its first line is the subject of an e-mail.
const defaultTemplate = `{{if .Test}}TEST, no finding: {{end}}{{with .Reminder}}Reminder {{.}}, not acknowledged: {{end -}}
{{upper .Severity}} {{.Rule}}, {{.PropertyID}} {{.TableID}}{{with .Round}} round {{.}}{{end}}
{{.Local}}
Expected: {{.Expected}}
Observed: {{.Observed}}{{with .Money}}
Amount: {{.}}{{end}}{{with .Video}}
Recording: {{.Camera}} {{.URL}}{{end}}
{{.Link}}`

// maxText is the maximum length of a text in bytes.
const maxText = 4000

// layout renders the text of a message.
type layout struct{ text *template.Template }

// newLayout parses a template, and tries it on a message. An empty text is the default.
func newLayout(text string) (layout, error) {
	if text == "" {
		text = defaultTemplate
	}
	t, err := template.New("template").Funcs(template.FuncMap{"upper": strings.ToUpper}).
		Option("missingkey=error").Parse(text)
	l := layout{t}
	if err == nil {
		m := TestMessage(time.Time{}, "", "")
		m.Video = &Position{}
		_, err = l.render(m)
	}
	return l, err
}

// render returns the text of a message without control characters, and not longer than maxText.
func (l layout) render(m *Message) (string, error) {
	var out bytes.Buffer
	if err := l.text.Execute(&out, m); err != nil {
		return "", fmt.Errorf("render the text of a message: %w", err)
	}
	text := schema.Visible(strings.TrimSpace(out.String()))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text, nil
}
