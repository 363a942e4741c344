package export

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/simulate/deal"
)

// BenchmarkDay exports and verifies a day of SHOEPROOF_TABLES tables (4 by default) that play for 24 h, each with one
// wrong payment, and reports the size of the bundle and of its parts.
func BenchmarkDay(b *testing.B) {
	tables := 4
	if _, err := fmt.Sscan(os.Getenv("SHOEPROOF_TABLES"), &tables); err != nil && os.Getenv("SHOEPROOF_TABLES") != "" {
		b.Fatal(err)
	}
	c := newCasino(b, "ac-1", 1)
	clear(c.events)
	start, events := time.Date(2026, 11, 19, 11, 0, 0, 0, time.UTC), 0
	for i := range tables {
		config, err := deal.Config(deal.Kinds()[i%len(deal.Kinds())], uint64(i))
		if err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("PB-%03d", i+1)
		table := deal.NewTable(deal.Options{
			Property: "ac-1", Pit: "p1", Table: name, Seed: uint64(i), Flawless: true, Config: config, Start: start,
		})
		played := table.Open()
		for n := 0; time.Unix(0, played[len(played)-1].At).Before(start.Add(24 * time.Hour)); n++ {
			shoe := table.Shoe()
			if n == 3 {
				overpay(b, shoe)
			}
			played = append(played, shoe...)
		}
		for k := range played {
			at := int64(100_000*i + k)
			c.events[name] = append(c.events[name], Event{"table-events", int32(i % 3), at, played[k].Clone(), false, false})
		}
		events += len(played)
	}
	c.audit(b)
	var path string
	dir := b.TempDir()
	b.Run("export", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			c.dir = filepath.Join(dir, fmt.Sprint(i))
			path = c.export(b, false)
		}
		b.ReportMetric(float64(events), "events")
		b.ReportMetric(float64(len(c.rounds)), "rounds")
	})
	for what, opt := range map[string]VerifyOptions{"verify": {}, "replay": {Replay: true}} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				if v := c.verify(b, path, opt); v.Code != Good {
					b.Fatalf("%+v", v)
				}
			}
		})
	}
	if keep := os.Getenv("SHOEPROOF_KEEP"); keep != "" { // for the page of internal/verifypage
		if err := os.WriteFile(keep, readFile(b, path), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d tables, %d events, %d rounds, %d findings: a bundle of %d bytes", tables, events, len(c.rounds),
		len(c.findings), info.Size())
	unzipped, err := openBundle(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = unzipped.close() }()
	parts := map[string]int64{}
	for p, n := range unzipped.sizes {
		if dir := filepath.Dir(p); dir != "." && dir != "people" {
			p = dir
		}
		parts[p] += n
	}
	b.Logf("%v", parts)
}
