// Package proxy carries TCP connections to a server, for tests and for the engines of devstack. A test can observe,
// change, delay and drop what passes.
//
// A client that leaves ends only its own direction: the proxy reads the server's answers until the server closes.
// So a server never writes to a client that has left.
package proxy

import (
	"context"
	"io"
	"net"
	"sync"
)

// Options configure a Proxy.
type Options struct {
	// Listener accepts the clients. Without it the proxy listens on a free port of 127.0.0.1.
	Listener net.Listener
	// Target is the server's host:port.
	Target string
	// Dial connects to the server in place of a plain dial of Target. Its context ends with the proxy.
	Dial func(ctx context.Context) (net.Conn, error)
	// Connect is called for each client before the server is dialed, and sets the hooks of the connection.
	// False closes the client at once. Its context ends with the proxy.
	Connect func(context.Context, *Conn) bool
}

// A Conn is the connection of one client to the server. Hooks run in order, one at a time in each direction, and may
// block, which delays what follows.
type Conn struct {
	// Read returns the next piece of a stream; without it a piece is whatever has arrived.
	Read func(io.Reader) ([]byte, error)
	// Request and Answer return what goes on in place of a piece, none to drop it. An error cuts the connection.
	Request, Answer func(piece []byte) ([]byte, error)
	// Answered is called after an answer has been written to the client.
	Answered func(piece []byte)

	client, server net.Conn
}

// A Proxy accepts connections until Close.
type Proxy struct {
	options  Options
	listener net.Listener
	ctx      context.Context
	cancel   context.CancelFunc
	carrying sync.WaitGroup
}

// Start returns a proxy that accepts connections.
func Start(o Options) (*Proxy, error) {
	p := &Proxy{options: o, listener: o.Listener}
	if p.listener == nil {
		var err error
		if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
	}
	if p.options.Dial == nil {
		p.options.Dial = func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", o.Target)
		}
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.carrying.Go(p.accept)
	return p, nil
}

// Addr is where clients connect.
func (p *Proxy) Addr() *net.TCPAddr { return p.listener.Addr().(*net.TCPAddr) }

// Close refuses clients from now on, cuts all connections, and returns when none is left.
func (p *Proxy) Close() {
	p.cancel()
	_ = p.listener.Close()
	p.carrying.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.carrying.Go(func() { p.carry(client) })
	}
}

func (p *Proxy) carry(client net.Conn) {
	defer client.Close()
	c := &Conn{client: client}
	if p.options.Connect != nil && !p.options.Connect(p.ctx, c) {
		return
	}
	server, err := p.options.Dial(p.ctx)
	if err != nil {
		return
	}
	defer server.Close()
	c.server = server
	defer context.AfterFunc(p.ctx, c.Cut)()

	var answers sync.WaitGroup
	answers.Go(func() {
		defer client.Close()
		if !c.copy(client, server, c.Answer, c.Answered) {
			_, _ = io.Copy(io.Discard, server)
		}
	})
	c.copy(server, client, c.Request, nil)
	_ = server.(*net.TCPConn).CloseWrite()
	answers.Wait()
}

// Reply writes to the client in place of the server.
func (c *Conn) Reply(answer []byte) { _, _ = c.client.Write(answer) } // a client that has left needs none

// Cut closes both sides of the connection at once.
func (c *Conn) Cut() {
	_ = c.client.Close()
	if c.server != nil {
		_ = c.server.Close()
	}
}

// copy carries one direction until it ends. It returns false if to no longer takes what from sends.
func (c *Conn) copy(to, from net.Conn, hook func([]byte) ([]byte, error), written func([]byte)) bool {
	if hook == nil && written == nil && c.Read == nil {
		_, err := io.Copy(to, from)
		return err == nil
	}
	read := c.Read
	if read == nil {
		buffer := make([]byte, 64<<10)
		read = func(r io.Reader) ([]byte, error) {
			n, err := r.Read(buffer)
			return buffer[:n], err
		}
	}
	for {
		piece, err := read(from)
		if err != nil {
			return true
		}
		if hook != nil {
			if piece, err = hook(piece); err != nil {
				c.Cut()
				return true
			}
		}
		if len(piece) == 0 {
			continue
		}
		if _, err := to.Write(piece); err != nil {
			return false
		}
		if written != nil {
			written(piece)
		}
	}
}
