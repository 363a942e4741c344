package watch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/engine/verdict"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// pending are the rows of a pass, with the number of its shoes and rounds.
type pending struct {
	shoes, rounds   int
	bound, promised float64 // see Step
	evidence        []rows.Evidence
	findings        []finding.Finding
}

// take adds the rows of the last factors and alarms of the detectors.
func (w *watcher) take(at *detectors.Location, dealer string, t *terms) {
	done := &w.pending
	day, shift := w.options.Engine.Calendar.Of(at.At)
	for i := range w.scoring.Factors {
		f := &w.scoring.Factors[i]
		done.bound += w.promise.Bound(f)
		if f.LnE == 0 && f.Start == 0 && !f.Certain {
			continue
		}
		done.evidence = append(done.evidence, rows.Evidence{
			Detector: f.Detector.ID, Key: f.Key.String(), At: at.At, PropertyID: at.Property, TableID: at.Table, ShoeID: at.Shoe,
			Round: at.Round,
			Seq:   uint64(at.Seq), GamingDay: day, LnE: f.LnE, Start: f.Start, Engine: w.options.Engine.Version,
		})
	}
	for i := range w.scoring.Alarms {
		a := &w.scoring.Alarms[i]
		currency := ""
		if t != nil && t.config != nil {
			currency = t.config.Currency
		}
		row := verdict.Anomaly(a, currency)
		row.GamingDay, row.Shift, row.DealerID, row.Engine = day, shift, dealer, w.options.Engine.Version
		if t != nil && t.config != nil {
			row.Rulebook = t.law.Book.Ref()
		}
		for _, top := range a.Top {
			if top.Location.Table == at.Table && top.Location.Seq != 0 {
				row.Evidence.Seqs = append(row.Evidence.Seqs, uint64(top.Location.Seq))
			}
		}
		if len(row.Evidence.Seqs) == 0 && at.Seq != 0 {
			row.Evidence.Seqs = append(row.Evidence.Seqs, uint64(at.Seq))
		}
		slices.Sort(row.Evidence.Seqs)
		done.findings = append(done.findings, row)
	}
}

// keep stores the rows of a pass. Rows that were stored before are not duplicated.
func (w *watcher) keep(ctx context.Context, step *Step) error {
	done := &w.pending
	if done.shoes+done.rounds+len(done.evidence)+len(done.findings) == 0 {
		return nil
	}
	if len(done.evidence) > 0 {
		if err := w.store.AddEvidence(ctx, "watch", done.evidence); err != nil {
			return err
		}
	}
	if err := w.report(ctx, done.findings); err != nil {
		return err
	}
	w.unsaved = true
	step.Shoes += done.shoes
	step.Rounds += done.rounds
	step.Bound += done.bound
	step.Promised += done.promised
	step.Evidence += len(done.evidence)
	step.Findings += len(done.findings)
	if w.options.Hooks.Kept != nil {
		w.options.Hooks.Kept(done.shoes, done.rounds, done.evidence, done.findings, w.after.At)
	}
	w.pending = pending{}
	return nil
}

// report stores findings with the ids of the events that prove them.
func (w *watcher) report(ctx context.Context, findings []finding.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	if err := w.store.NameEvents(ctx, findings); err != nil {
		return err
	}
	sum := sha256.New()
	for i := range findings {
		fmt.Fprintf(sum, "%+v\n", findings[i])
	}
	return w.store.AddWatched(ctx, hex.EncodeToString(sum.Sum(nil)[:16]), findings)
}
