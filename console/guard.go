package console

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// policy allows what comes from here and nothing else: no inline script or style, no frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; report-uri /csp-report"

// mostBody is more than any form or step has.
const mostBody = 64 << 10

// guard is what holds for every answer, also to those we do not know.
func (c *Console) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		h.Set("Cache-Control", "no-store")
		if c.PublicURL.Scheme == "https" {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		switch {
		case c.SignIn == ByChoice && !loopback(r.Host):
			// A name that somebody makes resolve to this machine.
			http.Error(w, "This console is for this machine alone.", http.StatusMisdirectedRequest)
			return
		case !c.limits.allow("all "+host, 600, 10*time.Second):
			w.Header().Set("Retry-After", "5")
			http.Error(w, "Too many requests.", http.StatusTooManyRequests)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		next.ServeHTTP(w, r)
	})
}

// loopback says whether a host is this machine by name or address.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}

// limits counts what each asker did in a while.
type limits struct {
	now  func() time.Time
	mu   sync.Mutex
	seen map[string]*counted
}

type counted struct {
	until time.Time
	n     int
}

func newLimits(now func() time.Time) *limits { return &limits{now: now, seen: map[string]*counted{}} }

// allow says whether something may be done once more, at most n times in each while.
func (l *limits) allow(key string, n int, while time.Duration) bool {
	const most = 10_000 // askers remembered
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.seen[key]
	if s == nil || !now.Before(s.until) {
		if len(l.seen) >= most {
			for k, s := range l.seen {
				if !now.Before(s.until) {
					delete(l.seen, k)
				}
			}
			if len(l.seen) >= most { // a flood from everywhere: nobody new until it ends
				return false
			}
		}
		s = &counted{until: now.Add(while)}
		l.seen[key] = s
	}
	s.n++
	return s.n <= n
}
