//go:build unix

package watch

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	gometrics "runtime/metrics"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/heap"
	"github.com/shoeproof/shoeproof/internal/oracle"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"

	"github.com/shoeproof/shoeproof/schema"
)

// The floor of TestFloorMemory: a round a minute, patrons who stay for five hours at one of five seats and come back on
// other days at other tables, six dealers a shift in turns of half an hour.
const (
	floorSeats    = 5
	floorStay     = 5 * int64(time.Hour)
	floorShuffle  = 8 * int64(time.Minute)
	patronsATable = 60
	floorFrom     = int64(1_772_323_200_000_000_000)
	floorChunk    = 6 * int64(time.Minute)
	floorCutCards = 16
	memoryATable  = 0.4 // MiB
	floorShift    = 8   // hours between two restarts
	memoryFixed   = 10  // MiB: the rulebooks, the client of the database, the play of the floor
)

// floorShoe is a shoe that is dealt round by round. It has no state that its table, number and time do not give.
type floorShoe struct {
	table, number, tables int
	at                    int64
	round                 uint32
	next                  []int
	left                  exact.Composition
	rng                   *rand.Rand
}

func openShoe(table, number, tables int, at int64) *floorShoe {
	s := &floorShoe{
		table: table, number: number, tables: tables, at: at, left: exact.Full(8),
		rng: rand.New(rand.NewPCG(uint64(table), uint64(number))),
	}
	for card := range 52 {
		s.next = append(s.next, slices.Repeat([]int{card}, 8)...)
	}
	s.rng.Shuffle(len(s.next), func(i, j int) { s.next[i], s.next[j] = s.next[j], s.next[i] })
	return s
}

func (s *floorShoe) id() string { return fmt.Sprintf("t%04d-%06d", s.table, s.number) }

// play deals the next round; false at the cutting card.
func (s *floorShoe) play() (clickhouse.PlayedRound, bool) {
	if len(s.next) <= floorCutCards {
		return clickhouse.PlayedRound{}, false
	}
	coup := oracle.Deal(s.next)
	s.round++
	s.at += int64(55*time.Second) + s.rng.Int64N(int64(10*time.Second))
	table, shift, turn := fmt.Sprintf("t%04d", s.table), s.at/(8*3600e9), s.at/1800e9
	p := clickhouse.PlayedRound{
		Pit: fmt.Sprintf("p%02d", s.table/20), Table: table, Shoe: s.id(), Round: s.round, At: s.at,
		Settled: s.at + 50e9, Decks: 8, Dealer: fmt.Sprintf("d%04d-%d-%d", s.table, shift%3, turn%6), Config: "C1",
		Result: coup.Winner(), Auditable: true, FirstSeq: uint64(s.number)*10_000 + uint64(s.round)*40,
		Locked: s.at + 20e9, Card: s.at + 21e9, End: s.at + 40e9, Batch: table + fmt.Sprint("-b", s.number%2),
		Shuffler: table + "-sh", Reader: table + "-rd",
	}
	unseen := make([]byte, 52)
	for card := range 52 {
		unseen[card] = byte(s.left[card+1])
	}
	p.Unseen = string(unseen)
	p.Cards = "P " + names(coup.Player) + " B " + names(coup.Banker)
	for _, card := range append(slices.Clone(coup.Player), coup.Banker...) {
		s.left[1+card%4*13+card/4]--
	}
	s.next = s.next[len(coup.Order):]
	for seat := range floorSeats {
		visit := (s.at + int64(seat)*int64(time.Hour)) / floorStay
		who := rand.New(rand.NewPCG(uint64(visit), uint64(s.table*floorSeats+seat))).IntN(s.tables * patronsATable)
		spot := [2]string{"PLAYER", "BANKER"}[s.rng.IntN(2)]
		w := clickhouse.PlayedWager{
			Round: s.round, ID: fmt.Sprintf("w%d.%d", s.round, seat), Seat: uint32(seat + 1), Spot: spot,
			Patron: fmt.Sprintf("%032x", who), Stake: 100_00 * (1 + s.rng.Int64N(5)), Placed: s.at + int64(seat)*2e9,
			LockStake: -1, SettleStake: -1, Done: "returned", Ruled: "returned",
		}
		switch coup.Winner() {
		case spot:
			w.Done, w.Ruled, w.Paid, w.Due = "paid", "paid", w.Stake, w.Stake
			if spot == "BANKER" {
				w.VigDue, w.VigTaken = w.Stake/20, w.Stake/20
			}
		case "TIE":
		default:
			w.Done, w.Ruled = "collected", "collected"
		}
		p.Wagers = append(p.Wagers, w)
	}
	return p, true
}

func names(cards []int) string {
	var all []string
	for _, card := range cards {
		all = append(all, string("A23456789TJQK"[card/4])+string("cdhs"[card%4]))
	}
	return strings.Join(all, " ")
}

