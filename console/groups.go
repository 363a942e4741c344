package console

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// groupsFresh is the age at which the groups of a session are read again from the provider, with the refresh token
	// that it gave. groupsRetry is the time between two tries.
	groupsFresh, groupsRetry = 5 * time.Minute, 30 * time.Second
	// maxGroups is the age at which groups are not accepted any more: the user must sign in again.
	maxGroups = time.Hour
)

// membership are the groups of one session at an identity provider.
type membership struct {
	subject string
	groups  []string
	at      time.Time // of the groups
	tried   time.Time
	refresh string // token; empty if the provider gave none
}

// memberships are the groups of sessions, by the id of the session. They are not part of the session's data, which
// each request writes as a whole.
type memberships struct {
	mu sync.Mutex
	of map[string]*membership
}

// set stores the groups of a new session, and removes the groups of sessions that are over.
func (m *memberships) set(id string, s membership, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[string]*membership{}
	}
	for other, s := range m.of {
		if now.Sub(s.at) > maxGroups {
			delete(m.of, other)
		}
	}
	m.of[id] = &s
}

// get returns the groups of a session, false if they are too old. due is true if they are to be read again now.
func (m *memberships) get(id string, now time.Time) (groups []string, due, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.of[id]
	if s == nil || now.Sub(s.at) > maxGroups {
		return nil, false, false
	}
	due = s.refresh != "" && now.Sub(s.at) > groupsFresh && now.Sub(s.tried) > groupsRetry
	if due {
		s.tried = now
	}
	return s.groups, due, true
}

func (m *memberships) end(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, id)
}

// regroup reads the groups of a session again. A session whose refresh token the provider refuses is over; one whose
// provider does not answer keeps its groups until they are too old. No request waits for it.
func (c *Console) regroup(ctx context.Context, id string) {
	m := &c.memberships
	m.mu.Lock()
	var was membership
	if s := m.of[id]; s != nil {
		was = *s
	}
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 3*oidcTimeout)
	defer cancel()
	now, err := c.refreshed(ctx, &was)
	var refused *oauth2.RetrieveError
	switch {
	case err == nil:
		m.mu.Lock()
		if m.of[id] != nil {
			m.of[id] = now
		}
		m.mu.Unlock()
	case errors.As(err, &refused) && refused.ErrorCode == "invalid_grant", errors.Is(err, errUnauthenticated):
		m.end(id)
		c.Log.Warn("the identity provider refuses the groups of a session, which is over", "error", err)
	default:
		c.Log.Warn("reading the groups of a session again failed; it keeps them for a limited time", "error", err)
	}
}

// refreshed returns the groups that the provider gives for a refresh token.
func (c *Console) refreshed(ctx context.Context, was *membership) (*membership, error) {
	provider, config, err := c.provider(ctx)
	if err != nil {
		return nil, err
	}
	ctx = c.oidcContext(ctx)
	token, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: was.refresh}).Token()
	if err != nil {
		return nil, fmt.Errorf("refresh the token: %w", err)
	}
	claims := map[string]any{}
	subject := ""
	if raw, ok := token.Extra("id_token").(string); ok {
		id, err := provider.Verifier(&oidc.Config{ClientID: c.OIDC.ClientID, Now: c.Now}).Verify(ctx, raw)
		if err != nil {
			return nil, errors.Join(errUnauthenticated, fmt.Errorf("verify the id token: %w", err))
		}
		subject, err = id.Subject, id.Claims(&claims)
		if err != nil {
			return nil, fmt.Errorf("read the claims of the id token: %w", err)
		}
	} else {
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return nil, fmt.Errorf("read the user's information: %w", err)
		}
		subject, err = info.Subject, info.Claims(&claims)
		if err != nil {
			return nil, fmt.Errorf("read the claims of the user's information: %w", err)
		}
	}
	if subject != was.subject {
		return nil, fmt.Errorf("%w: the refreshed token is of another subject", errUnauthenticated)
	}
	now := &membership{subject: subject, groups: c.groupsOf(claims), at: c.Now(), tried: c.Now(), refresh: was.refresh}
	if token.RefreshToken != "" {
		now.refresh = token.RefreshToken
	}
	return now, nil
}

// groupsOf returns the groups of claims.
func (c *Console) groupsOf(claims map[string]any) (groups []string) {
	list, _ := claims[c.OIDC.Groups].([]any)
	for _, g := range list {
		if g, ok := g.(string); ok {
			groups = append(groups, g)
		}
	}
	return groups
}
