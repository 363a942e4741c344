package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// out is a file of the bundle that is being written.
type out struct {
	File
	b    *builder
	file *os.File
	buf  *bufio.Writer
	sum  hash.Hash
	pack *zstd.Encoder // of a compressed file
}

func (b *builder) create(path string) (*out, error) {
	if err := goodPath(path); err != nil {
		return nil, err
	}
	name := filepath.Join(b.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, fmt.Errorf("make a folder of the bundle: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make a file of the bundle: %w", err)
	}
	o := &out{File: File{Path: path}, b: b, file: f, buf: bufio.NewWriterSize(f, 256<<10), sum: sha256.New()}
	if strings.HasSuffix(path, compressed) {
		if o.pack, err = deflate(plain{o}); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return o, nil
}

func (o *out) Write(p []byte) (int, error) {
	if o.pack == nil {
		return plain{o}.Write(p)
	}
	o.Content += int64(len(p))
	return o.pack.Write(p) //nolint:wrapcheck // done names the file
}

// plain writes the bytes of a file as they are in the bundle.
type plain struct{ o *out }

func (s plain) Write(p []byte) (int, error) {
	s.o.sum.Write(p)
	s.o.Size += int64(len(p))
	return s.o.buf.Write(p)
}

// line writes a line and counts it as a row.
func (o *out) line(line []byte) error {
	o.Rows++
	_, err := o.Write(append(line, '\n'))
	return err
}

// encode writes a value as a line of canonical JSON. On an encoding error it writes nothing.
func (o *out) encode(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	return o.line(line)
}

// done closes a file and adds it to the manifest, unless writing failed.
func (o *out) done(err error) error {
	if o.pack != nil {
		err = errors.Join(err, o.pack.Close())
	}
	o.SHA256 = hex.EncodeToString(o.sum.Sum(nil))
	if err := finish(o.file, errors.Join(err, o.buf.Flush())); err != nil {
		return fmt.Errorf("write %s: %w", o.Path, err)
	}
	o.b.manifest.Files = append(o.b.manifest.Files, o.File)
	return nil
}

// write creates, writes and closes a file.
func (b *builder) write(path string, write func(*out) error) error {
	o, err := b.create(path)
	if err != nil {
		return err
	}
	return o.done(write(o))
}

// writeLines writes a file with a line for each value.
func writeLines[T any](b *builder, path string, values []T) error {
	return b.write(path, func(o *out) error {
		for i := range values {
			if err := o.encode(&values[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeData writes a file of bytes.
func (b *builder) writeData(path string, data []byte) error {
	return b.write(path, func(o *out) error {
		_, err := o.Write(data)
		return err
	})
}
