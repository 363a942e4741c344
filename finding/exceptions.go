package finding

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Exception reports whether an auditor must explain a finding: its severity is minor or above. This is the one
// definition of reports, spreadsheets and bundles. What cannot be audited for want of a sensor is info, and no
// exception.
func (f *Finding) Exception() bool { return f.Severity >= Minor }

// Exceptions returns the exceptions of findings by gaming day, in the order of Sort, and their numbers. Numbers start
// at 1 on each gaming day and have no gap, so they are the numbers of all findings of the day.
func Exceptions(findings []Finding) (list []Finding, numbers []int) {
	for i := range findings {
		if findings[i].Exception() {
			list = append(list, findings[i])
		}
	}
	Sort(list)
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.GamingDay, b.GamingDay) })
	list = slices.CompactFunc(list, func(a, b Finding) bool { return a.ID == b.ID })
	for i := range list {
		if i == 0 || list[i].GamingDay != list[i-1].GamingDay {
			numbers = append(numbers, 1)
			continue
		}
		numbers = append(numbers, numbers[i-1]+1)
	}
	return list, numbers
}

// Unjudged is what could not be audited for want of one sensor, or because events are missing.
type Unjudged struct {
	Sensor   string
	Findings int
	Rules    []string
	Tables   []string
}

// missingEvents is the Sensor of findings that lack events, not a sensor.
const missingEvents = "events are missing or cannot be used"

// NotAuditable groups the findings with the verdict UNAUDITABLE by sensor. This is the one definition of the section
// "not auditable" of reports, spreadsheets and bundles.
func NotAuditable(findings iter.Seq[*Finding]) []Unjudged {
	type group struct {
		findings      int
		rules, tables map[string]bool
	}
	groups := map[string]*group{}
	for f := range findings {
		if f.Verdict != Unauditable {
			continue
		}
		sensor, lacks := strings.CutPrefix(f.Observed, "the table does not report ")
		if !lacks {
			sensor = missingEvents
		}
		g := groups[sensor]
		if g == nil {
			g = &group{0, map[string]bool{}, map[string]bool{}}
			groups[sensor] = g
		}
		g.findings++
		g.rules[f.Rule], g.tables[f.TableID] = true, true
	}
	var all []Unjudged
	for _, sensor := range slices.Sorted(maps.Keys(groups)) {
		g := groups[sensor]
		all = append(all, Unjudged{sensor, g.findings, slices.Sorted(maps.Keys(g.rules)), slices.Sorted(maps.Keys(g.tables))})
	}
	return all
}
