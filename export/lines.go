package export

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// maxLine bounds one line of a file.
const maxLine = 16 << 20

// eachLine calls each with the lines of a file without their line feeds; every line must end with one.
func eachLine(in io.Reader, each func(n int64, line []byte) error) error {
	r := newLines(in)
	for n := int64(1); ; n++ {
		line, err := r.next()
		if err == io.EOF { //nolint:errorlint // next returns it bare
			return nil
		}
		if err == nil {
			err = each(n, line)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// lines reads long lines and keeps one at a time.
type lines struct {
	in   io.Reader
	buf  []byte
	have []byte
	err  error
}

func newLines(in io.Reader) *lines { return &lines{in: in, buf: make([]byte, 0, 64<<10)} }

func (l *lines) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.have, '\n'); i >= 0 {
			line := l.have[:i]
			l.have = l.have[i+1:]
			return line, nil
		}
		switch {
		case l.err == io.EOF && len(l.have) == 0: //nolint:errorlint // readers return it bare
			return nil, io.EOF
		case l.err == io.EOF: //nolint:errorlint // readers return it bare
			return nil, fmt.Errorf("the last line has no line feed")
		case l.err != nil:
			return nil, l.err
		case len(l.have) > maxLine:
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		l.buf = append(l.buf[:0], l.have...)
		if cap(l.buf)-len(l.buf) < 32<<10 {
			l.buf = slices.Grow(l.buf, max(len(l.buf), 64<<10))
		}
		n, err := l.in.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf, l.err = l.buf[:len(l.buf)+n], err
		l.have = l.buf
	}
}
