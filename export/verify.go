package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/shoeproof/shoeproof/rules"
)

// Exit codes of a verification.
const (
	Good      = 0
	Tampered  = 1 // damaged, changed, or one of two histories
	Wrong     = 2 // wrong usage, no verdict
	Undecided = 3 // a key or the record of accepted exports is missing
	NotNext   = 4 // genuine, but not the export after the last accepted one
	Differs   = 5 // genuine, and the casino's database differs today
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

// Failure is the first check that failed.
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

// VerifyOptions are the keys and records for a verification.
type VerifyOptions struct {
	Policy *Policy
	// Last is the file of accepted exports, empty for none.
	Last string
	// Checkpoint is a signed checkpoint of the log that the reader has from another source, nil without one. The history
	// of the bundle must contain it.
	Checkpoint []byte
	// Begin accepts an export that is not the first of its log as the first of a new file Last.
	Begin bool
	// Replay evaluates the rules on the evidence. Engine is the name of this release.
	Replay bool
	Engine string
	// Database, for the casino's auditors, reads the current state of the database for the manifest's day; nil to
	// verify the bundle alone. It implies Replay.
	Database func(ctx context.Context, m *Manifest) (*Database, error)
}

// Check is the result of a check.
type Check struct {
	Name   string `json:"check"`
	Passed bool   `json:"passed"`
	// Skipped is set if the check passed because it compared nothing.
	Skipped bool   `json:"skipped,omitempty"`
	Detail  string `json:"detail"`
}

// Verdict is the result of a verification; its JSON is the output of audit verify --json.
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

// verifier is a verification in progress.
type verifier struct {
	opt        VerifyOptions
	bundle     *bundle
	checkpoint Checkpoint
	raw        []byte // the manifest's bytes
	manifest   Manifest
	log        tree
	record     *record
	content    content
	versions   map[string]uint32 // of rules, by name
	skipped    bool              // the present check compared nothing
}

// skip passes the present check, which compared nothing, with the reason.
func (v *verifier) skip(reason string) (string, *Failure) {
	v.skipped = true
	return reason, nil
}

// Verify runs the checks on a bundle in order until one fails. An error means that there is no verdict.
func Verify(ctx context.Context, path string, opt VerifyOptions) (*Verdict, error) {
	var accepted *record
	if opt.Last != "" {
		state, err := readState(opt.Last)
		if err != nil {
			return nil, err
		}
		if opt.Begin && state != nil {
			return nil, fmt.Errorf("%s exists: a new record must have a new name", opt.Last)
		}
		if isWithin(path, opt.Last) {
			return nil, fmt.Errorf("%s is in the folder of the bundle, which has no other file: want another folder", opt.Last)
		}
		accepted = &record{opt.Last, state, func(s *State) error { return s.write(opt.Last) }}
	}
	b, err := openBundle(path)
	if err != nil && !errors.Is(err, errDamaged) {
		return nil, fmt.Errorf("open the bundle: %w", err)
	}
	if err == nil {
		defer func() { _ = b.close() }()
	}
	v := &verifier{opt: opt, bundle: b, record: accepted}
	return v.run(ctx, filepath.Base(path), err, "takes --last FILE")
}

// isWithin reports whether a file would be in a folder or below it, links followed.
func isWithin(folder, file string) bool {
	home, err := followed(folder)
	if err != nil {
		return false
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if at, err := followed(dir); err == nil {
			path, err := filepath.Rel(home, at)
			return err == nil && filepath.IsLocal(path)
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// followed is the absolute path of what a path leads to.
func followed(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// VerifyZip is Verify for a zip in memory and without a file system, as in a browser. The accepted exports are the
// content of the file Last; empty for none. It returns that file with the export added if the bundle is good; without
// accepted exports, a file that begins with the export.
func VerifyZip(ctx context.Context, name string, data, accepted []byte, opt VerifyOptions) (*Verdict, []byte, error) {
	v := &verifier{opt: opt}
	var next []byte
	if len(accepted) > 0 {
		state, err := parseState("of accepted exports", accepted)
		if err != nil {
			return nil, nil, err
		}
		v.record = &record{state: state, write: func(*State) error { return nil }}
	}
	b, err := readZip(bytes.NewReader(data), int64(len(data)), name)
	v.bundle = b
	out, err := v.run(ctx, name, err, "takes your file of accepted exports")
	if err == nil && out.Code == Good {
		var before *State
		if v.record != nil {
			before = v.record.state
		}
		next, err = encodeIndented(before.with(&v.manifest, &v.checkpoint))
	}
	return out, next, err
}

// run runs the checks on an opened bundle; damage is the error of opening it. The message of a good bundle without a
// record ends with what comparing it takes.
func (v *verifier) run(ctx context.Context, name string, damage error, takes string) (*Verdict, error) {
	v.opt.Replay = v.opt.Replay || v.opt.Database != nil
	v.versions = rules.Versions()
	out := &Verdict{
		Bundle:  name,
		Verdict: "good",
		Message: "Genuine and complete: nothing was changed, removed, added or reordered.",
	}
	for _, c := range v.checks(damage) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		v.skipped = false
		detail, failure := c.run(ctx)
		if failure != nil && failure.Code == Wrong {
			return nil, failure
		}
		if failure != nil {
			out.fail(failure)
			break
		}
		out.Checks = append(out.Checks, Check{Name: c.name, Passed: true, Skipped: v.skipped, Detail: detail})
	}
	if out.Code == Good && v.record == nil {
		out.Message += " Verified alone: whether it follows the exports that you accepted before " + takes + "."
	}
	v.describe(out)
	return out, nil
}

// check is a named check of a verification.
type check struct {
	name string
	run  func(context.Context) (string, *Failure)
}

// checks are the checks in order; damage is the error of opening the container, if any.
func (v *verifier) checks(damage error) []check {
	all := []check{
		{checkContainer, func(context.Context) (string, *Failure) { return v.container(damage) }},
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
	if v.opt.Database != nil {
		all = append(all, check{checkDatabase, v.database})
	}
	return append(all, check{checkState, v.save})
}

func (out *Verdict) fail(f *Failure) {
	out.Code, out.Failed, out.Message = f.Code, f.Check, f.Message
	out.Verdict = map[int]string{
		Tampered: "tampered", Undecided: "undecided", NotNext: "not-next",
		Differs: "differs",
	}[f.Code]
	out.Checks = append(out.Checks, Check{Name: f.Check, Detail: f.Message})
}

func (v *verifier) describe(out *Verdict) {
	m := &v.manifest
	out.Origin, out.Property, out.GamingDay, out.Export = v.checkpoint.Origin, m.Property, m.GamingDay, m.Export
	out.Findings, out.Amendments, out.Size, out.Root = m.Findings, m.Amendments, v.checkpoint.Size,
		formatHash(v.checkpoint.Root)
}

func (v *verifier) replay(ctx context.Context) (string, *Failure) {
	if !v.opt.Replay {
		return v.skip("skipped: --replay evaluates the rules on the evidence")
	}
	return v.content.replay(ctx, v)
}
