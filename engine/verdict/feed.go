package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Fault appends the finding of a fault of the feed that an event shows.
func (t *Table) Fault(ev *schema.Event, f *order.FeedFault, out *[]finding.Finding) {
	if f.Rule == "feed.clock" {
		if t.clockReported {
			return
		}
		t.clockReported = true
	}
	shoeID, round := ev.ShoeID, ev.Round
	if f.Rule == "feed.gap" {
		shoeID, round = "", 0 // a gap belongs to no shoe: what was in it is not known
	}
	severity, verdict := weight(f.Rule)
	about := finding.Identity{ShoeID: shoeID, Round: round, Rule: f.Rule, Subject: t.numbered(f.Subject)}
	made := t.begin(about, finding.DataFault, verdict, severity)
	made.PitID, made.DealerID, made.Expected, made.Observed = ev.PitID, t.Play.Dealer, f.Expected, f.Observed
	made.Citations = []string{finding.FeedClause}
	if f.Rule == "feed.conflict" {
		made.DealerID = "" // what the table is at when the other event comes is not what the event is of
	}
	t.inForce(&made)
	made.Evidence.Seqs = f.Seqs
	if f.EventIDs != nil {
		made.Evidence.EventIDs = f.EventIDs
	}
	t.date(&made, ev.At)
	t.add(made, out)
}

// numbered is a subject of a finding about the feed. After a restart of the numbers it has the time of the restart: the
// numbers are of other events than before, and so are the findings.
func (t *Table) numbered(s finding.Subject) string {
	at := t.Restarted()
	if at == 0 {
		return s.String()
	}
	return s.String() + "@" + time.Unix(0, at).UTC().Format(time.RFC3339Nano)
}

// weight is the severity of each fault of the feed, and what it claims.
func weight(rule string) (severity finding.Severity, verdict finding.Verdict) {
	switch rule {
	case "feed.conflict", "feed.reset":
		return finding.Major, finding.Suspect
	case "feed.gap", "feed.limit":
		return finding.Major, finding.Unauditable
	case "feed.shoe-reused":
		return finding.Minor, finding.Suspect
	case "feed.late", "feed.round-started", "feed.round-ended", "feed.shoe-loaded", "feed.shoe-ended",
		"feed.dealer-assigned", "feed.card-dealt", "feed.wager-unknown", "feed.inconsistent":
		return finding.Minor, finding.Unauditable
	case "feed.stream-ended":
		return finding.Info, finding.Unauditable
	}
	return finding.Minor, finding.Information
}

// feedStage reports what the play shows about the feed.
func (t *Table) feedStage(m *moment) {
	ev := m.ev
	switch m.Kind {
	case play.ShoeReused:
		t.Fault(ev, &order.FeedFault{
			Rule: "feed.shoe-reused", Subject: finding.OfRange(ev.Seq, ev.Seq),
			Expected: "a shoe id that the table has not used", Observed: ev.ShoeID + " again",
			Seqs: []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
		}, m.out)
	case play.RoundRepeated:
		t.Fault(ev, &order.FeedFault{
			Rule: "feed.conflict", Subject: finding.OfRange(ev.Seq, ev.Seq),
			Expected: "rounds numbered 1, 2 and so on within the shoe",
			Observed: fmt.Sprintf("round %d begins again", ev.Round),
			Seqs:     []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
		}, m.out)
	case play.SettledLate, play.ResumedLate, play.Misplaced:
		t.outOfPlace(m)
	case play.Disputed:
		t.Fault(ev, &order.FeedFault{
			Rule: "feed.conflict", Subject: finding.OfRange(ev.Seq, ev.Seq),
			Expected: "one content of each card, wager and shoe", Observed: disputed(ev),
			Seqs: []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
		}, m.out)
	case play.Inconsistent:
		t.Fault(ev, &order.FeedFault{
			Rule: "feed.inconsistent", Subject: finding.OfRange(ev.Seq, ev.Seq), Expected: m.Expected, Observed: m.Observed,
			Seqs: []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
		}, m.out)
	case play.Crowded:
		if m.Shoe == nil && !t.changed("feed.limit", m.Observed) {
			return
		}
		t.Fault(ev, &order.FeedFault{
			Rule: "feed.limit", Subject: finding.OfRange(ev.Seq, ev.Seq), Expected: m.Expected, Observed: m.Observed,
			Seqs: []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
		}, m.out)
	case play.ShoeJoined:
		t.notice(m, feedNotice{
			rule: "feed.gap", subject: finding.OfRange(min(1, ev.Seq-1), ev.Seq-1), // 0-0 before event 1
			expected: "the record of the shoe from its first event",
			observed: "joined at event " + strconv.FormatUint(ev.Seq, 10),
		})
	default: // Configured
		t.configured(m)
	}
}

