package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Exit codes of a verification.
const (
	Good      = 0
	Tampered  = 1 // damaged, changed, or signed twice in two ways
	Wrong     = 2 // usage: nothing was judged
	Undecided = 3 // a key or a record to compare with is missing
	NotNext   = 4 // genuine, but not the export that follows the last one accepted
	Differs   = 5 // genuine, and the casino's database says otherwise today
)

// The checks, in their order.
const (
	checkContainer  = "container"
	checkCheckpoint = "checkpoint"
	checkManifest   = "manifest"
	checkFiles      = "files"
	checkLeaves     = "leaves"
	checkFrontier   = "frontier"
	checkRoot       = "root"
	checkSuccessor  = "successor"
	checkContent    = "content"
	checkReplay     = "replay"
	checkDatabase   = "database"
	checkState      = "state"
)

// Failure is the first check that a bundle did not pass.
type Failure struct {
	Check   string
	Code    int
	Message string
}

func (f *Failure) Error() string { return f.Check + ": " + f.Message }

func fail(code int, check, format string, args []any) *Failure {
	return &Failure{check, code, fmt.Sprintf(format, args...)}
}

func tampered(check, format string, args ...any) *Failure { return fail(Tampered, check, format, args) }

func undecided(check, format string, args ...any) *Failure {
	return fail(Undecided, check, format, args)
}

func notNext(check, format string, args ...any) *Failure { return fail(NotNext, check, format, args) }

// VerifyOptions say against what a bundle is verified.
type VerifyOptions struct {
	Policy *Policy
	// Last is the file that remembers what was accepted; empty if there is none.
	Last string
	// Begin accepts a bundle in the middle of a log as the first of a new file Last.
	Begin bool
	// Replay runs the rules again on the evidence. Engine is the release that does.
	Replay bool
	Engine string
	// Database, for the casino's own auditors, reads what the database says today of the manifest's day; nil if
	// the bundle is judged by itself. It asks for Replay.
	Database func(ctx context.Context, m *Manifest) (*Database, error)
}

// Check is what one check came to.
type Check struct {
	Name   string `json:"check"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail"`
}

// Verdict is what a verification came to; its JSON is what audit verify --json prints.
type Verdict struct {
	Bundle  string  `json:"bundle"`
	Verdict string  `json:"verdict"` // good, tampered, undecided, not-next or differs
	Code    int     `json:"exit_code"`
	Failed  string  `json:"failed_check"` // empty if none
	Message string  `json:"message"`
	Checks  []Check `json:"checks"`

	Origin     string `json:"origin"`
	Property   string `json:"property"`
	GamingDay  string `json:"gaming_day"`
	Export     int64  `json:"export"`
	Findings   int64  `json:"findings"`
	Amendments int64  `json:"amendments"`
	Size       int64  `json:"log_size"`
	Root       string `json:"log_root"`
}

// verifier is one verification under way.
type verifier struct {
	opt        VerifyOptions
	bundle     *bundle
	checkpoint Checkpoint
	raw        []byte // the manifest as it stands
	manifest   Manifest
	log        tree
	state      *State
	content    content
	versions   map[string]uint32 // of rules, by name
}

// Verify checks a bundle, in order, until one check fails. An error means that nothing could be judged.
func Verify(ctx context.Context, path string, opt VerifyOptions) (*Verdict, error) {
	opt.Replay = opt.Replay || opt.Database != nil
	v := &verifier{opt: opt}
	out := &Verdict{Bundle: filepath.Base(path), Verdict: "good", Message: "Genuine and complete: nothing was changed, taken out, put in or reordered."}
	if opt.Last != "" {
		var err error
		if v.state, err = readState(opt.Last); err != nil {
			return nil, err
		}
		if opt.Begin && v.state != nil {
			return nil, fmt.Errorf("%s is there already: an accepted history is continued, not begun again", opt.Last)
		}
	}
	b, err := openBundle(path)
	if err != nil && !errors.Is(err, errDamaged) {
		return nil, fmt.Errorf("open the bundle: %w", err)
	}
	if err == nil {
		v.bundle = b
		defer func() { _ = b.close() }()
	}
	type check struct {
		name string
		run  func(context.Context) (string, *Failure)
	}
	checks := []check{
		{checkContainer, func(context.Context) (string, *Failure) { return v.container(err) }},
		{checkCheckpoint, v.signed},
		{checkManifest, v.readManifest},
		{checkFiles, v.files},
		{checkLeaves, v.leaves},
		{checkFrontier, v.frontier},
		{checkRoot, v.root},
		{checkSuccessor, v.successor},
		{checkContent, v.checkContent},
		{checkReplay, v.replay},
	}
	if opt.Database != nil {
		checks = append(checks, check{checkDatabase, v.database})
	}
	for _, c := range append(checks, check{checkState, v.save}) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		detail, failure := c.run(ctx)
		if failure != nil && failure.Code == Wrong {
			return nil, failure
		}
		if failure != nil {
			out.fail(failure)
			break
		}
		out.Checks = append(out.Checks, Check{c.name, true, detail})
	}
	v.describe(out)
	return out, nil
}

