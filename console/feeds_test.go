//go:build unix

package console

import (
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// A table whose events wait for a missing one is not shown as closed, and the pages name what it waits for.
func TestFloorShowsWhatWaits(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 2, 0)
	access := Access{}
	secret := secretOf(&access, "ann", "operator", "ac-1", time.Now().Add(time.Hour))
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	feeds, err := s.Feeds(t.Context(), "ac-1")
	if err != nil || len(feeds) == 0 {
		t.Fatalf("%d feeds, %v", len(feeds), err)
	}
	table := feeds[0].TableID
	if err := s.WriteWaiting(t.Context(), []clickhouse.Waiting{{
		PropertyID: "ac-1", TableID: table, Topic: "t", Missing: 4711, Events: 20, Since: time.Now().Add(-time.Minute),
	}}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/floor": "waits for event 4711", "/tables/ac-1/" + table: "20 events wait for event 4711",
		"/api/v1/floor": `"missing":4711`,
	} {
		code, body := send(t, "GET", c.url+path, "", "Authorization", "Bearer "+secret)
		if code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d, without %q", path, code, want)
		}
	}
	if _, body := send(t, "GET", c.url+"/api/v1/floor", "", "Authorization", "Bearer "+secret); strings.Count(body,
		`"feed":"waiting"`) != 1 {
		t.Errorf("the floor has not one table that waits:\n%s", body)
	}
}

// The queue shows and selects findings by their basis, a reading of the law by its family or by its name, and the CSV
// names it.
func TestQueueByBasis(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	access := Access{}
	secret := secretOf(&access, "ann", "supervisor", "ac-1", time.Now().Add(time.Hour))
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "t", To: 1, Hash: "a"}}
	for rule, basis := range map[string]finding.Basis{
		"a.recut": finding.Assumed("recut_by"), "a.order": finding.Assumed("order_scope"), "a.text": finding.Text,
		"a.feed": "",
	} {
		f := finding.New(finding.Identity{PropertyID: "ac-1", TableID: "t-1", Rule: rule}, finding.Deviation,
			finding.Suspect, finding.Major)
		f.At, f.GamingDay, f.Basis = 1_800_000_000_000_000_000, "2027-01-15", basis
		b.Findings = append(b.Findings, f)
	}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	for query, want := range map[string]string{
		"": "a.feed a.order a.recut a.text", "?basis=assumed": "a.order a.recut", "?basis=text": "a.text",
		"?basis=assumed:recut_by": "a.recut", "?basis=assumed:recut": "",
	} {
		for _, page := range []string{"/queue", "/exports/findings.csv"} {
			code, body := send(t, "GET", c.url+page+query, "", "Authorization", "Bearer "+secret)
			var got []string
			for _, rule := range []string{"a.feed", "a.order", "a.recut", "a.text"} {
				if strings.Contains(body, rule) {
					got = append(got, rule)
				}
			}
			if code != 200 || strings.Join(got, " ") != want {
				t.Errorf("%s%s: %d with %v, want %s", page, query, code, got, want)
			}
			if strings.Contains(want, "a.recut") && !strings.Contains(body, "assumed:recut_by") {
				t.Errorf("%s%s does not show the basis", page, query)
			}
		}
	}
}
