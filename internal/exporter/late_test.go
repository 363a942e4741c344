//go:build unix

package exporter_test

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/exporter"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// An event comes after its day was audited and exported. The next run withdraws what followed from its absence: the
// queue, the findings and the reports lack it, and the next bundle withdraws each finding with a reason.
func TestLateEventIsWithdrawnEverywhere(t *testing.T) {
	h := openHouse(t, "late")
	events := h.shoeOf(property, "PB-01")
	late := slices.IndexFunc(events, func(ev schema.Event) bool {
		_, dealt := ev.Payload.(*schema.CardDealt)
		return dealt && ev.Round == 5
	})
	// At another table a payment that is too high comes late.
	others := played(h.tableOf(deal.Options{
		Table: "PB-02", Seed: 2, Start: time.Date(2026, 11, 19, 18, 0, 0, 0, time.UTC),
	}), 1)
	paid := breach(others, 3)
	var of topic
	of.append(slices.Delete(slices.Clone(events), late, late+1)...)
	of.append(slices.Delete(slices.Clone(others), paid, paid+1)...)
	h.ingest(&of)
	h.missing("run", day)
	h.night()
	h.missing("export", day)
	h.export()
	h.missing("")
	before := leaves[finding.Finding](t, h.bundle, "findings.ndjson")

	of.append(events[late], others[paid])
	h.ingest(&of)
	h.missing("run", day)
	run := h.night()
	h.missing("export", day)
	h.export()
	h.missing("")
	after := leaves[export.Amendment](t, h.bundle, "amendments.ndjson")
	h.readAloud(before, after)
	now := map[string]bool{}
	for i := range run.Findings {
		now[run.Findings[i].ID] = true
	}
	added := 0
	for i := range after {
		a := &after[i]
		if a.Now == nil {
			continue
		}
		added++
		want := fmt.Sprintf("event %d of table PB-02 arrived after the export; ", others[paid].Seq)
		if a.Now.TableID != "PB-02" || !strings.HasPrefix(a.Why, want) {
			t.Errorf("%s %s of %s: why %q, want %q first", a.Reason, a.Now.Rule, a.Now.TableID, a.Why, want)
		}
	}
	if added == 0 {
		t.Error("no amendment adds the payment that is too high")
	}
	gaps := 0
	for i := range before {
		f := &before[i]
		gone := slices.IndexFunc(after, func(a export.Amendment) bool { return a.Amends == f.ID })
		switch {
		case now[f.ID]:
			continue
		case gone < 0:
			t.Errorf("no amendment withdraws %s %s", f.Rule, f.ID)
		case after[gone].Reason != "withdrawn" || !strings.Contains(after[gone].Why, "arrived after"):
			t.Errorf("%s %s: amendment %+v", f.Rule, f.ID, after[gone])
		}
		if f.Rule == "feed.gap" {
			gaps++
		}
	}
	if gaps != 2 {
		t.Errorf("%d gaps in the first bundle, want 2", gaps)
	}
	current, err := h.db.Findings(t.Context(), clickhouse.Filter{PropertyID: property})
	if err != nil {
		t.Fatal(err)
	}
	open, err := h.console.Open(t.Context(), store.Scope{All: true}, store.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := h.console.Findings(
		t.Context(), store.Scope{All: true}, store.FindingQuery{Table: "PB-01", Limit: 1000},
	)
	if err != nil {
		t.Fatal(err)
	}
	for place, ids := range map[string][]string{
		"findings": idsOf(current, func(f finding.Finding) string { return f.ID }),
		"queue":    idsOf(open, func(f store.OpenFinding) string { return f.ID }),
		"console":  idsOf(shown, func(f store.Finding) string { return f.ID }),
	} {
		for _, id := range ids {
			if !now[id] {
				t.Errorf("%s: %s is false", place, id)
			}
		}
	}
	if by, why := h.found(); len(by) > 0 {
		t.Errorf("%s", why)
	}
}

// A shoe reaches into the next day, and an event of that day comes late: a finding of the day before, which said that
// events are missing, is a breach with it. It replaces the first everywhere, and the next bundle names the event.
func TestLateEventOfTheNextDay(t *testing.T) {
	h := openHouse(t, "next")
	opens := time.Date(2026, 11, 20, 10, 20, 0, 0, time.UTC) // 40 minutes before the day ends
	all := fault.All()
	planted := all[slices.IndexFunc(all, func(f fault.Fault) bool { return f.Rule == "cut.cutcard-depth" })]
	events, _, err := fault.Plant(deal.Options{Property: property, Pit: "p1", Table: "PB-03", Seed: 46, Start: opens},
		planted, 46)
	if err != nil {
		t.Fatal(err)
	}
	late := slices.IndexFunc(events, func(ev schema.Event) bool {
		_, dealt := ev.Payload.(*schema.CardDealt)
		return dealt && ev.At > opens.Add(40*time.Minute).UnixNano()
	})
	var of topic
	of.append(slices.Delete(slices.Clone(events), late, late+1)...)
	h.ingest(&of)
	h.night()
	h.export()
	of.append(events[late])
	h.ingest(&of)
	run := h.night()
	if r := run.Run; r.Changed != 1 || r.Late != r.Missing+r.Extra+r.Changed || len(run.Changed) != 1 {
		t.Fatalf("%+v, replaced %+v", r, run.Changed)
	}
	h.export()
	event := fmt.Sprintf("event %d of table PB-03 arrived after the export; ", events[late].Seq)
	id := run.Changed[0].ID
	amended := leaves[export.Amendment](t, h.bundle, "amendments.ndjson")
	i := slices.IndexFunc(amended, func(a export.Amendment) bool { return a.Amends == id })
	if i < 0 || amended[i].Reason != "changed" || amended[i].Now.Verdict != finding.Breach ||
		!strings.HasPrefix(amended[i].Why, event) {
		t.Fatalf("no amendment of %s names %q: %+v", id, event, amended)
	}
	page := html.UnescapeString(string(unpack(t, h.bundle)["people/report.html"]))
	for _, want := range []string{
		"Changed: exception No. 1 of gaming day " + day + ", reported in export 1 (log leaf ",
		"It is now: Rule cut.cutcard-depth (major, BREACH) at table PB-03", "Reason: " + event,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("report.html lacks %q", want)
		}
	}
	t.Log(regexp.MustCompile(`(?s)<p>This export amends.*</p>\n<ol class="amendments">.*</ol>`).FindString(page))
	shown, err := h.console.Open(t.Context(), store.Scope{All: true}, store.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(shown, func(f store.OpenFinding) bool { return f.ID == id })
	if at < 0 || shown[at].Verdict != "BREACH" || shown[at].Severity != "major" {
		t.Errorf("the queue has %+v", shown)
	}
	var manifest struct{ Unreplayed []string }
	if err := json.Unmarshal(unpack(t, h.bundle)["manifest.json"], &manifest); err != nil || len(manifest.Unreplayed) > 0 {
		t.Errorf("a replay of the evidence does not give %q, %v", manifest.Unreplayed, err)
	}
	if by, why := h.found(); len(by) > 0 {
		t.Errorf("%s", why)
	}
}

// readAloud reads the amendments of the second bundle as a commission does: in the CSV, the HTML and the PDF.
func (h *house) readAloud(before []finding.Finding, after []export.Amendment) {
	h.t.Helper()
	parts := unpack(h.t, h.bundle)
	table := readCSV(h.t, parts["people/exceptions.csv"])
	at := func(name string) int { return slices.Index(table[0], name) }
	cells := ""
	for _, row := range table[1:] {
		cells += row[at("explanation")] + "\n"
	}
	page := html.UnescapeString(string(parts["people/report.html"]))
	var paper strings.Builder
	words := regexp.MustCompile(`\(((?:[^()\\]|\\.)*)\) ?Tj`)
	for _, line := range words.FindAllStringSubmatch(string(parts["people/summary.pdf"]), -1) {
		paper.WriteString(line[1] + " ")
	}
	plain := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "\\", "")), " ") }
	list, numbers := finding.Exceptions(before)
	for i := range list {
		f := &list[i]
		a := slices.IndexFunc(after, func(a export.Amendment) bool { return a.Amends == f.ID })
		if a < 0 || after[a].Reason != "withdrawn" {
			continue
		}
		want := fmt.Sprintf("Withdrawn: exception No. %d of gaming day %s, reported in export 1 (log leaf %d), "+
			"no longer stands. "+
			"It was: Rule %s (%s, %s) at table %s", numbers[i], day, after[a].Leaf, f.Rule,
			f.Severity, f.Verdict, f.TableID)
		for form, text := range map[string]string{
			"exceptions.csv": cells, "report.html": page, "summary.pdf": paper.String(),
		} {
			if text = plain(text); !strings.Contains(text, plain(want)) ||
				!strings.Contains(text, plain("Reason: "+after[a].Why)) {
				h.t.Errorf("%s lacks %s Reason: %s in\n%s", form, want, after[a].Why, text)
			}
		}
	}
	want := "Exceptions: 2 withdrawn, 1 added. Findings for information that it amends, which accuse no one and are not " +
		"listed here: 7 ("
	if !strings.Contains(page, want) {
		h.t.Errorf("report.html lacks %q", want)
	}
	h.t.Log(regexp.MustCompile(`(?s)<p>This export amends.*</p>\n<ol class="amendments">.*</ol>`).FindString(page))
}

