package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// ErrBusy means that another export of the same log is running.
var ErrBusy = errors.New("another export of this log is running")

// Log is the casino's side of a log: its head and an index of the last entry of each finding, in a folder or in an
// object store. One process at a time has the folder. The head is replaced atomically, and only if it is unchanged,
// so that two exports never follow the same one.
type Log struct {
	dir    string
	lock   *os.File // nil for a stored log
	stored *stored  // nil for a log in a folder; else the folder is temporary
	head   head
	raw    []byte // the folder's head as read
	// failpoint is called after each step at which a crash must be harmless; tests return an error there.
	failpoint func(step string) error
}

// head is the end of the log.
type head struct {
	Origin     string   `json:"origin"`
	Export     int64    `json:"export"`
	Exceptions int64    `json:"exceptions"`
	Checkpoint string   `json:"checkpoint"`
	Frontier   []string `json:"frontier"`
	// Bundle is the name of the last bundle. A crash may leave it under Partial.
	Bundle  string `json:"bundle"`
	Partial string `json:"partial"`
	// Chains are the ends of the chains of which the log has the actions of triage.
	Chains []rows.ChainHead `json:"chains,omitempty"`
	// Receipt is that of the last export; heads of the first releases have none.
	Receipt *Receipt `json:"receipt,omitempty"`
}

// Receipt is the record of a bundle.
type Receipt struct {
	Origin     string `json:"origin"`
	Export     int64  `json:"export"`
	Property   string `json:"property"`
	GamingDay  string `json:"gaming_day"`
	Name       string `json:"name"` // of the folder or the zip
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"` // of the zip; of a folder, of the files in its manifest
	Manifest   string `json:"manifest_sha256"`
	Findings   int64  `json:"findings"`
	Amendments int64  `json:"amendments"`
	Size       int64  `json:"log_size"`
	Root       string `json:"log_root"`
	Engine     string `json:"engine"`
}

// Last is the receipt of the last export, nil without one.
func (l *Log) Last() *Receipt { return l.head.Receipt }

const (
	maxHead  = 1 << 20
	headName = "head.json"
)

func (h *head) tree() (tree, error) {
	if h.Export == 0 {
		return tree{}, nil
	}
	c, _, err := parseCheckpoint([]byte(h.Checkpoint))
	if err != nil {
		return tree{}, fmt.Errorf("checkpoint of the log's head: %w", err)
	}
	hashes := make([]tlog.Hash, len(h.Frontier))
	for i, line := range h.Frontier {
		if hashes[i], err = parseHash(line); err != nil {
			return tree{}, fmt.Errorf("frontier of the log's head: %w", err)
		}
	}
	t, err := newTree(c.Size, hashes)
	if err == nil && t.root() != c.Root {
		err = errors.New("the frontier of the log's head does not match its checkpoint")
	}
	return t, err
}

// OpenLog opens the log of a folder and creates it if necessary; ErrBusy if another process has it open. It completes
// an export that crashed between the head and the bundle's name.
func OpenLog(dir string) (*Log, error) {
	if err := os.MkdirAll(filepath.Join(dir, "index"), 0o700); err != nil {
		return nil, fmt.Errorf("make the log's folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log's lock: %w", err)
	}
	l := &Log{dir: dir, lock: f, failpoint: func(string) error { return nil }}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("log %s: %w", dir, err), f.Close())
	}
	if err := l.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("log %s: %w", dir, err), f.Close())
	}
	return l, nil
}

// Close releases the log.
func (l *Log) Close() error {
	if l.stored != nil {
		return os.RemoveAll(l.dir) //nolint:wrapcheck // names the file and the cause
	}
	return l.lock.Close()
}

func (l *Log) load() error {
	raw, err := readHead(l.dir)
	if err != nil || raw == nil {
		return err
	}
	l.raw = raw
	if err := decode(raw, &l.head, encodeIndented); err != nil {
		return fmt.Errorf("%s %w", headName, err)
	}
	return l.publish()
}

func readHead(dir string) ([]byte, error) {
	raw, err := os.ReadFile(filepath.Join(dir, headName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the log's head: %w", err)
	case len(raw) > maxHead:
		return nil, fmt.Errorf("the log's head has %d bytes, want %d at most", len(raw), maxHead)
	}
	return raw, nil
}

// publish gives the last bundle its final name, unless it has it or was moved away.
func (l *Log) publish() error {
	switch _, err := os.Lstat(l.head.Partial); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("find the last bundle: %w", err)
	}
	if err := os.Rename(l.head.Partial, l.head.Bundle); err != nil {
		return fmt.Errorf("rename the bundle: %w", err)
	}
	return syncDir(filepath.Dir(l.head.Bundle))
}
