package nightly

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// lineWriter stores the lines of a part in batches.
type lineWriter struct {
	store *clickhouse.Store
	part  clickhouse.RunPart
	no    int
	lines []clickhouse.RunLine
}

const linesAtOnce = 2000

func (w *lineWriter) table(ctx context.Context, d *tableDone) error {
	if d.Events == 0 && len(d.found)+len(d.Facts) == 0 {
		return nil
	}
	if err := w.add(ctx, "table", d); err != nil {
		return err
	}
	for i := range d.found {
		if err := w.add(ctx, "finding", &d.found[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *lineWriter) add(ctx context.Context, kind string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a line of the run: %w", err)
	}
	w.lines = append(w.lines, clickhouse.RunLine{Kind: kind, Line: string(line)})
	if len(w.lines) < linesAtOnce {
		return nil
	}
	return w.flush(ctx)
}

func (w *lineWriter) flush(ctx context.Context) error {
	if len(w.lines) == 0 {
		return nil
	}
	if err := w.store.WriteLines(ctx, w.part, w.no, w.lines); err != nil {
		return err
	}
	w.no += len(w.lines)
	w.lines = w.lines[:0]
	return nil
}
