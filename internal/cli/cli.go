// Package cli runs the command line of a program: exit codes, how an error is printed, help texts and the
// version command. It knows no command of any program.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
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
	var file *outputFile
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		started = true
		file, err = redirect(cmd)
		return err
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetArgs(args)
	root.InitDefaultCompletionCmd(args...)
	plain(root)
	cmd, rest, err := root.Find(args)
	if err == nil && !cmd.Runnable() && cmd.HasParent() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		err = fmt.Errorf("unknown command %q for %q", rest[0], cmd.CommandPath()) // cobra would print help and exit with 0
	} else {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if file != nil {
		err = file.close(err)
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

// Describe adds to a program what describes it: --version, the version command, and the command that writes its manual
// pages. The group of these and of the completion command may be empty.
func Describe(root *cobra.Command, version, group string) {
	root.Version = fmt.Sprintf("%s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetCompletionCommandGroupID(group)
	for _, c := range []*cobra.Command{versionCommand(root), manualCommand(root, version)} {
		c.GroupID = group
		root.AddCommand(c)
	}
}

func versionCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the release, as --version",
		Example: "  " + root.Name() + " version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), root.Name(), root.Version)
			return err
		},
	}
}

// manualCommand writes a page of section 1 for each command. SOURCE_DATE_EPOCH sets the date of the pages.
func manualCommand(root *cobra.Command, version string) *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "write the manual pages into a folder",
		Example: "  " + root.Name() + " man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return WrongUsage(fmt.Errorf("write manual pages: %w", err))
			}
			root.DisableAutoGenTag = true
			header := doc.GenManHeader{Section: "1", Source: root.Name() + " " + version, Manual: "Shoeproof"}
			if err := doc.GenManTree(root, &header, args[0]); err != nil {
				return fmt.Errorf("write manual pages: %w", err)
			}
			return nil
		},
	}
}
