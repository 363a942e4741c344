package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/internal/cli"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Short: "make tokens for the console", Example: "  audit token new grafana --role viewer",
	}
	var role, property string
	var days int
	add := &cobra.Command{
		Use:   "new NAME",
		Short: "print a new token, and its entry in the access file",
		Long: `New makes a secret of 256 random bits. It prints the secret, which is not stored, and the entry for
console.access_file, which has only the hash. A running console reads the changed file within seconds.`,
		Example: "  audit token new grafana --role viewer --property '*' --days 180",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if days < 1 || days > 366 {
				return cli.WrongUsage(fmt.Errorf("--days %d, want 1 to 366", days))
			}
			if err := console.CheckRole(role); err != nil {
				return cli.WrongUsage(fmt.Errorf("--%w", err))
			}
			secret := rand.Text() + rand.Text()
			sum := sha256.Sum256([]byte(secret))
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "secret: %s\n\n  - name: %q\n    sha256: %s\n    expires: %s\n"+
				"    grants: [{role: %q, properties: [%q]}]\n", secret, args[0], hex.EncodeToString(sum[:]),
				time.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339), role, property)
			return err
		},
	}
	add.Flags().StringVar(&role, "role", "viewer", "role of the token: "+strings.Join(console.RoleNames(), ", "))
	add.Flags().StringVar(&property, "property", "*", "property at which it has the role, * for all")
	add.Flags().IntVar(&days, "days", 180, "days until it expires")
	cmd.AddCommand(add)
	return cmd
}
