package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
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

// oidcCallback receives the browser back from the provider.
func oidcCallback(c *Console, x *exchange) error {
	if c.SignIn != ByOIDC {
		return errNoPage
	}
	ctx := x.r.Context()
	state, nonce := c.sessions.PopString(ctx, "oidc state"), c.sessions.PopString(ctx, "oidc nonce")
	verifier, next := c.sessions.PopString(ctx, "oidc verifier"), c.sessions.PopString(ctx, "oidc next")
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
	now, session := c.Now(), rand.Text()
	c.memberships.set(session, membership{
		subject: id.Subject, groups: c.groupsOf(claims), at: now, tried: now, refresh: token.RefreshToken,
	}, now)
	values := map[string]any{"name": name, "issuer": id.Issuer, "subject": id.Subject, "id": session}
	return c.beginSession(x, values, next)
}

// equalSecrets compares in constant time.
func equalSecrets(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
