package export

import (
	"encoding/csv"
	"fmt"
)

// writeCSV writes RFC 4180 in UTF-8 without a byte order mark. It starts with the header line, for programs; the
// licensee and the form are in README.txt.
func (b *builder) writeCSV(o *out, all []exception) error {
	w := csv.NewWriter(o)
	w.UseCRLF = true
	if err := w.Write(exceptionColumns()); err != nil {
		return fmt.Errorf("write exceptions: %w", err)
	}
	row := make([]string, len(exceptionColumns()))
	for i := range all {
		for j, c := range b.cells(&all[i]) {
			row[j] = harmless(c)
		}
		o.Rows++
		if err := w.Write(row); err != nil {
			return fmt.Errorf("write exceptions: %w", err)
		}
	}
	w.Flush()
	return w.Error()
}
