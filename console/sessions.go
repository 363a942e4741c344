package console

import (
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
	scope, now := x.scope(), c.Now()
	self := ""
	if x.user != nil {
		self = x.user.Who.Session
	}
	return c.sessions.Iterate(x.r.Context(), func(ctx context.Context) error {
		name, seen := c.sessions.GetString(ctx, "name"), c.sessions.GetInt64(ctx, "seen")
		if name == "" || now.Unix()-seen > int64(maxIdle/time.Second) {
			return nil
		}
		id := c.ofSession(ctx, name)
		if id == nil || slices.ContainsFunc(id.Grants, func(g Grant) bool {
			return slices.ContainsFunc(g.Properties, func(p string) bool { return !scope.Has(p) })
		}) {
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

func sessionsPage(c *Console, x *exchange) error {
	var all []openSession
	err := c.eachSession(x, func(s *openSession) error {
		all = append(all, *s)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b openSession) int {
		if order := b.Since.Compare(a.Since); order != 0 {
			return order
		}
		return strings.Compare(a.ID, b.ID)
	})
	return x.page("sessions", "Sessions", map[string]any{"Sessions": all})
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
		return x.mustLog("", "end-session", s.ID, s.Name)
	})
	switch {
	case err != nil:
		return err
	case ended == "":
		return errNoPage
	}
	return x.redirect("/sessions")
}
