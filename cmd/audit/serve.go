package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/serve"
	"github.com/shoeproof/shoeproof/internal/settings"
)

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "serve the surveillance console",
		Long: `Serve runs the console over the tables of ClickHouse: the queue of findings and their triage, the evidence of
each, the floor, and the record of all actions. docs/console.md describes it.

Without console.sign_in every user of this machine may choose a role, and the console listens on loopback only.`,
		Example: `  audit serve
  audit serve --config shoeproof.yaml --console-listen 0.0.0.0:8443`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := configure(cmd)
			if err != nil {
				return err
			}
			stderr := cmd.ErrOrStderr()
			return serve.Run(cmd.Context(), &config, serve.Options{
				Version: version, Log: config.Log.Logger(stderr),
				Listening: func(url string) { fmt.Fprintln(stderr, "console:", url) },
				Metrics:   func(addr string) { fmt.Fprintln(stderr, "metrics:", addr) },
			})
		},
	}
	settings.AddFlags(cmd.Flags(), auditDefaults())
	return cmd
}
