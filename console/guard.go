package console

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// policy allows resources of this origin only: no inline script or style, no frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; report-uri /csp-report"

// maxBody is above the size of any form or request of the API.
const maxBody = 64 << 10

// maxUpload is above the size of a file of a case with its form.
const maxUpload = store.MaxAttachment + 64<<10

// guard sets the security headers of every response, and limits the size of requests.
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
			h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		if c.SignIn == ByChoice && !loopback(r.Host) {
			// DNS rebinding: a foreign name that resolves to this machine.
			refuse(w, r, http.StatusMisdirectedRequest, "This console accepts requests to a loopback name only.")
			return
		}
		limit := int64(maxBody)
		if strings.HasPrefix(r.URL.Path, "/cases/") && strings.HasSuffix(r.URL.Path, "/files") {
			limit = maxUpload
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		next.ServeHTTP(w, r)
	})
}

// loopback reports whether a host is this machine by name or address.
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

// limits counts requests per key and period. Users and addresses are counted apart: no number of addresses uses up the
// places of users.
type limits struct {
	now     func() time.Time
	mu      sync.Mutex
	periods map[string]*period
}

type period struct {
	end time.Time
	n   int
}

func newLimits(now func() time.Time) *limits { return &limits{now: now, periods: map[string]*period{}} }

// allow counts a request and reports whether it is within n requests per period of the given length.
func (l *limits) allow(key string, n int, length time.Duration) bool {
	return l.count(key, length) <= n
}

// maxKeys bounds the memory of counts. Beyond it all counts begin again: a flood from many addresses, each within its
// limit, keeps no other address out.
const maxKeys = 10_000

// count counts a request and returns the number in the period.
func (l *limits) count(key string, length time.Duration) int {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.periods[key]
	if p == nil || !now.Before(p.end) {
		if len(l.periods) >= maxKeys {
			for k, p := range l.periods {
				if !now.Before(p.end) {
					delete(l.periods, k)
				}
			}
			if len(l.periods) >= maxKeys {
				clear(l.periods)
			}
		}
		p = &period{end: now.Add(length)}
		l.periods[key] = p
	}
	p.n++
	return p.n
}
