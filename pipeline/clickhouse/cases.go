package clickhouse

import (
	"context"
	"fmt"
	"strings"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// storedStep is a row of the steps of cases, with the hash that its file has.
type storedStep struct {
	rows.CaseStep
	content string
}

// caseSteps passes the steps of the cases of a property to each.
func (s *Store) caseSteps(ctx context.Context, property string, each func(*storedStep)) error {
	r := storedStep{CaseStep: rows.CaseStep{PropertyID: property}}
	err := s.scan(ctx, `SELECT case_id, toUnixTimestamp64Micro(at), actor, role, issuer, subject, action,
finding_id, kind, name, text, sha256, hash, if(content = '', '', lower(hex(SHA256(content)))) FROM `+
		s.name("case_steps")+" WHERE property_id = {property:String} ORDER BY case_id, at",
		params("property", property), func() { each(&r) },
		&r.CaseID, &r.At, &r.Actor, &r.Role, &r.Issuer, &r.Subject, &r.Action, &r.FindingID, &r.Kind,
		&r.Name, &r.Text, &r.SHA256, &r.Hash, &r.content)
	return s.explain("read the cases", err)
}

// caseKey identifies a step in the log: the case, the action and the hash of the row.
func caseKey(id, action, text string) string {
	const shown = len("sha256 ") + 64
	return id + " " + action + " " + text[:min(len(text), shown)]
}

// caseEntry collects the entry of a step.
func (p *chainProver) caseEntry(e *rows.Entry) {
	if p.cases == nil {
		p.cases = map[string]int{}
	}
	p.cases[caseKey(e.Object, strings.TrimPrefix(e.Action, rows.CaseAction), e.Detail)]++
}

// caseStep matches a step with its entry and its file.
func (p *chainProver) caseStep(s *storedStep) {
	what := fmt.Sprintf("case %s, %s", s.CaseID, s.Action)
	if s.Hash != s.Sum() {
		p.problem("%s: changed after it was written", what)
	}
	if s.content != s.SHA256 {
		p.problem("%s: the file %q has the SHA-256 %s, and %s when it was attached", what, s.Name, s.content, s.SHA256)
	}
	key := caseKey(s.CaseID, s.Action, s.LogText())
	if p.cases[key] == 0 {
		p.problem("%s: not in the log, or there twice", what)
		return
	}
	if p.cases[key]--; p.cases[key] == 0 {
		delete(p.cases, key)
	}
}
