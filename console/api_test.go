//go:build unix

package console

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// pages reads all pages of a list of the API, and returns its rows by a column.
func (c *served) pages(t *testing.T, path, list, column, secret string) (values []string, pages int) {
	t.Helper()
	for after := ""; pages == 0 || after != ""; pages++ {
		target := c.url + path
		if after != "" {
			target += "&after=" + url.QueryEscape(after)
		}
		code, body := send(t, "GET", target, "", "Authorization", "Bearer "+secret)
		var page map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &page); err != nil || code != 200 || pages > 50 {
			t.Fatalf("%s: %d %.200s %v", target, code, body, err)
		}
		var rows []map[string]any
		if err := json.Unmarshal(page[list], &rows); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			values = append(values, fmt.Sprint(r[column]))
		}
		if err := json.Unmarshal(page["next"], &after); err != nil {
			t.Fatal(err)
		}
	}
	return values, pages
}

// selects compares what each parameter of each list selects with the whole list. The token is of an auditor of all
// properties.
func (c *served) selects(t *testing.T, secret string, access Access, since string) {
	t.Helper()
	fill(t, c.Store, "there-2", 2, 1)
	now := time.Now()
	insert(t, c.Store, "shelves", "property_id, id, rule, reason, actor, at, until, version", "there-2", "OTHER",
		"feed.gap", "x", "tom", now, now.Add(time.Hour), uint64(1))
	c.SetAccess(access)
	rowsOf := func(path, list string) (rows []map[string]any) {
		t.Helper()
		c.resetLimits()
		code, body := send(t, "GET", c.url+"/api/v1/"+path, "", "Authorization", "Bearer "+secret)
		var answer map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal([]byte(body), &answer), json.Unmarshal(answer[list], &rows)); err != nil {
			t.Fatalf("%s: %d %.200s %v", path, code, body, err)
		}
		return rows
	}
	for path, parameters := range map[string]string{
		"findings?limit=1000&": "property table shoe dealer rule", "rounds?limit=1000&": "property table dealer round",
		"log?limit=1000&since=" + since + "&": "property actor action object", "silences?": "property",
		"dealers?": "property", "floor?": "property",
	} {
		list, _, _ := strings.Cut(path, "?")
		list = cmp.Or(map[string]string{"floor": "tables"}[list], list)
		all := rowsOf(path, list)
		for name := range strings.FieldsSeq(parameters) {
			column := name
			if slices.Contains([]string{"property", "table", "shoe", "dealer"}, name) {
				column += "_id"
			}
			counts := map[string]int{}
			for _, row := range all {
				if value := fmt.Sprint(row[column]); value != "" {
					counts[value]++
				}
			}
			for _, value := range slices.Sorted(maps.Keys(counts))[:min(len(counts), 4)] {
				n := counts[value]
				if got := rowsOf(path+name+"="+url.QueryEscape(value), list); len(got) != n {
					t.Errorf("%s%s=%s: %d rows, want %d of %d", path, name, value, len(got), n, len(all))
				}
			}
			if len(counts) < 2 {
				t.Errorf("%s: the column %s has the values %v, want two", path, column, counts)
			}
		}
	}
}

