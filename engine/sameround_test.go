package engine_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// judged is a pair of faults in one round, as the engine reports it, and as it would if no rule covered another one.
type judged struct {
	pair         *fault.Pair
	seed         uint64
	planted      *fault.Planted
	emitted, raw []finding.Finding
}

// Of two faults in one round, at one seat where both concern a seat, each is reported or covered by an emitted finding
// that names it. The same holds of every other finding of the round. SHOEPROOF_PAIRS is how many pairs are planted.
func TestPairsInOneRound(t *testing.T) {
	pairs, apart := fault.Pairs()
	t.Logf("%d ordered pairs of faults may share a round; unordered pairs that may not: %v", len(pairs), apart)
	rng := rand.New(rand.NewPCG(15, 5000))
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	slices.SortStableFunc(pairs, func(a, b fault.Pair) int { return cmp.Compare(related(&b), related(&a)) })
	want := enginetest.Soak(500, 50_000)
	if n, err := strconv.Atoi(os.Getenv("SHOEPROOF_PAIRS")); err == nil {
		want = n
	}
	planted, refused, outcomes := 0, map[fault.Reason]int{}, map[string]int{}
	exceptions := map[string][]string{}
	for n := 0; planted < want; n++ {
		j := &judged{pair: &pairs[n%len(pairs)], seed: uint64(n / len(pairs))}
		var err error
		j.planted, err = j.pair.Plant(j.seed)
		if apart := (*fault.ApartError)(nil); errors.As(err, &apart) {
			refused[apart.Reason]++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		planted++
		j.judge(t)
		for i := range j.planted.Want {
			how, wrong := j.outcome(i)
			outcomes[how]++
			if wrong != "" {
				exceptions[wrong] = append(exceptions[wrong], j.String())
			}
		}
		for _, wrong := range j.lost() {
			exceptions[wrong] = append(exceptions[wrong], j.String())
		}
	}
	t.Logf("%d pairs planted, others refused: %v", planted, refused)
	t.Logf("%d faults: %v", 2*planted, outcomes)
	for _, wrong := range slices.Sorted(maps.Keys(exceptions)) {
		t.Errorf("%s, %d times, first in %s", wrong, len(exceptions[wrong]), exceptions[wrong][0])
	}
}

// related is 1 if a rule of the pair covers the other one.
func related(p *fault.Pair) int {
	first, second := ruleNamed(p.First.Rule), ruleNamed(p.Second.Rule)
	if slices.Contains(first.Covers, second.Name) || slices.Contains(second.Covers, first.Name) {
		return 1
	}
	return 0
}

// judge replays the events under the rules as they are, and with no rule covering another one.
func (j *judged) judge(t *testing.T) {
	t.Helper()
	options := enginetest.Options()
	if j.pair.First.Off || j.pair.Second.Off {
		options = allRules()
	}
	options.NoArchive = true
	j.emitted = replayWith(t, options, j.planted.Events).Findings
	covers := map[*rules.Rule][]string{}
	for _, r := range rules.All() {
		covers[r], r.Covers = r.Covers, nil
	}
	defer func() {
		for r := range covers {
			r.Covers = covers[r]
		}
	}()
	j.raw = replayWith(t, options, j.planted.Events).Findings
}

// outcome is what became of a fault of the pair, and what is wrong with that.
func (j *judged) outcome(i int) (how, wrong string) {
	w := j.planted.Want[i]
	is := func(f finding.Finding) bool {
		return f.Rule == w.Rule && f.Round == w.Round && f.Verdict != finding.Unauditable
	}
	atSeat := func(f finding.Finding) bool { return is(f) && (f.Seat == w.Seat || f.Seat == 0 || w.Seat == 0) }
	name := fmt.Sprintf("%s round:%d", w.Rule, w.Round)
	switch {
	case slices.ContainsFunc(j.emitted, atSeat):
		return "reported", ""
	case j.covered(name):
		return "covered", ""
	case slices.ContainsFunc(j.emitted, is):
		return "reported at the seat that the other fault made it", ""
	case slices.ContainsFunc(j.raw, is):
		return "lost", fmt.Sprintf("%s beside %s is neither reported nor covered", w.Rule, j.planted.Want[1-i].Rule)
	case len(j.planted.Shared) > 0:
		return "undone by the other fault", ""
	}
	other := j.planted.Want[1-i].Rule
	return "not found", fmt.Sprintf("%s is not found beside %s, which changed nothing of it", w.Rule, other)
}

// lost are the findings that the rules give and that are neither emitted nor covered.
func (j *judged) lost() []string {
	var lost []string
	for i := range j.raw {
		f := &j.raw[i]
		name := f.Rule
		if f.Round != 0 {
			name += fmt.Sprintf(" round:%d", f.Round)
		}
		if f.Subject != "" {
			name += " " + f.Subject
		}
		emitted := slices.ContainsFunc(j.emitted, func(e finding.Finding) bool { return e.ID == f.ID })
		if !emitted && f.Verdict != finding.Unauditable && !j.covered(name) {
			lost = append(lost, fmt.Sprintf("a finding of %s is lost", f.Rule))
		}
	}
	return lost
}

// covered reports whether an emitted finding names a finding with this prefix.
func (j *judged) covered(name string) bool {
	return slices.ContainsFunc(j.emitted, func(f finding.Finding) bool {
		return slices.ContainsFunc(f.Covers, func(c string) bool { return c == name || strings.HasPrefix(c, name+" ") })
	})
}

func (j *judged) String() string {
	text := fmt.Sprintf("%s and %s, seed %d, want %v, both changed %q; emitted:",
		j.pair.First.Rule, j.pair.Second.Rule, j.seed, j.planted.Want, j.planted.Shared)
	for i := range j.emitted {
		if f := &j.emitted[i]; f.Severity.String() != "info" {
			text += fmt.Sprintf("\n\t%s, covers %q", line(f), f.Covers)
		}
	}
	return text
}
