package shoeproof_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/shoeproof/shoeproof"

// floors are the folders of the house with what each may import of ours, its own subfolders aside.
// The longest name that fits a package is its floor.
var floors = map[string][]string{
	"rules":               {},
	"stats":               {},
	"schema":              {},
	"simulate":            {"rules", "schema"},
	"detectors":           {"rules"},
	"pipeline":            {"rules", "schema", "detectors"},
	"pipeline/kafka":      {"pipeline", "schema"},
	"pipeline/clickhouse": {"pipeline", "schema"},
	"pipeline/file":       {"pipeline", "schema"},
	// Tests that every sink and source must pass.
	"pipeline/pipelinetest": {"pipeline", "schema"},
	"export":                {"pipeline", "schema", "rules", "detectors", "pipeline/clickhouse", "pipeline/file"},
	"console":               {"stats", "export", "pipeline", "schema", "rules", "detectors", "pipeline/clickhouse", "pipeline/file"},
	// The work behind the programs.
	"internal": {"stats", "console", "export", "pipeline", "pipeline/kafka", "pipeline/clickhouse", "pipeline/file", "simulate", "detectors", "rules", "schema"},
	// Programs: the top.
	"cmd": {"internal", "console", "export", "pipeline", "pipeline/kafka", "pipeline/clickhouse", "pipeline/file", "simulate", "detectors", "rules", "schema"},
}

// outside are the modules that a floor may import; a floor that is not named here is free to.
var outside = map[string][]string{
	"rules":     {"go.yaml.in/yaml/v3"},
	"stats":     {},
	"simulate":  {},
	"detectors": {},
	"pipeline":  {},
}

// Imports run downward only.
func TestImportsRunDownward(t *testing.T) {
	graph := imports(t)
	if len(graph) < 5 {
		t.Fatalf("%d packages, want the whole module", len(graph))
	}
	for _, pkg := range slices.Sorted(maps.Keys(graph)) {
		floor := floorOf(pkg)
		if floor == "" {
			t.Errorf("%s lies on no floor of the house", pkg)
			continue
		}
		for _, imported := range graph[pkg] {
			to, ours := strings.CutPrefix(imported, module+"/")
			switch {
			case ours && floorOf(to) != floor && !slices.Contains(floors[floor], floorOf(to)):
				t.Errorf("%s imports %s: the arrow runs up", pkg, to)
			case !ours && strings.Contains(strings.Split(imported, "/")[0], ".") && outside[floor] != nil && !slices.Contains(outside[floor], imported):
				t.Errorf("%s imports %s: want the standard library and %v", pkg, imported, outside[floor])
			}
		}
	}
}

// floorOf is the longest floor that a package lies on, empty if none.
func floorOf(pkg string) string {
	for p := pkg; p != "."; p = path.Dir(p) {
		if _, ok := floors[p]; ok {
			return p
		}
	}
	return ""
}

// imports draws the graph from the source, whatever the build constraints, tests aside.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	graph := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(name))
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !slices.Contains(graph[pkg], imported) {
				graph[pkg] = append(graph[pkg], imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// What only development needs is never linked into the programs of a casino.
func TestProgramsLinkNoDevelopment(t *testing.T) {
	for _, program := range []string{"./cmd/ingest", "./cmd/audit"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", program).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", program, err)
		}
		for dep := range strings.FieldsSeq(string(out)) {
			for _, never := range []string{module + "/cmd/devstack", "github.com/twmb/franz-go", "github.com/ebitengine/purego"} {
				if dep == never || strings.HasPrefix(dep, never+"/") {
					t.Errorf("%s links %s", program, dep)
				}
			}
		}
	}
}
