package rules

import (
	"maps"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Reach is how far a rule looks back.
type Reach uint8

// Reaches.
const (
	// Within: not beyond its round, or its shoe if it is about one.
	Within Reach = iota
	// Seating: to the round before, to the occupied seats and to the curator.
	Seating
	// WholeShoe: to every round of the shoe.
	WholeShoe
)

// Lost is what missing events may have contained.
type Lost uint8

// Losses.
const (
	// LostElections: the house may have elected otherwise within its rulebook.
	LostElections Lost = 1 << iota
	// LostNotices: a notice or an attestation may have been filed.
	LostNotices
)

// attestable are the items of layout attestations.
var attestable = [...]string{
	"cutting-card-appearance", "vig-areas", "ny-minimum", "payout-odds", "dragon-bonus-area", "ez-areas",
	"ez-push-notice",
	"novig-notice", "midi-discard-rack", "total-card-odds", "bonus-odds", "pair-areas", "treasures-areas",
	"treasures-odds",
	"layout-approval", "lammer-storage",
}

// Stands reports whether the rule makes a finding of the pass whatever the missing events contained. The rule is
// evaluated again under each election that the rulebook allows, and with every notice and attestation on file. A
// finding of a rule that needs a feed does not stand while elections may be lost, since feeds are elected too. That a
// table stopped to report its wagers, payments, vigorish or burns, and reports them nevertheless, is not considered.
func (p *Pass) Stands(f *Finding, lost Lost) bool {
	if f.Rule == nil || f.Rule.Check == nil {
		return false
	}
	q := *p
	q.rule, q.scratch, q.Findings = f.Rule, scratch{}, nil
	if lost&LostElections != 0 {
		if f.Rule.Needs&^baccarat.BasicFeeds != 0 {
			return false
		}
		for c := range p.elections() {
			if q.Config = c; !q.makes(f) {
				return false
			}
		}
		q.Config = p.Config
	}
	if lost&LostNotices != 0 {
		q.Table = favourable(p.Table)
		return q.makes(f)
	}
	return true
}

// makes reports whether the rule makes the finding again.
func (p *Pass) makes(f *Finding) bool {
	p.Findings = p.Findings[:0]
	f.Rule.Check(p)
	return slices.ContainsFunc(p.Findings, func(g Finding) bool {
		return g.Verdict == f.Verdict && g.Round == f.Round && g.Seat == f.Seat && g.Subject == f.Subject
	})
}

// elections are the configurations that differ from the one in force in one election.
func (p *Pass) elections() func(func(*law.Config) bool) {
	return func(yield func(*law.Config) bool) {
		try := func(change func(*law.Config)) bool {
			c := *p.Config
			change(&c)
			return yield(&c)
		}
		var changes []func(*law.Config)
		add := func(change func(*law.Config)) { changes = append(changes, change) }
		for _, k := range p.Law.Kinds() {
			add(func(c *law.Config) { c.Mode, c.ModeName = k.Mode, k.Name })
			for _, percent := range slices.Sorted(maps.Keys(p.Law.Units)) {
				add(func(c *law.Config) { c.Mode, c.ModeName, c.Percent = k.Mode, k.Name, percent })
			}
		}
		for n := range uint32(4) {
			add(func(c *law.Config) { c.Procedure = n + 1 })
		}
		add(func(c *law.Config) { c.SideBets, c.Further = nil, nil })
		add(func(c *law.Config) { c.SideBets, c.Further = p.Law.SideBets, p.Law.Further })
		add(func(c *law.Config) { c.Posted, c.PostedNames, c.Rows = [baccarat.Spots]baccarat.Odds{}, nil, nil })
		for _, w := range p.Law.Wagers {
			for _, name := range p.Law.Tables(w.PayTable) {
				add(func(c *law.Config) { *c = c.Electing(w.PayTable, name) })
			}
		}
		add(func(c *law.Config) { c.SupplementalRequiresMain = !c.SupplementalRequiresMain })
		add(func(c *law.Config) { c.ReshuffleAfterLacing = !c.ReshuffleAfterLacing })
		add(func(c *law.Config) { c.FaceDown, c.StyleUnknown = !c.FaceDown, false })
		add(func(c *law.Config) { c.AutomatedShuffler = !c.AutomatedShuffler })
		add(func(c *law.Config) { c.PreShuffled = !c.PreShuffled })
		add(func(c *law.Config) { c.MinWager, c.MaxWager = 0, math.MaxInt64 })
		add(func(c *law.Config) { c.Options = nil })
		for _, change := range changes {
			if !try(change) {
				return
			}
		}
	}
}

// favourable is the table with everything on file that could have been filed, and cards that may have
// been opened before the record began.
func favourable(t *record.Table) *record.Table {
	f := *t
	f.Whole, f.Batches, f.BatchesAt = false, nil, nil
	f.Attested = map[string]record.Attested{}
	for _, item := range attestable {
		f.Attested[item] = record.Attested{Present: true}
	}
	f.Notices = slices.Clone(t.Notices)
	for topic := record.TopicVigorishType; topic <= record.TopicPreShuffled; topic++ {
		n := record.Notice{
			Topic: topic, At: math.MinInt64 / 2, Recorded: math.MinInt64 / 2,
			Effective: math.MinInt64 / 2,
		}
		f.Notices = append(f.Notices, n)
		n.Filed, n.Writ, n.ToCommission, n.ToSurveillance = true, true, true, true
		f.Notices = append(f.Notices, n)
	}
	return &f
}
