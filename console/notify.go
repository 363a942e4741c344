package console

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
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// Webhook receives the notifications of critical findings.
type Webhook struct {
	URL    string
	Secret string // key of the signature
	Client *http.Client
}

// notification is the notification of a critical finding. It identifies no patron.
type notification struct {
	ID         string    `json:"id"`
	Rule       string    `json:"rule"`
	Severity   string    `json:"severity"`
	Verdict    string    `json:"verdict"`
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
	Video *position `json:"video,omitempty"`
}

// announce queues notifications. If the queue is full, a notification is dropped and logged; its finding stays in the
// queue of findings.
func (c *Console) announce(rows []store.OpenFinding, queue chan<- notification) {
	for i := range rows {
		r := &rows[i]
		n := notification{
			ID: r.ID, Rule: r.Rule, Severity: r.Severity, Verdict: r.Verdict, PropertyID: r.PropertyID, PitID: r.PitID,
			TableID: r.TableID, ShoeID: r.ShoeID, Round: r.Round, At: r.At, Expected: r.Expected, Observed: r.Observed,
			Amount: r.Amount, Currency: r.Currency, Link: c.PublicURL.JoinPath("findings", r.ID).String(),
		}
		c.notified(c.Channels(), Queued)
		select {
		case queue <- n:
		default:
			c.Log.Error("notification dropped: the queue of notifications is full", "finding", r.ID)
			c.notified(c.Channels(), Failed)
		}
	}
}

func (c *Console) notified(channels []string, outcome string) {
	for _, channel := range channels {
		c.Hooks.Notified(channel, outcome)
	}
}

// deliver sends notifications until ctx is done.
func (c *Console) deliver(ctx context.Context, queue <-chan notification) {
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-queue:
			if at, err := c.breachAt(ctx, n.ID); err == nil {
				n.Video = &at
			} else if !errors.Is(err, store.ErrNoArchive) {
				c.Log.Warn("notification without the position of the recording", "finding", n.ID, "error", err)
			}
			body, err := json.Marshal(n)
			if err != nil {
				c.Log.Error("notification not sent", "finding", n.ID, "error", err)
				c.notified(c.Channels(), Failed)
				continue
			}
			if c.Webhook.URL != "" {
				c.retry(ctx, ToWebhook, n.ID, func(ctx context.Context) error { return c.post(ctx, body) })
			}
			if c.Topic != nil {
				key := n.PropertyID + "/" + n.TableID
				c.retry(ctx, toTopic, n.ID, func(ctx context.Context) error { return c.Topic(ctx, key, body) })
			}
		}
	}
}

// retry calls send until it succeeds, at most five times with growing pauses.
func (c *Console) retry(ctx context.Context, to, finding string, send func(context.Context) error) {
	const attempts = 5
	pause := 500 * time.Millisecond
	for attempt := 1; ; attempt++ {
		one, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := send(one)
		cancel()
		switch {
		case err == nil:
			c.Hooks.Notified(to, Sent)
			return
		case ctx.Err() != nil:
			return
		case attempt == attempts:
			c.Hooks.Notified(to, Failed)
			c.Log.Error("notification not sent", "to", to, "finding", finding, "attempts", attempt, "error", err)
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		pause *= 2
	}
}

// post sends a body to the webhook. The signature is the HMAC-SHA256 of the time, a full stop and the body. It includes
// the time so that the receiver can refuse a replayed message.
func (c *Console) post(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Webhook.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("create the request to the webhook: %w", err)
	}
	at := strconv.FormatInt(c.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(c.Webhook.Secret))
	fmt.Fprintf(mac, "%s.%s", at, body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Shoeproof-Timestamp", at)
	req.Header.Set("X-Shoeproof-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	client := c.Webhook.Client
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("call the webhook: %w", err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	_ = resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("call the webhook: %s", resp.Status)
	}
	return nil
}
