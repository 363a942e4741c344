// Package kafkatest publishes records that are small on the wire and large in memory.
package kafkatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/compress"
	"github.com/segmentio/kafka-go/protocol"
)

// Bomb writes a record of n letters x to partition 0 of a topic, and returns the SHA-256 of its value. It needs
// little memory itself.
func Bomb(ctx context.Context, broker, topic string, codec compress.Compression, n int64) (sum [32]byte, err error) {
	b, err := batch(codec, n, time.Now())
	if err != nil {
		return sum, err
	}
	client := &kafka.Client{Addr: kafka.TCP(broker)}
	got, err := client.RawProduce(ctx, &kafka.RawProduceRequest{
		Topic: topic, RequiredAcks: kafka.RequireAll, RawRecords: protocol.RawRecordSet{Reader: bytes.NewReader(b)},
	})
	if err == nil {
		err = got.Error
	}
	hash := sha256.New()
	_, failed := io.CopyN(hash, letters{}, n)
	return [32]byte(hash.Sum(nil)), errors.Join(err, failed)
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// batch is a batch with one record of n letters, written now, after its length.
func batch(codec compress.Compression, n int64, now time.Time) ([]byte, error) {
	head := binary.AppendVarint([]byte{0, 0, 0, 1}, n) // no key
	var packed bytes.Buffer
	w := codec.Codec().NewWriter(&packed)
	_, err := w.Write(append(binary.AppendVarint(nil, int64(len(head))+n+1), head...))
	if err == nil {
		_, err = io.CopyN(struct{ io.Writer }{w}, letters{}, n)
	}
	if err == nil {
		_, err = w.Write([]byte{0}) // no headers
	}
	if err == nil {
		err = w.Close()
	}
	b := make([]byte, 61, 65+packed.Len())
	binary.BigEndian.PutUint32(b[8:], uint32(49+packed.Len()))
	b[16] = 2 // the format
	binary.BigEndian.PutUint16(b[21:], uint16(codec))
	// First and last timestamp. A record of 1970 is older than any retention: the broker may delete it at once.
	for at := 27; at < 43; at += 8 {
		binary.BigEndian.PutUint64(b[at:], uint64(now.UnixMilli()))
	}
	for i := 43; i < 57; i++ { // no idempotent producer
		b[i] = 0xff
	}
	b[60] = 1 // record
	b = append(b, packed.Bytes()...)
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...), err
}
