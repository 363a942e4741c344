package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	ch "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// stream is a connection that reads and sends whole blocks of columns, by the native protocol. The driver makes a
// string and three calls of each value that it reads, which costs a replay as much as the rules do, and copies each
// column that it sends. Nothing is compressed: that costs this process and the server more time than it saves on the
// way between them. A stream is for one query at a time.
type stream struct {
	conn    net.Conn
	in      *proto.Reader
	timeout time.Duration // of one read or write
	idle    time.Time     // since when
	closed  bool          // the context of a query ended
	// blocks are the blocks of the archive that a replay reads: to grow new ones for each table takes longer than to
	// fill them.
	blocks [2]archiveBlock
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
	if err == nil && !c.closed {
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

// Write writes to the connection, with a deadline.
func (c *stream) Write(b []byte) (int, error) {
	if err := c.conn.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.conn.Write(b)
}

func (c *stream) handshake(ctx context.Context, cfg *Config) (err error) {
	stop := c.cancelWith(ctx)
	defer func() { err = stop(err) }()
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

// cancelWith interrupts reads and writes when ctx ends, until the function that it returns is called. That function
// returns the cause of an error.
func (c *stream) cancelWith(ctx context.Context) (stop func(error) error) {
	uncalled := context.AfterFunc(ctx, func() { _ = c.conn.Close() })
	return func(err error) error {
		if c.closed = !uncalled(); c.closed && err != nil {
			return context.Cause(ctx)
		}
		return err
	}
}

// A result receives the blocks of a query: each into the columns that into returns, then each is called.
type result struct {
	into func() proto.Results
	each func()
}

// query reads the result of a query.
func (c *stream) query(ctx context.Context, text string, args []any, to result) (err error) {
	stop := c.cancelWith(ctx)
	defer func() { err = stop(err) }()
	q := proto.Query{Body: text, Compression: proto.CompressionDisabled}
	for _, arg := range args {
		p := arg.(driver.NamedValue)
		q.Parameters = append(q.Parameters, proto.Parameter{Key: p.Name, Value: quoted(p.Value.(string))})
	}
	if err := c.send(&q); err != nil {
		return err
	}
	return c.answers(proto.ServerCodeEndOfStream, func() error { return c.block(&to) })
}

// insert sends one block with the rows of all parts into a table.
func (c *stream) insert(ctx context.Context, t *table, parts []part, settings []proto.Setting, e *encoder) (err error) {
	stop := c.cancelWith(ctx)
	defer func() { err = stop(err) }()
	q := proto.Query{Body: t.insert + " VALUES", Compression: proto.CompressionDisabled, Settings: settings}
	if err := c.send(&q); err != nil {
		return err
	}
	// The server answers with the columns that it expects, without rows.
	header := func() error {
		if _, err := c.in.Str(); err != nil { // the name of a table
			return err
		}
		return new(proto.Block).DecodeBlock(c.in, proto.Version, nil)
	}
	if err := c.answers(proto.ServerCodeData, header); err != nil {
		return err
	}
	e.out, e.err = c, nil
	if err := e.block(t, parts); err != nil {
		if errors.Is(err, ErrRows) {
			return err
		}
		if _, refusal := c.packet(); codeOf(refusal) != 0 {
			return refusal // sent before the server closed the connection
		}
		return err
	}
	var end proto.Buffer
	if err := endOfData(&end); err != nil {
		return err
	}
	if _, err := c.Write(end.Buf); err != nil {
		return err
	}
	return c.answers(proto.ServerCodeEndOfStream, header)
}

// answers reads packets up to the first of a kind, and blocks with data.
func (c *stream) answers(last proto.ServerCode, data func() error) error {
	for {
		code, err := c.packet()
		if err != nil {
			return err
		}
		switch code {
		case proto.ServerCodeEndOfStream:
		case proto.ServerCodeData:
			err = data()
		case proto.ServerCodeProgress:
			err = new(proto.Progress).DecodeAware(c.in, proto.Version)
		case proto.ServerCodeProfile:
			err = new(proto.Profile).DecodeAware(c.in, proto.Version)
		case proto.ServerCodeTableColumns:
			err = new(proto.TableColumns).DecodeAware(c.in, proto.Version)
		default:
			err = fmt.Errorf("the server answers a query with packet %v", code)
		}
		if err != nil || code == last {
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
	var b proto.Block
	if err := b.DecodeBlock(c.in, proto.Version, to.into()); err != nil {
		return fmt.Errorf("decode a block: %w", err)
	}
	if b.Rows > 0 {
		to.each()
	}
	return nil
}

// send sends a query, and no tables beside it.
func (c *stream) send(q *proto.Query) error {
	q.Stage = proto.StageComplete
	q.Info = proto.ClientInfo{
		ProtocolVersion: proto.Version, Interface: proto.InterfaceTCP, Query: proto.ClientQueryInitial,
		InitialAddress: c.conn.LocalAddr().String(), ClientName: "shoeproof",
	}
	q.Settings = append(q.Settings, proto.Setting{Key: "send_profile_events", Value: "0"})
	var out proto.Buffer
	q.EncodeAware(&out, proto.Version)
	if err := endOfData(&out); err != nil {
		return err
	}
	_, err := c.Write(out.Buf)
	return err
}

// endOfData encodes a block without columns, which is the last.
func endOfData(out *proto.Buffer) error {
	proto.ClientCodeData.Encode(out)
	proto.ClientData{}.EncodeAware(out, proto.Version)
	return proto.Block{}.EncodeBlock(out, proto.Version, nil)
}

// quoted is a value as the server reads a parameter: escaped as in a tab-separated file, then as a string.
func quoted(v string) string {
	v = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(v)
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(v) + "'"
}
