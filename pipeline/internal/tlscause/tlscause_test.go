package tlscause_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/internal/tlscause"
)

func TestServes(t *testing.T) {
	plain := listen(t, func(c net.Conn) { _, _ = io.WriteString(c, "no TLS") })
	closes := listen(t, func(net.Conn) {})
	resets := listen(t, func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) })
	web := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	mutual := httptest.NewUnstartedServer(http.NotFoundHandler())
	mutual.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}
	mutual.StartTLS()
	t.Cleanup(mutual.Close)
	for name, c := range map[string]struct {
		addrs []string
		want  bool
	}{
		"a server that answers something else": {addrs: []string{plain}},
		"a server that closes":                 {addrs: []string{closes}},
		"a server that resets":                 {addrs: []string{resets}},
		"no server":                            {addrs: []string{"127.0.0.1:1"}},
		"TLS":                                  {addrs: []string{web.Listener.Addr().String()}, want: true},
		"TLS with client certificates":         {addrs: []string{mutual.Listener.Addr().String()}, want: true},
		"TLS at the second address":            {addrs: []string{closes, web.Listener.Addr().String()}, want: true},
	} {
		if got := tlscause.Serves(c.addrs); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// listen reads the first bytes of each connection, handles and closes it.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	return testkit.Accept(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 1<<10))
		handle(conn)
	})
}
