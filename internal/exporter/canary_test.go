//go:build unix

package exporter_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/migrations"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// waysOut collects what leaves a house, and finds the canary in it.
type waysOut struct {
	t  *testing.T
	mu sync.Mutex
	n  map[string]int
}

func (w *waysOut) out(way, what, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n[way]++
	if i := strings.Index(text, "CANARY"); i >= 0 {
		w.t.Errorf("%s: the canary is in %s: %.120q", way, what, text[max(0, i-60):])
	}
}

// A patron's name in every free text of every event, and in records that are no events, leaves the house nowhere: not
// in findings and facts, what readers select, pages and API of a viewer, files of a supervisor, the webhook, the
// program's log and the bundle. Only the archive and the raw bytes of dead letters have it.
func TestCanaryInNoWayOut(t *testing.T) {
	h := openHouse(t, "canary")
	w := &waysOut{t: t, n: map[string]int{}}
	serve := h.serveConsole(w)
	of := h.canaries()
	h.ingest(of)
	h.night()
	h.settings.Export.Form = "Findings"
	h.export()
	testkit.Await(t, "the webhook has a finding", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.n["webhook"] > 0
	})
	h.selects(w)
	serve.pages(w)
	w.bundle(h.bundle)
	for _, way := range []string{"findings", "readers", "pages", "API", "files", "webhook", "log", "bundle", "evidence"} {
		if w.n[way] == 0 {
			t.Errorf("%s: nothing came out", way)
		}
	}
	t.Logf("without the canary: %v", w.n)
}

// canaries is a topic of tables with faults, with the canary in each free text, and records that cannot be decoded.
func (h *house) canaries() *topic {
	h.t.Helper()
	of, planted := &topic{}, 0
	faults := slices.DeleteFunc(fault.All(), func(f fault.Fault) bool { return f.Off })
	for i := range 8 {
		events, _, err := fault.Plant(deal.Options{
			Property: property, Pit: "p1", Table: fmt.Sprintf("PB-%02d", i+1), Seed: uint64(i + 1),
			Start: time.Date(2026, 11, 19, 18, i, 0, 0, time.UTC),
		}, faults[i*len(faults)/8], uint64(i+1))
		if err != nil {
			h.t.Fatal(err)
		}
		for k := range events {
			planted += enginetest.PlantText(events[k].Payload)
		}
		of.append(events...)
	}
	for _, bad := range []string{
		enginetest.TextCanary, `{"event_id":"e","recut_ordered":{"reason":"` + enginetest.TextCanary,
	} {
		of.records = append(of.records, pipeline.Record{
			Offset: int64(len(of.records)), Format: schema.JSON, Value: []byte(bad),
		})
	}
	if planted < 500 {
		h.t.Fatalf("%d texts planted", planted)
	}
	return of
}

