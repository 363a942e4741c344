package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Floor compares the tables of a pit and of a property: the stage that has no home in a partition, since tables of one
// pit may lie in several. It works over the configurations in force and, where it is given the rounds, over the rounds
// that were settled under them: what a table elected and never used binds no other table.
type Floor struct {
	opt  Options
	rows []rows.Config
	// settled are the times of the rounds with wagers, by property and table; nil if no rounds are known.
	settled map[[2]string][]int64
	// gaps are the times of the first events after missing ones, by property and table.
	gaps map[[2]string][]int64
}

// NewFloor makes a floor without tables.
func NewFloor(opt Options) *Floor { return &Floor{opt: opt} }

// NoteAll takes in the configurations, the rounds and the missing events of a set.
func (f *Floor) NoteAll(set *rows.Set) {
	f.Note(set.Configs)
	f.NoteRounds(&set.Rounds)
	f.NoteGaps(set.Findings)
}

// Note takes configurations in, in any order.
func (f *Floor) Note(rows []rows.Config) { f.rows = append(f.rows, rows...) }

// NoteRounds takes rounds in, in any order. Without rounds each configuration counts as used from its time on.
func (f *Floor) NoteRounds(r *rows.Rounds) {
	if f.settled == nil {
		f.settled = map[[2]string][]int64{}
	}
	for i, at := range r.At {
		if r.Wagers[i] > 0 {
			key := [2]string{r.PropertyID[i], r.TableID[i]}
			f.settled[key] = append(f.settled[key], at)
		}
	}
}

// NoteGaps takes in which events are missing, of any findings. A configuration may be among them, so that one from
// before proves nothing after them.
func (f *Floor) NoteGaps(found []finding.Finding) {
	for i := range found {
		if g := &found[i]; g.Rule == "feed.gap" && g.Observed == "missing" {
			if f.gaps == nil {
				f.gaps = map[[2]string][]int64{}
			}
			key := [2]string{g.PropertyID, g.TableID}
			f.gaps[key] = append(f.gaps[key], int64(g.At))
		}
	}
}

// gap is the time of the first missing events after a configuration, after all time if there are none.
func (f *Floor) gap(row *rows.Config) int64 {
	first := int64(math.MaxInt64)
	for _, at := range f.gaps[[2]string{row.PropertyID, row.TableID}] {
		if at > row.At {
			first = min(first, at)
		}
	}
	return first
}

// compareConfigs orders the configurations of a table that take effect at one moment.
func compareConfigs(a, b *rows.Config) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.At, b.At), cmp.Compare(a.PitID, b.PitID),
		cmp.Compare(a.EventID, b.EventID))
}

// moment is a configuration that comes into force, or the first round under it, with the time until which it counts as
// used: of the last round if another configuration replaced it.
type moment struct {
	at, last int64
	row      *rows.Config
	used     bool
	// proved is the last round under it before events of the table are missing, after all time if none are.
	proved int64
}

// moments are the configurations and their first rounds in the order of time.
func (f *Floor) moments() []moment {
	var all []moment
	next := map[[2]string]*rows.Config{}
	for i := len(f.rows) - 1; i >= 0; i-- {
		row := &f.rows[i]
		key := [2]string{row.PropertyID, row.TableID}
		until, by := int64(math.MaxInt64), next[key]
		if by != nil {
			until = by.EffectiveAt
		}
		next[key] = row
		all = append(all, moment{at: row.EffectiveAt, row: row})
		if first, last := f.use(key, row.EffectiveAt, until); first != 0 && !row.Closed {
			if by == nil || by.Closed {
				last = math.MaxInt64 // it stayed elected
			}
			proved := last
			if gap := f.gap(row); gap < until {
				_, proved = f.use(key, row.EffectiveAt, gap)
			}
			all = append(all, moment{at: first, last: last, row: row, used: true, proved: proved})
		}
	}
	slices.SortFunc(all, func(a, b moment) int {
		switch {
		case a.at == b.at && a.used && !b.used: // a configuration comes before the first round under it
			return 1
		case a.at == b.at && b.used && !a.used:
			return -1
		}
		return cmp.Or(
			cmp.Compare(a.at, b.at), cmp.Compare(a.row.PropertyID, b.row.PropertyID),
			cmp.Compare(a.row.TableID, b.row.TableID), compareConfigs(a.row, b.row),
		)
	})
	return all
}

