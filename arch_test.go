package shoeproof_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/shoeproof/shoeproof"

// layers lists the folders of the house from the bottom up, a layer a line. A package may import packages of lower
// layers and of its own folder. The longest name that fits a package decides its layer.
var layers = [][]string{
	{"baccarat", "schema", "numeric", "internal/testkit"},
	{"finding", "stats"},
	{"law", "schema/rows"},
	{"record"},
	{"rules", "detectors", "simulate"},
	{"engine/calendar", "engine/order"},
	{"engine/play"},
	{"engine/verdict", "engine/suspicion", "engine/facts"},
	{"engine"},
	{"pipeline", "engine/enginetest"},
	{"pipeline/kafka", "pipeline/clickhouse", "pipeline/file", "pipeline/pipelinetest"},
	{"export"},
	{"console"},
	{"internal"},
	{"cmd"},
}

// only narrows what a package may import of ours further than its layer does.
var only = map[string][]string{
	"internal/testkit":      {},
	"simulate":              {"schema"},
	"detectors":             {"baccarat", "law", "numeric", "record", "schema"},
	"pipeline/kafka":        {"pipeline", "schema", "schema/rows", "finding"},
	"pipeline/clickhouse":   {"pipeline", "schema", "schema/rows", "finding"},
	"pipeline/file":         {"pipeline", "schema", "schema/rows", "finding"},
	"pipeline/pipelinetest": {"pipeline", "schema", "schema/rows", "finding"},
}

// outside are the modules that a package may import; a package that is not named here is free to.
var outside = map[string][]string{
	"baccarat":  {},
	"numeric":   {},
	"stats":     {},
	"law":       {"go.yaml.in/yaml/v3"},
	"record":    {},
	"rules":     {},
	"simulate":  {},
	"detectors": {"github.com/fxamacker/cbor/v2"},
	"engine":    {"github.com/fxamacker/cbor/v2"},
	"pipeline":  {},
	"finding":   {},

	"internal/testkit": {},
}

// Imports run downward only.
func TestImportsRunDownward(t *testing.T) {
	graph := imports(t)
	if len(graph) < 5 {
		t.Fatalf("%d packages, want the whole module", len(graph))
	}
	for _, pkg := range slices.Sorted(maps.Keys(graph)) {
		folder, layer := place(pkg)
		if layer < 0 {
			t.Errorf("%s is on no layer", pkg)
			continue
		}
		for _, imported := range graph[pkg] {
			to, ours := strings.CutPrefix(imported, module+"/")
			target, below := place(to)
			allowed, narrowed := only[folder]
			switch {
			case ours && target == folder:
			case ours && below >= layer:
				t.Errorf("%s imports %s, which is not on a lower layer", pkg, to)
			case ours && narrowed && !slices.Contains(allowed, target):
				t.Errorf("%s imports %s: want %v alone", pkg, to, allowed)
			case !ours && strings.Contains(strings.Split(imported, "/")[0], ".") && outside[folder] != nil &&
				!slices.Contains(outside[folder], imported):
				t.Errorf("%s imports %s: want the standard library and %v", pkg, imported, outside[folder])
			}
		}
	}
}

// place is the longest folder of layers that a package lies in, and its layer from the bottom; -1 if there is none.
func place(pkg string) (folder string, layer int) {
	for p := pkg; p != "."; p = path.Dir(p) {
		for i, folders := range layers {
			if slices.Contains(folders, p) {
				return p, i
			}
		}
	}
	return "", -1
}

// The simulator is the second opinion on the rules: it and its tests import schema and nothing else of this module, so
// that no mistake in a rule can hide in the play that it is tested with. Within it imports run one way.
func TestSimulatorIsIndependent(t *testing.T) {
	const shoe, deal, script = "simulate/internal/shoe", "simulate/deal", "simulate/script"
	allowed := map[string][]string{
		shoe:                      {"schema"},
		deal:                      {"schema", shoe},
		script:                    {"schema", shoe, deal},
		"simulate/cheat":          {"schema", shoe, deal},
		"simulate/fault":          {"schema", shoe, deal, script},
		"simulate/internal/legal": {"schema"}, // what only tests import
	}
	all := importsIn(t, "simulate", true)
	for pkg, imported := range importsIn(t, "simulate", false) {
		if allowed[pkg] == nil {
			t.Errorf("%s: not a package of the simulator: add it to this test", pkg)
		}
		for _, to := range all[pkg] {
			to, ours := strings.CutPrefix(to, module+"/")
			test := !slices.Contains(imported, module+"/"+to)
			switch {
			case !ours || slices.Contains(allowed[pkg], to):
			case test && (to == pkg || to == "simulate/internal/legal"):
			default:
				t.Errorf("%s imports %s: want %v", pkg, to, allowed[pkg])
			}
		}
	}
	if len(all) != len(allowed) {
		t.Errorf("%d packages in simulate, want %d", len(all), len(allowed))
	}
}

// imports draws the graph from the source, whatever the build constraints, tests aside.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	return importsIn(t, ".", false)
}

// importsIn draws the graph of the packages in a folder, with the imports of their tests on request.
func importsIn(t *testing.T, root string, tests bool) map[string][]string {
	t.Helper()
	graph := map[string][]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || !tests && strings.HasSuffix(name, "_test.go"):
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
			for _, never := range []string{
				module + "/cmd/devstack", module + "/internal/testkit", "github.com/twmb/franz-go", "github.com/ebitengine/purego",
			} {
				if dep == never || strings.HasPrefix(dep, never+"/") {
					t.Errorf("%s links %s", program, dep)
				}
			}
		}
	}
}

// judging are the packages whose numbers are in findings and evidence.
var judging = []string{
	"./numeric", "./stats", "./baccarat", "./finding", "./law", "./record", "./rules", "./detectors/...", "./engine/...",
}

// alike are the functions of math, in small letters, whose results every processor has; package numeric has others.
var alike = []string{
	"abs", "ceil", "float64bits", "float64frombits", "floor", "frexp", "inf", "isinf", "isnan", "ldexp", "nan", "round",
	"sqrt", "trunc",
}

// The same events give the same numbers on every processor: the packages that judge call no function of math that
// differs between them, and the compiler fuses none of their products with a sum. arm64 stands for the processors that
// have fused instructions.
func TestFloatsArePortable(t *testing.T) {
	build := exec.CommandContext(t.Context(), "go", append([]string{"build", "-gcflags=-S"}, judging...)...)
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	assembly, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v", build, err)
	}
	fused := regexp.MustCompile(`\((\S+\.go:\d+)\)\s+FN?M(?:ADD|SUB)[DS]\b`)
	call := regexp.MustCompile(`\((\S+\.go:\d+)\)\s+\S+\s.*\bmath\.(?:arch)?(\w+)\(SB\)`)
	lines := 0
	for line := range bytes.Lines(assembly) {
		lines++
		if at := fused.FindSubmatch(line); at != nil {
			t.Errorf("%s: a product is fused with a sum: want float64(a*b) + c", at[1])
		}
		if at := call.FindSubmatch(line); at != nil && !slices.Contains(alike, strings.ToLower(string(at[2]))) {
			t.Errorf("%s: math.%s differs between processors: package numeric has what does not", at[1], at[2])
		}
	}
	if lines < 1000 {
		t.Errorf("%d lines of assembly, want those of %d packages", lines, len(judging))
	}
}
