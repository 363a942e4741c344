// Package scenario runs scenarios: a legal shoe, edits that change it, and the findings that an audit must report.
//
// In: a txtar file, described in docs/scenarios.md, and the options of an engine. Out: the findings of the audit, the
// reasons for which the scenario fails, and the rounds that its edits change. The tests of the shipped rules and
// audit test use the same functions.
package scenario

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// Scenario is one file.
type Scenario struct {
	path    string
	archive *txtar.Archive
	// name is the file's name without its ending, legal whether it lies in a folder of honest play.
	name  string
	legal bool
	shoe  string
	edits script.Edits
}

// Loader loads the rulebooks that are in force together with further files.
type Loader func(more map[string][]byte) (law.Books, error)

// Read reads a scenario. Errors name the file.
func Read(path string) (*Scenario, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	return Parse(path, text)
}

// Parse reads a scenario from its text. The path names it.
func Parse(path string, text []byte) (*Scenario, error) {
	archive := txtar.Parse(text)
	s := &Scenario{path: path, archive: archive, name: strings.TrimSuffix(filepath.Base(path), ".txtar")}
	s.legal = filepath.Base(filepath.Dir(path)) == "legal"
	for i := range archive.Files {
		f := &archive.Files[i]
		if !slices.Contains([]string{"rulebook", "shoe", "edits", "findings"}, f.Name) {
			return nil, fmt.Errorf("%s: section %q, want rulebook, shoe, edits or findings", path, f.Name)
		}
		if s.section(f.Name) != f {
			return nil, fmt.Errorf("%s: section %s is given twice", path, f.Name)
		}
	}
	for _, name := range []string{"shoe", "edits", "findings"} {
		if s.section(name) == nil {
			return nil, fmt.Errorf("%s: no line \"-- %s --\": want the sections shoe, edits and findings; the last two may "+
				"be empty", path, name)
		}
	}
	s.shoe = strings.TrimSpace(string(s.section("shoe").Data))
	var err error
	if s.edits, err = script.Parse(string(s.inFile(s.section("edits")))); err != nil {
		return nil, fmt.Errorf("%s: edits: %w", path, err)
	}
	return s, nil
}

func (s *Scenario) section(name string) *txtar.File {
	i := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &s.archive.Files[i]
}

// inFile is the data of a section behind as many line ends as the file has in front of it: an error then names the line
// of the file.
func (s *Scenario) inFile(section *txtar.File) []byte {
	lines := bytes.Count(s.archive.Comment, []byte("\n")) + 1 // of the section's name
	for i := 0; &s.archive.Files[i] != section; i++ {
		lines += bytes.Count(s.archive.Files[i].Data, []byte("\n")) + 1
	}
	return append(bytes.Repeat([]byte("\n"), lines), section.Data...)
}

// Section is the text of a section, empty if the file has no such section.
func (s *Scenario) Section(name string) string {
	if f := s.section(name); f != nil {
		return string(f.Data)
	}
	return ""
}

// Want is the section of the expected findings.
func (s *Scenario) Want() string { return string(s.section("findings").Data) }

// Result is the outcome of a scenario.
type Result struct {
	// Legal are the events before the edits, Events the audited ones.
	Legal, Events []schema.Event
	Findings      []finding.Finding
	Rows          *rows.Set // the findings, and the facts
	// Unread are the events that the engine rejected.
	Unread []string
}

// Run audits the scenario. An error means that it cannot be run.
func (s *Scenario) Run(opt engine.Options, load Loader) (*Result, error) {
	var r Result
	var err error
	if f := s.section("rulebook"); f != nil {
		if opt.Books, err = load(map[string][]byte{s.path: s.inFile(f)}); err != nil {
			return nil, fmt.Errorf("%s: rulebook: %w", s.path, err)
		}
	}
	if r.Legal, err = script.Fixture(s.shoe); err != nil {
		return nil, fmt.Errorf("%s: shoe: %w", s.path, err)
	}
	if r.Events, err = s.edits.Apply(r.Legal); err != nil {
		return nil, fmt.Errorf("%s: edits: %w", s.path, err)
	}
	if r.Rows, err = Audit(opt, r.Events); err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	r.Findings = finding.Latest(r.Rows.Findings)
	for i := range r.Rows.DeadLetters {
		d := &r.Rows.DeadLetters[i]
		r.Unread = append(r.Unread, fmt.Sprintf("event %d: %s", d.Offset, d.Reason))
	}
	return &r, nil
}

