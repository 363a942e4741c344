// Package monitortest checks the metrics and probes of a program in its tests.
package monitortest

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Get is the status of a page, and its text.
func Get(t testing.TB, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Do(t, http.DefaultClient, req)
}

// Do is the same of any request.
func Do(t testing.TB, client *http.Client, req *http.Request) (int, string) {
	t.Helper()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// Figure is a series of a page of metrics, -1 if it is not there.
func Figure(t testing.TB, page, series string) float64 {
	t.Helper()
	for line := range strings.Lines(page) {
		if rest, ok := strings.CutPrefix(line, series+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	return -1
}

// Labelled checks that the page has at least minimum series of ours, and that their labels and values are in known: no
// label identifies a table, a shoe or a person.
func Labelled(t testing.TB, page string, minimum int, known map[string]*regexp.Regexp) {
	t.Helper()
	label, series := regexp.MustCompile(`[{,](\w+)="([^"]*)"`), 0
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "shoeproof_") {
			continue
		}
		series++
		for _, l := range label.FindAllStringSubmatch(line, -1) {
			if values := known[l[1]]; values == nil || !values.MatchString(l[2]) {
				t.Errorf("label %s=%q in %s", l[1], l[2], line)
			}
		}
	}
	if series < minimum {
		t.Errorf("%d series, want at least %d", series, minimum)
	}
}

// Files of the folder deploy.
const (
	Alerts = "helm/shoeproof/files/alerts.yaml"
	Panels = "grafana/operators.json"
)

// Asked reports each series of this program that a file of alerts or panels in the folder deploy uses and the page
// lacks.
func Asked(t testing.TB, page string, ours func(name string) bool, deploy string, files ...string) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(deploy, file))
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for _, name := range regexp.MustCompile(`\bshoeproof_\w+`).FindAllString(string(text), -1) {
			if !ours(name) {
				continue
			}
			asked++
			if name = strings.TrimSuffix(name, "_bucket"); !strings.Contains(page, "\n# TYPE "+name+" ") {
				t.Errorf("%s asks for %s, which is not in /metrics", file, name)
			}
		}
		if asked == 0 {
			t.Errorf("%s asks this program for nothing", file)
		}
	}
}
