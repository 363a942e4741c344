//go:build unix

package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// loadPages returns the pages, each about existing data. It ingests one table, so that a finding has its events.
func loadPages(t testing.TB, s *store.Store) []string {
	t.Helper()
	table := fmt.Sprintf("new-%d", time.Now().Unix())
	newTestFloor(t, s.Store).play(planted(t, "ac-1", table, "draw.banker.must-stay"))
	var open, closed, arrived, patron string
	queue := "SELECT id FROM " + s.Table("open_findings")
	for into, q := range map[*string]string{
		&arrived: queue + " WHERE rule = 'draw.banker.must-stay' ORDER BY arrived_at DESC LIMIT 1",
		&open: queue + " WHERE state = 'new' AND table_id = 't-7' " +
			"AND at < now() - INTERVAL 1 HOUR ORDER BY at DESC LIMIT 1",
		&closed: queue + " WHERE state = 'closed' AND at < now() - INTERVAL 20 DAY LIMIT 1",
		&patron: "SELECT patron FROM " + s.Table("wagers") + " WHERE table_id = 't-7' ORDER BY at DESC LIMIT 1",
	} {
		if err := s.Conn().QueryRow(t.Context(), q).Scan(into); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().AddDate(0, 0, -1).Format(time.DateOnly)
	return []string{
		"/findings/" + arrived, "/api/v1/findings/" + arrived, "/exports", "/search?list=1&q=t-7",
		"/rounds/ac-1/t-7/t-7-193/20",
		"/search?list=1&q=t-7+r20", "/search?list=1&q=seat+3+%3E$20", "/search?list=1&q=" + arrived[:8],
		"/search?list=1&q=t-7+yesterday", "/api/v1/rounds/ac-1/t-7/t-7-193/20",
		"/api/v1/shoes/ac-1/t-7/t-7-193", "/api/v1/findings?dealer=d7", "/queue", "/queue?group=off",
		"/queue?severity=critical&table=t-4", "/queue?q=rule-17", "/queue?state=closed", "/findings/" + open,
		"/findings/" + closed, "/floor", "/floor?wall=1", "/tables/ac-1/t-7", "/shoes/ac-1/t-7/t-7-193", "/dealers",
		"/dealers/ac-1/d7",
		"/patrons/ac-1/" + patron, "/silences", "/handover", "/rates", "/rules", "/log", "/help",
		"/day", "/day?day=" + yesterday, "/exceptions/ac-1/" + yesterday, "/tables/ac-1/t-7?day=" + yesterday,
		"/cases", "/cases/ac-1/0000000000000007", "/log?actor=ann&action=sign-in", "/queue?sort=amount&min=5",
		"/api/v1/queue", "/api/v1/rounds?property=ac-1&table=t-7", "/api/v1/patrons/ac-1/" + patron, "/api/v1/silences",
		"/api/v1/log",
		"/api/v1/floor", "/api/v1/findings?table=t-7", "/api/v1/dealers",
	}
}

// isLog reports whether a page is about the console log, which an auditor may read.
func isLog(page string) bool { return strings.HasPrefix(strings.TrimPrefix(page, "/api/v1"), "/log") }

// BenchmarkPages requests each page with empty caches. It reports percentiles of the response time, and the processor
// time of console and ClickHouse together, which depends less on other work on the machine.
func BenchmarkPages(b *testing.B) {
	s, _ := loadStore(b, loadFindings())
	c := serve(b, s, nil)
	began := time.Now()
	if err := s.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("the queue was read in %v", time.Since(began))
	cookies := map[string]string{}
	for _, page := range loadPages(b, s) {
		role := "supervisor"
		if isLog(page) {
			role = "auditor"
		}
		if cookies[role] == "" {
			cookies[role] = signedIn(b, c.url, role)
		}
		b.Run(page, func(b *testing.B) {
			var took []time.Duration
			before := processorTime(b)
			for b.Loop() {
				c.resetLimits()
				c.volatile.clear()
				c.figures.clear()
				c.facts.clear()
				began := time.Now()
				if code, body := send(b, "GET", c.url+page, "", "Cookie", cookies[role]); code != 200 {
					b.Fatal(code, body)
				}
				took = append(took, time.Since(began))
			}
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(len(took)), "cpu-ms")
			b.ReportMetric(percentile(took, 50), "p50-ms")
			b.ReportMetric(percentile(took, 95), "p95-ms")
		})
	}
}

