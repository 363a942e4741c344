package schema

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// maxRecord is the max size of one event in a file.
	maxRecord = 16 << 20
	// maxWindow is the max window of a zstd file: the one of zstd --long.
	maxWindow = 128 << 20

	wantFile = "expected .ndjson or .pb, alone or followed by .gz or .zst"
)

// Record is one event of a file, not yet decoded.
type Record struct {
	// Value is valid until the next call of Next.
	Value  []byte
	Format Format
	// Name is the file.
	Name string
	// Line starts at 1; it is 0 in Protobuf files.
	Line int
	// Offset is the position of the value in the uncompressed bytes.
	Offset int64
}

// String is the location of the record, such as "floor.ndjson:12" or "floor.pb at byte 4711".
func (r Record) String() string {
	if r.Line > 0 {
		return fmt.Sprintf("%s:%d", r.Name, r.Line)
	}
	return fmt.Sprintf("%s at byte %d", r.Name, r.Offset)
}

// Reader reads the events of a file, one record at a time.
type Reader struct {
	in     *bufio.Reader
	close  []func() error
	buf    []byte
	at     Record // the last record, or the location of the next one
	offset int64
	done   bool
}

// OpenFile opens an event file. *.ndjson has one JSON event per line, *.pb has Protobuf events, each after its length
// as a varint. Both may be compressed as *.gz or *.zst.
func OpenFile(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open events: %w", err)
	}
	format, packed, err := formatOf(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open events: %w", err), file.Close())
	}
	r, err := openPacked(file, packed, format, path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open events: %s: %w", path, err), file.Close())
	}
	if start, _ := r.in.Peek(64); format == Protobuf && isObject(start) { // Next reports an error
		return nil, errors.Join(fmt.Errorf("open events: %s: the content is JSON, expected Protobuf by the name", path),
			r.Close())
	}
	return r, nil
}

func openPacked(file *os.File, packed string, format Format, path string) (*Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("a directory, %s", wantFile)
	}
	in := bufio.NewReader(file)
	if _, err := in.Peek(1); errors.Is(err, io.EOF) {
		packed = "" // an empty file has no events, whatever its name
	}
	r := NewReader(in, format, path)
	if err := r.unpack(packed, in); err != nil {
		return nil, err
	}
	r.close = append(r.close, file.Close)
	return r, nil
}

// unpack makes the reader read compressed bytes.
func (r *Reader) unpack(packed string, in io.Reader) error {
	switch packed {
	case ".gz":
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("not gzip, or damaged: %w", err)
		}
		r.in.Reset(unpacked)
		// Close repeats the error of Read.
		r.close = append(r.close, func() error { _ = unpacked.Close(); return nil })
	case ".zst":
		unpacked, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		r.in.Reset(unpacked)
		r.close = append(r.close, func() error { unpacked.Close(); return nil })
	}
	return nil
}

// OpenStream reads the events of a stream that has no file name with an extension, such as standard input or a pipe.
// Its first bytes decide whether it is compressed and whether its events are JSON or Protobuf. The name is for error
// messages.
func OpenStream(in io.Reader, name string) (*Reader, error) {
	r := NewReader(in, JSON, name)
	packed := ""
	switch start, _ := r.in.Peek(4); { // Next reports an error
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		packed = ".gz"
	case bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd")):
		packed = ".zst"
	}
	if packed != "" {
		packedIn := r.in
		r.in = bufio.NewReaderSize(nil, 1<<18)
		if err := r.unpack(packed, packedIn); err != nil {
			return nil, fmt.Errorf("open events: %s: %w", name, err)
		}
	}
	if start, _ := r.in.Peek(64); isFramed(start) {
		r.at.Format = Protobuf
	}
	return r, nil
}

// isObject reports whether a stream begins with an object of JSON. The frame of a Protobuf event of 123 bytes with an
// id of 34 bytes begins with a brace, a line feed and a quote, too. JSON with a line feed there is indented.
func isObject(start []byte) bool {
	if bytes.HasPrefix(start, []byte("{\n\"")) {
		return false
	}
	const blank = " \t\r\n"
	object, ok := bytes.CutPrefix(bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), blank), []byte("{"))
	object = bytes.TrimLeft(object, blank)
	return ok && len(object) > 0 && (object[0] == '"' || object[0] == '}')
}

