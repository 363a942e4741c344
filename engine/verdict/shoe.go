package verdict

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/rules"
)

// shoe is what was found in a shoe.
type shoe struct {
	of   *play.Shoe
	made map[mark]struct{}
	// ledger decides which of them are emitted.
	ledger ledger
	// silent are the rules that were reported as unauditable.
	silent []*rules.Rule
	Tally
}

// Tally is how many findings a shoe has, and how many rules cannot be audited for want of a feed.
type Tally struct{ Findings, Unauditable uint32 }

// of is what was found in a shoe.
func (t *Table) of(s *play.Shoe) *shoe {
	for _, found := range t.shoes {
		if found.of == s {
			return found
		}
	}
	found := &shoe{made: map[mark]struct{}{}}
	if n := len(t.spare); n > 0 {
		found, t.spare = t.spare[n-1], t.spare[:n-1]
	}
	found.of = s
	t.shoes = append(t.shoes, found)
	return found
}

// forget drops what was found in a shoe.
func (t *Table) forget(s *play.Shoe) {
	at := slices.IndexFunc(t.shoes, func(found *shoe) bool { return found.of == s })
	if at < 0 {
		return
	}
	found := t.shoes[at]
	t.shoes = slices.Delete(t.shoes, at, at+1)
	clear(found.made)
	clear(found.ledger.entries)
	*found = shoe{made: found.made, ledger: ledger{found.ledger.entries[:0]}, silent: found.silent[:0]}
	t.spare = append(t.spare, found)
}

// changed notes what is reported of the table itself; false if it was reported before and has not changed.
func (t *Table) changed(rule, content string) bool {
	if was, ok := t.standing[rule]; ok && was == content {
		return false
	}
	if t.standing == nil {
		t.standing = map[string]string{}
	}
	t.standing[rule] = content
	return true
}

// full reports whether the round or its shoe has more facts than it may have: the finding about that is all that is
// reported.
func (m *moment) full() bool { return m.Shoe.Full != 0 || m.Round != nil && m.Round.Full != 0 }

// otherBook reports whether a finding is about a side bet in a round under a configuration of another rulebook than
// that of the shoe, by which it is judged. No text has such a change within a shoe; the side bet may be of the other
// rulebook.
func (m *moment) otherBook(f *rules.Finding) bool {
	if m.Round == nil || m.Round.Config == nil || m.Shoe.Law == nil || m.Round.Config.Ruleset == m.Shoe.Law.Book.Name {
		return false
	}
	id, _ := f.Subject.Wager()
	at := m.Round.WagerIndex(id)
	return at >= 0 && m.Round.Wagers[at].Spot > baccarat.SpotTie && m.Round.Wagers[at].Spot != baccarat.SpotAgainstBanker
}
