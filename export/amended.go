package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// brief is what a finding was in an export. The log's index has it, so that a later amendment can name it: the database
// has no earlier content of a finding. Of a finding for information it has the rule and the table only.
type brief struct {
	No       int64           `json:"no"`
	Table    string          `json:"table"`
	Shoe     string          `json:"shoe"`
	Round    uint32          `json:"round"`
	Rule     string          `json:"rule"`
	Severity string          `json:"severity"`
	Verdict  finding.Verdict `json:"verdict"`
	Basis    finding.Basis   `json:"basis"`
	Dealer   string          `json:"dealer"`
	Expected string          `json:"expected"`
	Observed string          `json:"observed"`
	Amount   int64           `json:"amount"`
	Currency string          `json:"currency"`
}

func briefOf(f *finding.Finding, no int64) *brief {
	if !f.Exception() {
		return &brief{Table: f.TableID, Rule: f.Rule, Severity: f.Severity.String(), Verdict: f.Verdict}
	}
	return &brief{
		no, f.TableID, f.ShoeID, f.Round, f.Rule, f.Severity.String(), f.Verdict, f.Basis, f.DealerID, f.Expected,
		f.Observed, f.Amount, f.Currency,
	}
}

// noticed reports whether an amendment is about a finding that was for information only, and still is or is withdrawn.
// The log of an earlier release does not show what a finding was.
func (a *Amendment) noticed() bool {
	var was *brief
	if a.before != nil {
		was = a.before.brief
	}
	if a.Now == nil {
		return was != nil && was.No == 0
	}
	return !a.Now.Exception() && (was == nil || was.No == 0)
}

// where names the table, the shoe and the round.
func (f *brief) where() string {
	var parts []string
	for _, p := range [][2]string{{"table ", f.Table}, {"shoe ", f.Shoe}} {
		if p[1] != "" {
			parts = append(parts, p[0]+p[1])
		}
	}
	if f.Round > 0 {
		parts = append(parts, "round "+strconv.FormatUint(uint64(f.Round), 10))
	}
	return strings.Join(parts, ", ")
}

// text describes an exception in two sentences.
func (f *brief) text() string {
	what := fmt.Sprintf("Rule %s (%s, %s) at %s.", f.Rule, f.Severity, f.Verdict, cmp.Or(f.where(), "the property"))
	if f.Expected+f.Observed != "" {
		what += fmt.Sprintf(
			" Expected: %s. Observed: %s.", cmp.Or(period(f.Expected), "-"), cmp.Or(period(f.Observed), "-"),
		)
	}
	if f.Amount != 0 {
		what += " Amount: " + schema.Money(f.Amount, f.Currency) + "."
	}
	return what
}

// period removes the full stop at the end of a text that becomes part of a sentence.
func period(s string) string { return strings.TrimRight(s, ". ") }

