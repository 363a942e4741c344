package rules

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Vigorish of a round is judged when the round is settled; what was deferred, when the shoe closes.
var vigFamily = []*Rule{
	{
		Name: "vig.percent-allowed", Doc: "A commission is four or five percent.",
		Breach:   "Six percent commission.",
		Severity: finding.Critical, At: Changed, Check: checkPercent,
		Covers: []string{"vig.amount.over", "vig.rounding.invalid"},
	},
	{
		Name: "vig.amount.under", Doc: "A vigorish is not less than the exact percentage of what was won.",
		Breach:   "Commission waived or rounded down.",
		Severity: finding.Major, At: Settled, Check: vigAmount(baccarat.VigUnder), Compares: ofVigorish,
		Covers: []string{"vig.not-charged", "vig.mark.required"},
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name: "vig.amount.over", Doc: "A vigorish is not more than the next rounding multiple.",
		Breach:   "One unit too much.",
		Severity: finding.Critical, At: Settled, Check: checkVigOver, Compares: ofVigorish,
		Covers: []string{"vig.not-charged", "vig.mark.required"},
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name:     "vig.rounding.invalid",
		Doc:      "A vigorish is the exact value or the next rounding multiple, nothing between.",
		Breach:   "Rounded to a unit the rule does not allow.",
		Severity: finding.Major, At: Settled, Check: vigAmount(baccarat.VigBetween), Compares: ofVigorish,
		Covers: []string{"vig.not-charged", "vig.mark.required"},
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name: "vig.collection-sum", Doc: "Outstanding vigorish is collected as marked, or rounded up as one sum.",
		Breach:   "Less collected than marked.",
		Severity: finding.Critical, At: Closed, Check: checkCollectionSum, Compares: ofVigorish,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
		// The last is ours: what a short collection leaves open is the same debt.
		Covers: []string{
			"vig.outstanding-at-reshuffle", "vig.marker-removed-uncollected", "vig.play-resumed-outstanding",
		},
	},
	{
		Name: "vig.only-on-banker-win", Doc: "A commission is taken only on banker wagers that win.",
		// Under a kind of vigorish of the rulebook: only where one of its lines takes it.
		Breach:   "Commission on a player win.",
		Severity: finding.Critical, At: Settled, Check: checkOnlyBankerWin,
		Covers: []string{"vig.not-charged", "vig.tie25.all-players"},
		Needs:  baccarat.FeedWagers | baccarat.FeedVigorish,
	},
	{
		Name: "vig.not-charged", Doc: "Every winning banker wager is charged or marked.",
		Breach:   "Commission skipped for a favoured player.",
		Severity: finding.Major, At: Closed, Check: checkNotCharged, Compares: ofVigorish,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name: "vig.uniform-table", Doc: "All patrons of a table are charged the same percentage.",
		Breach:   "One seat pays four percent at a five percent table.",
		Severity: finding.Major, At: Settled, Check: checkUniformTable, Covers: []string{"vig.amount.under"},
		Compares: ofVigorish,
		Needs:    baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name:     "vig.notice.increase",
		Doc:      "A higher percentage is announced before it takes effect; in New York also to the commission.",
		Breach:   "Four to five percent overnight without notice.",
		Severity: finding.Major, At: Changed, Check: checkIncreaseNotice,
	},
	{
		Name:     "vig.notice.type-change",
		Doc:      "Another kind of vigorish is announced before it takes effect; in New York also to the commission.",
		Breach:   "Commission replaced by the tie charge without notice.",
		Severity: finding.Major, At: Changed, Check: checkTypeNotice,
	},
	{
		Name:     "vig.mark.required",
		Doc:      "Vigorish not collected with the payment is marked by a coin or marker before the next first card.",
		Breach:   "Debt kept in the dealer head.",
		Severity: finding.Major, At: Closed, Check: checkMarkRequired, Compares: ofVigorish,
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
		Covers: []string{"vig.not-charged"},
	},
	{
		Name: "vig.mark.area", Doc: "A marker lies in the rectangle of the seat that owes.",
		Breach:   "Marker put on the neighbour.",
		Severity: finding.Minor, At: Settled, Check: checkMarkArea,
		Needs: baccarat.FeedMarkers | baccarat.FeedVigorish,
	},
	{
		Name:     "vig.outstanding-at-reshuffle",
		Doc:      "All outstanding vigorish is collected before the cards are reshuffled.",
		Breach:   "Cards shuffled with commission still owed.",
		Severity: finding.Major, At: Closed, Check: checkOutstanding, Compares: ofVigorish,
		Reads: baccarat.FeedPreparation,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name:     "vig.owed-after-close",
		Doc:      "Vigorish that is outstanding when a table closes is extracted before it opens again.",
		Breach:   "A table opens with yesterday's commission owed.",
		Severity: finding.Major, At: Changed, Check: checkOwedAfterClose, Compares: ofVigorish,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name: "vig.marker-removed-uncollected", Doc: "A coin or lammer stays until its vigorish is collected.",
		Breach:   "Marker taken off first.",
		Severity: finding.Major, At: Closed, Check: checkMarkerRemoved, Compares: ofVigorish,
		Needs: baccarat.FeedMarkers | baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name:     "vig.play-resumed-outstanding",
		Doc:      "Play does not resume after a reshuffle while vigorish is outstanding.",
		Breach:   "New shoe dealt against an open debt.",
		Severity: finding.Major, At: Closed, Check: checkPlayResumed, Covers: []string{"vig.outstanding-at-reshuffle"},
		Compares: ofVigorish,
		Needs:    baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name: "vig.tie25.exclusive", Doc: "Where the tie charge is elected no percentage commission is taken.",
		Breach:   "Both charges at one table.",
		Severity: finding.Critical, At: Settled, Check: checkTieExclusive, Covers: []string{"vig.only-on-banker-win"},
		Needs: baccarat.FeedVigorish,
	},
	{
		Name: "vig.tie25.amount", Doc: "The tie charge is 25 percent of the banker wager.",
		Breach:   "Charge of 20 or 5 percent.",
		Severity: finding.Critical, At: Settled, Check: checkTieAmount, Compares: ofVigorish,
		Covers: []string{"vig.tie25.all-players"},
		Needs:  baccarat.FeedWagers | baccarat.FeedVigorish,
	},
	{
		Name: "vig.tie25.timing", Doc: "The tie charge is collected before the next round is dealt and never deferred.",
		Breach:   "Tie charge deferred.",
		Severity: finding.Major, At: Closed, Check: checkTieTiming,
		Needs: baccarat.FeedWagers | baccarat.FeedVigorish,
	},
	{
		Name: "vig.tie25.all-players", Doc: "On a tie every banker wager is charged.",
		Breach:   "One player spared.",
		Severity: finding.Major, At: Closed, Check: checkTieAll,
		Needs:  baccarat.FeedWagers | baccarat.FeedVigorish,
		Covers: []string{"vig.not-charged", "vig.tie25.timing"},
	},
	{
		Name: "vig.tie25.not-authorised", Doc: "The tie charge is elected only where the rulebook allows it.",
		Breach:   "Tie charge at a punto banco table.",
		Severity: finding.Critical, At: Changed, Check: checkTieAuthorised,
		Covers: []string{"vig.only-on-banker-win", "vig.not-charged"},
	},
	{
		Name: "vig.ez.none", Doc: "At an EZ table no vigorish is taken.",
		Breach:   "Commission on a banker win.",
		Severity: finding.Critical, At: Settled, Check: checkNoVigorish(baccarat.EZ),
		Needs:  baccarat.FeedVigorish,
		Covers: []string{"vig.only-on-banker-win"},
	},
	{
		Name: "vig.ez.dragon-7-charge", Doc: "An EZ dragon 7 is a pure push; nothing is charged.",
		Breach:   "Banker wagers charged on a dragon 7.",
		Severity: finding.Major, At: Settled, Check: checkDragonCharge, Covers: []string{"vig.ez.none"},
		Needs: baccarat.FeedWagers | baccarat.FeedVigorish,
	},
	{
		Name: "vig.novig6.none", Doc: "In the no-vigorish variation no vigorish is taken.",
		Breach:   "Commission on top of the reduced six.",
		Severity: finding.Critical, At: Settled, Check: checkNoVigorish(baccarat.NoVig6),
		Needs:  baccarat.FeedVigorish,
		Covers: []string{"vig.only-on-banker-win"},
	},
	{
		Name:     "vig.mode-mutually-exclusive",
		Doc:      "A table has one kind of vigorish at a time, changed only between rounds.",
		Breach:   "Mode switched within a round.",
		Severity: finding.Major, At: Settled, Check: checkOneMode,
	},
	{
		Name:     "vig.elected-charge",
		Doc:      "A winning banker wager is charged in one of the ways that the rulebook knows.",
		Breach:   "No commission at a table that declares NONE.",
		Severity: finding.Major, At: Settled, Check: checkElectedCharge, Compares: ofVigorish,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name:     "vig.lammer-storage",
		Doc:      "At an EZ table, lammers that mark vigorish are kept in the chip rack or a rack of their own.",
		Breach:   "Loose lammers.",
		Severity: finding.Info, At: Settled, Check: checkLammers,
		Needs: baccarat.FeedAttestation | baccarat.FeedVigorish, Standing: true,
	},
}

