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
	properties, err := c.properties(x, x.scope())
	if err != nil {
		return err
	}
	return x.page("silences", "Silences", map[string]any{
		"InForce": inForce, "Past": past, "Properties": properties, "Rule": x.r.FormValue("rule"),
		"Table": x.r.FormValue("table"), "Property": x.r.FormValue("property"),
	})
}

// silenceRequest is what a user decides about a silence.
type silenceRequest struct {
	Property string `json:"property"`
	Rule     string `json:"rule"`
	Table    string `json:"table"`
	Reason   string `json:"reason"`
	Hours    int    `json:"hours"`
}

func addSilence(c *Console, x *exchange) error {
	form := x.r.PostForm
	hours, _ := strconv.Atoi(form.Get("hours")) // 0 is refused
	_, err := c.silence(x, &silenceRequest{
		Property: form.Get("property"), Rule: form.Get("rule"), Table: form.Get("table"), Reason: form.Get("reason"),
		Hours: hours,
	})
	if err != nil {
		return err
	}
	return x.redirect("/silences")
}

// silence adds a silence.
func (c *Console) silence(x *exchange, r *silenceRequest) (store.Silence, error) {
	const maxReason, maxName, maxHours = 2000, 100, int(store.MaxSilence / time.Hour)
	if r.Hours < 1 || r.Hours > maxHours {
		return store.Silence{}, badRequest("The duration of a silence is 1 to %d hours.", maxHours)
	}
	now := c.Now().UTC()
	s := store.Silence{
		PropertyID: r.Property, ID: rand.Text(), Rule: r.Rule, TableID: r.Table, Reason: strings.TrimSpace(r.Reason),
		Actor: x.user.Name, At: now, Until: now.Add(time.Duration(r.Hours) * time.Hour),
	}
	switch {
	case !x.scope().Has(s.PropertyID) || s.PropertyID == "":
		return s, errForbidden
	case s.Rule == "" || s.Reason == "" || len(s.Reason) > maxReason || len(s.Rule) > maxName || len(s.TableID) > maxName:
		return s, badRequest("A silence needs a rule and a reason.")
	case !isRule(s.Rule):
		return s, badRequest("No rule or detector is named %q.", s.Rule)
	}
	silences, err := c.Store.Silences(x.r.Context(), x.scope())
	if err != nil {
		return s, err
	}
	// A request that is sent again makes no second silence, which would stay in force when the first is lifted.
	for _, o := range silences {
		if o.PropertyID == s.PropertyID && o.Rule == s.Rule && o.TableID == s.TableID && o.Reason == s.Reason &&
			o.Actor == s.Actor && o.InForce(now) {
			return o, nil
		}
	}
	return s, c.writeSilence(x, s, "shelve")
}

func liftSilence(c *Console, x *exchange) error {
	if _, err := c.lift(x, x.r.PostForm.Get("id")); err != nil {
		return err
	}
	return x.redirect("/silences")
}

// lift ends a silence that is in force.
func (c *Console) lift(x *exchange, id string) (store.Silence, error) {
	silences, err := c.Store.Silences(x.r.Context(), x.scope())
	if err != nil {
		return store.Silence{}, err
	}
	for _, s := range silences {
		if s.ID == id && s.InForce(c.Now()) {
			s.LiftedBy = x.user.Name
			return s, c.writeSilence(x, s, "lift")
		}
	}
	return store.Silence{}, errNoPage
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
	return nil
}
