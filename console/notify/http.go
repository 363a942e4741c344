package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Webhook posts messages as JSON with a signature.
type Webhook struct {
	URL    string
	Secret string // key of the signature
	Client *http.Client
	Now    func() time.Time
}

// Send posts a message.
func (w *Webhook) Send(ctx context.Context, m *Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	return w.Post(ctx, body)
}

// Post posts a body. The signature is the HMAC-SHA256 of the time, a full stop and the body. It includes the time so
// that the receiver can refuse a replayed message.
func (w *Webhook) Post(ctx context.Context, body []byte) error {
	at := strconv.FormatInt(w.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(w.Secret))
	fmt.Fprintf(mac, "%s.%s", at, body)
	return post(ctx, w.Client, w.URL, body, map[string]string{
		"X-Shoeproof-Timestamp": at, "X-Shoeproof-Signature": "sha256=" + hex.EncodeToString(mac.Sum(nil)),
	})
}

// post posts a JSON body.
func post(ctx context.Context, client *http.Client, to string, body []byte, header map[string]string) error {
	_, err := exchange(ctx, client, to, body, header)
	return err
}

// exchange posts a JSON body and returns the start of the answer. No redirect is followed. The error does not have the
// URL, which may be a secret.
func exchange(
	ctx context.Context, client *http.Client, to string, body []byte, header map[string]string,
) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("create the request: the URL is malformed")
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	resp, err := client.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return nil, fmt.Errorf("post to %s: %w", req.URL.Host, err)
	}
	const shown, read = 100, 1 << 16
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, read))
	_ = resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		text := strings.TrimSpace(strings.ToValidUTF8(string(answer[:min(len(answer), shown)]), ""))
		return nil, fmt.Errorf("post to %s: %s %s", req.URL.Host, resp.Status, schema.Visible(text))
	}
	return answer, nil
}

// slack posts texts to an incoming webhook of Slack, or of a chat that accepts the same body.
type slack struct {
	url    string
	client *http.Client
	layout layout
}

func (s *slack) Send(ctx context.Context, m *Message) error {
	text, err := s.layout.render(m)
	if err != nil {
		return err
	}
	// Escaped text cannot mention a channel or hide a link.
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	body, err := json.Marshal(map[string]string{"text": escaped})
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	return post(ctx, s.client, s.url, body, nil)
}

// teams posts adaptive cards to a workflow of Microsoft Teams.
type teams struct {
	url    string
	client *http.Client
	layout layout
}

type jsonObject = map[string]any

func (t *teams) Send(ctx context.Context, m *Message) error {
	text, err := t.layout.render(m)
	if err != nil {
		return err
	}
	var blocks []jsonObject
	for i, line := range strings.Split(text, "\n") {
		// The runs of a rich text are plain: a TextBlock would read Markdown.
		run := jsonObject{"type": "TextRun", "text": line}
		if i == 0 {
			run["weight"] = "Bolder"
		}
		blocks = append(blocks, jsonObject{"type": "RichTextBlock", "inlines": []jsonObject{run}})
	}
	card := jsonObject{"type": "AdaptiveCard", "version": "1.4", "body": blocks}
	if m.Link != "" {
		card["actions"] = []jsonObject{{"type": "Action.OpenUrl", "title": "Open", "url": m.Link}}
	}
	body, err := json.Marshal(jsonObject{"type": "message", "attachments": []jsonObject{
		{"contentType": "application/vnd.microsoft.card.adaptive", "content": card},
	}})
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	return post(ctx, t.client, t.url, body, nil)
}
