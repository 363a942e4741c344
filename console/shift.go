package console

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
)

func shelvesPage(c *Console, x *exchange) error {
	shelves, err := c.Store.Shelves(x.r.Context(), x.scope())
	if err != nil {
		return err
	}
	now := c.Now()
	var inForce, past []store.Shelf
	for _, s := range shelves {
		if s.InForce(now) {
			inForce = append(inForce, s)
		} else {
			past = append(past, s)
		}
	}
	properties, err := c.Store.Properties(x.r.Context(), x.scope())
	if err != nil {
		return err
	}
	return x.page("shelves", "Shelves", map[string]any{
		"InForce": inForce, "Past": past, "Properties": properties, "Rule": x.r.FormValue("rule"), "Table": x.r.FormValue("table"), "Property": x.r.FormValue("property"),
	})
}

func shelve(c *Console, x *exchange) error {
	form := x.r.PostForm
	hours, err := strconv.Atoi(form.Get("hours"))
	if err != nil || hours < 1 || hours > int(store.LongestShelf/time.Hour) {
		return badRequest("Shelve for 1 to %d hours.", int(store.LongestShelf/time.Hour))
	}
	now := c.Now().UTC()
	s := store.Shelf{
		PropertyID: form.Get("property"), ID: rand.Text(), Rule: form.Get("rule"), TableID: form.Get("table"), Reason: strings.TrimSpace(form.Get("reason")),
		Actor: x.who.Name, At: now, Until: now.Add(time.Duration(hours) * time.Hour),
	}
	switch {
	case !x.scope().Has(s.PropertyID) || s.PropertyID == "":
		return errForbidden
	case s.Rule == "" || s.Reason == "" || len(s.Reason) > 2000 || len(s.Rule) > 100 || len(s.TableID) > 100:
		return badRequest("A shelf needs a rule and a reason.")
	}
	if err := c.Store.Shelve(x.r.Context(), s); err != nil {
		return err
	}
	x.log(s.PropertyID, "shelve", s.Rule, s.TableID)
	c.changed()
	return x.redirect("/shelves")
}

func lift(c *Console, x *exchange) error {
	shelves, err := c.Store.Shelves(x.r.Context(), x.scope())
	if err != nil {
		return err
	}
	for _, s := range shelves {
		if s.ID == x.r.PostForm.Get("id") && s.InForce(c.Now()) {
			s.LiftedBy = x.who.Name
			if err := c.Store.Shelve(x.r.Context(), s); err != nil {
				return err
			}
			x.log(s.PropertyID, "lift", s.Rule, s.TableID)
			c.changed()
			return x.redirect("/shelves")
		}
	}
	return errNoPage
}

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
	open, err := c.Store.Open(ctx, scope, store.Filter{High: c.High, Limit: 100})
	if err != nil {
		return err
	}
	totals, err := c.Store.Totals(ctx, scope, store.Filter{})
	if err != nil {
		return err
	}
	actions, err := c.Store.ActionsSince(ctx, scope, since, 300)
	if err != nil {
		return err
	}
	shelves, err := c.Store.Shelves(ctx, scope)
	if err != nil {
		return err
	}
	shelves = slices.DeleteFunc(shelves, func(s store.Shelf) bool { return !s.InForce(now) })
	var pending []store.Waiting // touched and not closed
	for _, w := range open {
		if w.State != store.New {
			pending = append(pending, w)
		}
	}
	properties, err := c.Store.Properties(ctx, x.who.Scope(HandOver))
	if err != nil && x.who.May(HandOver) {
		return err
	}
	return x.page("handover", "Hand-over", map[string]any{
		"Last": last, "Since": since, "Day": day, "Shift": shift, "Open": open, "Pending": pending, "Totals": totals, "Actions": actions, "Shelves": shelves, "Properties": properties,
	})
}

func handover(c *Console, x *exchange) error {
	form := x.r.PostForm
	property, note := form.Get("property"), strings.TrimSpace(form.Get("note"))
	switch {
	case property == "" || !x.scope().Has(property):
		return errForbidden
	case note == "" || len(note) > 8000:
		return badRequest("A hand-over needs a note of up to 8000 letters.")
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
		PropertyID: property, At: now.UTC(), GamingDay: date, Shift: shift, Actor: x.who.Name, Note: note,
		Open: uint32(totals.Open), Critical: uint32(totals.Critical), Unowned: uint32(totals.Unowned),
	})
	if err != nil {
		return err
	}
	x.log(property, "hand-over", day, shift)
	return x.redirect("/handover")
}

// bar is ten minutes of the alarm rate.
type bar struct {
	store.Slot
	X, Y, H int
	Flood   bool
}

// figures are those of the rates at a moment.
type figures struct {
	at      time.Time
	slots   []store.Slot
	answers []store.Answer
	noisy   []store.Noise
}

func ratesPage(c *Console, x *exchange) error {
	scope := x.scope()
	const slots = 72 // of ten minutes, half a day
	ctx := context.WithoutCancel(x.r.Context())
	f, err := cachedFor(&c.slow, fmt.Sprint("rates ", scope), figuresFor, func() (figures, error) {
		f := figures{at: c.Now()}
		var all errgroup.Group
		gather(&all, &f.slots, func() ([]store.Slot, error) { return c.Store.AlarmRate(ctx, scope, f.at.Add(-slots*10*time.Minute)) })
		gather(&all, &f.answers, func() ([]store.Answer, error) { return c.Store.Answers(ctx, scope, f.at.AddDate(0, 0, -7)) })
		gather(&all, &f.noisy, func() ([]store.Noise, error) { return c.Store.Noisy(ctx, scope, f.at.AddDate(0, 0, -7)) })
		err := all.Wait()
		return f, err
	})
	if err != nil {
		return err
	}
	rows := f.slots
	most, floods, total := uint64(12), 0, uint64(0)
	for _, r := range rows {
		most = max(most, r.Alarms)
		total += r.Alarms
	}
	var bars []bar
	for _, r := range rows {
		i := slots - 1 - int(f.at.Truncate(10*time.Minute).Sub(r.At)/(10*time.Minute))
		b := bar{Slot: r, X: 10 * i, H: max(2, int(120*r.Alarms/most)), Flood: r.Alarms > 10}
		b.Y = 120 - b.H
		if b.Flood {
			floods++
		}
		if i >= 0 {
			bars = append(bars, b)
		}
	}
	return x.page("rates", "Alarm rates", map[string]any{
		"At": f.at, "Bars": bars, "Most": most, "FloodY": 120 - int(120*10/most), "Floods": floods, "Total": total, "PerHour": float64(total) / 12, "Answers": f.answers, "Noisy": f.noisy,
	})
}