// isFramed reports whether a stream begins with the length of a Protobuf event and its first field, and not with an
// object of JSON.
func isFramed(start []byte) bool {
	size, n := binary.Uvarint(start)
	return n > 0 && n < len(start) && size > 0 && start[n] == 0x0a && !isObject(start)
}

// NewReader reads the events of a stream. The name is for error messages.
func NewReader(in io.Reader, format Format, name string) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 1<<18), at: Record{Format: format, Name: name}}
}

// IsEventFile reports whether a name is of an event file.
func IsEventFile(path string) bool {
	_, _, err := formatOf(path)
	return err == nil
}

// formatOf parses the extensions of a file name.
func formatOf(path string) (format Format, packed string, err error) {
	ext := filepath.Ext(path)
	if ext == ".gz" || ext == ".zst" {
		packed = ext
		ext = filepath.Ext(strings.TrimSuffix(path, packed))
	}
	switch ext {
	case ".ndjson":
		return JSON, packed, nil
	case ".pb":
		return Protobuf, packed, nil
	}
	return 0, "", fmt.Errorf("%s: unknown kind of file, %s", path, wantFile)
}

// ReadError is a record that cannot be read.
type ReadError struct {
	At  Record // its location
	Err error
}

func (e *ReadError) Error() string { return fmt.Sprintf("read events: %s: %v", e.At, e.Err) }

func (e *ReadError) Unwrap() error { return e.Err }

// Next reads the next record, or returns io.EOF at the end. Any other error is a *ReadError; a further call resumes at
// the next line, or returns io.EOF if the rest of the file cannot be read.
func (r *Reader) Next() (Record, error) {
	if r.done {
		return Record{}, io.EOF
	}
	var err error
	if r.at.Format == JSON {
		err = r.line()
	} else {
		err = r.frame()
	}
	if err == io.EOF { //nolint:errorlint // only the bare error is the end; a wrapped one is damage
		r.done = true
		return Record{}, io.EOF
	}
	if err != nil {
		return Record{}, &ReadError{At: r.at, Err: err}
	}
	return r.at, nil
}

// ErrLost reports that a file cannot be read from a record on: its compressed data is damaged, or its disk.
var ErrLost = errors.New("the rest of the file cannot be read")

