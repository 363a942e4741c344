package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/shoeproof/shoeproof/pipeline"
)

// Sink writes findings, one JSON object a line, each finding once. Other rows it drops.
type Sink struct {
	mu      sync.Mutex
	out     io.Writer
	name    string
	close   func() error
	seen    map[string]struct{}
	pending bytes.Buffer // encoded and not yet written
}

var _ pipeline.Sink = (*Sink)(nil)

// NewSink writes to a stream; the name is for messages.
func NewSink(out io.Writer, name string) *Sink {
	return &Sink{out: out, name: name, close: func() error { return nil }, seen: map[string]struct{}{}}
}

// CreateSink makes a file, or empties it.
func CreateSink(path string) (*Sink, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create findings: %w", err)
	}
	s := NewSink(f, path)
	s.close = func() error { return errors.Join(f.Sync(), f.Close()) }
	return s, nil
}

// Write appends the batch's findings. What an error kept from being written, the next Write writes.
func (s *Sink) Write(ctx context.Context, b *pipeline.Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("write findings: %s: %w", s.name, context.Cause(ctx))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	enc := json.NewEncoder(&s.pending)
	enc.SetEscapeHTML(false)
	for i := range b.Findings {
		id := b.Findings[i].ID
		if _, ok := s.seen[id]; ok {
			continue
		}
		if err := enc.Encode(&b.Findings[i]); err != nil {
			return fmt.Errorf("write findings: %s: finding %s: %w", s.name, id, err)
		}
		s.seen[id] = struct{}{}
	}
	if s.pending.Len() == 0 {
		return nil
	}
	if _, err := s.pending.WriteTo(s.out); err != nil {
		return fmt.Errorf("write findings: %s: %w", s.name, err)
	}
	return nil
}

// Close makes the file durable and closes it.
func (s *Sink) Close() error {
	if err := s.close(); err != nil {
		return fmt.Errorf("close findings: %s: %w", s.name, err)
	}
	return nil
}