// checkLammers applies where lammers mark vigorish and EZ baccarat is offered. 9 NYCRR 5324.21(a)(2)(vii)(d).
func checkLammers(p *Pass) {
	used := func(s *record.Step) bool { return s.Kind == record.StepVigMarked && s.Marker == baccarat.Lammer }
	if p.Config.Mode == baccarat.EZ && record.Any(p.Round.Steps, used) {
		p.attested("lammer-storage", nil)
	}
}

func checkPercent(p *Pass) {
	p.inUse(func(c, since *law.Config, at record.Seq) {
		if since != nil && since.Mode == c.Mode && since.ModeName == c.ModeName && since.Percent == c.Percent &&
			c.Percent != 0 {
			return
		}
		takes := p.Law.TakesEver(c)
		_, ok := p.Law.Rate(c.ModeName, c.Percent)
		switch {
		case !takes.Won || ok:
		case c.Percent == 0:
			p.CannotJudge("the percentage of the table was not reported", at)
		default:
			expected := fmt.Sprintf("one of %v percent", slices.Sorted(maps.Keys(p.Law.Units)))
			if !takes.Elected {
				expected = fmt.Sprintf("%d percent under %v", takes.Vig.Percent, c.Kind())
			}
			p.Report(Finding{
				Expected: expected,
				Observed: fmt.Sprintf("%d percent", c.Percent), Evidence: []record.Seq{at},
			})
		}
	})
}

// configEvidence is the event that brought the configuration by which is judged.
func (p *Pass) configEvidence() []record.Seq {
	if p.Round != nil {
		return []record.Seq{p.Round.ConfigAt}
	}
	return []record.Seq{p.Shoe.ConfigAt}
}

// summable reports whether the vigorish of the shoe is in one currency, so that what is owed and collected is added.
func (p *Pass) summable() bool {
	if p.Shoe.Currencies {
		p.CannotJudge("the currency of the table changed within the shoe", p.Shoe.First)
	}
	return !p.Shoe.Currencies
}

