package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// FloorTable is an open table as the rules that compare tables see it.
type FloorTable struct {
	Property, Pit, Table string
	Game                 baccarat.Game
	Ruleset              string
	Vigorish             law.Kind
	Percent              uint32
	Procedure            uint32
	Reshuffle            bool
	// Law is nil for a game that the rulebook does not know; such a table is only compared with.
	Law *Set
	// Seq and EventID are the event that brought the configuration, At when it takes effect.
	Seq     record.Seq
	EventID string
	At      int64
	// Gap is the time of the first missing events of the table after that event, after all time if there are none. One of
	// them may have brought another configuration.
	Gap int64
	// Used means that a round was settled under it, the first one at UsedAt. LastUsed is the last one if another
	// configuration replaced it, otherwise after all time.
	Used             bool
	UsedAt, LastUsed int64
	// Proved is the last round under it before the missing events, LastUsed if none are missing.
	Proved int64
}

// usedBeside reports whether a round of a table was settled under its configuration while another table used its own:
// tables that change over one after the other, and settle no round between, agree.
func (t *FloorTable) usedBeside(o *FloorTable) bool { return t.Used && t.LastUsed >= o.UsedAt }

// FloorFinding is a table that differs from another table with which it must agree.
type FloorFinding struct {
	Rule               *Rule
	Table, Other       *FloorTable
	Expected, Observed string
	// Covers are the rules whose findings about the same table this one explains.
	Covers []string
	// Doubtful means that the text can be read so that the two need not agree, Unproved that one of the two may have had
	// another configuration.
	Doubtful, Unproved bool
}

// FloorPass is what a rule of the Floor stage may look at: a table whose configuration has come into
// force, and all open tables in the order of property, pit and table.
type FloorPass struct {
	Changed *FloorTable
	// Settled means that the first round under the configuration of the changed table was settled; otherwise the
	// configuration came into force. At is when.
	Settled  bool
	At       int64
	Open     []*FloorTable
	Findings []FloorFinding
	rule     *Rule
}

// Evaluate evaluates the rules of the changed table. A finding that another one covers is left out, and the other one
// names it.
func (p *FloorPass) Evaluate() {
	p.Findings = p.Findings[:0]
	if p.Changed.Law == nil {
		return
	}
	for _, r := range p.Changed.Law.stages[Floor] {
		p.rule = r
		r.Floor(p)
	}
	for i := range p.Findings {
		winner := &p.Findings[i]
		for _, loser := range p.Findings {
			if slices.Contains(winner.Rule.Covers, loser.Rule.Name) {
				winner.Covers = append(winner.Covers, loser.Rule.Name)
			}
		}
	}
	covered := func(f FloorFinding) bool {
		return slices.ContainsFunc(
			p.Findings, func(g FloorFinding) bool { return slices.Contains(g.Covers, f.Rule.Name) },
		)
	}
	p.Findings = slices.DeleteFunc(slices.Clone(p.Findings), covered)
}

// compare reports the first other open table that the changed one must agree with and does not, and whether there is
// one. It accuses neither of the two: the finding names both. A difference that is proved goes before others.
func (p *FloorPass) compare(peers func(*FloorTable) bool, value func(*FloorTable) string) bool {
	var other *FloorTable
	for _, o := range p.Open {
		differs := o != p.Changed && peers(o) && value(o) != value(p.Changed)
		if differs && (other == nil || !p.unproved(o) && p.unproved(other)) {
			other = o
		}
	}
	if other == nil {
		return false
	}
	p.Findings = append(p.Findings, FloorFinding{
		Rule: p.rule, Table: p.Changed, Other: other, Unproved: p.unproved(other),
		Expected: fmt.Sprintf("one and the same at tables %s and %s", p.Changed.Table, other.Table),
		Observed: fmt.Sprintf(
			"table %s: %s; table %s: %s", p.Changed.Table, value(p.Changed), other.Table, value(other),
		),
	})
	return true
}

// unproved reports whether the changed table or another may have had another configuration: they differ for certain if
// each settled a round before events of it are missing, the other one not before the changed one.
func (p *FloorPass) unproved(o *FloorTable) bool {
	return slices.ContainsFunc([]*FloorTable{p.Changed, o}, func(t *FloorTable) bool {
		if p.Settled && t.Used {
			return p.At > t.Proved
		}
		return p.At >= t.Gap
	})
}

func (p *FloorPass) samePit(o *FloorTable) bool {
	return o.Property == p.Changed.Property && o.Pit == p.Changed.Pit
}

