package rules

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// inUse is the configuration that came into use with this card, and the event that brought it. Since was in use before
// it, under the same rulebook and since the same opening of the table, or nil: what it has already is judged, unless
// that is unproved.
func (p *Pass) inUse(check func(c, since *law.Config, at record.Seq)) {
	var since *law.Config
	for i := range p.Table.Changes {
		now := &p.Table.Changes[i]
		if now.Opened || since != nil && (since.Ruleset != now.Config.Ruleset || since.Game != now.Config.Game) {
			since = nil
		}
		switch {
		case now.Used && !now.Judged:
			check(now.Config, since, now.Seq)
		case now.Doubtful:
			since = nil
		case now.Used:
			since = now.Config
		}
	}
}

// inscribed are the clauses that want the odds of a wager on the layout or on a sign, and whether the text itself has
// them; none in New Jersey for the player, banker and tie wagers.
func (p *Pass) inscribed(s baccarat.Spot) (clauses []string, text bool) {
	rule := "layout.ny.payout-odds"
	switch s.SideBet() {
	case baccarat.SidePair:
		rule = "layout.nj.pair-areas"
	case baccarat.SideTreasures:
		rule = "layout.nj.treasures-odds"
	default: // New York wants all of them
	}
	cited, ok := p.Law.Cited(rule)
	return cited.Citations, ok && cited.Assumed == ""
}

// paidUnder are the clauses that set what a spot pays where no clause wants its odds posted.
func (p *Pass) paidUnder(s baccarat.Spot) []string {
	rule := "payout.player.odds"
	switch s {
	case baccarat.SpotBanker:
		rule = "payout.banker.odds"
	case baccarat.SpotTie:
		rule = "payout.tie.min-odds"
	case baccarat.SpotOther:
		rule = linesRule
	default:
	}
	cited, _ := p.Law.Cited(rule)
	return cited.Citations
}

// lawfulRow are the odds that the law sets for a line of a wager under a configuration, unknown if it sets none.
func (p *Pass) lawfulRow(c *law.Config, row law.PostedRow) law.SpotOdds {
	if row.Spot == baccarat.SpotBanker {
		return p.Law.ChargeOdds(c.Kind(), row.Line)
	}
	w := p.Law.Wager(row.Spot, row.Name)
	if w == nil || w.Posted {
		return law.SpotOdds{}
	}
	return p.Law.OddsOfLine(c, w, row.Line)
}

// lawfulOdds are the odds that the law sets for a spot under a configuration, unknown where they depend on the hand.
func (p *Pass) lawfulOdds(c *law.Config, s baccarat.Spot) law.SpotOdds {
	if w := p.Law.Wager(s, ""); w != nil {
		return p.Law.FlatOdds(c, w)
	}
	return p.Law.Odds[s]
}

// checkPostedOdds compares the posted odds with the odds of the law. Above a floor they are lawful; above an exact
// value they may promise what another text allows.
func checkPostedOdds(p *Pass) {
	p.inUse(func(c, since *law.Config, at record.Seq) {
		q := postings{p: p, since: since}
		for s := baccarat.SpotBanker; s < baccarat.Spots; s++ {
			row := law.PostedRow{Spot: s, Odds: c.Posted[s]}
			q.compare(c, row, p.lawfulOdds(c, s))
			q.compareLines(c, row)
		}
		for _, w := range p.Law.Wagers {
			if w.Spot == baccarat.SpotOther && c.OffersWager(w) {
				row := law.PostedRow{Spot: w.Spot, Name: w.Name, Odds: c.PostedNames[w.Name]}
				q.compare(c, row, p.Law.FlatOdds(c, w))
			}
		}
		for _, row := range c.Rows {
			q.compare(c, row, p.lawfulRow(c, row))
			q.unpaid(c, row)
		}
		f := Finding{Expected: strings.Join(q.expected, "; "), Evidence: []record.Seq{at}}
		if len(q.proved) > 0 {
			f.Subject, f.Observed, f.Cites = finding.OfRange(uint64(at), uint64(at)), strings.Join(q.proved, "; "), q.cites
			p.Report(f)
		}
		if len(q.suspected) > 0 {
			f.Subject, f.Observed, f.Cites = finding.Subject{}, strings.Join(q.suspected, "; "), q.other
			p.Suspect(f)
		}
	})
}

// postings are odds that are posted against the law, proved and suspected, with the clauses of each.
type postings struct {
	p                           *Pass
	since                       *law.Config
	proved, suspected, expected []string
	cites, other                []string
}

