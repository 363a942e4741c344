package console

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/schema"
)

// seat is what one seat staked in the round, and what became of it.
type seat struct {
	Seat    uint32
	Patron  string
	Here    bool // the finding is about it
	Wagers  []settled
	Staked  int64
	X, Y    int // on the picture of the table
	Outcome string
}

type settled struct {
	store.Wager
	Wrong    bool
	Here     bool
	Vigorish *store.Vigorish
}

func seats(wagers []store.Wager, ledger []store.Vigorish, f *store.Finding) []seat {
	by := map[uint32]*seat{}
	var order []uint32
	for i := range wagers {
		w := &wagers[i]
		s := by[w.Seat]
		if s == nil {
			s = &seat{Seat: w.Seat, Patron: w.Patron, Here: f.Seat == w.Seat && w.Seat > 0}
			by[w.Seat] = s
			order = append(order, w.Seat)
		}
		row := settled{Wager: *w, Here: f.Subject == "wager:"+w.WagerID, Wrong: w.Disposition != w.Expected || w.Paid != w.ExpectedPaid}
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
		all[i] = *by[n]
		// Seats stand on an arc, the first on the dealer's right.
		a := math.Pi * (0.5 + float64(i)) / float64(len(order))
		all[i].X, all[i].Y = int(300+240*math.Cos(a)), int(26+128*math.Sin(a))
	}
	return all
}

// deal is a round's cards as they came.
type deal struct {
	Player, Banker []dealtCard
	Steps          []step
	Result         string
	PlayerCount    uint8
	BankerCount    uint8
}

type dealtCard struct {
	Card  string
	Rank  string
	Suit  string
	Third bool
	Named bool
	Seq   uint64
}

// step is one thing that happened in a round, with why it was allowed or not.
type step struct {
	At    time.Time
	Seq   uint64
	What  string
	Why   string
	Bad   bool
	Named bool
	Card  *dealtCard
	Hand  string
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

// dealOf is the round card by card. Its words about the third card come from the drawing table of the
// rulebook in force; the findings remain the rules' alone.
func (c *Console) dealOf(events []decodedEvent, r *store.Round, f *store.Finding) *deal {
	d := &deal{Result: r.Result, PlayerCount: r.PlayerCount, BankerCount: r.BankerCount}
	var hands [2][]baccarat.Card // player, banker
	law := c.lawOf(r)
	for i := range events {
		e := &events[i]
		if e.Err != nil || e.Round != r.Round || e.ShoeID != r.ShoeID {
			continue
		}
		s := step{At: e.At, Seq: e.Seq, Named: e.Named}
		switch p := e.Body.Payload.(type) {
		case *schema.CardDealt:
			card := newCard(p.Card)
			card.Named, card.Seq = e.Named, e.Seq
			s.Card, s.Hand = &card, p.Hand.String()
			h := 0
			if p.Hand == schema.HandBanker {
				h = 1
			}
			s.What = fmt.Sprintf("%s card %d", words(p.Hand.String()), p.Index)
			s.Why, s.Bad = why(law, hands, h)
			value, err := baccarat.ParseCard(p.Card)
			if err != nil {
				value = baccarat.Unread
			}
			hands[h] = append(hands[h], value)
			card.Third = len(hands[h]) > 2
		case *schema.Announced:
			s.What = "called: " + words(p.Code.String())
			if p.Hand != 0 {
				s.What += ", " + words(p.Hand.String())
			}
			if p.Code == schema.CallPointCount || p.Code == schema.CallFinalCount {
				s.What += " " + strconv.Itoa(int(p.Value))
			}
		case *schema.RoundEnded:
			s.What = fmt.Sprintf("recorded: %s, player %d, banker %d", words(p.Result.String()), p.PlayerCount, p.BankerCount)
			s.Why, s.Bad = missing(law, hands)
		case *schema.CardMoved, *schema.CardFoundFaceup, *schema.CardCarriedOver, *schema.RoundVoided, *schema.WagerChanged, *schema.DealInstructed:
			s.What = words(e.Kind) + ": " + tell(&e.Body)
		default:
			if !e.Named {
				continue
			}
			s.What = words(e.Kind) + ": " + tell(&e.Body)
		}
		d.Steps = append(d.Steps, s)
	}
	d.Player, d.Banker = finalHands(r.Cards, d.Steps)
	return d
}

// finalHands are the hands as finally composed, from a row such as "P 6c Kh B 7d Ks".
func finalHands(cards string, steps []step) (player, banker []dealtCard) {
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
		for i := range steps {
			if steps[i].Card != nil && steps[i].Hand == hand {
				if n == len(*into) {
					card.Named, card.Seq = steps[i].Named, steps[i].Seq
				}
				n++
			}
		}
		*into = append(*into, card)
	}
	return player, banker
}

func (c *Console) lawOf(r *store.Round) *law.Law {
	book := c.Law.Books[r.Ruleset]
	if book == nil {
		return nil
	}
	for _, g := range book.Games() {
		if law, ok := book.Law(g); ok && g != baccarat.CheminDeFer {
			return law // the drawing table is one for all games of a book but chemin de fer
		}
	}
	return nil
}

// why says on what ground the next card goes to a hand, and whether it may.
func why(law *law.Law, hands [2][]baccarat.Card, to int) (text string, bad bool) {
	if len(hands[to]) < 2 {
		return "", false
	}
	if law == nil || len(hands[0]) < 2 || len(hands[1]) < 2 {
		return "third card", false
	}
	coup := baccarat.NewCoup(hands[0], hands[1])
	if !coup.Complete {
		return "third card; a card before it was not read", false
	}
	switch {
	case len(hands[to]) > 2:
		return "a hand has three cards at most", true
	case coup.Natural():
		return fmt.Sprintf("player %d, banker %d: a natural, no card is drawn", coup.P2, coup.B2), true
	case to == 0:
		if law.Drawing.PlayerDraws(coup.P2, coup.B2) {
			return fmt.Sprintf("player on %d draws", coup.P2), false
		}
		return fmt.Sprintf("player on %d must stand", coup.P2), true
	}
	if law.Drawing.BankerDraws(coup.P2, coup.B2, coup.Third) {
		return fmt.Sprintf("banker on %d %s draws", coup.B2, against(coup.Third)), false
	}
	return fmt.Sprintf("banker on %d %s must stand", coup.B2, against(coup.Third)), true
}

func against(third uint8) string {
	if third == baccarat.NoThird {
		return "against a player who stood"
	}
	return fmt.Sprintf("against a player's third card of %d", third)
}

// missing says which card was due when the round ended, and never came.
func missing(law *law.Law, hands [2][]baccarat.Card) (text string, bad bool) {
	if law == nil || len(hands[0]) < 2 || len(hands[1]) < 2 {
		return "", false
	}
	coup := baccarat.NewCoup(hands[0], hands[1])
	if !coup.Complete || coup.Natural() {
		return "", false
	}
	if len(hands[0]) == 2 && law.Drawing.PlayerDraws(coup.P2, coup.B2) {
		return fmt.Sprintf("player on %d should have drawn", coup.P2), true
	}
	if len(hands[1]) == 2 && law.Drawing.BankerDraws(coup.P2, coup.B2, coup.Third) {
		return fmt.Sprintf("banker on %d %s should have drawn", coup.B2, against(coup.Third)), true
	}
	return "", false
}
