package console

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// Exports locates the bundles of audit export and configures their verification.
type Exports struct {
	Folder string // empty if the console has no access to it
	Policy *export.Policy
	// Log writes the surveillance log of 9 NYCRR 5314.3 as CSV, for a gaming day or for one shift of it.
	Log func(ctx context.Context, property, day, shift string, out io.Writer) error
}

// bundle is an entry of the list of exports.
type bundle struct {
	clickhouse.Export
	Exists bool // in the folder, so that it can be downloaded and verified
}

// bundles returns the exports in the scope of the user, the latest first, and the properties.
func (c *Console) bundles(x *exchange) ([]bundle, []string, error) {
	properties, err := c.properties(x, x.scope())
	if err != nil {
		return nil, nil, err
	}
	all, err := c.bundlesOf(x, properties)
	return all, properties, err
}

// bundlesOf returns the exports of properties, the latest first.
func (c *Console) bundlesOf(x *exchange, properties []string) (all []bundle, err error) {
	for _, p := range properties {
		rows, err := c.Store.Exports(x.r.Context(), p)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			_, err := c.stat(r.Name)
			all = append(all, bundle{r, err == nil})
		}
	}
	return all, nil
}

// stat finds a bundle in the folder. A name that is a path is not found.
func (c *Console) stat(name string) (fs.FileInfo, error) {
	if c.Exports.Folder == "" || name == "" || filepath.Base(name) != name || !filepath.IsLocal(name) {
		return nil, fs.ErrNotExist
	}
	return os.Lstat(filepath.Join(c.Exports.Folder, name))
}

// bundle returns the export that a request names, if it exists and is in scope.
func (c *Console) bundle(x *exchange, property, name string) (clickhouse.Export, fs.FileInfo, error) {
	if !x.scope().Has(property) {
		return clickhouse.Export{}, nil, store.ErrNotFound
	}
	rows, err := c.Store.Exports(x.r.Context(), property)
	if err != nil {
		return clickhouse.Export{}, nil, err
	}
	for _, r := range rows {
		if r.Name != name {
			continue
		}
		info, err := c.stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = store.ErrNotFound
		}
		return r, info, err
	}
	return clickhouse.Export{}, nil, store.ErrNotFound
}

func exportsPage(c *Console, x *exchange) error {
	all, properties, err := c.bundles(x)
	if err != nil {
		return err
	}
	day, shift := c.Law.Calendar.Of(c.Now().UnixNano())
	var shifts []string
	for _, s := range c.Law.Calendar.Shifts {
		shifts = append(shifts, s.Name)
	}
	return x.page("exports", "Exports", map[string]any{
		"Bundles": all, "Properties": properties, "Folder": c.Exports.Folder != "", "Verifies": c.Exports.Policy != nil,
		"Logs": c.Exports.Log != nil, "Day": day, "Shift": shift, "Shifts": shifts,
	})
}

// download sends a bundle that is one file. It writes the console log first and refuses if that fails.
func download(c *Console, x *exchange) error {
	property, name := x.r.PathValue("property"), x.r.PathValue("name")
	row, info, err := c.bundle(x, property, name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return badRequest("%s is a folder on the machine of the console. Copy it from there.", name)
	}
	f, err := os.Open(filepath.Join(c.Exports.Folder, name))
	if err != nil {
		return fmt.Errorf("download an export: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := x.mustLog(property, "download", name, "manifest "+row.SHA256); err != nil {
		return err
	}
	limit := time.Minute + time.Duration(info.Size()/100_000)*time.Second // at least 100 kB/s
	if err := http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(limit)); err != nil {
		return fmt.Errorf("download an export: %w", err)
	}
	x.attach(name, "application/zip")
	http.ServeContent(x.w, x.r, "", info.ModTime(), f)
	return nil
}

func (x *exchange) attach(name, kind string) {
	x.w.Header().Set("Content-Type", kind)
	x.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

// verify verifies a bundle in its folder, as audit verify does.
func verify(c *Console, x *exchange) error {
	property, name := x.r.PostForm.Get("property"), x.r.PostForm.Get("name")
	row, _, err := c.bundle(x, property, name)
	if err != nil {
		return err
	}
	if c.Exports.Policy == nil {
		return badRequest("No policy is configured: console.exports.policy_file names the trusted keys.")
	}
	release, err := c.acquire(x.user.Who.Account()) // a large bundle costs as much as a replay
	if err != nil {
		return err
	}
	defer release()
	if err := http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(10 * time.Minute)); err != nil {
		return fmt.Errorf("verify an export: %w", err)
	}
	v, err := export.Verify(x.r.Context(), filepath.Join(c.Exports.Folder, name),
		export.VerifyOptions{Policy: c.Exports.Policy, Engine: c.Law.Version})
	if err != nil {
		return fmt.Errorf("verify an export: %w", err)
	}
	// The console does not know the state that a regulator accepted last: it verifies the bundle alone.
	sound := v.Code == export.Good
	listed := sound && v.Origin == row.Origin && v.Export == int64(row.Number) && v.Size == int64(row.LogSize) &&
		v.Root == row.LogRoot
	x.log(property, "verify", name, fmt.Sprintf("sound %t, listed %t, %s %s", sound, listed, v.Verdict, v.Failed))
	return x.page("verified", "Verification of "+name, map[string]any{
		"Verdict": v, "Row": row, "Sound": sound, "Listed": listed,
	})
}

