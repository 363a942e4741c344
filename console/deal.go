package console

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
)

// seat is the wagers of a seat in a round, with their settlement.
type seat struct {
	Seat    uint32
	Patron  string
	Subject bool // of the finding
	Wagers  []settled
	Staked  int64
	X, Y    int // in the drawing of the table
}

type settled struct {
	store.Wager
	Wrong    bool // settled differently from what the rules require, as far as that is determined
	Subject  bool // of the finding
	Vigorish *store.Vigorish
}

func seats(wagers []store.Wager, ledger []store.Vigorish, f *store.Finding) []seat {
	bySeat := map[uint32]*seat{}
	var order []uint32
	for i := range wagers {
		w := &wagers[i]
		s := bySeat[w.Seat]
		if s == nil {
			s = &seat{Seat: w.Seat, Patron: w.Patron, Subject: f.Seat == w.Seat && w.Seat > 0}
			bySeat[w.Seat] = s
			order = append(order, w.Seat)
		}
		row := settled{
			Wager: *w, Subject: f.Subject == "wager:"+w.WagerID, Wrong: w.Misplaced() || w.Mispaid(),
		}
		for j := range ledger {
			if ledger[j].WagerID == w.WagerID {
				row.Vigorish = &ledger[j]
			}
		}
		s.Wagers = append(s.Wagers, row)
		s.Staked += w.Stake
	}
	slices.Sort(order)
	all := make([]seat, len(order))
	for i, n := range order {
		all[i] = *bySeat[n]
		// Seats are on an arc, the first one on the dealer's right.
		a := math.Pi * (0.5 + float64(i)) / float64(len(order))
		all[i].X, all[i].Y = int(300+240*math.Cos(a)), int(26+128*math.Sin(a))
	}
	return all
}

// deal is a round, card by card.
type deal struct {
	Player, Banker []dealtCard
	Timeline       []moment
	Result         string
	PlayerCount    uint8
	BankerCount    uint8
}

type dealtCard struct {
	Card  string
	Rank  string
	Suit  string
	Third bool
	Cited bool // by the finding
	Seq   uint64
}

// moment is an event of a round. Why is the reason for which the event is permitted, or not permitted if Bad.
type moment struct {
	At    time.Time
	Seq   uint64
	What  string
	Why   string
	Bad   bool
	Cited bool
	Card  *dealtCard
	Hand  string
	Clip  clip
}

func newCard(text string) dealtCard {
	c := dealtCard{Card: text, Rank: "?"}
	if len(text) == 2 && text != "??" {
		c.Rank, c.Suit = text[:1], text[1:]
		if c.Rank == "T" {
			c.Rank = "10"
		}
	}
	return c
}

// dealOf returns a round card by card. The texts about third cards follow the drawing table of the rulebook in force.
// They explain the deal; only rules make findings.
func (c *Console) dealOf(events []decodedEvent, r *store.Round, currency string) *deal {
	d := &deal{Result: r.Result, PlayerCount: r.PlayerCount, BankerCount: r.BankerCount}
	t, camera := drawing{law: c.lawOf(r), currency: currency, placed: map[string]*schema.WagerPlaced{}}, cameraOf(events)
	for i := range events {
		e := &events[i]
		if e.Err != nil || e.Round != r.Round || e.ShoeID != r.ShoeID {
			continue
		}
		if m, ok := t.momentOf(e); ok {
			m.Clip = c.clipOf(e, camera, r.TableID)
			d.Timeline = append(d.Timeline, m)
		}
	}
	d.Player, d.Banker = finalHands(r.Cards, d.Timeline)
	return d
}

