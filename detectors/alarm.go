package detectors

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/numeric"
	"github.com/shoeproof/shoeproof/schema"
)

// Alarm is the content of an anomaly finding.
type Alarm struct {
	Detector *Detector
	Key      Key
	// Location is the round that raised the alarm, Since the first round with evidence.
	Location, Since Location
	// LnE is the evidence, LnThreshold the threshold that it reached. Both are 0 for a certain fact.
	LnE, LnThreshold float64
	Certain, Info    bool
	Note             string
	Rounds           int
	Money            int64
	// Top are the rounds with the strongest evidence, strongest first.
	Top []Weight

	effect effect
	budget *Budget
}

// Odds describes how rarely honest play gives this much evidence.
func (a *Alarm) Odds() string {
	switch {
	case a.Certain:
		return "no odds: a fact, or a wrong reading"
	case a.Detector.Starts == nil:
		return "outside the false-alarm budget: relative to the history of the key, one in " + grouped(numeric.Exp(a.LnE))
	}
	// Evidence of ln e is e^(ln e - ln A) times rarer than the threshold A.
	b := a.budget
	years := b.TableYears / (b.FalseAlarms / sharing / float64(len(a.Detector.Keys)))
	years *= numeric.Exp(min(a.LnE-a.LnThreshold, 300))
	return fmt.Sprintf("under honest play, evidence this strong occurs less than once in %s table-years", grouped(years))
}

// Expected describes honest play.
func (a *Alarm) Expected() string {
	if a.Certain || a.effect.Times == 0 {
		return a.Detector.Null
	}
	return fmt.Sprintf("%s; about %.1f of %d expected", a.Detector.Null, a.effect.Expected, a.effect.Times)
}

// maxReview is the number of rounds that Observed lists by name. Alarm.Top has the others.
const maxReview = 5

// Observed describes the observation, with money in a currency, and lists the rounds to review. It accuses no person.
func (a *Alarm) Observed(currency string) string {
	var s strings.Builder
	if a.Note != "" {
		s.WriteString(a.Note)
	} else {
		fmt.Fprintf(&s, "%s: %s", a.Detector.Name, a.Detector.Observes)
	}
	if a.effect.Times > 0 && !a.Certain {
		low, high := a.effect.interval()
		fmt.Fprintf(&s, "; observed %s of %d, expected %.1f", decimal(a.effect.Observed), a.effect.Times, a.effect.Expected)
		if low > 0 || high < 0 {
			fmt.Fprintf(&s, ", a difference of %+.3f to %+.3f a round (99.9 %% confidence at any time)", low, high)
		}
	}
	if !a.Certain {
		s.WriteString("; over " + schema.Count(a.Rounds, "round"))
	}
	if a.Money != 0 {
		fmt.Fprintf(&s, "; money at issue %s", schema.Money(a.Money, currency))
	}
	if len(a.Top) > 0 && !a.Certain {
		s.WriteString("; review ")
		for i := range min(a.carrying(), maxReview) {
			if i > 0 {
				s.WriteString(", ")
			}
			s.WriteString(a.Top[i].Location.text())
		}
		if more := a.carrying() - maxReview; more > 0 {
			fmt.Fprintf(&s, " and %d more", more)
		}
	}
	return s.String()
}

// carrying is the number of rounds in Top with at least a tenth of the evidence of the strongest.
func (a *Alarm) carrying() int {
	n := slices.IndexFunc(a.Top, func(w Weight) bool { return w.LnE < a.Top[0].LnE/10 })
	if n < 0 {
		return len(a.Top)
	}
	return n
}

// text names the round, or the shoe.
func (l *Location) text() string {
	if l.Round == 0 {
		return "shoe " + l.Shoe
	}
	return fmt.Sprintf("shoe %s round %d", l.Shoe, l.Round)
}

// decimal writes whole numbers without a fraction.
func decimal(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// grouped writes a large number in words.
func grouped(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e15, "million billion"}, {1e12, "thousand billion"}, {1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}} {
		if v >= unit.size {
			return fmt.Sprintf("%.3g %s", v/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}
