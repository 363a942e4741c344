//go:build unix

package console

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
)

// load is a run of TestLoad.
type load struct {
	t               *testing.T
	ctx             context.Context
	s               *store.Store
	base            string
	cookie, auditor string
	pid             int // of the console
	wait            sync.WaitGroup
	changes         atomic.Int64 // events of all streams

	// The delay of one finding at a time, from the end of its ingestion until the first listener reads it in the queue.
	delay struct {
		sync.Mutex
		table string // awaited, empty for none
		at    time.Time
		took  []time.Duration
	}
	pages   []pageLoad
	streams []string // cookies
}

// pageLoad is the response times of a page.
type pageLoad struct {
	path string
	mu   sync.Mutex
	took []time.Duration
}

// TestLoad measures a console with a year of findings: 200 tables play, 200 streams and three browsers are open, and
// ten pages a second are requested. Each page must respond, a finding must be in the queue within two seconds, and the
// memory of the console must not grow. SHOEPROOF_TEST_LOAD is the duration.
func TestLoad(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("SHOEPROOF_TEST_LOAD"))
	if err != nil {
		t.Skip("SHOEPROOF_TEST_LOAD=5m measures the console under load")
	}
	s, addr := loadStore(t, loadFindings())
	l := &load{t: t, s: s}
	l.start(addr)
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	l.ctx = ctx
	for i := range 200 {
		if i%maxOfUser == 0 { // of one user
			l.streams = append(l.streams, signedInAs(t, l.base, "supervisor", fmt.Sprint("user-", i),
				fmt.Sprint("198.51.100.", i))) // sign-ins of an address are limited
		}
		l.wait.Go(func() { l.listen(i, l.streams[i/maxOfUser]) })
	}
	var browsers []*browser
	for _, page := range []string{"/queue", "/floor", "/tables/ac-1/t-7"} {
		b := openBrowser(t, l.base, 1440, 900)
		b.signIn("", "supervisor")
		b.open(page)
		b.await("document.querySelector('#link').dataset.state == 'on'")
		browsers = append(browsers, b)
	}
	f := newTestFloor(t, s.Store)
	tables := l.openTables(f)
	l.wait.Go(func() { l.play(f, tables) })
	paths := loadPages(t, s)
	l.pages = make([]pageLoad, len(paths))
	for i := range paths {
		l.pages[i].path = paths[i]
	}
	l.t.Logf("%d threads of the browsers had a raised priority", levelBrowsers(t))
	l.wait.Go(l.visit)
	before, began := processorTimes(t, l.pid), time.Now()
	resident := l.sampleMemory(duration / 20)
	l.wait.Wait()
	for who, took := range processorTimes(t, l.pid) {
		t.Logf("%s: %.2f of a core", who, (took-before[who]).Seconds()/time.Since(began).Seconds())
	}
	l.report(resident)
	for _, b := range browsers {
		if state := eval[string](b, "document.querySelector('#link').innerText"); state != "live" {
			t.Errorf("a browser shows %q at the end", state)
		}
	}
}

// start starts the console as a separate process and signs in.
func (l *load) start(addr string) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), aloneEnv+"="+addr)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	host, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		l.t.Fatal(err)
	}
	l.base, l.pid = "http://"+strings.TrimSpace(host), cmd.Process.Pid
	l.cookie, l.auditor = signedIn(l.t, l.base, "supervisor"), signedIn(l.t, l.base, "auditor")
}

// listen reads a stream of events. The first listener reads the queue after each change.
func (l *load) listen(i int, cookie string) {
	req, err := http.NewRequestWithContext(l.ctx, http.MethodGet, l.base+"/live", nil)
	if err != nil {
		l.t.Error(err)
		return
	}
	req.Header.Set("Cookie", cookie)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Error(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if lines.Text() != "event: change" {
			continue
		}
		l.changes.Add(1)
		if i == 0 {
			l.readQueue()
		}
	}
	if l.ctx.Err() == nil {
		l.t.Errorf("stream %d ended: %v", i, lines.Err())
	}
}

func (l *load) readQueue() {
	d := &l.delay
	d.Lock()
	defer d.Unlock()
	if d.table == "" {
		return
	}
	_, body, err := get(l.ctx, l.base+"/api/v1/queue?table="+d.table, l.cookie)
	if err == nil && strings.Contains(body, d.table) {
		d.took, d.table = append(d.took, time.Since(d.at)), ""
	}
}

