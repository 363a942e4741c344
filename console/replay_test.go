//go:build unix

package console

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/console/store"
)

// A replay of a shoe has exactly the stored findings, in the API and on its page.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 0)
	c := serve(t, s, nil)
	cookie := signedIn(t, c.url, "viewer")
	findings, err := s.Findings(t.Context(), store.Scope{All: true}, store.FindingQuery{})
	if err != nil || len(findings) == 0 {
		t.Fatalf("%d findings, %v", len(findings), err)
	}
	replayed := map[string]bool{}
	for _, f := range findings {
		if f.ShoeID == "" || replayed[f.ShoeID] {
			continue
		}
		replayed[f.ShoeID] = true
		path := "/api/v1/shoes/" + f.PropertyID + "/" + f.TableID + "/" + esc(f.ShoeID) + "/replay"
		code, body := send(t, "POST", c.url+path, "", "Cookie", cookie)
		if code != 200 || !strings.Contains(body, `"equal":true`) || !strings.Contains(body, `"whole":true`) {
			t.Errorf("%s: %d %.1500s", f.ShoeID, code, body)
		}
		form := url.Values{"property": {f.PropertyID}, "table": {f.TableID}, "shoe": {f.ShoeID}}
		code, body = send(t, "POST", c.url+"/replay", form.Encode(), "Cookie", cookie)
		if code != 200 || !strings.Contains(body, "verdictline same") {
			t.Errorf("page of %s: %d %.1500s", f.ShoeID, code, body)
		}
		// A finding of it is named by its title, with its rule small below.
		title := html.EscapeString(headline(f.Rule, f.Kind, f.Seat, f.Expected, f.Observed))
		named := `<a href="/findings/` + f.ID + `">` + title + `</a><small class="mono">` + f.Rule
		if f.Kind != "anomaly" && !strings.Contains(body, named) {
			t.Errorf("the replay of %s has no %s: %.1500s", f.ShoeID, named, body)
		}
	}
}
