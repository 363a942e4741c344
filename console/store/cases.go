package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// Actions of a case.
const (
	CaseOpen   = "open"   // Text is the title
	CaseAdd    = "add"    // a finding
	CaseRemove = "remove" // a finding
	CaseAbout  = "about"  // a subject: Kind and Name
	CaseNote   = "note"
	CaseAttach = "attach" // a file
	CaseAssign = "assign" // Name is the owner
	CaseState  = "state"  // Kind is the state, Text the reason
)

// CaseStates are the states of a case; the last one ends it.
func CaseStates() []string { return []string{"open", "in review", "referred", "closed"} }

// Limits of a case.
const (
	MaxCaseFindings = 500
	MaxCaseFiles    = 30
	MaxCaseSteps    = 2000
	MaxAttachment   = 4 << 20
)

// CaseStep is a step of a case, without the content of its file.
type CaseStep struct {
	PropertyID string    `ch:"property_id"`
	CaseID     string    `ch:"case_id"`
	At         time.Time `ch:"at"`
	Actor      string    `ch:"actor"`
	Role       string    `ch:"role"`
	Issuer     string    `ch:"issuer"`
	Subject    string    `ch:"subject"`
	Action     string    `ch:"action"`
	FindingID  string    `ch:"finding_id"`
	Kind       string    `ch:"kind"`
	Name       string    `ch:"name"`
	Text       string    `ch:"text"`
	SHA256     string    `ch:"sha256"`
	Hash       string    `ch:"hash"`
}

// caseRow is a step with the content of its file.
type caseRow struct {
	CaseStep
	Content string `ch:"content"`
}

// Case is a case, as its steps make it.
type Case struct {
	PropertyID, ID, Title, State, Owner, Opener string
	Opened, Changed                             time.Time
	Findings                                    []string // ids, in the order in which they were added
	About                                       []CaseStep
	Files                                       []CaseStep
	Steps                                       []CaseStep
}

// Closed reports whether a case is closed.
func (c *Case) Closed() bool { return c.State == Closed }

// Refuses is why nothing can be added to the case; empty if something can.
func (c *Case) Refuses() string {
	switch {
	case c.Closed():
		return "The case is closed: a supervisor can open it again."
	case len(c.Steps) >= MaxCaseSteps:
		return fmt.Sprintf("The case has %d steps: open another one.", MaxCaseSteps)
	}
	return ""
}

func (c *Case) apply(s *CaseStep) {
	c.Changed = s.At
	switch s.Action {
	case CaseOpen:
		if c.Title == "" {
			c.PropertyID, c.ID, c.Title, c.Opener, c.Opened = s.PropertyID, s.CaseID, s.Text, s.Actor, s.At
			c.State = CaseStates()[0]
		}
	case CaseAdd:
		if !slices.Contains(c.Findings, s.FindingID) {
			c.Findings = append(c.Findings, s.FindingID)
		}
	case CaseRemove:
		c.Findings = slices.DeleteFunc(c.Findings, func(id string) bool { return id == s.FindingID })
	case CaseAbout:
		c.About = append(c.About, *s)
	case CaseAttach:
		c.Files = append(c.Files, *s)
	case CaseAssign:
		c.Owner = s.Name
	case CaseState:
		c.State = s.Kind
	}
}

// Case returns a case with its steps in order.
func (s *Store) Case(ctx context.Context, scope Scope, property, id string) (*Case, error) {
	w := in(scope).and("property_id = {property_id:String} AND case_id = {case_id:String}", "property_id", property,
		"case_id", id)
	steps, err := list[CaseStep](ctx, s, "a case", `{{case_steps}} WHERE `+w.String()+` ORDER BY at, hash LIMIT 5000`, w)
	if err != nil {
		return nil, err
	}
	c := &Case{Steps: steps}
	for i := range steps {
		c.apply(&steps[i])
	}
	if c.Title == "" {
		return nil, fmt.Errorf("case %s: %w", id, ErrNotFound)
	}
	return c, nil
}

// CaseRow is a case of a list.
type CaseRow struct {
	PropertyID string    `ch:"property_id"`
	ID         string    `ch:"id"`
	Title      string    `ch:"title"`
	State      string    `ch:"state"`
	Owner      string    `ch:"owner"`
	Findings   uint64    `ch:"findings"`
	Files      uint64    `ch:"files"`
	Opened     time.Time `ch:"opened_at"`
	Changed    time.Time `ch:"changed_at"`
	Has        bool      `ch:"has_it"` // the finding of the query
}

