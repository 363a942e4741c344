package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Setting annotates a flag that is also a key of the configuration; help lists these separately.
const Setting = "setting"

// plain replaces the error texts of cobra and pflag, which name Go types, in a command and its subcommands.
func plain(c *cobra.Command) {
	c.SetUsageFunc(usage)
	c.SetFlagErrorFunc(flagError)
	if check := c.Args; check != nil && (c.HasParent() || !c.HasSubCommands()) {
		c.Args = func(c *cobra.Command, args []string) error {
			switch err := check(c, args); {
			case err == nil:
				return nil
			case len(args) == 1 && len(c.ValidArgs) > 0:
				return fmt.Errorf("%s %q, want one of %s", c.Name(), args[0], strings.Join(c.ValidArgs, ", "))
			}
			path := strings.TrimSuffix(c.CommandPath(), c.Name())
			return fmt.Errorf("%q, want %q", strings.Join(append([]string{path + c.Name()}, args...), " "), path+c.Use)
		}
	}
	for _, sub := range c.Commands() {
		plain(sub)
	}
}

func flagError(_ *cobra.Command, err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	want, ok := map[string]string{
		"bool": "true or false", "duration": "a duration such as 500ms or 2s", "float64": "a number",
		"int": "a whole number", "uint64": "a whole number, 0 or more",
		"intSlice": "whole numbers such as 9092,9093", "stringToInt": "names with whole numbers, such as table-events=6",
	}[wrong.GetFlag().Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s %q, want %s", wrong.GetFlag().Name, wrong.GetValue(), want)
}

// usage prints the usage text of cobra with commands by group and settings after the other flags.
func usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", c.CommandPath())
	}
	if c.Example != "" { // the completion command of cobra has none
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	for _, group := range append(slices.Clone(c.Groups()), &cobra.Group{Title: "Commands:"}) {
		title := "\n" + group.Title + "\n"
		for _, sub := range c.Commands() {
			if sub.GroupID == group.ID && sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "%s  %-*s %s\n", title, sub.NamePadding(), sub.Name(), sub.Short)
				title = ""
			}
		}
	}
	flags, settings := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations[Setting]; ok {
			settings.AddFlag(f)
		} else {
			flags.AddFlag(f)
		}
	})
	fmt.Fprintf(&b, "\nFlags:\n%s", flags.FlagUsages())
	if settings.HasFlags() {
		fmt.Fprintf(&b, "\nSettings, also accepted from the file of --config and from SHOEPROOF_ variables:\n%s",
			settings.FlagUsages())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
	_, err := fmt.Fprint(c.OutOrStderr(), b.String())
	return err
}
