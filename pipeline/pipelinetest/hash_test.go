package pipelinetest_test

import (
	"testing"

	"github.com/shoeproof/shoeproof/pipeline/pipelinetest"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// The hash of a batch is compared with the journal of the same release: it changes only when a table gains a column.
func TestHashChangesWithColumnsOnly(t *testing.T) {
	b := pipelinetest.Batch(0, 3)
	b.Evidence = append(b.Evidence, rows.Evidence{
		Detector: "d01", Key: "shoe:x", At: -5, LnE: 1.5, Start: -.25, Round: 7, Seq: 9, Engine: "e",
	})
	if got, want := b.Hash(), "75c6007c66254debb1d3ffbad5f44e97b183bc8b6090cf9ac6beea1c9f1eebaf"; got != want {
		t.Errorf("hash of rows %s, want %s", got, want)
	}
	b.Reset()
	if got, want := b.Hash(), "69a4d78bd3ff7e598bea7faf184809c5881d459e36dccbf1ddef161499c3e7b5"; got != want {
		t.Errorf("hash of no rows %s, want %s", got, want)
	}
}
