//go:build unix

package console

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// Every query of the dashboards and of their variables runs on the current schema, and returns rows for a played
// property. Links lead to pages of the console, amounts of two currencies are not added, and each query of a table of a
// property has the variable property.
func TestDashboards(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 1)
	// As many critical findings as major ones would hide one that is counted for the other.
	insert(t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, observed", "ac-1", time.Now(),
		strings.Repeat("7", 32), "deviation", "BREACH", "draw.banker.must-stay", "critical", "t-7", "x")
	files, err := filepath.Glob("../deploy/grafana/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d dashboards, %v", len(files), err)
	}
	database := strings.TrimSuffix(s.Table("x"), ".x")
	timeFilter := regexp.MustCompile(`\$__timeFilter\(([a-z_]+)\)`)
	expand := strings.NewReplacer("${database}", database, "${property:singlequote}", "'ac-1'",
		"${currency:singlequote}", "'USD'")
	sums, filled := figuresOf(t, s), 0
	mux := http.NewServeMux()
	for _, r := range routes() {
		mux.HandleFunc(r.method+" "+r.path, http.NotFound)
	}
	ofProperties := regexp.MustCompile(`property_id|v_queue`)
	amounts := regexp.MustCompile(`sum\((greatest\()?(amount|staked|income)\b`)
	byCurrency := regexp.MustCompile(`GROUP BY [a-z_, ]*\bcurrency\b`)
	columns := map[string]bool{}
	field := regexp.MustCompile(`\$\{__(?:value\.raw|data\.fields\.[a-z_]+)\}`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			Links []struct {
				URL  string   `json:"url"`
				Type string   `json:"type"`
				Tags []string `json:"tags"`
			} `json:"links"`
			Tags       []string `json:"tags"`
			Templating struct {
				List []struct {
					Name  string `json:"name"`
					Query any    `json:"query"`
				} `json:"list"`
			} `json:"templating"`
			Panels []struct {
				Title   string `json:"title"`
				Type    string `json:"type"`
				Targets []struct {
					SQL    string `json:"rawSql"`
					PromQL string `json:"expr"` // checked by the tests of the programs that have the metrics
				} `json:"targets"`
			} `json:"panels"`
		}
		if err := json.Unmarshal(data, &board); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(board.Panels) < 10 {
			t.Errorf("%s: %d panels", file, len(board.Panels))
		}
		variables := map[string]bool{}
		for _, v := range board.Templating.List {
			variables[v.Name] = true
			if q, ok := v.Query.(map[string]any); ok {
				var one string
				err := s.Conn().QueryRow(t.Context(), expand.Replace(q["rawSql"].(string))).Scan(&one)
				if err != nil || one == "" {
					t.Errorf("%s: variable %s: %q, %v", file, v.Name, one, err)
				}
			}
		}
		for _, used := range regexp.MustCompile(`\$\{([a-z]+)[:}]`).FindAllStringSubmatch(string(data), -1) {
			if !variables[used[1]] {
				t.Errorf("%s: no variable %s", file, used[1])
			}
		}
		if len(board.Links) != 2 || !variables["property"] {
			t.Fatalf("%s: %d links, variables %v", file, len(board.Links), variables)
		}
		if others := board.Links[0]; others.Type != "dashboards" || !slices.Equal(others.Tags, board.Tags) ||
			board.Links[1].URL != "${console}/" {
			t.Errorf("%s: the links are %+v, want the dashboards tagged %v and the console", file, board.Links, board.Tags)
		}
		links := regexp.MustCompile(`"\$\{console\}(/[^"]*)"`).FindAllStringSubmatch(string(data), -1)
		for _, link := range links {
			path := field.ReplaceAllString(link[1], "x")
			_, pattern := mux.Handler(httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
			if pattern == "" || field.MatchString(path) || strings.Contains(path, "$") {
				t.Errorf("%s: the link %s leads to no page", file, link[1])
			}
		}
		if len(links) < 3 {
			t.Errorf("%s: %d links to the console", file, len(links))
		}
		for _, p := range board.Panels {
			if len(p.Targets) == 0 {
				t.Errorf("%s: %s has no query", file, p.Title)
			}
			for _, q := range p.Targets {
				if q.PromQL != "" {
					continue
				}
				if ofProperties.MatchString(q.SQL) && !strings.Contains(q.SQL, "${property") {
					t.Errorf("%s: %s ignores the variable property", file, p.Title)
				}
				if amounts.MatchString(q.SQL) && !byCurrency.MatchString(q.SQL) ||
					strings.Contains(q.SQL, "sum(amount)") && !strings.Contains(q.SQL, "GROUP BY rule, severity, currency") {
					t.Errorf("%s: %s adds amounts of several currencies", file, p.Title)
				}
				if strings.Contains(q.SQL, "currency") && !strings.Contains(q.SQL, "${currency") {
					t.Errorf("%s: %s ignores the variable currency", file, p.Title)
				}
				if strings.Count(q.SQL, "'XPF'), 1,") != strings.Count(q.SQL, "'KWD'") {
					t.Errorf("%s: %s takes dinars for currencies of two decimals", file, p.Title)
				}
				if strings.Contains(q.SQL, "v_dealer_findings") && strings.Contains(q.SQL, "countIf(severity") {
					t.Errorf("%s: %s counts a rule once for each day and currency", file, p.Title)
				}
				sql := expand.Replace(q.SQL)
				sql = timeFilter.ReplaceAllString(sql, "$1 >= now() - INTERVAL 2 DAY AND $1 <= now() + INTERVAL 2 DAY")
				rows, err := s.Conn().Query(t.Context(), sql)
				if err != nil {
					t.Errorf("%s: %s: %v", file, p.Title, err)
					continue
				}
				for _, column := range rows.Columns() {
					columns[column] = true
				}
				if p.Type == "timeseries" && rows.Columns()[0] != "time" {
					t.Errorf("%s: %s: the first column is %s, want time", file, p.Title, rows.Columns()[0])
				}
				if rows.Next() {
					filled++
				}
				if err := rows.Close(); err != nil {
					t.Errorf("%s: %s: %v", file, p.Title, err)
				}
				if want, known := sums[p.Title]; known {
					delete(sums, p.Title)
					var got float64
					err := s.Conn().QueryRow(t.Context(), "SELECT toFloat64(sum("+want.of+")) FROM ("+sql+")").Scan(&got)
					if err != nil || math.Abs(got-want.sum) > 1e-6*math.Abs(want.sum) {
						t.Errorf("%s: %s: the sum of %s is %v, want %v; %v", file, p.Title, want.of, got, want.sum, err)
					}
				}
			}
		}
	}
	if len(sums) > 0 {
		t.Errorf("no panels for %v", sums)
	}
	for _, column := range []string{"hold", "auditable", "unauditable", "missing"} {
		if !columns[column] {
			t.Errorf("no panel has the column %s", column)
		}
	}
	if filled < 20 {
		t.Errorf("%d panels with rows, want at least 20", filled)
	}
}