// missing compares the days that --gaming-day missing of run, or of export, makes up; an export waits for the run.
func (h *house) missing(of string, want ...string) {
	h.t.Helper()
	ctx, calendar := h.t.Context(), &h.law.Calendar
	run, err := nightly.Missing(ctx, h.db, calendar, property, time.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	exported, err := exporter.Missing(ctx, h.db, calendar, property, time.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	got := map[string][]string{"run": run, "export": exported}
	for _, command := range []string{"run", "export"} {
		days := want
		if command != of {
			days = nil
		}
		if !slices.Equal(got[command], days) {
			h.t.Errorf("audit %s --gaming-day missing makes up %v, want %v", command, got[command], days)
		}
	}
}

func idsOf[T any](list []T, id func(T) string) (ids []string) {
	for _, f := range list {
		ids = append(ids, id(f))
	}
	return ids
}

// topic is a topic of one partition, which ends.
type topic struct {
	partition  int32
	records    []pipeline.Record
	generation int32
	next       int
}

func (s *topic) append(events ...schema.Event) {
	for i := range events {
		s.records = append(s.records, pipeline.Record{
			Offset: int64(len(s.records)), Format: schema.JSON, Value: schema.AppendJSON(nil, &events[i]),
		})
	}
}

func (s *topic) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	s.generation++
	return work(ctx, s)
}
func (s *topic) Topic() string                       { return "table-events" }
func (s *topic) Partition() int32                    { return s.partition }
func (s *topic) Commit(context.Context, int64) error { return nil }
func (s *topic) Begin(offset, _ int64)               { s.next = int(max(offset, 0)) }
func (s *topic) Generation() int32                   { return s.generation }
func (s *topic) Next(context.Context, time.Duration) ([]pipeline.Record, error) {
	now := s.records[s.next:min(s.next+100, len(s.records))]
	if s.next += len(now); s.next == len(s.records) {
		return now, io.EOF
	}
	return now, nil
}

// ingest stores what a topic has, behind what is stored.
func (h *house) ingest(of *topic) {
	h.t.Helper()
	h.ingestWith(of, func(*pipeline.RunOptions) {})
}

func (h *house) ingestWith(of *topic, set func(*pipeline.RunOptions)) {
	h.t.Helper()
	o := pipeline.RunOptions{
		NewStep: func() pipeline.Step { return auditor.New(h.law) }, Now: time.Now, FlushRows: 300, Journal: h.db,
	}
	set(&o)
	if err := pipeline.Run(h.t.Context(), of, h.db, o); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) night() *nightly.Night {
	h.t.Helper()
	res, err := nightly.Run(h.t.Context(), h.db, nightly.Options{
		Property: property, Days: []string{day}, Workers: 1, Engine: h.law, Holder: "test", Now: time.Now,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return &res.Nights[0]
}

// leaves reads a file of a zip with one JSON value a line.
func leaves[T any](t *testing.T, bundle, name string) (all []T) {
	t.Helper()
	z, err := zip.OpenReader(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(f); ; {
		var one T
		if err := d.Decode(&one); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}