func checkCollectionSum(p *Pass) {
	if len(p.Shoe.Collections) > 0 && !p.summable() {
		return
	}
	var over []finding.Subject
	for i := range p.Shoe.Collections {
		c := &p.Shoe.Collections[i]
		if p.unreadAt(c) {
			continue
		}
		rest := c.Rest
		v, ok := p.rateFor(c)
		if p.nothingOwed(c, rest) {
			continue
		}
		if !ok || c.Percent == 0 && !p.Law.Allows(p.Config.Kind()) {
			continue // of a kind of vigorish that the text does not know
		}
		rounded := v.RoundUp(c.Open)
		if p.option("vig_rounding_stage") == "per_wager" {
			rounded = c.Open
		}
		if c.Ties > 0 {
			p.judgeLateTie(c, rounded)
			continue
		}
		low, high := p.owedFor(v, c, rest)
		if c.Amount > max(c.Open, high) && c.Amount <= max(c.Open, high)+c.Undue {
			continue // nothing was owed for these marks: the rule about that reports them
		}
		byRate := p.roundedByRate(v, c)
		marked := (c.Amount == c.Open || c.Amount == rounded || c.Amount == byRate ||
			c.Amount == p.restOfRounded(v, i)) && (len(c.Unmarked) == 0 || !c.Named)
		apart := p.roundedApart(v, c)
		if marked || high > 0 && c.Amount >= low && c.Amount <= high ||
			c.Amount < c.Open && !apart && !p.markersGone(c) {
			p.paidElsewhere(c)
			continue
		}
		if byRate != c.Open {
			rounded = byRate
		}
		owed, expected := p.sumOwed(c, rounded, min(low+rest, high), high)
		f := Finding{
			Subject: finding.OfSeat(c.Seat), Parts: ofWagers(collected(p.Shoe, c)), Seat: c.Seat,
			Amount: abs(owed - c.Amount), Evidence: append(p.Shoe.Marks(c.Seat), c.Seq),
			Expected: expected, Observed: p.money(c.Amount),
		}
		p.suspectIf(apart, f)
		if c.Amount > owed {
			over = append(over, f.Subject)
		}
	}
	for _, seat := range over {
		p.owedElsewhere(seat)
	}
}

// unreadAt cannot judge a collection whose amount was not read, or a wager or a mark of its seat.
func (p *Pass) unreadAt(c *record.Collection) bool {
	switch {
	case c.Amount == 0 && (p.Shoe.Joined || p.Shoe.Missing):
		p.CannotJudge(p.unread(c.Seat), c.Seq)
	case c.Amount == 0:
		p.CannotJudge("the amount collected was not reported", c.Seq)
	case slices.Contains(p.Shoe.Unexplained, c.Seat):
		p.CannotJudge(fmt.Sprintf("a wager or an amount of a mark at seat %d was not reported", c.Seat), c.Seq)
	default:
		return false
	}
	return true
}

// owedElsewhere adds to the finding about an excessive collection the one seat that still owes as much as the excess:
// its vigorish was taken from the wrong seat. A finding about too little collected from that seat is joined to it: the
// two collections were exchanged.
func (p *Pass) owedElsewhere(seat finding.Subject) {
	at := record.Index(p.Findings, func(f *Finding) bool { return f.Rule == p.rule && f.Subject == seat })
	if at < 0 || p.Findings[at].Verdict == finding.Unauditable {
		return
	}
	f := &p.Findings[at]
	owed := p.Shoe.OwedAtShuffle
	if p.Shoe.NextShuffled == 0 {
		owed = p.Shoe.Owed(nil)
	}
	var other uint32
	for _, o := range owed {
		switch {
		case o.Seat == f.Seat || o.Amount != f.Amount:
		case other != 0:
			return // it is not known which of them
		default:
			other = o.Seat
		}
	}
	if other == 0 {
		return
	}
	f.Parts = append(f.Parts, finding.OfSeat(other))
	under := record.Index(p.Findings, func(g *Finding) bool {
		return g.Rule == p.rule && g.Subject == finding.OfSeat(other) && g.Verdict == f.Verdict && g.Amount == f.Amount
	})
	if under < 0 {
		f.Observed += fmt.Sprintf(": the excess is what seat %d still owes", other)
		p.unlessOnePatron(f, other)
		return
	}
	g := p.Findings[under]
	f.Expected = fmt.Sprintf("%s at seat %d; %s at seat %d", f.Expected, f.Seat, g.Expected, other)
	f.Observed = fmt.Sprintf("%s at seat %d, %s at seat %d", f.Observed, f.Seat, g.Observed, other)
	f.Evidence, f.Parts = append(f.Evidence, g.Evidence...), append(f.Parts, g.Parts...)
	p.unlessOnePatron(f, other)
	p.Findings = slices.Delete(p.Findings, under, under+1)
}

// unlessOnePatron makes a finding about vigorish that was taken from the wrong seat UNAUDITABLE if one patron may owe
// what both seats owe.
func (p *Pass) unlessOnePatron(f *Finding, other uint32) {
	if maybe, _ := p.onePatron(f.Seat, other); maybe {
		f.Verdict = finding.Unauditable
		f.Observed = fmt.Sprintf("seats %d and %d may be of one patron; found: %s", f.Seat, other, f.Observed)
	}
}

// paidElsewhere suspects a collection at another seat than that of the wagers which it names: the patron has moved, or
// one of the two seats is a device's error.
func (p *Pass) paidElsewhere(c *record.Collection) {
	owing := p.Shoe.PaidFor(c)
	if owing == c.Seat {
		other := p.takenWith(c)
		if _, is := p.onePatron(c.Seat, other); other != 0 && !is {
			p.CannotJudge(fmt.Sprintf("whether seats %d and %d are of one patron is not known", c.Seat, other), c.Seq)
		}
		return
	}
	p.Suspect(Finding{
		Subject: finding.OfSeat(c.Seat), Seat: c.Seat, Amount: c.Amount, Evidence: append(p.Shoe.Marks(owing), c.Seq),
		Expected: fmt.Sprintf("vigorish of seat %d at seat %d", owing, owing),
		Observed: fmt.Sprintf("%s at seat %d", p.money(c.Amount), c.Seat),
	})
}

// onePatron reports whether one patron may owe the vigorish of two seats, and whether one patron is known to owe it. A
// seat that owes none counts as that of another patron.
func (p *Pass) onePatron(a, b uint32) (maybe, is bool) {
	for i := range p.Shoe.Dues {
		for j := range p.Shoe.Dues {
			if d, o := &p.Shoe.Dues[i], &p.Shoe.Dues[j]; d.Seat == a && o.Seat == b {
				maybe = maybe || d.Patron == "" || o.Patron == "" || d.Patron == o.Patron
				is = is || d.Patron != "" && d.Patron == o.Patron
			}
		}
	}
	return maybe, is
}

