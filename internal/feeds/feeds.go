// Package feeds prints the state of the feed of each table: its last event, and the events that wait for a missing one.
package feeds

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Print writes feeds as a table or as NDJSON, with their state at a time.
func Print(out io.Writer, format string, feeds []clickhouse.TableFeed, now time.Time) error {
	if format == "ndjson" {
		enc := json.NewEncoder(out)
		for i := range feeds {
			if err := enc.Encode(struct {
				State string `json:"state"`
				*clickhouse.TableFeed
			}{feeds[i].State(now), &feeds[i]}); err != nil {
				return err
			}
		}
		return nil
	}
	w := output.NewTabs(out, "KIND", "SINCE", "PIT", "PROPERTY", "EVENTS")
	fmt.Fprintln(w, "PROPERTY\tPIT\tTABLE\tSTATE\tLAST EVENT\tKIND\tRECEIVED\tWAITS FOR\tEVENTS\tSINCE")
	for i := range feeds {
		f := &feeds[i]
		missing, events, since := "-", "-", "-"
		if f.Events > 0 {
			missing, events, since = fmt.Sprint(f.Missing), fmt.Sprint(f.Events), f.Since.UTC().Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", output.Plain(f.PropertyID), output.Plain(f.PitID),
			output.Plain(f.TableID), f.State(now), f.Seq, f.Kind, f.ReceivedAt.UTC().Format(time.DateTime), missing, events,
			since)
	}
	return w.Flush()
}
