package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/shoeproof/shoeproof/console/store"
)

const (
	maxSession = 12 * time.Hour
	maxIdle    = 15 * time.Minute
	maxPending = 10 * time.Minute // from the way to the identity provider until the return
	// freshFor is how long after a sign-in its user may end sessions without signing in again.
	freshFor = 5 * time.Minute
	// maxSessions is the maximum number of sessions of one account.
	maxSessions = 10
)

// identify returns the user of a request, nil without a valid identity.
func (c *Console) identify(r *http.Request) *Identity {
	if secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		id, ok := c.rights().token(secret, c.Now())
		if !ok {
			c.Hooks.SignInRefused(ByToken)
			c.refusedBearer(r)
			return nil
		}
		// A request without a session is a program's, whoever has the token.
		id.Who.Method, id.Who.Program = "bearer", true
		return id
	}
	if c.SignIn == ByProxy {
		if id := c.proxied(r); id != nil {
			return id
		}
		return c.screen(r)
	}
	name := c.sessions.GetString(r.Context(), "name")
	if name == "" {
		return c.screen(r)
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
	id := c.ofSession(r.Context(), name)
	if id != nil {
		id.Who.Session = c.sessions.GetString(r.Context(), "id")
	}
	return id
}

// ofSession returns the user of a session, nil if the access file does not permit the user any more.
func (c *Console) ofSession(ctx context.Context, name string) *Identity {
	if c.ended.has(c.sessions.GetString(ctx, "id")) {
		return nil
	}
	if role := c.sessions.GetString(ctx, "role"); role != "" {
		return &Identity{
			Name: name, Who: store.Who{Issuer: ByChoice, Subject: name, Method: ByChoice},
			Grants: []Grant{{Role: role, Properties: []string{"*"}}},
		}
	}
	if token := c.sessions.GetString(ctx, "token"); token != "" {
		// Checked at each request: revoking a token ends its sessions.
		if id, ok := c.rights().tokenOf(token, c.Now()); ok {
			return id
		}
		return nil
	}
	session := c.sessions.GetString(ctx, "id")
	groups, due, ok := c.memberships.get(session, c.Now())
	if !ok {
		return nil
	}
	if due {
		select {
		case c.stale <- session:
		default: // the provider is slow: tried again later
		}
	}
	who := store.Who{
		Issuer: c.sessions.GetString(ctx, "issuer"), Subject: c.sessions.GetString(ctx, "subject"), Method: ByOIDC,
	}
	if id, ok := c.rights().of(name, who, groups); ok {
		return id
	}
	return nil
}

// proxied returns the user that the proxy names. Headers that do not come from the proxy are ignored.
func (c *Console) proxied(r *http.Request) *Identity {
	users := r.Header.Values("X-Forwarded-User")
	if len(users) == 0 || users[0] == "" {
		return nil
	}
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	from := err == nil && slices.ContainsFunc(c.Proxy.From, func(p netip.Prefix) bool {
		return p.Contains(addr.Addr().Unmap())
	})
	secret := equalSecrets(r.Header.Get("X-Shoeproof-Secret"), c.Proxy.Secret)
	refusal := func(why error) {
		c.Hooks.SignInRefused(ByProxy)
		if c.allowStranger("proxied", c.remoteOf(r), 10, time.Minute) {
			c.Log.Warn("identity headers refused", "remote", r.RemoteAddr, "user", cut(users[0]), "error", why)
		}
	}
	if !from || !secret || c.Proxy.Secret == "" {
		refusal(fmt.Errorf("the request is not from the proxy: address matches %v, secret matches %v", from, secret))
		return nil
	}
	name, err := userName(users[0])
	if err == nil && len(users) > 1 {
		err = fmt.Errorf("%d X-Forwarded-User headers, want one", len(users))
	}
	if err != nil {
		refusal(err)
		return nil
	}
	comma := func(r rune) bool { return r == ',' || r == ';' }
	groups := strings.FieldsFunc(r.Header.Get("X-Forwarded-Groups"), comma)
	id, ok := c.rights().of(name, store.Who{Issuer: ByProxy, Subject: name, Method: ByProxy}, groups)
	if !ok {
		c.Hooks.SignInRefused(ByProxy)
		return nil
	}
	return id
}

func signInPage(c *Console, x *exchange) error {
	again := x.r.FormValue("again") != ""
	if x.user != nil && !again {
		return x.redirect("/")
	}
	return x.page("signin", "Sign in", map[string]any{
		"Mode": c.SignIn, "Roles": roles(), "Next": local(x.r.FormValue("next")), "Again": again,
	})
}

// local returns a path of this site, or / if the path leads to another site.
func local(path string) string {
	// Browsers remove a TAB and the ends of lines, and read \ as /.
	foreign := func(r rune) bool { return r == '\\' || unicode.IsControl(r) }
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsFunc(path, foreign) {
		return "/"
	}
	return path
}

func signIn(c *Console, x *exchange) error {
	limited := !c.allowStranger("sign-in", x.remote(), 10, time.Minute)
	if limited && c.SignIn != ByToken {
		return errTooMany
	}
	values := map[string]any{}
	switch c.SignIn {
	case ByChoice:
		role := x.r.PostFormValue("role")
		if err := CheckRole(role); err != nil {
			return badRequest("%v", err)
		}
		values["name"], values["role"], values["fresh"] = role, role, true
		if name := strings.TrimSpace(x.r.PostFormValue("name")); name != "" && len(name) <= 64 {
			values["name"] = name
		}
	case ByToken:
		secret := x.r.PostFormValue("token")
		id, ok := c.rights().token(secret, c.Now())
		if !ok && limited { // A right secret of 256 bits is not guessed: others at the address do not shut it out.
			return errTooMany
		}
		if !ok {
			return fmt.Errorf("%w: unknown or expired token", errUnauthenticated)
		}
		// The hash and not the name: only this secret has these rights.
		sum := sha256.Sum256([]byte(secret))
		values["name"], values["token"], values["fresh"] = id.Name, hex.EncodeToString(sum[:]), true
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
	c.sessions.SetDeadline(ctx, time.Now().Add(maxSession))
	for k, v := range values {
		c.sessions.Put(ctx, k, v)
	}
	c.sessions.Put(ctx, "seen", c.Now().Unix())
	c.sessions.Put(ctx, "since", c.Now().Unix())
	c.sessions.Put(ctx, "remote", x.remote())
	if values["id"] == nil {
		c.sessions.Put(ctx, "id", rand.Text()) // names the session in records; it is no secret
	}
	x.user = c.identify(x.r)
	if x.user == nil {
		_ = c.sessions.Destroy(ctx)
		return errUnauthenticated
	}
	if err := c.boundSessions(x); err != nil {
		return err
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