// takenWith is another seat whose vigorish a collection took as well, 0 if there is none. It is 0 also if one of the
// two seats is vacant: the patron may have moved. Vigorish is extracted "from the winning player".
// N.J.A.C. 19:47-3.3(c), 7.3(c); 9 NYCRR 5324.21(c)(3).
func (p *Pass) takenWith(c *record.Collection) uint32 {
	seats := p.Table.Occupied
	if !c.Named || len(seats) > 0 && !slices.Contains(seats, c.Seat) {
		return 0
	}
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; d.CollectedAt == c.Seq && !d.AtOnce && d.Collected > 0 && d.Seat != c.Seat &&
			(len(seats) == 0 || slices.Contains(seats, d.Seat)) {
			return d.Seat
		}
	}
	return 0
}

// roundedApart reports whether a collection is a sum of vigorish of which each was rounded by itself when it was
// collected, or not at all: "when collecting the vigorish, the casino licensee may round off the amount". Whether the
// amount is that of a wager or of the collection, and whether a rounded coin binds the casino, is not in the sentence.
// N.J.A.C. 19:47-3.3(c), 7.3(c).
func (p *Pass) roundedApart(v baccarat.Vig, c *record.Collection) bool {
	if c.Amount == c.Open || p.option("vig_rounding_stage") != "either" {
		return false
	}
	won, marked, total := make([]int64, 0, len(c.Whole)), int64(0), int64(0)
	for _, m := range c.Whole {
		won, marked, total = append(won, m.Won), marked+m.Marked, baccarat.Add(total, m.Won)
	}
	if marked != c.Open || c.Amount < c.Open && (len(c.Unmarked) > 0 || !p.leftOpen(c)) {
		return false
	}
	if !mixedRates(c) {
		return v.Judge(c.Amount, won...) == baccarat.VigLegal || v.Judge(c.Amount, total) == baccarat.VigLegal
	}
	var each, exact int64
	for _, m := range c.Whole {
		of := p.rateOf(c, m.Percent, v)
		each, exact = baccarat.Add(each, of.RoundUp(m.Marked)), baccarat.Add(exact, of.Low(m.Won))
	}
	return c.Amount == each || c.Amount == exact
}

// rateFor is the rate of a collection: of its wagers, or the table's if none of them is known.
func (p *Pass) rateFor(c *record.Collection) (baccarat.Vig, bool) {
	if c.Percent == 0 {
		return p.Law.Rate(p.Config.ModeName, p.Config.Percent)
	}
	return p.Law.Rate(c.Kind, c.Percent)
}

// roundingLeft reports whether a seat was collected from without the rounding of its marks: what is left of them may be
// no debt.
func (p *Pass) roundingLeft(seat uint32) bool {
	return record.Any(p.Shoe.Collections, func(c *record.Collection) bool {
		v, ok := p.rateFor(c)
		return ok && c.Seat == seat && c.Amount < c.Open && p.roundedApart(v, c)
	})
}

// leftOpen reports whether what a collection left of its marks was never collected.
func (p *Pass) leftOpen(c *record.Collection) bool {
	var open int64
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; d.Seat == c.Seat && d.CollectedAt == c.Seq {
			open += d.Open()
		}
	}
	return open == c.Open-c.Amount
}

// nothingOwed reports a collection of outstanding vigorish from a seat that owes nothing, at a table whose kind of
// vigorish takes no commission: EZ, no vigorish, or the charge on ties alone. Vigorish of an earlier shoe may be owed
// where the table charged otherwise before.
func (p *Pass) nothingOwed(c *record.Collection, rest int64) bool {
	kind := p.Config.Kind()
	if c.Percent != 0 || c.Open+c.Ties+c.Undue != 0 || !p.Law.Allows(kind) || p.Law.TakesEver(p.Config).Won {
		return false
	}
	f := Finding{
		Subject: finding.OfSeat(c.Seat), Seat: c.Seat, Amount: c.Amount, Evidence: []record.Seq{c.Seq},
		Expected: fmt.Sprintf("nothing owed by seat %d under %v", c.Seat, kind), Observed: p.money(c.Amount) + " taken",
	}
	if rest > 0 {
		if c.Amount <= rest {
			return true // the charge that was short is reported
		}
		f.Amount, f.Expected = c.Amount-rest, fmt.Sprintf("at most %s owed by seat %d", p.money(rest), c.Seat)
	}
	switch kind.Mode {
	case baccarat.EZ:
		f.Cites = p.cited(true, "vig.ez.none")
	case baccarat.NoVig6:
		f.Cites = p.cited(true, "vig.novig6.none")
	default: // the clause on what is outstanding
	}
	p.suspectIf(record.Any(p.Table.Changes, func(before *record.ConfigChange) bool {
		return before.Used && p.Law.TakesEver(before.Config).Won
	}), f)
	return true
}

// judgeLateTie judges a collection of outstanding vigorish that is also a tie charge, which vig.tie25.timing reports as
// deferred. More than the marks, rounded up, and the charge is owed for nothing.
func (p *Pass) judgeLateTie(c *record.Collection, rounded int64) {
	low, high := law.TieCharge(p.Law.TiePercent(c.Kind), c.Ties)
	most := rounded + high + c.Undue
	switch rest := c.Amount - c.Open; {
	case c.Amount > most && len(c.Unmarked) == 0:
		p.Report(Finding{
			Subject: finding.OfSeat(c.Seat), Parts: ofWagers(collected(p.Shoe, c)), Seat: c.Seat, Amount: c.Amount - most,
			Evidence: append(p.Shoe.Marks(c.Seat), c.Seq),
			Expected: "at most " + p.money(most) + ", with the tie charge", Observed: p.money(c.Amount),
		})
	case rest < low || rest > high+c.Undue:
		p.CannotJudge("what was collected late for a tie charge cannot be told from other vigorish", c.Seq)
	}
}