// momentOf describes an event and follows the hands; an event that is not shown is not ok.
func (t *drawing) momentOf(e *decodedEvent) (m moment, ok bool) {
	m = moment{At: e.At, Seq: e.Seq, Cited: e.Cited}
	switch p := e.Body.Payload.(type) {
	case *schema.CardDealt:
		card := newCard(p.Card)
		card.Cited, card.Seq = e.Cited, e.Seq
		m.Card, m.Hand = &card, p.Hand.String()
		m.What = fmt.Sprintf("%s card %d", words(p.Hand.String()), p.Index)
		m.Why, m.Bad, card.Third = t.deal(p)
	case *schema.Announced:
		m.What = "called: " + words(p.Code.String())
		if p.Code == schema.CallPointCount || p.Code == schema.CallFinalCount {
			m.What += ", " + words(p.Hand.String()) + " " + strconv.Itoa(int(p.Value))
		}
	case *schema.RoundEnded:
		m.What = fmt.Sprintf("recorded: %s, player %d, banker %d", words(p.Result.String()), p.PlayerCount, p.BankerCount)
		m.Why, m.Bad = t.missing()
	case *schema.WagerPlaced:
		t.placed[p.WagerID] = p
		m.What = fmt.Sprintf("seat %d: %s on %s", p.Seat, cash(p.Amount, t.currency), words(p.Spot.String()))
		return m, e.Cited
	case *schema.WagerChanged:
		m.What = t.changed(p)
	case *schema.CardMoved:
		m.What = fmt.Sprintf("card %d of the shoe moved from %s to %s", p.CardSeq, words(p.From.String()),
			words(p.To.String()))
	case *schema.CardsHanded:
		m.What = cardsText(p.Hand, "handed to", p.Seat, p.Face)
		return m, e.Cited
	case *schema.CardsReturned:
		m.What = cardsText(p.Hand, "returned by", p.Seat, p.Face)
		return m, e.Cited
	case *schema.CardFoundFaceup, *schema.CardCarriedOver, *schema.RoundVoided:
		m.What = t.plainText(e)
	case *schema.DealInstructed:
		m.What = "instructed: " + words(p.Hand.String())
		if p.Instruction == schema.InstructionDraw {
			m.What += " draws"
		} else {
			m.What += " stands"
		}
	case *schema.WagerPaid:
		m.What = t.settled(p.WagerID, p.Seat, "paid", p.Amount)
		return m, e.Cited
	case *schema.WagerCollected:
		m.What = t.settled(p.WagerID, p.Seat, "collected", p.Amount)
		return m, e.Cited
	case *schema.WagerReturned:
		m.What = t.settled(p.WagerID, p.Seat, "returned", p.Amount)
		return m, e.Cited
	case *schema.VigorishMarked:
		m.What = t.settled(p.WagerID, p.Seat, "vigorish marked", p.Amount)
		return m, e.Cited
	case *schema.VigorishCollected:
		m.What = t.settled("", p.Seat, "vigorish collected", p.Amount)
		return m, e.Cited
	default:
		m.What = t.plainText(e)
		return m, e.Cited
	}
	return m, true
}

// cardsText describes cards of a hand between dealer and patron: player cards handed to seat 2, face down.
func cardsText(hand schema.Hand, how string, seat uint32, face schema.Face) string {
	text := fmt.Sprintf("%s cards %s seat %d", words(hand.String()), how, seat)
	if face != schema.FaceUnspecified {
		text += ", face " + words(face.String())
	}
	return text
}

// plainText is an event with the fields of its payload, amounts as people write them.
func (t *drawing) plainText(e *decodedEvent) string {
	fields := payload(&e.Body)
	for i, f := range fields {
		name, value, _ := strings.Cut(f, " ")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err == nil && slices.Contains([]string{"amount", "coupon", "delta", "min_wager", "max_wager", "unit"}, name):
			value = cash(n, t.currency)
		case !strings.HasSuffix(name, "_id") && value == strings.ToUpper(value):
			value = words(value)
		}
		fields[i] = words(name) + " " + value
	}
	return strings.TrimSuffix(words(e.Kind)+": "+strings.Join(fields, ", "), ": ")
}

// settled describes a settlement: seat 1, banker: returned $100.00.
func (t *drawing) settled(wager string, seat uint32, how string, amount int64) string {
	who := fmt.Sprintf("seat %d", seat)
	if w := t.placed[wager]; w != nil {
		who = fmt.Sprintf("seat %d, %s", w.Seat, words(w.Spot.String()))
	}
	return who + ": " + how + " " + cash(amount, t.currency)
}

// changed describes the change of a wager: seat 10 raised player by $50.00.
func (t *drawing) changed(p *schema.WagerChanged) string {
	who := "wager " + p.WagerID
	if w := t.placed[p.WagerID]; w != nil {
		who = fmt.Sprintf("seat %d, %s", w.Seat, words(w.Spot.String()))
	}
	switch {
	case p.ToSpot != 0:
		return who + ": moved to " + words(p.ToSpot.String())
	case p.Delta != 0:
		return who + ": " + words(p.Change.String()) + " by " + cash(max(p.Delta, -p.Delta), t.currency)
	}
	return who + ": " + words(p.Change.String())
}

// finalHands parses the final hands of a round, such as "P 6c Kh B 7d Ks".
func finalHands(cards string, timeline []moment) (player, banker []dealtCard) {
	into := &player
	for w := range strings.FieldsSeq(cards) {
		switch w {
		case "P":
			into = &player
			continue
		case "B":
			into = &banker
			continue
		}
		card := newCard(w)
		card.Third = len(*into) >= 2
		hand := "PLAYER"
		if into == &banker {
			hand = "BANKER"
		}
		n := 0
		for i := range timeline {
			if m := &timeline[i]; m.Card != nil && m.Hand == hand {
				if n == len(*into) {
					card.Cited, card.Seq = m.Cited, m.Seq
				}
				n++
			}
		}
		*into = append(*into, card)
	}
	return player, banker
}
