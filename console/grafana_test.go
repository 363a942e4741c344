//go:build unix

package console

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every query of the dashboards runs on the current schema, and returns rows for a played property.
func TestDashboards(t *testing.T) {
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 1)
	files, err := filepath.Glob("../deploy/grafana/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d dashboards, %v", len(files), err)
	}
	database := strings.TrimSuffix(s.Table("x"), ".x")
	timeFilter := regexp.MustCompile(`\$__timeFilter\(([a-z_]+)\)`)
	filled := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
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
		for _, p := range board.Panels {
			if len(p.Targets) == 0 {
				t.Errorf("%s: %s has no query", file, p.Title)
			}
			for _, q := range p.Targets {
				if q.PromQL != "" {
					continue
				}
				sql := strings.ReplaceAll(q.SQL, "${database}", database)
				sql = timeFilter.ReplaceAllString(sql, "$1 >= now() - INTERVAL 2 DAY AND $1 <= now() + INTERVAL 2 DAY")
				rows, err := s.Conn().Query(t.Context(), sql)
				if err != nil {
					t.Errorf("%s: %s: %v", file, p.Title, err)
					continue
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
			}
		}
	}
	if filled < 15 {
		t.Errorf("%d panels with rows, want at least 15", filled)
	}
}
