package detectors

import "github.com/shoeproof/shoeproof/record"

// place is where a shoe is dealt. The moments of the shoe share it. Number is its number in a state that is written.
type place struct {
	property, pit, table, shoe string
	number                     int
}

// moment is a Location in a few bytes: each account refers to several, and the accounts of a round share them.
type moment struct {
	place *place
	at    int64 // ns
	seq   record.Seq
	round uint32
	// number is its number in a state that is written.
	number uint32
}

func (m *moment) location() Location {
	return Location{
		Property: m.place.property, Pit: m.place.pit, Table: m.place.table, Shoe: m.place.shoe,
		Round: m.round, At: m.at, Seq: m.seq,
	}
}

// weight is the evidence of one round.
type weight struct {
	moment *moment
	lnE    float64
}

// moments makes moments. It knows the last one, and the last place of each table.
type moments struct {
	last   *moment
	places map[string]*place
	// reuses is set where all accounts end with the shoe: then made are the moments of the shoe, and spare those of
	// earlier ones.
	reuses      bool
	made, spare []*moment
}

// endShoe takes back the moments of a shoe whose accounts are dropped.
func (m *moments) endShoe() {
	m.last, m.spare, m.made = nil, append(m.spare, m.made...), m.made[:0]
}

// next returns a moment to be filled.
func (m *moments) next() *moment {
	if !m.reuses {
		return &moment{}
	}
	if len(m.spare) == 0 {
		m.spare = append(m.spare, &moment{})
	}
	n := len(m.spare) - 1
	x := m.spare[n]
	m.spare, m.made = m.spare[:n], append(m.made, x)
	return x
}

// of returns the moment of a location.
func (m *moments) of(l *Location) *moment {
	if m.last != nil && m.last.location() == *l {
		return m.last
	}
	at := m.places[l.Table]
	if at == nil || at.property != l.Property || at.pit != l.Pit || at.shoe != l.Shoe {
		at = &place{property: l.Property, pit: l.Pit, table: l.Table, shoe: l.Shoe}
		m.places[l.Table] = at
	}
	m.last = m.next()
	*m.last = moment{place: at, at: l.At, seq: l.Seq, round: l.Round}
	return m.last
}
