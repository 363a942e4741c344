//go:build unix

package console

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/export/archive"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// exported exports the last gaming day, as audit export does.
func exported(t *testing.T, s *store.Store, dir string) (*export.Done, *export.Policy) {
	t.Helper()
	key := filepath.Join(dir, "key")
	vkey, err := export.NewKey("audit.example/ac-1/findings", key)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := export.ParsePolicy([]byte(export.PolicyText(vkey)))
	if err != nil {
		t.Fatal(err)
	}
	skey, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := export.ParseKey(string(skey))
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	var gamingDay time.Time
	latest := s.Conn().QueryRow(t.Context(), "SELECT max(gaming_day) FROM "+s.Table("findings"))
	if err := latest.Scan(&gamingDay); err != nil {
		t.Fatal(err)
	}
	day := &export.Day{
		Books: o.Books, Engine: o.Version, Binary: "00", Licensee: "Example Casino LLC", Form: "Daily exception report",
		Mask: func(string) string { return "masked" }, MaskKey: "k",
		Retention: export.Retention{Years: 10, Until: "2036-11-20"},
	}
	r := archive.Reader{Store: s.Store, Property: "ac-1", GamingDay: store.Day(gamingDay), Calendar: o.Calendar}
	if err := r.Fill(t.Context(), day); err != nil {
		t.Fatal(err)
	}
	l, err := export.OpenLog(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	done, err := l.Export(t.Context(), day, signer, export.Target{Dir: filepath.Join(dir, "bundles")})
	if err != nil {
		t.Fatal(err)
	}
	e := l.Last()
	if err := s.WriteExport(t.Context(), &clickhouse.Export{
		Property: e.Property, GamingDay: e.GamingDay, Origin: e.Origin, Number: uint64(e.Export),
		At: time.Now(), Actor: "cron", Name: e.Name, Files: uint32(e.Files), Bytes: uint64(e.Bytes), SHA256: e.Manifest,
		LogSize: uint64(e.Size), LogRoot: e.Root, Findings: uint64(e.Findings), Engine: e.Engine,
	}); err != nil {
		t.Fatal(err)
	}
	return done, policy
}

// Users with the permission Export list, download and verify the bundles in their scope; each action is logged.
func TestExports(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 4, 0)
	dir := t.TempDir()
	done, policy := exported(t, s, dir)
	name := filepath.Base(done.Path)
	access, secrets := Access{}, map[string]string{}
	for _, who := range []string{"regulator", "auditor", "supervisor", "viewer", "operator", "admin"} {
		secrets[who] = secretOf(&access, who, who, "ac-1", time.Now().Add(time.Hour))
	}
	secrets["elsewhere"] = secretOf(&access, "elsewhere", "regulator", "ac-9", time.Now().Add(time.Hour))
	c := serve(t, s, func(o *Options) {
		o.SignIn, o.Access = ByToken, access
		o.Exports = Exports{Folder: filepath.Dir(done.Path), Policy: policy}
		o.Exports.Log = func(_ context.Context, property, day, shift string, out io.Writer) error {
			_, err := fmt.Fprintf(out, "%s %s %s", property, day, shift)
			return err
		}
	})
	request := func(who, method, path string) (int, string) {
		t.Helper()
		c.resetLimits()
		body := ""
		if method == http.MethodPost {
			path, body, _ = strings.Cut(path, "?")
		}
		return send(t, method, c.url+path, body, "Authorization", "Bearer "+secrets[who])
	}
	file := "/exports/bundles/ac-1/" + name
	check := "/exports/verify?property=ac-1&name=" + url.QueryEscape(name)
	shift := "/exports/surveillance-log.csv?property=ac-1&day=2026-11-19&shift=night"
	want, err := os.ReadFile(done.Path)
	if err != nil {
		t.Fatal(err)
	}
	for who := range secrets {
		may := who == "regulator" || who == "auditor" || who == "supervisor"
		code := map[bool]int{true: 200, false: 403}[may]
		if who == "elsewhere" {
			code = 404
		}
		if got, body := request(who, "GET", file); got != code || may && body != string(want) {
			t.Errorf("%s downloads: %d and %d bytes, want %d", who, got, len(body), code)
		}
		if got, body := request(who, "POST", check); got != code ||
			may && (!strings.Contains(body, "successor") || strings.Count(body, "not checked here") != 3 ||
				!strings.Contains(body, "agree with the table of exports")) {
			t.Errorf("%s verifies: %d, want %d: %s", who, got, code, body)
		}
		if got, _ := request(who, "GET", shift+"x"); may && got != 400 {
			t.Errorf("%s downloads the log of a shift that the calendar does not have: %d", who, got)
		}
		if got, body := request(who, "GET", shift); got != code || may && body != "ac-1 2026-11-19 night" {
			t.Errorf("%s downloads the surveillance log: %d %q, want %d", who, got, body, code)
		}
		if got, body := request(who, "GET", "/exports"); (got == 200) != (may || who == "elsewhere") ||
			strings.Contains(body, name) != may {
			t.Errorf("%s lists: %d", who, got)
		}
	}
	for _, action := range []string{"download", "verify", "export"} {
		e, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Actor: "regulator", Action: action})
		if err != nil || len(e) != 1 || e[0].PropertyID != "ac-1" {
			t.Errorf("%s: the log has %v of the regulator, %v", action, e, err)
		}
	}
	// The log has no row of a property in which the user may do nothing.
	if got, _ := request("elsewhere", "GET", "/exports/findings.csv?property=ac-1"); got != 404 {
		t.Errorf("findings.csv of another property: %d, want 404", got)
	}
	e, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Actor: "elsewhere", Action: "export"})
	if err != nil || len(e) != 0 {
		t.Errorf("the log has %v of elsewhere, %v", e, err)
	}
	// Other files, in the folder or above it, are not available.
	for _, other := range []string{
		"..%2Fkey", "..", "%2Fetc%2Fpasswd", "key", name + "%2F..%2F..%2Fkey", "x.zip",
	} {
		if got, _ := request("regulator", "GET", "/exports/bundles/ac-1/"+other); got < 300 {
			t.Errorf("download of %s: %d, want none", other, got)
		}
		if got, _ := request("regulator", "POST", "/exports/verify?property=ac-1&name="+other); got != 404 {
			t.Errorf("verification of %s: %d, want 404", other, got)
		}
	}
	// One changed byte is found.
	bad := append([]byte{}, want...)
	bad[len(bad)/2] ^= 1
	if err := os.WriteFile(done.Path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, body := request("regulator", "POST", check); got != 200 || !strings.Contains(body, "failed") ||
		!strings.Contains(body, "tampered") {
		t.Errorf("a changed bundle: %d %s", got, body)
	}
	_, text := request("regulator", "GET", "/exports/findings.csv")
	if rows, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || len(rows) < 3 {
		t.Errorf("findings.csv: %d rows, %v", len(rows), err)
	}
}

