//go:build unix

package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A brokerGate stands between ingest and the one broker of a Kafka. It gives itself out as that broker, and
// sees each request and answer.
type brokerGate struct {
	net.Listener
	target string

	mu sync.Mutex
	// asked is told of each request before it goes on, which it does not if the answer is false.
	asked func(kmsg.Key) bool
	// told is told of each answer that has gone back, and its size in bytes.
	told   func(key kmsg.Key, size int)
	failed error // of the gate itself
}

func newBrokerGate(t testing.TB, target string) *brokerGate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &brokerGate{Listener: l, target: target}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go g.carry(conn)
		}
	}()
	return g
}

func (g *brokerGate) set(asked func(kmsg.Key) bool, told func(kmsg.Key, int)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked, g.told = asked, told
}

func (g *brokerGate) state() (func(kmsg.Key) bool, func(kmsg.Key, int)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked, g.told
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

func (g *brokerGate) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", g.target)
	if err != nil {
		return
	}
	defer server.Close()
	pending := make(chan request, 1000) // a broker answers the requests of a connection in order
	go func() {
		defer client.Close()
		if err := g.answers(client, server, pending); err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.failed = err
		}
	}()
	for {
		frame, err := readFrame(client)
		if err != nil {
			return // the client has gone
		}
		r := request{kmsg.Key(binary.BigEndian.Uint16(frame[4:])), int16(binary.BigEndian.Uint16(frame[6:]))}
		if asked, _ := g.state(); asked != nil && !asked(r.key) {
			return
		}
		pending <- r
		if _, err := server.Write(frame); err != nil {
			return
		}
	}
}

// answers carries them back until either side is gone. An error is one of this gate.
func (g *brokerGate) answers(client, server net.Conn, pending <-chan request) error {
	for {
		frame, err := readFrame(server)
		if err != nil {
			return nil
		}
		r := <-pending
		if r.key == kmsg.Metadata || r.key == kmsg.FindCoordinator {
			if frame, err = g.asOurselves(r, frame); err != nil {
				return err
			}
		}
		if _, err := client.Write(frame); err != nil {
			return nil
		}
		if _, told := g.state(); told != nil {
			told(r.key, len(frame))
		}
	}
}

// asOurselves is an answer that names this gate where it named the broker.
func (g *brokerGate) asOurselves(r request, frame []byte) ([]byte, error) {
	answer := kmsg.ResponseForKey(int16(r.key))
	answer.SetVersion(r.version)
	if answer.IsFlexible() {
		return nil, fmt.Errorf("%s v%d has a header that this gate does not read", r.key.Name(), r.version)
	}
	const header = 8 // size and correlation id
	if err := answer.ReadFrom(frame[header:]); err != nil {
		return nil, fmt.Errorf("read %s v%d: %w", r.key.Name(), r.version, err)
	}
	self := g.Addr().(*net.TCPAddr)
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

// readFrame is a request or an answer, with its size before it.
func readFrame(from io.Reader) ([]byte, error) {
	frame := make([]byte, 4)
	if _, err := io.ReadFull(from, frame); err != nil {
		return nil, err
	}
	frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame))...)
	_, err := io.ReadFull(from, frame[4:])
	return frame, err
}
