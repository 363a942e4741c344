package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
)

// outlet is a channel of notifications with its routes, its queue and what it has sent. Each has a goroutine: a channel
// that does not answer delays no other.
type outlet struct {
	notify.Named
	routes []notify.Route
	queue  chan notice
	flood  flood // of the goroutine

	mu   sync.Mutex
	busy map[string]bool // findings in the queue
	past map[string]past // by finding
}

// notice is a finding for the queue of an outlet.
type notice struct {
	finding  store.OpenFinding
	reminder int
	byUser   bool // a user sends it again, at any console
}

// past is what an outlet did about a finding. The console log is the durable cursor: it has a line for each attempt.
type past struct {
	property string
	sent     int
	last     time.Time // of what was sent
	failed   int       // attempts since
	failedAt time.Time
	reason   string
}

// A notification that failed is a dead letter. The n-th failure is followed by another attempt after againAfter,
// doubled n-1 times; after maxAttempts only a user sends it again.
const (
	againAfter  = 5 * time.Minute
	maxAttempts = 5
)

func (p *past) again(now time.Time) bool {
	return p.failed == 0 || p.failed < maxAttempts && now.Sub(p.failedAt) > againAfter<<(p.failed-1)
}

// outlets returns the channels of the options. The webhook and the topic receive critical findings.
func outlets(o *Options) []*outlet {
	var all []*outlet
	add := func(named notify.Named, routes []notify.Route) {
		all = append(all, &outlet{
			Named: named, routes: routes, queue: make(chan notice, 256), busy: map[string]bool{}, past: map[string]past{},
		})
	}
	critical := []notify.Route{{Severities: []string{"critical"}}}
	if o.Webhook.URL != "" {
		hook := o.Webhook
		hook.Now = o.Now
		add(notify.Named{
			Name: ToWebhook, Text: "console.webhook.url", Channel: &hook, Limit: notify.DefaultLimit,
		}, critical)
	}
	if o.Topic != nil {
		add(notify.Named{Name: toTopic, Text: "console.notify_topic", Channel: topic(o.Topic)}, critical)
	}
	for _, named := range o.Notify.Channels {
		add(named, slices.DeleteFunc(slices.Clone(o.Notify.Routes), func(r notify.Route) bool {
			return r.Channel != named.Name
		}))
	}
	return all
}

// topic sends messages to Kafka.
type topic func(ctx context.Context, key string, value []byte) error

// Send publishes a message under its table.
func (t topic) Send(ctx context.Context, m *notify.Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	return t(ctx, m.PropertyID+"/"+m.TableID, body)
}

// route returns the first route that selects a finding, nil if none does.
func (o *outlet) route(m *notify.Message) *notify.Route {
	for i := range o.routes {
		if o.routes[i].Selects(m) {
			return &o.routes[i]
		}
	}
	return nil
}

// put queues a finding unless it is queued. If the queue is full, catchUp queues it later.
func (o *outlet) put(c *Console, n notice) {
	id := n.finding.ID
	o.mu.Lock()
	taken := o.busy[id]
	o.busy[id] = true
	o.mu.Unlock()
	if taken {
		return
	}
	c.Hooks.Notified(o.Name, Queued)
	select {
	case o.queue <- n:
	default:
		c.Log.Error("notification delayed: the queue of notifications is full", "to", o.Name, "finding", id)
		o.release(id)
		c.Hooks.Notified(o.Name, Failed)
	}
}

func (o *outlet) release(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.busy, id)
}

func (o *outlet) history(id string) past {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.past[id]
}

// record adds the result of an attempt.
func (o *outlet) record(id, property, reason string, failed bool, at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.past[id]
	p.property = property
	if failed {
		p.failed, p.failedAt, p.reason = p.failed+1, at, reason
	} else {
		p.sent, p.last, p.failed = p.sent+1, at, 0
	}
	o.past[id] = p
}

// announce queues the findings that a route of a channel selects and that the channel did not receive.
func (c *Console) announce(rows []store.OpenFinding) {
	if !c.leading.Load() {
		return
	}
	for _, o := range c.outlets {
		for i := range rows {
			r := &rows[i]
			if o.route(c.message(r)) != nil && o.history(r.ID) == (past{}) {
				o.put(c, notice{finding: *r})
			}
		}
	}
}

