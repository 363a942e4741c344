package record

// The record of a table is bounded: a feed that is broken, or hostile, can neither fill the memory nor stop the audit.
// The limits are far above any play. A full table of 14 seats with every wager of every pay table has some 500 wagers
// and motions of money in a round; a shoe has 832 rounds at most, of four cards each from 64 decks.
const (
	// MaxFacts is how many facts a round has at most: wagers and their changes, cards, calls, motions of money, and what
	// each of them names. MaxDealt is how many of them are cards.
	MaxFacts = 4096
	MaxDealt = 64
	// MaxEntries is how many entries the record of a shoe has at most beside its rounds, MaxSpan how many events of the
	// table it spans.
	MaxEntries = 1 << 15
	MaxSpan    = 1 << 20
)

// Facts is how many facts a round has.
func (r *Round) Facts() int {
	n := len(r.Cards) + len(r.Wagers) + len(r.Steps) + len(r.Calls) + len(r.Instructions) + len(r.Touches) +
		len(r.Squeezes) + len(r.Moves) + len(r.Discards) + len(r.Bancos) + len(r.Early) + len(r.ConfigChanged) +
		len(r.Opened.Seats) + len(r.Opened.LeftOut)
	for i := range r.Wagers {
		w := &r.Wagers[i]
		n += len(w.Changes) + len(w.Handled) + len(w.Confirmed)
	}
	for i := range r.Steps {
		n += len(r.Steps[i].Wagers)
	}
	for i := range r.Squeezes {
		n += len(r.Squeezes[i].Cards)
	}
	for i := range r.Discards {
		n += len(r.Discards[i].Cards)
	}
	return n
}

// Exceeds reports whether a round has more facts than it may have, after an event that may have added some. They are
// counted when the most that the events may have added exceeds the limit.
func (r *Round) Exceeds(added int) bool {
	if r.most == 0 {
		r.most = r.Facts() // the first event, or the first one after a restart
	}
	if r.most += added; r.most > MaxFacts {
		r.most = r.Facts()
	}
	return r.most > MaxFacts || len(r.Cards) > MaxDealt
}

// Entries is how many entries the record of a shoe has beside its rounds.
func (s *Shoe) Entries() int {
	p := &s.Prep
	return len(p.Shuffles) + len(p.Laced) + len(p.Offers) + len(p.Cuts) + len(p.Recuts) + len(p.Transposed) +
		len(p.Cutcards) + len(p.Loads) + len(s.Burns) + len(s.Curators) + len(s.FaceUps) + len(s.Bids) + len(s.Bank) +
		len(s.Cutcard) + len(s.LastHandCalls) + len(s.Rounds) + len(s.Dues) + len(s.Collections) + len(s.Unexplained) +
		len(s.Undue) + len(s.MarkersRemoved) + len(s.OwedAtShuffle)
}

// unexplainAll notes that what the seats of a round owe is not known.
func (s *Shoe) unexplainAll(r *Round) {
	for i := range r.Wagers {
		s.Unexplain(r.Wagers[i].Seat)
	}
	for i := range r.Steps {
		s.Unexplain(r.Steps[i].Seat)
	}
}

// Unexplain notes that what a seat owes of a round is not known.
func (s *Shoe) Unexplain(seat uint32) {
	if seat != 0 && !Any(s.Unexplained, func(known *uint32) bool { return *known == seat }) {
		s.Unexplained = append(s.Unexplained, seat)
	}
}