// sumOwed is the amount of a collection that is owed, in figures and in words: the marks and what they come to rounded,
// or the range of what is owed if wagers without a mark are in it.
func (p *Pass) sumOwed(c *record.Collection, rounded, low, high int64) (owed int64, expected string) {
	owed, expected = c.Open, p.money(c.Open)+" as marked"
	if rounded != c.Open {
		expected += ", or " + p.money(rounded)
	}
	if c.Undue > 0 {
		expected = fmt.Sprintf("%s owed, %s marked", p.money(c.Open), p.money(c.Open+c.Undue))
	}
	if high <= 0 {
		return owed, expected
	}
	ofIt := " of it"
	switch {
	case c.Amount > high, c.Open == 0:
		owed = high
	case c.Amount < low && c.Open > high:
		owed = low
	}
	if c.Open > high {
		ofIt = ""
	}
	due := p.money(high)
	if low < high {
		due = p.money(low) + " to " + due
	}
	return owed, fmt.Sprintf("%s as owed, %s%s marked", due, p.money(c.Open), ofIt)
}

// restOfRounded is what is left of the rounded sum of a seat's marks, of which the collections before took parts.
func (p *Pass) restOfRounded(v baccarat.Vig, at int) int64 {
	c, parts := &p.Shoe.Collections[at], int64(0)
	for i := range p.Shoe.Collections[:at] {
		switch before := &p.Shoe.Collections[i]; {
		case before.Seat != c.Seat:
		case before.Amount < before.Open:
			parts += before.Amount
		default:
			parts = 0
		}
	}
	if p.option("vig_rounding_stage") == "per_wager" {
		return c.Open
	}
	return v.RoundUp(c.Open+parts) - parts
}

// owedFor is what a collection may take if it is also for wagers that were never marked, or marked with too little or
// too much: at least the other marks and the exact percentage, at most both rounded up. It is 0 if each of the wagers
// was marked as it should be, and nothing is the rest of a vigorish that was taken short.
func (p *Pass) owedFor(v baccarat.Vig, c *record.Collection, rest int64) (low, high int64) {
	open, wrong := c.Open, 0
	owe := func(of baccarat.Vig, won int64) {
		low, high, wrong = baccarat.Add(low, of.Low(won)), baccarat.Add(high, of.Up(won)), wrong+1
	}
	for i, won := range c.Unmarked {
		of := v
		if i < len(c.Rates) { // a snapshot may lack it
			of = p.rateOf(c, c.Rates[i], v)
		}
		owe(of, won)
	}
	for _, m := range c.Whole {
		if of := p.rateOf(c, m.Percent, v); of.Judge(m.Marked, m.Won) != baccarat.VigLegal {
			open -= m.Marked
			owe(of, m.Won)
		}
	}
	less, more := p.mispaid(c)
	if wrong == 0 && rest == 0 && less == 0 && more == 0 {
		return 0, 0
	}
	high = baccarat.Add(open, baccarat.Add(high, baccarat.Add(rest, more)))
	return max(baccarat.Add(open, low)-less, 0), max(high, v.RoundUp(high))
}

// mispaid is by how much the vigorish of the wagers of a collection is less, or more, if "the amount won" is what a
// wager won, and not what it was paid by mistake: the payment is the breach. N.J.A.C. 19:47-3.3(c).
func (p *Pass) mispaid(c *record.Collection) (less, more int64) {
	for i := range p.Shoe.Dues {
		d := &p.Shoe.Dues[i]
		v, ok := p.Law.Rate(d.Kind, d.Percent)
		of := d.Seat == c.Seat && (d.CollectedAt == c.Seq || d.CollectedAt == 0 && !c.Named)
		if !of || !ok || d.Kind != "" || d.Tie || d.Unproved || d.Won == d.Stake {
			continue
		}
		less = baccarat.Add(less, max(v.Low(d.Won)-v.Low(d.Stake), 0))
		more = baccarat.Add(more, max(v.Up(d.Stake)-v.Up(d.Won), 0))
	}
	return less, more
}

// rateOf is the vigorish of the round of a wager, which may be of another percentage than that of the latest wager that
// a collection takes.
func (p *Pass) rateOf(c *record.Collection, percent int64, latest baccarat.Vig) baccarat.Vig {
	if of, ok := p.Law.Rate(c.Kind, percent); ok {
		return of
	}
	return latest
}

// overMarked is how much more was marked for a seat than it owes at least: what is too much in a mark is no debt. Of a
// wager that was paid too much it may owe what it won.
func (p *Pass) overMarked(seat uint32) (over int64) {
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; d.Seat == seat && !d.Tie && !d.Unproved && d.PaidMark == 0 {
			won := d.Won
			if d.Kind == "" && d.Stake > 0 {
				won = min(won, d.Stake)
			}
			if v, ok := p.Law.Rate(d.Kind, d.Percent); ok && v.Judge(d.Marked, won) != baccarat.VigLegal {
				over += max(d.Marked-v.Low(won), 0)
			}
		}
	}
	return over
}

// excess is how much of what is marked and not collected at an event is more than a seat may owe. What of a mark was
// collected is first what is owed.
func (p *Pass) excess(seat uint32, when record.Seq) (over int64) {
	for i := range p.Shoe.Dues {
		d := &p.Shoe.Dues[i]
		if d.Seat != seat || d.Tie || d.Unproved || d.PaidMark != 0 {
			continue
		}
		v, ok := p.Law.Rate(d.Kind, d.Percent)
		if !ok || v.Judge(d.Marked, d.Won) != baccarat.VigOver {
			continue
		}
		up := v.Up(d.Won)
		if d.Kind == "" {
			up = max(up, v.Up(d.Stake)) // it may have been paid too little
		}
		of := d.Marked - up
		if d.CollectedAt != 0 && d.CollectedAt < when {
			of = min(of, d.Open())
		}
		over += max(of, 0)
	}
	return over
}

