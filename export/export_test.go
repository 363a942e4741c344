package export

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
)

func TestExportAndVerify(t *testing.T) {
	for _, folder := range []bool{false, true} {
		c := newCasino(t, "ac-1", 6)
		path := c.export(t, folder)
		v := c.verify(t, path, VerifyOptions{Last: c.last(), Replay: true})
		for _, check := range v.Checks {
			t.Logf("%-10s %v %s", check.Name, check.Passed, check.Detail)
		}
		if v.Code != Good || v.Findings == 0 || len(v.Checks) != 11 {
			t.Fatalf("folder %v: %+v", folder, v)
		}
		if _, err := c.try(t.Context(), folder, nil); !errors.Is(err, ErrNothing) {
			t.Errorf("again: %v, want %v", err, ErrNothing)
		}
	}
}

func TestCancelledExportRunsNoFurtherStep(t *testing.T) {
	w := newWorld(t, "ac-1", 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	coverage := w.day.Coverage
	w.day.Coverage = func(spans []Span) ([]Coverage, error) {
		cancel(stop)
		return coverage(spans)
	}
	dir := t.TempDir()
	if _, err := build(ctx, dir, &w.day, position{&head{}, newIndex()}, newCasino(t, "ac-1", 1).signer); !errors.Is(err,
		stop) {
		t.Fatalf("%v, want %v", err, stop)
	}
	if _, err := os.Stat(filepath.Join(dir, pathCoverage)); err != nil {
		t.Errorf("the step that was under way: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, pathRulebook)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was written after the export was cancelled: %v", pathRulebook, err)
	}
}

func TestValueThatCannotBeEncodedWritesNoLine(t *testing.T) {
	b := &builder{dir: t.TempDir()}
	err := b.write(pathMissing, func(o *out) error { return o.encode(func() {}) })
	if err == nil {
		t.Fatal("no error")
	}
	if info, err := os.Stat(filepath.Join(b.dir, pathMissing)); err != nil || info.Size() != 0 {
		t.Errorf("%v bytes: %v", info.Size(), err)
	}
}

// The review queue and the tests of the hold find something once a day or month: the period is in the identity.
func TestFindingsOfAPeriodVerify(t *testing.T) {
	c := newCasino(t, "ac-1", 2)
	for _, about := range []finding.Identity{
		{TableID: "PB-01", Rule: "review.d07", Subject: "2026-11-19 patron:p1"},
		{TableID: "PB-01", Rule: "hold.nj", Subject: "2026-11"},
	} {
		about.PropertyID = "ac-1"
		f := finding.New(about, finding.Anomaly, finding.Suspect, finding.Minor)
		f.Subject, f.GamingDay = "patron:p1", "2026-11-19"
		c.findings[f.ID] = f
	}
	if v := c.verify(t, c.export(t, true), VerifyOptions{Last: c.last(), Replay: true}); v.Code != Good {
		t.Errorf("verdict %+v", v)
	}
}

// The receipt has the size of the file that is handed over.
func TestReceiptHasTheSizeOfTheFile(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	info, err := os.Stat(c.export(t, false))
	if err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(filepath.Join(c.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if got := l.Last().Bytes; got != info.Size() {
		t.Errorf("the receipt has %d bytes, the file %d", got, info.Size())
	}
}
