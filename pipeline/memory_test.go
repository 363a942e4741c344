package pipeline_test

import (
	"errors"
	"testing"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/pipelinetest"
)

func TestMemorySink(t *testing.T) {
	pipelinetest.Sink(t, func(*testing.T) pipelinetest.Stored {
		m := pipeline.NewMemorySink()
		return pipelinetest.Stored{Sink: m, Count: func(_ *testing.T, table string) int { return len(m.Rows(table)) }}
	})
}

func TestMemorySinkLosesTheAnswer(t *testing.T) {
	m := pipeline.NewMemorySink()
	lost := errors.New("the answer is lost")
	m.Fail = func(*pipeline.Batch) (bool, error) { return true, lost }
	if err := m.Write(t.Context(), pipelinetest.Batch(0, 3)); !errors.Is(err, lost) {
		t.Errorf("got %v, want %v", err, lost)
	}
	if n := len(m.Findings()); n != 3 {
		t.Errorf("%d findings, want 3", n)
	}
	m.Fail = func(*pipeline.Batch) (bool, error) { return false, lost }
	if err := m.Write(t.Context(), pipelinetest.Batch(3, 6)); !errors.Is(err, lost) {
		t.Errorf("got %v, want %v", err, lost)
	}
	if n := len(m.DeadLetters()); n != 3 {
		t.Errorf("%d dead letters, want 3", n)
	}
}
