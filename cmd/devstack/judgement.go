//go:build unix

package main

import (
	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/judgement"
	"github.com/shoeproof/shoeproof/internal/settings"
)

func judgementCommand() *cobra.Command {
	var shoes int
	var scenarios string
	var each bool
	cmd := &cobra.Command{
		Use:   "judgement",
		Short: "print a SHA-256 over the findings and facts of fixtures, scenarios and simulated shoes",
		Long: `Judgement audits every fixture, every scenario, legal shoes of all kinds, and as many shoes with a fault.
It hashes the findings (ids, rules, verdicts, subjects, amounts, evidence) and the facts, not the texts
for people, the citations or the versions. A change that alters no judgement prints the same hashes.`,
		Example: "  devstack judgement --shoes 2000\n  devstack judgement --cases >before.txt",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			law := settings.DefaultAudit().Law
			opt, err := law.Options("judgement")
			if err != nil {
				return err
			}
			opt.PatronKey = []byte("judgement")
			cases, err := judgement.Cases(opt, scenarios, shoes)
			if err != nil {
				return err
			}
			return judgement.Write(cmd.OutOrStdout(), cases, each)
		},
	}
	cmd.Flags().IntVar(&shoes, "shoes", 200, "number of legal shoes, and of shoes with a fault")
	cmd.Flags().StringVar(&scenarios, "scenarios", "testdata/scenarios", "folder of the scenarios")
	cmd.Flags().BoolVar(&each, "cases", false, "print the hash of each case too, to find a difference")
	return cmd
}
