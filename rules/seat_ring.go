package rules

import (
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

// clockwise is the occupied seat before one around the table; 0 if none.
func (p *Pass) clockwise(occupied []uint32, seat uint32) uint32 {
	if p.numbered() {
		return clockwise(occupied, seat)
	}
	before, last := uint32(0), uint32(0)
	for _, s := range occupied {
		at := p.ring(s)
		if last == 0 || at > p.ring(last) {
			last = s
		}
		if at < p.ring(seat) && (before == 0 || at > p.ring(before)) {
			before = s
		}
	}
	if before == 0 {
		return last
	}
	return before
}

// counterclockwise is the occupied seat after one around the table, after 0 seat number one or the next one; 0 if none.
func (p *Pass) counterclockwise(occupied []uint32, seat uint32) uint32 {
	switch {
	case p.numbered():
		return counterclockwise(occupied, seat)
	case seat != 0:
		return p.nextSeat(occupied, seat)
	case slices.Contains(occupied, 1):
		return 1
	}
	return p.nextSeat(occupied, 1)
}

// clockwise is the occupied seat after one, going down and around; 0 if none.
func clockwise(occupied []uint32, seat uint32) uint32 {
	for _, s := range slices.Backward(occupied) {
		if s < seat {
			return s
		}
	}
	if n := len(occupied); n > 0 {
		return occupied[n-1]
	}
	return 0
}

// counterclockwise is the occupied seat after one, going up and around; 0 if none.
func counterclockwise(occupied []uint32, seat uint32) uint32 {
	for _, s := range occupied {
		if s > seat {
			return s
		}
	}
	if len(occupied) > 0 {
		return occupied[0]
	}
	return 0
}
