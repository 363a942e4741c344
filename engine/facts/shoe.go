package facts

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Totals are what others know of a shoe that is closed.
type Totals struct {
	Findings, Unauditable uint32
	ClosedAt              int64 // event time
}

// Shoe writes a shoe that is closed, and its vigorish.
func (t *Table) Shoe(s *play.Shoe, of Totals, out *rows.Set) {
	day, shift := t.Clock.Of(s.At)
	row := rows.Shoe{
		PropertyID: t.Play.Property, PitID: s.Pit, TableID: t.Play.ID, ShoeID: s.ID,
		At: s.At, EndedAt: s.EndedAt, ClosedAt: of.ClosedAt, GamingDay: day, Shift: shift,
		Decks: s.Loaded.Decks, CardsOut: s.Out, Remaining: s.Ended.Remaining, Rounds: uint32(len(s.Rounds)),
		Unauditable: of.Unauditable, Findings: of.Findings, Joined: s.Joined, Missing: s.Missing,
		FirstSeq: uint64(s.First), LastSeq: t.Log.Next() - 1, Engine: t.Version,
	}
	for _, o := range s.Owed(nil) {
		row.Outstanding += o.Amount
	}
	if s.Config != nil {
		row.Ruleset, row.Game, row.ConfigID = s.Config.Ruleset, s.Config.Game.String(), s.Config.ID
	}
	if s.Law != nil {
		row.Rulebook = s.Law.Book.Ref()
	}
	out.Shoes = append(out.Shoes, row)
	for i := range s.Dues {
		out.Vigorish = append(out.Vigorish, t.vigorish(s, &s.Dues[i], day))
	}
}

func (t *Table) vigorish(s *play.Shoe, d *record.Due, day string) rows.Vigorish {
	row := rows.Vigorish{
		PropertyID: t.Play.Property, TableID: t.Play.ID, ShoeID: s.ID, Round: d.Round,
		At: t.Log.Time(uint64(d.PaidAt)), GamingDay: day, WagerID: d.Wager, Seat: d.Seat,
		Kind: "COMMISSION", Won: d.Won, Marked: d.Marked, Collected: max(d.Collected, d.Cash),
		MarkedSeq: uint64(d.MarkedAt), CollectedSeq: uint64(d.CollectedAt),
	}
	switch {
	case s.Config != nil && !s.Config.Reports(baccarat.FeedVigorish): // what was due is not compared with what was taken
	case d.Tie:
		row.Kind, row.Won = "TIE25", 0
		if s.Law != nil {
			row.Least, row.Most = law.TieCharge(s.Law.TiePercent(d.Kind), d.Stake)
		}
	case s.Law != nil && s.Config != nil:
		percent := s.Config.Percent
		if d.Kind != "" {
			percent = d.Percent
		}
		v, _ := s.Law.Rate(d.Kind, percent)
		row.Least, row.Most = v.Least(d.Won), v.Up(d.Won)
	}
	if d.Unproved {
		row.Least = 0
	}
	return row
}
