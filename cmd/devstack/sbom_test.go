//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The bill has the modules that the Go tool finds in the program, and no other.
func TestBillIsWhatGoSays(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), "go", "version", "-m", self).Output()
	if err != nil {
		t.Fatalf("go version -m: %v", err)
	}
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)`).FindAllSubmatch(said, -1) {
		want = append(want, string(m[1])+" "+string(m[2]))
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"sbom", self}, nil, &out, &errs); code != 0 {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	var b billOfMaterials
	if err := json.Unmarshal(out.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, c := range b.Components {
		have = append(have, c.Name+" "+c.Version)
	}
	if len(want) < 10 || have[0][:4] != "std " {
		t.Fatalf("go says %d modules, the bill begins with %q", len(want), have[0])
	}
	slices.Sort(want)
	rest := have[1:]
	slices.Sort(rest)
	if diff := cmp.Diff(want, rest); diff != "" {
		t.Errorf("go version -m and the bill differ (-want +have):\n%s", diff)
	}
}

func TestNoProgram(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"sbom", "main.go"}, nil, &out, &errs); code != 2 || out.Len() > 0 ||
		!bytes.Contains(errs.Bytes(), []byte("main.go")) {
		t.Errorf("code %d, %q, %q; want 2 and the file named", code, out.String(), errs.String())
	}
}
