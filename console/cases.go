package console

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/console/store"
)

// sum is an amount in a currency.
type sum struct {
	Currency string
	Amount   int64
}

// subject is a table, a dealer, a patron or another subject of a case, with the number of its findings.
type subject struct {
	Kind, Name, URL string
	Findings        int
	By              string // who named it; empty if the findings do
}

// caseView is the page of a case.
type caseView struct {
	*store.Case
	Found    []store.Finding
	Missing  int                      // findings that are not stored any more
	Named    map[string]store.Finding // all that the steps name
	Sums     []sum
	Subjects []subject
	States   []string
	Work     bool // the user may add to the case
	Decide   bool // the user may close it and open it again
}

func casesPage(c *Console, x *exchange) error {
	rows, err := c.Store.Cases(x.r.Context(), x.scope(), "")
	if err != nil {
		return err
	}
	properties, err := c.properties(x, x.user.Scope(permCases))
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b store.CaseRow) int { // closed ones last
		return cmp.Compare(strings.Count(a.State, store.Closed), strings.Count(b.State, store.Closed))
	})
	return x.page("cases", "Cases", map[string]any{"Cases": rows, "Properties": properties})
}

// thisCase reads the case that the path names.
func (c *Console) thisCase(x *exchange) (*store.Case, error) {
	return c.Store.Case(x.r.Context(), x.scope(), x.r.PathValue("property"), x.r.PathValue("id"))
}

func casePage(c *Console, x *exchange) error {
	of, err := c.thisCase(x)
	if err != nil {
		return err
	}
	v := &caseView{
		Case: of, States: store.CaseStates(), Work: x.user.Scope(permCases).Has(of.PropertyID) && !of.Closed(),
		Decide: x.user.Scope(permSupervise).Has(of.PropertyID),
	}
	scope := store.Scope{Properties: []string{of.PropertyID}}
	var ids []string
	for i := range of.Steps {
		if id := of.Steps[i].FindingID; id != "" {
			ids = append(ids, id)
		}
	}
	if v.Named, err = c.named(x, scope, ids); err != nil {
		return err
	}
	for _, id := range of.Findings {
		if f, ok := v.Named[id]; ok {
			v.Found = append(v.Found, f)
		}
	}
	v.Missing = len(of.Findings) - len(v.Found)
	v.Sums, v.Subjects = sumsOf(v.Found), subjectsOf(of, v.Found)
	return x.page("case", "Case "+of.Title, v)
}

// did is an action on a case as a verb of its history.
func did(action string) string {
	switch action {
	case store.CaseOpen:
		return "opened the case"
	case store.CaseAdd:
		return "added a finding"
	case store.CaseRemove:
		return "removed a finding"
	case store.CaseAbout:
		return "named the subject"
	case store.CaseNote:
		return "noted"
	case store.CaseAttach:
		return "attached"
	case store.CaseAssign:
		return "assigned the case to"
	}
	return "set the state to"
}

// named returns the findings of ids by their ids. Those that are not stored any more are missing.
func (c *Console) named(x *exchange, scope store.Scope, ids []string) (map[string]store.Finding, error) {
	slices.Sort(ids)
	found, err := c.Store.FindingsByID(x.r.Context(), scope, slices.Compact(ids))
	by := make(map[string]store.Finding, len(found))
	for i := range found {
		by[found[i].ID] = found[i]
	}
	return by, err
}

// sumsOf adds up the amounts of findings by currency.
func sumsOf(found []store.Finding) (sums []sum) {
	by := map[string]int64{}
	for i := range found {
		if f := &found[i]; f.Amount != 0 {
			by[f.Currency] += f.Amount
		}
	}
	for _, currency := range slices.Sorted(maps.Keys(by)) {
		sums = append(sums, sum{currency, by[currency]})
	}
	return sums
}

// subjectsOf are the tables and dealers of the findings, and the subjects that people named.
func subjectsOf(of *store.Case, found []store.Finding) (all []subject) {
	at := map[[2]string]int{}
	add := func(kind, name, url, by string) int {
		key := [2]string{kind, name}
		i, known := at[key]
		if !known {
			i = len(all)
			at[key], all = i, append(all, subject{Kind: kind, Name: name, URL: url, By: by})
		}
		return i
	}
	for i := range found {
		f := &found[i]
		if f.TableID != "" {
			all[add("table", f.TableID, pathOf("tables", f.PropertyID, f.TableID)+"?day="+store.Day(f.GamingDay), "")].Findings++
		}
		if f.DealerID != "" {
			all[add("dealer", f.DealerID, pathOf("dealers", f.PropertyID, f.DealerID), "")].Findings++
		}
	}
	for _, s := range of.About {
		url := ""
		if slices.Contains([]string{"table", "dealer", "patron"}, s.Kind) {
			url = pathOf(s.Kind+"s", of.PropertyID, s.Name)
		}
		add(s.Kind, s.Name, url, s.Actor)
	}
	slices.SortStableFunc(all, func(a, b subject) int { return cmp.Compare(a.Kind, b.Kind) })
	return all
}

