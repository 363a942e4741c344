//go:build unix

package export

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
)

// BenchmarkMillion builds and verifies a bundle of a million findings, and reports the peak memory of the process. Run
// build and verification alone to measure the memory of each.
func BenchmarkMillion(b *testing.B) {
	const findings = 1_000_000
	c := newCasino(b, "ac-1", 1)
	one := c.first()
	c.events = nil
	one.Evidence = finding.Evidence{}
	c.day.Findings = func(yield func(*finding.Finding, error) bool) {
		for i := range findings {
			f := one
			f.TableID = fmt.Sprintf("PB-%02d", i%100)
			f.Subject = fmt.Sprint("seat:", i)
			f.ID = f.Identity(1).ID()
			if !yield(&f, nil) {
				return
			}
		}
	}
	dir := os.Getenv("SHOEPROOF_MILLION")
	if dir == "" {
		dir = b.TempDir()
	}
	c.dir = dir
	path := filepath.Join(dir, "out", "ac-1_2026-11-19_000001.zip")
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			if err := os.RemoveAll(filepath.Join(dir, "log")); err != nil {
				b.Fatal(err)
			}
			_ = os.Remove(path)
			c.export(b, false)
		}
		if info, err := os.Stat(path); err == nil {
			b.ReportMetric(float64(info.Size())/1e6, "MB")
		}
		peak(b)
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if v := c.verify(b, path, VerifyOptions{}); v.Code != Good || v.Findings != findings {
				b.Fatalf("%+v", v)
			}
		}
		peak(b)
	})
}

func peak(b *testing.B) {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err == nil && runtime.GOOS == "linux" {
		b.ReportMetric(float64(usage.Maxrss)/1024, "MiB-peak")
	}
}

// The tree alone, and what signing costs.
func BenchmarkTree(b *testing.B) {
	var t tree
	leaf := []byte(strings.Repeat("x", 512))
	b.SetBytes(int64(len(leaf)))
	for b.Loop() {
		t.add(leaf)
	}
}
