package console

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

const (
	maxSession = 12 * time.Hour
	maxIdle    = 15 * time.Minute
)

// identify returns the user of a request, nil without a valid identity.
func (c *Console) identify(r *http.Request) *Identity {
	if secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		id, ok := c.Access.token(secret, c.Now())
		if !ok {
			c.Hooks.SignInRefused(ByToken)
		}
		return id
	}
	if c.SignIn == ByProxy {
		return c.proxied(r)
	}
	name := c.sessions.GetString(r.Context(), "name")
	if name == "" {
		return nil
	}
	// The automatic refresh of a page does not extend the session.
	now := c.Now()
	if now.Unix()-c.sessions.GetInt64(r.Context(), "seen") > int64(maxIdle/time.Second) {
		_ = c.sessions.Destroy(r.Context())
		return nil
	}
	if r.Header.Get("X-Refresh") == "" && r.URL.Path != "/live" {
		c.sessions.Put(r.Context(), "seen", now.Unix())
	}
	groups, _ := c.sessions.Get(r.Context(), "groups").([]string)
	if role := c.sessions.GetString(r.Context(), "role"); role != "" {
		return &Identity{Name: name, Grants: []Grant{{Role: role, Properties: []string{"*"}}}}
	}
	if token := c.sessions.GetString(r.Context(), "token"); token != "" {
		// Checked at each request: revoking a token ends its sessions.
		for i := range c.Access.Tokens {
			if t := &c.Access.Tokens[i]; t.SHA256 == token && now.Before(t.Expires) {
				return &Identity{Name: name, Grants: t.Grants}
			}
		}
		return nil
	}
	id, ok := c.Access.of(name, groups)
	if !ok {
		return nil
	}
	return id
}

// proxied returns the user that the proxy names. Headers that do not come from the proxy are ignored.
func (c *Console) proxied(r *http.Request) *Identity {
	user := r.Header.Get("X-Forwarded-User")
	if user == "" {
		return nil
	}
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	from := err == nil && slices.ContainsFunc(c.Proxy.From, func(p netip.Prefix) bool {
		return p.Contains(addr.Addr().Unmap())
	})
	secret := equalSecrets(r.Header.Get("X-Shoeproof-Secret"), c.Proxy.Secret)
	if !from || !secret || c.Proxy.Secret == "" {
		c.Log.Warn("identity headers ignored: the request is not from the proxy",
			"remote", r.RemoteAddr, "user", user, "address_matches", from, "secret_matches", secret)
		c.Hooks.SignInRefused(ByProxy)
		return nil
	}
	comma := func(r rune) bool { return r == ',' || r == ';' }
	id, ok := c.Access.of(user, strings.FieldsFunc(r.Header.Get("X-Forwarded-Groups"), comma))
	if !ok {
		c.Hooks.SignInRefused(ByProxy)
		return nil
	}
	return id
}

func signInPage(c *Console, x *exchange) error {
	if x.user != nil {
		return x.redirect("/")
	}
	return x.page("signin", "Sign in", map[string]any{
		"Mode": c.SignIn, "Roles": roles(), "Next": local(x.r.FormValue("next")),
	})
}

// local returns a path of this site, or / if the path leads to another site.
func local(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n") {
		return "/"
	}
	return path
}

func signIn(c *Console, x *exchange) error {
	if !c.limits.allow("sign-in "+x.remote(), 10, time.Minute) {
		return errTooMany
	}
	values := map[string]any{}
	switch c.SignIn {
	case ByChoice:
		role := x.r.PostFormValue("role")
		if !slices.Contains(roleNames(), role) {
			return badRequest("role %q: want one of %s", role, strings.Join(roleNames(), ", "))
		}
		values["name"], values["role"] = role, role
		if name := strings.TrimSpace(x.r.PostFormValue("name")); name != "" && len(name) <= 64 {
			values["name"] = name
		}
	case ByToken:
		id, ok := c.Access.token(x.r.PostFormValue("token"), c.Now())
		if !ok {
			return fmt.Errorf("%w: unknown or expired token", errUnauthenticated)
		}
		for i := range c.Access.Tokens {
			if c.Access.Tokens[i].Name == id.Name {
				values["token"] = c.Access.Tokens[i].SHA256
			}
		}
		values["name"] = id.Name
	default:
		return badRequest("The sign-in mode %s has no form.", c.SignIn)
	}
	return c.beginSession(x, values, x.r.PostFormValue("next"))
}

// beginSession starts a session with a new token.
func (c *Console) beginSession(x *exchange, values map[string]any, next string) error {
	ctx := x.r.Context()
	if err := c.sessions.Clear(ctx); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	if err := c.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	for k, v := range values {
		c.sessions.Put(ctx, k, v)
	}
	c.sessions.Put(ctx, "seen", c.Now().Unix())
	x.user = c.identify(x.r)
	if x.user == nil {
		_ = c.sessions.Destroy(ctx)
		return errUnauthenticated
	}
	x.log("", "sign-in", "", c.SignIn)
	return x.redirect(local(next))
}

func signOut(c *Console, x *exchange) error {
	x.log("", "sign-out", "", "")
	if err := c.sessions.Destroy(x.r.Context()); err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	return x.redirect("/sign-in")
}
