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
)

// Exports is where audit export leaves bundles, and what they are verified against.
type Exports struct {
	Folder string // empty if the console cannot reach them
	Policy *export.Policy
	// Log writes the surveillance log of 9 NYCRR 5314.3 of a gaming day, of one shift if it is named, as CSV.
	Log func(ctx context.Context, property, day, shift string, out io.Writer) error
}

// bundle is an export in the list.
type bundle struct {
	clickhouse.Export
	There bool // its file, so that it can be downloaded and verified
}

// bundles are the exports of the properties that somebody may export from, the newest first.
func (c *Console) bundles(x *exchange) ([]bundle, []string, error) {
	properties, err := c.Store.Properties(x.r.Context(), x.scope())
	if err != nil {
		return nil, nil, err
	}
	var all []bundle
	for _, p := range properties {
		rows, err := c.Store.Exports(x.r.Context(), p)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range rows {
			_, err := c.stat(r.Name)
			all = append(all, bundle{r, err == nil})
		}
	}
	return all, properties, nil
}

// stat looks for a bundle in the folder: a name from a row is a name there and no path.
func (c *Console) stat(name string) (fs.FileInfo, error) {
	if c.Exports.Folder == "" || name == "" || filepath.Base(name) != name || !filepath.IsLocal(name) {
		return nil, fs.ErrNotExist
	}
	return os.Lstat(filepath.Join(c.Exports.Folder, name))
}

// bundle is the export that a request names, if it is there and in scope.
func (c *Console) bundle(x *exchange, property, name string) (clickhouse.Export, fs.FileInfo, error) {
	if !x.scope().Has(property) {
		return clickhouse.Export{}, nil, store.ErrNone
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
			err = store.ErrNone
		}
		return r, info, err
	}
	return clickhouse.Export{}, nil, store.ErrNone
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
		"Bundles": all, "Properties": properties, "Folder": c.Exports.Folder != "", "Verifies": c.Exports.Policy != nil, "Logs": c.Exports.Log != nil, "Day": day, "Shift": shift, "Shifts": shifts,
	})
}

// download sends a bundle that is one file. It is noted first, and refused if it cannot be.
func download(c *Console, x *exchange) error {
	property, name := x.r.PathValue("property"), x.r.PathValue("name")
	row, info, err := c.bundle(x, property, name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return badRequest("%s is a folder on the console's machine: fetch it there.", name)
	}
	f, err := os.Open(filepath.Join(c.Exports.Folder, name))
	if err != nil {
		return fmt.Errorf("download an export: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := x.mustLog(property, "download", name, "manifest "+row.SHA256); err != nil {
		return err
	}
	// As long as the bytes go out at 100 kB a second.
	if err := http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(time.Minute + time.Duration(info.Size()/100_000)*time.Second)); err != nil {
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

// verify checks a bundle where it lies, as audit verify does.
func verify(c *Console, x *exchange) error {
	property, name := x.r.PostForm.Get("property"), x.r.PostForm.Get("name")
	row, _, err := c.bundle(x, property, name)
	if err != nil {
		return err
	}
	if c.Exports.Policy == nil {
		return badRequest("No policy is set: console.exports.policy_file says whose signatures are trusted.")
	}
	select { // a big bundle takes as much as a replay
	case c.replays <- struct{}{}:
		defer func() { <-c.replays }()
	default:
		return errBusy
	}
	if err := http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(10 * time.Minute)); err != nil {
		return fmt.Errorf("verify an export: %w", err)
	}
	v, err := export.Verify(x.r.Context(), filepath.Join(c.Exports.Folder, name), export.VerifyOptions{Policy: c.Exports.Policy, Engine: c.Law.Version})
	if err != nil {
		return fmt.Errorf("verify an export: %w", err)
	}
	// What a regulator accepted before is not known here: nothing is compared with it, nothing remembered.
	sound := v.Code == export.Good || v.Code == export.Undecided && v.Failed == "state"
	listed := sound && v.Origin == row.Origin && v.Export == row.Number && v.Size == row.LogSize && v.Root == row.LogRoot
	x.log(property, "verify", name, fmt.Sprintf("sound %t, listed %t, %s %s", sound, listed, v.Verdict, v.Failed))
	return x.page("verified", "Verification of "+name, map[string]any{"Verdict": v, "Row": row, "Sound": sound, "Listed": listed})
}

// surveillanceLog is the log of a shift. It is made whole before any of it is sent, and noted.
func surveillanceLog(c *Console, x *exchange) error {
	q := x.r.URL.Query()
	property, day, shift := q.Get("property"), q.Get("day"), q.Get("shift")
	if _, err := time.Parse(time.DateOnly, day); err != nil || c.Exports.Log == nil {
		return badRequest("day %q, want a gaming day such as 2026-11-19", day)
	}
	if !x.scope().Has(property) || property == "" {
		return store.ErrNone
	}
	var out bytes.Buffer
	if err := c.Exports.Log(x.r.Context(), property, day, shift, &out); err != nil {
		return err
	}
	if err := x.mustLog(property, "export", "surveillance-log", strings.TrimSpace(day+" "+shift)); err != nil {
		return err
	}
	x.attach(strings.ReplaceAll(strings.TrimSpace("surveillance-log "+property+" "+day+" "+shift), " ", "_")+".csv", "text/csv; charset=utf-8")
	_, _ = out.WriteTo(x.w)
	return nil
}

// findingsCSV is what waits under a filter, neutralised for spreadsheets.
func findingsCSV(c *Console, x *exchange) error {
	f, _, err := x.filterOf()
	if err != nil {
		return err
	}
	f.Limit = store.MostRows
	open, err := c.Store.Open(x.r.Context(), x.scope(), f)
	if err != nil {
		return err
	}
	if err := x.mustLog(f.Property, "export", "findings.csv", x.r.URL.RawQuery); err != nil {
		return err
	}
	x.attach("findings.csv", "text/csv; charset=utf-8")
	out := csv.NewWriter(x.w)
	_ = out.Write(strings.Split("id,state,owner,severity,verdict,rule,property_id,pit_id,table_id,shoe_id,round,seat,dealer_id,at,gaming_day,shift,expected,observed,amount_minor,currency", ","))
	for i := range open {
		o := &open[i]
		row := []string{
			o.ID, o.State, o.Owner, o.Severity, o.Verdict, o.Rule, o.PropertyID, o.PitID, o.TableID, o.ShoeID, fmt.Sprint(o.Round), fmt.Sprint(o.Seat), o.DealerID,
			o.At.UTC().Format(time.RFC3339Nano), store.Day(o.GamingDay), o.Shift, o.Expected, o.Observed,
		}
		for i := range row {
			row[i] = neutral(row[i])
		}
		_ = out.Write(append(row, fmt.Sprint(o.Amount), neutral(o.Currency)))
	}
	out.Flush()
	return nil
}

// neutral keeps a spreadsheet from taking text for a formula.
func neutral(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
