package console

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

func silencesPage(c *Console, x *exchange) error {
	silences, err := c.Store.Silences(x.r.Context(), x.scope())
	if err != nil {
		return err
	}
	now := c.Now()
	var inForce, past []store.Silence
	for _, s := range silences {
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
	return x.page("silences", "Silences", map[string]any{
		"InForce": inForce, "Past": past, "Properties": properties, "Rule": x.r.FormValue("rule"),
		"Table": x.r.FormValue("table"), "Property": x.r.FormValue("property"),
	})
}

func addSilence(c *Console, x *exchange) error {
	const maxReason, maxName, maxHours = 2000, 100, int(store.MaxSilence / time.Hour)
	form := x.r.PostForm
	hours, err := strconv.Atoi(form.Get("hours"))
	if err != nil || hours < 1 || hours > maxHours {
		return badRequest("The duration of a silence is 1 to %d hours.", maxHours)
	}
	now := c.Now().UTC()
	s := store.Silence{
		PropertyID: form.Get("property"), ID: rand.Text(), Rule: form.Get("rule"), TableID: form.Get("table"),
		Reason: strings.TrimSpace(form.Get("reason")), Actor: x.user.Name, At: now,
		Until: now.Add(time.Duration(hours) * time.Hour),
	}
	switch {
	case !x.scope().Has(s.PropertyID) || s.PropertyID == "":
		return errForbidden
	case s.Rule == "" || s.Reason == "" || len(s.Reason) > maxReason || len(s.Rule) > maxName || len(s.TableID) > maxName:
		return badRequest("A silence needs a rule and a reason.")
	case !isRule(s.Rule):
		return badRequest("No rule or detector is named %q.", s.Rule)
	}
	return c.writeSilence(x, s, "shelve")
}

func liftSilence(c *Console, x *exchange) error {
	silences, err := c.Store.Silences(x.r.Context(), x.scope())
	if err != nil {
		return err
	}
	for _, s := range silences {
		if s.ID == x.r.PostForm.Get("id") && s.InForce(c.Now()) {
			s.LiftedBy = x.user.Name
			return c.writeSilence(x, s, "lift")
		}
	}
	return errNoPage
}

// writeSilence stores a silence. The console log keeps the older action name shelve, so that old and new entries have
// the same name.
func (c *Console) writeSilence(x *exchange, s store.Silence, action string) error {
	if err := c.Store.WriteSilence(x.r.Context(), s); err != nil {
		return err
	}
	// The chain of the log keeps what the row of the silence has.
	detail := fmt.Sprintf("table %q until %s: %s", s.TableID, s.Until.Format(time.RFC3339), s.Reason)
	x.log(s.PropertyID, action, s.Rule, detail)
	c.changed()
	return x.redirect("/silences")
}