// free is the amount of a seat's markers that may be taken off at an event without a collection of what is outstanding:
// what is too much in a mark, what was placed by mistake and taken off again, and what was paid in its round.
func (p *Pass) free(seat uint32, at record.Seq) int64 {
	free := p.overMarked(seat)
	for i := range p.Shoe.Dues {
		d := &p.Shoe.Dues[i]
		if d.Seat != seat {
			continue
		}
		if free += d.TakenOff; d.PaidMarkAt < at {
			free += d.PaidMark
		}
	}
	return free
}

// marked is the amount of the markers that were placed for a seat.
func (p *Pass) marked(seat uint32) (marked int64) {
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; d.Seat == seat {
			marked += d.Marked + d.TakenOff
		}
	}
	return marked
}

// collected are the wagers whose vigorish a collection took.
func collected(s *record.Shoe, c *record.Collection) []string {
	var wagers []string
	for i := range s.Dues {
		if d := &s.Dues[i]; d.Seat == c.Seat && d.CollectedAt == c.Seq {
			wagers = append(wagers, d.Wager)
		}
	}
	return wagers
}

// markersGone reports whether more was taken off a seat's rectangle than was ever collected from it: a
// partial collection is legal only if the rest stays marked.
func (p *Pass) markersGone(c *record.Collection) bool {
	var removed, collected int64
	last := c.Seq
	for _, m := range p.Shoe.MarkersRemoved {
		if m.Seat == c.Seat && m.Seq > c.Seq {
			removed, last = removed+m.Amount, m.Seq
		}
	}
	for i := range p.Shoe.Collections {
		if o := &p.Shoe.Collections[i]; o.Seat == c.Seat && o.Seq >= c.Seq {
			collected += o.Amount
		}
	}
	return removed > collected+p.free(c.Seat, last)
}

func checkOnlyBankerWin(p *Pass) {
	r := p.Round
	mode := p.Config.Mode
	if p.cancelled() || !p.coup().Complete ||
		mode != baccarat.Commission && mode != baccarat.Tie25 && !p.Law.namesKind(p.Config) {
		return
	}
	result := p.coup().Result()
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Kind < record.StepVigMarked {
			continue
		}
		due := p.mayCharge(s)
		if due && p.namesBanker(s) {
			continue
		}
		unknown := record.Any(p.Shoe.Collections, func(c *record.Collection) bool { return c.Seq == s.Seq && c.Amount == 0 })
		if due && unreported(r, s.Seat) || unknown {
			p.CannotJudge("the wager for which vigorish was taken was not reported", s.Seq)
			continue
		}
		f := Finding{
			Subject: finding.OfSeat(s.Seat), Parts: p.asBanker(s), Seat: s.Seat, Amount: s.Amount,
			Evidence: append(cardEvidence(r), s.Seq),
			Expected: fmt.Sprintf("nothing at seat %d, result %v", s.Seat, result),
			Observed: p.money(s.Amount) + " taken",
			Cites:    p.cited(mode == baccarat.Tie25 && s.Kind == record.StepTieCharge, "vig.tie25.amount"),
		}
		if !p.liftedAgain(s, &f) {
			if p.namesBanker(s) && p.quarterTaken() {
				f.Verdict = finding.Suspect
			}
			p.takenFor(&f, "it", p.uncharged(s.Seat, func(w *record.Wager) bool { return p.owes(w, s.Amount) }))
		}
		p.Report(f)
	}
}

// owes reports whether an amount is the vigorish of a banker wager.
func (p *Pass) owes(w *record.Wager, amount int64) bool {
	if percent := p.takes().Tie; percent > 0 {
		_, _, right := p.ofStake(&charge{took: amount, wagers: []string{w.ID}}, percent)
		return right
	}
	v, ok := p.Law.Commission(p.Config, p.coup())
	return ok && w.Paid.Times > 0 && v.Judge(amount, w.Amount) == baccarat.VigLegal
}

// asBanker are the wagers of a vigorish step that were settled as banker wagers which owe it. The wrong settlement and
// the vigorish are one mistake.
func (p *Pass) asBanker(s *record.Step) (wagers []finding.Subject) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		of := slices.Contains(s.Wagers, i) || s.Kind == record.StepVigMarked && s.Wager == i ||
			s.Kind > record.StepVigMarked && len(s.Wagers) == 0 && s.Seat == w.Seat
		if got := w.Disposition(); of && (got == baccarat.Pay || got == baccarat.Return && p.takes().Tie > 0) {
			wagers = append(wagers, finding.OfWager(w.ID))
		}
	}
	return wagers
}

// mayCharge reports whether the result of the round allows a vigorish of the kind of a step.
func (p *Pass) mayCharge(s *record.Step) bool {
	result, takes := p.coup().Result(), p.takes()
	if takes.Tie > 0 {
		return true // a tie charge may be marked, if it is collected before the next first card
	}
	// Under the other kinds of the contract another rule judges it.
	commission := takes.Won || p.Config.Mode != baccarat.Commission && !p.Config.Kind().Named()
	return result == baccarat.BankerWon && commission && s.Kind != record.StepTieCharge
}

// namesBanker reports whether a vigorish step is about banker wagers alone.
func (p *Pass) namesBanker(s *record.Step) bool {
	r := p.Round
	if s.Kind == record.StepVigMarked {
		return s.Wager >= 0 && r.Wagers[s.Wager].Spot == baccarat.SpotBanker
	}
	for _, w := range s.Wagers {
		if r.Wagers[w].Spot != baccarat.SpotBanker {
			return false
		}
	}
	return len(s.Wagers) > 0 || record.Any(r.Wagers, func(w *record.Wager) bool {
		return w.Seat == s.Seat && w.Spot == baccarat.SpotBanker
	})
}

func (p *Pass) reportDue(d *record.Due, expected, observed string, evidence ...record.Seq) {
	p.Report(Finding{
		Round: d.Round, Subject: finding.OfWager(d.Wager), Seat: d.Seat, Amount: p.dueAmount(d), Expected: expected,
		Observed: observed,
		Evidence: append([]record.Seq{d.PaidAt}, evidence...),
	})
}

