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
	g := s.together(r, d, wager, step)
	switch {
	case !ok || d.Tie || len(g.won) == 0:
		return d.Marked
	case g.marks == 1 && Parts(g.marked, g.took, d.Percent, g.total), g.further(&v):
		return 0
	case !g.gone && PartOfMark(&v, g.marked, g.took, g.won):
		return min(max(g.took-g.before, 0), d.Marked)
	default:
		return d.Marked
	}
}

// joint are the banker wagers that a collection of the round covers.
type joint struct {
	at    []int
	won   []int64
	total int64
	// marked is what is marked for them before it, before the part for those before a wager; marks is for how many.
	marked, before int64
	marks          int
	took           int64 // the collection, and those before it of that wager
	gone           bool  // a marker was taken off in the round
}

// maxJoint is the most wagers of which a collection is divided; a seat has a handful.
const maxJoint = 16

// together are the wagers that a collection of the round covers with a wager; none if they are too many.
func (s *Shoe) together(r *Round, d *Due, wager int, step *Step) (g joint) {
	paid := r.PaidTogether()
	cover := func(wager int, won int64) {
		g.at, g.won, g.total = append(g.at, wager), append(g.won, won), baccarat.Add(g.total, won)
	}
	for i := range r.Wagers {
		if w := &r.Wagers[i]; i == wager {
			cover(i, d.Won)
		} else if w.Spot == baccarat.SpotBanker && !w.Gone && step.Covers(r, i) {
			won, _ := w.Winnings(paid)
			cover(i, won)
		}
		if len(g.at) > maxJoint {
			return joint{}
		}
	}
	marks := [maxJoint]int64{}
	for i := range r.Steps {
		t := &r.Steps[i]
		if t.Kind > StepVigMarked && t.Seq <= step.Seq && t.Covers(r, wager) {
			g.took = baccarat.Add(g.took, t.Amount)
		}
		of, covered := slices.BinarySearch(g.at, t.Wager)
		if t.Kind == StepVigMarked && covered && t.Seq < step.Seq && !s.TakenOff(r, t, d.Percent) &&
			!s.Repeats(r, t, d.Percent) {
			marks[of] = baccarat.Add(marks[of], t.Amount)
		}
	}
	for i, amount := range marks[:len(g.at)] {
		if amount > 0 {
			g.marks++
		}
		if g.marked = baccarat.Add(g.marked, amount); g.at[i] < wager {
			g.before = g.marked
		}
	}
	g.gone = s.MarkGone(r, g.at)
	return g
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
	return (g.marked != g.took || g.marks < len(g.at) && !g.gone) &&
		v.Judge(g.took, g.won...) == baccarat.VigUnder && v.Judge(g.marked, g.won...) == baccarat.VigUnder &&
		v.Judge(baccarat.Add(g.marked, g.took), g.won...) == baccarat.VigLegal
}

// MarkGone reports whether a marker of one of the wagers, which are in ascending order, was taken off in the round.
func (s *Shoe) MarkGone(r *Round, wagers []int) bool {
	return Any(r.Steps, func(m *Step) bool {
		_, of := slices.BinarySearch(wagers, m.Wager)
		return m.Kind == StepVigMarked && of && s.Lifted(r, m) != 0
	})
}
