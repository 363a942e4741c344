package main

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
)

// printFlags are how a command prints findings, and which of them give exit code 3.
type printFlags struct {
	output, failOn, min string
}

func (f *printFlags) add(fs *pflag.FlagSet) {
	fs.StringVarP(&f.output, "output", "o", "table", "table, ndjson, csv, or a file such as findings.csv")
	fs.StringVar(&f.failOn, "fail-on", "", "exit with 3 if there is a finding of this severity or above: info, minor, "+
		"major or critical")
	fs.StringVar(&f.min, "min-severity", "info", "print findings of this severity and above")
}

// printer checks the flags.
func (f *printFlags) printer(out io.Writer) (*output.Printer, error) {
	min, err := severity("min-severity", f.min)
	if err != nil {
		return nil, err
	}
	if _, err := severity("fail-on", f.failOn); err != nil && f.failOn != "" {
		return nil, err
	}
	p, err := output.NewPrinter(out, f.output)
	if err != nil {
		return nil, cli.WrongUsage(err)
	}
	p.Min = min
	return p, nil
}

// fails reports whether the printer has a finding for exit code 3.
func (f *printFlags) fails(p *output.Printer) bool {
	failOn, ok := finding.ParseSeverity(f.failOn)
	return ok && p.Any(failOn)
}

func severity(flag, word string) (finding.Severity, error) {
	s, ok := finding.ParseSeverity(word)
	if !ok {
		return 0, cli.WrongUsage(fmt.Errorf("--%s %q, want info, minor, major or critical", flag, word))
	}
	return s, nil
}
