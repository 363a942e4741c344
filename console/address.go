package console

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// remoteOf returns the address of the client: of the connection, or behind trusted proxies the last one of
// X-Forwarded-For that is none of theirs. What a client writes into that header before them is ignored.
func (c *Console) remoteOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	peer, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && c.trusts(peer); i-- {
		hop := strings.TrimSpace(hops[i])
		next, err := netip.ParseAddr(hop)
		if at, bad := netip.ParseAddrPort(hop); bad == nil {
			next, err = at.Addr(), nil
		}
		if err != nil {
			break
		}
		peer = next
	}
	return peer.Unmap().WithZone("").String()
}

// network is what counts as one stranger: an IPv4 address, or the 64 bits of an IPv6 address that a site is given.
func network(remote string) string {
	if addr, err := netip.ParseAddr(remote); err == nil && addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.String()
		}
	}
	return remote
}

// allowStranger counts a request of an address, for which no user is known.
func (c *Console) allowStranger(what, remote string, n int, length time.Duration) bool {
	return c.strangers.allow(what+" "+network(remote), n, length)
}

func (c *Console) trusts(addr netip.Addr) bool {
	in := func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) }
	return slices.ContainsFunc(c.TrustedProxies, in)
}

// Requests of one user, or of one address without a user, in a period. Users behind one address do not share a limit.
const (
	maxRequests   = 600
	requestPeriod = 10 * time.Second
)

// admit reports whether a request is within the limits. Probes have none.
func (x *exchange) admit() bool {
	if x.route.probe {
		return true
	}
	allowed := false
	if x.user != nil {
		allowed = x.c.limits.allow("user "+x.user.Who.Account(), maxRequests, requestPeriod)
	} else {
		allowed = x.c.allowStranger("all", x.remote(), maxRequests, requestPeriod)
	}
	if allowed {
		return true
	}
	x.w.Header().Set("Retry-After", "5")
	return false
}
