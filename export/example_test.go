package export_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
)

// emptyDay is a gaming day without findings.
func emptyDay() (*export.Day, error) {
	books, err := rules.Shipped()
	if err != nil {
		return nil, err
	}
	calendar, err := calendar.New("America/New_York", "06:00", map[string]string{"day": "06:00"})
	return &export.Day{
		Property: "ac-1", GamingDay: "2026-11-19", Calendar: calendar, Books: books,
		Findings: func(func(*finding.Finding, error) bool) {},
		Coverage: func([]export.Span) ([]export.Coverage, error) { return nil, nil },
		Mask:     func(ref string) string { return "pseudonym of " + ref },
		Licensee: "Example Casino LLC", Form: "Daily exception report of baccarat", Engine: "shoeproof@example",
	}, err
}

// A casino makes a key and exports a day. The regulator verifies the bundle with the policy that the casino handed
// over in person, and records it as accepted.
func Example() {
	dir, err := os.MkdirTemp("", "export-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := exportAndVerify(context.Background(), dir); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ac-1_2026-11-19_000001.zip
	// good: Genuine and complete: nothing was changed, removed, added or reordered.
	// not-next: repeated: export 1 was accepted before; the last accepted export is 1
}

func exportAndVerify(ctx context.Context, dir string) (err error) {
	keyFile := filepath.Join(dir, "log.key")
	vkey, err := export.NewKey("audit.example/ac-1/findings", keyFile)
	if err != nil {
		return err
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	signer, err := export.ParseKey(string(key))
	if err != nil {
		return err
	}
	day, err := emptyDay()
	if err != nil {
		return err
	}
	log, err := export.OpenLog(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	done, err := log.Export(ctx, day, signer, export.Target{Dir: dir})
	if err != nil {
		return err
	}
	fmt.Println(filepath.Base(done.Path))
	policy, err := export.ParsePolicy([]byte(export.PolicyText(vkey)))
	if err != nil {
		return err
	}
	for range 2 {
		v, err := export.Verify(
			ctx, done.Path, export.VerifyOptions{Policy: policy, Last: filepath.Join(dir, "accepted.json")},
		)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", v.Verdict, v.Message)
	}
	return nil
}
