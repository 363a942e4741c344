package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// State is what a regulator remembers: the exports of one log that were accepted, in order.
type State struct {
	Origin   string     `json:"origin"`
	Accepted []Accepted `json:"accepted"`
}

// Accepted is one export that was good.
type Accepted struct {
	Export   int64  `json:"export"`
	PrevSize int64  `json:"prev_size"`
	Size     int64  `json:"size"`
	Root     string `json:"root"`
}

// maxState bounds the file: some hundred thousand exports.
const maxState = 64 << 20

// readState reads the regulator's file; nil if there is none.
func readState(path string) (*State, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the state: %w", err)
	}
	return parseState(path, data)
}

func parseState(path string, data []byte) (*State, error) {
	var s State
	if len(data) > maxState {
		return nil, fmt.Errorf("the state %s has %d bytes, want %d at most", path, len(data), maxState)
	}
	if err := decode(data, &s, encodeIndented); err != nil {
		return nil, fmt.Errorf("the state %s %w", path, err)
	}
	for i, a := range s.Accepted {
		_, err := parseHash(a.Root)
		if err != nil || a.PrevSize < 0 || a.Size <= a.PrevSize || i > 0 && (s.Accepted[i-1].Size != a.PrevSize || s.Accepted[i-1].Export+1 != a.Export) {
			return nil, fmt.Errorf("the state %s: entry %d does not follow the one before", path, i+1)
		}
	}
	if s.Origin == "" || len(s.Accepted) == 0 {
		return nil, fmt.Errorf("the state %s holds no accepted export", path)
	}
	return &s, nil
}

// with is the state after an export was accepted; nil is before the first.
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

// successor says whether a genuine export is the one that follows what was accepted last.
func (s *State) successor(m *Manifest, c *Checkpoint) *Failure {
	const check = checkSuccessor
	if s.Origin != c.Origin {
		return undecided(check, "your record is of the log %s, the bundle of %s", s.Origin, c.Origin)
	}
	last := s.Accepted[len(s.Accepted)-1]
	root := formatHash(c.Root)
	for _, a := range s.Accepted {
		switch {
		case a.Size == c.Size && a.Root == root:
			return notNext(check, "replay: you accepted export %d before; your last one is export %d", a.Export, last.Export)
		case a.PrevSize == m.PrevSize || a.Size == c.Size || a.Export == m.Export:
			return tampered(check, "fork: you accepted another export %d of this log. The casino signed two histories; keep both bundles", a.Export)
		}
	}
	switch {
	case m.PrevSize > last.Size:
		return notNext(check, "gap: it is export %d and follows leaf %d; your last one is export %d, which ends with leaf %d. Ask for the exports between", m.Export, m.PrevSize, last.Export, last.Size)
	case c.Size <= s.Accepted[0].PrevSize:
		return notNext(check, "replay: it is export %d, older than the first that you accepted, export %d", m.Export, s.Accepted[0].Export)
	case m.PrevSize != last.Size || m.Export != last.Export+1:
		return tampered(check, "fork: export %d with leaves %d to %d does not fit the exports that you accepted. The casino signed two histories; keep both bundles", m.Export, m.FirstLeaf, m.ManifestLeaf)
	case m.PrevRoot != last.Root:
		return tampered(check, "fork: it follows an export %d with another content than the one you accepted. The casino signed two histories; keep both bundles", last.Export)
	}
	return nil
}
