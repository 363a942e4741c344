package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// State is the regulator's record: the accepted exports of one log, in order.
type State struct {
	Origin   string     `json:"origin"`
	Accepted []Accepted `json:"accepted"`
}

// Accepted is an accepted export.
type Accepted struct {
	Export   int64  `json:"export"`
	PrevSize int64  `json:"prev_size"`
	Size     int64  `json:"size"`
	Root     string `json:"root"`
}

// record is the regulator's record during a verification.
type record struct {
	path  string
	state *State // nil before the first accepted export
	write func(*State) error
}

// maxState bounds the file: some hundred thousand exports.
const maxState = 64 << 20

// readState reads the regulator's file, nil without one.
func readState(path string) (*State, error) {
	data, err := ReadFile(path, maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the state: %w", err)
	}
	return parseState(path, data)
}

// ReadFile reads a file that a recipient names, of at most so many bytes: a wrong name may be that of a device.
func ReadFile(path string, limit int64) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the file and the cause
	}
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err = errors.Join(err, in.Close()); err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: more than %d bytes", path, limit)
	}
	return data, err
}

func parseState(path string, data []byte) (*State, error) {
	var s State
	if len(data) > maxState {
		return nil, fmt.Errorf("state %s has %d bytes, want %d at most", path, len(data), maxState)
	}
	if err := decode(data, &s, encodeIndented); err != nil {
		return nil, fmt.Errorf("state %s %w", path, err)
	}
	for i, a := range s.Accepted {
		_, err := parseHash(a.Root)
		if err != nil || a.PrevSize < 0 || a.Size <= a.PrevSize ||
			i > 0 && (s.Accepted[i-1].Size != a.PrevSize || s.Accepted[i-1].Export+1 != a.Export) {
			return nil, fmt.Errorf("state %s: entry %d does not follow the previous one", path, i+1)
		}
	}
	if s.Origin == "" || len(s.Accepted) == 0 {
		return nil, fmt.Errorf("state %s has no accepted export", path)
	}
	return &s, nil
}

// with returns the state with another accepted export; a nil state is empty.
func (s *State) with(m *Manifest, c *Checkpoint) *State {
	next := &State{Origin: c.Origin}
	if s != nil {
		next.Accepted = append(next.Accepted, s.Accepted...)
	}
	next.Accepted = append(next.Accepted, Accepted{m.Export, m.PrevSize, c.Size, formatHash(c.Root)})
	return next
}

func (s *State) write(path string) error {
	data, err := encodeIndented(s)
	if err != nil {
		return err
	}
	if err := replaceFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	return nil
}

// successor checks that a genuine export follows the last accepted one.
func (s *State) successor(m *Manifest, c *Checkpoint) *Failure {
	const check = checkSuccessor
	if s.Origin != c.Origin {
		return undecided(check, "your record belongs to the log %s, the bundle to %s", s.Origin, c.Origin)
	}
	last := s.Accepted[len(s.Accepted)-1]
	root := formatHash(c.Root)
	for _, a := range s.Accepted {
		switch {
		case a.Size == c.Size && a.Root == root:
			return notNext(check, "repeated: export %d was accepted before; the last accepted export is %d", a.Export,
				last.Export)
		case a.PrevSize == m.PrevSize || a.Size == c.Size || a.Export == m.Export:
			return tampered(check, "fork: you accepted a different export %d of this log. The casino signed two histories; "+
				"keep both bundles", a.Export)
		}
	}
	switch {
	case m.PrevSize > last.Size:
		return notNext(check, "gap: export %d follows leaf %d; your last export is %d, which ends with leaf %d. Request "+
			"the exports in between", m.Export, m.PrevSize, last.Export, last.Size)
	case c.Size <= s.Accepted[0].PrevSize:
		return notNext(check, "repeated: export %d is older than the first accepted export, export %d", m.Export,
			s.Accepted[0].Export)
	case m.PrevSize != last.Size || m.Export != last.Export+1:
		return tampered(check, "fork: export %d with leaves %d to %d does not continue the exports that you accepted. The "+
			"casino signed two histories; keep both bundles", m.Export, m.FirstLeaf, m.ManifestLeaf)
	case m.PrevRoot != last.Root:
		return tampered(check, "fork: it follows an export %d with different content from the accepted export. The "+
			"casino signed two histories; keep both bundles", last.Export)
	}
	return nil
}

