package finding

import (
	"cmp"
	"slices"
)

// Exception reports whether an auditor must explain a finding: its severity is minor or above. This is the one
// definition of reports, spreadsheets and bundles. What cannot be audited for want of a sensor is info, and no
// exception.
func (f *Finding) Exception() bool { return f.Severity >= Minor }

// Exceptions returns the exceptions of findings by gaming day, in the order of Sort, and their numbers. Numbers start
// at 1 on each gaming day and have no gap, so they are those of all findings of the day.
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