// dueAmount is what a wager owes: the tie charge, or the rounded commission.
func (p *Pass) dueAmount(d *record.Due) int64 {
	if d.Tie {
		floor, _ := law.TieCharge(p.Law.TiePercent(d.Kind), d.Stake)
		return floor
	}
	v, _ := p.Law.Rate(d.Kind, d.Percent)
	return v.Rounded(d.Won)
}

func checkNotCharged(p *Pass) {
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; !d.Tie && !d.Unproved && d.MarkedAt == 0 && d.CollectedAt == 0 {
			if p.unnamed(d) {
				continue
			}
			p.reportDue(
				d, fmt.Sprintf("vigorish on %s collected or marked", p.money(d.Won)), "not collected, and not marked",
			)
		}
	}
}

// unnamed cannot judge a wager without a mark if a marker of its round and seat is of a wager that is not on record.
func (p *Pass) unnamed(d *record.Due) bool {
	if d.Unnamed != 0 {
		p.CannotJudge("the wager of a marker was not reported", d.Unnamed)
	}
	return d.Unnamed != 0
}

// maybeTogether cannot judge a wager without a mark if a marker of an earlier wager of its seat was placed after it was
// paid, and the table does not report which markers are taken off: it may have taken the place of the earlier ones.
func (p *Pass) maybeTogether(d *record.Due) bool {
	i := record.Index(p.Shoe.Dues, func(o *record.Due) bool {
		return o.Seat == d.Seat && o.Round < d.Round && o.MarkedAt > d.PaidAt && o.MarkedAt < d.CollectedAt
	})
	if i < 0 || p.Config.Reports(baccarat.FeedMarkers) {
		return false
	}
	p.CannotJudge("whether a marker of an earlier wager took the place of the earlier ones was not reported",
		p.Shoe.Dues[i].MarkedAt)
	return true
}

func checkMarkRequired(p *Pass) {
	for i := range p.Shoe.Dues {
		d := &p.Shoe.Dues[i]
		switch {
		case d.Tie || d.AtOnce || d.Unproved:
		case d.Marked == 0 && d.MarkedAt != 0:
			p.CannotJudge("the amount of a mark was not reported", d.MarkedAt)
		case d.Marked == 0 && d.CollectedAt != 0 && (p.unnamed(d) || p.maybeTogether(d)):
		case d.Marked == 0 && d.CollectedAt != 0:
			p.reportDue(d, "marked before the next first card", "collected later without a mark", d.CollectedAt)
		case d.Short > 0:
			p.Report(Finding{
				Round: d.Round, Subject: finding.OfWager(d.Wager), Seat: d.Seat, Amount: d.Short,
				Expected: "marked with what is owed until it is collected",
				Observed: "replaced by a marker of " + p.money(d.Short) + " less", Evidence: []record.Seq{d.PaidAt, d.ShortAt},
			})
		case d.LateMark:
			p.reportDue(d, "marked before the next first card", "marked later", d.MarkedAt)
		}
	}
	p.checkMarkerAway()
}

// percent is the percentage of the commission on the cards of the round.
func (p *Pass) percent() int64 {
	takes := p.takes()
	return takes.Percent(p.Config)
}

func checkMarkArea(p *Pass) {
	for i := range p.Round.Steps {
		s := &p.Round.Steps[i]
		switch {
		case s.Kind != record.StepVigMarked || p.Shoe.TakenOff(p.Round, s, p.percent()):
		case s.Marker == baccarat.NoMarker:
			p.CannotJudge("what evidences the vigorish was not reported", s.Seq)
		case s.Area == p.Round.Owing(s), s.Area == s.Seat: // vig.amount.over suspects the seat
		case s.Area == 0:
			p.CannotJudge("the rectangle of a marker was not reported", s.Seq)
		default:
			seat := p.Round.Owing(s)
			p.Report(Finding{
				Subject: finding.OfSeat(seat), Seat: seat, Amount: p.Round.Marker(s), Evidence: []record.Seq{s.Seq},
				Expected: fmt.Sprintf("rectangle %d", seat), Observed: fmt.Sprintf("rectangle %d", s.Area),
			})
		}
	}
}

func (p *Pass) reportOwed(owed []record.SeatChange, when record.Seq) {
	for _, f := range p.owed(owed, when) {
		p.suspectIf(p.roundingLeft(f.Seat), f)
	}
}

// owed are findings of outstanding vigorish at an event, one a seat.
func (p *Pass) owed(owed []record.SeatChange, when record.Seq) []Finding {
	findings := make([]Finding, 0, len(owed))
	for _, o := range owed {
		if o.Amount <= p.overMarked(o.Seat) {
			continue
		}
		f := Finding{
			Subject: finding.OfSeat(o.Seat), Seat: o.Seat, Amount: o.Amount - p.excess(o.Seat, when),
			Evidence: append(p.Shoe.Marks(o.Seat), when), Expected: "outstanding " + p.money(0),
		}
		if f.Observed = "outstanding " + p.money(f.Amount); f.Amount < o.Amount {
			f.Observed += ", " + p.money(o.Amount) + " marked"
		}
		findings = append(findings, f)
	}
	return findings
}

// Only a reshuffle makes an open debt a breach. Of a table that closes it is not known when the cards are reshuffled.
func checkOutstanding(p *Pass) {
	switch s := p.Shoe; {
	case len(s.Owed(nil)) > 0 && !p.summable():
	case s.NextShuffled != 0:
		p.reportOwed(s.OwedAtShuffle, s.NextShuffled)
	case s.Succeeded != 0 && !p.Law.ClosesAtCard && s.TableClosed == 0:
		// The next shoe has the cards of another batch; that these are shuffled again may be reported late.
		for _, f := range p.owed(s.Owed(nil), max(s.Succeeded, s.NextCard)) {
			p.Suspect(f)
		}
	case s.TableClosed != 0:
		// 3.3(c) wants it collected before the reshuffle, which may come after the table opened again.
		for _, f := range p.owed(s.Owed(nil), s.TableClosed) {
			p.CannotJudge("the table closed with "+p.money(f.Amount)+" outstanding", f.Evidence...)
		}
	}
}

