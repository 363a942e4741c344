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

// Permission is something that not everybody may do.
type Permission string

// Permissions.
const (
	See       Permission = "see"
	Triage    Permission = "triage"    // all steps but those of a supervisor
	Supervise Permission = "supervise" // confirm, reject, reopen, assign to others, shelve
	HandOver  Permission = "hand-over"
	Unmask    Permission = "unmask" // events as they came, which name patrons
	Export    Permission = "export"
	ReadLog   Permission = "read-log"
)

// roles are who may do what. An administrator closes no case, and nobody who closes one unmasks a patron.
func roles() []struct {
	Name string
	May  []Permission
} {
	return []struct {
		Name string
		May  []Permission
	}{
		{"viewer", []Permission{See}},
		{"operator", []Permission{See, Triage, HandOver}},
		{"supervisor", []Permission{See, Triage, Supervise, HandOver, Export}},
		{"auditor", []Permission{See, Unmask, Export, ReadLog}},
		{"regulator", []Permission{See, Export}},
		{"admin", []Permission{See, ReadLog}},
	}
}

// Roles are the names of the roles.
func Roles() []string {
	var names []string
	for _, r := range roles() {
		names = append(names, r.Name)
	}
	return names
}

// Grant is a role at some properties; "*" is every one.
type Grant struct {
	Role       string   `yaml:"role" json:"role"`
	Properties []string `yaml:"properties" json:"properties"`
}

func (g *Grant) may(p Permission) bool {
	for _, r := range roles() {
		if r.Name == g.Role {
			return slices.Contains(r.May, p)
		}
	}
	return false
}

// Identity is who asks.
type Identity struct {
	Name   string
	Grants []Grant
	// Program says that it came with a token of its own, not with a session.
	Program bool
}

// Scope is the properties at which somebody may do something.
func (id *Identity) Scope(p Permission) store.Scope {
	var s store.Scope
	for i := range id.Grants {
		if g := &id.Grants[i]; g.may(p) {
			s.All = s.All || slices.Contains(g.Properties, "*")
			s.Properties = append(s.Properties, g.Properties...)
		}
	}
	return s
}

// May says whether somebody may do something at any property.
func (id *Identity) May(p Permission) bool {
	s := id.Scope(p)
	return s.All || len(s.Properties) > 0
}

// Role names the roles, for the log and the head of the page.
func (id *Identity) Role() string {
	var names []string
	for i := range id.Grants {
		if !slices.Contains(names, id.Grants[i].Role) {
			names = append(names, id.Grants[i].Role)
		}
	}
	return strings.Join(names, ", ")
}

// Token is a secret that stands for somebody. Only its hash is kept.
type Token struct {
	Name    string    `yaml:"name"`
	SHA256  string    `yaml:"sha256"` // hex, of a secret of 256 random bits
	Expires time.Time `yaml:"expires"`
	Grants  []Grant   `yaml:"grants"`
}

// Access says who may do what: by a token, or by the groups that an identity provider or a proxy tells.
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
	var wrong []error
	for i := range a.Tokens {
		t := &a.Tokens[i]
		sum, err := hex.DecodeString(t.SHA256)
		switch {
		case t.Name == "":
			wrong = append(wrong, fmt.Errorf("tokens[%d]: no name", i))
		case err != nil || len(sum) != sha256.Size:
			wrong = append(wrong, fmt.Errorf("token %s: sha256 is not 64 hex digits", t.Name))
		case t.Expires.IsZero():
			wrong = append(wrong, fmt.Errorf("token %s: no expires, want a time such as 2027-01-01T00:00:00Z", t.Name))
		}
		wrong = append(wrong, checkGrants("token "+t.Name, t.Grants))
	}
	for name, grants := range a.Groups {
		wrong = append(wrong, checkGrants("group "+name, grants))
	}
	return a, errors.Join(wrong...)
}

func checkGrants(of string, grants []Grant) error {
	if len(grants) == 0 {
		return fmt.Errorf("%s: no grants", of)
	}
	for i := range grants {
		if g := &grants[i]; !slices.Contains(Roles(), g.Role) {
			return fmt.Errorf("%s: role %q, want one of %s", of, g.Role, strings.Join(Roles(), ", "))
		} else if len(g.Properties) == 0 {
			return fmt.Errorf("%s: role %s at no property, want names or \"*\"", of, g.Role)
		}
	}
	return nil
}

// token finds whom a secret stands for, in a time that does not depend on how wrong it is.
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
	return &Identity{Name: found.Name, Grants: found.Grants, Program: true}, true
}

// of is somebody by the groups they are in; false if none of them has a role here.
func (a *Access) of(name string, groups []string) (*Identity, bool) {
	id := &Identity{Name: name}
	for _, g := range groups {
		id.Grants = append(id.Grants, a.Groups[g]...)
	}
	return id, name != "" && len(id.Grants) > 0
}
