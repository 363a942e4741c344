package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/shoeproof/shoeproof/internal/cli"
)

// Command is the command config, which prints and checks the settings; defaults returns a pointer to new ones. Further
// functions check the files that only the program itself can read.
func Command(name string, defaults func() any, further ...func(config any) error) *cobra.Command {
	root := &cobra.Command{
		Use:   "config",
		Short: "print or check the configuration",
		Long: `Settings come from flags, then SHOEPROOF_* variables, then the file of --config, then defaults.
The setting kafka.tls.ca_file has the flag --kafka-tls-ca-file and the variable SHOEPROOF_KAFKA_TLS_CA_FILE.
Secrets have no flags.`,
		Example: "  " + name + " config print --config shoeproof.yaml",
	}
	show := &cobra.Command{
		Use:   "print",
		Short: "print the settings in force and the origin of each; secrets as ****",
		Example: fmt.Sprintf(`  %s config print
  %s config print --config shoeproof.yaml`, name, name),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := Load(cmd.Flags(), defaults())
			return errors.Join(l.print(cmd), cli.WrongUsage(err))
		},
	}
	for _, c := range []*cobra.Command{show, validateCommand(name, defaults, further)} {
		AddFlags(c.Flags(), defaults())
		root.AddCommand(c)
	}
	return root
}

func validateCommand(name string, defaults func() any, further []func(config any) error) *cobra.Command {
	return &cobra.Command{
		Use:     "validate",
		Short:   "check all settings and start nothing",
		Example: "  " + name + " config validate --config shoeproof.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config := defaults()
			if _, err := Load(cmd.Flags(), config); err != nil {
				return cli.WrongUsage(err)
			}
			for _, check := range further {
				if err := check(config); err != nil {
					return cli.WrongUsage(fmt.Errorf("configuration: %w", err))
				}
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "configuration: valid")
			return err
		},
	}
}

// print writes the settings as a configuration file, with secrets masked.
func (l *Loaded) print(cmd *cobra.Command) error {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for i := range l.leaves {
		leaf := &l.leaves[i]
		at := root
		words := strings.Split(leaf.key, ".")
		for _, w := range words[:len(words)-1] {
			at = child(at, w)
		}
		value := &yaml.Node{}
		shown := leaf.field.Interface()
		if s, ok := shown.(Secret); ok {
			shown = s.String()
		}
		if s, ok := shown.(fmt.Stringer); ok { // a duration
			shown = s.String()
		}
		if err := value.Encode(shown); err != nil {
			return fmt.Errorf("print %s: %w", leaf.key, err)
		}
		if value.Kind == yaml.SequenceNode || value.Kind == yaml.MappingNode {
			value.Style = yaml.FlowStyle
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Value: words[len(words)-1]}
		if from := l.origins[leaf.key]; from != "default" {
			value.LineComment = "from " + from
		}
		at.Content = append(at.Content, key, value)
	}
	enc := yaml.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	return enc.Close()
}

func child(at *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(at.Content); i += 2 {
		if at.Content[i].Value == name {
			return at.Content[i+1]
		}
	}
	m := &yaml.Node{Kind: yaml.MappingNode}
	at.Content = append(at.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, m)
	return m
}
