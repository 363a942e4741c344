package verdict

import (
	"slices"

	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// emit appends a finding of a rule, which covers these.
func (t *Table) emit(m *moment, e *entry, covers []string) finding.Finding {
	s, f := m.Shoe, &e.finding
	cited, _ := s.Law.Cited(f.Rule.Name)
	kind, verdict, severity := finding.Deviation, finding.Breach, f.Rule.Severity
	switch {
	case f.Verdict == finding.Unauditable:
		kind, verdict, severity = finding.Notice, finding.Unauditable, finding.Info
	case f.Verdict == finding.Information:
		verdict, severity = finding.Information, finding.Info
	case f.Verdict != "":
		verdict = f.Verdict
	}
	out := t.begin(finding.Identity{
		ShoeID: s.ID, Round: f.Round, Rule: f.Rule.Name, Version: f.Rule.Version, Subject: f.Subject.String(),
	}, kind, verdict, severity)
	out.Basis, out.Citations, out.Seat, out.Amount = f.Basis, cited.Citations, f.Seat, f.Amount
	if len(f.Cites) > 0 { // a finding that is restored from a snapshot has an empty list instead of none
		out.Citations = f.Cites
	}
	out.Expected, out.Observed, out.Covers = f.Expected, f.Observed, covers
	out.PitID, out.Currency, out.Rulebook = s.Pit, s.Config.Currency, s.Law.Book.Ref()
	out.DealerID = t.dealerOf(s, f.Round)
	t.prove(&out, f.Evidence, e.at)
	t.of(s).Findings++
	t.add(out, m.out)
	return out
}

func (t *Table) add(f finding.Finding, out *[]finding.Finding) {
	t.reported++
	*out = append(*out, f)
}

// dealerOf is the dealer of a round that is open or being judged, else the present one.
func (t *Table) dealerOf(s *play.Shoe, no uint32) string {
	if r := s.Live(no); r != nil {
		return r.Dealer
	}
	if r := t.pass.Round; r != nil && r.No == no && no != 0 {
		return r.Dealer
	}
	return t.Play.Dealer
}

// begin builds a finding about this table.
func (t *Table) begin(
	about finding.Identity, kind finding.Kind, verdict finding.Verdict, severity finding.Severity,
) finding.Finding {
	about.PropertyID, about.TableID = t.Play.Property, t.Play.ID
	out := finding.New(about, kind, verdict, severity)
	out.PitID, out.Engine = t.Play.Pit, t.Version
	return out
}

// prove names the events of a finding and dates it by the latest of them, or by at if none is known.
func (t *Table) prove(out *finding.Finding, evidence []record.Seq, at int64) {
	seqs := make([]uint64, 0, len(evidence))
	for _, seq := range evidence {
		if seq != 0 {
			seqs = append(seqs, uint64(seq))
		}
	}
	slices.Sort(seqs)
	seqs = slices.Compact(seqs)
	ids := make([]string, 0, len(seqs))
	when := int64(0)
	for _, seq := range seqs {
		id := t.Log.ID(seq)
		if id == "" {
			id = t.Play.Kept[seq]
		}
		ids = append(ids, id)
		when = max(when, t.Log.Time(seq))
	}
	if when == 0 {
		when = at
	}
	out.Evidence = finding.Evidence{Seqs: seqs, EventIDs: ids}
	t.date(out, when)
}

func (t *Table) date(out *finding.Finding, at int64) {
	out.At = schema.Time(at)
	out.GamingDay, out.Shift = t.Clock.Of(at)
}

// inForce fills in what is in force at the table.
func (t *Table) inForce(out *finding.Finding) {
	if t.Play.Config != nil {
		out.Currency = t.Play.Config.Currency
	}
	if t.Play.Law != nil {
		out.Rulebook = t.Play.Law.Book.Ref()
	}
}

// playedAt is the time of the moment's round, or of its shoe.
func (m *moment) playedAt() int64 {
	if m.Round != nil {
		return m.Round.At
	}
	return m.Shoe.At
}

// datedInForce is true if the rulebook is in force at the date of play.
func (t *Table) datedInForce(m *moment) bool {
	book := t.pass.Law.Book
	return book.From == "" && book.To == "" || book.InForce(t.Clock.Date(m.playedAt()))
}
