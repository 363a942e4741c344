package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
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
	now, since := c.Now(), c.sinceLast(last, "")
	day, shift := c.Law.Calendar.Of(now.UnixNano())
	var open []store.OpenFinding
	var totals store.Totals
	var actions acts
	var silences []store.Silence
	var properties []string // for which the user may sign
	var all errgroup.Group
	fetch(&all, &open, func() ([]store.OpenFinding, error) {
		return c.Store.Open(ctx, scope, store.Filter{High: c.High, Limit: store.All})
	})
	fetch(&all, &totals, func() (store.Totals, error) { return c.Store.Totals(ctx, scope, store.Filter{}) })
	fetch(&all, &actions, func() (acts, error) { return c.actsSince(ctx, scope, since) })
	fetch(&all, &silences, func() ([]store.Silence, error) { return c.Store.Silences(ctx, scope) })
	if x.user.May(permHandOver) {
		fetch(
			&all, &properties, func() ([]string, error) { return c.properties(x, x.user.Scope(permHandOver)) },
		)
	}
	if err := all.Wait(); err != nil {
		return err
	}
	silences = slices.DeleteFunc(silences, func(s store.Silence) bool { return !s.InForce(now) })
	pending := slices.DeleteFunc(open, func(f store.OpenFinding) bool { return f.State == store.New })
	return x.page("handover", "Hand-over", map[string]any{
		"Last": handed(last), "Since": since, "Day": day, "Shift": shift, "Pending": pending, "Totals": totals,
		"Acts": actions, "Silences": silences, "Properties": properties,
		"Once": rand.Text(),
	})
}

// snapshot is what is handed over. It is stored with the signature and never changes.
type snapshot struct {
	Since    time.Time
	Totals   store.Totals
	Findings []store.OpenFinding // the most urgent ones
	acts
	Silences []store.Silence
}

// acts are actions of triage with their findings by id. Snapshots of earlier releases have no findings.
type acts struct {
	Actions []store.Action
	On      map[string]store.OpenFinding
}

func (c *Console) actsSince(ctx context.Context, scope store.Scope, since time.Time) (a acts, err error) {
	const most = 300
	if a.Actions, err = c.Store.ActionsSince(ctx, scope, since, most); err == nil {
		a.On, err = c.Store.ActedOn(ctx, scope, a.Actions)
	}
	return a, err
}

func (c *Console) snapshot(x *exchange, property string, since time.Time) (snapshot, error) {
	const maxFindings = 1000
	ctx, scope := x.r.Context(), store.Scope{Properties: []string{property}}
	s := snapshot{Since: since}
	var all errgroup.Group
	fetch(&all, &s.Totals, func() (store.Totals, error) { return c.Store.Totals(ctx, scope, store.Filter{}) })
	fetch(&all, &s.Findings, func() ([]store.OpenFinding, error) {
		return c.Store.Open(ctx, scope, store.Filter{High: c.High, Limit: maxFindings})
	})
	fetch(&all, &s.acts, func() (acts, error) { return c.actsSince(ctx, scope, since) })
	fetch(&all, &s.Silences, func() ([]store.Silence, error) { return c.Store.Silences(ctx, scope) })
	err := all.Wait()
	now := c.Now()
	s.Silences = slices.DeleteFunc(s.Silences, func(q store.Silence) bool { return !q.InForce(now) })
	return s, err
}

// sinceLast returns when the actions of a hand-over begin: at the one before, or eight hours ago.
func (c *Console) sinceLast(last []store.Handover, property string) time.Time {
	now := c.Now()
	for i := range last {
		h := &last[i]
		if (property == "" || h.PropertyID == property) && h.Action == "" && h.At.After(now.AddDate(0, 0, -2)) {
			return h.At
		}
	}
	return now.Add(-8 * time.Hour)
}

