package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// OIDC configures an identity provider.
type OIDC struct {
	Issuer, ClientID, ClientSecret string
	// Name and Groups are the claims with the name of the user and with the groups.
	Name, Groups string
	// SecondFactor are values of the claims amr and acr, one of which an id token must have; empty accepts any sign-in.
	SecondFactor []string
	// Client sends requests to the provider; nil is the default client.
	Client *http.Client
}

// oidcState is the configuration of the provider, once it was reached.
type oidcState struct {
	provider atomic.Pointer[oidc.Provider]
}

func (c *Console) provider(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	p := c.oidc.provider.Load()
	if p == nil {
		// No lock: who waits for a provider that hangs keeps no one else waiting. The provider keeps the context and
		// fetches keys with it later, so the context must outlive the request; the client has a timeout.
		fetched, err := oidc.NewProvider(c.oidcContext(context.WithoutCancel(ctx)), c.OIDC.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("connect to the identity provider: %w", err)
		}
		c.oidc.provider.Store(fetched)
		p = fetched
	}
	scopes := []string{oidc.ScopeOpenID, "profile", "groups"}
	var offers struct {
		Scopes []string `json:"scopes_supported"`
	}
	if p.Claims(&offers) == nil && slices.Contains(offers.Scopes, oidc.ScopeOfflineAccess) {
		scopes = append(scopes, oidc.ScopeOfflineAccess) // a refresh token, to read the groups again
	}
	return p, &oauth2.Config{
		ClientID: c.OIDC.ClientID, ClientSecret: c.OIDC.ClientSecret, Endpoint: p.Endpoint(),
		RedirectURL: c.PublicURL.JoinPath("sign-in/oidc/callback").String(),
		Scopes:      scopes,
	}, nil
}

// oidcTimeout bounds a request to the provider, of which a sign-in makes up to three.
const oidcTimeout = 5 * time.Second

// oidcContext makes requests to the provider use the configured client, with a timeout.
func (c *Console) oidcContext(ctx context.Context) context.Context {
	client := http.Client{Timeout: oidcTimeout}
	if c.OIDC.Client != nil {
		client = *c.OIDC.Client
		client.Timeout = oidcTimeout
	}
	return oidc.ClientContext(ctx, &client)
}

// oidcStart redirects a browser to the provider.
func oidcStart(c *Console, x *exchange) error {
	if c.SignIn != ByOIDC {
		return errNoPage
	}
	// A session begins with a click on the page of this console: a link of another site leads to that page.
	if x.r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return x.redirect("/sign-in?next=" + url.QueryEscape(local(x.r.FormValue("next"))))
	}
	if !c.allowStranger("sign-in", x.remote(), 10, time.Minute) {
		return errTooMany
	}
	provider, config, err := c.provider(x.r.Context())
	if err != nil {
		return err
	}
	state, nonce, verifier := c.pending(x)
	options := []oauth2.AuthCodeOption{oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)}
	if x.r.FormValue("again") != "" {
		c.sessions.Put(x.r.Context(), "oidc again", true)
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	if acr := c.acrValues(provider); acr != "" {
		options = append(options, oauth2.SetAuthURLParam("acr_values", acr))
	}
	return x.redirect(config.AuthCodeURL(state, options...))
}

// acrValues are the accepted values that the provider knows as classes of authentication.
func (c *Console) acrValues(p *oidc.Provider) string {
	var offers struct {
		ACR []string `json:"acr_values_supported"`
	}
	if p.Claims(&offers) != nil {
		return ""
	}
	return strings.Join(slices.DeleteFunc(offers.ACR, func(v string) bool {
		return !slices.Contains(c.OIDC.SecondFactor, v)
	}), " ")
}