// Cases returns the cases that have a finding, and after them those that changed last.
func (s *Store) Cases(ctx context.Context, scope Scope, finding string) ([]CaseRow, error) {
	w := in(scope).with("finding_id", finding)
	return read[CaseRow](ctx, s, "the cases", `SELECT property_id, case_id AS id, title, state, owner,
		toUInt64(length(has_findings)) AS findings, files, opened_at, changed_at,
		toBool(has(has_findings, {finding_id:String})) AS has_it
	FROM (SELECT property_id, case_id, anyIf(title_of, title_of != '') AS title,
			if(max(state_at) = toDateTime64(0, 6), 'open', argMax(state_of, state_at)) AS state,
			argMax(owner_of, owner_at) AS owner, groupArrayIf(finding_id, last = 'add') AS has_findings,
			sum(attached) AS files, min(first_at) AS opened_at, max(last_at) AS changed_at
		FROM (SELECT property_id, case_id, finding_id, argMax(action, (c.at, hash)) AS last,
				argMinIf(text, (c.at, hash), action = 'open') AS title_of,
				argMaxIf(kind, (c.at, hash), action = 'state') AS state_of,
				maxIf(c.at, action = 'state') AS state_at, argMaxIf(name, (c.at, hash), action = 'assign') AS owner_of,
				maxIf(c.at, action = 'assign') AS owner_at, countIf(action = 'attach') AS attached,
				min(c.at) AS first_at, max(c.at) AS last_at
			FROM {{case_steps}} AS c WHERE `+w.String()+` GROUP BY property_id, case_id, finding_id)
		GROUP BY property_id, case_id)
	WHERE title != '' ORDER BY has_it DESC, changed_at DESC, property_id, id LIMIT 500`, w)
}

// CaseTitles returns the titles of cases by id.
func (s *Store) CaseTitles(ctx context.Context, scope Scope, ids []string) (map[string]string, error) {
	titles := map[string]string{}
	if len(ids) == 0 || !scope.All && len(scope.Properties) == 0 {
		return titles, nil
	}
	type row struct {
		ID    string `ch:"id"`
		Title string `ch:"title"`
	}
	w := in(scope).and("case_id IN {ids:Array(String)} AND action = 'open'", "ids", ids)
	all, err := read[row](ctx, s, "the titles of cases", `SELECT case_id AS id, argMin(text, (c.at, hash)) AS title
		FROM {{case_steps}} AS c WHERE `+w.String()+` GROUP BY property_id, case_id LIMIT 5000`, w)
	for _, r := range all {
		titles[r.ID] = r.Title
	}
	return titles, err
}

// AddToCase stores a step and its entry of the console log. It gives the step its hash.
func (s *Store) AddToCase(ctx context.Context, step CaseStep, content []byte, entry Entry) error {
	if len(content) > MaxAttachment {
		return errors.New("the file is too large")
	}
	step.At = s.now().UTC().Truncate(time.Microsecond)
	for _, text := range []*string{&step.Name, &step.Text, &step.Kind} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	if len(content) > 0 {
		sum := sha256.Sum256(content)
		step.SHA256 = hex.EncodeToString(sum[:])
	}
	row := rows.CaseStep{
		PropertyID: step.PropertyID, CaseID: step.CaseID, At: step.At.UnixMicro(), Actor: step.Actor, Role: step.Role,
		Issuer: step.Issuer, Subject: step.Subject, Action: step.Action, FindingID: step.FindingID, Kind: step.Kind,
		Name: step.Name, Text: step.Text, SHA256: step.SHA256,
	}
	row.Hash = row.Sum()
	step.Hash = row.Hash
	entry.Action, entry.Object = rows.CaseAction+step.Action, step.CaseID
	if entry.Detail = row.LogText() + ": " + entry.Detail; entry.Detail == row.LogText()+": " {
		entry.Detail = row.LogText()
	}
	// The two writes end together: a request that ends does not leave a step without its entry.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	if err := write(ctx, s, "a step of a case", "case_steps", []caseRow{{step, string(content)}}); err != nil {
		return err
	}
	return s.Log(ctx, entry)
}

// Attachment returns a file of a case, if the stored content is what was attached.
func (s *Store) Attachment(ctx context.Context, scope Scope, property, id, sum string) (name string, data []byte, err error) {
	w := in(scope).and("property_id = {property_id:String} AND case_id = {case_id:String} AND sha256 = {sha256:String} "+
		"AND action = 'attach'", "property_id", property, "case_id", id, "sha256", sum)
	type row struct {
		Name    string `ch:"name"`
		Content string `ch:"content"`
	}
	r, err := one[row](ctx, s, "a file of a case", `SELECT name, content FROM {{case_steps}} WHERE `+w.String()+` ORDER BY at, hash LIMIT 1`, w)
	if err != nil {
		return "", nil, err
	}
	if got := sha256.Sum256([]byte(r.Content)); hex.EncodeToString(got[:]) != sum {
		return "", nil, fmt.Errorf("file %s of case %s: the stored content is not the one that was attached", sum, id)
	}
	return r.Name, []byte(r.Content), nil
}