// lost ends the file after an error of the disk or of the decompression.
func (r *Reader) lost(err error) error {
	r.done = true
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the compressed data ends early, the file is truncated: %w", err)
	case errors.Is(err, zstd.ErrMagicMismatch):
		err = fmt.Errorf("not zstd, or damaged: %w", err)
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// line reads the next line that is not blank.
func (r *Reader) line() error {
	for {
		r.at.Line++
		r.at.Offset = r.offset
		value, err := r.in.ReadSlice('\n')
		r.offset += int64(len(value))
		if errors.Is(err, bufio.ErrBufferFull) {
			value, err = r.longLine(value)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			if !errors.Is(err, errLong) {
				return r.lost(err)
			}
			return err
		}
		trimmed := value
		if r.at.Line == 1 {
			trimmed = bytes.TrimPrefix(trimmed, []byte("\ufeff")) // a byte order mark
		}
		trimmed = bytes.TrimLeft(trimmed, " \t\r\n")
		r.at.Offset += int64(len(value) - len(trimmed))
		if trimmed = bytes.TrimRight(trimmed, " \t\r\n"); len(trimmed) > 0 {
			r.at.Value = trimmed
			r.done = err != nil
			return nil
		}
		if err != nil {
			return io.EOF
		}
	}
}

var errLong = fmt.Errorf("a line of more than %d bytes", maxRecord)

// longLine reads the rest of a line that exceeds the buffer of in.
func (r *Reader) longLine(start []byte) ([]byte, error) {
	r.buf = append(r.buf[:0], start...)
	long := false
	for {
		more, err := r.in.ReadSlice('\n')
		r.offset += int64(len(more))
		if long = long || len(r.buf)+len(more) > maxRecord; !long {
			r.buf = append(r.buf, more...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errLong
		}
		return r.buf, err
	}
}

// frame reads the next length and that number of bytes. Any error ends the file: the start of the next record is
// unknown.
func (r *Reader) frame() error {
	r.at.Offset = r.offset
	var size uint64
	for shift := 0; ; shift += 7 {
		c, err := r.in.ReadByte()
		if err != nil {
			r.done = true
			if errors.Is(err, io.EOF) {
				if shift == 0 {
					return io.EOF
				}
				return errors.New("the file ends within the length of a record")
			}
			return r.lost(err)
		}
		r.offset++
		size |= uint64(c&0x7f) << shift
		if size > maxRecord || shift > 21 {
			r.done = true
			return fmt.Errorf("a record of more than %d bytes; the rest of the file is not read", maxRecord)
		}
		if c < 0x80 {
			break
		}
	}
	r.at.Offset = r.offset
	if uint64(cap(r.buf)) < size {
		// The buffer grows with the bytes read, so that a wrong length allocates little.
		r.buf = make([]byte, 0, min(size, 1<<16))
	}
	r.buf = r.buf[:0]
	for uint64(len(r.buf)) < size {
		if len(r.buf) == cap(r.buf) {
			r.buf = append(r.buf, 0)[:len(r.buf)]
		}
		n, err := r.in.Read(r.buf[len(r.buf):min(uint64(cap(r.buf)), size)])
		r.buf = r.buf[:len(r.buf)+n]
		r.offset += int64(n)
		if uint64(len(r.buf)) == size {
			break
		}
		if errors.Is(err, io.EOF) {
			r.done = true
			return fmt.Errorf("the file ends %d bytes into a record of %d", len(r.buf), size)
		}
		if err != nil {
			return r.lost(err)
		}
	}
	r.at.Value = r.buf
	return nil
}

// Close closes the file.
func (r *Reader) Close() error {
	r.done = true
	var errs []error
	for _, c := range r.close {
		errs = append(errs, c())
	}
	r.close = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close %s: %w", r.at.Name, err)
	}
	return nil
}

// Writer writes events to a file.
type Writer struct {
	out    *bufio.Writer
	close  []func() error
	format Format
	name   string
	record []byte
	frame  []byte
}

// CreateFile creates or truncates an event file. The name decides the format, as in OpenFile.
func CreateFile(path string) (*Writer, error) {
	format, packed, err := formatOf(path)
	if err != nil {
		return nil, fmt.Errorf("create events: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create events: %w", err)
	}
	w := NewWriter(file, format, path)
	switch packed {
	case ".gz":
		pack := gzip.NewWriter(file)
		w.out.Reset(pack)
		w.close = append(w.close, pack.Close)
	case ".zst":
		pack, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("create events: %s: %w", path, err), file.Close())
		}
		w.out.Reset(pack)
		w.close = append(w.close, pack.Close)
	}
	w.close = append(w.close, file.Close)
	return w, nil
}

// WriteFile creates an event file with these events.
func WriteFile(path string, events []Event) error {
	w, err := CreateFile(path)
	if err != nil {
		return err
	}
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

// NewWriter writes events to a stream. The name is for error messages.
func NewWriter(out io.Writer, format Format, name string) *Writer {
	return &Writer{out: bufio.NewWriterSize(out, 1<<16), format: format, name: name}
}

// Write writes one event. It is in the file when Close returns no error.
func (w *Writer) Write(ev *Event) error {
	w.frame = w.frame[:0]
	if w.format == JSON {
		w.record = append(AppendJSON(w.record[:0], ev), '\n')
	} else {
		w.record = AppendProto(w.record[:0], ev)
		w.frame = binary.AppendUvarint(w.frame, uint64(len(w.record)))
	}
	if _, err := w.out.Write(w.frame); err != nil {
		return fmt.Errorf("write events: %s: %w", w.name, err)
	}
	if _, err := w.out.Write(w.record); err != nil {
		return fmt.Errorf("write events: %s: %w", w.name, err)
	}
	return nil
}

// Close flushes and closes the file.
func (w *Writer) Close() error {
	errs := []error{w.out.Flush()}
	for _, c := range w.close {
		errs = append(errs, c())
	}
	w.close = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close %s: %w", w.name, err)
	}
	return nil
}