// processorTime is the processor time of this process and of its descendants.
func processorTime(t testing.TB) (all time.Duration) {
	t.Helper()
	for _, d := range processorTimes(t, 0) {
		all += d
	}
	return all
}

// process is a process of the machine.
type process struct {
	parent, ticks int
	name          string
}

func (p *process) browser() bool { return strings.HasPrefix(p.name, "chrom") }

// processes are the processes of the machine by id.
func processes(t testing.TB) map[int]process {
	t.Helper()
	pids, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]process{}
	for _, path := range pids {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		head, rest, _ := strings.Cut(string(data), ") ")
		number, name, _ := strings.Cut(head, " (")
		fields := strings.Fields(rest) // from the third field of proc(5), the state, on
		if len(fields) < 15 {
			continue
		}
		var n [5]int // parent; user and system ticks; user and system ticks of ended children
		for i, at := range [...]int{1, 11, 12, 13, 14} {
			n[i], _ = strconv.Atoi(fields[at])
		}
		p := process{n[0], n[1] + n[2], name}
		if p.browser() {
			p.ticks += n[3] + n[4]
		}
		pid, _ := strconv.Atoi(number)
		all[pid] = p
	}
	return all
}

// descends reports whether a process descends from this one.
func descends(all map[int]process, pid int) bool {
	ancestor := all[pid].parent
	for ancestor > 1 && ancestor != os.Getpid() {
		ancestor = all[ancestor].parent
	}
	return ancestor == os.Getpid()
}

// processorTimes are the processor times of this process and of its descendants: ClickHouse, browsers, and the console
// if it is a separate process, with the id console.
func processorTimes(t testing.TB, console int) map[string]time.Duration {
	t.Helper()
	all, took := processes(t), map[string]time.Duration{}
	for pid, p := range all {
		who := "clickhouse"
		switch {
		case pid == os.Getpid():
			who = "events and clients"
		case !descends(all, pid):
			continue
		case pid == console:
			who = "console"
		case p.browser():
			who = "browsers"
		}
		took[who] += time.Duration(p.ticks) * 10 * time.Millisecond
	}
	return took
}

// levelBrowsers gives the threads of the browsers the priority of the console. Chromium raises the priority of
// some threads if it runs as root. On a workstation it cannot.
func levelBrowsers(t testing.TB) (lowered int) {
	t.Helper()
	const normal = 20 // as the system call returns it; a higher number is a higher priority
	all := processes(t)
	for pid, p := range all {
		if !p.browser() || !descends(all, pid) {
			continue
		}
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", pid))
		for _, path := range threads {
			thread, _ := strconv.Atoi(filepath.Base(path))
			level, err := syscall.Getpriority(syscall.PRIO_PROCESS, thread)
			if err == nil && level > normal && syscall.Setpriority(syscall.PRIO_PROCESS, thread, 0) == nil {
				lowered++
			}
		}
	}
	return lowered
}

func percentile(took []time.Duration, p int) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return float64(took[(len(took)-1)*p/100].Microseconds()) / 1000
}

// serveAlone runs a console in a separate process, so that its memory can be measured. It ends when the parent closes
// the pipe.
func serveAlone(addr string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := store.Open(ctx, loadConfig(addr), clickhouse.Config{}, time.Now)
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	o, err := lawOf()
	if err != nil {
		return err
	}
	c, err := New(Options{
		Store: s, Law: o, PublicURL: &url.URL{Scheme: "http", Host: l.Addr().String()}, SignIn: ByChoice, Now: time.Now,
		Version: "load", High: 1_000_000, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	if err != nil {
		return err
	}
	h, err := c.Handler()
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = c.Run(ctx) }()
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		_ = srv.Close()
	}()
	fmt.Println(l.Addr())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// get requests a page and reads all of it.
func get(ctx context.Context, url, cookie string) (code int, body string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Cookie", cookie)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

const aloneEnv = "SHOEPROOF_TEST_SERVE"
