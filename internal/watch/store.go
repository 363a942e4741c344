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

// pending is what a pass has found that is not durable yet, with the number of its shoes and rounds.
type pending struct {
	shoes, rounds   int
	bound, promised float64 // see Step
	places          []place
	evidence        []evidence
	findings        []finding.Finding
}

// evidence is a factor at one of the places. There are some 60 a round, of which a night stores few: it is less than
// half as large as its row.
type evidence struct {
	account
	lnE, start float64
	place      int
}

// account is a detector and a key.
type account struct {
	detector *detectors.Detector
	key      detectors.Key
}

// place is the round or the shoe of a factor.
type place struct {
	detectors.Location
	day string
}

// row is the row of evidence.
func (p *pending) row(e *evidence, engine string) rows.Evidence {
	at := &p.places[e.place]
	return rows.Evidence{
		Detector: e.detector.ID, Key: e.key.String(), At: at.At, PropertyID: at.Property, TableID: at.Table,
		ShoeID: at.Shoe, Round: at.Round, Seq: uint64(at.Seq), GamingDay: at.day, LnE: e.lnE, Start: e.start, Engine: engine,
	}
}

// add adds what another part of the detectors has found.
func (p *pending) add(o *pending) {
	p.bound += o.bound
	for _, e := range o.evidence {
		e.place += len(p.places)
		p.evidence = append(p.evidence, e)
	}
	p.places = append(p.places, o.places...)
	p.findings = append(p.findings, o.findings...)
}

// take adds the last factors and alarms of some detectors.
func (w *watcher) take(from *detectors.Host, at *detectors.Location, dealer string, t *terms, done *pending) {
	day, shift := w.options.Engine.Calendar.Of(at.At)
	for i := range from.Factors {
		f := &from.Factors[i]
		done.bound += w.promise.Bound(f)
		if f.LnE == 0 && f.Start == 0 && !f.Certain {
			continue
		}
		done.evidence = append(done.evidence, evidence{account{f.Detector, f.Key}, f.LnE, f.Start, len(done.places)})
	}
	done.places = append(done.places, place{*at, day})
	for i := range from.Alarms {
		a := &from.Alarms[i]
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
	stored := make([]rows.Evidence, 0, len(done.evidence))
	for i := range done.evidence {
		stored = append(stored, done.row(&done.evidence[i], w.options.Engine.Version))
	}
	if len(stored) > 0 {
		if err := w.store.AddEvidence(ctx, "watch", stored); err != nil {
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
		w.options.Hooks.Kept(done.shoes, done.rounds, stored, done.findings, w.after.At)
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
