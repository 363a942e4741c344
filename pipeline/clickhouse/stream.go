package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"
	ch "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// stream is a connection that reads whole blocks of columns, by the native protocol. The driver makes a string and
// three calls of each value, which costs a replay as much as the rules do. A stream is for one query at a time.
type stream struct {
	conn    net.Conn
	in      *proto.Reader
	timeout time.Duration // of one read
	idle    time.Time     // since when
}

// maxIdle is how long an idle stream is used again: the server may have closed it since.
const maxIdle = 5 * time.Second

// openStream returns a stream that is idle, or connects to the first server that answers.
func (s *Store) openStream(ctx context.Context) (*stream, error) {
	for len(s.streams) > 0 {
		select {
		case c := <-s.streams:
			if time.Since(c.idle) < maxIdle {
				return c, nil
			}
			_ = c.conn.Close()
		default:
		}
	}
	var all []error
	for _, addr := range s.cfg.Addrs {
		c, err := s.dial(ctx, addr)
		if err == nil {
			return c, nil
		}
		all = append(all, err)
		if codeOf(err) != 0 {
			break
		}
	}
	return nil, errors.Join(all...)
}

// keepStream keeps a stream for the next replay, unless it failed.
func (s *Store) keepStream(c *stream, err error) {
	c.idle = time.Now()
	if err == nil {
		select {
		case s.streams <- c:
			return
		default:
		}
	}
	_ = c.conn.Close()
}

func (s *Store) dial(ctx context.Context, addr string) (*stream, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.DialTimeout)
	defer cancel()
	dial := (&net.Dialer{}).DialContext
	if s.cfg.TLS != nil {
		dial = (&tls.Dialer{Config: s.cfg.TLS}).DialContext
	}
	conn, err := dial(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &stream{conn: conn, timeout: s.cfg.DialTimeout}
	c.in = proto.NewReader(c)
	if err := c.handshake(ctx, &s.cfg); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	c.timeout = s.cfg.ReadTimeout
	return c, nil
}

// Read reads from the connection, with a deadline.
func (c *stream) Read(b []byte) (int, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.conn.Read(b)
}

func (c *stream) handshake(ctx context.Context, cfg *Config) error {
	defer c.cancelWith(ctx)()
	var out proto.Buffer
	proto.ClientHello{
		Name: "shoeproof", ProtocolVersion: proto.Version, User: cfg.User, Password: string(cfg.Password),
	}.Encode(&out)
	if _, err := c.conn.Write(out.Buf); err != nil {
		return err
	}
	code, err := c.packet()
	if err != nil {
		return err
	}
	var server proto.ServerHello
	switch {
	case code != proto.ServerCodeHello:
		return fmt.Errorf("the server answers a login with packet %v", code)
	case server.DecodeAware(c.in, proto.Version) != nil || server.Revision < proto.Version:
		return fmt.Errorf("the server speaks protocol %d, want %d or later: %w", server.Revision, proto.Version, ErrServer)
	}
	out.Reset()
	out.PutString("") // the key of a quota
	_, err = c.conn.Write(out.Buf)
	return err
}

// cancelWith interrupts reads and writes when ctx ends, until the function that it returns is called.
func (c *stream) cancelWith(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = c.conn.Close() })
}

// A result receives the blocks of a query: each into the columns that into returns, then each is called.
type result struct {
	into func() proto.Results
	each func()
}

// query reads the result of a query.
func (c *stream) query(ctx context.Context, text string, args []any, to result) (err error) {
	stop := c.cancelWith(ctx)
	defer func() {
		if !stop() && err != nil {
			err = context.Cause(ctx)
		}
	}()
	if err := c.send(text, args); err != nil {
		return err
	}
	for {
		code, err := c.packet()
		switch {
		case err != nil:
			return err
		case code == proto.ServerCodeEndOfStream:
			return nil
		case code == proto.ServerCodeData:
			err = c.block(&to)
		case code == proto.ServerCodeProgress:
			err = new(proto.Progress).DecodeAware(c.in, proto.Version)
		case code == proto.ServerCodeProfile:
			err = new(proto.Profile).DecodeAware(c.in, proto.Version)
		default:
			err = fmt.Errorf("the server answers a query with packet %v", code)
		}
		if err != nil {
			return err
		}
	}
}

// packet reads the kind of the next packet. An exception of the server is an error.
func (c *stream) packet() (proto.ServerCode, error) {
	n, err := c.in.UVarInt()
	if code := proto.ServerCode(n); err != nil || code != proto.ServerCodeException {
		return code, err
	}
	var e proto.Exception
	if err := e.DecodeAware(c.in, proto.Version); err != nil {
		return 0, err
	}
	return 0, &ch.Exception{Code: int32(e.Code), Name: e.Name, Message: e.Message}
}

func (c *stream) block(to *result) error {
	if _, err := c.in.Str(); err != nil { // the name of a table
		return err
	}
	c.in.EnableCompression()
	defer c.in.DisableCompression()
	var b proto.Block
	if err := b.DecodeBlock(c.in, proto.Version, to.into()); err != nil {
		return fmt.Errorf("decode a block: %w", err)
	}
	if b.Rows > 0 {
		to.each()
	}
	return nil
}

// send sends a query with its parameters, and no tables beside it.
func (c *stream) send(text string, args []any) error {
	q := proto.Query{
		Body: text, Stage: proto.StageComplete, Compression: proto.CompressionEnabled,
		Info: proto.ClientInfo{
			ProtocolVersion: proto.Version, Interface: proto.InterfaceTCP, Query: proto.ClientQueryInitial,
			InitialAddress: c.conn.LocalAddr().String(), ClientName: "shoeproof",
		},
		Settings: []proto.Setting{{Key: "send_profile_events", Value: "0"}},
	}
	for _, arg := range args {
		p := arg.(driver.NamedValue)
		q.Parameters = append(q.Parameters, proto.Parameter{Key: p.Name, Value: quoted(p.Value.(string))})
	}
	var out, block proto.Buffer
	q.EncodeAware(&out, proto.Version)
	proto.ClientCodeData.Encode(&out)
	proto.ClientData{}.EncodeAware(&out, proto.Version)
	if err := (proto.Block{}).EncodeBlock(&block, proto.Version, nil); err != nil {
		return err
	}
	w := compress.NewWriter(compress.LevelZero, compress.None)
	if err := w.Compress(block.Buf); err != nil {
		return err
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	_, err := c.conn.Write(append(out.Buf, w.Data...))
	return err
}

// quoted is a value as the server reads a parameter: escaped as in a tab-separated file, then as a string.
func quoted(v string) string {
	v = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(v)
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(v) + "'"
}
