package rules

import (
	"cmp"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
)

// Around the table is counterclockwise in the order in which the table declares its seats, config.seats, and by number
// where that is ascending or nothing is declared. "The highest number position" and "seat number one" are numbers.
// N.J.A.C. 19:47-3.5(b), 3.6(b), 3.11(b), 4.4(b), 7.5(b).

// bySeats is a check of an order of seats at a table that declares them in another order than by number. Who
// follows the numbers there is SUSPECT: the seats may have been declared in no order. A seat that the table does not
// declare leaves the order open.
func bySeats(check func(*Pass)) func(*Pass) { return func(p *Pass) { p.bySeats(check) } }

func (p *Pass) bySeats(check func(*Pass)) {
	from := len(p.Findings)
	check(p)
	if p.numbered() || !accuses(p.Findings[from:]) {
		return
	}
	to := len(p.Findings)
	p.byNumber = true
	check(p)
	p.byNumber = false
	again := accuses(p.Findings[to:])
	p.Findings = p.Findings[:to]
	occupied := p.Shoe.Prep.Occupied
	if p.Round != nil {
		occupied = p.Table.Occupied
	}
	foreign := slices.IndexFunc(occupied, p.foreignSeat)
	for i := from; i < to; i++ {
		switch f := &p.Findings[i]; {
		case f.Verdict != "":
		case !again:
			f.Verdict = finding.Suspect
		case foreign >= 0:
			f.Verdict, f.Observed = finding.Unauditable, notOfTable(occupied[foreign])
		}
	}
}

// accuses reports whether a finding of several is a breach.
func accuses(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Verdict == "" })
}

// numbered reports whether the seats are in the order of their numbers.
func (p *Pass) numbered() bool { return p.byNumber || slices.IsSorted(p.Config.Seats) }

// place is the place of a seat around the table, counterclockwise.
func (p *Pass) place(seat uint32) int {
	if p.numbered() {
		return int(seat)
	}
	return p.ring(seat)
}

// clockwise is the occupied seat before one around the table; 0 if none.
func (p *Pass) clockwise(occupied []uint32, seat uint32) uint32 {
	return nextBy(func(s uint32) int { return -p.place(s) }, occupied, seat)
}

// counterclockwise is the occupied seat after one around the table, after 0 seat number one or the next one; 0 if none.
func (p *Pass) counterclockwise(occupied []uint32, seat uint32) uint32 {
	if seat == 0 {
		if seat = 1; slices.Contains(occupied, seat) {
			return seat
		}
	}
	if p.numbered() {
		return counterclockwise(occupied, seat)
	}
	return nextBy(p.place, occupied, seat)
}

// counterclockwise is the occupied seat after one by number, going up and around; 0 if none.
func counterclockwise(occupied []uint32, seat uint32) uint32 {
	return nextBy(func(s uint32) int { return int(s) }, occupied, seat)
}

// nextBy is the occupied seat after one in the order of places, going around; 0 if none.
func nextBy(place func(seat uint32) int, occupied []uint32, seat uint32) (next uint32) {
	first, from := uint32(0), place(seat)
	firstAt, nextAt := 0, 0
	for _, s := range occupied {
		at := place(s)
		if first == 0 || at < firstAt {
			first, firstAt = s, at
		}
		if at > from && (next == 0 || at < nextAt) {
			next, nextAt = s, at
		}
	}
	return cmp.Or(next, first)
}