// addToCase stores a step of the user with its entry of the log.
func (c *Console) addToCase(x *exchange, s store.CaseStep, content []byte, detail string) error {
	s.Actor, s.Role, s.Issuer, s.Subject = x.user.Name, x.user.Role(), x.user.Who.Issuer, x.user.Who.Subject
	err := c.Store.AddToCase(x.r.Context(), s, content, x.entry(s.PropertyID, "", "", detail))
	if err == nil {
		c.volatile.clear() // the page of a finding lists its cases
	}
	return err
}

// openCase opens a case, with the findings of the form.
func openCase(c *Console, x *exchange) error {
	const maxTitle, idLength = 200, 12
	form := x.r.PostForm
	property, title := form.Get("property"), strings.TrimSpace(form.Get("title"))
	switch {
	case property == "" || !x.scope().Has(property):
		return errForbidden
	case title == "" || len(title) > maxTitle:
		return badRequest("A case needs a title of at most %d bytes.", maxTitle)
	}
	of := &store.Case{PropertyID: property, ID: rand.Text()[:idLength]}
	step := store.CaseStep{PropertyID: property, CaseID: of.ID, Action: store.CaseOpen, Text: title}
	if err := c.addToCase(x, step, nil, title); err != nil {
		return err
	}
	if err := c.addFindings(x, of, form.Get("finding")); err != nil {
		return err
	}
	return x.redirect(pathOf("cases", property, of.ID))
}

// addFindings adds findings of the property of the case, by their ids or URLs.
func (c *Console) addFindings(x *exchange, of *store.Case, text string) error {
	var ids []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r <= ' ' }) {
		id := word[strings.LastIndex(word, "/")+1:]
		if !slices.Contains(ids, id) && !slices.Contains(of.Findings, id) {
			ids = append(ids, id)
		}
	}
	if len(of.Findings)+len(ids) > store.MaxCaseFindings {
		return badRequest("A case has at most %d findings.", store.MaxCaseFindings)
	}
	found, err := c.Store.FindingsByID(x.r.Context(), store.Scope{Properties: []string{of.PropertyID}}, ids)
	if err != nil {
		return err
	}
	if len(found) < len(ids) {
		return badRequest("Unknown or of another property: %d of %s; nothing was added.", len(ids)-len(found),
			count(len(ids), "finding"))
	}
	for _, id := range ids {
		step := store.CaseStep{PropertyID: of.PropertyID, CaseID: of.ID, Action: store.CaseAdd, FindingID: id}
		if err := c.addToCase(x, step, nil, "finding "+id); err != nil {
			return err
		}
	}
	return nil
}

// addFindingToCase adds a finding to a case of a form that names the case.
func addFindingToCase(c *Console, x *exchange) error {
	property, id := x.r.PostForm.Get("property"), x.r.PostForm.Get("case")
	of, err := c.Store.Case(x.r.Context(), x.scope(), property, id)
	if err != nil {
		return err
	}
	if why := of.Refuses(); why != "" {
		return badRequest("%s", why)
	}
	if err := c.addFindings(x, of, x.r.PostForm.Get("finding")); err != nil {
		return err
	}
	return x.redirect(pathOf("cases", property, id))
}

// changeCase is a step on a case.
func changeCase(c *Console, x *exchange) error {
	of, err := c.thisCase(x)
	if err != nil {
		return err
	}
	form := x.r.PostForm
	here := pathOf("cases", of.PropertyID, of.ID)
	if form.Get("step") != store.CaseState {
		if why := of.Refuses(); why != "" {
			return badRequest("%s", why)
		}
	}
	if form.Get("step") == store.CaseAdd {
		if err := c.addFindings(x, of, form.Get("finding")); err != nil {
			return err
		}
		return x.redirect(here)
	}
	step, detail, err := c.stepOf(x, of)
	if err != nil {
		return err
	}
	step.PropertyID, step.CaseID, step.Action = of.PropertyID, of.ID, form.Get("step")
	if err := c.addToCase(x, step, nil, detail); err != nil {
		return err
	}
	return x.redirect(here)
}

