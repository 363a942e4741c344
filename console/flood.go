package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// lead keeps the lease of notifications, for as long as this console runs: of the consoles of one database, one sends.
// If it stops, another one takes over, within 20 s if it was killed, and sends what the log does not have.
func (c *Console) lead(ctx context.Context) {
	const lease, every = "notifications", 2 * time.Second
	var logged time.Time
	for ctx.Err() == nil {
		l, err := c.Store.Take(ctx, lease, c.name)
		if err == nil {
			_, err = c.recall(ctx, c.Now())
			if err == nil {
				c.leading.Store(true)
				select {
				case c.catching <- struct{}{}:
				default:
				}
				err = l.Keep(ctx)
				c.leading.Store(false)
			}
			err = errors.Join(err, l.Release(context.WithoutCancel(ctx)))
		}
		if err != nil && !errors.Is(err, clickhouse.ErrHeld) && ctx.Err() == nil && c.Now().Sub(logged) > time.Minute {
			logged = c.Now()
			c.Log.Warn("the lease of notifications failed: another console may send them", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

// flood bounds the messages of a channel. What exceeds the bound is in a summary.
type flood struct {
	sent   []time.Time // of the last floodWindow
	excess []notice    // for the next summary
	since  time.Time   // when the first of them was to be sent
}

// A channel sends at most its limit of messages in floodWindow, and beyond it one summary every summaryEvery.
const (
	floodWindow  = 10 * time.Minute
	summaryEvery = time.Minute
)

// allow reports whether a message may be sent now, and counts it. A limit of 0 allows all.
func (f *flood) allow(limit int, now time.Time) bool {
	f.sent = slices.DeleteFunc(f.sent, func(at time.Time) bool { return now.Sub(at) >= floodWindow })
	if limit > 0 && len(f.sent) >= limit {
		return false
	}
	f.sent = append(f.sent, now)
	return true
}

func (f *flood) add(n *notice, now time.Time) {
	if len(f.excess) == 0 {
		f.since = now
	}
	f.excess = append(f.excess, *n)
}

// summarize sends one message for the findings that exceeded the limit of a channel, and logs it for each of them.
func (c *Console) summarize(ctx context.Context, o *outlet) {
	list := o.flood.excess
	if len(list) == 0 || c.Now().Sub(o.flood.since) < summaryEvery {
		return
	}
	o.flood.excess = nil
	defer func() {
		for i := range list {
			o.release(list[i].finding.ID)
		}
	}()
	if !c.leading.Load() {
		return
	}
	m := c.summary(o, list)
	err := c.retry(ctx, o, m)
	if ctx.Err() != nil && err != nil {
		return // the next start sends them
	}
	action, detail := store.Notified, o.Name+": in a summary"
	if err != nil {
		action, detail = store.NotNotified, o.Name+": "+err.Error()
	}
	var entries []store.Entry
	for i := range list {
		f := &list[i].finding
		o.record(f.ID, f.PropertyID, strings.TrimPrefix(detail, o.Name+": "), err != nil, c.Now())
		entries = append(entries, c.noteOf(f.PropertyID, action, f.ID, detail))
	}
	if err := c.Store.Log(ctx, entries...); err != nil {
		c.Log.Error("writing the console log failed", "error", err, "action", action, "findings", len(entries))
	}
}

// summary is the message for several findings: their number by severity, and the queue in place of a finding.
func (c *Console) summary(o *outlet, list []notice) *notify.Message {
	by := map[string]int{}
	now := c.Now().UTC()
	first := &list[0].finding
	property, table := first.PropertyID, first.TableID
	for i := range list {
		f := &list[i].finding
		by[f.Severity]++
		if f.PropertyID != property {
			property, table = "several", "several"
		}
		if f.TableID != table {
			table = "several"
		}
	}
	var parts []string
	severity := ""
	for _, s := range []string{"critical", "major", "minor", "info"} {
		if by[s] > 0 {
			severity = cmp.Or(severity, s)
			parts = append(parts, fmt.Sprintf("%d %s", by[s], s))
		}
	}
	return &notify.Message{
		ID: fmt.Sprintf("%032x", now.UnixNano()), Rule: "notify.summary", Severity: severity, Verdict: "INFO",
		Kind: "notice", PropertyID: property, TableID: table, At: now, Local: c.timecode(now), Findings: len(list),
		Expected: fmt.Sprintf("at most %s in %v", schema.Count(o.Limit, "message"), floodWindow),
		Observed: fmt.Sprintf("%s more, %s: the queue has them", count(len(list), "finding"), strings.Join(parts, ", ")),
		Link:     c.PublicURL.JoinPath("queue").String(),
	}
}
