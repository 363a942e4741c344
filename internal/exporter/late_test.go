//go:build unix

package exporter_test

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// An event comes after its day was audited and exported. The next run withdraws what followed from its absence: the
// queue, the findings and the reports lack it, and the next bundle withdraws each finding with a reason.
func TestLateEventIsWithdrawnEverywhere(t *testing.T) {
	h := openHouse(t, "late")
	config, err := deal.Config(deal.Kinds()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{
		Property: property, Pit: "p1", Table: "PB-01", Seed: 1, Config: config,
		Start: time.Date(2026, 11, 19, 18, 0, 0, 0, time.UTC),
	})
	events := slices.Concat(table.Open(), table.Shoe(), table.Close())
	late := slices.IndexFunc(events, func(ev schema.Event) bool {
		_, dealt := ev.Payload.(*schema.CardDealt)
		return dealt && ev.Round == 5
	})
	var of topic
	of.append(slices.Delete(slices.Clone(events), late, late+1)...)
	h.ingest(&of)
	h.night()
	h.export()
	before := leaves[finding.Finding](t, h.bundle, "findings.ndjson")

	of.append(events[late])
	h.ingest(&of)
	run := h.night()
	h.export()
	after := leaves[export.Amendment](t, h.bundle, "amendments.ndjson")
	now := map[string]bool{}
	for i := range run.Findings {
		now[run.Findings[i].ID] = true
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
	if gaps != 1 {
		t.Errorf("%d gaps in the first bundle, want 1", gaps)
	}
	current, err := h.db.Findings(t.Context(), clickhouse.Filter{PropertyID: property})
	if err != nil {
		t.Fatal(err)
	}
	open, err := h.console.Open(t.Context(), store.Scope{All: true}, store.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := h.console.Findings(t.Context(), store.Scope{All: true}, store.FindingQuery{Table: "PB-01", Limit: 1000})
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

func idsOf[T any](list []T, id func(T) string) (ids []string) {
	for _, f := range list {
		ids = append(ids, id(f))
	}
	return ids
}

// topic is a topic of one partition, which ends.
type topic struct {
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
func (s *topic) Partition() int32                    { return 0 }
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
	err := pipeline.Run(h.t.Context(), of, h.db, pipeline.RunOptions{
		NewStep: func() pipeline.Step { return auditor.New(h.law) }, Now: time.Now, FlushRows: 300, Journal: h.db,
	})
	if err != nil {
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
