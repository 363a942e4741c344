// Package retention is the work of audit retention and audit hold list: it lists records that are older than their
// retention and deletes them unless they are under a legal hold.
package retention

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// Options are the input of a run.
type Options struct {
	Classes    []clickhouse.Class
	Apply      bool      // delete
	Holder     string    // of the lease, for others that find this process at work
	Out, Notes io.Writer // the list, and the records that a hold keeps
}

// Run lists expired records, or deletes them.
func Run(ctx context.Context, store *clickhouse.Store, o Options) error {
	now := time.Now()
	expired, err := store.Expired(ctx, o.Classes, now)
	if err != nil {
		return err
	}
	if !o.Apply {
		return printExpired(o.Out, expired)
	}
	for _, e := range expired {
		for _, h := range e.Held {
			fmt.Fprintf(o.Notes, "kept     %s of %s: hold %s of %s\n", e.Month, e.Table, h.ID, output.Plain(h.Property))
		}
	}
	return store.Delete(ctx, o.Classes, now, o.Holder, func(e clickhouse.Expired) {
		fmt.Fprintf(o.Out, "deleted  %s: %s\n", what(&e), schema.Count(e.Rows, "row"))
	})
}

// CheckHold returns an error for a legal hold that is not complete.
func CheckHold(h *clickhouse.Hold) error {
	_, first := time.Parse(time.DateOnly, h.From)
	_, last := time.Parse(time.DateOnly, h.Until)
	switch {
	case h.Property == "" || first != nil || last != nil || h.Actor == "" || h.Reason == "":
		return errors.New("want --property, --by, --reason, and --from and --to as gaming days such as 2026-01-31")
	case h.From > h.Until:
		return fmt.Errorf("--from %s is after --to %s", h.From, h.Until)
	}
	return nil
}

// LogHold appends to the console log that a legal hold was placed or released. The chain of the log shows a hold that
// is changed or deleted later.
func LogHold(ctx context.Context, s *clickhouse.Store, action string, h *clickhouse.Hold, now func() time.Time) error {
	user := cli.User()
	err := store.On(s, now).Log(ctx, store.Entry{
		PropertyID: h.Property, At: now().UTC(), Actor: user, Action: action, Object: h.ID, Detail: h.LogText(),
		Who: store.Who{Issuer: "system", Subject: user, Method: "command"},
	})
	if err != nil {
		return fmt.Errorf("legal hold %s is stored and not in the log (release it and place it again): %w", h.ID, err)
	}
	return nil
}

// PrintHolds prints legal holds.
func PrintHolds(out io.Writer, holds []clickhouse.Hold) error {
	w := output.NewTabs(out, "BY", "PLACED", "PROPERTY")
	fmt.Fprintln(w, "HOLD\tPROPERTY\tFROM\tTO\tPLACED\tBY\tREASON")
	for _, h := range holds {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", h.ID, output.Plain(h.Property), h.From, h.Until,
			h.Placed.UTC().Format(time.RFC3339), output.Plain(h.Actor), output.Plain(h.Reason))
	}
	return w.Flush()
}

// what describes expired records.
func what(e *clickhouse.Expired) string {
	if e.Month != "" {
		return e.Table + " of " + e.Month
	}
	return e.Table + " before " + e.Before
}

func printExpired(out io.Writer, expired []clickhouse.Expired) error {
	if len(expired) == 0 {
		_, err := fmt.Fprintln(out, "nothing is older than its retention")
		return err
	}
	w := output.NewTabs(out, "CLASS", "BYTES")
	fmt.Fprintln(w, "CLASS\tWHAT\tROWS\tBYTES\tLEGAL HOLD")
	for i := range expired {
		e := &expired[i]
		var held []string
		for _, h := range e.Held {
			held = append(held, fmt.Sprintf("%s: %s", h.ID, output.Plain(h.Reason)))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", e.Class, what(e), e.Rows, e.Bytes, strings.Join(held, "; "))
	}
	return w.Flush()
}
