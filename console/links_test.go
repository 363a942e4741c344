//go:build unix

package console

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each link that a role sees leads to a page that the role may open: of each sort of address one, from its first page
// on, and each view of the queue. Each form on these pages is one that the role may send, and what stands for the rows
// of an empty table is as wide as the table. No link of its content leads to the page itself, and none to findings of
// one's own unless the role can own one.
func TestLinks(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 1)
	c := serve(t, s, nil)
	link, redirect := regexp.MustCompile(`<a [^>]*href="(/[^"]*)"`), regexp.MustCompile(`<a href="(/[^"]*)">See Other`)
	anchor := regexp.MustCompile(`<a [^>]*>`)
	form, action := regexp.MustCompile(`<form [^>]*>`), regexp.MustCompile(`action="([^"]*)"`)
	mux, needs := http.NewServeMux(), map[string]route{}
	for _, r := range routes() {
		mux.HandleFunc(r.method+" "+r.path, http.NotFound)
		needs[r.method+" "+r.path] = r
	}
	table, empty := regexp.MustCompile(`(?s)<table.*?</table>`), regexp.MustCompile(`colspan="(\d+)" class="none"`)
	names := regexp.MustCompile(`[0-9a-f]{32}|/(ac-1/[^?]*)|\d+|=[^&]*(\.|mb-|pb-)[^&]*`)
	for _, role := range RoleNames() {
		cookie := signedIn(t, c.url, role)
		to, from, sorts, forms := []string{"/"}, map[string]string{}, map[string]bool{}, 0
		for len(to) > 0 {
			path := to[0]
			to = to[1:]
			c.resetLimits()
			code, page := send(t, "GET", c.url+path, "", "Cookie", cookie)
			if code >= 400 || strings.Contains(page, "ZgotmplZ") {
				t.Errorf("%s: %s, linked from %s, is %d: %.200s", role, path, from[path], code, page)
			}
			_, content, _ := strings.Cut(page, "<main")
			content, _, _ = strings.Cut(content, "<footer")
			for _, tag := range anchor.FindAllString(content, -1) {
				to := link.FindStringSubmatch(tag)
				same := to != nil && html.UnescapeString(to[1]) == path
				if same && !strings.Contains(tag, "aria-current") && !strings.Contains(tag, `class="basis"`) {
					t.Errorf("%s: %s leads to itself: %s", role, path, tag)
				}
			}
			if mine := strings.Contains(content, `href="/queue?owner=me"`); mine && !(&Grant{Role: role}).may(permTriage) {
				t.Errorf("%s: %s has a view of findings that this role owns", role, path)
			}
			for _, of := range table.FindAllString(page, -1) {
				columns := strconv.Itoa(strings.Count(of, `<th scope="col"`))
				if none := empty.FindStringSubmatch(of); none != nil && none[1] != columns {
					t.Errorf("%s: %s has an empty table of %s columns with a row of %s", role, path, columns, none[1])
				}
			}
			for _, tag := range form.FindAllString(page, -1) {
				method, target := http.MethodGet, path
				if strings.Contains(tag, `method="post"`) {
					method = http.MethodPost
				}
				if to := action.FindStringSubmatch(tag); to != nil {
					target = html.UnescapeString(to[1])
				}
				_, pattern := mux.Handler(httptest.NewRequestWithContext(t.Context(), method, target, nil))
				g := Grant{Role: role}
				if r := needs[pattern]; pattern == "" || !r.public && !g.may(r.needs) {
					t.Errorf("%s: %s has the form %s, which this role may not send", role, path, tag)
				}
				forms++
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
		t.Logf("%s: %d sorts of links, %d forms", role, len(sorts), forms)
	}
}