// changes lists the fields that differ, with the values before and now.
func (f *brief) changes(now *brief) string {
	var all []string
	for _, c := range [][3]string{
		{"the table, shoe or round", f.where(), now.where()},
		{"the severity", f.Severity, now.Severity},
		{"the verdict", string(f.Verdict), string(now.Verdict)},
		{"its basis", string(f.Basis), string(now.Basis)},
		{"the dealer", f.Dealer, now.Dealer},
		{"what was expected", f.Expected, now.Expected},
		{"what was observed", f.Observed, now.Observed},
		{"the amount", schema.Money(f.Amount, f.Currency), schema.Money(now.Amount, now.Currency)},
	} {
		if c[1] != c[2] {
			all = append(all, fmt.Sprintf("%s was %q and is %q", c[0], c[1], c[2]))
		}
	}
	if len(all) == 0 {
		return "Its text is the same; the events that prove it or its citations differ."
	}
	text := strings.Join(all, "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// describe states in words what an amendment changes, and why: in the reports and in the CSV.
func (b *builder) describe(a *Amendment) string {
	var before *brief
	origin := ""
	if a.before != nil {
		before = a.before.brief
		origin = fmt.Sprintf(", reported in export %d (log leaf %d)", a.before.export, a.Leaf)
	}
	var now *brief
	if a.Now != nil {
		now = briefOf(a.Now, b.numbers[a.Amends])
	}
	subject := func(f *brief) string {
		if f == nil || f.No == 0 {
			return fmt.Sprintf("finding %s of gaming day %s", a.Amends, a.GamingDay)
		}
		return fmt.Sprintf("exception No. %d of gaming day %s", f.No, a.GamingDay)
	}
	var words []string
	switch {
	case a.Reason == amendWithdrawn:
		words = []string{"Withdrawn: " + subject(before) + origin + ", no longer stands."}
		if before != nil {
			words = append(words, "It was: "+before.text())
		}
	case a.Reason == amendChanged && before != nil && before.No > 0 && now.No == 0:
		words = []string{
			"Changed: " + subject(before) + origin + ", is no exception any more: it is for information only.",
			"It was: " + before.text(),
		}
	case a.Reason == amendChanged && before != nil && before.No > 0:
		words = []string{"Changed: " + subject(before) + origin + "." + renumbered(before, now), before.changes(now)}
	case a.Reason == amendChanged:
		words = []string{"Changed: " + subject(now) + origin + ".", "It is now: " + now.text()}
	case a.Reason == amendRestored:
		words = []string{
			"Restored: " + subject(now) + ". Export " + strconv.FormatInt(a.before.export, 10) + " had withdrawn it.",
		}
	default:
		words = []string{"Added: " + subject(now) + ", after that day was exported."}
	}
	if a.Reason != amendChanged && now != nil {
		words = append(words, now.text())
	}
	return strings.Join(append(words, "Reason: "+period(cmp.Or(a.Why, "not recorded"))+"."), " ")
}

// renumbered names the new number of an exception, if it has another one.
func renumbered(before, now *brief) string {
	if before.No == now.No {
		return ""
	}
	return fmt.Sprintf(" It has the number %d now.", now.No)
}

// amendmentWords are the reasons of amendments in the words of the reports, in their order.
func amendmentWords() [][2]string {
	return [][2]string{
		{amendWithdrawn, "withdrawn"}, {amendChanged, "changed"}, {amendRestored, "restored"}, {amendLate, "added"},
	}
}

// amendmentReport lists the amendments in words: what was withdrawn first, then what was changed, restored and added.
func (b *builder) amendmentReport(amendments []Amendment) (summary string, lines []string) {
	var counts, rules []string
	noticed := 0
	for i := range amendments {
		if a := &amendments[i]; a.noticed() {
			noticed++
			if a.Now != nil {
				rules = append(rules, a.Now.Rule)
			} else {
				rules = append(rules, a.before.brief.Rule)
			}
		}
	}
	for _, word := range amendmentWords() {
		n := 0
		for i := range amendments {
			if a := &amendments[i]; a.Reason == word[0] && !a.noticed() {
				n++
				lines = append(lines, b.describe(a))
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, word[1]))
		}
	}
	if len(amendments) == 0 {
		return "This export amends no earlier export.", nil
	}
	if len(counts) == 0 {
		counts = []string{"none"}
	}
	others := ""
	if noticed > 0 {
		slices.Sort(rules)
		others = fmt.Sprintf("Findings for information that it amends, which accuse no one and are not listed here: %d "+
			"(%s). ",
			noticed,
			strings.Join(slices.Compact(rules), ", "))
	}
	days := slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for i := range amendments {
			if !yield(amendments[i].GamingDay) {
				return
			}
		}
	}))
	return fmt.Sprintf("This export amends what was exported before of gaming day %s. Exceptions: %s. %s"+
		"The earlier exports stay as they are; where they differ, this export is right.", strings.Join(days, ", "),
		strings.Join(counts, ", "),
		others), lines
}
