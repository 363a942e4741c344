package verdict

import (
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Anomalies appends the findings of alarms about a shoe, or about the table if it is nil. The dealer is that of the
// round that was scored.
func (t *Table) Anomalies(s *play.Shoe, dealer string, alarms []detectors.Alarm, out *[]finding.Finding) {
	for i := range alarms {
		a := &alarms[i]
		if s != nil && proves(s, a) {
			continue
		}
		currency := ""
		if t.Play.Config != nil {
			currency = t.Play.Config.Currency
		}
		made := Anomaly(a, currency)
		t.inForce(&made)
		made.DealerID, made.Engine = dealer, t.Version
		if made.Round == 0 {
			made.DealerID = t.Play.Dealer
		}
		evidence := []record.Seq{a.Location.Seq}
		for _, w := range a.Top {
			evidence = append(evidence, w.Location.Seq)
		}
		t.prove(&made, evidence, a.Location.At)
		t.date(&made, a.Location.At)
		if s != nil {
			t.of(s).Findings++
		}
		t.add(made, out)
	}
}

// proves is true if a rule in force proves what the alarm suspects.
func proves(s *play.Shoe, a *detectors.Alarm) bool {
	if s.Law == nil || a.Detector.ID != "d01" {
		return false
	}
	_, cited := s.Law.Cited("shoe.composition.no-excess-copies")
	return cited
}

// Anomaly is the finding of an alarm, without what only the caller has: evidence, day and rulebook.
func Anomaly(a *detectors.Alarm, currency string) finding.Finding {
	severity := finding.Major
	switch {
	case a.Info:
		severity = finding.Info
	case a.Detector.Tier == detectors.Calibrated:
		severity = finding.Minor
	}
	f := finding.New(finding.Identity{
		PropertyID: a.Location.Property, TableID: a.Location.Table, ShoeID: a.Location.Shoe, Round: a.Location.Round,
		Rule: a.Detector.ID, Subject: a.Key.String(),
	}, finding.Anomaly, finding.Suspect, severity)
	f.Citations = []string{"docs/detectors.md: " + a.Detector.Name}
	f.PitID, f.At = a.Location.Pit, schema.Time(a.Location.At)
	f.Expected, f.Observed, f.Amount = a.Expected(), a.Observed(currency)+"; "+a.Odds(), a.Money
	f.Currency = currency
	f.LnE, f.Threshold, f.Odds = a.LnE, a.LnThreshold, a.Odds()
	return f
}
