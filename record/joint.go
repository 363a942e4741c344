package record

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// payMark notes what a collection of the round pays of what is marked.
func (d *Due) payMark(paid int64, at Seq) {
	if paid > 0 {
		d.Collected, d.PaidMark, d.PaidMarkAt = paid, paid, at
	}
}

// ofMark is what a collection in the round, with those before it, pays of the mark of a wager: nothing if it is a
// further part of the vigorish; its share if it is a part of what is marked rightly, and markers that were not taken
// off evidence the rest; all otherwise.
func (s *Shoe) ofMark(l *law.Law, r *Round, d *Due, wager int, step *Step) int64 {
	v, ok := l.Rate(d.Kind, d.Percent)
	if !ok || d.Tie {
		return d.Marked
	}
	var g joint
	s.together(&g, r, d, charged{wager: wager, step: step})
	switch {
	case g.n == 0:
		return d.Marked
	case g.marks == 1 && Parts(g.marked, g.took, d.Percent, g.total), g.further(&v):
		return 0
	case !g.gone && PartOfMark(&v, g.marked, g.took, g.winnings()):
		return min(max(g.took-g.before, 0), d.Marked)
	default:
		return d.Marked
	}
}

// joint are the banker wagers that a collection of the round covers.
type joint struct {
	n     int // how many wagers it covers
	at    [maxJoint]int
	won   [maxJoint]int64
	marks int // how many of them have a mark before it
	total int64
	// marked is what is marked for them before it, before the part for those before a wager.
	marked, before int64
	took           int64 // the collection, and those before it of that wager
	gone           bool  // a marker was taken off in the round
}

// maxJoint is the most wagers of which a collection is divided; a seat has a handful.
const maxJoint = 16

func (g *joint) wagers() []int     { return g.at[:g.n] }
func (g *joint) winnings() []int64 { return g.won[:g.n] }

// cover takes in a wager, unless they are too many.
func (g *joint) cover(wager int, won int64) bool {
	if g.n == maxJoint {
		return false
	}
	g.at[g.n], g.won[g.n], g.total = wager, won, baccarat.Add(g.total, won)
	g.n++
	return true
}

// charged is a wager and a collection that covers it.
type charged struct {
	wager int
	step  *Step
}

// together finds the wagers that a collection of the round covers with a wager; none if they are too many.
func (s *Shoe) together(g *joint, r *Round, d *Due, c charged) {
	paid := r.PaidTogether()
	for i := range r.Wagers {
		w, won, within := &r.Wagers[i], d.Won, i == c.wager
		if !within && w.Spot == baccarat.SpotBanker && !w.Gone && c.step.Covers(r, i) {
			won, _ = w.Winnings(paid)
			within = true
		}
		if within && !g.cover(i, won) {
			*g = joint{}
			return
		}
	}
	marks := [maxJoint]int64{}
	for i := range r.Steps {
		t := &r.Steps[i]
		if t.Kind > StepVigMarked && t.Seq <= c.step.Seq && t.Covers(r, c.wager) {
			g.took = baccarat.Add(g.took, t.Amount)
		}
		of, covered := slices.BinarySearch(g.wagers(), t.Wager)
		if t.Kind == StepVigMarked && covered && t.Seq < c.step.Seq && !s.TakenOff(r, t, d.Percent) &&
			!s.Repeats(r, t, d.Percent) {
			marks[of] = baccarat.Add(marks[of], t.Amount)
		}
	}
	for i, amount := range marks[:g.n] {
		if amount > 0 {
			g.marks++
		}
		if g.marked = baccarat.Add(g.marked, amount); g.at[i] < c.wager {
			g.before = g.marked
		}
	}
	g.gone = s.MarkGone(r, g.wagers())
}

// PartOfMark reports whether less was collected than was marked rightly for what was won: markers that were not taken
// off evidence the rest.
func PartOfMark(v *baccarat.Vig, marked, took int64, won []int64) bool {
	return v.Judge(marked, won...) == baccarat.VigLegal && v.Judge(took, won...) == baccarat.VigUnder
}

// further reports whether a collection is right with the marks before it, and neither alone: it is of what is not
// marked. If it is of the amount that is marked, it may be the collection of that, unless another wager is not marked,
// and no marker was taken off.
func (g *joint) further(v *baccarat.Vig) bool {
	return (g.marked != g.took || g.marks < g.n && !g.gone) &&
		v.Judge(g.took, g.winnings()...) == baccarat.VigUnder && v.Judge(g.marked, g.winnings()...) == baccarat.VigUnder &&
		v.Judge(baccarat.Add(g.marked, g.took), g.winnings()...) == baccarat.VigLegal
}

// MarkGone reports whether a marker of one of the wagers, which are in ascending order, was taken off in the round.
func (s *Shoe) MarkGone(r *Round, wagers []int) bool {
	return Any(r.Steps, func(m *Step) bool {
		_, of := slices.BinarySearch(wagers, m.Wager)
		return m.Kind == StepVigMarked && of && s.Lifted(r, m) != 0
	})
}
