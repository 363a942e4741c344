package console

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// openSession is a session of this process, for the page of sessions.
type openSession struct {
	ID, Name, Role, Issuer, Remote string
	Since, Seen                    time.Time
	// Self is the session of the user who looks at the page.
	Self bool
}

// eachSession calls do for each session whose user has grants within a scope only. Others can neither be seen nor
// ended: an administrator of one property does not manage a colleague of another.
func (c *Console) eachSession(x *exchange, do func(*openSession) error) error {
	scope := x.scope()
	return c.sessionsOf(x, func(id *Identity) bool {
		return !slices.ContainsFunc(id.Grants, func(g Grant) bool {
			return slices.ContainsFunc(g.Properties, func(p string) bool { return !scope.Has(p) })
		})
	}, do)
}

// sessionsOf calls do for each session of the users that are selected.
func (c *Console) sessionsOf(x *exchange, selects func(*Identity) bool, do func(*openSession) error) error {
	now, self := c.Now(), ""
	if x.user != nil {
		self = x.user.Who.Session
	}
	return c.sessions.Iterate(x.r.Context(), func(ctx context.Context) error {
		name, seen := c.sessions.GetString(ctx, "name"), c.sessions.GetInt64(ctx, "seen")
		if name == "" || now.Unix()-seen > int64(maxIdle/time.Second) {
			return nil
		}
		id := c.ofSession(ctx, name)
		if id == nil || !selects(id) {
			return nil
		}
		s := openSession{
			ID: c.sessions.GetString(ctx, "id"), Name: name, Role: id.Role(), Issuer: id.Who.Issuer,
			Remote: c.sessions.GetString(ctx, "remote"), Since: time.Unix(c.sessions.GetInt64(ctx, "since"), 0).UTC(),
			Seen: time.Unix(seen, 0).UTC(),
		}
		s.Self = s.ID == self
		return do(&s)
	})
}

// ownSessions returns the sessions of the user's account, the newest first.
func (c *Console) ownSessions(x *exchange) (all []openSession, err error) {
	err = c.sessionsOf(x, func(id *Identity) bool { return id.Who.Account() == x.user.Who.Account() },
		func(s *openSession) error {
			all = append(all, *s)
			return nil
		})
	sortSessions(all)
	return all, err
}

func sortSessions(all []openSession) {
	slices.SortFunc(all, func(a, b openSession) int {
		return cmp.Or(b.Since.Compare(a.Since), strings.Compare(a.ID, b.ID))
	})
}

// boundSessions ends the oldest sessions of the user if the account has more than maxSessions with the new one. The
// mode none has no accounts.
func (c *Console) boundSessions(x *exchange) error {
	if c.SignIn == ByChoice {
		return nil
	}
	all, err := c.ownSessions(x)
	if err != nil {
		return err
	}
	for i := maxSessions - 1; i < len(all); i++ {
		c.ended.add(all[i].ID, c.Now())
		x.log("", endedSession, all[i].ID, tooManySessions)
	}
	return nil
}

func accountPage(c *Console, x *exchange) error {
	all, err := c.ownSessions(x)
	if err != nil {
		return err
	}
	return x.page("account", "Your sessions", map[string]any{"Sessions": all, "Max": maxSessions, "Fresh": c.fresh(x)})
}

// fresh reports whether the user signed in a short time ago: what needs it is not done by who finds an open screen.
func (c *Console) fresh(x *exchange) bool {
	ctx := x.r.Context()
	return c.sessions.GetBool(ctx, "fresh") &&
		c.Now().Sub(time.Unix(c.sessions.GetInt64(ctx, "since"), 0)) < freshFor
}

// endOwn ends one session of the user, or all with "all".
func endOwn(c *Console, x *exchange) error {
	if !c.fresh(x) {
		return x.redirect("/sign-in?again=1&next=/account")
	}
	all, err := c.ownSessions(x)
	if err != nil {
		return err
	}
	which, ended := x.r.PostFormValue("id"), 0
	for i := range all {
		if s := &all[i]; s.ID != "" && (which == "all" || which == s.ID) {
			ended++
			c.ended.add(s.ID, c.Now())
			if err := x.mustLog("", endedSession, s.ID, s.Name); err != nil {
				return err
			}
		}
	}
	if ended == 0 {
		return errNoPage
	}
	return x.redirect("/account")
}

// endings are the sessions that an administrator ended. The data of a session can be deleted by its own requests only:
// their cookie has the key.
type endings struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (e *endings) add(id string, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.at == nil {
		e.at = map[string]time.Time{}
	}
	for other, at := range e.at {
		if now.Sub(at) > maxSession {
			delete(e.at, other)
		}
	}
	e.at[id] = now
}

func (e *endings) has(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ended := e.at[id]
	return ended
}

func sessionsPage(c *Console, x *exchange) error { return c.sessionList(x, "") }

// sessionList shows the sessions and the kiosks, and the key of a new kiosk once.
func (c *Console) sessionList(x *exchange, key string) error {
	var all []openSession
	err := c.eachSession(x, func(s *openSession) error {
		all = append(all, *s)
		return nil
	})
	if err != nil {
		return err
	}
	sortSessions(all)
	kiosks, err := c.kiosksIn(x)
	if err != nil {
		return err
	}
	properties, err := c.properties(x, x.scope())
	if err != nil {
		return err
	}
	return x.page("sessions", "Sessions", map[string]any{
		"Sessions": all, "Kiosks": kiosks, "Key": key, "Properties": properties,
		"Enrol": c.PublicURL.JoinPath("kiosk").String(),
	})
}

// endSession ends the session that the form names, and its event streams with it.
func endSession(c *Console, x *exchange) error {
	ended := ""
	err := c.eachSession(x, func(s *openSession) error {
		if s.ID == "" || s.ID != x.r.PostFormValue("id") {
			return nil
		}
		ended = s.Name
		c.ended.add(s.ID, c.Now())
		return x.mustLog("", endedSession, s.ID, s.Name)
	})
	switch {
	case err != nil:
		return err
	case ended == "":
		return errNoPage
	}
	return x.redirect("/sessions")
}
