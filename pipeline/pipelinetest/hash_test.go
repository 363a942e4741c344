package pipelinetest_test

import (
	"testing"

	"github.com/shoeproof/shoeproof/pipeline/pipelinetest"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// The hash of a batch is compared with journals of earlier releases: its bytes never change.
func TestHashNeverChanges(t *testing.T) {
	b := pipelinetest.Batch(0, 3)
	b.Evidence = append(b.Evidence, rows.Evidence{
		Detector: "d01", Key: "shoe:x", At: -5, LnE: 1.5, Start: -.25, Round: 7, Seq: 9, Engine: "e",
	})
	if got, want := b.Hash(), "24c4d2b1504956a243141f01231d443633eed3b8f79fa62cd651dbb323249266"; got != want {
		t.Errorf("hash of rows %s, want %s", got, want)
	}
	b.Reset()
	if got, want := b.Hash(), "36e85b8ca5cc07b01ad98462a7f8afd1794a65455dc33ea47adcb9f50dfe5207"; got != want {
		t.Errorf("hash of no rows %s, want %s", got, want)
	}
}