// isMini reports whether a game is mini or midi baccarat, which New York treats alike.
func isMini(g baccarat.Game) bool { return g == baccarat.Minibaccarat || g == baccarat.Midibaccarat }

// sameKind reports whether two games are one kind: mini and midi are in New York.
func (p *FloorPass) sameKind(o *FloorTable) bool {
	return o.Game == p.Changed.Game || (p.Changed.Law.ClosesAtCard && isMini(o.Game) && isMini(p.Changed.Game))
}

var floorFamily = []*Rule{
	{
		Name:     "vig.uniform-property",
		Doc:      "All mini and midi tables of a facility that charge vigorish charge one kind and percentage.",
		Breach:   "Two mini tables at four and five percent.",
		Severity: finding.Major, At: Floor, Needs: baccarat.FeedWagers, Floor: func(p *FloorPass) {
			together := p.Changed.Law.Options["vig_uniform_scope_ny"] != "per game"
			if !p.Settled || !charges(p.Changed) {
				return
			}
			p.compare(func(o *FloorTable) bool {
				return o.Property == p.Changed.Property && o.usedBeside(p.Changed) && isMini(o.Game) && charges(o) &&
					(together || o.Game == p.Changed.Game)
			}, func(t *FloorTable) string {
				if !t.takes().Elected {
					return t.Vigorish.String()
				}
				return fmt.Sprintf("%v of %d percent", t.Vigorish, t.Percent)
			})
		},
	},
	{
		Name: "order.pit-uniform", Doc: "All open tables of a game in a pit use one payment procedure.",
		Breach:   "Two procedures in one pit.",
		Severity: finding.Minor, At: Floor, Needs: baccarat.FeedWagers, Floor: func(p *FloorPass) {
			if !p.Settled || !hasProcedure(p.Changed) {
				return
			}
			peer := func(o *FloorTable) bool { return p.samePit(o) && o.usedBeside(p.Changed) && hasProcedure(o) }
			game := func(o *FloorTable) bool { return peer(o) && o.Game == p.Changed.Game }
			kind := func(o *FloorTable) bool { return peer(o) && p.sameKind(o) }
			if !p.compare(game, procedureWord) && p.compare(kind, procedureWord) {
				// "all mini baccarat or midi baccarat tables": of both together, or of each. 9 NYCRR 5324.21(i)(3)(i).
				p.Findings[len(p.Findings)-1].Doubtful = true
			}
		},
	},
	{
		Name:     "order.pit-mixed-baccarat",
		Doc:      "Beside a baccarat table mini and midi tables use its payment procedure.",
		Breach:   "Different procedure next to a baccarat table.",
		Severity: finding.Minor, At: Floor, Needs: baccarat.FeedWagers,
		Covers: []string{"order.pit-uniform"}, Floor: func(p *FloorPass) {
			if !p.Changed.Used || !hasProcedure(p.Changed) {
				return
			}
			p.compare(func(o *FloorTable) bool { return p.samePit(o) && o.Game == baccarat.Baccarat }, procedureWord)
		},
	},
}

// charges reports whether a table charges vigorish at all: the no vigorish variation is offered "notwithstanding" the
// clause of uniformity, and an EZ table charges nothing. 9 NYCRR 5324.21(c)(6). A percentage that was left out is not
// known.
func charges(t *FloorTable) bool {
	takes := t.takes()
	return (takes.Won || takes.Tie > 0) && (t.Percent != 0 || !takes.Elected)
}

// takes is what the kind of vigorish of a table may take.
func (t *FloorTable) takes() law.Takes {
	var l *law.Law
	if t.Law != nil {
		l = t.Law.Law
	}
	return l.TakesEver(&law.Config{Mode: t.Vigorish.Mode, ModeName: t.Vigorish.Name})
}

// hasProcedure reports whether a table uses one of the payment procedures: at an EZ table none is prescribed, and one
// that declares none is no party. 9 NYCRR 5324.21(i)(2).
func hasProcedure(t *FloorTable) bool { return t.Vigorish.Mode != baccarat.EZ && t.Procedure != 0 }

func procedureWord(t *FloorTable) string { return fmt.Sprintf("payment procedure %d", t.Procedure) }

// reshuffleAcrossPit compares what tables of a pit have elected; what a table then does is judged at
// the table.
func reshuffleAcrossPit(p *FloorPass) {
	if p.Settled {
		return
	}
	all := p.Changed.Law.Options["reshuffle_pit_scope"] == "all-games"
	p.compare(func(o *FloorTable) bool { return p.samePit(o) && (all || p.sameKind(o)) }, func(t *FloorTable) string {
		return "elected: " + reshuffled(t.Reshuffle)
	})
}
