package gateway

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// reader reads the durable groups of an outbox after a number, also while it grows.
type reader struct {
	dir  string
	no   uint64 // of the last frame that was read, or before the first
	file *os.File
	at   int64
	head uint64 // number of the head of the file
}

// next returns the next group up to a number, nil if there is none. Heads are skipped.
func (r *reader) next(durable uint64) (*frame, error) {
	for r.no < durable {
		if r.file == nil {
			if err := r.open(); err != nil {
				return nil, err
			}
		}
		f, size, err := r.frame()
		if err != nil {
			return nil, err
		}
		if f == nil { // the next segment begins with the next number
			r.close()
			ended := r.head
			if err := r.open(); err != nil {
				return nil, err
			}
			if r.head == ended {
				return nil, fmt.Errorf("read the outbox: %w: group %d is missing", errDamaged, r.no+1)
			}
			continue
		}
		r.at += size
		if f.No <= r.no {
			continue
		}
		r.no = f.No
		if len(f.Events) > 0 {
			return f, nil
		}
	}
	return nil, nil
}

// open opens the segment that has the next group: the last segment that begins at it or before, or the first if groups
// before it were removed, which are published.
func (r *reader) open() error {
	names, err := filepath.Glob(filepath.Join(r.dir, "*"+segmentName))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("read the outbox: %w: no segment, %w", errDamaged, err)
	}
	slices.Sort(names)
	name := names[0]
	for _, n := range names {
		if first, err := firstOf(n); err == nil && first <= r.no+1 {
			name = n
		}
	}
	if r.head, err = firstOf(name); err != nil {
		return fmt.Errorf("read the outbox: %w", err)
	}
	r.at = 0
	if r.file, err = os.Open(name); err != nil {
		return fmt.Errorf("read the outbox: %w", err)
	}
	return nil
}

func firstOf(name string) (uint64, error) {
	return strconv.ParseUint(strings.TrimSuffix(filepath.Base(name), segmentName), 10, 64)
}

// frame reads the frame at the position, nil at the end of the file.
func (r *reader) frame() (*frame, int64, error) {
	head := make([]byte, frameHead)
	n, err := r.file.ReadAt(head, r.at)
	if n == 0 && errors.Is(err, io.EOF) {
		return nil, 0, nil
	}
	size := 0
	if n == frameHead {
		size = frameHead + int(uint32(head[4])|uint32(head[5])<<8|uint32(head[6])<<16|uint32(head[7])<<24)
	}
	if size < frameHead || size > frameHead+maxFrame {
		return nil, 0, fmt.Errorf("read the outbox: %w: %s at byte %d", errDamaged, r.file.Name(), r.at)
	}
	data := make([]byte, size)
	if _, err := r.file.ReadAt(data, r.at); err != nil {
		return nil, 0, fmt.Errorf("read the outbox %s: %w", r.file.Name(), err)
	}
	f, _ := parseFrame(data)
	if f == nil {
		return nil, 0, fmt.Errorf("read the outbox: %w: %s at byte %d", errDamaged, r.file.Name(), r.at)
	}
	return f, int64(size), nil
}

func (r *reader) close() {
	if r.file != nil {
		_ = r.file.Close()
		r.file = nil
	}
}
