// Package file reads events from files.
package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// A page of records ends at the first of these limits.
const (
	pageRecords = 1024
	pageBytes   = 1 << 20
)

// Options configure a Source.
type Options struct {
	Topic string // "files" if empty
	// Each makes every file a partition, and reads them concurrently. Otherwise all files are
	// partition 0, one after the other in the given order.
	Each bool
	// Stdin is read for the path "-".
	Stdin io.Reader
}

// Source reads files of events. The offset of a record is its number in its partition, from 0.
type Source struct {
	paths []string
	opt   Options
}

var (
	_ pipeline.Source     = (*Source)(nil)
	_ pipeline.Positioned = (*stream)(nil)
)

// Open reads the first record of each file: an unreadable or empty file is an error before any work. A folder stands
// for the event files in it and below it, in the order of their names. Standard input, "-", and pipes are read once, as
// their first bytes tell.
func Open(paths []string, opt Options) (*Source, error) {
	paths, err := expand(paths, opt.Stdin != nil)
	if err != nil {
		return nil, err
	}
	opt.Topic = cmp.Or(opt.Topic, "files")
	for _, path := range paths {
		if err := probe(path); err != nil {
			return nil, err
		}
	}
	return &Source{paths: paths, opt: opt}, nil
}

// Paths are the files that the source reads.
func (s *Source) Paths() []string { return s.paths }

// expand replaces folders by their event files.
func expand(paths []string, stdin bool) ([]string, error) {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-" && (!stdin || slices.Contains(out, "-")):
			return nil, errors.New("open events: standard input (-) can be read once")
		case path == "-" || err != nil || !info.IsDir(): // OpenFile explains a failed Stat
			out = append(out, path)
			continue
		}
		before := len(out)
		err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && schema.IsEventFile(name) {
				out = append(out, name)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("open events: %w", err)
		}
		if len(out) == before {
			return nil, fmt.Errorf("no event files (.ndjson or .pb, also .gz or .zst) in folder %s", path)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no event files given")
	}
	return out, nil
}

// isStream is true for standard input and for pipes and devices, which cannot be read twice.
func isStream(path string) bool {
	if path == "-" {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// open opens a file or a stream.
func (s *stream) open(path string) (*schema.Reader, error) {
	if !isStream(path) {
		return schema.OpenFile(path)
	}
	in := s.stdin
	if path != "-" {
		pipe, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("open events: %w", err)
		}
		in, s.pipe = pipe, pipe
	}
	return schema.OpenStream(in, path)
}

func probe(path string) error {
	if isStream(path) {
		return nil
	}
	r, err := schema.OpenFile(path)
	if err != nil {
		return err
	}
	defer r.Close()
	// Any other error is an unreadable record, which becomes a dead letter.
	if _, err := r.Next(); err == io.EOF { //nolint:errorlint // A wrapped EOF is a damaged file, not an empty one.
		return fmt.Errorf("no events in %s", path)
	}
	return nil
}

// Consume reads the files to their ends.
func (s *Source) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	group, ctx := errgroup.WithContext(ctx)
	if !s.opt.Each {
		group.Go(func() error { return read(ctx, &stream{topic: s.opt.Topic, paths: s.paths, stdin: s.opt.Stdin}, work) })
		return group.Wait()
	}
	for i := range s.paths {
		group.Go(func() error {
			return read(ctx, &stream{topic: s.opt.Topic, partition: int32(i), paths: s.paths[i : i+1], stdin: s.opt.Stdin}, work)
		})
	}
	return group.Wait()
}

func read(ctx context.Context, s *stream, work func(context.Context, pipeline.Stream) error) error {
	err := work(ctx, s)
	return errors.Join(err, s.close())
}

// stream reads files one after the other.
type stream struct {
	topic     string
	partition int32
	paths     []string // not yet opened
	reader    *schema.Reader
	path      string // the reader's
	stdin     io.Reader
	pipe      io.Closer // of the reader, if it reads a pipe
	next      int64
	began     int64 // the offset of the first record of the reader
	skip      int64 // the first offset that Next gives, see Begin
	want      int64 // the min number of records

	records []pipeline.Record
	data    []byte
	where   []byte
	ends    []int // of each record in where
}

