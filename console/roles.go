package console

import (
	"fmt"
	"slices"
	"strings"

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
	permSessions  permission = "end-sessions"
	permNotify    permission = "notifications"
	permReadCases permission = "read-cases"
	permCases     permission = "cases" // open cases and add to them; closing is a supervisor's
)

// Text is what a permission permits, in words.
func (p permission) Text() string {
	return map[permission]string{
		permSee:       "see findings, tables and play",
		permTriage:    "act on findings",
		permSupervise: "confirm and reject closings, reopen, assign to others, silence",
		permHandOver:  "hand over a shift",
		permUnmask:    "see events as received, which identify patrons",
		permExport:    "see gaming days, export",
		permReadLog:   "read the console log",
		permSessions:  "end sessions, issue keys of kiosks",
		permNotify:    "test channels, send dead letters again",
		permReadCases: "read cases",
		permCases:     "open cases and add to them",
	}[p]
}

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
		{"operator", []permission{permSee, permTriage, permHandOver, permReadCases, permCases}},
		{"supervisor", []permission{
			permSee, permTriage, permSupervise, permHandOver, permExport, permReadCases, permCases,
		}},
		{"auditor", []permission{permSee, permUnmask, permExport, permReadLog, permReadCases}},
		{"regulator", []permission{permSee, permExport, permReadCases}},
		{"admin", []permission{permSee, permReadLog, permSessions, permNotify}},
	}
}

// RoleNames returns the names of the roles.
func RoleNames() []string {
	var names []string
	for _, r := range roles() {
		names = append(names, r.Name)
	}
	return names
}

// CheckRole returns an error with the names of the roles if name is none of them.
func CheckRole(name string) error {
	if names := RoleNames(); !slices.Contains(names, name) {
		return fmt.Errorf("role %q: want one of %s", name, strings.Join(names, ", "))
	}
	return nil
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

// Identity is an authenticated user or program. Name is for people to read; Who identifies.
type Identity struct {
	Name   string
	Who    store.Who
	Grants []Grant
	// Kiosk is the identity of a screen, which has the routes of a kiosk only.
	Kiosk bool
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

func checkGrants(of string, grants []Grant) error {
	if len(grants) == 0 {
		return fmt.Errorf("%s: no grants", of)
	}
	for i := range grants {
		g := &grants[i]
		if err := CheckRole(g.Role); err != nil {
			return fmt.Errorf("%s: %w", of, err)
		} else if len(g.Properties) == 0 {
			return fmt.Errorf("%s: role %s at no property: want names or \"*\"", of, g.Role)
		}
	}
	return nil
}
