package nightly

import (
	"context"
	"fmt"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// Statistics are the statistics of every nightly run.
func Statistics(engine *engine.Options) []Statistic {
	return []Statistic{Review{engine}, HoldTests{engine}, Runs{engine}}
}

// anomaly is a finding of the review queue, which sends no notification: its rule is not a detector. Its identity is
// once for a period, which its subject does not name.
func anomaly(engine *engine.Options, about finding.Identity, severity finding.Severity, subject string,
	at int64,
) finding.Finding {
	f := finding.New(about, finding.Anomaly, finding.Suspect, severity)
	f.Subject, f.At, f.Engine = subject, schema.Time(at), engine.Version
	f.GamingDay, f.Shift = engine.Calendar.Of(at)
	return f
}

// Review selects shoes, patrons and dealers by their evidence of a gaming day, from the detectors that count towards
// the promise; see detectors.Reviews. The e-value of a key is the product of its factors of the day: its mean under
// honest play is at most 1. Each round is scored once.
type Review struct{ Engine *engine.Options }

// reviewFalse is the maximum expected part of false entries in a calendar month, and the maximum part of months of
// honest play with an entry.
const reviewFalse = 0.1

// ReadsEvidence is true.
func (Review) ReadsEvidence() bool { return true }

// Night returns the keys to review.
func (r Review) Night(ctx context.Context, store *clickhouse.Store, property, day, shift string) ([]finding.Finding,
	error,
) {
	if shift != "" {
		return nil, nil
	}
	var counts, kinds []string
	for _, d := range detectors.All() {
		if d.Starts != nil {
			counts = append(counts, d.ID)
		}
	}
	for _, kind := range [...]detectors.KeyKind{detectors.OfShoe, detectors.OfPatron, detectors.OfDealer} {
		kinds = append(kinds, kind.String())
	}
	rows, err := store.EvidenceByKey(ctx, property, day, counts, kinds)
	if err != nil {
		return nil, err
	}
	var all []detectors.Evidence
	of := map[detectors.Evidence]*clickhouse.KeyEvidence{}
	for i := range rows {
		key, ok := detectors.ParseKey(rows[i].Key)
		if !ok {
			continue
		}
		e := detectors.Evidence{Detector: rows[i].Detector, Key: key, LnE: rows[i].LnE}
		all = append(all, e)
		of[e] = &rows[i]
	}
	var found []finding.Finding
	before, err := store.CountFindings(ctx, property, "review.", day[:len("2006-01")]+"-01", day)
	if err != nil {
		return nil, err
	}
	reviews := detectors.Reviews{Alpha: reviewFalse, Selected: before}
	named := reviews.Day(all)
	limit := (&detectors.Reviews{Alpha: reviewFalse, Selected: before}).LnLimit(len(all), len(named))
	for _, e := range named {
		h := of[e]
		f := anomaly(r.Engine, finding.Identity{
			PropertyID: property, TableID: h.Table, ShoeID: h.Shoe, Round: h.Round, Rule: "review." + e.Detector, Subject: day +
				" " + h.Key,
		}, finding.Minor, h.Key, h.At)
		f.LnE = h.LnE
		f.Threshold = limit
		f.Citations = []string{"docs/detectors.md: the review queue"}
		f.Odds = "under honest play at most one calendar month in ten has any entry in this queue"
		f.Expected = "under honest play the mean product of a day's factors is at most 1"
		f.Observed = fmt.Sprintf("the evidence of %s about %s on %s is exp(%.1f), in %s; %d of %s "+
			"listed; review shoe %s round %d first",
			h.Detector, h.Key, day, h.LnE, schema.Count(h.Factors, "factor"), len(named),
			schema.Count(len(all), "key"), h.Shoe, h.Round)
		if h.Seq != 0 {
			f.Evidence.Seqs = []uint64{h.Seq}
		}
		found = append(found, f)
	}
	return found, store.NameEvents(ctx, found)
}

// HoldTests are the two monthly hold tests, run on the last gaming day of a month.
type HoldTests struct{ Engine *engine.Options }

// ReadsEvidence is false.
func (HoldTests) ReadsEvidence() bool { return false }

// Night returns the tables that a regulation requires to be investigated.
func (t HoldTests) Night(ctx context.Context, store *clickhouse.Store, property, day, shift string) ([]finding.Finding,
	error,
) {
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, fmt.Errorf("gaming day %q: %w", day, err)
	}
	if shift != "" || date.AddDate(0, 0, 1).Day() != 1 {
		return nil, nil
	}
	month := date.Format("2006-01")
	tests, err := report.RunHoldTests(ctx, store, t.Engine, property, month)
	if err != nil {
		return nil, err
	}
	_, until, err := t.Engine.Calendar.Bounds(day, "")
	if err != nil {
		return nil, err
	}
	var found []finding.Finding
	for i := range tests {
		x := &tests[i]
		if !x.Report.Investigate {
			continue
		}
		f := anomaly(t.Engine, finding.Identity{
			PropertyID: property, TableID: x.Table, Rule: x.Report.Name, Subject: month,
		},
			finding.Info, "table:"+x.Table, until-1)
		f.Citations = []string{x.Report.Citation}
		f.Expected = fmt.Sprintf("a win percentage within %.2f %s of the base level", x.Report.Limit, x.Report.Unit)
		f.Observed, f.Amount = x.Report.Text, x.Win
		found = append(found, f)
	}
	return found, nil
}
