package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
)

func handoverPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	last, err := c.Store.Handovers(ctx, scope)
	if err != nil {
		return err
	}
	now := c.Now()
	since := now.Add(-8 * time.Hour)
	if len(last) > 0 && last[0].At.After(now.AddDate(0, 0, -2)) {
		since = last[0].At
	}
	day, shift := c.Law.Calendar.Of(now.UnixNano())
	var open []store.OpenFinding
	var totals store.Totals
	var actions []store.Action
	var silences []store.Silence
	var properties []string // for which the user may sign
	var all errgroup.Group
	fetch(&all, &open, func() ([]store.OpenFinding, error) {
		return c.Store.Open(ctx, scope, store.Filter{High: c.High, Limit: store.All})
	})
	fetch(&all, &totals, func() (store.Totals, error) { return c.Store.Totals(ctx, scope, store.Filter{}) })
	fetch(&all, &actions, func() ([]store.Action, error) { return c.Store.ActionsSince(ctx, scope, since, 300) })
	fetch(&all, &silences, func() ([]store.Silence, error) { return c.Store.Silences(ctx, scope) })
	if x.user.May(permHandOver) {
		fetch(&all, &properties, func() ([]string, error) { return c.Store.Properties(ctx, x.user.Scope(permHandOver)) })
	}
	if err := all.Wait(); err != nil {
		return err
	}
	silences = slices.DeleteFunc(silences, func(s store.Silence) bool { return !s.InForce(now) })
	pending := slices.DeleteFunc(open, func(f store.OpenFinding) bool { return f.State == store.New })
	return x.page("handover", "Hand-over", map[string]any{
		"Last": last, "Since": since, "Day": day, "Shift": shift, "Pending": pending, "Totals": totals,
		"Actions": actions, "Silences": silences, "Properties": properties,
	})
}

func handOver(c *Console, x *exchange) error {
	const maxNote = 8000
	form := x.r.PostForm
	property, note := form.Get("property"), strings.TrimSpace(form.Get("note"))
	switch {
	case property == "" || !x.scope().Has(property):
		return errForbidden
	case note == "" || len(note) > maxNote:
		return badRequest("A hand-over needs a note of at most %d bytes.", maxNote)
	}
	totals, err := c.Store.Totals(x.r.Context(), store.Scope{Properties: []string{property}}, store.Filter{})
	if err != nil {
		return err
	}
	now := c.Now()
	day, shift := c.Law.Calendar.Of(now.UnixNano())
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return fmt.Errorf("hand over: %w", err)
	}
	err = c.Store.HandOver(x.r.Context(), store.Handover{
		PropertyID: property, At: now.UTC(), GamingDay: date, Shift: shift, Actor: x.user.Name, Note: note,
		Open: uint32(totals.Open), Critical: uint32(totals.Critical), Unassigned: uint32(totals.Unassigned),
	})
	if err != nil {
		return err
	}
	x.log(property, "hand-over", strings.TrimSpace(day+" "+shift), note) // the chain of the log keeps the note
	return x.redirect("/handover")
}
