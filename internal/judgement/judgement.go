// Package judgement digests what this release concludes from fixtures, scenarios and simulated shoes, so that a change
// that must not alter a judgement is compared before and after.
//
// In: the options of an engine, the folder of the scenarios, a number of shoes. Out: a SHA-256 for each case over its
// findings and facts. Texts for people, citations and versions are no part of it.
package judgement

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// Case is a stream of events and its audit.
type Case struct {
	Class, Name string
	audit       func() (*rows.Set, error)
}

// Hash is the SHA-256, in hex, of the findings and facts of a case.
func (c *Case) Hash() (string, error) {
	set, err := c.audit()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", c.Class, c.Name, err)
	}
	set.Findings = finding.Latest(set.Findings)
	finding.Sort(set.Findings)
	for i := range set.Findings {
		f := &set.Findings[i]
		f.Expected, f.Observed, f.Odds, f.Citations, f.Rulebook, f.Engine = "", "", "", nil, "", ""
	}
	for i := range set.Shoes {
		set.Shoes[i].Rulebook, set.Shoes[i].Engine = "", ""
	}
	for i := range set.Evidence {
		set.Evidence[i].Engine = ""
	}
	for i := range set.DeadLetters {
		set.DeadLetters[i].Reason = ""
	}
	set.Snapshots = nil
	return set.Hash(), nil
}

// Cases returns the legal fixtures, the scenarios in a folder and below it, so many legal shoes, and as many shoes with
// one fault each.
func Cases(opt engine.Options, scenarios string, shoes int) ([]Case, error) {
	opt.NoArchive = true
	var cases []Case
	add := func(class, name string, events func() ([]schema.Event, error)) {
		cases = append(cases, Case{class, name, func() (*rows.Set, error) {
			list, err := events()
			if err != nil {
				return nil, err
			}
			return scenario.Audit(opt, list)
		}})
	}
	for _, name := range script.Fixtures() {
		add("fixture", name, func() ([]schema.Event, error) { return script.Fixture(name) })
	}
	for _, pattern := range []string{"*.txtar", "*/*.txtar"} {
		files, err := filepath.Glob(filepath.Join(scenarios, pattern))
		if err != nil {
			return nil, fmt.Errorf("find scenarios: %w", err)
		}
		for _, file := range files {
			name := strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(scenarios))
			cases = append(cases, Case{"scenario", name, func() (*rows.Set, error) { return played(file, opt) }})
		}
	}
	kinds, faults := deal.Kinds(), fault.All()
	for i := range shoes {
		kind, seed := kinds[i%len(kinds)], uint64(i/len(kinds))
		add("legal", fmt.Sprintf("%s-%d", kind, seed), func() ([]schema.Event, error) { return legal(kind, seed) })
	}
	for i := range shoes {
		// Neighbours in the catalogue are alike: a few shoes are of all families.
		f, seed := faults[i*stride%len(faults)], uint64(i/len(faults))
		add("fault", fmt.Sprintf("%s-%d", f.Rule, seed), func() ([]schema.Event, error) {
			events, _, err := fault.Plant(deal.Options{}, f, seed)
			return events, err
		})
	}
	return cases, nil
}

// stride is a prime larger than any family.
const stride = 101

func played(file string, opt engine.Options) (*rows.Set, error) {
	s, err := scenario.Read(file)
	if err != nil {
		return nil, err
	}
	r, err := s.Run(opt, rules.ShippedWith)
	if err != nil {
		return nil, err
	}
	return r.Rows, nil
}

func legal(kind string, seed uint64) ([]schema.Event, error) {
	config, err := deal.Config(kind, seed)
	if err != nil {
		return nil, err
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: seed, Varied: true})
	return slices.Concat(table.Open(), table.Shoe(), table.Close()), nil
}

// Write audits the cases and prints a hash for each class and one over all; with each also one for each case.
func Write(out io.Writer, cases []Case, each bool) error {
	hashes := make([]string, len(cases))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range cases {
		g.Go(func() (err error) {
			hashes[i], err = cases[i].Hash()
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	all := sha256.New()
	for from := 0; from < len(cases); {
		class, to := sha256.New(), from
		for ; to < len(cases) && cases[to].Class == cases[from].Class; to++ {
			line := fmt.Sprintf("%s  %s %s\n", hashes[to], cases[to].Class, cases[to].Name)
			_, _ = io.WriteString(io.MultiWriter(all, class), line)
			if each {
				fmt.Fprint(out, line)
			}
		}
		fmt.Fprintf(out, "%s  %d of class %s\n", hex.EncodeToString(class.Sum(nil)), to-from, cases[from].Class)
		from = to
	}
	_, err := fmt.Fprintf(out, "%s  all %d\n", hex.EncodeToString(all.Sum(nil)), len(cases))
	return err
}
