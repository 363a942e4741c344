package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Stage is a moment at which rules are evaluated. Stages are in order of time.
type Stage uint8

// Stages.
const (
	// Changed: the first card after a configuration came into force.
	Changed Stage = iota
	// Prepared: the first card of a shoe is dealt; until then a step of its preparation may come.
	Prepared
	// Betting: no more bets.
	Betting
	// Dealt: a result is announced, or the first settlement, or the round's recorded end.
	Dealt
	// Settled: the next round's first card, or the end of the shoe.
	Settled
	// Closed: the next shoe is shuffled (New York: its first card), or the table closes.
	Closed
	// Floor: a configuration comes into force; tables are compared with each other.
	Floor
	// stageCount is how many there are.
	stageCount
)

// Rule is one requirement: a value, stored under its name for ever.
type Rule struct {
	Name string
	// Doc is what is demanded, in plain words.
	Doc string
	// Breach is an example of breaking it.
	Breach   string
	Severity finding.Severity
	// Version is the version of the rule's meaning, part of the identity of its findings. It is raised when the rule
	// demands something else under the same name; 0 is version 1.
	Version uint32
	At      Stage
	// Again evaluates the rule once more when its evidence may be complete: at the round's recorded end
	// and at Settled, for a rule of a shoe at Closed. A finding made twice is one.
	Again bool
	// Standing is for rules about the table itself, not one of its shoes: what they find is reported once until it
	// changes.
	Standing bool
	// Back is how far the rule looks back: what is lost there leaves it unproved.
	Back Reach
	// Needs are the feeds without which the rule cannot be judged.
	Needs baccarat.Feeds
	// Reads are feeds without which a part of the rule cannot be judged.
	Reads baccarat.Feeds
	// Compares are the amounts that the rule compares: one of 0 was not read, and what rests on it is UNAUDITABLE.
	Compares amounts
	// Covers names the rules whose findings this rule's finding explains, see [Set.Covers].
	Covers []string
	// Check reads the pass and reports. It is called once for each round or shoe at its stage. A rule without a Check
	// cannot be judged; Unknown is the reason.
	Check   func(*Pass)
	Unknown string
	// Floor is for rules that compare tables; they have no Check unless they also judge one alone.
	Floor func(*FloorPass)
}

// amounts are the amounts of a seat that a rule compares.
type amounts uint8

const (
	nothing    amounts = iota
	ofWager            // of the wager that the finding is about
	ofSeat             // of the seat in the round
	ofVigorish         // of the seat's banker wagers in the round, its vigorish there, and its collections in the shoe
)

// Finding is what a rule reports: expected beside observed, and the events that prove it.
type Finding struct {
	Rule    *Rule
	Round   uint32
	Subject finding.Subject
	// Parts are further subjects that the finding is about: the wagers of a seat's charge, the hand of a card.
	// They are no part of its identity.
	Parts []finding.Subject
	// Seat is the position concerned, 0 if none.
	Seat uint32
	// Amount is the money at issue, minor units.
	Amount             int64
	Expected, Observed string
	Evidence           []record.Seq
	// Verdict is what the finding claims. It is empty for the usual claim of the rule, which is BREACH, and INFO for a
	// rule of severity info. A SUSPECT finding keeps the severity of the rule, an INFO finding has severity info. Of an
	// UNAUDITABLE finding Observed is the reason.
	Verdict finding.Verdict
	// Cites and Basis are the clauses and the basis of the finding if the rulebook's entry for the rule has others.
	Cites []string
	Basis finding.Basis
	// Apart means that no other finding explains it, whatever its rule.
	Apart bool
}

// Unprove makes a finding UNAUDITABLE that a missing event may change.
func (f *Finding) Unprove() {
	f.Verdict, f.Observed = finding.Unauditable, "events are missing; found: "+f.Observed
}

// Pass is what a rule may look at, and the one way out.
type Pass struct {
	// Law is the law of the game with the rules that it cites.
	Law    *Set
	Config *law.Config
	Shoe   *record.Shoe
	// Round is nil for rules of a shoe.
	Round *record.Round
	// Table is what outlives a shoe.
	Table *record.Table

	rule     *Rule
	stage    Stage
	Findings []Finding

	scratch
}

// scratch is storage of rules, valid until the next use.
type scratch struct {
	ruled     ruled
	charged   []charge
	whole     [1]steps
	handovers []handover
	offers    []*record.CuratorStep
	handouts  []handout
	backs     []*record.Squeeze
	numbers   []uint32
	ranked    [12][]bettor
	against   []record.SeatChange
	others    []record.SeatChange
	due       steps
	ofSeat    seatPatron
	legal     seatLegality
	together  map[record.Player]record.Seq
	offs      []offBy
	// rests has the rest of a payment or of a vigorish take part in the order of settlement, restLeftOut tells that one
	// took none.
	rests, restLeftOut bool
	// byNumber takes the seats in the order of their numbers, whatever the table declares.
	byNumber bool
}

// seatPatron is the patron of all wagers that a collection at a seat covers which names none, if known.
type seatPatron struct {
	known  bool
	seat   uint32
	patron string
}

// judges reports whether the rulebook has a rule.
func (p *Pass) judges(rule string) bool {
	_, ok := p.Law.Cited(rule)
	return ok
}

