package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/shoeproof/shoeproof/console/store"
)

// permission permits a kind of action.
type permission string

// Permissions.
const (
	permSee       permission = "see"
	permTriage    permission = "triage"    // all actions of triage except a supervisor's
	permSupervise permission = "supervise" // confirm, reject, reopen, assign to others, silence
	permHandOver  permission = "hand-over"
	permUnmask    permission = "unmask" // events as received, which identify patrons
	permExport    permission = "export"
	permReadLog   permission = "read-log"
)

// roles returns the roles with their permissions. Duties are separated: an administrator cannot close a finding, and no
// role that closes findings can unmask a patron.
func roles() []struct {
	Name string
	May  []permission
} {
	return []struct {
		Name string
		May  []permission
	}{
		{"viewer", []permission{permSee}},
		{"operator", []permission{permSee, permTriage, permHandOver}},
		{"supervisor", []permission{permSee, permTriage, permSupervise, permHandOver, permExport}},
		{"auditor", []permission{permSee, permUnmask, permExport, permReadLog}},
		{"regulator", []permission{permSee, permExport}},
		{"admin", []permission{permSee, permReadLog}},
	}
}

// roleNames returns the names of the roles.
func roleNames() []string {
	var names []string
	for _, r := range roles() {
		names = append(names, r.Name)
	}
	return names
}

// Grant is a role at some properties; "*" is all properties.
type Grant struct {
	Role       string   `yaml:"role" json:"role"`
	Properties []string `yaml:"properties" json:"properties"`
}

func (g *Grant) may(p permission) bool {
	for _, r := range roles() {
		if r.Name == g.Role {
			return slices.Contains(r.May, p)
		}
	}
	return false
}

// Identity is an authenticated user or program.
type Identity struct {
	Name   string
	Grants []Grant
}

// Scope returns the properties at which the identity has a permission.
func (id *Identity) Scope(p permission) store.Scope {
	var s store.Scope
	for i := range id.Grants {
		if g := &id.Grants[i]; g.may(p) {
			s.All = s.All || slices.Contains(g.Properties, "*")
			s.Properties = append(s.Properties, g.Properties...)
		}
	}
	return s
}

// May reports whether the identity has a permission at any property.
func (id *Identity) May(p permission) bool {
	s := id.Scope(p)
	return s.All || len(s.Properties) > 0
}

// Role lists the roles, for the log and the page header.
func (id *Identity) Role() string {
	var names []string
	for i := range id.Grants {
		if !slices.Contains(names, id.Grants[i].Role) {
			names = append(names, id.Grants[i].Role)
		}
	}
	return strings.Join(names, ", ")
}

// Token authenticates a program or a user. The file has its hash only.
type Token struct {
	Name    string    `yaml:"name"`
	SHA256  string    `yaml:"sha256"` // hex, of a secret of 256 random bits
	Expires time.Time `yaml:"expires"`
	Grants  []Grant   `yaml:"grants"`
}

// Access maps tokens, and the groups of an identity provider or a proxy, to grants.
type Access struct {
	Tokens []Token            `yaml:"tokens"`
	Groups map[string][]Grant `yaml:"groups"`
}

// ReadAccess reads an access file.
func ReadAccess(in io.Reader) (Access, error) {
	var a Access
	dec := yaml.NewDecoder(in)
	dec.KnownFields(true)
	if err := dec.Decode(&a); err != nil && !errors.Is(err, io.EOF) {
		return a, err
	}
	var problems []error
	for i := range a.Tokens {
		t := &a.Tokens[i]
		sum, err := hex.DecodeString(t.SHA256)
		switch {
		case t.Name == "":
			problems = append(problems, fmt.Errorf("tokens[%d]: no name", i))
		case err != nil || len(sum) != sha256.Size:
			problems = append(problems, fmt.Errorf("token %s: sha256 is not 64 hex digits", t.Name))
		case t.Expires.IsZero():
			problems = append(problems, fmt.Errorf("token %s: no expires: want a time such as 2027-01-01T00:00:00Z", t.Name))
		}
		problems = append(problems, checkGrants("token "+t.Name, t.Grants))
	}
	for name, grants := range a.Groups {
		problems = append(problems, checkGrants("group "+name, grants))
	}
	return a, errors.Join(problems...)
}

func checkGrants(of string, grants []Grant) error {
	if len(grants) == 0 {
		return fmt.Errorf("%s: no grants", of)
	}
	for i := range grants {
		if g := &grants[i]; !slices.Contains(roleNames(), g.Role) {
			return fmt.Errorf("%s: role %q: want one of %s", of, g.Role, strings.Join(roleNames(), ", "))
		} else if len(g.Properties) == 0 {
			return fmt.Errorf("%s: role %s at no property: want names or \"*\"", of, g.Role)
		}
	}
	return nil
}

// token returns the identity of a secret. Its duration does not depend on how much of the secret is correct.
func (a *Access) token(secret string, now time.Time) (*Identity, bool) {
	sum := sha256.Sum256([]byte(secret))
	got := []byte(hex.EncodeToString(sum[:]))
	var found *Token
	for i := range a.Tokens {
		if subtle.ConstantTimeCompare(got, []byte(strings.ToLower(a.Tokens[i].SHA256))) == 1 {
			found = &a.Tokens[i]
		}
	}
	if found == nil || !now.Before(found.Expires) {
		return nil, false
	}
	return &Identity{Name: found.Name, Grants: found.Grants}, true
}

// of returns the identity of a user by groups; false if no group has a grant.
func (a *Access) of(name string, groups []string) (*Identity, bool) {
	id := &Identity{Name: name}
	for _, g := range groups {
		id.Grants = append(id.Grants, a.Groups[g]...)
	}
	return id, name != "" && len(id.Grants) > 0
}
