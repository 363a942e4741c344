package detectors

import "github.com/shoeproof/shoeproof/record"

// place is where a shoe is dealt. The moments of the shoe share it.
type place struct{ property, pit, table, shoe string }

// moment is a Location in 32 bytes: each account refers to several, and the accounts of a round share them.
type moment struct {
	place *place
	at    int64 // ns
	seq   record.Seq
	round uint32
}

// momentRef is 1 + the number of a moment, 0 for none.
type momentRef uint32

// momentChunk is the number of moments that are allocated together.
const momentChunk = 64

// moments makes moments and numbers them. It knows the last one, and the last place of each table.
type moments struct {
	chunks []*[momentChunk]moment
	count  int
	last   momentRef
	places map[string]*place
}

// at returns a moment. It is valid until the next call of compact.
func (m *moments) at(ref momentRef) *moment {
	return &m.chunks[(ref-1)/momentChunk][(ref-1)%momentChunk]
}

func (m *moments) location(ref momentRef) Location {
	if ref == 0 {
		return Location{}
	}
	x := m.at(ref)
	return Location{
		Property: x.place.property, Pit: x.place.pit, Table: x.place.table, Shoe: x.place.shoe,
		Round: x.round, At: x.at, Seq: x.seq,
	}
}

// endShoe drops all moments. Their storage is used again.
func (m *moments) endShoe() { m.last, m.count = 0, 0 }

// add adds a moment.
func (m *moments) add(x moment) momentRef {
	if m.count == len(m.chunks)*momentChunk {
		m.chunks = append(m.chunks, new([momentChunk]moment))
	}
	m.count++
	ref := momentRef(m.count)
	*m.at(ref) = x
	return ref
}

// of returns the moment of a location.
func (m *moments) of(l *Location) momentRef {
	if m.last != 0 && m.location(m.last) == *l {
		return m.last
	}
	at := m.places[l.Table]
	if at == nil || at.property != l.Property || at.pit != l.Pit || at.shoe != l.Shoe {
		at = &place{property: l.Property, pit: l.Pit, table: l.Table, shoe: l.Shoe}
		m.places[l.Table] = at
	}
	m.last = m.add(moment{place: at, at: l.At, seq: l.Seq, round: l.Round})
	return m.last
}

// compact drops the moments to which no account refers, and numbers the others again, in their order.
func (l *ledger) compact() {
	m := &l.moments
	numbers := make([]momentRef, m.count+1)
	l.eachMoment(func(ref *momentRef) { numbers[*ref] = 1 })
	kept := momentRef(0)
	for ref := momentRef(1); int(ref) <= m.count; ref++ {
		if numbers[ref] != 0 {
			kept++
			*m.at(kept), numbers[ref] = *m.at(ref), kept
		}
	}
	l.eachMoment(func(ref *momentRef) { *ref = numbers[*ref] })
	m.last, m.count = numbers[m.last], int(kept)
	used := (m.count + momentChunk - 1) / momentChunk
	clear(m.chunks[used:])
	m.chunks = m.chunks[:used]
}

// eachMoment calls use with each reference of an account to a moment.
func (l *ledger) eachMoment(use func(*momentRef)) {
	for _, a := range l.accounts {
		for ; a != nil; a = a.next {
			a.eachMoment(use)
		}
	}
}

// eachMoment calls use with the references to moments, in order.
func (a *account) eachMoment(use func(*momentRef)) {
	if a.since != 0 {
		use(&a.since)
	}
	for i := range a.listed {
		use(&a.top.moments[i])
	}
}