// The log is complete over its pages, also where many lines have one time, and names no other property. Patrons,
// rounds and silences are in the API with the permissions of their pages. Each error at a path of the API is JSON.
func TestAPI(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "here-1", 4, 1)
	access := Access{}
	in := time.Now().Add(time.Hour)
	auditor := secretOf(&access, "aud", "auditor", "here-1", in)
	supervisor := secretOf(&access, "sue", "supervisor", "here-1", in)
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	at := time.Now().Add(-time.Hour).UTC()
	var lines []store.Entry
	for i := range 450 {
		lines = append(lines,
			store.Entry{PropertyID: "here-1", At: at, Actor: "ann", Action: "export", Object: fmt.Sprint(i)},
			store.Entry{PropertyID: "there-2", At: at, Actor: "ann", Action: "export", Object: "other"})
	}
	if err := s.Log(t.Context(), lines...); err != nil {
		t.Fatal(err)
	}
	const many = 1001 // one more than the CSV reads at a time
	lines = slices.Repeat([]store.Entry{{PropertyID: "here-1", At: at, Actor: "bob", Action: "export"}}, many)
	if err := s.Log(t.Context(), lines...); err != nil {
		t.Fatal(err)
	}
	objects, pages := c.pages(t, "/api/v1/log?actor=ann&limit=100", "log", "object", auditor)
	seen := map[string]bool{}
	for _, o := range objects {
		seen[o] = true
	}
	if len(objects) != 450 || len(seen) != 450 || pages != 5 || seen["other"] {
		t.Errorf("%d lines, %d different, on %d pages", len(objects), len(seen), pages)
	}
	page := c.url + "/log?actor=ann"
	for _, want := range []string{">449<", ">249<", ">49<"} {
		code, body := send(t, "GET", page, "", "Authorization", "Bearer "+auditor)
		if code != 200 || !strings.Contains(body, want) {
			t.Fatalf("%s: %d, without %s", page, code, want)
		}
		for _, part := range []string{`<input name="since"`, `<input name="until"`, `href="/log.csv?actor=ann"`} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: no %s", page, part)
			}
		}
		if _, rest, more := strings.Cut(body, `rel="next" href="`); more {
			link, _, _ := strings.Cut(rest, `"`)
			page = c.url + strings.ReplaceAll(link, "&amp;", "&")
		}
	}
	for query, want := range map[string]int{
		"actor=ann": 451, "actor=ann&object=7": 2, "property=there-2": 0, "actor=bob": many + 1,
	} {
		code, body := send(t, "GET", c.url+"/log.csv?"+query, "", "Authorization", "Bearer "+auditor)
		if n := strings.Count(body, "\n"); (code == 200) != (want > 0) || want > 0 && n != want {
			t.Errorf("/log.csv?%s: %d, %d lines, want %d", query, code, n, want)
		}
	}
	for _, query := range []string{"actr=ann", "since=soon", "after=x", "after=1.x.y"} {
		if code, _ := send(t, "GET", c.url+"/log?"+query, "", "Authorization", "Bearer "+auditor); code != 400 {
			t.Errorf("/log?%s: %d, want 400", query, code)
		}
	}
	second := at.Add(time.Second).Format(time.RFC3339)
	for query, want := range map[string]int{
		"until=" + at.Format(time.RFC3339): 0, "since=" + at.Format(time.RFC3339): 450, "since=" + second: 0,
	} {
		got, _ := c.pages(t, "/api/v1/log?actor=ann&limit=1000&"+query, "log", "object", auditor)
		if len(got) != want {
			t.Errorf("%s: %d lines, want %d", query, len(got), want)
		}
	}

	for i := range 3 { // of one time, which a cursor tells apart by id
		insert(t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, observed", "here-1", at,
			strings.Repeat(fmt.Sprint(i+1), 32), "deviation", "BREACH", "draw.banker.must-stay", "info", "same", "x")
	}
	for query, want := range map[string]int{
		"table=same": 3, "table=same&since=" + at.Format(time.RFC3339): 3, "table=same&until=" + at.Format(time.RFC3339): 0,
		"dealer=none": 0, "table=same&since=" + second: 0,
	} {
		ids, pages := c.pages(t, "/api/v1/findings?limit=2&"+query, "findings", "id", auditor)
		if slices.Sort(ids); len(slices.Compact(ids)) != want || pages != 1+want/2 {
			t.Errorf("findings with %s: %v on %d pages, want %d", query, ids, pages, want)
		}
	}

	rounds, err := s.FindRounds(t.Context(), store.Scope{All: true},
		store.RoundQuery{Since: time.Now().AddDate(0, 0, -1), Until: time.Now().Add(time.Minute), Limit: store.MaxRows})
	if err != nil || len(rounds) < 100 {
		t.Fatalf("%d rounds, %v", len(rounds), err)
	}
	if got, _ := c.pages(t, "/api/v1/rounds?limit=100", "rounds", "round", auditor); len(got) != len(rounds) {
		t.Errorf("%d rounds over the pages, want %d", len(got), len(rounds))
	}
	staked, first := map[string]int{}, rounds[len(rounds)-1].DealerID
	for i := range rounds {
		if r := &rounds[i]; r.Staked > 0 {
			staked[""]++
			staked[r.DealerID]++
		}
	}
	for _, dealer := range []string{"", first} {
		for _, limit := range []int{100, 7} {
			path := fmt.Sprintf("/api/v1/rounds?min=1&dealer=%s&limit=%d", dealer, limit)
			if got, _ := c.pages(t, path, "rounds", "round", auditor); len(got) != staked[dealer] {
				t.Errorf("%s: %d rounds over the pages, want %d", path, len(got), staked[dealer])
			}
		}
	}
	wagers, err := s.Wagers(t.Context(), store.Scope{All: true}, store.Location{Property: "here-1", Table: "mb-01"})
	if err != nil || len(wagers) == 0 {
		t.Fatal(err)
	}
	w := &wagers[0]
	seat := fmt.Sprintf("/api/v1/rounds?table=mb-01&round=%d&seat=%d&min=%d&max=%[3]d", w.Round, w.Seat, w.Stake)
	if got, _ := c.pages(t, seat, "rounds", "round", auditor); len(got) == 0 || got[0] != fmt.Sprint(w.Round) {
		t.Errorf("%s: %v", seat, got)
	}
	for _, none := range []string{
		"seat=99", "min=99999999999", "max=1", "until=" + at.AddDate(0, 0, -7).Format(time.RFC3339),
		"since=" + at.AddDate(0, 0, 7).Format(time.RFC3339),
	} {
		if got, _ := c.pages(t, "/api/v1/rounds?table=mb-01&"+none, "rounds", "round", auditor); len(got) > 0 {
			t.Errorf("%s: %d rounds, want none", none, len(got))
		}
	}

	call := func(secret, method, path, body string, want int) string {
		t.Helper()
		code, text := send(t, method, c.url+path, body, "Authorization", "Bearer "+secret)
		if code != want || !json.Valid([]byte(text)) || want >= 400 && !strings.HasPrefix(text, `{"error":`) {
			t.Errorf("%s %s: %d %.200s, want %d", method, path, code, text, want)
		}
		return text
	}
	play := call(auditor, "GET", "/api/v1/patrons/here-1/"+w.Patron, "", 200)
	if !strings.Contains(play, `"staked":`) || !strings.Contains(play, `"wager_id":`) {
		t.Errorf("a patron: %s", play)
	}
	round := call(auditor, "GET", "/api/v1"+roundPath("here-1", w.TableID, w.ShoeID, w.Round), "", 200)
	if !strings.Contains(round, `"wagers":[{`) || !strings.Contains(round, `"events":[{`) {
		t.Errorf("a round has no wagers or no events: %.500s", round)
	}
	if views, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Action: "view-patron"}); err != nil ||
		len(views) != 1 {
		t.Errorf("%d views of a patron are logged, %v", len(views), err)
	}
	here := store.Scope{Properties: []string{"here-1"}}
	groups, err := s.Groups(t.Context(), here, store.Filter{})
	if got, _ := c.pages(t, "/api/v1/queue?limit=2", "groups", "id", auditor); err != nil || len(groups) < 3 ||
		len(got) != len(groups) {
		t.Errorf("%d groups over the pages, want %d; %v", len(got), len(groups), err)
	}
	open, err := s.Open(t.Context(), here, store.Filter{})
	i := slices.IndexFunc(open, func(f store.OpenFinding) bool { return f.Round > 0 })
	if err != nil || i < 0 {
		t.Fatal(len(open), err)
	}
	for path, parts := range map[string]string{
		"/api/v1/patrons/here-1/" + w.Patron:                          "play wagers findings currency",
		"/api/v1" + roundPath("here-1", w.TableID, w.ShoeID, w.Round): "round wagers vigorish findings events video",
		"/api/v1/findings/" + open[i].ID:                              "finding requires round steps events video",
	} {
		var answer map[string]json.RawMessage
		if err := json.Unmarshal([]byte(call(auditor, "GET", path, "", 200)), &answer); err != nil {
			t.Fatal(err)
		}
		for part := range strings.FieldsSeq(parts) {
			if text := string(answer[part]); text == "" || text == "null" {
				t.Errorf("%s has no %s", path, part)
			}
		}
	}
	call(auditor, "GET", "/api/v1/patrons/there-2/"+w.Patron, "", 404)
	const silence = `{"property":"here-1","rule":"feed.gap","reason":"work on the feed","hours":2}`
	call(auditor, "POST", "/api/v1/silences", silence, 403)
	var added struct{ Silence struct{ ID string } }
	if err := json.Unmarshal([]byte(call(supervisor, "POST", "/api/v1/silences", silence, 200)), &added); err != nil {
		t.Fatal(err)
	}
	if ids, _ := c.pages(t, "/api/v1/silences?property=here-1", "silences", "id", auditor); len(ids) != 1 ||
		ids[0] != added.Silence.ID {
		t.Errorf("silences %v, want %s", ids, added.Silence.ID)
	}
	c.selects(t, secretOf(&access, "all", "auditor", "*", in), access, second)
	for body, want := range map[string]int{
		strings.Replace(silence, "here-1", "there-2", 1): 403, strings.Replace(silence, "2}", "25}", 1): 400,
		strings.Replace(silence, "feed.gap", "feeed", 1): 400, strings.Replace(silence, "hours", "hour", 1): 400, "": 400,
	} {
		call(supervisor, "POST", "/api/v1/silences", body, want)
	}
	call(supervisor, "POST", "/api/v1/silences/"+added.Silence.ID+"/lift", "", 200)
	call(supervisor, "POST", "/api/v1/silences/"+added.Silence.ID+"/lift", "", 404)

	for path, want := range map[string]int{
		"/api/v1/log?limit=0": 400, "/api/v1/log?actor=a&actor=b": 400, "/api/v1/rounds?seat=x": 400,
		"/api/v1/rounds?min=-5": 400, "/api/v1/rounds?after=1/x": 400, "/api/v1/silences?rule=x": 400, "/api/v2": 404,
		"/api/v1/floor/": 404, "/api/v1/findings/a/b/c": 404,
	} {
		call(auditor, "GET", path, "", want)
	}
	call(auditor, "DELETE", "/api/v1/floor", "", 404)
	call("wrong", "GET", "/api/v1/floor", "", 401)
	code, text := send(t, http.MethodPost, c.url+"/api/v1/silences", "{}", "Sec-Fetch-Site", "cross-site")
	if code != 403 || !strings.HasPrefix(text, `{"error":`) {
		t.Errorf("a request from another site: %d %s", code, text)
	}
}