// message is the message about a finding. It identifies no patron and has no text that a person typed.
func (c *Console) message(r *store.OpenFinding) *notify.Message {
	return &notify.Message{
		ID: r.ID, Rule: r.Rule, Severity: r.Severity, Verdict: r.Verdict, Kind: r.Kind, PropertyID: r.PropertyID,
		PitID: r.PitID, TableID: r.TableID, ShoeID: r.ShoeID, Round: r.Round, At: r.At, Expected: r.Expected,
		Observed: inCurrency(r.Observed), Amount: r.Amount, Currency: r.Currency,
		Link: c.PublicURL.JoinPath("findings", r.ID).String(),
	}
}

// deliver sends the notifications of a channel until ctx is done.
func (c *Console) deliver(ctx context.Context, o *outlet) {
	summary := time.NewTicker(time.Second)
	defer summary.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-summary.C:
			c.summarize(ctx, o)
		case n := <-o.queue:
			switch {
			case !n.byUser && !c.leading.Load(): // the console that has the lease sends it
				o.release(n.finding.ID)
			case !n.byUser && !o.flood.allow(o.Limit, c.Now()):
				o.flood.add(&n, c.Now())
			default:
				c.deliverOne(ctx, o, &n)
			}
		}
	}
}

func (c *Console) deliverOne(ctx context.Context, o *outlet, n *notice) {
	m := c.message(&n.finding)
	m.Reminder, m.Money, m.Local = n.reminder, formatMoney(m.Amount, m.Currency), c.timecode(m.At)
	if at, err := c.breachAt(ctx, m.ID); err == nil {
		m.Video = &at
	} else if !errors.Is(err, store.ErrNoArchive) {
		c.Log.Warn("notification without the position of the recording", "finding", m.ID, "error", err)
	}
	c.send(ctx, o, m)
	o.release(m.ID)
}

// send sends a message to a channel, and logs the result: the channel, and after a colon the reason of a failure.
func (c *Console) send(ctx context.Context, o *outlet, m *notify.Message) {
	action, detail := store.Notified, o.Name
	if m.Reminder > 0 {
		detail += fmt.Sprintf(": reminder %d", m.Reminder)
	}
	err := c.retry(ctx, o, m)
	switch {
	case ctx.Err() != nil && err != nil:
		return // the next start sends it
	case err != nil:
		action, detail = store.NotNotified, o.Name+": "+err.Error()
	}
	o.record(m.ID, m.PropertyID, strings.TrimPrefix(detail, o.Name+": "), err != nil, c.Now())
	if err := c.note(ctx, m.PropertyID, action, m.ID, detail); err != nil {
		c.Log.Error("writing the console log failed", "error", err, "action", action, "finding", m.ID)
	}
}

// note writes a line of the console log about notifications.
func (c *Console) note(ctx context.Context, property, action, object, detail string) error {
	return c.Store.Log(ctx, c.noteOf(property, action, object, detail))
}

func (c *Console) noteOf(property, action, object, detail string) store.Entry {
	return store.Entry{
		PropertyID: property, At: c.Now().UTC(), Actor: "console", Action: action, Object: object, Detail: cut(detail),
		Who: store.Who{Program: true},
	}
}

// Pending notifications are looked for at the start and every catchUpEvery, and for as long as a notification is of
// use, notifyFor after the arrival of the finding.
const (
	catchUpEvery = 30 * time.Second
	notifyFor    = 24 * time.Hour
)

// catchUp announces the open findings that a channel did not receive, because they arrived while no console ran or the
// channel failed, and those that are due again, because they are not acknowledged. What arrived before the first start
// with a channel is not announced. A console without the lease only reads what the others did.
func (c *Console) catchUp(ctx context.Context) error {
	now := c.Now()
	begin, err := c.recall(ctx, now)
	if err != nil || !c.leading.Load() {
		return err
	}
	if oldest := now.Add(-notifyFor); begin.Before(oldest) {
		begin = oldest
	}
	severities := map[string]bool{}
	for _, o := range c.outlets {
		for i := range o.routes {
			for _, s := range o.routes[i].Severities {
				severities[s] = true
			}
		}
	}
	for severity := range maps.Keys(severities) {
		open, err := c.Store.Open(ctx, store.Scope{All: true}, store.Filter{Severity: severity, Limit: store.All})
		if err != nil {
			return err
		}
		for i := range open {
			if !open[i].ArrivedAt.Before(begin) {
				c.due(&open[i], now)
			}
		}
	}
	return nil
}