func (s *stream) Topic() string    { return s.topic }
func (s *stream) Partition() int32 { return s.partition }

// Commit does nothing: a file is read from its beginning.
func (s *stream) Commit(context.Context, int64) error { return nil }

// Begin chooses the first record that Next gives. The files must have end records or more: a journal knows that many.
func (s *stream) Begin(offset, end int64) { s.skip, s.want = max(0, offset), end }

// Generation is 0: who reads a file is not counted.
func (s *stream) Generation() int32 { return 0 }

// ErrInterrupted is what commands report that were interrupted while they read files.
var ErrInterrupted = errors.New("interrupted: the rest of the files was not read")

// ErrNoEvents is returned for standard input or a pipe that ends before its first event: what writes it has failed.
var ErrNoEvents = errors.New("no events")

// ErrShort is returned for files that have fewer records than were read before.
var ErrShort = errors.New("the files have fewer records than at an earlier reading")

// close closes the reader.
func (s *stream) close() error {
	var errs []error
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	if s.pipe != nil {
		errs = append(errs, s.pipe.Close())
	}
	s.reader, s.pipe = nil, nil
	return errors.Join(errs...)
}

// Next never waits, except for a pipe.
func (s *stream) Next(ctx context.Context, _ time.Duration) ([]pipeline.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	clear(s.records)
	s.records, s.data, s.where, s.ends = s.records[:0], s.data[:0], s.where[:0], s.ends[:0]
	err := s.fill()
	where, start := string(s.where), 0
	for i, end := range s.ends {
		s.records[i].Where = where[start:end]
		start = end
	}
	if len(s.records) > 0 && errors.Is(err, io.EOF) {
		err = nil // The next call returns the end.
	}
	return s.records, err
}

func (s *stream) fill() error {
	size := 0
	for len(s.records) < pageRecords && size < pageBytes {
		if s.reader == nil {
			if len(s.paths) == 0 && s.next < s.want {
				return fmt.Errorf("%w: %d, then %d or more", ErrShort, s.next, s.want)
			}
			if len(s.paths) == 0 {
				return io.EOF
			}
			r, err := s.open(s.paths[0])
			if err != nil {
				return err
			}
			s.reader, s.path, s.paths, s.began = r, s.paths[0], s.paths[1:], s.next
		}
		in, err := s.reader.Next()
		if err == io.EOF { //nolint:errorlint // A wrapped EOF is a damaged record.
			empty := s.next == s.began && isStream(s.path) // New has seen the first record of a file
			if err := s.close(); err != nil {
				return err
			}
			if empty {
				return fmt.Errorf("%w in %s", ErrNoEvents, s.path)
			}
			continue
		}
		if s.next < s.skip {
			s.next++
			continue
		}
		rec := pipeline.Record{Offset: s.next, Format: in.Format}
		if damaged := (*schema.ReadError)(nil); errors.As(err, &damaged) {
			in, rec.Bad = damaged.At, damaged.Err // its location is that of the record
		} else {
			rec.Value = s.copy(in.Value)
		}
		size += len(rec.Value)
		s.records = append(s.records, rec)
		s.locate(in)
		s.next++
	}
	return nil
}

func (s *stream) copy(v []byte) []byte {
	if len(s.data)+len(v) > cap(s.data) {
		// Records already in the page keep the old buffer.
		s.data = make([]byte, 0, max(2*cap(s.data), len(v), 1<<16))
	}
	start := len(s.data)
	s.data = append(s.data, v...)
	return s.data[start:len(s.data):len(s.data)]
}

// locate appends FILE:LINE or FILE@OFFSET.
func (s *stream) locate(in schema.Record) {
	s.where = append(s.where, s.path...)
	switch {
	case in.Line > 0:
		s.where = strconv.AppendInt(append(s.where, ':'), int64(in.Line), 10)
	case in.Format == schema.Protobuf:
		s.where = strconv.AppendInt(append(s.where, '@'), in.Offset, 10)
	}
	s.ends = append(s.ends, len(s.where))
}
