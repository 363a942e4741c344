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
			understood(t, s.Build.Args.Program, s.Command)
		})
	}
	if ours < 4 {
		t.Errorf("%d services of ours, want migrate, ingest, watch and console", ours)
	}
}

// understood fails if a program does not know a command, its flags, or the settings in the environment.
func understood(t *testing.T, program string, args []string) {
	t.Helper()
	root := command()
	if program == "ingest" {
		root = ingest.Command(ingest.Options{Version: "test"})
	}
	found, flags, err := root.Find(args)
	if err != nil || program == "audit" && found == root {
		t.Errorf("%s has no command %v: %v", program, args, err)
	} else if err := found.ParseFlags(flags); err != nil {
		t.Errorf("%s %v: %v", program, args, err)
	}
	var printed bytes.Buffer
	if code := cli.Execute(t.Context(), root, []string{"config", "validate"},
		cli.Streams{Out: &printed, Err: &printed}); code != cli.Done {
		t.Errorf("exit code %d: %s", code, &printed)
	}
}

// The programs know every setting and command of the units of systemd.
func TestUnitsAreUnderstood(t *testing.T) {
	units, err := filepath.Glob("../../deploy/systemd/*.service")
	if err != nil || len(units) != 6 {
		t.Fatalf("%d units: %v", len(units), err)
	}
	for _, path := range units {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for line := range strings.Lines(string(text)) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				switch key {
				case "LoadCredential":
					name, _, _ := strings.Cut(value, ":")
					if err := os.WriteFile(filepath.Join(dir, name), []byte("0123456789abcdef"), 0o400); err != nil {
						t.Fatal(err)
					}
				case "Environment":
					for pair := range strings.FieldsSeq(value) {
						name, file, _ := strings.Cut(pair, "=")
						t.Setenv(name, strings.ReplaceAll(file, "%d", dir))
					}
				}
			}
			_, exec, _ := strings.Cut(string(text), "\nExecStart=/usr/bin/")
			exec, _, _ = strings.Cut(exec, "\n")
			words := strings.Fields(exec)
			understood(t, words[0], words[1:])
		})
	}
}
