package engine

import (
	"cmp"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Floor compares the tables of a pit and of a property: the stage that has no home in a partition,
// since tables of one pit may lie in several. It works over the configurations in force.
type Floor struct {
	opt  Options
	rows []rows.Config
}

// NewFloor makes a floor without tables.
func NewFloor(opt Options) *Floor { return &Floor{opt: opt} }

// Note takes configurations in, in any order.
func (f *Floor) Note(rows []rows.Config) { f.rows = append(f.rows, rows...) }

// Findings walks all configurations in the order in which they took effect and returns the tables
// that differ from one they must agree with. What takes effect at one moment is compared as a whole:
// a pit that changes over together never differs from itself.
func (f *Floor) Findings() []finding.Finding {
	slices.SortFunc(f.rows, func(a, b rows.Config) int {
		return cmp.Or(
			cmp.Compare(a.EffectiveAt, b.EffectiveAt), cmp.Compare(a.PropertyID, b.PropertyID),
			cmp.Compare(a.TableID, b.TableID), cmp.Compare(a.Seq, b.Seq),
		)
	})
	var found []finding.Finding
	seen := map[string]bool{}
	pass := rules.FloorPass{}
	for from := 0; from < len(f.rows); {
		to := from + 1
		for to < len(f.rows) && f.rows[to].EffectiveAt == f.rows[from].EffectiveAt {
			to++
		}
		var changed []*rules.FloorTable
		for i := from; i < to; i++ {
			switch t := f.enact(&pass, &f.rows[i]); {
			case t == nil:
			case t.Law != nil:
				changed = append(changed, t)
			default:
				// A game without a law is not judged, but the tables beside it are.
				for _, o := range pass.Open {
					if o.Law != nil && o.Property == t.Property && o.Pit == t.Pit {
						changed = append(changed, o)
					}
				}
			}
		}
		for _, t := range changed {
			if !slices.Contains(pass.Open, t) {
				continue // closed or changed again at the same moment
			}
			pass.Changed = t
			pass.Evaluate()
			for i := range pass.Findings {
				row := f.finding(&pass.Findings[i])
				if !seen[row.ID] {
					seen[row.ID] = true
					found = append(found, row)
				}
			}
		}
		from = to
	}
	return found
}

// enact opens, changes or closes a table and returns it unless it is closed now.
func (f *Floor) enact(pass *rules.FloorPass, row *rows.Config) *rules.FloorTable {
	at, found := slices.BinarySearchFunc(pass.Open, row, func(t *rules.FloorTable, row *rows.Config) int {
		return cmp.Or(cmp.Compare(t.Property, row.PropertyID), cmp.Compare(t.Table, row.TableID))
	})
	if found {
		pass.Open = slices.Delete(pass.Open, at, at+1)
	}
	if row.Closed {
		return nil
	}
	t := &rules.FloorTable{
		Property: row.PropertyID, Pit: row.PitID, Table: row.TableID, Ruleset: row.Ruleset,
		Game: baccarat.ParseGame(row.Game),
		Mode: baccarat.ParseVigorishMode(row.Mode), Percent: row.Percent, Procedure: row.Procedure,
		Reshuffle: row.Reshuffle,
		Seq:       record.Seq(row.Seq), EventID: row.EventID, At: row.EffectiveAt,
	}
	if book, ok := f.opt.Books[row.Ruleset]; ok {
		if law, ok := book.Law(t.Game); ok {
			t.Law, t.Rules = law, rules.NewSet(law)
		}
	}
	pass.Open = slices.Insert(pass.Open, at, t)
	return t
}

func (f *Floor) finding(of *rules.FloorFinding) finding.Finding {
	t := of.Table
	cited, _ := t.Law.Cited(of.Rule.Name)
	day, shift := f.opt.Calendar.Of(t.At)
	row := finding.New(finding.Identity{
		PropertyID: t.Property, TableID: t.Table, Rule: of.Rule.Name, Version: of.Rule.Version,
		Subject: finding.OfRange(uint64(t.Seq), uint64(t.Seq)).String(),
	}, finding.Deviation, finding.Breach, of.Rule.Severity)
	row.Basis = rules.BasisOf(cited)
	if !t.Law.Book.InForce(f.opt.Calendar.Date(t.At)) {
		row.Basis = finding.NotInForce
	}
	if !row.Basis.Proves() {
		row.Verdict = finding.Suspect
	}
	row.Citations, row.Rulebook, row.Engine = cited.Citations, t.Law.Book.Ref(), f.opt.Version
	row.PitID, row.At, row.GamingDay, row.Shift = t.Pit, schema.Time(t.At), day, shift
	row.Expected, row.Observed, row.Covers = of.Expected, of.Observed, of.Covers
	row.Evidence = finding.Evidence{Seqs: []uint64{uint64(t.Seq)}, EventIDs: []string{t.EventID}}
	return row
}
