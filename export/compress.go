package export

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// window is the window of compressed files, and so the memory that reading them takes.
const window = 8 << 20

// deflate returns a compressor with parameters that never change: the same content gives the same bytes in each release
// that links the same library.
func deflate(out io.Writer) (*zstd.Encoder, error) {
	w, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
		zstd.WithWindowSize(window), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return w, nil
}

// inflated reads a compressed file up to the size that the manifest states.
type inflated struct {
	*zstd.Decoder
	left int64
}

func inflate(in io.Reader, size int64) (*inflated, error) {
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, fmt.Errorf("inflate: %w", err)
	}
	return &inflated{d, size}, nil
}

// Read reads; content beyond the size is an error.
func (r *inflated) Read(p []byte) (int, error) {
	n, err := r.Decoder.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, fmt.Errorf("it inflates to more than the manifest states")
	}
	return n, err //nolint:wrapcheck // io.EOF stays bare
}

func (r *inflated) close() { r.Decoder.Close() }
