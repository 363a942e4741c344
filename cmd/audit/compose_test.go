//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/ingest"
)

// The programs know every setting and command that deploy/compose.yaml gives them.
func TestComposeIsUnderstood(t *testing.T) {
	data, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Build struct {
				Args struct {
					Program string `yaml:"PROGRAM"`
				}
			}
			Command     []string
			Environment map[string]string
			Secrets     []string
		}
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	ours := 0
	for name, s := range file.Services {
		if s.Build.Args.Program == "" {
			continue
		}
		ours++
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			content := map[string]string{"patron_key": "0123456789abcdef", "access": "tokens: []\n"}
			for _, secret := range s.Secrets {
				if err := os.WriteFile(filepath.Join(dir, secret), []byte(content[secret]), 0o400); err != nil {
					t.Fatal(err)
				}
			}
			for key, value := range s.Environment {
				t.Setenv(key, strings.ReplaceAll(value, "/run/secrets", dir))
			}
			root := command()
			if s.Build.Args.Program == "ingest" {
				root = ingest.Command(ingest.Options{Version: "test"})
			} else if found, _, err := root.Find(s.Command); err != nil || found == root {
				t.Errorf("audit has no command %v: %v", s.Command, err)
			} else if err := found.ParseFlags(s.Command[1:]); err != nil {
				t.Errorf("%v: %v", s.Command, err)
			}
			var said bytes.Buffer
			if code := cli.Execute(t.Context(), root, []string{"config", "validate"},
				cli.Streams{Out: &said, Err: &said}); code != cli.Done {
				t.Errorf("exit code %d: %s", code, &said)
			}
		})
	}
	if ours < 4 {
		t.Errorf("%d services of ours, want migrate, ingest, watch and console", ours)
	}
}
