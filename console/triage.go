package console

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// maxKeysOfForm is above the rows of a page.
const maxKeysOfForm = 1100

// members returns the ids of the findings that a form names, each as f:ID or by its group.
func (c *Console) members(x *exchange, keys []string) ([]string, error) {
	if len(keys) > maxKeysOfForm {
		return nil, badRequest("%d findings and groups are selected, and a form has %d at most.", len(keys), maxKeysOfForm)
	}
	var ids []string
	for _, key := range keys {
		parts := strings.Split(key, ":")
		switch {
		case len(parts) == 2 && parts[0] == "f":
			ids = append(ids, parts[1])
		case len(parts) == 4 && parts[0] == "g":
			ms, err := strconv.ParseInt(parts[3], 10, 64)
			if err != nil {
				return nil, badRequest("group %q: malformed key", key)
			}
			more, err := c.Store.Members(x.r.Context(), x.scope(), parts[1], parts[2], time.UnixMilli(ms))
			if err != nil {
				return nil, err
			}
			ids = append(ids, more...)
		default:
			return nil, badRequest("finding %q: malformed key", key)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Permits reports whether one of the roles, separated by commas, permits an action of triage. Whether an operator may
// assign a finding depends on the new owner too.
func Permits(roles, action string) bool {
	needs := permTriage
	if supervised(&store.Triage{Action: action}) {
		needs = permSupervise
	}
	for role := range strings.SplitSeq(roles, ", ") {
		g := Grant{Role: role}
		if g.may(needs) {
			return true
		}
	}
	return false
}

// supervised reports whether an action needs the permission Supervise.
func supervised(p *store.Triage) bool {
	return p.Action == store.Confirm || p.Action == store.Reject || p.Action == store.Reopen ||
		p.Action == store.Assign && p.Owner != p.Actor
}

// apply applies an action of triage as the user. The lines of the console log are stored with the actions.
func (c *Console) apply(x *exchange, p store.Triage) (store.Outcome, error) {
	p.Actor, p.Who, p.Role = x.user.Name, x.user.Who, x.user.Role()
	p.Second = func(requester store.Who) error { return c.rights().second(requester, p.Who) }
	scope := x.scope()
	if p.Action == store.Assign && p.Owner == "me" {
		p.Owner = p.Actor
	}
	if supervised(&p) {
		if scope = x.user.Scope(permSupervise); !scope.All && len(scope.Properties) == 0 {
			x.refused(strings.Join(p.IDs, " "), p.Action)
			return store.Outcome{}, errForbidden
		}
	}
	if p.Action == store.Assign && p.Owner != "" && p.Owner != p.Actor {
		known, err := c.known(x, p.Owner)
		if err != nil {
			return store.Outcome{}, err
		}
		if !known {
			return store.Outcome{}, badRequest("No user is known as %q: an assignee has signed in before, or is in the access "+
				"file.", cut(p.Owner))
		}
	}
	line := x.entry("", p.Action, "", p.Disposition)
	p.Log = &line
	out, err := c.Store.ApplyEach(x.r.Context(), scope, p)
	if err == nil {
		c.changed()
	}
	return out, err
}

// known reports whether a name is that of a user: of the access file, or of someone who signed in or acted before.
// Where no one is authenticated, any name of a person will do.
func (c *Console) known(x *exchange, name string) (bool, error) {
	if plain, err := visibleName(name); err != nil || plain != name {
		return false, nil
	}
	if c.SignIn == ByChoice {
		return true, nil
	}
	a := c.rights()
	if _, person := a.People[name]; person || slices.ContainsFunc(a.Tokens, func(t Token) bool {
		return t.Name == name || t.Person == name
	}) {
		return true, nil
	}
	return c.Store.Acted(x.r.Context(), name)
}

// triage applies an action to the selected findings, in parts. One finding that does not allow it does not stop the
// others; the next page has the number of findings and the reasons.
func triage(c *Console, x *exchange) error {
	form := x.r.PostForm
	ids, err := c.members(x, form["key"])
	if err != nil {
		return err
	}
	action := form.Get("step")
	if action == store.Undo && len(ids) == 0 {
		// Another tab may have acted since: the button undoes the action beside it and no other.
		if of := c.sessions.GetString(x.r.Context(), "undo of"); of == "" || of != form.Get("of") {
			return badRequest("You acted again since, in another tab. Open the finding to see its last action.")
		}
		ids, _ = c.sessions.Get(x.r.Context(), "undo").([]string)
	}
	if len(ids) == 0 {
		return badRequest("Select a finding first.")
	}
	var done []string
	var waiting int // for a second person
	var refused []error
	until := c.Now().Add(store.UndoFor) // of the first part, which the others follow
	for part := range slices.Chunk(ids, store.MaxIDs) {
		out, failed := c.apply(x, store.Triage{
			IDs: part, Action: action, Owner: form.Get("owner"), Disposition: form.Get("disposition"),
			Reason: form.Get("reason"), Note: form.Get("note"), Some: len(ids) > 1,
		})
		for i := range out.Rows {
			done = append(done, out.Rows[i].ID)
			if action == store.Close && out.Rows[i].State == store.Closing {
				waiting++
			}
		}
		refused = append(refused, out.Refused...)
		if err = failed; err != nil {
			break
		}
	}
	switch {
	case len(done) == 0 && err != nil:
		return err
	case len(done) == 0:
		return refused[0]
	}
	text := fmt.Sprintf("%s: %s.", doneWords[action], count(len(done), "finding"))
	switch {
	case err != nil:
		_, why := x.explain(err)
		text = fmt.Sprintf("%s: %d of %s. Then: %s Repeat the action to continue.", doneWords[action], len(done),
			count(len(ids), "finding"), why)
	case waiting == len(done):
		text = fmt.Sprintf("Closing requested: %s. A supervisor must confirm.", count(waiting, "finding"))
	case waiting > 0:
		text = fmt.Sprintf("Closed: %s. Closing requested: %d, which a supervisor must confirm.",
			count(len(done)-waiting, "finding"), waiting)
	}
	for i, r := range refused {
		if i == maxReasons {
			text += fmt.Sprintf(" And %d more.", len(refused)-i)
			break
		}
		text += " Not changed: " + r.Error() + "."
	}
	x.report(text, action, done, until)
	return x.redirect(local(form.Get("next")))
}

// doneWords report an action that was done.
var doneWords = map[string]string{
	store.Acknowledge: "Acknowledged", store.Review: "In review", store.Assign: "Assigned", store.Escalate: "Escalated",
	store.Note: "Note added", store.Close: "Closed", store.Confirm: "Closing confirmed", store.Reject: "Closing rejected",
	store.Reopen: "Reopened", store.Undo: "Undone",
}

// maxReasons is the number of refused findings that a report names.
const maxReasons = 3

// report shows a text on the next page of the session, with a button to undo the action until a time.
func (x *exchange) report(text, action string, done []string, until time.Time) {
	if x.user.Who.Session == "" {
		return
	}
	x.c.sessions.Put(x.r.Context(), "done", text)
	if !rows.IsUndoable(action) {
		done = nil
	}
	x.c.sessions.Put(x.r.Context(), "undo", done)
	x.c.sessions.Put(x.r.Context(), "undo of", rand.Text())
	x.c.sessions.Put(x.r.Context(), "undo until", until.UnixMilli())
}

// reported returns the report of the last action, once, and the name of the action if it can be undone, until a time.
func (x *exchange) reported() (text, undo string, until time.Time) {
	if x.user == nil || x.user.Who.Session == "" || x.r.Method != http.MethodGet || x.r.Header.Get("X-Refresh") != "" {
		return "", "", until
	}
	ctx := x.r.Context()
	if text = x.c.sessions.PopString(ctx, "done"); text == "" {
		return "", "", until
	}
	ids, _ := x.c.sessions.Get(ctx, "undo").([]string)
	if until = time.UnixMilli(x.c.sessions.GetInt64(ctx, "undo until")); len(ids) > 0 && x.c.Now().Before(until) {
		undo = x.c.sessions.GetString(ctx, "undo of")
	}
	return text, undo, until
}

// count is a number of any type with its noun.
func count(n any, word string) string {
	if s := fmt.Sprint(n); s != "1" {
		return s + " " + word + "s"
	}
	return "1 " + word
}
