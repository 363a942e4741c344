package engine_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// layering is the files of each package of the engine, from the top: a function calls functions of its own file and of
// files further down. `go test ./engine -run CallsRunOneWay -v` prints the calls from file to file, for a drawing.
var layering = map[string][]string{
	"engine": {
		"replay.go", "engine.go", "snapshot.go", "table.go", "partition.go", "mask.go", "patron.go", "text.go", "floor.go",
		"record.go",
	},
	"engine/calendar": {"calendar.go"},
	"engine/order": {
		"arrivals.go", "state.go", "queue.go", "passed.go", "reorder.go", "take.go", "log.go", "item.go", "contests.go",
	},
	"engine/play": {
		"state.go", "apply.go", "fold.go", "again.go", "config.go", "rounds.go", "vigorish.go", "consistency.go",
		"irregular.go", "cards.go", "carried.go", "shoes.go", "stages.go", "finalcount.go", "preparation.go", "batches.go",
		"acts.go", "limit.go", "gaps.go", "table.go", "stage.go",
	},
	"engine/verdict": {
		"state.go", "table.go", "misread.go", "complete.go", "report.go", "feed.go", "anomaly.go",
		"build.go", "shoe.go", "precedence.go",
	},
	"engine/suspicion": {"state.go", "table.go", "view.go", "observe.go"},
	"engine/facts":     {"table.go", "round.go", "shoe.go"},
}

// impure are packages, and functions of package time, on which a result could depend besides the records.
var impure = []string{
	"context", "sync", "sync/atomic", "os", "io", "io/fs", "net", "net/http", "math/rand", "math/rand/v2",
	"crypto/rand", "unsafe",
	"reflect", "runtime", "log", "log/slog",
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer",
	"time.NewTicker",
}

// ranges are the functions that may range over a map: what they do does not depend on its order.
var ranges = []string{
	"play.keep", "play.configOf", "engine.plainMap", "verdict.shoeState", "calendar.New",
	"record.PaidTogether", "rules.otherPercent", "rules.oneOther", "rules.widen",
	"rules.bestOfPairs", "rules.reading", "rules.simplest", "rules.refuted", "rules.madeAlone",
	"exact.faces", "detectors.begin", "detectors.eachMoment", "detectors.endShoes", "detectors.forget", "detectors.load",
	"detectors.numbered", "detectors.opened", "detectors.patronOf", "detectors.restore", "detectors.restoreAccounts",
	"detectors.state", "detectors.write",
}

// loadPackages reads the packages of the engine, once for all tests.
var loadPackages = sync.OnceValues(func() ([]*packages.Package, error) { return load("./...") })

func load(patterns ...string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, patterns...)
}

func enginePackages(t *testing.T) []*packages.Package {
	t.Helper()
	all, err := loadPackages()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(p *packages.Package) bool {
		return strings.HasSuffix(p.PkgPath, "/enginetest")
	})
	if len(all) != len(layering) {
		t.Fatalf("%d packages, want %d", len(all), len(layering))
	}
	for _, p := range all {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
	}
	return all
}

// Calls inside each package of the engine run one way, from file to file.
func TestCallsRunOneWay(t *testing.T) {
	for _, p := range enginePackages(t) {
		_, name, _ := strings.Cut(p.PkgPath, "shoeproof/shoeproof/")
		files := layering[name]
		calls := map[string]int{}
		for _, f := range p.Syntax {
			from := filepath.Base(p.Fset.Position(f.Pos()).Filename)
			at := slices.Index(files, from)
			if at < 0 {
				t.Errorf("%s: %s is on no layer", name, from)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				called, ok := p.TypesInfo.Uses[id].(*types.Func)
				if !ok || called.Pkg() != p.Types {
					return true
				}
				to := filepath.Base(p.Fset.Position(called.Pos()).Filename)
				if slices.Index(files, to) < at {
					t.Errorf(
						"%s: %s calls %s of %s, which is further up", name, p.Fset.Position(id.Pos()), called.Name(),
						to,
					)
				}
				if to != from {
					calls[from+" -> "+to]++
				}
				return true
			})
		}
		for call, n := range calls {
			t.Logf("%s: %s: %d", name, call, n)
		}
	}
}

// The engine knows no clock, no chance, no context and no goroutine, and its results follow no map's order.
func TestEngineIsPure(t *testing.T) {
	for _, p := range enginePackages(t) {
		for imported := range p.Imports {
			if slices.Contains(impure, imported) {
				t.Errorf("%s imports %s", p.PkgPath, imported)
			}
		}
		inspect(p, func(n ast.Node, function string) {
			if what := impurity(p, n, function); what != "" {
				t.Errorf("%s: %s", p.Fset.Position(n.Pos()), what)
			}
		})
	}
}

// Rules and detectors follow no map's order either.
func TestNoMapOrder(t *testing.T) {
	all, err := load("../rules", "../record", "../detectors/...", "../finding", "../baccarat")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		inspect(p, func(n ast.Node, function string) {
			if overMap(p, n, function) {
				t.Errorf("%s: %s ranges over a map", p.Fset.Position(n.Pos()), function)
			}
		})
	}
}

// inspect calls visit with each node of a package and the function that it is in.
func inspect(p *packages.Package, visit func(n ast.Node, function string)) {
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			name := p.Name + "."
			if fn, ok := d.(*ast.FuncDecl); ok {
				name += fn.Name.Name
			}
			ast.Inspect(d, func(n ast.Node) bool {
				visit(n, name)
				return true
			})
		}
	}
}

// overMap reports whether a node ranges over a map in a function that may not.
func overMap(p *packages.Package, n ast.Node, function string) bool {
	r, ok := n.(*ast.RangeStmt)
	if !ok {
		return false
	}
	_, ok = p.TypesInfo.TypeOf(r.X).Underlying().(*types.Map)
	return ok && !slices.Contains(ranges, function)
}

// impurity is why a node of a function of the engine is not pure, empty if it is.
func impurity(p *packages.Package, n ast.Node, function string) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a goroutine"
	case *ast.ChanType, *ast.SelectStmt:
		return "a channel"
	case *ast.RangeStmt:
		if overMap(p, n, function) {
			return function + " ranges over a map"
		}
	case *ast.SelectorExpr:
		if used, ok := p.TypesInfo.Uses[n.Sel].(*types.Func); ok && used.Pkg() != nil &&
			slices.Contains(impure, used.Pkg().Path()+"."+used.Name()) {
			return fmt.Sprintf("a call of %s.%s", used.Pkg().Path(), used.Name())
		}
	case *ast.GenDecl:
		if n.Tok == token.VAR && function == p.Name+"." && !constantErrors(n) {
			return "a global variable"
		}
	}
	return ""
}

// constantErrors is true for a declaration of errors alone.
func constantErrors(d *ast.GenDecl) bool {
	return !slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
		return !strings.HasPrefix(s.(*ast.ValueSpec).Names[0].Name, "Err")
	})
}
