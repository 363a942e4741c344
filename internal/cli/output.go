package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// endings are the formats in which a command can write a file.
var endings = []string{"csv", "json", "ndjson", "sql", "xml"}

// redirect gives -o one meaning: a format for standard output, or a file, whose ending is its format. It returns the
// file, or nil. A command whose -o has no format as its default opens its file itself.
func redirect(cmd *cobra.Command) (*outputFile, error) {
	flag := cmd.Flags().Lookup("output")
	if flag == nil || flag.DefValue == "" || !flag.Changed {
		return nil, nil
	}
	path := flag.Value.String()
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	if format == "" || !slices.Contains(endings, format) {
		return nil, nil
	}
	if err := flag.Value.Set(format); err != nil {
		return nil, WrongUsage(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, WrongUsage(fmt.Errorf("write the output %s: %w", path, err))
	}
	file := &outputFile{path: path}
	cmd.SetOut(file)
	return file, nil
}

// KeepInputs returns an error if out is a file of -o that is one of the inputs: it would be overwritten.
func KeepInputs(out io.Writer, inputs []string) error {
	file, ok := out.(*outputFile)
	if !ok {
		return nil
	}
	info, err := os.Stat(file.path)
	if err != nil {
		return nil //nolint:nilerr // a file that does not exist is no input
	}
	for _, input := range inputs {
		if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
			return WrongUsage(fmt.Errorf("-o %s would overwrite the input %s, want another file", file.path, input))
		}
	}
	return nil
}

// outputFile is created by the first write, so that wrong usage leaves no file.
type outputFile struct {
	path string
	file *os.File
}

func (o *outputFile) Write(b []byte) (int, error) {
	if err := o.create(); err != nil {
		return 0, err
	}
	return o.file.Write(b)
}

func (o *outputFile) create() (err error) {
	if o.file == nil {
		if o.file, err = os.Create(o.path); err != nil {
			o.file, err = nil, WrongUsage(fmt.Errorf("write the output: %w", err))
		}
	}
	return err
}

// close completes the file after a command that gave err; a command that found nothing leaves an empty file.
func (o *outputFile) close(err error) error {
	if err == nil || errors.Is(err, ErrFound) {
		err = errors.Join(err, o.create())
	}
	if o.file != nil {
		err = errors.Join(err, o.file.Close())
	}
	return err
}