// outOfPlace reports an event that comes too late or too early for its round or its shoe.
func (t *Table) outOfPlace(m *moment) {
	ev := m.ev
	what := fmt.Sprintf("%v of round %d of shoe %s", ev.Payload.Kind(), ev.Round, ev.ShoeID)
	f := &order.FeedFault{
		Rule: "feed.late", Subject: finding.OfRange(ev.Seq, ev.Seq),
		Observed: what + " after it: kept, but not judged", Seqs: []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
	}
	switch m.Kind {
	case play.SettledLate:
		f.Expected = "the settlement of a round before the next round's first card"
	case play.ResumedLate:
		f.Expected = "the rounds of a shoe before the first card of the next shoe"
		if t.Play.Shoe == nil {
			f.Expected = "the rounds of a shoe before the closing of the table"
		}
	default: // Misplaced
		f.Rule = "feed.conflict"
		f.Expected = cmp.Or(m.Expected, "events of a round that has begun, in the shoe in play")
		f.Observed = cmp.Or(m.Observed, what)
	}
	t.Fault(ev, f, m.out)
}

// disputed names what an event gives another content than an earlier event did.
func disputed(ev *schema.Event) string {
	what := "shoe " + ev.ShoeID
	switch p := ev.Payload.(type) {
	case *schema.CardDealt:
		what = "card " + strconv.FormatUint(uint64(p.CardSeq), 10)
	case *schema.WagerPlaced:
		what = "wager " + p.WagerID
	case *schema.BankerWagered:
		what = "wager " + p.WagerID
	default: // about the shoe
	}
	return what + " published again with other content"
}

// configured reports a configuration that the auditor does not know, and options of the table that have no effect: the
// house does not set its own audit.
func (t *Table) configured(m *moment) {
	c := m.Config.Config
	var refused []string
	for _, key := range slices.Sorted(maps.Keys(c.Options)) {
		if t.Play.Law != nil && !t.Play.Law.Elects(key, c.Options[key]) {
			refused = append(refused, key+"="+c.Options[key])
		}
	}
	seq := uint64(m.Config.Seq)
	subject := finding.OfRange(seq, seq)
	if at, effective := m.Config.At, m.Config.Effective; effective != 0 && at-effective > backdated {
		t.notice(m, feedNotice{
			rule: "feed.effective", subject: subject, seq: seq, verdict: finding.Information,
			expected: "a configuration recorded before it takes effect",
			observed: fmt.Sprintf("effective at %v, recorded at %v: it governs from its record on",
				schema.Time(effective), schema.Time(at)),
		})
	}
	if len(refused) > 0 {
		t.notice(m, feedNotice{
			rule: "feed.option", subject: subject, seq: seq, verdict: finding.Information,
			expected: "options that the rulebook leaves to the house",
			observed: "without effect: " + strings.Join(refused, ", "),
		})
	}
	if missing := lacking(c, t.Play.Law); len(missing) > 0 {
		t.notice(m, feedNotice{
			rule: "feed.config", subject: subject, seq: seq,
			expected: "a configuration with all that the audit reads",
			observed: "left out, or not a word of the contract: " + strings.Join(missing, ", "),
		})
	}
	if s := t.Play.Shoe; s != nil && s.Out > 0 && s.Law != nil && s.Law.Book.Name != c.Ruleset && t.Play.Law != nil {
		t.notice(m, feedNotice{
			rule: "feed.config", subject: subject, seq: seq, expected: "one rulebook for a shoe",
			observed: fmt.Sprintf("%s within shoe %s of %s, by which its rounds are judged; their side bets cannot be judged",
				c.Ruleset, s.ID, s.Law.Book.Name),
		})
	}
	if t.Play.Law == nil {
		t.notice(m, feedNotice{
			rule: "feed.gap", subject: subject, seq: seq,
			expected: "a ruleset that the auditor has", observed: "ruleset " + c.Ruleset + " for " + c.Game.String(),
		})
	}
}

