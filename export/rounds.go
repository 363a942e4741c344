package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// writeRounds writes the rounds as Parquet, uncompressed, with fixed pages and a fixed writer name, so that the same
// rounds give the same bytes.
func (b *builder) writeRounds(ctx context.Context, o *out) error {
	var all []Round
	if b.day.Rounds != nil {
		for r, err := range b.day.Rounds {
			if err != nil {
				return fmt.Errorf("read rounds: %w", err)
			}
			all = append(all, *r)
		}
	}
	slices.SortFunc(all, func(x, y Round) int {
		return cmp.Or(cmp.Compare(x.TableID, y.TableID), cmp.Compare(x.At, y.At), cmp.Compare(x.ShoeID, y.ShoeID),
			cmp.Compare(x.Round, y.Round))
	})
	w := parquet.NewGenericWriter[Round](o, parquet.CreatedBy("shoeproof", "1", ""),
		parquet.Compression(&parquet.Uncompressed), parquet.PageBufferSize(256<<10), parquet.MaxRowsPerRowGroup(100_000),
		parquet.DataPageVersion(1))
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
