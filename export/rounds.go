//go:build !js

package export

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// writeRounds writes the rounds as Parquet with fixed pages, compression and writer name, so that the same rounds give
// the same bytes.
func (b *builder) writeRounds(ctx context.Context, o *out) error {
	all, err := b.day.sortedRounds()
	if err != nil {
		return err
	}
	w := parquet.NewGenericWriter[Round](o, parquet.CreatedBy("shoeproof", "1", ""),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedBetterCompression, Concurrency: 1}),
		parquet.PageBufferSize(256<<10), parquet.MaxRowsPerRowGroup(100_000), parquet.DataPageVersion(1))
	for chunk := range slices.Chunk(all, 10_000) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if _, err := w.Write(chunk); err != nil {
			return fmt.Errorf("write rounds: %w", err)
		}
	}
	o.Rows = int64(len(all))
	if err := w.Close(); err != nil {
		return fmt.Errorf("close rounds: %w", err)
	}
	return nil
}

// readRounds reads what writeRounds wrote.
func readRounds(data []byte) ([]Round, error) {
	return parquet.Read[Round](bytes.NewReader(data), int64(len(data)))
}