// due queues a finding at the channels that did not receive it, or that are to receive it again.
func (c *Console) due(f *store.OpenFinding, now time.Time) {
	m := c.message(f)
	for _, o := range c.outlets {
		r := o.route(m)
		if r == nil {
			continue
		}
		p := o.history(f.ID)
		repeated := f.State == store.New && r.Every > 0 && p.sent <= r.Times && now.Sub(p.last) >= r.Every
		if p.again(now) && (p.sent == 0 || repeated) {
			o.put(c, notice{finding: *f, reminder: p.sent})
		}
	}
}

// recall reads from the console log what the channels did, and when notifications began.
func (c *Console) recall(ctx context.Context, now time.Time) (begin time.Time, err error) {
	lines, err := c.Store.Notices(ctx, now.Add(-2*notifyFor))
	if err != nil {
		return begin, err
	}
	read := map[string]map[string]past{}
	for _, o := range c.outlets {
		read[o.Name] = map[string]past{}
	}
	for i := range lines {
		l := &lines[i]
		name, reason, _ := strings.Cut(l.Detail, ": ")
		of := read[name]
		p := of[l.Object]
		p.property = l.PropertyID
		switch {
		case l.Action == store.NotifyBegins && begin.IsZero():
			begin = l.At
		case of == nil: // a former channel
		case l.Action == store.NotNotified:
			p.failed, p.failedAt, p.reason = p.failed+1, l.At, reason
			of[l.Object] = p
		case l.Action == store.Notified:
			p.sent, p.last, p.failed = p.sent+1, l.At, 0
			of[l.Object] = p
		}
	}
	if len(lines) == 0 && !c.begun.Swap(true) { // the first start is long ago, or now
		first, err := c.Store.Entries(ctx, store.Scope{Properties: []string{""}},
			store.EntryQuery{Actor: "console", Action: store.NotifyBegins, Limit: 1})
		if err == nil && len(first) == 0 {
			// A finding can arrive before the line is written, so the line has the moment of the look.
			line := c.noteOf("", store.NotifyBegins, "", "")
			begin, line.At = now, now.UTC()
			err = c.Store.Log(ctx, line)
		}
		if err != nil {
			c.begun.Store(false)
			return begin, err
		}
	}
	c.begun.Store(true)
	for _, o := range c.outlets {
		o.merge(read[o.Name], now.Add(-2*notifyFor))
	}
	return begin, nil
}

// merge takes what the log has, and drops what is older than a moment. What this process did and could not log stays.
func (o *outlet) merge(logged map[string]past, oldest time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.past, func(_ string, p past) bool {
		return p.last.Before(oldest) && p.failedAt.Before(oldest)
	})
	for id, p := range logged {
		if have := o.past[id]; p.sent+p.failed >= have.sent+have.failed || p.last.After(have.last) {
			o.past[id] = p
		}
	}
}

// retry sends a message, at most five times with growing pauses. The error is that of the last attempt.
func (c *Console) retry(ctx context.Context, o *outlet, m *notify.Message) error {
	const attempts = 5
	pause := c.pause
	for attempt := 1; ; attempt++ {
		err := sendOnce(ctx, o.Channel, m)
		switch {
		case err == nil:
			c.Hooks.Notified(o.Name, Sent)
			return nil
		case ctx.Err() != nil:
			return err
		case attempt == attempts:
			c.Hooks.Notified(o.Name, Failed)
			c.Log.Error("notification not sent", "to", o.Name, "finding", m.ID, "attempts", attempt, "error", err)
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
		pause *= 2
	}
}

func sendOnce(ctx context.Context, channel notify.Channel, m *notify.Message) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return channel.Send(ctx, m)
}