// use is the time of the first and of the last round in a span, 0 if there was none.
func (f *Floor) use(key [2]string, from, until int64) (first, last int64) {
	if f.settled == nil {
		return from, until
	}
	for _, at := range f.settled[key] {
		if at < from || at >= until {
			continue
		}
		if first == 0 || at < first {
			first = at
		}
		last = max(last, at)
	}
	return first, last
}

// Findings walks all configurations in the order in which they took effect, and the first rounds under them, and
// returns the tables that differ from one they must agree with. What takes effect at one moment is compared as a whole.
func (f *Floor) Findings() []finding.Finding {
	slices.SortFunc(f.rows, func(a, b rows.Config) int {
		return cmp.Or(
			cmp.Compare(a.EffectiveAt, b.EffectiveAt), cmp.Compare(a.PropertyID, b.PropertyID),
			cmp.Compare(a.TableID, b.TableID), compareConfigs(&a, &b),
		)
	})
	var found []finding.Finding
	seen := map[string]int{} // the findings by their ids
	pass := rules.FloorPass{}
	all := f.moments()
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].at == all[from].at && all[to].used == all[from].used {
			to++
		}
		pass.Settled, pass.At = all[from].used, all[from].at
		for _, t := range f.changed(&pass, all[from:to]) {
			if !slices.Contains(pass.Open, t) {
				continue // closed or changed again at the same moment
			}
			pass.Changed = t
			pass.Evaluate()
			for i := range pass.Findings {
				row := f.finding(&pass.Findings[i])
				at, known := seen[row.ID]
				switch {
				case !known:
					seen[row.ID] = len(found)
					found = append(found, row)
				case found[at].Verdict == finding.Unauditable:
					found[at] = row
				}
			}
		}
		from = to
	}
	return found
}

// changed takes in what comes at one moment and returns the tables to be judged.
func (f *Floor) changed(pass *rules.FloorPass, all []moment) []*rules.FloorTable {
	var changed []*rules.FloorTable
	for _, m := range all {
		if m.used {
			for _, t := range pass.Open {
				if t.Property == m.row.PropertyID && t.Table == m.row.TableID && uint64(t.Seq) == m.row.Seq {
					t.Used, t.UsedAt, t.LastUsed, t.Proved = true, m.at, m.last, m.proved
					changed = append(changed, f.judged(pass, t)...)
				}
			}
		} else if t := f.enact(pass, m.row); t != nil {
			changed = append(changed, f.judged(pass, t)...)
		}
	}
	return changed
}

// judged is a table, or the tables beside it if no rulebook has its game.
func (f *Floor) judged(pass *rules.FloorPass, t *rules.FloorTable) []*rules.FloorTable {
	if t.Law != nil {
		return []*rules.FloorTable{t}
	}
	var beside []*rules.FloorTable
	for _, o := range pass.Open {
		if o.Law != nil && o.Property == t.Property && o.Pit == t.Pit {
			beside = append(beside, o)
		}
	}
	return beside
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
		Game:     baccarat.ParseGame(row.Game),
		Vigorish: law.ParseKind(row.Mode), Percent: row.Percent, Procedure: row.Procedure,
		Reshuffle: row.Reshuffle,
		Seq:       record.Seq(row.Seq), EventID: row.EventID, At: row.EffectiveAt, Gap: f.gap(row),
	}
	if book, ok := f.opt.Books[row.Ruleset]; ok {
		if law, ok := book.Law(t.Game); ok {
			t.Law = rules.NewSet(law)
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
	if !row.Basis.Proves() || of.Doubtful {
		row.Verdict = finding.Suspect
	}
	if of.Unproved {
		row.Verdict, row.Severity = finding.Unauditable, finding.Info
		of.Observed = "a configuration may be missing; found: " + of.Observed
	}
	row.Citations, row.Rulebook, row.Engine = cited.Citations, t.Law.Book.Ref(), f.opt.Version
	row.PitID, row.At, row.GamingDay, row.Shift = t.Pit, schema.Time(t.At), day, shift
	row.Expected, row.Observed, row.Covers = of.Expected, of.Observed, of.Covers
	row.Evidence = finding.Evidence{Seqs: []uint64{uint64(t.Seq)}, EventIDs: []string{t.EventID}}
	return row
}
