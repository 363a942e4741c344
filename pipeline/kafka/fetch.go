package kafka

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	fetchapi "github.com/segmentio/kafka-go/protocol/fetch"
)

// maxResponse bounds the bytes of one Fetch in memory. A response has more only if its first batch has.
const maxResponse = maxBytes

// fetch is a Fetch of one partition that leaves the records compressed: the decoder of kafka-go inflates all of them at
// once, and a batch of 1 MB can inflate to gigabytes.
type fetch struct {
	*fetchapi.Request
	clientID string
	buffer   []byte // that the response may use
	version  int16
}

// fetched is the response. Its type is foreign to kafka-go, which passes it through.
type fetched struct {
	code    int16
	high    int64
	batches []byte
	// left is the number of bytes of the batches beyond maxResponse, sum the SHA-256 of all bytes.
	left int64
	sum  [sha256.Size]byte
}

func (*fetched) ApiKey() protocol.ApiKey { return protocol.Fetch }

// Required makes kafka-go call RawExchange in place of its decoder.
func (f *fetch) Required(versions map[protocol.ApiKey]int16) bool {
	f.version = versions[protocol.Fetch]
	return true
}

// RawExchange sends the request and reads the response. A connection has one request at a time.
func (f *fetch) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	const correlation = 1
	if f.version < 4 || f.version > 11 {
		return nil, fmt.Errorf("fetch version %d, expected 4 to 11: the brokers are older than Kafka 0.11", f.version)
	}
	if err := protocol.WriteRequest(rw, f.version, correlation, f.clientID, f.Request); err != nil {
		return nil, err
	}
	r := &wire{r: rw, left: 4}
	r.left = int64(r.int32())
	if id := r.int32(); r.err == nil && id != correlation {
		return nil, fmt.Errorf("the response has correlation id %d, expected %d", id, correlation)
	}
	return f.response(r)
}

func (f *fetch) response(r *wire) (*fetched, error) {
	out := &fetched{}
	r.skip(4) // throttle time
	if f.version >= 7 {
		out.code = r.int16()
		r.skip(4) // session id
	}
	if r.int32() < 1 && r.err == nil {
		return nil, errors.Join(protocol.ErrNoTopic, kafka.Error(out.code))
	}
	r.skip(int64(r.int16())) // topic
	if r.int32() < 1 && r.err == nil {
		return nil, protocol.ErrNoPartition
	}
	r.skip(4) // partition
	if code := r.int16(); code != 0 {
		out.code = code
	}
	out.high = r.int64()
	r.skip(8) // last stable offset
	if f.version >= 5 {
		r.skip(8) // log start offset
	}
	r.skip(16 * int64(max(0, r.int32()))) // aborted transactions
	if f.version >= 11 {
		r.skip(4) // preferred replica
	}
	n := int64(max(0, r.int32()))
	if n > r.left {
		r.fail(io.ErrUnexpectedEOF)
	}
	f.batches(r, n, out)
	r.skip(r.left)
	return out, r.err
}

// batches reads the batches up to maxResponse, and only the hash of the rest.
func (f *fetch) batches(r *wire, n int64, out *fetched) {
	keep := min(n, maxResponse)
	if int64(cap(f.buffer)) < keep {
		f.buffer = make([]byte, keep)
	}
	out.batches = f.buffer[:keep]
	r.read(out.batches)
	if out.left = n - keep; out.left == 0 || r.err != nil {
		return
	}
	hash := sha256.New()
	hash.Write(out.batches)
	_, err := io.CopyN(hash, r.r, out.left)
	r.fail(err)
	r.left -= out.left
	hash.Sum(out.sum[:0])
}

// wire reads the numbers of a response. After an error all are 0.
type wire struct {
	r    io.Reader
	left int64 // bytes of the response
	err  error
	b    [8]byte
}

func (w *wire) fail(err error) {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if w.err == nil {
		w.err = err
	}
}

func (w *wire) read(b []byte) {
	if int64(len(b)) > w.left {
		w.fail(io.ErrUnexpectedEOF)
	}
	if w.err != nil {
		clear(b)
		return
	}
	_, err := io.ReadFull(w.r, b)
	w.left -= int64(len(b))
	w.fail(err)
}

func (w *wire) skip(n int64) {
	if n < 0 || n > w.left {
		w.fail(io.ErrUnexpectedEOF)
	}
	if w.err != nil {
		return
	}
	_, err := io.CopyN(io.Discard, w.r, n)
	w.left -= n
	w.fail(err)
}

func (w *wire) int16() int16 { w.read(w.b[:2]); return int16(binary.BigEndian.Uint16(w.b[:])) }
func (w *wire) int32() int32 { w.read(w.b[:4]); return int32(binary.BigEndian.Uint32(w.b[:])) }
func (w *wire) int64() int64 { w.read(w.b[:8]); return int64(binary.BigEndian.Uint64(w.b[:])) }
