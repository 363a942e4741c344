//go:build unix

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/internal/testkit/proxy"
)

// A brokerGate stands between ingest and the one broker of a Kafka. It advertises itself as that broker, and observes
// each request and answer.
type brokerGate struct {
	*proxy.Proxy

	mu sync.Mutex
	// request is called before a request goes on; false cuts the connection instead.
	request func(kmsg.Key) bool
	// answered is called after an answer has gone back, with its size in bytes.
	answered func(key kmsg.Key, size int)
	failed   error // of the gate itself
}

func newBrokerGate(t testing.TB, target string) *brokerGate {
	t.Helper()
	g := &brokerGate{}
	g.Proxy = testkit.Proxy(t, proxy.Options{Target: target, Connect: g.connect})
	return g
}

func (g *brokerGate) set(request func(kmsg.Key) bool, answered func(kmsg.Key, int)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.request, g.answered = request, answered
}

func (g *brokerGate) state() (func(kmsg.Key) bool, func(kmsg.Key, int)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.request, g.answered
}

func (g *brokerGate) err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// request is what is needed to read its answer.
type request struct {
	key     kmsg.Key
	version int16
}

var errNotPassed = errors.New("the request is not passed on")

func (g *brokerGate) connect(_ context.Context, c *proxy.Conn) bool {
	pending := make(chan request, 1000) // a broker answers the requests of a connection in order
	c.Read = readFrame
	c.Request = func(frame []byte) ([]byte, error) {
		r := request{kmsg.Key(binary.BigEndian.Uint16(frame[4:])), int16(binary.BigEndian.Uint16(frame[6:]))}
		if hook, _ := g.state(); hook != nil && !hook(r.key) {
			return nil, errNotPassed
		}
		pending <- r
		return frame, nil
	}
	var r request
	c.Answer = func(frame []byte) ([]byte, error) {
		r = <-pending
		if r.key != kmsg.Metadata && r.key != kmsg.FindCoordinator {
			return frame, nil
		}
		frame, err := g.asGate(r, frame)
		if err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.failed = err
		}
		return frame, err
	}
	c.Answered = func(frame []byte) {
		if _, hook := g.state(); hook != nil {
			hook(r.key, len(frame))
		}
	}
	return true
}

// asGate is an answer that names this gate where it named the broker.
func (g *brokerGate) asGate(r request, frame []byte) ([]byte, error) {
	answer := kmsg.ResponseForKey(int16(r.key))
	answer.SetVersion(r.version)
	if answer.IsFlexible() {
		return nil, fmt.Errorf("%s v%d has a header that this gate does not read", r.key.Name(), r.version)
	}
	const header = 8 // size and correlation id
	if err := answer.ReadFrom(frame[header:]); err != nil {
		return nil, fmt.Errorf("read %s v%d: %w", r.key.Name(), r.version, err)
	}
	self := g.Addr()
	switch a := answer.(type) {
	case *kmsg.MetadataResponse:
		for i := range a.Brokers {
			a.Brokers[i].Host, a.Brokers[i].Port = self.IP.String(), int32(self.Port)
		}
	case *kmsg.FindCoordinatorResponse:
		a.Host, a.Port = self.IP.String(), int32(self.Port)
	}
	frame = answer.AppendTo(frame[:header])
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame, nil
}

// readFrame reads a request or an answer with its size before it.
func readFrame(from io.Reader) ([]byte, error) {
	frame := make([]byte, 4)
	if _, err := io.ReadFull(from, frame); err != nil {
		return nil, err
	}
	frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame))...)
	_, err := io.ReadFull(from, frame[4:])
	return frame, err
}