// surveillanceLog sends the log of a shift. The log is complete in memory, and the download is logged, before the first
// byte is sent.
func surveillanceLog(c *Console, x *exchange) error {
	q := x.r.URL.Query()
	property, day, shift := q.Get("property"), q.Get("day"), q.Get("shift")
	if _, err := time.Parse(time.DateOnly, day); err != nil || c.Exports.Log == nil {
		return badRequest("day %q: want a gaming day such as 2026-11-19", day)
	}
	if err := x.exists(property); err != nil {
		return err
	}
	if err := c.checkFilter(&store.Filter{Shift: shift}); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := c.Exports.Log(x.r.Context(), property, day, shift, &out); err != nil {
		return err
	}
	if err := x.mustLog(property, "export", "surveillance-log", strings.TrimSpace(day+" "+shift)); err != nil {
		return err
	}
	name := strings.TrimSpace("surveillance-log " + property + " " + day + " " + shift)
	x.attach(strings.ReplaceAll(name, " ", "_")+".csv", "text/csv; charset=utf-8")
	_, _ = out.WriteTo(x.w)
	return nil
}

// findingsCSV sends the open findings of a filter.
func findingsCSV(c *Console, x *exchange) error {
	f, _, err := x.filter()
	if err != nil {
		return err
	}
	if f.Property != "" && !x.scope().Has(f.Property) {
		return store.ErrNotFound
	}
	rows, err := c.findingRows(x, f)
	if err != nil {
		return err
	}
	if err := x.mustLog(f.Property, "export", "findings.csv", x.r.URL.RawQuery); err != nil {
		return err
	}
	x.attach("findings.csv", "text/csv; charset=utf-8")
	out := csv.NewWriter(x.w)
	_ = out.Write([]string{
		"id", "state", "owner", "severity", "verdict", "basis", "rule", "property_id", "pit_id", "table_id", "shoe_id",
		"round", "seat", "dealer_id", "at", "gaming_day", "shift", "expected", "observed", "amount_minor", "currency",
		"closed_at", "closed_by", "confirmed_by", "disposition", "reason",
	})
	for i := range rows {
		o, closed := &rows[i], ""
		if !o.ClosedAt.IsZero() {
			closed = o.ClosedAt.UTC().Format(time.RFC3339Nano)
		}
		row := []string{
			o.ID, o.State, o.Owner, o.Severity, o.Verdict, o.Basis, o.Rule, o.PropertyID, o.PitID, o.TableID, o.ShoeID,
			fmt.Sprint(o.Round), fmt.Sprint(o.Seat), o.DealerID, o.At.UTC().Format(time.RFC3339Nano), store.Day(o.GamingDay),
			o.Shift, o.Expected, o.Observed, fmt.Sprint(o.Amount), o.Currency,
			closed, o.By, o.Confirmed, o.Disposition, o.Reason,
		}
		for i := range row {
			if i != amountColumn {
				row[i] = schema.Cell(row[i])
			}
		}
		_ = out.Write(row)
	}
	out.Flush()
	return nil
}

// amountColumn is a number, which may start with a minus.
const amountColumn = 19

// findingRows returns all findings that a filter selects, open ones, or closed ones if the filter selects that state.
func (c *Console) findingRows(x *exchange, f store.Filter) (rows []store.ClosedFinding, err error) {
	ctx, scope := x.r.Context(), x.scope()
	if f.State != store.Closed {
		f.Limit = store.All
		open, err := c.Store.Open(ctx, scope, f)
		for i := range open {
			rows = append(rows, store.ClosedFinding{OpenFinding: open[i]})
		}
		return rows, err
	}
	f.Limit = store.MaxRows
	for before := c.Now(); !before.IsZero() && err == nil; {
		var page []store.ClosedFinding
		page, before, err = c.Store.Closed(ctx, scope, f, before)
		rows = append(rows, page...)
	}
	return rows, err
}
