package cli

import "github.com/spf13/cobra"

// WithoutExample returns the commands whose help has no example.
func WithoutExample(c *cobra.Command) []string {
	var names []string
	if c.Example == "" {
		names = append(names, c.CommandPath())
	}
	for _, sub := range c.Commands() {
		names = append(names, WithoutExample(sub)...)
	}
	return names
}
