package detectors

import (
	"fmt"
	"math"
	"strings"
)

// Odds says in words how rarely honest play gives so much evidence.
func (a *Alarm) Odds() string {
	switch {
	case a.Certain:
		return "a fact, or a reading that is wrong"
	case a.Detector.Starts == nil:
		return fmt.Sprintf("outside the promise: against the key's own past, one in %s", grouped(math.Exp(a.LnE)))
	}
	// A threshold that is passed by ln e - ln A is passed that much more rarely.
	p := a.promise
	years := p.TableYears / (p.FalseAlarms / shared / float64(len(a.Detector.Keys))) * math.Exp(min(a.LnE-a.LnThreshold, 300))
	return fmt.Sprintf("under honest play so much evidence is met less than once in %s table-years", grouped(years))
}

// Expected says what honest play gives.
func (a *Alarm) Expected() string {
	if a.Certain || a.Effect.Times == 0 {
		return a.Detector.Null
	}
	return fmt.Sprintf("%s: about %.1f of %d", a.Detector.Null, a.Effect.Due, a.Effect.Times)
}

// Observed says what was seen and where to look. It accuses nobody.
func (a *Alarm) Observed() string {
	var s strings.Builder
	if a.Note != "" {
		s.WriteString(a.Note)
	} else {
		fmt.Fprintf(&s, "%s: %s", a.Detector.Name, a.Detector.Looks)
	}
	if a.Effect.Times > 0 && !a.Certain {
		low, high := a.Effect.Interval()
		fmt.Fprintf(&s, "; %s of %d, %.1f due", decimal(a.Effect.Seen), a.Effect.Times, a.Effect.Due)
		if low > 0 || high < 0 {
			fmt.Fprintf(&s, ", that is %+.3f to %+.3f a round beside what is due (99.9 %%, at whatever moment one looks)", low, high)
		}
	}
	fmt.Fprintf(&s, "; over %d rounds", a.Rounds)
	if a.Money != 0 {
		fmt.Fprintf(&s, "; money at issue %d minor units", a.Money)
	}
	if len(a.Top) > 0 && !a.Certain {
		s.WriteString("; look here: ")
		for i, w := range a.Top {
			if i > 0 {
				s.WriteString(", ")
			}
			if w.Place.Round == 0 {
				fmt.Fprintf(&s, "shoe %s", w.Place.Shoe)
			} else {
				fmt.Fprintf(&s, "shoe %s round %d", w.Place.Shoe, w.Place.Round)
			}
		}
	}
	return s.String()
}

// decimal writes whole numbers without a fraction.
func decimal(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// grouped writes a large number so that a person can read it.
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
