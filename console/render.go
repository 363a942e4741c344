package console

import (
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// clock is how times are written: the zone and the layouts of a time of day.
type clock struct {
	zone                *time.Location
	minute, second, all string
}

// Names of clocks, the values of a cookie; another value is the property's clock of 24 hours.
const twelveHours, utcHours = "12", "utc"

func (c *Console) clockOf(name string) clock {
	k := clock{c.Law.Calendar.Zone, "15:04", "15:04:05", timecodeLayout}
	switch name {
	case twelveHours:
		k.minute, k.second, k.all = "3:04 PM", "3:04:05 PM", "2006-01-02 3:04:05.000 PM MST"
	case utcHours:
		k.zone = time.UTC
	}
	return k
}

// templates parses each page together with the shared parts.
func (c *Console) templates(web fs.FS, k clock) (map[string]*template.Template, error) {
	base, err := template.New("").Funcs(c.funcs(k)).ParseFS(web, "parts/*.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(web, "pages/*.html")
	if err != nil {
		return nil, err
	}
	all := map[string]*template.Template{}
	for _, name := range names {
		t, err := base.Clone()
		if err != nil {
			return nil, err
		}
		t.Funcs(template.FuncMap{"queuerow": c.rowDrawer(t, k)})
		if t, err = t.ParseFS(web, name); err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return all, nil
}

func (c *Console) funcs(k clock) template.FuncMap {
	in := func(layout string) func(time.Time) string {
		return func(t time.Time) string { return t.In(k.zone).Format(layout) }
	}
	return template.FuncMap{
		"money":     formatMoney,
		"cash":      cash,
		"signed":    signed,
		"hm":        in(k.minute),
		"clipped":   clipped,
		"people":    people,
		"headline":  headline,
		"ago":       func(t time.Time) string { return ago(c.Now().Sub(t)) },
		"clock":     in(k.second),
		"date":      in("Mon 2 Jan"),
		"local":     in(k.all),
		"zone":      in("MST"),
		"magnitude": func(n int64) int64 { return max(n, -n) },
		"utc":       func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") },
		"ms":        func(t time.Time) int64 { return t.UnixMilli() },
		"day":       store.Day,
		"words":     words,
		"short":     short,
		"parts":     func(s string) []string { return strings.Split(inCurrency(s), "; ") },
		"asset":     func(name string) string { return "/static/" + name + "?v=" + c.static[name].hash },
		"esc":       url.PathEscape,
		"dict":      dict,
		"list":      func(v ...any) []any { return v },
		"add":       func(a, b int) int { return a + b },
		"pct":       func(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) + "\u00a0%" },
		"per1k":     func(v float64) string { return strconv.FormatFloat(1000*v, 'f', 1, 64) },
		"f1":        func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
		"span":      func(seconds float64) string { return ago(time.Duration(seconds * float64(time.Second))) },
		"tableURL":  func(property, table string) string { return pathOf("tables", property, table) },
		"shoeURL":   func(property, table, shoe string) string { return pathOf("shoes", property, table, shoe) },
		"roundURL":  roundPath,
		"caseURL":   func(property, id string) string { return pathOf("cases", property, id) },
		"kinds":     subjectKinds,
		"did":       did,
		"dealerURL": func(property, dealer string) string { return pathOf("dealers", property, dealer) },
		"patronURL": func(property, patron string) string { return pathOf("patrons", property, patron) },
		"where":     where,
		"old":       func(t time.Time) bool { return isOld(c.Now(), t) },
		"acted":     acted,
		"noted":     rows.Noted,
		"patronsOf": patronsOf,
		"queueURL":  queueURL,
		"requires":  requirement,
		"severity":  severity,
		"detector":  detectorName,
		"count":     count,
		"doc":       docOf,
	}
}

// pathOf joins the escaped segments of a path.
func pathOf(segments ...string) string {
	var path strings.Builder
	for _, s := range segments {
		path.WriteString("/" + url.PathEscape(s))
	}
	return path.String()
}

// dict returns a map of its arguments, which are name, value pairs.
func dict(args ...any) (map[string]any, error) {
	m := map[string]any{}
	for i := 0; i+1 < len(args); i += 2 {
		name, ok := args[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is not a name", args[i])
		}
		m[name] = args[i+1]
	}
	return m, nil
}

// where names the pit of a table, after its property if it is one of several.
func where(property, pit string, several bool) string {
	if several {
		return strings.TrimSpace(property + " " + pit)
	}
	return pit
}

// isOld reports whether a time of day alone would leave the day open.
func isOld(now, t time.Time) bool { return now.Sub(t) >= 20*time.Hour }

// acted is an action of triage in words. The store keeps the assignee, and the action that was undone, as the note.
func acted(action, note string) string {
	switch {
	case action == store.Assign && note == "":
		return "unassign"
	case action == store.Assign:
		return "assign to " + note
	case action == store.Undo:
		return "undo " + note
	}
	return action
}

// patronsOf are the codes of the patrons whom a suspicion is about.
func patronsOf(subject string) []string {
	if kind, codes, ok := strings.Cut(subject, ":"); ok && (strings.Contains(kind, "patron") || kind == "pair") {
		return slices.DeleteFunc(strings.Split(codes, "+"), func(code string) bool { return !isCode(code) })
	}
	return nil
}

// queueURL is the queue with filters, which are name, value pairs.
func queueURL(filters ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(filters); i += 2 {
		v.Set(filters[i], filters[i+1])
	}
	return "/queue?" + v.Encode()
}

// severity returns one of the four severities, whatever the row has, because it becomes a class of HTML.
func severity(s string) string {
	switch s {
	case "critical", "major", "minor":
		return s
	}
	return "info"
}

// words formats a stored identifier for display.
func words(s string) string {
	return strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(s))
}

// clipped shortens a name for a drawing of a width, with a margin, in letters of a width. The names of one table differ
// at their end.
func clipped(name string, width float64, letter int) string {
	const margin = 8
	switch most := int(width-margin) / letter; {
	case len(name) <= most:
		return name
	case most < 4: // too little to recognize
		return ""
	default:
		return "…" + strings.ToValidUTF8(name[len(name)-most+1:], "")
	}
}

// short returns the first eight characters of an id.
func short(s string) string {
	if len(s) > 8 {
		return s[:8]
	}
	return s
}

// ago formats a duration in its largest units.
func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// docOf describes a rule or a detector; it is empty for other names.
func docOf(name string) string {
	if d := detectorOf(name); d != nil {
		return "Observes " + d.Observes + ". An alarm reports " + d.Reports + "."
	}
	for _, r := range rules.All() {
		if r.Name == name {
			return r.Doc
		}
	}
	return ""
}

// requirement is what a rule demands, and what a detector is called; it is empty for other names.
func requirement(name string) string {
	if d := detectorOf(name); d != nil {
		return "Suspicion of " + d.Name
	}
	return docOf(name)
}

// detectorName returns the display name of a detector; it is empty for a rule, whose name is its display name.
func detectorName(name string) string {
	if d := detectorOf(name); d != nil {
		return d.Name
	}
	return ""
}

func detectorOf(id string) *detectors.Detector {
	for _, d := range detectors.All() {
		if d.ID == id {
			return d
		}
	}
	return nil
}