// The text sets no day: "shall extract", at the latest before the reshuffle, which a closed table need not
// show. A collection more than a day after the closing came after the end of the gaming day in any calendar.
func checkOwedAfterClose(p *Pass) {
	opened := p.Table.Changes[len(p.Table.Changes)-1].Seq
	for _, d := range p.Table.Debts {
		open, late := max(d.Owed-d.Collected, 0), d.LastAt-d.ClosedAt > int64(24*time.Hour)
		if open == 0 && !late {
			continue
		}
		f := Finding{
			Subject: finding.OfSeat(d.Seat), Seat: d.Seat, Amount: open, Evidence: []record.Seq{d.Closed, d.Taken, opened},
			Expected: fmt.Sprintf("%s of shoe %s extracted after the table closed", p.money(d.Owed), d.Shoe),
			Observed: "outstanding " + p.money(open) + " when the table opened again",
		}
		if open == 0 {
			f.Amount, f.Observed = d.Owed, "collected more than 24 hours after the table closed"
		}
		p.Suspect(f)
	}
}

func checkPlayResumed(p *Pass) {
	if p.Shoe.NextCard == 0 {
		return
	}
	if owed := p.Shoe.Owed(nil); len(owed) > 0 && p.summable() {
		p.reportOwed(owed, p.Shoe.NextCard)
	}
}

func checkMarkerRemoved(p *Pass) {
	p.removedFirst(func(m record.SeatChange, more, collected int64) {
		p.suspectIf(p.roundingLeft(m.Seat), Finding{
			Subject: finding.OfSeat(m.Seat), Seat: m.Seat, Amount: more, Evidence: append(p.Shoe.Marks(m.Seat), m.Seq),
			Expected: fmt.Sprintf("marker of %s stays until collected", p.money(m.Amount)),
			Observed: fmt.Sprintf("removed with %s collected", p.money(collected)),
		})
	})
}

// removedFirst yields each marker that was taken off before its vigorish was collected, by how much more was taken off
// than was free to be, and what had been collected.
func (p *Pass) removedFirst(each func(m record.SeatChange, more, collected int64)) {
	s := p.Shoe
	if len(s.MarkersRemoved) == 0 || !p.summable() {
		return
	}
	paidFor := p.scratch.numbers[:0]
	for i := range s.Collections {
		paidFor = append(paidFor, s.PaidFor(&s.Collections[i]))
	}
	p.scratch.numbers = paidFor
	together := uint32(0) // the seat of which several markers were taken off together
	for i := range s.MarkersRemoved {
		m, removed, collected := s.MarkersRemoved[i], int64(0), int64(0)
		if i+1 < len(s.MarkersRemoved) && s.MarkersRemoved[i+1].Seq == m.Seq {
			continue // two parts of one marker
		}
		if i > 0 && s.MarkersRemoved[i-1].Seq == m.Seq {
			m.Amount = baccarat.Add(m.Amount, s.MarkersRemoved[i-1].Amount)
		}
		for _, o := range s.MarkersRemoved[:i+1] {
			if o.Seat == m.Seat {
				removed += o.Amount
			}
		}
		for j := range s.Collections {
			if c := &s.Collections[j]; c.Seq < m.Seq && paidFor[j] == m.Seat {
				collected += c.Amount
			}
		}
		// More than was marked is not the marker of what is owed.
		removed = min(removed, p.marked(m.Seat))
		switch more := removed - collected - p.free(m.Seat, m.Seq); {
		case more > 0 && p.removedOn(i):
			together = m.Seat
		case more > 0:
			if together == m.Seat {
				m.Amount = more
			}
			each(m, more, collected)
		}
	}
}

// removedOn reports whether another marker of a seat was taken off after one, and nothing was collected or put right
// there between.
func (p *Pass) removedOn(at int) bool {
	s, m := p.Shoe, &p.Shoe.MarkersRemoved[at]
	after := s.MarkersRemoved[at+1:]
	next := record.Index(after, func(o *record.SeatChange) bool { return o.Seat == m.Seat })
	return next >= 0 && p.free(m.Seat, m.Seq) == p.free(m.Seat, after[next].Seq) &&
		!record.Any(s.Collections, func(c *record.Collection) bool {
			return c.Seq > m.Seq && c.Seq < after[next].Seq && s.PaidFor(c) == m.Seat
		})
}

// checkMarkerAway cannot judge a marker that was taken off, and whose vigorish was collected after the next first card.
// "The amount of any vigorish not collected ... shall be evidenced by the placing of a coin": it was placed, and only
// New York says until when it stays. N.J.A.C. 19:47-3.3(c), 7.3(c).
func (p *Pass) checkMarkerAway() {
	if p.judges("vig.marker-removed-uncollected") {
		return
	}
	owed := p.Shoe.Owed(nil) // vig.outstanding-at-reshuffle
	p.removedFirst(func(m record.SeatChange, _, _ int64) {
		paid := record.Index(p.Shoe.Collections, func(c *record.Collection) bool {
			return c.Seq > m.Seq && p.Shoe.PaidFor(c) == m.Seat
		})
		open := record.Any(owed, func(o *record.SeatChange) bool { return o.Seat == m.Seat })
		inRound := record.Any(p.Shoe.Dues, func(d *record.Due) bool {
			return d.Seat == m.Seat && d.MarkedAt < m.Seq && m.Seq < d.PaidMarkAt
		})
		if !open && !inRound && paid >= 0 && record.Any(p.Shoe.Rounds, func(r *record.RoundSummary) bool {
			return r.Card > m.Seq && r.Card < p.Shoe.Collections[paid].Seq
		}) {
			p.CannotJudge(fmt.Sprintf(
				"the marker of %s at seat %d was taken off before its vigorish was collected, and play went on",
				p.money(m.Amount), m.Seat,
			), m.Seq, p.Shoe.Collections[paid].Seq)
		}
	})
}