func (out *Verdict) fail(f *Failure) {
	out.Code, out.Failed, out.Message = f.Code, f.Check, f.Message
	out.Verdict = map[int]string{Tampered: "tampered", Undecided: "undecided", NotNext: "not-next", Differs: "differs"}[f.Code]
	out.Checks = append(out.Checks, Check{f.Check, false, f.Message})
}

func (v *verifier) describe(out *Verdict) {
	m := &v.manifest
	out.Origin, out.Property, out.GamingDay, out.Export = v.checkpoint.Origin, m.Property, m.GamingDay, m.Export
	out.Findings, out.Amendments, out.Size, out.Root = m.Findings, m.Amendments, v.checkpoint.Size, formatHash(v.checkpoint.Root)
}

func (v *verifier) container(err error) (string, *Failure) {
	if err != nil {
		return "", tampered(checkContainer, "%s", strings.TrimPrefix(err.Error(), errDamaged.Error()+": "))
	}
	return fmt.Sprintf("%d files, each once, and nothing else", len(v.bundle.paths)), nil
}

func (v *verifier) signed(context.Context) (string, *Failure) {
	data, err := v.bundle.read(pathCheckpoint, maxCheckpoint)
	if err != nil {
		return "", tampered(checkCheckpoint, "%v", err)
	}
	c, failure := v.opt.Policy.open(data)
	v.checkpoint = c
	return fmt.Sprintf("signed by %s, a key that your policy trusts", c.Origin), failure
}

func (v *verifier) readManifest(context.Context) (string, *Failure) {
	data, err := v.bundle.read(pathManifest, maxManifest)
	if err != nil {
		return "", tampered(checkManifest, "%v", err)
	}
	m := &v.manifest
	v.raw = data
	if err := decode(data, m, encodeIndented); err != nil {
		return "", tampered(checkManifest, "manifest.json %v", err)
	}
	switch {
	case !strings.HasPrefix(m.Schema, schemaPrefix) || m.Schema < SchemaName:
		return "", tampered(checkManifest, "manifest.json is of the format %q, which no release has", m.Schema)
	case m.Schema != SchemaName:
		return "", undecided(checkManifest, "the bundle is of format %q, this program knows %q: use a newer release", m.Schema, SchemaName)
	case m.Origin != v.checkpoint.Origin:
		return "", tampered(checkManifest, "manifest.json is of the log %q, the checkpoint of %q", m.Origin, v.checkpoint.Origin)
	}
	return fmt.Sprintf("export %d of %s, gaming day %s", m.Export, m.Property, m.GamingDay), nil
}

// files compares what is there with what the manifest names, byte for byte.
func (v *verifier) files(ctx context.Context) (string, *Failure) {
	m, b := &v.manifest, v.bundle
	outside := []string{pathCheckpoint, pathManifest, pathSums}
	want := slices.Clone(outside)
	for i, f := range m.Files {
		if goodPath(f.Path) != nil || slices.Contains(outside, f.Path) || i > 0 && m.Files[i-1].Path >= f.Path {
			return "", tampered(checkFiles, "the manifest's list of files is out of order at %q", f.Path)
		}
		want = append(want, f.Path)
	}
	slices.Sort(want)
	for _, p := range want {
		if _, ok := b.sizes[p]; !ok {
			return "", tampered(checkFiles, "%s is missing from the bundle", p)
		}
	}
	for _, p := range b.paths {
		if _, ok := slices.BinarySearch(want, p); !ok {
			return "", tampered(checkFiles, "%s was put into the bundle: the manifest does not name it", p)
		}
	}
	total := int64(0)
	for _, f := range m.Files {
		if err := context.Cause(ctx); err != nil {
			return "", fail(Wrong, checkFiles, "%v", []any{err})
		}
		h := sha256.New()
		if err := b.copy(h, f.Path); err != nil {
			return "", fail(Wrong, checkFiles, "%v", []any{err})
		}
		switch sum := hex.EncodeToString(h.Sum(nil)); {
		case b.sizes[f.Path] != f.Size:
			return "", tampered(checkFiles, "%s has %d bytes, the manifest says %d", f.Path, b.sizes[f.Path], f.Size)
		case sum != f.SHA256:
			return "", tampered(checkFiles, "%s was changed: its SHA-256 is %s, the manifest says %s", f.Path, sum, f.SHA256)
		}
		total += f.Size
	}
	sums, err := b.read(pathSums, maxManifest)
	if err != nil || !bytes.Equal(sums, m.sums(v.raw)) {
		return "", tampered(checkFiles, "%s does not list what the manifest lists", pathSums)
	}
	return fmt.Sprintf("%d files, %d bytes, as the manifest has them", len(m.Files), total), nil
}

