package console

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
)

// filter parses the filter of the queue from the query of the URL. An unknown name is an error, because a mistyped
// filter must not look like an empty queue.
func (x *exchange) filter() (f store.Filter, grouped bool, err error) {
	return x.filterOf(x.r.URL.Query())
}

func (x *exchange) filterOf(query url.Values) (f store.Filter, grouped bool, err error) {
	const maxValue = 200
	grouped, f.High = true, x.c.High
	texts := map[string]*string{
		"property": &f.Property, "pit": &f.Pit, "table": &f.Table, "shoe": &f.Shoe, "dealer": &f.Dealer, "rule": &f.Rule,
		"severity": &f.Severity, "verdict": &f.Verdict, "basis": &f.Basis, "kind": &f.Kind,
		"state": &f.State, "owner": &f.Owner,
		"day": &f.Day, "shift": &f.Shift, "fp": &f.Fingerprint, "q": &f.Text,
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		value := strings.TrimSpace(values[0])
		if len(values) > 1 || len(value) > maxValue {
			return f, grouped, badRequest("filter %s: want one value of at most %d characters", name, maxValue)
		}
		switch name {
		case "silenced", "shelved": // shelved is the former name
			f.Silenced = f.Silenced || value == "1"
		case "before": // of the closed findings
		case "from", "to", "min", "sort", "after":
			if err = x.c.bound(&f, name, value); err != nil {
				return f, grouped, err
			}
		case "group":
			grouped = value != "off"
		case "limit":
			if f.Limit, err = parseLimit(value); err != nil {
				return f, grouped, err
			}
		default:
			into := texts[name]
			if into == nil {
				return f, grouped, badRequest("unknown filter %q", name)
			}
			*into = value
		}
	}
	if f.Owner == "me" {
		f.Owner = x.user.Name
	}
	return f, grouped, x.c.checkFilter(&f)
}

// bound sets a bound or the order of a filter. A day begins at midnight; to is its end.
func (c *Console) bound(f *store.Filter, name, value string) error {
	if value == "" {
		return nil
	}
	switch name {
	case "min":
		n, ok := minorUnits(value, "USD")
		if !ok {
			return badRequest("min %q: want an amount such as 5,000", value)
		}
		f.MinAmount = n
	case "sort":
		if !slices.Contains(store.Orders(), value) {
			return badRequest("sort %q: want %s", value, strings.Join(store.Orders(), ", "))
		}
		f.Order = value
	case "after":
		place, ok := store.ParsePlace(value)
		if !ok {
			return badRequest("after %q: want the cursor of the page before", value)
		}
		f.After = place
	default:
		into, add := &f.From, 0
		if name == "to" {
			into, add = &f.To, 1
		}
		day, err := time.ParseInLocation(time.DateOnly, value, c.Law.Calendar.Zone)
		if err != nil {
			if *into, err = time.Parse(time.RFC3339, value); err != nil {
				return badRequest("%s %q: want a day such as 2026-11-19 or a time such as 2026-11-19T23:00:00Z", name, value)
			}
			return nil
		}
		*into = day.AddDate(0, 0, add)
	}
	return nil
}

// checkFilter refuses a value that no finding can have. Names of tables and people are not checked.
func (c *Console) checkFilter(f *store.Filter) error {
	basis, _, _ := strings.Cut(f.Basis, ":")
	shifts := []string{}
	for _, s := range c.Law.Calendar.Shifts {
		shifts = append(shifts, s.Name)
	}
	for _, w := range []struct {
		name, value string
		want        []string
	}{
		{"severity", f.Severity, []string{"critical", "major", "minor", "info"}},
		{"verdict", f.Verdict, texts(finding.Breach, finding.Suspect, finding.Unauditable, finding.Information)},
		{"kind", f.Kind, texts(finding.Deviation, finding.Anomaly, finding.DataFault, finding.Notice)},
		{"basis", basis, []string{"text", "by-reference", "not-in-force", "assumed", "adopted"}},
		{"state", f.State, store.States()},
		{"shift", f.Shift, shifts},
	} {
		if w.value != "" && !slices.Contains(w.want, w.value) {
			return badRequest("%s %q: want %s", w.name, w.value, strings.Join(w.want, ", "))
		}
	}
	if _, err := time.Parse(time.DateOnly, f.Day); f.Day != "" && err != nil {
		return badRequest("day %q: want a day such as 2026-11-19", f.Day)
	}
	if !isRule(f.Rule) {
		return badRequest("rule %q: want a rule, a detector, or a family such as draw; the page Rules lists them", f.Rule)
	}
	return nil
}

func texts[T ~string](words ...T) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

// isRule reports whether findings can have a rule: a rule, a detector, a finding of the feed or of the machine, or a
// family of them. No rule is permitted too.
func isRule(name string) bool {
	family, _, _ := strings.Cut(name, ".")
	if name == "" || family == "feed" || family == "review" || detectorOf(name) != nil {
		return true
	}
	return slices.ContainsFunc(rules.All(), func(r *rules.Rule) bool {
		return r.Name == name || strings.HasPrefix(r.Name, name+".")
	})
}

// ruleNames returns the names of all rules.
func ruleNames() []string {
	all := rules.All()
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.Name
	}
	return names
}
