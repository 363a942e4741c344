package clickhouse

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// A server that closes connections is not a server that requires TLS: the error names clickhouse.tls only if the
// server answers in TLS.
func TestClosedConnection(t *testing.T) {
	for name, linger := range map[string]int{"closed": -1, "reset": 0} {
		t.Run(name, func(t *testing.T) {
			addr := testkit.Accept(t, func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 1<<10))
				_ = conn.(*net.TCPConn).SetLinger(linger)
			})
			_, err := Open(t.Context(), Config{Addrs: []string{addr}, Database: "d"})
			if err == nil || strings.Contains(err.Error(), "tls") ||
				!strings.Contains(err.Error(), "the server closed the connection") {
				t.Errorf("got %v, want an error that names no setting of TLS", err)
			}
		})
	}
	web := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	_, err := Open(t.Context(), Config{Addrs: []string{web.Listener.Addr().String()}, Database: "d"})
	if err == nil || !strings.Contains(err.Error(), "clickhouse.tls.enabled is not set") {
		t.Errorf("got %v, want an error that names clickhouse.tls.enabled", err)
	}
}