func (v *verifier) leaves(context.Context) (string, *Failure) {
	m, c := &v.manifest, &v.checkpoint
	if err := m.check(); err != nil {
		return "", tampered(checkLeaves, "the manifest contradicts itself: %v", err)
	}
	if m.ManifestLeaf+1 != c.Size {
		return "", tampered(checkLeaves, "the manifest is leaf %d, but the signed log ends with leaf %d", m.ManifestLeaf, c.Size-1)
	}
	return fmt.Sprintf("leaves %d to %d", m.FirstLeaf, m.ManifestLeaf), nil
}

func (v *verifier) frontier(context.Context) (string, *Failure) {
	m := &v.manifest
	data, err := v.bundle.read(pathFrontier, maxFrontier)
	if err != nil {
		return "", tampered(checkFrontier, "%v", err)
	}
	hashes, err := parseFrontier(data)
	if err != nil {
		return "", tampered(checkFrontier, "%s: %v", pathFrontier, err)
	}
	if v.log, err = newTree(m.PrevSize, hashes); err != nil {
		return "", tampered(checkFrontier, "%v", err)
	}
	if got := formatHash(v.log.root()); got != m.PrevRoot {
		return "", tampered(checkFrontier, "the log before this export has the root %s, the manifest says %s", got, m.PrevRoot)
	}
	return "the log before this export is the one that the manifest names", nil
}

// root appends every leaf and must land on what was signed. It reads what the leaves say on the way.
func (v *verifier) root(ctx context.Context) (string, *Failure) {
	for _, path := range []string{pathFindings, pathAmendments} {
		err := v.lines(path, func(n int64, line []byte) error {
			v.log.add(line)
			if n%1000 == 0 {
				return context.Cause(ctx)
			}
			return nil
		})
		if err != nil {
			return "", tampered(checkRoot, "%s: %v", path, err)
		}
	}
	v.log.add(v.raw)
	if v.log.size != v.checkpoint.Size || v.log.root() != v.checkpoint.Root {
		return "", tampered(checkRoot, "the findings, amendments and manifest of the bundle do not give the root that was signed")
	}
	return fmt.Sprintf("every one of %d leaves is in the signed log", v.manifest.Findings+v.manifest.Amendments+1), nil
}

func (v *verifier) lines(path string, each func(n int64, line []byte) error) error {
	in, err := v.bundle.open(path)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { _ = in.Close() }()
	return eachLine(in, each)
}

// successor compares with what was accepted before. It comes after the root: only a genuine export can
// be a replay or leave a gap.
func (v *verifier) successor(context.Context) (string, *Failure) {
	m, c := &v.manifest, &v.checkpoint
	if f := v.previous(); f != nil {
		return "", f
	}
	switch {
	case v.state != nil:
		if f := v.state.successor(m, c); f != nil {
			return "", f
		}
		return fmt.Sprintf("it follows export %d, the last that you accepted", m.Export-1), nil
	case v.opt.Last == "":
		return "not compared with what you accepted before: give --last FILE", nil
	case m.Export > 1 && !v.opt.Begin:
		return "", undecided(checkSuccessor, "it is export %d, and %s, where your last accepted export would be, is not there. "+
			"If you begin to receive exports with this one, say --begin", m.Export, filepath.Base(v.opt.Last))
	case m.Export > 1:
		return fmt.Sprintf("you begin with export %d; what came before it is not judged", m.Export), nil
	}
	return "the first export of the log", nil
}

// previous checks the last checkpoint, which the bundle repeats.
func (v *verifier) previous() *Failure {
	m := &v.manifest
	_, there := v.bundle.sizes[pathPrevious]
	if m.Export == 1 {
		if there {
			return tampered(checkSuccessor, "the first export of a log has no checkpoint before it, and this one brings one")
		}
		return nil
	}
	data, err := v.bundle.read(pathPrevious, maxCheckpoint)
	if err != nil {
		return tampered(checkSuccessor, "%v", err)
	}
	before, failure := v.opt.Policy.open(data)
	switch {
	case failure != nil:
		failure.Check, failure.Message = checkSuccessor, "the checkpoint before: "+failure.Message
		return failure
	case before.Origin != m.Origin || before.Size != m.PrevSize || formatHash(before.Root) != m.PrevRoot:
		return tampered(checkSuccessor, "the checkpoint before is of another history: size %d, root %s; the manifest says %d, %s",
			before.Size, formatHash(before.Root), m.PrevSize, m.PrevRoot)
	}
	return nil
}

func (v *verifier) save(context.Context) (string, *Failure) {
	switch {
	case v.opt.Last == "" && v.opt.Database != nil:
		return "not remembered: give --last FILE", nil
	case v.opt.Last == "":
		return "", undecided(checkState, "the bundle is sound in itself. Whether it is the export that follows the last one you received cannot be said without --last FILE")
	}
	if err := v.state.with(&v.manifest, &v.checkpoint).write(v.opt.Last); err != nil {
		return "", fail(Wrong, checkState, "%v", []any{err})
	}
	return fmt.Sprintf("export %d is remembered as accepted", v.manifest.Export), nil
}

func (v *verifier) replay(ctx context.Context) (string, *Failure) {
	if !v.opt.Replay {
		return "not asked for: --replay runs the rules again on the evidence", nil
	}
	return v.content.replay(ctx, v)
}