// Audit returns the rows of events, with the findings about the tables of the floor against each other.
func Audit(opt engine.Options, events []schema.Event) (*rows.Set, error) {
	opt.NoArchive = true
	set := &rows.Set{}
	auditor := engine.New(opt)
	if err := auditor.Replay(engine.Records(events), set, nil); err != nil {
		return nil, err
	}
	auditor.Unsettled(set)
	floor := engine.NewFloor(opt)
	floor.NoteAll(set)
	set.Findings = append(set.Findings, floor.Findings()...)
	return set, nil
}

// Problems returns the reasons for which a result fails the scenario, apart from other findings than expected: events
// that cannot be read, findings of legal play, or a scenario named after a rule that does not prove the rule alone.
// What is wrong with the table itself is found again in the second shoe.
func (s *Scenario) Problems(r *Result) []string {
	out := slices.Clone(r.Unread)
	if s.legal {
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Rule != "irreg.error-remedied" { // a correctly handled irregularity
				out = append(out, "legal play: "+heading(f))
			}
		}
		return out
	}
	name, _, _ := strings.Cut(s.name, "~")
	if !slices.Contains(rules.Names(), name) {
		return out
	}
	proofs := map[string]int{} // by shoe
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Rule == name && f.Verdict != finding.Unauditable:
			proofs[f.ShoeID]++
		case f.Kind == finding.Anomaly && name == "shuffle.random-order": // rightly scored as well
		case f.Severity != finding.Info:
			out = append(out, "second finding: "+heading(f))
		}
	}
	if len(proofs) == 0 {
		out = append(out, "no finding of "+name)
	}
	for shoe, n := range proofs {
		if n != 1 {
			out = append(out, fmt.Sprintf("%d findings of %s in shoe %s, want one", n, name, shoe))
		}
	}
	slices.Sort(out)
	return out
}

// Update writes findings into the file in place of the expected ones.
func (s *Scenario) Update(findings []finding.Finding) error {
	s.section("findings").Data = []byte(Text(findings))
	if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
		return fmt.Errorf("update scenario: %w", err)
	}
	return nil
}

// Text returns findings as the section of a scenario has them.
func Text(findings []finding.Finding) string {
	var b strings.Builder
	for i := range findings {
		f := &findings[i]
		fmt.Fprintf(&b, "%s\n  cites    %s\n", heading(f), strings.Join(f.Citations, "; "))
		if f.Basis != "" && f.Basis != finding.Text {
			fmt.Fprintf(&b, "  basis    %s\n", f.Basis)
		}
		fmt.Fprintf(&b, "  expected %s\n  observed %s\n", f.Expected, f.Observed)
	}
	return b.String()
}

// heading is the first line of a finding.
func heading(f *finding.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", f.Severity, f.Rule)
	if f.Verdict == finding.Unauditable || f.Verdict == finding.Suspect && f.Kind == finding.Deviation {
		fmt.Fprintf(&b, " %s", f.Verdict)
	}
	if f.Round != 0 {
		fmt.Fprintf(&b, " round=%d", f.Round)
	}
	if f.Seat != 0 {
		fmt.Fprintf(&b, " seat=%d", f.Seat)
	}
	if f.Subject != "" {
		fmt.Fprintf(&b, " %s", f.Subject)
	}
	if f.Amount != 0 {
		fmt.Fprintf(&b, " amount=%d", f.Amount)
	}
	return b.String()
}