// checkFactor returns an error unless the provider states a second factor, if one is required, and a new authentication
// if the user was to authenticate again. fresh reports that the user authenticated within freshFor.
func (c *Console) checkFactor(claims map[string]any, again bool) (fresh bool, err error) {
	at, _ := claims["auth_time"].(float64)
	fresh = c.Now().Sub(time.Unix(int64(at), 0)) < freshFor
	if again && !fresh {
		return false, fmt.Errorf("%w: the provider did not authenticate the user again", errUnauthenticated)
	}
	if len(c.OIDC.SecondFactor) == 0 {
		return fresh, nil
	}
	stated := []any{claims["acr"]}
	if amr, ok := claims["amr"].([]any); ok {
		stated = append(stated, amr...)
	}
	for _, v := range stated {
		if text, _ := v.(string); slices.Contains(c.OIDC.SecondFactor, text) {
			return fresh, nil
		}
	}
	return false, fmt.Errorf("%w: the id token states no second factor: amr and acr are %q, want one of "+
		"console.oidc.second_factor %q", errUnauthenticated, stated, c.OIDC.SecondFactor)
}

// pending stores a sign-in that is on its way to the provider. Strangers fill no memory for hours with it.
func (c *Console) pending(x *exchange) (state, nonce, verifier string) {
	state, nonce, verifier = rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	ctx := x.r.Context()
	if x.user == nil {
		c.sessions.SetDeadline(ctx, time.Now().Add(maxPending))
	}
	c.sessions.Put(ctx, "oidc state", state)
	c.sessions.Put(ctx, "oidc nonce", nonce)
	c.sessions.Put(ctx, "oidc verifier", verifier)
	c.sessions.Put(ctx, "oidc next", local(x.r.FormValue("next")))
	return state, nonce, verifier
}

// oidcCallback receives the browser back from the provider.
func oidcCallback(c *Console, x *exchange) error {
	if c.SignIn != ByOIDC {
		return errNoPage
	}
	ctx := x.r.Context()
	state, nonce := c.sessions.PopString(ctx, "oidc state"), c.sessions.PopString(ctx, "oidc nonce")
	verifier, next := c.sessions.PopString(ctx, "oidc verifier"), c.sessions.PopString(ctx, "oidc next")
	again := c.sessions.PopBool(ctx, "oidc again")
	if state == "" || !equalSecrets(state, x.r.FormValue("state")) {
		return fmt.Errorf("%w: the state of the callback matches no sign-in of this session", errUnauthenticated)
	}
	provider, config, err := c.provider(ctx)
	if err != nil {
		return err
	}
	ctx = c.oidcContext(ctx)
	token, err := config.Exchange(ctx, x.r.FormValue("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return errors.Join(errUnauthenticated, fmt.Errorf("exchange the code: %w", err))
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: c.OIDC.ClientID, Now: c.Now}).Verify(ctx, raw)
	if err != nil {
		return errors.Join(errUnauthenticated, fmt.Errorf("verify the id token: %w", err))
	}
	if !equalSecrets(id.Nonce, nonce) {
		return fmt.Errorf("%w: the nonce of the id token matches another sign-in", errUnauthenticated)
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return errors.Join(errUnauthenticated, fmt.Errorf("read the claims of the id token: %w", err))
	}
	claim, _ := claims[c.OIDC.Name].(string)
	name, err := visibleName(claim)
	if err != nil {
		return fmt.Errorf("%w: claim %q of the id token: %w", errUnauthenticated, c.OIDC.Name, err)
	}
	if id.Issuer == "" || id.Subject == "" {
		return fmt.Errorf("%w: the id token has no issuer or no subject", errUnauthenticated)
	}
	fresh, err := c.checkFactor(claims, again)
	if err != nil {
		return err
	}
	now, session := c.Now(), rand.Text()
	c.memberships.set(session, membership{
		subject: id.Subject, groups: c.groupsOf(claims), at: now, tried: now, refresh: token.RefreshToken,
	}, now)
	values := map[string]any{"name": name, "issuer": id.Issuer, "subject": id.Subject, "id": session, "fresh": fresh}
	return c.beginSession(x, values, next)
}

// equalSecrets compares in constant time.
func equalSecrets(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
