// Package tracingtest is a collector of traces inside the process, for tests.
package tracingtest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector takes OTLP over HTTP at URL.
type Collector struct {
	URL string

	mu      sync.Mutex
	spans   []*tracepb.Span
	headers http.Header
}

// Start starts a collector, which ends with the test.
func Start(t testing.TB) *Collector {
	c := &Collector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *Collector) take(r *http.Request) error {
	kind := r.Header.Get("Content-Type")
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || kind != "application/x-protobuf" {
		return fmt.Errorf("%s %s %s is no OTLP", r.Method, r.URL, kind)
	}
	in, err := gzip.NewReader(r.Body)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var got collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &got); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = r.Header
	for _, resource := range got.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	return nil
}

// Spans are the spans so far, in the order in which they came.
func (c *Collector) Spans() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Named are the spans of a name.
func (c *Collector) Named(name string) []*tracepb.Span {
	return slices.DeleteFunc(c.Spans(), func(s *tracepb.Span) bool { return s.Name != name })
}

// Header is a header of the last request.
func (c *Collector) Header(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headers.Get(name)
}

// Attribute is the value of an attribute as text, empty for none.
func Attribute(all []*commonpb.KeyValue, key string) string {
	for _, a := range all {
		if a.Key != key {
			continue
		}
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			return v.StringValue
		case *commonpb.AnyValue_IntValue:
			return fmt.Sprint(v.IntValue)
		case *commonpb.AnyValue_DoubleValue:
			return fmt.Sprint(v.DoubleValue)
		}
	}
	return ""
}