// floorStore is a memory of tables that play around the clock.
type floorStore struct {
	memory
	tables []*floorShoe
	// open holds the beginning of each open shoe, closed that of each shoe that is not scored yet.
	open   []int64
	closed map[string][3]int64
}

func newFloorStore(tables int) *floorStore {
	f := &floorStore{memory: *newMemory(), closed: map[string][3]int64{}}
	for i := range tables {
		at := floorFrom + int64(i)*int64(time.Hour)/int64(tables)
		f.tables, f.open = append(f.tables, openShoe(i, 1, tables, at)), append(f.open, at)
	}
	f.configs = floorConfigs(tables)
	return f
}

// floorConfigs are the configurations of the tables.
func floorConfigs(tables int) (all []rows.Config) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		panic(err)
	}
	config.ConfigID = "C1"
	text := string(schema.AppendConfigJSON(nil, &config))
	for i := range tables {
		all = append(all, rows.Config{TableID: fmt.Sprintf("t%04d", i), ConfigID: "C1", Config: text})
	}
	return all
}

// until plays all tables up to a time.
func (f *floorStore) until(at int64) {
	for i, s := range f.tables {
		for s.at < at {
			p, ok := s.play()
			if ok {
				f.rounds = append(f.rounds, p)
				continue
			}
			end := clickhouse.ClosedShoe{
				Pit: fmt.Sprintf("p%02d", i/20), Table: fmt.Sprintf("t%04d", i), Shoe: s.id(), At: f.open[i],
				Closed: s.at + int64(2*time.Minute), Decks: 8, Out: uint32(416 - len(s.next)),
			}
			f.shoes = append(f.shoes, end)
			f.closed[s.id()] = [3]int64{int64(i), int64(s.number), f.open[i]}
			f.open[i] = s.at + floorShuffle
			s = openShoe(i, s.number+1, len(f.tables), f.open[i])
			f.tables[i] = s
		}
	}
	slices.SortFunc(f.rounds, func(a, b clickhouse.PlayedRound) int {
		x, y := a.Cursor(), b.Cursor()
		return x.Compare(&y)
	})
	slices.SortFunc(f.shoes, func(a, b clickhouse.ClosedShoe) int {
		x, y := a.Cursor(), b.Cursor()
		return x.Compare(&y)
	})
}

// RoundsOf plays shoes again.
func (f *floorStore) RoundsOf(_ context.Context, _ string, shoes []*clickhouse.ClosedShoe) (
	all [][]clickhouse.PlayedRound, err error,
) {
	for _, of := range shoes {
		c := f.closed[of.Shoe]
		delete(f.closed, of.Shoe)
		var played []clickhouse.PlayedRound
		s := openShoe(int(c[0]), int(c[1]), len(f.tables), c[2])
		for p, ok := s.play(); ok; p, ok = s.play() {
			played = append(played, p)
		}
		all = append(all, played)
	}
	return all, nil
}

// floor plays tables, here or in another process.
type floor interface {
	Store
	until(at int64)
}

// What a watch keeps does not grow with the days: it is bounded by the tables that play. SHOEPROOF_FLOOR=1000x30 plays
// 1,000 tables for 30 days, about 40 million rounds; `make bench-watch TABLES=100 DAYS=7` is a short form. Another
// process plays the tables of the long form: what is measured is a watch, with the memory limit of audit watch. It
// starts again every eight hours.
func TestFloorMemory(t *testing.T) {
	tables, days, hours := 2, 1, 3
	var f floor = newFloorStore(tables)
	count, limit := &f.(*floorStore).memory, (*heap.Limit)(nil)
	if size := os.Getenv("SHOEPROOF_FLOOR"); size != "" {
		if _, err := fmt.Sscanf(size, "%dx%d", &tables, &days); err != nil {
			t.Fatalf("SHOEPROOF_FLOOR=%s: %v, want 1000x30", size, err)
		}
		hours, days = floorShift, 24/floorShift*days
		other := otherFloor(t, tables)
		f, count = other, &other.memory
		limit = NewLimit()
	}
	o := Options{Property: "ac-1", Engine: options()}
	o.Hooks.Kept = func(int, int, []rows.Evidence, []finding.Finding, int64) { limit.Update() }
	w := newWatcher(f, o)
	var live []float64
	var total int
	for shift := range days {
		w = playShift(t, w, f, shift, hours, &total)
		live = append(live, liveHeap())
		fmt.Fprintf(os.Stderr, "after %d hours: %d rounds, %d findings, live heap %.1f MiB, resident %s\n", (shift+1)*hours,
			total, len(count.findings), live[shift], resident(t))
	}
	if count.evidence < 30*total {
		t.Errorf("%d rows of evidence of %d rounds: the detectors do not score them", count.evidence, total)
	}
	if last := len(live) - 1; last > 2 && live[last] > 1.25*live[2] {
		t.Errorf("the live heap grows from %.1f MiB after three shifts to %.1f MiB after %d", live[2], live[last], last+1)
	}
	if last, most := live[len(live)-1], memoryFixed+memoryATable*float64(tables); last > most {
		t.Errorf("the live heap has %.1f MiB for %d tables, want at most %.1f MiB", last, tables, most)
	}
}

