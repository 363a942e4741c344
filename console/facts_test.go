//go:build unix

package console

import (
	"context"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// A shared answer is for those alone who have its properties, whoever requested it first.
func TestSharedAnswersKeepRights(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	access := Access{}
	tokens := map[string]string{}
	for _, property := range []string{"ac-1", "ac-2"} {
		newTestFloor(t, s.Store).play(planted(t, property, "live-07", "draw.banker.must-stay"))
		tokens[property] = secretOf(&access, property, "supervisor", property, time.Now().Add(time.Hour))
	}
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	for property, token := range tokens {
		other := map[string]string{"ac-1": "ac-2", "ac-2": "ac-1"}[property]
		f := breachAt(t, s, property, "live-07")
		round := roundPath(f.PropertyID, f.TableID, f.ShoeID, f.Round)
		for _, page := range []string{
			"/findings/" + f.ID, "/api/v1/findings/" + f.ID, round, "/api/v1" + round, "/tables/" + property + "/live-07",
		} {
			for _, x := range []struct {
				token string
				code  int
			}{{token, 200}, {tokens[other], 404}, {token, 200}} {
				if code, _ := send(t, "GET", c.url+page, "", "Authorization", "Bearer "+x.token); code != x.code {
					t.Errorf("%s: status %d, want %d", page, code, x.code)
				}
			}
		}
		for _, page := range []string{"/cases", "/silences"} { // have a list of properties
			_, body := send(t, "GET", c.url+page, "", "Authorization", "Bearer "+token)
			if !strings.Contains(body, property) || strings.Contains(body, other) {
				t.Errorf("%s for %s: without it, or with %s", page, property, other)
			}
		}
	}
}

// The page of a table checks the table before its facts, so no page shows whether facts are shared beyond a scope.
func TestFactsAreOfOneScope(t *testing.T) {
	c := &Console{facts: cache{now: time.Now}}
	x := &exchange{c: c, r: httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)}
	for _, scope := range []store.Scope{
		{All: true},
		{},
		{Properties: []string{"ac-1"}},
		{Properties: []string{"ac-1", "ac-2"}},
		{Properties: []string{"ac-1 ac-2"}},
	} {
		for range 2 {
			got, err := facts(c, x, scope, "a table", func(_ context.Context, of store.Scope) (store.Scope, error) {
				return of, nil
			})
			if err != nil || !reflect.DeepEqual(got, scope) {
				t.Errorf("the facts of scope %+v for scope %+v, %v", got, scope, err)
			}
		}
	}
}

// breachAt is the breach of a table.
func breachAt(t *testing.T, s *store.Store, property, table string) *store.Finding {
	t.Helper()
	found, err := s.Findings(t.Context(), store.Scope{All: true}, store.FindingQuery{
		Property: property, Table: table, Rule: "draw.banker.must-stay",
	})
	if err != nil || len(found) != 1 || found[0].Round == 0 {
		t.Fatal(len(found), err)
	}
	return &found[0]
}

// Who acts on a finding sees the action at once on each page that requests share, and so does everyone else. The page
// of a table has a new finding without delay.
func TestSharedAnswersShowActions(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	floor := newTestFloor(t, s.Store)
	floor.play(planted(t, "ac-1", "live-07", "draw.banker.must-stay"))
	access := Access{}
	ann := []string{"Authorization", "Bearer " + personal(&access, "ann", "ann", "supervisor")}
	bob := []string{"Authorization", "Bearer " + personal(&access, "bob", "bob", "supervisor")}
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	f := breachAt(t, s, "ac-1", "live-07")
	round := roundPath(f.PropertyID, f.TableID, f.ShoeID, f.Round)
	pages := []string{"/findings/" + f.ID, "/api/v1/findings/" + f.ID, round, "/api/v1" + round}
	all := func(want string) {
		t.Helper()
		for _, who := range [][]string{ann, bob} {
			for _, page := range pages {
				if code, body := send(t, "GET", c.url+page, "", who...); code != 200 || !strings.Contains(body, want) {
					t.Errorf("%s: status %d, without %q", page, code, want)
				}
			}
		}
	}
	all(f.Rule)
	steps := c.url + "/api/v1/findings/" + f.ID + "/steps"
	if code, body := send(t, "POST", steps, `{"step":"acknowledge"}`, ann...); code != 200 {
		t.Fatal(code, body)
	}
	all(store.Acknowledged)
	if code, body := send(t, "POST", steps, `{"step":"note","note":"seat 4 was paid"}`, bob...); code != 200 {
		t.Fatal(code, body)
	}
	pages = pages[:2]
	all("seat 4 was paid")
	form := url.Values{"finding": {f.ID}, "property": {"ac-1"}, "title": {"A disputed draw"}}.Encode()
	if code, body := send(t, "POST", c.url+"/cases", form, ann...); code != 303 {
		t.Fatal(code, body)
	}
	pages = pages[:1]
	all("A disputed draw")

	table := c.url + "/tables/ac-1/live-08"
	floor.play(planted(t, "ac-1", "live-08", "vig.amount.under"))
	if code, _ := send(t, "GET", table, "", ann...); code != 200 {
		t.Fatal(code)
	}
	const id = "5eed5eed00000000000000000000cafe"
	err := s.Conn().Exec(t.Context(), "INSERT INTO "+s.Table("findings")+" SELECT * REPLACE ('"+id+"' AS id) FROM "+
		s.Table("findings")+" FINAL WHERE table_id = 'live-08' LIMIT 1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, body := send(t, "GET", table, "", ann...); code != 200 || !strings.Contains(body, "/findings/"+id) {
		t.Errorf("the page of the table: status %d, without the new finding", code)
	}
}
