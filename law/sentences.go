package law

import (
	_ "embed"
	"strings"
)

//go:embed sentences.tsv
var sentences string

// Sentence is an obligation of a clause in the words of this project: the regulations are cited, not copied.
type Sentence struct {
	Text       string // the rulebook
	Clause     string // without the name of the code
	Obligation string
	Rules      []string // that judge it
}

// Sentences returns the obligations of the shipped rulebooks, clause by clause.
func Sentences() []Sentence {
	var all []Sentence
	for i, line := range strings.Split(strings.TrimSpace(sentences), "\n") {
		const text, clause, obligation, rules = 0, 1, 2, 3
		fields := strings.Split(line, "\t")
		if i == 0 || len(fields) <= obligation { // the first line names the columns
			continue
		}
		s := Sentence{Text: fields[text], Clause: fields[clause], Obligation: fields[obligation]}
		if len(fields) > rules {
			s.Rules = strings.Fields(fields[rules])
		}
		all = append(all, s)
	}
	return all
}