func (q *postings) compare(c *law.Config, row law.PostedRow, want law.SpotOdds) {
	s, name, side := row.Spot, rowName(row), row.Spot.SideBet()
	if !row.Odds.Known() || !want.Known() || side != baccarat.NoSideBet && !c.Offers(side) || q.posted(c, row) ||
		row.Line == "" && s == baccarat.SpotBanker && q.p.lessCommission(c, row.Odds) {
		return
	}
	compared := want.Compare(row.Odds.To, row.Odds.For)
	if compared == 0 || compared > 0 && want.Floor {
		return
	}
	relation := ""
	if want.Floor {
		relation = "at least "
	}
	q.expected = append(q.expected, fmt.Sprintf("%s %s%v", name, relation, want.Odds))
	text := fmt.Sprintf("%s posted %v", name, row.Odds)
	if clauses, ok := q.p.inscribed(s); ok && compared < 0 {
		q.proved, q.cites = append(q.proved, text), union(q.cites, clauses)
	} else {
		q.suspected = append(q.suspected, text)
		if clauses == nil {
			clauses = q.p.paidUnder(s)
		}
		q.other = union(q.other, clauses)
	}
}

// rowName is a row as a configuration names it.
func rowName(row law.PostedRow) string {
	name := row.Spot.String()
	if row.Name != "" {
		name = row.Name
	}
	if row.Line != "" {
		name += "/" + row.Line
	}
	return name
}

// unpaid suspects odds that are posted for a line which loses under the elected pay table.
func (q *postings) unpaid(c *law.Config, row law.PostedRow) {
	w := q.p.Law.Wager(row.Spot, row.Name)
	if w == nil || !w.RowsDecide || !q.p.Law.Prints(c, w) || q.p.Law.FlatOdds(c, w).Known() || !c.OffersWager(w) ||
		q.p.Law.OddsOfLine(c, w, row.Line).Known() || q.posted(c, row) ||
		!slices.ContainsFunc(w.Lines, func(l law.Line) bool { return l.Name == row.Line }) {
		return
	}
	q.expected = append(q.expected, fmt.Sprintf("%s not posted, it loses under paytable %s",
		rowName(row), c.PayTable(w.PayTable)))
	q.suspected = append(q.suspected, fmt.Sprintf("%s posted %v", rowName(row), row.Odds))
	clauses, _ := q.p.inscribed(row.Spot)
	q.other = union(q.other, clauses)
}

// posted reports whether the same odds were posted before, where they were judged as now.
func (q *postings) posted(c *law.Config, row law.PostedRow) bool {
	b, side := q.since, row.Spot.SideBet()
	switch {
	case b == nil || b.Mode != c.Mode || b.ModeName != c.ModeName || b.Percent != c.Percent ||
		b.TreasuresTable != c.TreasuresTable || b.BonusTable != c.BonusTable || !maps.Equal(b.PayTables, c.PayTables),
		side != baccarat.NoSideBet && !b.Offers(side):
		return false
	case row.Line != "":
		return slices.Contains(b.Rows, row)
	case row.Name != "":
		return b.PostedNames[row.Name] == row.Odds
	}
	return b.Posted[row.Spot] == row.Odds
}

// compareLines compares the odds that are posted for a wager whose lines pay different odds, without naming a line.
// Which line they are of is not known: odds that no line pays are suspected.
func (q *postings) compareLines(c *law.Config, row law.PostedRow) {
	w, side := q.p.Law.Wager(row.Spot, ""), row.Spot.SideBet()
	if w == nil || w.Posted || !row.Odds.Known() || !c.Offers(side) || q.p.Law.FlatOdds(c, w).Known() ||
		q.posted(c, row) {
		return
	}
	var pay []string
	for i := range w.Lines {
		odds := q.p.Law.LineOdds(c, w, &w.Lines[i])
		switch {
		case w.Lines[i].Returns:
		case !odds.Known() && !w.RowsDecide, odds.Known() && odds.Compare(row.Odds.To, row.Odds.For) == 0:
			return
		case odds.Known() && !slices.Contains(pay, odds.Odds.String()):
			pay = append(pay, odds.Odds.String())
		default: // another line has these odds, or this one loses
		}
	}
	if len(pay) == 0 {
		return
	}
	q.expected = append(q.expected, fmt.Sprintf("%v %s", row.Spot, strings.Join(pay, " or ")))
	q.suspected = append(q.suspected, fmt.Sprintf("%v posted %v", row.Spot, row.Odds))
	clauses, _ := q.p.inscribed(row.Spot)
	q.other = union(q.other, clauses)
}

