//go:build unix

package console

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// Each link that a role sees leads to a page that the role may open: of each sort of address one, from its first page
// on, and each view of the queue.
func TestLinks(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 1)
	c := serve(t, s, nil)
	link, redirect := regexp.MustCompile(`<a [^>]*href="(/[^"]*)"`), regexp.MustCompile(`<a href="(/[^"]*)">See Other`)
	names := regexp.MustCompile(`[0-9a-f]{32}|/(ac-1/[^?]*)|\d+|=[^&]*(\.|mb-|pb-)[^&]*`)
	for _, role := range roleNames() {
		cookie := signedIn(t, c.url, role)
		to, from, sorts := []string{"/"}, map[string]string{}, map[string]bool{}
		for len(to) > 0 {
			path := to[0]
			to = to[1:]
			c.resetLimits()
			code, page := send(t, "GET", c.url+path, "", "Cookie", cookie)
			if code >= 400 || strings.Contains(page, "ZgotmplZ") {
				t.Errorf("%s: %s, linked from %s, is %d: %.200s", role, path, from[path], code, page)
			}
			if at := redirect.FindStringSubmatch(page); at != nil {
				to = append(to, at[1])
			}
			for _, m := range link.FindAllStringSubmatch(page, -1) {
				next := html.UnescapeString(m[1])
				if sort := names.ReplaceAllString(next, "…"); !sorts[sort] {
					sorts[sort], from[next] = true, path
					to = append(to, next)
				}
			}
		}
		if len(sorts) < 20 || !sorts["/queue?severity=critical"] {
			t.Errorf("%s: %d sorts of links: %v", role, len(sorts), sorts)
		}
		t.Logf("%s: %d sorts of links", role, len(sorts))
	}
}