// figure is the sum of a column of a panel.
type figure struct {
	of  string
	sum float64
}

// figuresOf computes what panels have from the rounds, of which one is made unauditable, and from the queue, of which
// one finding waits for a second person and one is closed.
func figuresOf(t *testing.T, s *store.Store) map[string]figure {
	t.Helper()
	rounds := s.Table("rounds")
	if err := s.Conn().Exec(t.Context(), "INSERT INTO "+rounds+" SELECT * REPLACE (false AS auditable, version + 1 AS "+
		"version) FROM "+rounds+" FINAL WHERE table_id = 'pb-01' ORDER BY at LIMIT 1"); err != nil {
		t.Fatal(err)
	}
	const hold = "(sum(collected) - sum(paid) + sum(vigorish)) / sum(staked)"
	all := map[string]figure{}
	for title, x := range map[string][3]string{
		"Stakes and hold by currency":              {"hold", hold, "property_id"},
		"Hold per hour":                            {"hold", hold, "toStartOfHour(at)"},
		"Coverage: auditable rounds":               {"auditable", "avg(auditable)", "toStartOfHour(at)"},
		"Coverage: tables with unauditable rounds": {"unauditable", "sum(1 - auditable)", "table_id"},
	} {
		f := figure{of: x[0]}
		if err := s.Conn().QueryRow(t.Context(), "SELECT toFloat64(sum(v)) FROM (SELECT "+x[1]+" AS v FROM "+rounds+
			" FINAL GROUP BY "+x[2]+")").Scan(&f.sum); err != nil || f.sum == 0 {
			t.Fatalf("%s: %v, %v", title, f.sum, err)
		}
		all[title] = f
	}
	everywhere := store.Scope{All: true}
	for _, severity := range []string{"critical", "major"} {
		open, err := s.Open(t.Context(), everywhere, store.Filter{Severity: severity, Limit: 1})
		if err != nil || len(open) != 1 {
			t.Fatal(len(open), err)
		}
		if _, err := s.Apply(t.Context(), everywhere, store.Triage{
			IDs: []string{open[0].ID}, Actor: "ann", Action: store.Close, Disposition: "duplicate", Reason: "x",
		}); err != nil {
			t.Fatal(err)
		}
	}
	// One table is silent, one has a feed, and the others are closed.
	for _, feed := range []struct {
		table, kind string
		at          time.Time
	}{
		{"silent", "round_settled", time.Now().Add(-10 * time.Minute)},
		{"pb-01", "round_settled", time.Now().Add(time.Hour)},
		{"closed", "table_closed", time.Now().Add(-10 * time.Minute)},
	} {
		insert(t, s, "feeds", "property_id, table_id, at, seq, kind, received_at", "ac-1", feed.table, feed.at, uint64(1),
			feed.kind, feed.at)
	}
	var alarms float64
	if err := s.Conn().QueryRow(t.Context(), "SELECT toFloat64(100 * countIf(severity = 'critical') + 10 * countIf("+
		"severity = 'major') + countIf(severity = 'minor')) FROM "+s.Table("findings")+" FINAL").Scan(&alarms); err != nil ||
		alarms < 100 {
		t.Fatal(alarms, err)
	}
	totals, err := s.Totals(t.Context(), everywhere, store.Filter{})
	if err != nil || totals.Closing != 1 || totals.Major == totals.Critical || totals.Unassigned == totals.Open {
		t.Fatal(totals, err)
	}
	maps.Copy(all, map[string]figure{
		"Closed findings by disposition":      {"findings", 1},
		"Critical, open":                      {"critical", float64(totals.Critical)},
		"Major, open":                         {"major", float64(totals.Major)},
		"Unassigned":                          {"unassigned", float64(totals.Unassigned)},
		"Waiting for a second person":         {"closing", float64(totals.Closing)},
		"Tables with most open findings":      {"open", float64(totals.Open)},
		"Without feed, 2 min":                 {"silent", 1},
		"Silent tables":                       {"1", 2},
		"Tables without a feed for 2 minutes": {"silent", 1},
		"Findings per ten minutes":            {"100 * critical + 10 * major + minor", alarms},
	})
	return all
}