// lessCommission reports whether odds are what is left of 1 to 1 after the commission that a table elected: 19 to 20 at
// five percent, which says the same.
func (p *Pass) lessCommission(c *law.Config, o baccarat.Odds) bool {
	takes := p.Law.TakesEver(c)
	_, known := p.Law.Vigorish(c.Percent)
	return takes.Won && takes.Elected && known && o.Compare(100-c.Percent, 100) == 0
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// rowsOf are the lines posted for a wager; its posted odds, if it has any, are a line without a name.
func (p *Pass) rowsOf(w *record.Wager) []law.PostedRow {
	odds, name := p.Config.Posted[w.Spot], ""
	if w.Spot == baccarat.SpotOther {
		odds, name = p.Config.PostedNames[w.SpotName], w.SpotName
	}
	var rows []law.PostedRow
	if odds.Known() {
		rows = append(rows, law.PostedRow{Spot: w.Spot, Name: name, Odds: odds})
	}
	for _, row := range p.Config.Rows {
		if row.Spot == w.Spot && row.Name == name {
			rows = append(rows, row)
		}
	}
	return rows
}

// byRowAlone is, for a wager whose hands and odds are not in the texts, the rule whose clause demands that its odds are
// inscribed, or that names it; empty for any other wager.
func byRowAlone(s baccarat.Spot) string {
	switch s {
	case baccarat.SpotTotalCards:
		return "layout.nj.total-card-odds"
	case baccarat.SpotBonus:
		return "layout.nj.bonus-odds"
	case baccarat.SpotRoyal:
		return "external.nj.royal-bonus-odds"
	}
	return ""
}

// checkPostedRow judges the payment of a wager whose odds are not in the texts by the lines that are posted: a payment
// that matches none is wrong, or the inscription is. A line of total card wagers is named after its number of cards.
func (p *Pass) checkPostedRow(w *record.Wager, clause string) {
	rows := p.rowsOf(w)
	if len(rows) == 0 || w.Disposition() != baccarat.Pay || !p.read(w) {
		return
	}
	var posted, matching []string
	for _, row := range rows {
		posted = append(posted, strings.TrimSpace(row.Line+" "+row.Odds.String()))
		if row.Odds.Pays(w.Net().Paid, w.Amount) {
			matching = append(matching, row.Line)
		}
	}
	cited, _ := p.Law.Cited(clause)
	f := Finding{
		Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Net().Paid, Evidence: evidence(w, p.Round),
		Expected: fmt.Sprintf("%s %s paid as posted: %s", p.spot(w), p.money(w.Amount), strings.Join(posted, ", ")),
		Observed: p.settled(w), Cites: cited.Citations, Basis: BasisOf(cited),
	}
	cards := strconv.Itoa(p.coup().Cards())
	switch {
	case len(matching) == 0 && w.Spot != baccarat.SpotRoyal:
		p.Report(f)
	case len(matching) == 0:
		p.Suspect(f)
	case w.Spot == baccarat.SpotTotalCards && p.coup().Complete && !slices.Contains(matching, cards) &&
		!slices.ContainsFunc(matching, func(line string) bool { _, err := strconv.Atoi(line); return err != nil }):
		f.Observed += ", the odds of " + strings.Join(matching, ", ") + " cards; " + cards + " cards were dealt"
		p.Suspect(f)
	}
}

// aboveBanker suspects a banker wager for whose hand no line is posted, and that was paid more than the odds posted for
// the banker wager: the variation pays such a hand less, not more. 9 NYCRR 5324.21(c)(6).
func (p *Pass) aboveBanker(w *record.Wager) {
	posted := p.Config.Posted[baccarat.SpotBanker]
	switch {
	case w.Net().Paid <= w.Amount:
	case !posted.Known():
		p.CannotJudge(fmt.Sprintf("no odds are posted for %v", w.Spot), w.Placed)
	case posted.Compare(w.Net().Paid, w.Amount) > 0:
		from := len(p.Findings)
		p.reportPayout(w, posted, false)
		p.suspectFrom(from)
	}
}

// checkPosted judges payments by the odds posted. What is expected is never below the floor of the law: where less is
// posted, the posting is the breach.
func checkPosted(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if p.generic(w) != nil {
			continue // judged by its lines, with the posted odds
		}
		if clause := byRowAlone(w.Spot); clause != "" {
			p.checkPostedRow(w, clause)
			continue
		}
		floor, posted := p.Law.Odds[w.Spot], p.Config.Posted[w.Spot]
		reduced := w.Spot == baccarat.SpotBanker && p.reduced().Known()
		if reduced {
			floor, posted = p.reduced(), p.Law.PostedReduced(p.Config, p.reduced())
		}
		if !p.payable(w) || !floor.Floor || below(floor, w.Net().Paid, w.Amount) {
			continue
		}
		if reduced && !posted.Known() {
			p.aboveBanker(w)
			continue
		}
		switch {
		case !posted.Known():
			p.CannotJudge(fmt.Sprintf("no odds are posted for %v", w.Spot), w.Placed)
		case floor.Compare(posted.To, posted.For) < 0, posted.Pays(w.Net().Paid, w.Amount):
		default:
			p.reportPayout(w, posted, false)
		}
	}
}
