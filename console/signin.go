package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	longestSession = 12 * time.Hour
	idleSession    = 15 * time.Minute
)

// OIDC is an identity provider.
type OIDC struct {
	Issuer, ClientID, ClientSecret string
	// Name and Groups are the claims with who it is and the groups they are in.
	Name, Groups string
	// Client speaks to the provider; nil is the usual one.
	Client *http.Client
}

// oidcState is the provider as it described itself, once it was reached.
type oidcState struct {
	mu       sync.Mutex
	provider *oidc.Provider
}

func (c *Console) provider(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	c.oidc.mu.Lock()
	defer c.oidc.mu.Unlock()
	if c.oidc.provider == nil {
		// The keys are fetched later, with the same context.
		p, err := oidc.NewProvider(c.spoken(context.WithoutCancel(ctx)), c.OIDC.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("reach the identity provider: %w", err)
		}
		c.oidc.provider = p
	}
	return c.oidc.provider, &oauth2.Config{
		ClientID: c.OIDC.ClientID, ClientSecret: c.OIDC.ClientSecret, Endpoint: c.oidc.provider.Endpoint(),
		RedirectURL: c.PublicURL.JoinPath("sign-in/oidc/callback").String(), Scopes: []string{oidc.ScopeOpenID, "profile", "groups"},
	}, nil
}

func (c *Console) spoken(ctx context.Context) context.Context {
	if c.OIDC.Client != nil {
		return oidc.ClientContext(ctx, c.OIDC.Client)
	}
	return ctx
}

// who is asking: nil if nobody we know.
func (c *Console) who(r *http.Request) *Identity {
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
	// A page that refreshes itself is nobody at work.
	now := c.Now()
	if now.Unix()-c.sessions.GetInt64(r.Context(), "seen") > int64(idleSession/time.Second) {
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
		// Asked each time: a token that was taken back ends its sessions.
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

// proxied believes the headers of a proxy that proves itself, and of nobody else.
func (c *Console) proxied(r *http.Request) *Identity {
	user := r.Header.Get("X-Forwarded-User")
	if user == "" {
		return nil
	}
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	from := err == nil && slices.ContainsFunc(c.Proxy.From, func(p netip.Prefix) bool { return p.Contains(addr.Addr().Unmap()) })
	secret := subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Shoeproof-Secret")), []byte(c.Proxy.Secret)) == 1
	if !from || !secret || c.Proxy.Secret == "" {
		c.Log.Warn("identity headers from somebody who is not the proxy were ignored", "remote", r.RemoteAddr, "user", user, "address", from, "secret", secret)
		c.Hooks.SignInRefused(ByProxy)
		return nil
	}
	id, ok := c.Access.of(user, strings.FieldsFunc(r.Header.Get("X-Forwarded-Groups"), func(r rune) bool { return r == ',' || r == ';' }))
	if !ok {
		c.Hooks.SignInRefused(ByProxy)
		return nil
	}
	return id
}

// signInPage offers the way to sign in.
func signInPage(c *Console, x *exchange) error {
	if x.who != nil {
		return x.redirect("/")
	}
	return x.page("signin", "Sign in", map[string]any{"Mode": c.SignIn, "Roles": roles(), "Next": local(x.r.FormValue("next"))})
}

// local is a path of ours, never another site's.
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
		if !slices.Contains(Roles(), role) {
			return badRequest("role %q, want one of %s", role, strings.Join(Roles(), ", "))
		}
		values["name"], values["role"] = role, role
		if name := strings.TrimSpace(x.r.PostFormValue("name")); name != "" && len(name) <= 64 {
			values["name"] = name
		}
	case ByToken:
		id, ok := c.Access.token(x.r.PostFormValue("token"), c.Now())
		if !ok {
			c.Log.Warn("a token was refused", "remote", x.r.RemoteAddr)
			return errWho
		}
		for i := range c.Access.Tokens {
			if c.Access.Tokens[i].Name == id.Name {
				values["token"] = c.Access.Tokens[i].SHA256
			}
		}
		values["name"] = id.Name
	default:
		return badRequest("sign-in by %s begins elsewhere", c.SignIn)
	}
	return c.admit(x, values, x.r.PostFormValue("next"))
}

// admit begins a session, under a new token.
func (c *Console) admit(x *exchange, values map[string]any, next string) error {
	ctx := x.r.Context()
	if err := c.sessions.Clear(ctx); err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	if err := c.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	for k, v := range values {
		c.sessions.Put(ctx, k, v)
	}
	c.sessions.Put(ctx, "seen", c.Now().Unix())
	x.who = c.who(x.r)
	if x.who == nil {
		_ = c.sessions.Destroy(ctx)
		return errWho
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

// oidcStart sends a browser to the provider.
func oidcStart(c *Console, x *exchange) error {
	if c.SignIn != ByOIDC {
		return errNoPage
	}
	if !c.limits.allow("sign-in "+x.remote(), 10, time.Minute) {
		return errTooMany
	}
	_, config, err := c.provider(x.r.Context())
	if err != nil {
		return err
	}
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	ctx := x.r.Context()
	c.sessions.Put(ctx, "oidc state", state)
	c.sessions.Put(ctx, "oidc nonce", nonce)
	c.sessions.Put(ctx, "oidc verifier", verifier)
	c.sessions.Put(ctx, "oidc next", local(x.r.FormValue("next")))
	return x.redirect(config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))
}

// oidcCallback is where the provider sends a browser back to.
func oidcCallback(c *Console, x *exchange) error {
	if c.SignIn != ByOIDC {
		return errNoPage
	}
	ctx := x.r.Context()
	state, nonce := c.sessions.PopString(ctx, "oidc state"), c.sessions.PopString(ctx, "oidc nonce")
	verifier, next := c.sessions.PopString(ctx, "oidc verifier"), c.sessions.PopString(ctx, "oidc next")
	if state == "" || subtle.ConstantTimeCompare([]byte(state), []byte(x.r.FormValue("state"))) != 1 {
		return fmt.Errorf("%w: the answer of the identity provider belongs to no sign-in that began here", errWho)
	}
	provider, config, err := c.provider(ctx)
	if err != nil {
		return err
	}
	ctx = c.spoken(ctx)
	token, err := config.Exchange(ctx, x.r.FormValue("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return errors.Join(errWho, fmt.Errorf("exchange the code: %w", err))
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: c.OIDC.ClientID, Now: c.Now}).Verify(ctx, raw)
	if err != nil {
		return errors.Join(errWho, fmt.Errorf("verify the identity: %w", err))
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1 {
		return fmt.Errorf("%w: the identity is for another sign-in", errWho)
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return errors.Join(errWho, fmt.Errorf("read the identity: %w", err))
	}
	name, _ := claims[c.OIDC.Name].(string)
	list, _ := claims[c.OIDC.Groups].([]any)
	var groups []string
	for _, g := range list {
		if g, ok := g.(string); ok {
			groups = append(groups, g)
		}
	}
	if name == "" {
		return fmt.Errorf("%w: the identity has no claim %q", errWho, c.OIDC.Name)
	}
	return c.admit(x, map[string]any{"name": name, "groups": groups}, next)
}
