package console

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
)

// deadLetter is a notification that a channel did not take.
type deadLetter struct {
	Finding, Property, Channel, Reason string
	At                                 time.Time
	Attempts                           int
}

// dead returns the dead letters of a channel.
func (o *outlet) dead() (all []deadLetter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, p := range o.past {
		if p.failed > 0 && !o.busy[id] {
			all = append(all, deadLetter{id, p.property, o.Name, p.reason, p.failedAt, p.failed})
		}
	}
	return all
}

// shownChannel is a channel on the page of notifications.
type shownChannel struct {
	Name, Text string
	Routes     []notify.Route
	Waiting    int
}

// notificationsPage shows the channels, their routes and their dead letters.
func notificationsPage(c *Console, x *exchange) error { return c.notifications(x, "", nil) }

// notifications renders the page, with the result of the test of a channel if one is given.
func (c *Console) notifications(x *exchange, tested string, failed error) error {
	var channels []shownChannel
	for _, o := range c.outlets {
		channels = append(channels, shownChannel{o.Name, o.Text, o.routes, len(o.queue)})
	}
	dead := c.deadLetters(x)
	var ids []string
	for i := range dead {
		ids = append(ids, dead[i].Finding)
	}
	named, err := c.named(x, x.scope(), ids)
	if err != nil { // the page tells what was not sent, also when ClickHouse does not answer
		c.Log.Warn("dead letters are shown without their findings", "error", err)
	}
	result := ""
	if failed != nil {
		result = failed.Error()
	}
	return x.page("notifications", "Notifications", map[string]any{
		"Channels": channels, "Dead": dead, "Named": named, "Unread": err != nil, "Tested": tested, "Failed": result,
		"Log": c.Notify.Log != nil,
	})
}

// deadLetters are the dead letters of the properties in scope, the latest first.
func (c *Console) deadLetters(x *exchange) (all []deadLetter) {
	scope := x.scope()
	for _, o := range c.outlets {
		all = append(all, slices.DeleteFunc(o.dead(), func(d deadLetter) bool { return !scope.Has(d.Property) })...)
	}
	slices.SortFunc(all, func(a, b deadLetter) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Finding, b.Finding), cmp.Compare(a.Channel, b.Channel))
	})
	return all
}

// testChannel sends a message that is marked as a test, and shows the result.
func testChannel(c *Console, x *exchange) error {
	name := x.r.PostFormValue("channel")
	i := slices.IndexFunc(c.outlets, func(o *outlet) bool { return o.Name == name })
	if i < 0 {
		return errNoPage
	}
	if !c.limits.allow("test "+name, 5, time.Minute) {
		return errTooMany
	}
	if err := x.mustLog("", "notify-test", name, ""); err != nil {
		return err
	}
	now := c.Now()
	failed := sendOnce(x.r.Context(), c.outlets[i].Channel, notify.TestMessage(now, c.timecode(now),
		c.PublicURL.JoinPath("notifications").String()))
	if failed != nil {
		c.Log.Warn("the test of a channel failed", "channel", name, "error", failed)
	}
	return c.notifications(x, name, failed)
}

// retryDead queues dead letters again: one, or all in scope without a finding.
func retryDead(c *Console, x *exchange) error {
	finding, channel := x.r.PostFormValue("finding"), x.r.PostFormValue("channel")
	n := 0
	for _, d := range c.deadLetters(x) {
		if finding != "" && (d.Finding != finding || d.Channel != channel) {
			continue
		}
		f, err := c.Store.Finding(x.r.Context(), x.scope(), d.Finding)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil {
			err = x.mustLog(d.Property, "notify-retry", d.Finding, d.Channel)
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(c.outlets, func(o *outlet) bool { return o.Name == d.Channel })
		c.outlets[i].put(c, notice{finding: opened(&f), reminder: c.outlets[i].history(d.Finding).sent, byUser: true})
		n++
	}
	if n == 0 {
		return errNoPage
	}
	x.report(fmt.Sprintf("%s queued again.", count(n, "dead letter")), "", nil, time.Time{})
	return x.redirect("/notifications")
}

// opened is a finding as a row of the queue, with what a message needs.
func opened(f *store.Finding) store.OpenFinding {
	return store.OpenFinding{
		ID: f.ID, Rule: f.Rule, Severity: f.Severity, Verdict: f.Verdict, Kind: f.Kind, PropertyID: f.PropertyID,
		PitID: f.PitID, TableID: f.TableID, ShoeID: f.ShoeID, Round: f.Round, At: f.At, Expected: f.Expected,
		Observed: f.Observed, Amount: f.Amount, Currency: f.Currency,
	}
}
