package conform

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/schema"
)

// maxPrinted is the number of problems of a list that the text names.
const maxPrinted = 20

// WriteJSON prints the report for programs.
func (r *Report) WriteJSON(out io.Writer) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteText prints the report for people; with rules it names the rules of each feed.
func (r *Report) WriteText(out io.Writer, rules bool) error {
	w := &printer{out: out}
	w.line("read %s of %s: %s, %s", schema.Count(r.Records, "record"), strings.Join(r.Files, ", "),
		schema.Count(r.Events, "event"), schema.Count(len(r.Tables), "table"))
	w.problems("unreadable: these records are left out", r.Unreadable)
	for i := range r.Tables {
		w.table(&r.Tables[i], rules)
	}
	verdict := "it keeps the contract"
	if !r.Conforms {
		verdict = "it does not keep the contract"
	}
	w.line("\nresult: %s (%s)", verdict, r.Engine)
	return w.err
}

// printer writes lines and keeps the first error.
type printer struct {
	out io.Writer
	err error
}

func (w *printer) line(layout string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = output.Plain(text)
		}
	}
	if _, err := fmt.Fprintf(w.out, layout+"\n", args...); err != nil && w.err == nil {
		w.err = fmt.Errorf("print the report: %w", err)
	}
}

func (w *printer) table(t *Table, rules bool) {
	w.line("\ntable %s/%s: %s, seq %d to %d, %s, %s", t.PropertyID, t.TableID, schema.Count(t.Events, "event"),
		t.FirstSeq, t.LastSeq, schema.Count(t.Shoes, "shoe"), schema.Count(t.Rounds, "round"))
	w.line("  time        %s to %s", t.FirstAt, t.LastAt)
	w.line("  order       %d repeated, %d out of order (at most %s late)", t.Repeated, t.OutOfOrder,
		schema.Count(t.Furthest, "position"))
	kinds := slices.Sorted(maps.Keys(t.Kinds))
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%s %d", k, t.Kinds[k])
	}
	w.line("  kinds       %s", strings.Join(kinds, ", "))
	for i := range t.Configurations {
		w.configuration(&t.Configurations[i], rules)
	}
	w.problems("faults: they break the contract", t.Faults)
	w.problems("notes", t.Notes)
	w.problems("what the audit reports about the play: compare it with the video", t.Play)
}

func (w *printer) configuration(c *Configuration, rules bool) {
	w.line("  configured  %s %s, from %s: rules judged %d of %d, without a feed %d, shown by no event %d", c.Rulebook,
		c.Game, c.Where, c.Judged, c.Rules, c.Rules-c.Judged-c.NoEvent, c.NoEvent)
	table := output.NewTabs(w.out)
	fmt.Fprintln(table, "    FEED\tDECLARED\tEVENTS\tRULES")
	for i := range c.Feeds {
		f := &c.Feeds[i]
		declared, judged := "yes", fmt.Sprintf("%d judged", len(f.Rules))
		if !f.Declared {
			declared, judged = "no", fmt.Sprintf("%d more, if it is declared", len(f.Rules))
		}
		fmt.Fprintf(table, "    %s\t%s\t%d\t%s\n", f.Feed, declared, f.Events, judged)
		if rules {
			for _, name := range f.Rules {
				fmt.Fprintf(table, "    \t\t\t%s\n", name)
			}
		}
	}
	if err := table.Flush(); err != nil && w.err == nil {
		w.err = fmt.Errorf("print the report: %w", err)
	}
}

func (w *printer) problems(title string, list []Problem) {
	if len(list) == 0 {
		return
	}
	w.line("  %s", title)
	shown := min(len(list), maxPrinted)
	for i := range list[:shown] {
		p := &list[i]
		text := p.Text
		if p.Rule != "" {
			text = p.Rule + ": " + text
		}
		if len(p.Feeds) > 0 {
			text = fmt.Sprintf("%s (%s, needs %s)", text, p.Verdict, strings.Join(p.Feeds, ", "))
		}
		w.line("    %dx  %s: %s", p.Count, p.Where, text)
	}
	if more := len(list) - shown; more > 0 {
		w.line("    and %d more, see -o json", more)
	}
}
