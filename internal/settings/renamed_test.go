package settings_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/shoeproof/shoeproof/internal/settings"
)

// loadIngest loads the settings of ingest and returns what Warn logs.
func loadIngest(t *testing.T, args ...string) (settings.Ingest, string, error) {
	t.Helper()
	config := settings.DefaultIngest()
	fs := pflag.NewFlagSet("ingest", pflag.ContinueOnError)
	settings.AddFlags(fs, &config)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	loaded, err := settings.Load(fs, &config)
	var log bytes.Buffer
	loaded.Warn(slog.New(slog.NewTextHandler(&log, nil)))
	return config, log.String(), err
}

func TestOldNamesOfSettings(t *testing.T) {
	for _, c := range []struct {
		name, file, env string
		args            []string
		want            int
		warning         string
	}{
		{name: "new name", file: "snapshot: {offsets: 2000}\n", want: 2000},
		{
			name: "file", file: "memory: {offsets: 2000}\n", want: 2000,
			warning: "c.yaml:1: memory.offsets is now snapshot.offsets",
		},
		{name: "variable", env: "2000", want: 2000, warning: "SHOEPROOF_MEMORY_OFFSETS is now snapshot.offsets"},
		{
			name: "flag", args: []string{"--memory-offsets", "2000"}, want: 2000,
			warning: "--memory-offsets is now snapshot.offsets",
		},
		{
			name: "flag over variable", env: "3000", args: []string{"--snapshot-offsets", "2000"}, want: 2000,
			warning: "SHOEPROOF_MEMORY_OFFSETS is now snapshot.offsets",
		},
		{
			name: "variable over file", file: "snapshot: {offsets: 3000}\n", env: "2000", want: 2000,
			warning: "SHOEPROOF_MEMORY_OFFSETS is now snapshot.offsets",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("SHOEPROOF_PATRON_KEY", goodKey)
			if c.env != "" {
				t.Setenv("SHOEPROOF_MEMORY_OFFSETS", c.env)
			}
			args := c.args
			if c.file != "" {
				put(t, "c.yaml", c.file, 0o600)
				args = append(args, "--config", "c.yaml")
			}
			config, log, err := loadIngest(t, args...)
			if err != nil || config.Snapshot.Offsets != c.want {
				t.Errorf("%d, want %d: %v", config.Snapshot.Offsets, c.want, err)
			}
			if c.warning == "" && log != "" || !strings.Contains(log, c.warning) {
				t.Errorf("log %q, want %q", log, c.warning)
			}
		})
	}
}

func TestOldAndNewNameOfASetting(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("SHOEPROOF_PATRON_KEY", goodKey)
	put(t, "c.yaml", "memory: {offsets: 2000}\nsnapshot: {offsets: 2000}\n", 0o600)
	if _, _, err := loadIngest(t, "--config", "c.yaml"); err == nil || !strings.Contains(err.Error(),
		"snapshot.offsets: also given under its old name") {
		t.Errorf("file: %v", err)
	}
	if _, _, err := loadIngest(t, "--memory-offsets", "2000", "--snapshot-offsets", "2000"); err == nil ||
		!strings.Contains(err.Error(), "its old name") {
		t.Errorf("flags: %v", err)
	}
}
