package nightly

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema/rows"
)

func TestUndoFollowsFromTheActionsBefore(t *testing.T) {
	step := func(subject, action, from, to string) rows.Step {
		return rows.Step{
			FindingID: "f", Actor: subject, Issuer: "token", Subject: subject, Role: "operator", Action: action, From: from,
			To: to,
		}
	}
	ack := step("ann", rows.Acknowledge, store.New, store.Acknowledged)
	for _, c := range []struct {
		name  string
		steps []rows.Step
		want  string // part of the only problem; empty for none
	}{
		{"undone", []rows.Step{ack, step("ann", rows.Undo, store.Acknowledged, store.New)}, ""},
		{"undone after a note", []rows.Step{
			ack, step("bob", rows.Note, store.Acknowledged, store.Acknowledged),
			step("ann", rows.Undo, store.Acknowledged, store.New),
		}, ""},
		{"acknowledged again", []rows.Step{ack, step("ann", rows.Undo, store.Acknowledged, store.New), ack}, ""},
		{"of another person", []rows.Step{ack, step("bob", rows.Undo, store.Acknowledged, store.New)}, "another person"},
		{"to another state", []rows.Step{
			ack, step("ann", rows.Undo, store.Acknowledged, store.InReview),
		}, "leads to new, not to in_review"},
		{"of nothing", []rows.Step{step("ann", rows.Undo, store.New, store.New)}, "not possible"},
		{"of an undo", []rows.Step{
			ack, step("ann", rows.Undo, store.Acknowledged, store.New), step("ann", rows.Undo, store.New, store.Acknowledged),
		}, "not possible"},
		{"of a request to close", []rows.Step{
			step("ann", rows.Close, store.New, store.Closing), step("ann", rows.Undo, store.Closing, store.New),
		}, "not possible"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := (&run{}).wrongSteps(c.steps)
			switch {
			case c.want == "" && len(got) > 0:
				t.Errorf("problems %q, want none", got)
			case c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)):
				t.Errorf("problems %q, want one with %q", got, c.want)
			}
		})
	}
}

// The access file links the accounts of a person: who requests with one and confirms with another is one person.
func TestOnePersonWithTwoAccounts(t *testing.T) {
	step := func(issuer, subject, action, from, to string) rows.Step {
		return rows.Step{
			FindingID: "f", Actor: subject, Issuer: issuer, Subject: subject, Role: "supervisor", Action: action, From: from,
			To: to,
		}
	}
	r := &run{Options: Options{Access: console.Access{People: map[string][]console.Account{
		"ann": {{Issuer: "proxy", Subject: "ann"}, {Issuer: "https://login.example", Subject: "00u1"}},
		"bob": {{Issuer: "https://login.example", Subject: "00u2"}},
	}}}}
	request := step("proxy", "ann", rows.Close, store.New, store.Closing)
	for subject, want := range map[string]int{"00u1": 1, "00u2": 0} {
		confirm := step("https://login.example", subject, rows.Confirm, store.Closing, store.Closed)
		if got := r.wrongSteps([]rows.Step{request, confirm}); len(got) != want {
			t.Errorf("confirmed by %s: %q, want %d problems", subject, got, want)
		}
	}
}