// openTables opens 200 tables of all kinds.
func (l *load) openTables(f *floor) []*simulated.Table {
	l.t.Helper()
	var tables []*simulated.Table
	var events []schema.Event
	kinds, start := simulated.Kinds(), time.Now()
	for i := range loadTables {
		o := simulated.Options{
			Property: "ac-1", Pit: fmt.Sprintf("p%d", i%12), Table: fmt.Sprintf("t-%d", i),
			Seed: uint64(start.UnixNano()) + uint64(i), Start: start,
		}
		var err error
		if o.Config, err = simulated.Config(kinds[i%len(kinds)], o.Seed); err != nil {
			l.t.Fatal(err)
		}
		tables = append(tables, simulated.NewTable(o))
		events = append(events, tables[i].Open()...)
	}
	f.play(events)
	return tables
}

// play plays an event a second at each table. Every five seconds, which is the default of flush.every, it ingests the
// events and a table with a breach.
func (l *load) play(f *floor, tables []*simulated.Table) {
	next := make([]int, loadTables)
	shoes := make([][]schema.Event, loadTables)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var events []schema.Event
	for n := 1; ; n++ {
		select {
		case <-l.ctx.Done():
			return
		case <-tick.C:
		}
		for i := range tables {
			if next[i] == len(shoes[i]) {
				next[i], shoes[i] = 0, tables[i].Shoe()
			}
			events = append(events, shoes[i][next[i]])
			next[i]++
		}
		if n%5 == 0 {
			f.play(events)
			events = events[:0]
			l.playBreach(f, fmt.Sprintf("new-%d-%d", time.Now().Unix(), n))
		}
	}
}

func (l *load) playBreach(f *floor, table string) {
	events := planted(l.t, "ac-1", table, "draw.banker.must-stay")
	l.delay.Lock()
	if l.delay.table != "" {
		l.t.Errorf("the finding at %s is not in the queue", l.delay.table)
	}
	l.delay.table, l.delay.at = table, time.Now()
	l.delay.Unlock()
	f.play(events)
}

// visit requests ten pages a second on average, at independent moments.
func (l *load) visit() {
	random, next := rand.New(rand.NewPCG(1, 2)), time.Now()
	for n := 0; ; n++ {
		next = next.Add(time.Duration(random.ExpFloat64() * float64(time.Second/10)))
		select {
		case <-l.ctx.Done():
			return
		case <-time.After(time.Until(next)):
		}
		l.wait.Go(func() { l.request(&l.pages[n*7%len(l.pages)]) })
	}
}

func (l *load) request(p *pageLoad) {
	cookie := l.cookie
	if isLog(p.path) {
		cookie = l.auditor
	}
	began := time.Now()
	code, _, err := get(l.ctx, l.base+p.path, cookie)
	switch {
	case l.ctx.Err() != nil:
		return
	case err != nil || code != 200:
		l.t.Errorf("%s: %d, %v", p.path, code, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took = append(p.took, time.Since(began))
}

// sampleMemory returns the resident memory of the console in MiB, sampled until the end of the run.
func (l *load) sampleMemory(every time.Duration) (resident []int) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for l.ctx.Err() == nil {
		select {
		case <-l.ctx.Done():
		case <-tick.C:
			levelBrowsers(l.t)
			data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.pid))
			mib := 0
			for line := range strings.Lines(string(data)) {
				if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
					kib, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), " kB"))
					mib = kib / 1024
				}
			}
			resident = append(resident, mib)
		}
	}
	return resident
}

// report logs the measurements and checks them against the targets.
func (l *load) report(resident []int) {
	l.t.Helper()
	for i := range l.pages {
		p := &l.pages[i]
		p50, p95 := percentile(p.took, 50), percentile(p.took, 95)
		l.t.Logf("%-60s n %4d  p50 %7.1f ms  p95 %7.1f ms", p.path, len(p.took), p50, p95)
		if p95 > 200 {
			l.t.Errorf("%s: p95 %.0f ms, want 200", p.path, p95)
		}
	}
	took := l.delay.took
	median, worst := percentile(took, 50), percentile(took, 100)
	l.t.Logf("%d changes; from the events of a finding to the queue: p50 %.0f ms, maximum %.0f ms of %d",
		l.changes.Load(), median, worst, len(took))
	if worst > 2000 || len(took) == 0 {
		l.t.Errorf("maximum delay %.0f ms, want 2000", worst)
	}
	l.t.Logf("resident MiB: %v", resident)
	if half := len(resident) / 2; half > 0 && slices.Max(resident[half:]) > slices.Max(resident[:half])*5/4 {
		l.t.Errorf("memory grows: %v", resident)
	}
}
