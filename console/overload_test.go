//go:build unix

package console

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// A page whose statement ClickHouse ends at its limit of time, refuses because too many run, or does not answer, is a
// 503 with the time to wait. A POST is not: a client that sends it again may act twice.
func TestOverloaded(t *testing.T) {
	t.Parallel()
	cfg := server.Migrated(t)
	cfg.MaxConns, cfg.DialTimeout = 1, 5*time.Second
	s, err := store.Open(t.Context(), cfg, clickhouse.Config{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	c := still(t, s, nil)
	late := s.Conn().Exec(t.Context(),
		"SELECT sleepEachRow(0.1) FROM numbers(100) SETTINGS max_block_size = 1, max_execution_time = 1")
	busy, cancel := context.WithCancel(t.Context())
	if _, err := s.Conn().Query(busy, "SELECT number FROM numbers(100000000)"); err != nil { // unread, it keeps the connection
		t.Fatal(err)
	}
	_, gone := net.Dial("tcp", "127.0.0.1:1")
	full := s.Conn().Exec(t.Context(), "SELECT 1")
	cancel()
	for _, test := range []struct {
		method string
		err    error
		api    bool
		want   int
	}{
		{"GET", gone, false, 503},
		{"GET", gone, true, 503},
		{"POST", gone, false, 500},
		{"GET", &url.Error{Op: "Get", URL: "https://idp.example", Err: gone}, false, 500},
		{"GET", late, false, 503},
		{"GET", late, true, 503},
		{"GET", full, false, 503},
		{"GET", &ch.Exception{Code: 202}, true, 503},
		{"POST", late, false, 500},
		{"GET", &ch.Exception{Code: 60}, true, 500},
	} {
		page := c.serve(route{public: true, api: test.api, path: otherRoute, serve: func(*Console, *exchange) error {
			return fmt.Errorf("read dealers: %w", test.err)
		}})
		got := httptest.NewRecorder()
		c.sessions.LoadAndSave(page).ServeHTTP(got, httptest.NewRequest(test.method, c.url+"/dealers", http.NoBody))
		retry, body := got.Header().Get("Retry-After"), got.Body.String()
		text := "The database is overloaded. Try again in ten seconds."
		if errors.Is(test.err, gone) {
			text = "The database does not answer. Try again in ten seconds."
		}
		if got.Code != test.want || (retry == "10") != (test.want == 503) ||
			strings.Contains(body, text) != (test.want == 503) {
			t.Errorf("%s after %v: %d, Retry-After %q, want %d", test.method, test.err, got.Code, retry, test.want)
		}
	}
}
