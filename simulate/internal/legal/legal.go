// Package legal checks the events of a legal table for the tests of the simulator: cards, money and the drawing table,
// read a second time from the regulation.
package legal

import (
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Check fails the test if the events of one table break what every legal table has in common.
func Check(t *testing.T, what string, events []schema.Event) {
	t.Helper()
	ids := map[string]bool{}
	var cfg schema.TableConfig
	var c checker
	for i := range events {
		ev := &events[i]
		if ev.Seq != uint64(i)+1 {
			t.Fatalf("%s: event %d has seq %d", what, i, ev.Seq)
		}
		if i > 0 && ev.At < events[i-1].At {
			t.Fatalf("%s seq %d: the clock runs back", what, ev.Seq)
		}
		if ids[ev.EventID] || len(ev.EventID) != 26 {
			t.Fatalf("%s seq %d: bad or repeated id %q", what, ev.Seq, ev.EventID)
		}
		ids[ev.EventID] = true
		if p, ok := ev.Payload.(*schema.TableOpened); ok {
			cfg = p.Config
		}
		if msg := c.step(&cfg, ev); msg != "" {
			t.Fatalf("%s %s round %d seq %d %s: %s", what, ev.ShoeID, ev.Round, ev.Seq, ev.Payload.Kind(), msg)
		}
	}
	if c.shoes == 0 || c.rounds == 0 {
		t.Fatalf("%s: nothing played", what)
	}
}

// checker follows cards and money of one table.
type checker struct {
	shoes, rounds int
	seen          map[string]int
	cardSeq       int
	hands         [3][]string
	stakes        map[string]int64
	owed          map[uint32]int64
	sighted       int
	behind        int
	after         int
	carried       uint32
	last          schema.Hand
	loose         string // a card found face up that is not yet burned for
	playing       bool
	early         string // the shoe whose batch was shuffled while another one was dealt
}

// step checks one event and returns what is wrong with it, "" if nothing is.
func (c *checker) step(cfg *schema.TableConfig, ev *schema.Event) string {
	for _, check := range []func(*schema.TableConfig, *schema.Event) string{c.shoe, c.cards, c.money} {
		if msg := check(cfg, ev); msg != "" {
			return msg
		}
	}
	return ""
}

// shoe checks the order of a shoe, the cutting card and the draw of each round.
func (c *checker) shoe(cfg *schema.TableConfig, ev *schema.Event) string {
	total := int(cfg.Decks) * 52
	switch p := ev.Payload.(type) {
	case *schema.ShoeShuffled:
		if c.playing && p.Method == schema.ShuffleMethodDevice {
			c.early = ev.ShoeID
			return ""
		}
		if p.Phase == schema.ShufflePhaseInitial {
			return c.begin()
		}
	case *schema.ShoeLaced:
		if ev.ShoeID == c.early {
			return c.begin()
		}
	case *schema.CutcardPlaced:
		if p.Which == 1 {
			c.behind = int(p.CardsBehind)
		}
	case *schema.RoundStarted:
		c.playing = true
		c.rounds++
		c.after++
		if c.sighted > 0 && int(ev.Round) > c.sighted+1 {
			return "a round after the last hand"
		}
		c.stakes, c.hands = map[string]int64{}, [3][]string{}
	case *schema.CutcardSeen:
		if c.sighted = int(ev.Round); c.sighted == 0 {
			c.sighted = c.after + 1
		}
		if int(p.AfterCardSeq) < c.cardSeq || total-int(p.AfterCardSeq) != c.behind {
			return "cutting card at the wrong place"
		}
	case *schema.RoundEnded:
		if p.Result == schema.ResultVoid {
			return ""
		}
		if msg := legalDraw(c.hands); msg != "" {
			return msg
		}
	case *schema.ShoeEnded:
		c.playing = false
		if int(p.Remaining) != total-c.cardSeq || c.sighted == 0 {
			return "cards do not add up, or no cutting card"
		}
		if c.after != c.sighted+1 {
			return "not ended at the last hand"
		}
	}
	return ""
}

// begin begins a shoe, when nothing is owed from the one before.
func (c *checker) begin() string {
	for seat, n := range c.owed {
		if n != 0 {
			return "shuffled while a seat owes " + time.Duration(n).String() + " " + string(rune('0'+seat))
		}
	}
	*c = checker{shoes: c.shoes + 1, rounds: c.rounds, seen: map[string]int{}, owed: map[uint32]int64{}}
	return ""
}

// cards counts the cards that leave the shoe and keeps the hands.
func (c *checker) cards(cfg *schema.TableConfig, ev *schema.Event) string {
	switch p := ev.Payload.(type) {
	case *schema.ShoeBurned:
		if p.Reason == schema.BurnReasonOpening {
			c.cardSeq++
			c.seen[p.Indicator]++
		} else if hand := c.hands[c.last]; c.loose == "" && len(hand) > 0 && hand[len(hand)-1] == p.Indicator {
			c.hands[c.last] = hand[:len(hand)-1]
		} else if c.loose != p.Indicator {
			return "burned for no card"
		}
		c.loose = ""
		c.cardSeq += int(p.Count)
		for _, x := range p.Cards {
			if c.seen[x]++; x != "??" && c.seen[x] > int(cfg.Decks) {
				return "too many " + x
			}
		}
	case *schema.CardFoundFaceup:
		c.cardSeq++
		c.seen[p.Card]++
		c.loose = p.Card
	case *schema.CardMoved:
		if hand := c.hands[schema.HandPlayer]; p.From == schema.MovePlacePlayer {
			c.hands[schema.HandBanker] = append(c.hands[schema.HandBanker], hand[len(hand)-1])
			c.hands[schema.HandPlayer] = hand[:len(hand)-1]
		}
	case *schema.CardCarriedOver:
		c.hands[c.last] = c.hands[c.last][:len(c.hands[c.last])-1]
		c.carried = p.CardSeq
	case *schema.CardDealt:
		c.last = p.Hand
		if c.carried > 0 {
			c.hands[p.Hand] = append(c.hands[p.Hand], p.Card)
			if p.CardSeq != c.carried || p.Hand != schema.HandPlayer || p.Index != 1 {
				return "not the card carried over"
			}
			c.carried = 0
			return ""
		}
		c.cardSeq++
		c.seen[p.Card]++
		if int(p.CardSeq) != c.cardSeq || c.seen[p.Card] > int(cfg.Decks) {
			return "wrong number or too many " + p.Card
		}
		c.hands[p.Hand] = append(c.hands[p.Hand], p.Card)
	}
	return ""
}

// money checks that each wager is settled once and each marker removed.
func (c *checker) money(_ *schema.TableConfig, ev *schema.Event) string {
	switch p := ev.Payload.(type) {
	case *schema.WagerPlaced:
		c.stakes[p.WagerID] = p.Amount
	case *schema.BankerWagered:
		c.stakes[p.WagerID] = p.Amount
	case *schema.WagerChanged:
		switch p.Change {
		case schema.WagerChangeRaised:
			c.stakes[p.WagerID] += p.Delta
		case schema.WagerChangeLowered:
			c.stakes[p.WagerID] -= p.Delta
		case schema.WagerChangeWithdrawn:
			delete(c.stakes, p.WagerID)
		}
	case *schema.WagerCollected:
		if strings.HasSuffix(p.WagerID, ".b") && p.Amount <= c.stakes[p.WagerID] {
			// The Banker loses the amount that the others covered.
			delete(c.stakes, p.WagerID)
			return ""
		}
		return c.settled(p.WagerID, p.Amount)
	case *schema.WagerReturned:
		return c.settled(p.WagerID, p.Amount)
	case *schema.WagerPaid:
		if p.Amount <= 0 {
			return "paid nothing"
		}
		return c.settled(p.WagerID, c.stakes[p.WagerID])
	case *schema.VigorishMarked:
		c.owed[p.Seat] += p.Amount
	case *schema.VigorishMarkerRemoved:
		c.owed[p.Seat] -= p.Amount
	case *schema.DiscardPlaced:
		if len(c.stakes) > 0 {
			return "wagers left unsettled"
		}
	}
	return ""
}

func (c *checker) settled(id string, amount int64) string {
	if want, ok := c.stakes[id]; !ok || want != amount {
		return "settles " + id + " twice or by another amount"
	}
	delete(c.stakes, id)
	return ""
}

// legalDraw is the drawing table as printed in 9 NYCRR 5324.21(h), read cell by cell.
func legalDraw(hands [3][]string) string {
	value := func(x string) int {
		switch x[0] {
		case 'A':
			return 1
		case 'T', 'J', 'Q', 'K':
			return 0
		}
		return int(x[0] - '0')
	}
	p, b := hands[schema.HandPlayer], hands[schema.HandBanker]
	if len(p) < 2 || len(b) < 2 {
		return "a hand of fewer than two cards"
	}
	p2, b2 := (value(p[0])+value(p[1]))%10, (value(b[0])+value(b[1]))%10
	np, nb := 2, 2
	column := 0
	if p2 < 8 && b2 < 8 {
		if p2 < 6 {
			np = 3
			if len(p) == 3 {
				column = 1 + value(p[2])
			}
		}
		rows := [8]string{
			"DDDDDDDDDDD", "DDDDDDDDDDD", "DDDDDDDDDDD", "DDDDDDDDDSD", "DSSDDDDDDSS", "DSSSSDDDDSS", "SSSSSSSDDSS",
			"SSSSSSSSSSS",
		}
		if rows[b2][column] == 'D' {
			nb = 3
		}
	}
	if len(p) != np || len(b) != nb {
		return "drawn against the table"
	}
	return ""
}
