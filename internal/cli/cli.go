// Package cli runs the command line of a program: exit codes, how an error is printed, help texts and the
// version command. It knows no command of any program.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	Done   = 0
	Failed = 1
	// Usage is wrong usage, configuration or input.
	Usage = 2
	// Found means findings at or above the level of --fail-on.
	Found = 3
)

// codeError is an error with an exit code.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

// WithCode attaches an exit code to an error; nil stays nil.
func WithCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &codeError{code, err}
}

// WrongUsage marks an error as wrong usage, configuration or input; nil stays nil.
func WrongUsage(err error) error { return WithCode(Usage, err) }

// WrongUsageIf marks an error as wrong usage if it is one of the targets.
func WrongUsageIf(err error, targets ...error) error {
	if slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) }) {
		return WrongUsage(err)
	}
	return err
}

// ErrFound ends a program without an error message: the findings are its output.
var ErrFound = errors.New("findings at or above the level of --fail-on")

// Streams are the standard streams of a program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Execute runs a command and returns the exit code. An error is printed to stderr after the program's name. An
// error before the command runs is wrong usage.
func Execute(ctx context.Context, root *cobra.Command, args []string, std Streams) int {
	if len(args) > 0 && args[0] == "help" { // cobra's help exits with 0 for an unknown command
		args = append(slices.Clone(args[1:]), "--help")
	}
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetArgs(args)
	plain(root)
	cmd, rest, err := root.Find(args)
	if err == nil && !cmd.Runnable() && cmd.HasParent() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		err = fmt.Errorf("unknown command %q for %q", rest[0], cmd.CommandPath()) // cobra would print help and exit with 0
	} else {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		return Done
	}
	var coded *codeError
	code := Failed
	switch {
	case errors.As(err, &coded):
		code = coded.code
	case !started:
		code = Usage
	}
	if !errors.Is(err, ErrFound) {
		fmt.Fprintf(std.Err, "%s: %s\n", root.Name(), err)
	}
	if !started {
		fmt.Fprintf(std.Err, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return code
}

// Engine is the name of a release in findings and in the journal.
func Engine(version string) string { return "shoeproof@" + version }

// VersionCommand prints the release.
func VersionCommand(name, version string) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the release",
		Example: "  " + name + " version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s %s/%s\n", name, version, runtime.Version(), runtime.GOOS,
				runtime.GOARCH)
			return err
		},
	}
}
