package console

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/schema"
)

// drawing follows the hands of a round and explains each third card by the drawing table. law is nil if unknown.
type drawing struct {
	law            *law.Law
	player, banker []baccarat.Card
	currency       string
	placed         map[string]*schema.WagerPlaced // by wager
}

// lawOf returns the law of a round. The games of a rulebook have one drawing table in common, except chemin de fer.
func (c *Console) lawOf(r *store.Round) *law.Law {
	book := c.Law.Books[r.Ruleset]
	if book == nil {
		return nil
	}
	for _, g := range book.Games() {
		if l, ok := book.Law(g); ok && g != baccarat.CheminDeFer {
			return l
		}
	}
	return nil
}

// deal adds a card to its hand. It returns the reason for which a third card is permitted, or not permitted if bad.
func (t *drawing) deal(p *schema.CardDealt) (why string, bad, third bool) {
	hand := &t.player
	if p.Hand == schema.HandBanker {
		hand = &t.banker
	}
	why, bad = t.reason(hand)
	card, err := baccarat.ParseCard(p.Card)
	if err != nil {
		card = baccarat.Unread
	}
	*hand = append(*hand, card)
	return why, bad, len(*hand) > 2
}

// reason explains the next card of a hand.
func (t *drawing) reason(hand *[]baccarat.Card) (text string, bad bool) {
	if len(*hand) < 2 {
		return "", false
	}
	if t.law == nil || len(t.player) < 2 || len(t.banker) < 2 {
		return "third card", false
	}
	coup := baccarat.NewCoup(t.player, t.banker)
	if !coup.Complete {
		return "third card; an earlier card was not read", false
	}
	switch {
	case len(*hand) > 2:
		return "a hand has at most three cards", true
	case coup.Natural():
		return fmt.Sprintf("player %d, banker %d: a natural, no card is drawn", coup.P2, coup.B2), true
	case hand == &t.player:
		if t.law.Drawing.PlayerDraws(coup.P2, coup.B2) {
			return fmt.Sprintf("player draws on %d", coup.P2), false
		}
		return fmt.Sprintf("player must stand on %d", coup.P2), true
	}
	if t.law.Drawing.BankerDraws(coup.P2, coup.B2, coup.Third) {
		return fmt.Sprintf("banker draws on %d %s", coup.B2, against(coup.Third)), false
	}
	return fmt.Sprintf("banker must stand on %d %s", coup.B2, against(coup.Third)), true
}

func against(third uint8) string {
	if third == baccarat.NoThird {
		return "against a player who stands"
	}
	return fmt.Sprintf("against a player's third card of %d", third)
}

// missing names the card that was due and not dealt when the round ended.
func (t *drawing) missing() (text string, bad bool) {
	if t.law == nil || len(t.player) < 2 || len(t.banker) < 2 {
		return "", false
	}
	coup := baccarat.NewCoup(t.player, t.banker)
	if !coup.Complete || coup.Natural() {
		return "", false
	}
	if len(t.player) == 2 && t.law.Drawing.PlayerDraws(coup.P2, coup.B2) {
		return fmt.Sprintf("player had to draw on %d", coup.P2), true
	}
	if len(t.banker) == 2 && t.law.Drawing.BankerDraws(coup.P2, coup.B2, coup.Third) {
		return fmt.Sprintf("banker had to draw on %d %s", coup.B2, against(coup.Third)), true
	}
	return "", false
}
