package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go/compress"
)

// Limits of what a batch may inflate to. Kafka bounds only the compressed bytes.
const (
	// maxInflated is what is read of one batch: more than gzip can make of 1 MB, the brokers' default limit.
	maxInflated = 1 << 30
	// maxWindow is the memory that a zstd frame may require. Producers require 8 MiB at their highest usual level.
	maxWindow = 32 << 20
	// maxBlock is the inflated size of one snappy block; producers write blocks of 32 KiB or whole batches.
	maxBlock = 32 << 20
)

// errInflates reports a batch beyond maxInflated.
var errInflates = fmt.Errorf("inflates beyond %d bytes", maxInflated)

// inflate returns the records of a batch as a stream. No codec uses more memory than its limit, whatever the bytes are.
func inflate(codec compress.Compression, data []byte) (io.ReadCloser, error) {
	switch codec {
	case compress.None:
		return io.NopCloser(bytes.NewReader(data)), nil
	case compress.Snappy:
		return io.NopCloser(newSnappy(data)), nil
	case compress.Zstd:
		d, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case compress.Gzip, compress.Lz4: // Streams with a window of 32 KiB, and blocks of at most 8 MiB.
		return codec.Codec().NewReader(bytes.NewReader(data)), nil
	}
	return nil, fmt.Errorf("unknown compression %d", codec)
}

// bounded ends a stream with errInflates, or with ctx.
type bounded struct {
	ctx  context.Context
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errInflates
	}
	if err := b.ctx.Err(); err != nil {
		return 0, context.Cause(b.ctx)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// snappyReader reads blocks, in the framing of the Java client or a single one without framing.
type snappyReader struct {
	framed   bool
	in       []byte
	out, buf []byte
}

// The framing of the Java client: a magic, two versions, then blocks after their lengths.
const (
	xerialMagic  = "\x82SNAPPY\x00"
	xerialHeader = 16
)

func newSnappy(data []byte) *snappyReader {
	if len(data) >= xerialHeader && bytes.HasPrefix(data, []byte(xerialMagic)) {
		return &snappyReader{framed: true, in: data[xerialHeader:]}
	}
	return &snappyReader{in: data}
}

func (s *snappyReader) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		block, err := s.block()
		if err != nil {
			return 0, err
		}
		n, err := snappy.DecodedLen(block)
		if err == nil && n > maxBlock {
			err = fmt.Errorf("a snappy block of %d bytes, expected at most %d", n, maxBlock)
		}
		if err == nil {
			s.buf, err = snappy.Decode(s.buf[:cap(s.buf)], block)
		}
		if err != nil {
			return 0, err
		}
		s.out = s.buf
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

func (s *snappyReader) block() ([]byte, error) {
	if len(s.in) == 0 {
		return nil, io.EOF
	}
	block := s.in
	if s.framed {
		if len(block) < 4 {
			return nil, errors.New("a snappy frame ends in its length")
		}
		n := int64(binary.BigEndian.Uint32(block))
		if block = block[4:]; n > int64(len(block)) {
			return nil, errors.New("a snappy frame ends in a block")
		}
		block = block[:n]
		s.in = s.in[4+n:]
		return block, nil
	}
	s.in = nil
	return block, nil
}
