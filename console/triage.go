package console

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// members returns the ids of the findings that a form names, each as f:ID or by its group.
func (c *Console) members(x *exchange, keys []string) ([]string, error) {
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

// apply applies an action of triage as the user.
func (c *Console) apply(x *exchange, p store.Triage) ([]store.OpenFinding, error) {
	p.Actor, p.Who, p.Role = x.user.Name, x.user.Who, x.user.Role()
	p.Second = func(requester store.Who) error { return c.rights().second(requester, p.Who) }
	scope := x.scope()
	if p.Action == store.Assign && p.Owner == "me" {
		p.Owner = p.Actor
	}
	if supervised(&p) {
		if scope = x.user.Scope(permSupervise); !scope.All && len(scope.Properties) == 0 {
			x.refused(strings.Join(p.IDs, " "), p.Action)
			return nil, errForbidden
		}
	}
	rows, err := c.Store.Apply(x.r.Context(), scope, p)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		x.log(rows[i].PropertyID, p.Action, rows[i].ID, p.Disposition)
	}
	c.changed()
	return rows, nil
}

func triage(c *Console, x *exchange) error {
	form := x.r.PostForm
	ids, err := c.members(x, form["key"])
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return badRequest("Select a finding first.")
	}
	_, err = c.apply(x, store.Triage{
		IDs: ids, Action: form.Get("step"), Owner: form.Get("owner"), Disposition: form.Get("disposition"),
		Reason: form.Get("reason"), Note: form.Get("note"),
	})
	if err != nil {
		return err
	}
	return x.redirect(local(form.Get("next")))
}