// lacking lists the fields of a configuration that it leaves out, or gives a word that neither the contract nor the
// rulebook knows, where a rule reads them. Whatever it concerns cannot be judged.
func lacking(c *schema.TableConfig, l *law.Law) (fields []string) {
	add := func(name string, missing bool) {
		if missing && !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	add("currency", len(c.Currency) != 3 || strings.ToUpper(c.Currency) != c.Currency)
	add("decks", c.Decks == 0)
	add("seats", len(c.Seats) == 0)
	if l == nil {
		return fields
	}
	kind := law.Kind{Mode: baccarat.VigorishMode(c.Vigorish.Mode), Name: c.Vigorish.ModeName}
	takes := l.TakesEver(&law.Config{Mode: kind.Mode, ModeName: kind.Name})
	commission := takes.Won
	add("vigorish.mode", len(l.Kinds()) > 0 && (kind.Mode == baccarat.NoVigorishMode ||
		kind.Mode > baccarat.VigorishOther || kind.Named() && !l.Allows(kind)))
	add("vigorish.percent", takes.Elected && c.Vigorish.Percent == 0)
	_, procedures := l.Cited("order.procedure-elected")
	add("payment_procedure", commission && procedures && (c.PaymentProcedure == 0 || c.PaymentProcedure > 4))
	_, styles := l.Cited("deal.style-consistent")
	add("dealing_style", styles && c.DealingStyle != schema.DealingStyleFaceUp &&
		c.DealingStyle != schema.DealingStyleFaceDown)
	for _, s := range c.SideBets {
		side := baccarat.SideBet(s)
		add("side_bets", side == baccarat.NoSideBet || side > baccarat.SideRoyal)
		add(
			"pay_tables.dragon_bonus",
			side == baccarat.SideDragonBonus && !slices.Contains(l.Tables("dragon_bonus"), c.PayTables["dragon_bonus"]),
		)
		add(
			"pay_tables.treasures",
			side == baccarat.SideTreasures && !slices.Contains(l.Tables("treasures"), c.PayTables["treasures"]),
		)
	}
	for _, word := range c.FurtherSideBets {
		add("further_side_bets."+word, !slices.Contains(l.Further, word))
	}
	for _, w := range l.Wagers {
		own := w.Spot == baccarat.SpotOther && slices.Contains(c.FurtherSideBets, w.SideBet)
		add("pay_tables."+w.PayTable, own && w.PayTable != "" &&
			!slices.Contains(l.Tables(w.PayTable), c.PayTables[w.PayTable]))
	}
	named := func(word string) bool {
		return baccarat.ParseSpot(word) != baccarat.NoSpot || l.Wager(baccarat.SpotOther, word) != nil
	}
	for s := range baccarat.Spots {
		side := s.SideBet()
		offered := side == baccarat.NoSideBet || slices.Contains(c.SideBets, schema.SideBet(side))
		add("posted_odds."+s.String(), l.Odds[s].Floor && offered && c.PostedOdds[s.String()] == "")
	}
	for _, key := range slices.Sorted(maps.Keys(c.PostedOdds)) {
		add("posted_odds."+key, !named(key))
	}
	for _, key := range slices.Sorted(maps.Keys(c.PostedRows)) {
		spot, _, _ := strings.Cut(key, "/")
		add("posted_rows."+key, !named(spot))
	}
	return fields
}

// backdated is the tolerated difference between the time of effect of a configuration and its later record. The clocks
// of a pit differ by less.
const backdated = int64(5 * time.Second)

// checkDates reports, once, that a table is configured with a rulebook that is not in force. Its findings are SUSPECT.
func (t *Table) checkDates(m *moment) {
	book := t.pass.Law.Book
	if t.notInForce == book.Name || t.datedInForce(m) {
		return
	}
	t.notInForce = book.Name
	dates := "from " + book.From
	if book.From == "" {
		dates = "until " + book.To
	} else if book.To != "" {
		dates += " until " + book.To
	}
	t.notice(m, feedNotice{
		rule: "feed.not-in-force", verdict: finding.Information, basis: finding.NotInForce,
		expected: "a rulebook in force at the time of play",
		observed: fmt.Sprintf(
			"play on %s under %s, which is in force %s", t.Clock.Date(m.playedAt()), book.Name, dates,
		),
	})
}

// feedNotice is something that cannot be known. It accuses no one.
type feedNotice struct {
	rule               string
	subject            finding.Subject
	seq                uint64          // the event that proves it; the present one if 0
	verdict            finding.Verdict // UNAUDITABLE if empty
	basis              finding.Basis
	expected, observed string
}

func (t *Table) notice(m *moment, n feedNotice) {
	ev := m.ev
	if n.verdict == "" {
		n.verdict = finding.Unauditable
	}
	about := finding.Identity{ShoeID: ev.ShoeID, Rule: n.rule, Subject: t.numbered(n.subject)}
	made := t.begin(about, finding.Notice, n.verdict, finding.Info)
	made.Basis, made.Citations = n.basis, []string{finding.FeedClause}
	made.PitID, made.DealerID, made.Expected, made.Observed = ev.PitID, t.Play.Dealer, n.expected, n.observed
	t.inForce(&made)
	t.prove(&made, []record.Seq{record.Seq(cmp.Or(n.seq, ev.Seq))}, ev.At)
	t.add(made, m.out)
}