// The log leads from page to page, to its oldest line, and selects by date.
func TestLogPages(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	if err := s.Conn().Exec(t.Context(), `INSERT INTO `+s.Table("console_log")+` (property_id, at, actor, action, object)
		SELECT 'ac-1', now64(9) - INTERVAL number MINUTE - INTERVAL if(number < 100, 0, 3) DAY, 'ann', 'acknowledge',
			concat('f-', toString(number)) FROM numbers(250)`); err != nil {
		t.Fatal(err)
	}
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "auditor")
	const lines = "[...document.querySelectorAll('[aria-label=Log] tbody tr')]"
	page := func(what string, rows int, last string) {
		t.Helper()
		got := eval[int](b, lines+".length")
		object := eval[string](b, lines+".at(-1).cells[4].textContent")
		if got != rows || object != last {
			t.Errorf("%s: %d lines to %s, want %d to %s", what, got, object, rows, last)
		}
	}
	b.open("/log?action=acknowledge")
	page("the latest lines", 200, "f-199")
	b.click("#more")
	b.await("location.search.includes('after=')")
	page("the older lines", 50, "f-249")
	day := c.Now().In(c.Law.Calendar.Zone).Add(-36 * time.Hour).Format("2006-01-02")
	b.open("/log?action=acknowledge&since=" + day)
	page("since "+day, 100, "f-99")
	b.open("/log?action=acknowledge&until=" + day)
	page("until "+day, 150, "f-249")
	b.quiet()
}