// base32 are the characters of rand.Text.
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// handOver signs a hand-over: what is open now is frozen with it.
func handOver(c *Console, x *exchange) error {
	const maxNote = 8000
	form := x.r.PostForm
	property, note, once := form.Get("property"), strings.TrimSpace(form.Get("note")), form.Get("once")
	switch {
	case property == "" || !x.scope().Has(property):
		return errForbidden
	case note == "" || len(note) > maxNote:
		return badRequest("A hand-over needs a note of at most %d bytes.", maxNote)
	case len(once) < len(rand.Text()) || len(once) > 64 || strings.Trim(once, base32) != "":
		return badRequest("Open the page of hand-overs again, and sign there.")
	}
	c.handing.Lock()
	defer c.handing.Unlock()
	// A form that is sent again signs once.
	rows, err := c.Store.Handover(x.r.Context(), x.scope(), property, once)
	switch {
	case err != nil:
		return err
	case len(rows) > 0:
		return x.redirect(pathOf("handovers", property, once))
	}
	last, err := c.Store.Handovers(x.r.Context(), store.Scope{Properties: []string{property}})
	if err != nil {
		return err
	}
	s, err := c.snapshot(x, property, c.sinceLast(last, property))
	if err != nil {
		return err
	}
	frozen, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("hand over: %w", err)
	}
	now := c.Now()
	day, shift := c.Law.Calendar.Of(now.UnixNano())
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return fmt.Errorf("hand over: %w", err)
	}
	h := store.Handover{
		PropertyID: property, At: now.UTC(), GamingDay: date, Shift: shift, Actor: x.user.Name, Note: note,
		Open: uint32(s.Totals.Open), Critical: uint32(s.Totals.Critical), Unassigned: uint32(s.Totals.Unassigned),
		ID: once, Issuer: x.user.Who.Issuer, Subject: x.user.Who.Subject,
	}
	if err := c.Store.HandOver(x.r.Context(), store.SignedHandover{Handover: h, Snapshot: string(frozen)}); err != nil {
		return err
	}
	// The chain of the log keeps the digest of what was handed over, and the note.
	detail := fmt.Sprintf("snapshot sha256 %x: %s", sha256.Sum256(frozen), note)
	x.log(property, "hand-over", strings.TrimSpace(day+" "+shift), detail)
	return x.redirect(pathOf("handovers", property, h.ID))
}

// signed reads the hand-over that the path names.
func (c *Console) signed(x *exchange) (h store.SignedHandover, accepted *store.Handover, err error) {
	rows, err := c.Store.Handover(x.r.Context(), x.scope(), x.r.PathValue("property"), x.r.PathValue("id"))
	if err != nil {
		return h, nil, err
	}
	if len(rows) == 0 || rows[0].Action != "" {
		return h, nil, errNoPage
	}
	for i := range rows {
		if rows[i].Action == store.Accepted {
			accepted = &rows[i].Handover
			break
		}
	}
	return rows[0], accepted, nil
}

// incoming returns an error unless the user is another person than the one who signed a hand-over.
func (c *Console) incoming(x *exchange, h *store.Handover) error {
	of := store.Who{Issuer: h.Issuer, Subject: h.Subject}
	if of.Issuer == ByChoice || x.user.Who.Issuer == ByChoice {
		// No one is authenticated. The names must differ at least.
		if of.Subject == x.user.Who.Subject {
			return badRequest("The person who signed a hand-over cannot accept it.")
		}
		return nil
	}
	if err := c.rights().second(of, x.user.Who); err != nil {
		return badRequest("The person who signed a hand-over cannot accept it, nor can a program: the incoming person must " +
			"be another one.")
	}
	return nil
}

func signedPage(c *Console, x *exchange) error {
	h, accepted, err := c.signed(x)
	if err != nil {
		return err
	}
	var s snapshot
	if err := json.Unmarshal([]byte(h.Snapshot), &s); err != nil {
		return fmt.Errorf("read hand-over %s: %w", h.ID, err)
	}
	may := accepted == nil && x.user.Scope(permHandOver).Has(h.PropertyID) && c.incoming(x, &h.Handover) == nil
	return x.page("signed", "Hand-over of "+h.PropertyID, map[string]any{
		"H": h.Handover, "Accepted": accepted, "S": s, "May": may,
		"Digest": fmt.Sprintf("%x", sha256.Sum256([]byte(h.Snapshot))),
	})
}

// acceptHandover counter-signs a hand-over.
func acceptHandover(c *Console, x *exchange) error {
	c.handing.Lock() // of two who accept at the same time, one does
	defer c.handing.Unlock()
	h, accepted, err := c.signed(x)
	switch {
	case err != nil:
		return err
	case accepted != nil:
		return badRequest("%s accepted this hand-over.", accepted.Actor)
	}
	if err := c.incoming(x, &h.Handover); err != nil {
		return err
	}
	row := h.Handover
	row.At, row.Actor, row.Note, row.Action = c.Now().UTC(), x.user.Name, "", store.Accepted
	row.Issuer, row.Subject = x.user.Who.Issuer, x.user.Who.Subject
	if err := c.Store.HandOver(x.r.Context(), store.SignedHandover{Handover: row}); err != nil {
		return err
	}
	x.log(row.PropertyID, acceptedHandover, row.ID, "signed by "+h.Actor)
	return x.redirect(pathOf("handovers", row.PropertyID, row.ID))
}

// handover is a hand-over with the one who accepted it.
type handover struct {
	store.Handover
	AcceptedBy string
}

func handed(rows []store.Handover) []handover {
	by := map[string]string{}
	var all []handover
	for _, h := range rows {
		if h.Action == store.Accepted {
			by[h.ID] = h.Actor
		}
	}
	for _, h := range rows {
		if h.Action == "" {
			all = append(all, handover{h, by[h.ID]})
		}
	}
	return all
}
