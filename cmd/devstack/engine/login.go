//go:build unix

package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit/proxy"
)

// An exception that leaves the server's handler of the native protocol aborts the embedded server: a login that it
// refuses, a first packet that is no login, and a login that ends halfway or by a reset. So a loginGuard passes on
// only whole logins that the server accepts over HTTP, where a refusal is harmless, and answers the others itself.
type loginGuard struct {
	ctx     context.Context
	http    string // host:port of the server
	conn    *proxy.Conn
	waiting []byte // of a login that is not complete
	done    bool
}

// guardLogin is the Connect of a proxy.
func (c *ClickHouse) guardLogin(ctx context.Context, conn *proxy.Conn) bool {
	g := &loginGuard{ctx: ctx, http: c.servers[overHTTP].addr(), conn: conn}
	conn.Request = g.request
	return true
}

var errRefused = errors.New("login refused")

// Codes of the server's exceptions.
const (
	unknownDatabase  = 81
	unexpectedPacket = 101
	unknownUser      = 192
	wrongPassword    = 193
	requiredPassword = 194
	addressRefused   = 195
	loginRefused     = 516
)

func (g *loginGuard) request(piece []byte) ([]byte, error) {
	if g.done {
		return piece, nil
	}
	g.waiting = append(g.waiting, piece...)
	if g.waiting[0] != helloPacket {
		g.conn.Reply(exceptionPacket(unexpectedPacket, "Unexpected packet from client"))
		return nil, errRefused
	}
	h, complete := parseHello(g.waiting)
	if !complete {
		return nil, nil
	}
	if code, text := g.check(h); code != 0 {
		g.conn.Reply(exceptionPacket(code, text))
		return nil, errRefused
	}
	g.done = true
	return g.waiting, nil
}

// check returns the code and text of the exception with which the server refuses a login, 0 if it accepts it.
func (g *loginGuard) check(h hello) (code int, text string) {
	ctx, cancel := context.WithTimeout(g.ctx, 10*time.Second)
	defer cancel()
	query := url.Values{"query": {"SELECT 1"}, "database": {h.database}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+g.http+"/?"+query.Encode(), nil)
	if err != nil {
		return 0, ""
	}
	req.Header.Set("X-ClickHouse-User", h.user)
	req.Header.Set("X-ClickHouse-Key", h.password)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "" // the server itself answers the client, or is started again
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	_, text, _ = strings.Cut(string(body), "DB::Exception: ")
	text, _, _ = strings.Cut(text, "\n")
	switch code, _ = strconv.Atoi(resp.Header.Get("X-ClickHouse-Exception-Code")); code {
	case unknownDatabase:
		return code, text
	case unknownUser, wrongPassword, requiredPassword, addressRefused, loginRefused:
		return loginRefused, text // the one code of the native protocol
	}
	return 0, ""
}

const helloPacket, exceptionKind = 0, 2

// A hello is the login of the native protocol.
type hello struct{ database, user, password string }

// parseHello reads a login: packet, name of the client, three versions, database, user, password.
func parseHello(b []byte) (h hello, complete bool) {
	for _, field := range []*string{nil, new(string), nil, nil, nil, &h.database, &h.user, &h.password} {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return h, false
		}
		if b = b[size:]; field == nil {
			continue
		}
		if uint64(len(b)) < n {
			return h, false
		}
		*field, b = string(b[:n]), b[n:]
	}
	return h, true
}

// exceptionPacket is an exception of the native protocol: code, name, text, stack trace, and no nested exception.
func exceptionPacket(code int, text string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{exceptionKind}, uint32(code))
	for _, field := range []string{"DB::Exception", "DB::Exception: " + text, ""} {
		b = binary.AppendUvarint(b, uint64(len(field)))
		b = append(b, field...)
	}
	return append(b, 0)
}
