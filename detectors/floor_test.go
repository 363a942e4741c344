package detectors

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
)

// BenchmarkFloor plays tables around the clock, with patrons who stay for five hours and six dealers in turn, and
// reports what the stored detectors keep of a table after each of two days, and how long a snapshot takes.
func BenchmarkFloor(b *testing.B) {
	const tables = 20
	for b.Loop() {
		h := oneStored(DefaultBudget())
		all := make([]*table, tables)
		for i := range all {
			tb := newTable(b, uint64(90+i))
			tb.name = fmt.Sprint("t", i)
			bets := tb.bets
			tb.bets = func(r *Round, next []baccarat.Card) {
				bets(r, next)
				hour := r.At / 3600e9
				r.Dealer = fmt.Sprint("d", i, "-", hour/8, "-", r.At/1200e9%6)
				for k := range r.Wagers {
					w := &r.Wagers[k]
					w.Patron = fmt.Sprint(w.Patron, "-", i, "-", (hour+int64(w.Seat))/5)
				}
			}
			all[i] = tb
		}
		for day := range 2 {
			for all[0].at < int64(day+1)*24*3600e9 {
				for _, tb := range all {
					tb.play(h)
				}
				h.Forget(all[0].at)
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/tables/1024, fmt.Sprintf("KiB/table-day%d", day+1))
		}
		var data bytes.Buffer
		if err := writeOne(h, &data); err != nil {
			b.Fatal(err)
		}
		size, began := data.Len(), time.Now()
		if _, err := readOne(DefaultBudget(), &data); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(size)/tables/1024, "snapshot-KiB/table")
		b.ReportMetric(time.Since(began).Seconds()*1e3/tables, "restore-ms/table")
	}
}