// stepOf checks a form, and returns the step with what the log shows of it.
func (c *Console) stepOf(x *exchange, of *store.Case) (s store.CaseStep, detail string, err error) {
	const maxText, maxName = 8000, 200
	form := x.r.PostForm
	s.Text, s.Name, s.Kind = strings.TrimSpace(form.Get("text")), strings.TrimSpace(form.Get("name")), form.Get("kind")
	if len(s.Text) > maxText || len(s.Name) > maxName {
		return s, "", badRequest("A text of at most %d and a name of at most %d bytes, please.", maxText, maxName)
	}
	only := func(fields ...*string) {
		for _, f := range []*string{&s.Text, &s.Name, &s.Kind} {
			if !slices.Contains(fields, f) {
				*f = ""
			}
		}
	}
	switch form.Get("step") {
	case store.CaseRemove:
		s.FindingID = form.Get("finding")
		if !slices.Contains(of.Findings, s.FindingID) || s.Text == "" {
			return s, "", badRequest("To remove a finding, name one of the case and a reason.")
		}
		only(&s.Text)
		return s, "finding " + s.FindingID + ": " + s.Text, nil
	case store.CaseAbout:
		if err := checkSubject(s.Kind, s.Name); err != nil {
			return s, "", err
		}
		only(&s.Kind, &s.Name)
		return s, s.Kind + " " + s.Name, nil
	case store.CaseNote:
		if s.Text == "" {
			return s, "", badRequest("The note is empty.")
		}
		only(&s.Text)
		return s, s.Text, nil
	case store.CaseAssign:
		if s.Name == "me" {
			s.Name = x.user.Name
		}
		only(&s.Name)
		return s, s.Name, nil
	case store.CaseState:
		return c.stateOf(x, of, s)
	}
	return s, "", badRequest("step %q: want add, remove, about, note, assign or state", form.Get("step"))
}

// stateOf checks a change of the state. A supervisor closes a case and opens it again.
func (c *Console) stateOf(x *exchange, of *store.Case, s store.CaseStep) (store.CaseStep, string, error) {
	switch {
	case !slices.Contains(store.CaseStates(), s.Kind) || s.Kind == of.State:
		return s, "", badRequest("state %q: want another one of %s", s.Kind, strings.Join(store.CaseStates(), ", "))
	case s.Text == "":
		return s, "", badRequest("A new state needs a reason.")
	case (s.Kind == store.Closed || of.Closed()) && !x.user.Scope(permSupervise).Has(of.PropertyID):
		return s, "", errForbidden
	}
	s.Name = ""
	return s, s.Kind + ": " + s.Text, nil
}

// subjectKinds are the kinds of subjects that people may name.
func subjectKinds() []string { return []string{"patron", "dealer", "table", "employee", "other"} }

// checkSubject refuses a patron who is not masked: a case may be printed and shown.
func checkSubject(kind, name string) error {
	switch {
	case !slices.Contains(subjectKinds(), kind) || name == "":
		return badRequest("A subject needs a name and one of the kinds %s.", strings.Join(subjectKinds(), ", "))
	case kind == "patron" && !isCode(name):
		return badRequest("A patron is named by the code of 32 digits that wagers show, not by name or number.")
	}
	return nil
}

// attach adds a file to a case.
func attach(c *Console, x *exchange) error {
	of, err := c.thisCase(x)
	if err != nil {
		return err
	}
	if why := of.Refuses(); why != "" {
		return badRequest("%s", why)
	}
	if len(of.Files) >= store.MaxCaseFiles {
		return badRequest("A case has at most %d files.", store.MaxCaseFiles)
	}
	file, header, err := x.r.FormFile("file")
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return badRequest("A file has at most %d MiB.", store.MaxAttachment>>20)
	}
	if err != nil {
		return badRequest("Choose a file.")
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, store.MaxAttachment+1))
	switch {
	case err != nil:
		return fmt.Errorf("read an attachment: %w", err)
	case len(data) == 0 || len(data) > store.MaxAttachment:
		return badRequest("A file has at least one byte and at most %d MiB.", store.MaxAttachment>>20)
	}
	const maxName = 200
	name := filepath.Base(strings.ReplaceAll(header.Filename, "\\", "/"))
	step := store.CaseStep{
		PropertyID: of.PropertyID, CaseID: of.ID, Action: store.CaseAttach, Name: name[max(0, len(name)-maxName):],
		Kind: http.DetectContentType(data), Text: count(len(data), "byte"),
	}
	if err := c.addToCase(x, step, data, fmt.Sprintf("%q, %s", step.Name, count(len(data), "byte"))); err != nil {
		return err
	}
	return x.redirect(pathOf("cases", of.PropertyID, of.ID))
}

// attachment sends a file of a case. The download is logged first, and no browser shows the file.
func attachment(c *Console, x *exchange) error {
	property, id, sum := x.r.PathValue("property"), x.r.PathValue("id"), x.r.PathValue("sha256")
	name, data, err := c.Store.Attachment(x.r.Context(), x.scope(), property, id, sum)
	if err != nil {
		return err
	}
	if err := x.mustLog(property, "download", "case "+id, "sha256 "+sum+" "+name); err != nil {
		return err
	}
	x.attach(name, "application/octet-stream")
	_, _ = x.w.Write(data)
	return nil
}
