package export

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func (l *Log) indexPath(export int64) string {
	return filepath.Join(l.dir, filepath.FromSlash(indexName(export)))
}

func (l *Log) writeIndex(export int64, b *built) error {
	err := replaceWith(l.indexPath(export), 0o600, func(w io.Writer) error {
		put := func(v any) error {
			line, err := encode(v)
			if err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			return err
		}
		m := &b.manifest
		if err := put(exportedLine{export, m.GamingDay, int64(len(b.entries)), audited(m.Runs)}); err != nil {
			return err
		}
		for i := range b.entries {
			s := &b.entries[i]
			line := entryLine{
				ID: s.id, Day: s.day, Leaf: s.leaf, Line: hex.EncodeToString(s.line[:]), Gone: s.gone, Brief: s.brief,
			}
			if !s.gone {
				line.Same = hex.EncodeToString(s.digest[:])
			}
			if err := put(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write the log's index: %w", err)
	}
	return nil
}

// index reads the index of each export, in order.
func (l *Log) index() (*index, error) {
	x := newIndex()
	for n := int64(1); n <= l.head.Export; n++ {
		f, err := os.Open(l.indexPath(n))
		if err != nil {
			return nil, fmt.Errorf("index of export %d of the log: %w", n, err)
		}
		err = x.read(f, n)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("index of export %d of the log: %w", n, err)
		}
	}
	return x, nil
}

func (x *index) read(in io.Reader, export int64) error {
	var first exportedLine
	leaves := int64(0)
	err := eachLine(in, func(n int64, line []byte) error {
		if n == 1 {
			err := decode(line, &first, encode)
			x.days[first.GamingDay] = first.Audited
			return err
		}
		leaves++
		var s entryLine
		if err := decode(line, &s, encode); err != nil {
			return err
		}
		now := &entry{day: s.Day, leaf: s.Leaf, gone: s.Gone, export: export, brief: s.Brief}
		for _, h := range []struct {
			to   []byte
			from string
		}{{now.line[:], s.Line}, {now.digest[:], s.Same}} {
			if n, err := hex.Decode(h.to, []byte(h.from)); err != nil || n != len(h.to) && (n != 0 || !s.Gone) {
				return fmt.Errorf("%q: want 64 hex digits", h.from)
			}
		}
		x.findings[s.ID] = now
		return nil
	})
	if err == nil && (first.Export != export || first.Leaves != leaves) {
		err = fmt.Errorf("export %d with %d lines, want export %d and %d", first.Export, leaves, export, first.Leaves)
	}
	return err
}

// entry is the last entry of the log about a finding.
type entry struct {
	day    string
	leaf   int64
	line   [32]byte // SHA-256 of the leaf
	digest [32]byte // of the finding without its release
	gone   bool
	export int64
	brief  *brief // nil if it was no exception, or in an export of an earlier release
}

// index has the last entry of each finding and the gaming days of the log.
type index struct {
	findings map[string]*entry
	days     map[string]string // exportedLine.Audited
}

// newEntry is an entry that an export adds to the log.
type newEntry struct {
	id string
	entry
}

// entryLine is a line of the stored index, one for each leaf.
type entryLine struct {
	ID   string `json:"id"`
	Day  string `json:"gaming_day"`
	Leaf int64  `json:"leaf"`
	Line string `json:"line_sha256"`
	Same string `json:"same_sha256"`
	Gone bool   `json:"gone"`
	// Brief is what the exception was; none in the index of an earlier release.
	Brief *brief `json:"brief,omitempty"`
}

// exportedLine is the first line of the index of an export.
type exportedLine struct {
	Export    int64  `json:"export"`
	GamingDay string `json:"gaming_day"`
	Leaves    int64  `json:"leaves"` // without the manifest
	// Audited is the digest of the events of the gaming day, empty in a line of an earlier release.
	Audited string `json:"audited,omitempty"`
}

func newIndex() *index { return &index{map[string]*entry{}, map[string]string{}} }

// exported reports whether a gaming day is in the log.
func (x *index) exported(gamingDay string) bool {
	_, known := x.days[gamingDay]
	return known
}

// has reports whether the last export of a gaming day has the events that runs audited, as far as is known.
func (x *index) has(gamingDay string, runs []Run) bool {
	was, known := x.days[gamingDay]
	return known && (was == "" || was == audited(runs))
}

// audited is the digest of the events that runs audited.
func audited(runs []Run) string {
	h := sha256.New()
	for i := range runs {
		fmt.Fprintln(h, runs[i].EventsSHA256)
	}
	return hex.EncodeToString(h.Sum(nil))
}