// Report makes a finding of the rule that is being evaluated. The round is filled in.
func (p *Pass) Report(f Finding) {
	f.Rule = p.rule
	if p.Round != nil && f.Round == 0 {
		f.Round = p.Round.No
	}
	if at := p.unreadAmount(&f); at != 0 && f.Verdict != finding.Unauditable {
		f = Finding{
			Rule: f.Rule, Round: f.Round, Seat: f.Seat, Subject: f.Subject, Verdict: finding.Unauditable,
			Evidence: []record.Seq{at}, Observed: p.unread(f.Seat),
		}
	}
	if at, what := p.astray(&f); at != 0 && f.Verdict != finding.Unauditable {
		f.Verdict, f.Evidence = finding.Unauditable, append(f.Evidence, at)
		f.Observed = what + "; found: " + f.Observed
	}
	p.Findings = append(p.Findings, f)
}

// unread is why what rests on an amount of a seat cannot be judged.
func (p *Pass) unread(seat uint32) string {
	if p.Shoe.Joined || p.Shoe.Missing {
		return fmt.Sprintf("an amount at seat %d is not on record", seat)
	}
	return fmt.Sprintf("an amount at seat %d was not reported", seat)
}

// astray is a settlement that names another round or shoe than the wager that a finding about money is about, or a
// change that was reported before that wager, and what it is. It is 0 for none.
func (p *Pass) astray(f *Finding) (at record.Seq, what string) {
	if p.Round == nil || p.rule.Needs&baccarat.FeedSettlement == 0 {
		return 0, ""
	}
	id, one := f.Subject.Wager()
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		switch about := one && w.ID == id || !one && f.Seat == w.Seat && p.rule.Compares != nothing; {
		case about && w.Astray != 0:
			return w.Astray, "a settlement of the wager names another round or shoe"
		case about && w.Early != 0:
			return w.Early, "a change of the wager was reported before the wager"
		}
	}
	return 0, ""
}

// unreadAmount is an event whose amount was not read and that the rule compares for a finding, 0 for none.
func (p *Pass) unreadAmount(f *Finding) (at record.Seq) {
	compares := p.rule.Compares
	switch {
	case f.Seat == 0 || compares == nothing:
	case compares == ofVigorish:
		if p.Round != nil {
			at = p.Round.UnreadVigorish(f.Seat)
		}
		if at == 0 {
			at = p.Shoe.Unread(f.Seat)
		}
	case p.Round != nil:
		id, one := f.Subject.Wager()
		one = one && compares == ofWager
		at = p.Round.Unread(f.Seat, func(w *record.Wager) bool { return !one || w.ID == id })
	}
	return at
}

// CannotJudge reports that evidence which the rule needs was not reported.
func (p *Pass) CannotJudge(why string, evidence ...record.Seq) {
	p.Report(Finding{Observed: why, Evidence: evidence, Verdict: finding.Unauditable})
}

// Evaluate evaluates every rule of a stage and leaves what they report in Findings. Rules that lack their feed are left
// out: the engine reports them as UNAUDITABLE once a shoe.
func (p *Pass) Evaluate(stage Stage) {
	p.begin(stage)
	p.evaluate(p.Law.stages[stage])
	switch stage {
	case Settled:
		p.evaluate(p.Law.againRound)
	case Closed:
		p.evaluate(p.Law.againShoe)
	}
	p.end()
}

// EvaluateAgain evaluates the rules of the round whose evidence the recorded end completes.
func (p *Pass) EvaluateAgain() {
	p.begin(Dealt)
	p.evaluate(p.Law.againRound)
	p.end()
}

func (p *Pass) begin(stage Stage) {
	p.Findings, p.stage, p.ruled, p.ofSeat = p.Findings[:0], stage, p.ruled.begin(p.Round), seatPatron{}
	p.offs = p.offs[:0]
}

func (p *Pass) end() { p.ruled = p.ruled[:0] }

func (p *Pass) evaluate(rules []*Rule) {
	for _, r := range rules {
		if r.Needs&^p.Config.Feeds != 0 || r.Check == nil {
			continue
		}
		p.rule = r
		r.Check(p)
	}
}

// Suspect reports a finding that the law or the evidence does not prove: another reading of the text, or another state
// of the facts, allows what was observed.
func (p *Pass) Suspect(f Finding) {
	f.Verdict = finding.Suspect
	p.Report(f)
}

// BasisOf is what a rule's entry in a rulebook rests on.
func BasisOf(c law.Cited) finding.Basis {
	switch {
	case c.Assumed != "" && c.Adopted:
		return finding.Adopted(c.Assumed)
	case c.Assumed != "":
		return finding.Assumed(c.Assumed)
	case c.ByReference:
		return finding.ByReference
	}
	return finding.Text
}

// money is an amount of minor units in the table's currency, for people.
func (p *Pass) money(minor int64) string {
	text := schema.Money(minor, p.Config.Currency)
	if minor == baccarat.MaxAmount {
		return "at least " + text
	}
	return text
}

// ofWagers are the subjects of several wagers.
func ofWagers(ids []string) []finding.Subject {
	subjects := make([]finding.Subject, len(ids))
	for i, id := range ids {
		subjects[i] = finding.OfWager(id)
	}
	return subjects
}
