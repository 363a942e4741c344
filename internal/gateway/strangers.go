package gateway

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Requests without a valid token from one address, in a period: the first maxStrange are answered with 401, the others
// with 429. A valid token is never refused for the others of its address. Beyond maxAddresses all counts begin again.
const (
	maxStrange    = 10
	strangePeriod = time.Minute
	maxAddresses  = 10_000
)

// strangers counts the requests without a valid token.
type strangers struct {
	mu    sync.Mutex
	since time.Time
	from  map[string]int
}

// allow counts a request, logs the first of its address in the period and the one at the limit, and reports whether it
// is within the limit.
func (s *strangers) allow(r *http.Request, log *slog.Logger) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.since) >= strangePeriod || len(s.from) >= maxAddresses {
		s.since, s.from = now, map[string]int{}
	}
	s.from[host]++
	n := s.from[host]
	if n == 1 || n == maxStrange+1 {
		log.WarnContext(r.Context(), "requests without a valid token", "address", host, "requests", n)
	}
	return n <= maxStrange
}