// selects searches all columns of all tables but the two with received bytes, and each thing that a reader may select.
func (h *house) selects(w *waysOut) {
	h.t.Helper()
	ask := func(query string) (n uint64) {
		if err := h.db.Conn().QueryRow(h.t.Context(), query).Scan(&n); err != nil {
			h.t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	const canary = " WHERE formatRow('TSV', *) LIKE '%CANARY%'"
	for _, table := range []string{"events", "dead_letters"} {
		if ask("SELECT count() FROM "+h.db.Table(table)+canary) == 0 {
			h.t.Errorf("%s has no canary", table)
		}
	}
	layout := migrations.Layout{Database: h.cfg.Database}
	roles, err := layout.Roles()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range roles {
		way := map[string]string{"reader": "readers", "console": "readers", "auditor": "findings"}[r.Name]
		for _, grant := range r.Grants {
			right, on, _ := strings.Cut(grant, " ON ")
			if way == "" || !strings.HasPrefix(right, "SELECT") || strings.HasPrefix(on, "system.") ||
				way == "findings" && (strings.HasSuffix(on, "events") || strings.HasSuffix(on, "dead_letters")) {
				continue
			}
			columns := "*"
			if c, some := strings.CutPrefix(right, "SELECT("); some {
				columns = strings.TrimSuffix(c, ")")
			}
			n := ask("SELECT count() FROM (SELECT " + columns + " FROM " + on + ")" + canary)
			w.out(way, on, strings.Repeat("CANARY ", int(min(n, 1))))
		}
	}
}

// consoleOf is a console of a house, with a webhook.
type consoleOf struct {
	h       http.Handler
	log     *testkit.Log
	secrets map[string]string
	t       *testing.T
}

func (h *house) serveConsole(w *waysOut) *consoleOf {
	h.t.Helper()
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.out("webhook", "a message", string(body))
	}))
	h.t.Cleanup(hook.Close)
	c := &consoleOf{log: &testkit.Log{}, secrets: map[string]string{}, t: h.t}
	access := console.Access{}
	for _, role := range []string{"viewer", "supervisor"} {
		secret := "a secret of 32 bytes, for the " + role
		sum := sha256.Sum256([]byte(secret))
		c.secrets[role] = secret
		access.Tokens = append(access.Tokens, console.Token{
			Name: role, SHA256: hex.EncodeToString(sum[:]), Expires: time.Now().Add(time.Hour),
			Grants: []console.Grant{{Role: role, Properties: []string{"*"}}},
		})
	}
	served, err := console.New(console.Options{
		Store: h.console, Law: h.law, PublicURL: &url.URL{Scheme: "http", Host: "localhost"}, SignIn: console.ByToken,
		Access: access, Now: time.Now, Webhook: notify.Webhook{URL: hook.URL, Secret: "sixteen bytes and more"},
		Log: slog.New(slog.NewTextHandler(c.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if c.h, err = served.Handler(); err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = served.Run(ctx) })
	h.t.Cleanup(func() { cancel(); running.Wait() })
	return c
}

func (c *consoleOf) get(role, path string) (int, string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+c.secrets[role])
	r.Host = "localhost"
	rec := httptest.NewRecorder()
	c.h.ServeHTTP(rec, r)
	if to := rec.Header().Get("Location"); to != "" {
		return rec.Code, `href="` + to + `"`
	}
	return rec.Code, rec.Body.String()
}

var links = regexp.MustCompile(`href="(/[^"#]+)"`)

// pages follows all links of a viewer, some of each kind, and reads the API and the files of a supervisor.
func (c *consoleOf) pages(w *waysOut) {
	c.t.Helper()
	const most = 12 // of the pages of one kind
	todo := []string{
		"/queue", "/floor", "/dealers", "/rates", "/silences", "/handover", "/rules", "/search?q=PB-01", "/queue?group=off",
		"/search?q=" + url.QueryEscape("Eleanor"),
		"/api/v1/queue", "/api/v1/findings?property=ac-1", "/api/v1/floor", "/api/v1/dealers",
	}
	seen, kinds := map[string]bool{}, map[string]int{}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if seen[path] || kinds[kind] >= most || kind == "static" || strings.HasPrefix(path, "/live") {
			continue
		}
		seen[path] = true
		kinds[kind]++
		code, body := c.get("viewer", path)
		if code >= 500 || code == http.StatusTooManyRequests {
			c.t.Errorf("%s: %d", path, code)
		}
		way := "pages"
		if strings.HasPrefix(path, "/api/") {
			way = "API"
		}
		if !strings.Contains(path, "Eleanor") {
			body = strings.ReplaceAll(body, "Eleanor", "CANARY")
		}
		w.out(way, path, body)
		for _, m := range links.FindAllStringSubmatch(body, -1) {
			todo = append(todo, strings.ReplaceAll(m[1], "&amp;", "&"))
		}
	}
	for _, path := range []string{"/exports/findings.csv", "/exports/surveillance-log.csv?property=ac-1&day=" + day} {
		if code, body := c.get("supervisor", path); code == http.StatusOK {
			w.out("files", path, body)
		}
	}
	w.out("log", "the log of the console", c.log.String())
}

// bundle searches all files of a bundle, and those within its spreadsheet.
func (w *waysOut) bundle(path string) {
	z, err := zip.OpenReader(path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	w.zip(&z.Reader, "")
}

func (w *waysOut) zip(z *zip.Reader, in string) {
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			w.t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err == nil && strings.HasSuffix(f.Name, ".zst") {
			if inflated, e := zstd.NewReader(bytes.NewReader(data)); e == nil {
				data, err = io.ReadAll(inflated)
				inflated.Close()
				w.n["evidence"]++
			}
		}
		if err != nil {
			w.t.Fatal(err)
		}
		w.out("bundle", in+f.Name, string(data))
		if inner, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil && in == "" {
			w.zip(inner, f.Name+"/")
		}
	}
}
