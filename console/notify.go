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
	"slices"
	"strconv"
	"sync"
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

// announce queues notifications, each finding once at a time. If the queue is full, catchUp queues the finding later.
func (c *Console) announce(rows []store.OpenFinding, queue chan<- notification) {
	for i := range rows {
		r := &rows[i]
		if !c.outbox.take(r.ID) {
			continue
		}
		n := notification{
			ID: r.ID, Rule: r.Rule, Severity: r.Severity, Verdict: r.Verdict, PropertyID: r.PropertyID, PitID: r.PitID,
			TableID: r.TableID, ShoeID: r.ShoeID, Round: r.Round, At: r.At, Expected: r.Expected, Observed: r.Observed,
			Amount: r.Amount, Currency: r.Currency, Link: c.PublicURL.JoinPath("findings", r.ID).String(),
		}
		c.notified(c.Channels(), Queued)
		select {
		case queue <- n:
		default:
			c.Log.Error("notification delayed: the queue of notifications is full", "finding", r.ID)
			c.outbox.release(r.ID)
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
				c.outbox.release(n.ID)
				continue
			}
			if c.Webhook.URL != "" {
				c.send(ctx, ToWebhook, &n, func(ctx context.Context) error { return c.post(ctx, body) })
			}
			if c.Topic != nil {
				key := n.PropertyID + "/" + n.TableID
				c.send(ctx, toTopic, &n, func(ctx context.Context) error { return c.Topic(ctx, key, body) })
			}
			c.outbox.release(n.ID)
		}
	}
}

// outbox is what this process has sent and is sending. The console log is the durable cursor: it has a line for each
// finding and channel.
type outbox struct {
	mu   sync.Mutex
	busy map[string]bool // by finding
	sent map[string]bool // by channel and finding
	// since is set when the begin of notifications is known.
	since bool
}

func (o *outbox) take(finding string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy == nil {
		o.busy, o.sent = map[string]bool{}, map[string]bool{}
	}
	free := !o.busy[finding]
	o.busy[finding] = true
	return free
}

// begun reports whether this process knows that notifications have begun.
func (o *outbox) begun() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.since
}

func (o *outbox) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.since = true
}

func (o *outbox) release(finding string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.busy, finding)
}

func (o *outbox) was(channel, finding string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent[channel+" "+finding]
}

func (o *outbox) mark(channel, finding string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sent == nil {
		o.busy, o.sent = map[string]bool{}, map[string]bool{}
	}
	o.sent[channel+" "+finding] = true
}

// send sends a notification to a channel unless it has it, and logs the result.
func (c *Console) send(ctx context.Context, channel string, n *notification, send func(context.Context) error) {
	if c.outbox.was(channel, n.ID) {
		return
	}
	action := store.NotNotified
	if c.retry(ctx, channel, n.ID, send) {
		action = store.Notified
		c.outbox.mark(channel, n.ID)
	} else if ctx.Err() != nil {
		return // the next start sends it
	}
	if err := c.note(ctx, n.PropertyID, action, n.ID, channel); err != nil {
		c.Log.Error("writing the console log failed", "error", err, "action", action, "finding", n.ID)
	}
}

// note writes a line of the console log about notifications.
func (c *Console) note(ctx context.Context, property, action, object, channel string) error {
	return c.Store.Log(ctx, store.Entry{
		PropertyID: property, At: c.Now().UTC(), Actor: "console", Action: action, Object: object, Detail: channel,
		Who: store.Who{Program: true},
	})
}

// Pending notifications are looked for at the start and every catchUpEvery. One that failed is tried again after
// againAfter, and for as long as a notification is of use, notifyFor after the arrival of the finding.
const (
	catchUpEvery = 30 * time.Second
	againAfter   = 5 * time.Minute
	notifyFor    = 24 * time.Hour
)

// catchUp announces the open critical findings that a channel did not receive: they arrived while no console ran, or
// the channel failed. What arrived before the first start with a channel is not announced.
func (c *Console) catchUp(ctx context.Context, queue chan<- notification) error {
	now := c.Now()
	lines, err := c.Store.Notices(ctx, now.Add(-2*notifyFor))
	if err != nil {
		return err
	}
	failed, begin := map[string]time.Time{}, time.Time{}
	for i := range lines {
		l := &lines[i]
		switch {
		case l.Action == store.NotNotified:
			failed[l.Detail+" "+l.Object] = l.At
		case l.Action == store.Notified:
			c.outbox.mark(l.Detail, l.Object)
		case begin.IsZero():
			begin = l.At
		}
	}
	if len(lines) == 0 && !c.outbox.begun() { // the first start is long ago, or now
		first, err := c.Store.Entries(ctx, store.Scope{Properties: []string{""}}, "console", store.NotifyBegins)
		if err == nil && len(first) == 0 {
			begin, err = now, c.note(ctx, "", store.NotifyBegins, "", "")
		}
		if err != nil {
			return err
		}
	}
	c.outbox.begin()
	if oldest := now.Add(-notifyFor); begin.Before(oldest) {
		begin = oldest
	}
	open, err := c.Store.Open(ctx, store.Scope{All: true}, store.Filter{Severity: "critical", Limit: store.All})
	if err != nil {
		return err
	}
	due := slices.DeleteFunc(open, func(f store.OpenFinding) bool {
		return f.ArrivedAt.Before(begin) || !slices.ContainsFunc(c.Channels(), func(channel string) bool {
			return !c.outbox.was(channel, f.ID) && now.Sub(failed[channel+" "+f.ID]) > againAfter
		})
	})
	c.announce(due, queue)
	return nil
}

// retry calls send until it succeeds, at most five times with growing pauses. It reports success.
func (c *Console) retry(ctx context.Context, to, finding string, send func(context.Context) error) bool {
	const attempts = 5
	pause := 500 * time.Millisecond
	for attempt := 1; ; attempt++ {
		one, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := send(one)
		cancel()
		switch {
		case err == nil:
			c.Hooks.Notified(to, Sent)
			return true
		case ctx.Err() != nil:
			return false
		case attempt == attempts:
			c.Hooks.Notified(to, Failed)
			c.Log.Error("notification not sent", "to", to, "finding", finding, "attempts", attempt, "error", err)
			return false
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
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
