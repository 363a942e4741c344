package nightly

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
)

// movedSince is how long before a day a table may have moved to another partition that differences follow from it. Each
// run reads the partitions of all events since then.
const movedSince = 7 * 24 * int64(time.Hour)

// moved reports the tables whose records moved to another partition on the day.
func (r *run) moved(w window, all []engine.Moved) (found []finding.Finding) {
	for i := range all {
		if at := all[i].At; at >= w.from && at < w.until {
			found = append(found, r.Engine.Moved(&all[i]))
		}
	}
	return found
}

// because names what may be the cause of the differences at a table to its live audit: its partitions, and another
// rulebook.
func (r *run) because(ctx context.Context, w window, m *merged, found []finding.Finding) error {
	if !slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == "feed.reconcile" }) {
		return nil
	}
	live, err := r.store.LiveRulebooks(ctx, r.Property, w.from, w.until)
	if err != nil {
		return err
	}
	cause := map[string]string{}
	for i := range m.moved {
		if of := &m.moved[i]; cause[of.TableID] == "" {
			cause[of.TableID] = fmt.Sprintf("; the events of the table are in partitions %d and %d, and the live audit of each "+
				"does not have those of the other", of.From, of.To)
		}
	}
	for i := range m.tables {
		t := &m.tables[i]
		others := slices.DeleteFunc(live[t.Table], func(book string) bool { return slices.Contains(t.Books, book) })
		if len(others) > 0 && len(t.Books) > 0 {
			cause[t.Table] += fmt.Sprintf("; the live audit was under the rulebook %s, the run is under %s",
				strings.Join(others, ", "), strings.Join(t.Books, ", "))
		}
	}
	for i := range found {
		if f := &found[i]; f.Rule == "feed.reconcile" {
			f.Observed += cause[f.TableID]
		}
	}
	return nil
}