// playShift scores some hours of play, and returns a watch that starts again at their end.
func playShift(t *testing.T, w *watcher, f floor, shift, hours int, total *int) *watcher {
	t.Helper()
	from := floorFrom + int64(shift*hours)*int64(time.Hour)
	began, rounds := processor(t), 0
	for at := floorChunk; at <= int64(hours)*int64(time.Hour); at += floorChunk {
		f.until(from + at)
		step, err := w.Pass(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rounds += step.Rounds
		if at%(2*int64(time.Hour)) == 0 {
			fmt.Fprintf(os.Stderr, "hour %d: %.0f rounds a second of processor time, collector %.0f %%, resident %s\n",
				int64(shift*hours)+at/int64(time.Hour), float64(rounds)/(processor(t)-began).Seconds(), collector(), resident(t))
		}
	}
	*total += rounds
	saved, cpu := time.Now(), processor(t)
	if err := w.save(t.Context()); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "snapshot stored in %v, %v of processor time; ", time.Since(saved).Round(time.Millisecond),
		(processor(t) - cpu).Round(time.Millisecond))
	*w = watcher{}
	runtime.GC()
	f.until(from + int64(hours)*int64(time.Hour) + floorChunk)
	return restart(t, f, w.options.Hooks)
}

// What is known of a patron or a dealer is dropped when the visit has ended: a table that plays on has as many keys
// after a day as after half a day. Patrons stay for five hours and a visit ends after four more.
func TestEndedVisitsAreDropped(t *testing.T) {
	f := newFloorStore(1)
	w := newWatcher(f, Options{Property: "ac-1", Engine: options()})
	var size [2]int
	for half := range size {
		for at := int64(0); at < 12*int64(time.Hour); at += floorChunk {
			f.until(floorFrom + int64(half)*12*int64(time.Hour) + at + floorChunk)
			if _, err := w.Pass(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var state bytes.Buffer
		if err := w.parts.WriteState(&state); err != nil {
			t.Fatal(err)
		}
		size[half] = state.Len()
	}
	t.Logf("the state has %d bytes after half a day, %d after a day", size[0], size[1])
	if size[0] < 100_000 || float64(size[1]) > 1.2*float64(size[0]) {
		t.Errorf("the state has %d bytes after half a day, %d after a day", size[0], size[1])
	}
}

// restartWithin is the time that a restart may take to its first scored rounds, with the state of 1,000 tables.
const restartWithin = 10 * time.Second

// restart starts another watch of a store, and measures the time to its first stored evidence.
func restart(t *testing.T, f Store, hooks Hooks) *watcher {
	t.Helper()
	began, cpu, took := time.Now(), processor(t), [2]time.Duration{}
	o := Options{Property: "ac-1", Engine: options()}
	o.Hooks.Kept = func(_, rounds int, _ []rows.Evidence, _ []finding.Finding, _ int64) {
		if took[0] == 0 && rounds > 0 {
			took = [2]time.Duration{time.Since(began), processor(t) - cpu}
		}
	}
	o.Hooks.Unread = func(err error) { t.Errorf("the snapshot is not read: %v", err) }
	w := newWatcher(f, o)
	if step, err := w.Pass(t.Context()); err != nil || step.Rounds == 0 {
		t.Fatalf("after a restart: %+v, %v", step, err)
	}
	fmt.Fprintf(os.Stderr, "restart to the first scored rounds %v, %v of processor time; resident %s\n",
		took[0].Round(time.Millisecond), took[1].Round(time.Millisecond), resident(t))
	if w.number == 0 || took[0] > restartWithin {
		t.Errorf("a restart from snapshot %d took %v to the first scored rounds, want at most %v",
			w.number, took[0], restartWithin)
	}
	o.Hooks = hooks
	w.options = o
	return w
}

// liveHeap is what is reachable, MiB.
func liveHeap() float64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// processor is the processor time used so far.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident is the resident memory: now, and the maximum so far.
func resident(t *testing.T) string {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	most := float64(u.Maxrss) / (1 << 10)
	if runtime.GOOS == "darwin" {
		most /= 1 << 10
	}
	now, pages := "", 0
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if _, err := fmt.Sscan(string(text), new(int), &pages); err == nil {
			now = fmt.Sprintf("%.0f MiB, ", float64(pages)*float64(os.Getpagesize())/(1<<20))
		}
	}
	return fmt.Sprintf("%sat most %.0f MiB", now, most)
}

// collector is the share of the collector in the processor time so far, percent.
func collector() float64 {
	of := []gometrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/user:cpu-seconds"}}
	gometrics.Read(of)
	gc, user := of[0].Value.Float64(), of[1].Value.Float64()
	return 100 * gc / (gc + user)
}
