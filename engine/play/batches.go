package play

import (
	"slices"

	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// EarlyShuffle is the shuffle of a shoe that begins later: a shuffling device shuffles one batch while the other is
// dealt. 9 NYCRR 5324.21(a)(4)(iv)(c).
type EarlyShuffle struct {
	Shoe    string
	Shuffle record.Shuffle
}

// maxEarly bounds the shuffles of shoes that have not begun.
const maxEarly = 16

// shuffle is a shuffling step, which it enters into its batch.
func (t *Table) shuffle(c *turn, p *schema.ShoeShuffled) record.Shuffle {
	b := t.batch(p.BatchID)
	if b.Shuffled == 0 {
		b.Shuffled = c.seq
	}
	b.Reshuffled = c.seq
	return shuffleOf(c.seq, p)
}

func shuffleOf(seq record.Seq, p *schema.ShoeShuffled) record.Shuffle {
	return record.Shuffle{
		Seq: seq, Batch: p.BatchID, AfterLacing: p.Phase == schema.ShufflePhaseAfterLacing,
		Device: p.Method == schema.ShuffleMethodDevice, ByHand: p.Method == schema.ShuffleMethodManual,
	}
}

// shuffledEarly takes in the shuffle of another batch while the present shoe is not over. It ends nothing. It is false
// for any other event. A shoe that was joined may not be on record yet: then a shuffle in a device is of the next one.
func (t *Table) shuffledEarly(c *turn) bool {
	p, ok := t.now.Payload.(*schema.ShoeShuffled)
	switch {
	case !ok:
		return false
	case t.Shoe == nil:
		if !t.Joined || !t.first() || p.Method != schema.ShuffleMethodDevice {
			return false
		}
	case t.awaitsOther(p.BatchID): // the shoe has ended
	case t.Shoe.Ended.Seq != 0 || !t.isOther(t.Shoe, p.BatchID):
		return false
	}
	t.keep(t.now)
	if len(t.Early) == maxEarly {
		t.Early = slices.Delete(t.Early, 0, 1)
	}
	t.Early = append(t.Early, EarlyShuffle{t.now.ShoeID, t.shuffle(c, p)})
	t.shuffledAgain(c, p.BatchID)
	return true
}

// awaitsOther reports whether a shuffle comes between two shoes, of the cards of the shoe that ended, while the next
// shoe waits for its loading with another batch: it is of a later shoe.
func (t *Table) awaitsOther(batch string) bool {
	s := t.Shoe
	return s != nil && s.Ended.Seq != 0 && s.LastCard != 0 && batch != "" && s.Batch() == batch &&
		slices.ContainsFunc(t.Early, func(e EarlyShuffle) bool {
			return e.Shoe != t.now.ShoeID && e.Shuffle.Batch != "" && e.Shuffle.Batch != batch
		})
}

// first reports whether no shoe has begun since the record of the table began, or its numbers began again.
func (t *Table) first() bool { return len(t.Used) == 0 || t.Used[len(t.Used)-1] == "" }

// shuffledBefore reports whether a shoe that has not begun was shuffled.
func (t *Table) shuffledBefore(id string) bool {
	return slices.ContainsFunc(t.Early, func(e EarlyShuffle) bool { return e.Shoe == id })
}

// takeEarly takes the shuffles of a shoe that now begins.
func (t *Table) takeEarly(id string) []record.Shuffle {
	var shuffles []record.Shuffle
	for _, e := range t.Early {
		if e.Shoe == id {
			shuffles = append(shuffles, e.Shuffle)
		}
	}
	t.Early = slices.DeleteFunc(t.Early, func(e EarlyShuffle) bool { return e.Shoe == id })
	return shuffles
}

// isOther reports whether a batch is not the one of a shoe. Where a shuffling device is in use an unknown batch may be
// the other one.
func (t *Table) isOther(s *Shoe, batch string) bool {
	if was := s.Batch(); batch != "" && was != "" {
		return batch != was
	}
	return t.Config != nil && t.Config.AutomatedShuffler && s.Out > 0
}

// shuffledAgain notes that the cards of a shoe that was played are shuffled again, or in the shuffling device.
func (t *Table) shuffledAgain(c *turn, batch string) {
	for _, s := range [2]*Shoe{t.Prev, t.Shoe} {
		if s != nil && batch != "" && s.Batch() == batch && s.LastCard != 0 && (s == t.Prev || s.Ended.Seq != 0) {
			s.reshuffled(c.seq)
		}
	}
}

// reshuffled notes what is owed when the cards of a shoe are shuffled again.
func (s *Shoe) reshuffled(at record.Seq) {
	if s.NextShuffled == 0 {
		s.NextShuffled, s.OwedAtShuffle = at, s.Owed(s.OwedAtShuffle[:0])
	}
}

// batchOf is the batch that an event of a preparation names, empty for any other event.
func batchOf(ev *schema.Event) string {
	switch p := ev.Payload.(type) {
	case *schema.ShoeShuffled:
		return p.BatchID
	case *schema.ShoeLaced:
		return p.BatchID
	case *schema.ShoeTransposed:
		return p.BatchID
	case *schema.ShoeLoaded:
		return p.BatchID
	default: // names none
		return ""
	}
}

// batch is a set of decks of the table, new if need be.
func (t *Table) batch(id string) *record.Batch {
	if b := t.History.Batch(id); b != nil {
		return b
	}
	list := t.History.Batches
	if id == "" && len(list) > 0 { // not reported: the cards that the table prepares
		return &list[len(list)-1]
	}
	if len(list) == maxBatches {
		list = slices.Delete(list, 0, 1)
	}
	t.History.Batches = append(list, record.Batch{ID: id})
	return &t.History.Batches[len(t.History.Batches)-1]
}