// successor compares the export with the accepted ones. It runs after root: only a genuine export can be a replay or
// leave a gap.
func (v *verifier) successor(context.Context) (string, *Failure) {
	m, c := &v.manifest, &v.checkpoint
	for _, step := range []func() *Failure{v.previous, v.published} {
		if f := step(); f != nil {
			return "", f
		}
	}
	switch {
	case v.record == nil:
		return v.skip("not compared with your accepted exports: you gave none")
	case v.record.state != nil:
		if f := v.record.state.successor(m, c); f != nil {
			return "", f
		}
		return fmt.Sprintf("it follows export %d, the last accepted export", m.Export-1), nil
	case m.Export > 1 && !v.opt.Begin:
		return "", undecided(checkSuccessor, "it is export %d, and %s, the record of your accepted exports, does not exist. "+
			"If this is the first export that you receive, use --begin", m.Export, filepath.Base(v.record.path))
	case m.Export > 1:
		return fmt.Sprintf("your record starts with export %d; earlier exports are not verified", m.Export), nil
	}
	return "the first export of the log", nil
}

// previous checks the previous checkpoint, which is part of the bundle.
func (v *verifier) previous() *Failure {
	m := &v.manifest
	_, there := v.bundle.sizes[pathPrevious]
	if m.Export == 1 {
		if there {
			return tampered(checkSuccessor, "the first export of a log has no previous checkpoint, and this bundle has one")
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
		failure.Check, failure.Message = checkSuccessor, "previous checkpoint: "+failure.Message
		return failure
	case before.Origin != m.Origin || before.Size != m.PrevSize || formatHash(before.Root) != m.PrevRoot:
		return tampered(checkSuccessor, "the previous checkpoint belongs to another history: size %d, root %s; in the "+
			"manifest %d, %s", before.Size, formatHash(before.Root), m.PrevSize, m.PrevRoot)
	}
	return nil
}

// published compares the bundle with a checkpoint that the reader has from another source.
func (v *verifier) published() *Failure {
	const check = checkSuccessor
	if v.opt.Checkpoint == nil {
		return nil
	}
	m := &v.manifest
	have, failure := v.opt.Policy.open(v.opt.Checkpoint)
	roots := map[int64]string{m.PrevSize: m.PrevRoot, v.checkpoint.Size: formatHash(v.checkpoint.Root)}
	root, known := roots[have.Size]
	switch {
	case failure != nil: // of the reader's file, which proves nothing about the bundle
		return undecided(check, "your checkpoint cannot be compared with the bundle: %s", failure.Message)
	case have.Origin != m.Origin:
		return undecided(check, "your checkpoint belongs to the log %s, the bundle to %s", have.Origin, m.Origin)
	case !known:
		return undecided(check, "your checkpoint is of %d leaves; the bundle can be compared with a checkpoint of %d or %d "+
			"leaves only", have.Size, m.PrevSize, v.checkpoint.Size)
	case formatHash(have.Root) != root:
		return tampered(check, "fork: your checkpoint of %d leaves has the root %s, the bundle %s. The casino signed two "+
			"histories; keep both", have.Size, formatHash(have.Root), root)
	}
	return nil
}

func (v *verifier) save(context.Context) (string, *Failure) {
	if v.record == nil {
		return v.skip("not recorded: you gave no record of accepted exports")
	}
	if err := v.record.write(v.record.state.with(&v.manifest, &v.checkpoint)); err != nil {
		return "", fail(Wrong, checkState, "%v", []any{err})
	}
	return fmt.Sprintf("export %d is recorded as accepted", v.manifest.Export), nil
}
