package watch

import (
	"fmt"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/record"
)

// of returns the law and the offer of a round by the latest configuration of its name.
func (w *watcher) of(table string, p *clickhouse.PlayedRound) (*terms, error) {
	config := w.configs.of(table, p.Config, p.At)
	if t, ok := w.terms[config]; ok {
		return t, nil
	}
	t := &terms{}
	if config != "" {
		law, c, ok, err := w.options.Engine.Terms(config)
		if err != nil {
			return nil, fmt.Errorf("table %s, configuration %s: %w", table, p.Config, err)
		}
		if ok {
			t.law, t.config, t.offer = law, c, detectors.NewOffer(law, c)
		}
	}
	w.terms[config] = t
	return t, nil
}

// round is the view of a stored round.
func (w *watcher) round(p *clickhouse.PlayedRound, t *terms, frozen bool) detectors.Round {
	r := detectors.Round{
		Location: detectors.Location{
			Property: w.options.Property, Pit: p.Pit, Table: p.Table, Shoe: p.Shoe, Round: p.Round, At: p.At,
			Seq: record.Seq(p.FirstSeq),
		},
		Dealer: p.Dealer, Batch: p.Batch, Shuffler: p.Shuffler, Reader: p.Reader, Locked: p.Locked, First: p.Card,
		Ended: p.End, Decks: int(p.Decks),
		Offer: t.offer, Breaches: int(p.Breaches), Misread: p.Misread, Frozen: frozen || !p.Auditable,
	}
	var player, banker []baccarat.Card
	r.Cards, player, banker = hands(p.Cards)
	r.Coup = baccarat.NewCoup(player, banker)
	if len(p.Unseen) == 52 {
		for i := range 52 {
			r.Left[i+1] = int16(p.Unseen[i])
		}
		odds := &exact.Odds{}
		if t.offer != nil && t.offer.Kernel.Odds(&r.Left, odds) {
			r.Odds = odds
		}
	}
	r.Played = r.Counts(t.law, p.Result == baccarat.Void.String(), p.Irregular)
	for i := range p.Wagers {
		x := &p.Wagers[i]
		v := detectors.Wager{
			ID: x.ID, Patron: x.Patron, Seat: x.Seat, Spot: baccarat.ParseSpot(x.Spot), Stake: x.Stake, Placed: x.Placed,
			Late:  x.Late,
			Ruled: baccarat.ParseDisposition(x.Ruled), Done: baccarat.ParseDisposition(x.Done), Due: x.Due, Paid: x.Paid,
			VigDue: x.VigDue, VigTaken: x.VigTaken,
			AtLock: x.LockStake, AtSettlement: x.SettleStake, HasReads: x.LockStake >= 0 && x.SettleStake >= 0,
		}
		if v.Spot == baccarat.NoSpot && t.offer != nil && t.offer.Further[x.Spot] != nil {
			v.Spot, v.SpotName = baccarat.SpotOther, x.Spot
		}
		r.Wagers = append(r.Wagers, v)
	}
	return r
}

// commission fills in the vigorish of a round whose shoe is not closed, as if it were taken: it is part of the results.
func (t *terms) commission(r *detectors.Round) {
	if t.law == nil {
		return
	}
	vig, ok := t.law.Commission(t.config, &r.Coup)
	for i := range r.Wagers {
		if w := &r.Wagers[i]; ok && w.Spot == baccarat.SpotBanker && w.Ruled == baccarat.Pay {
			w.VigDue = vig.Least(w.Due)
			w.VigTaken = w.VigDue
		}
	}
}

// Dealt are the cards of a stored round, in the order in which they were dealt.
func Dealt(text string) []detectors.Card {
	dealt, _, _ := hands(text)
	return dealt
}

// hands reads "P 6c Kh B 7d Ks" and puts the cards in the order in which they are dealt.
func hands(text string) (dealt []detectors.Card, player, banker []baccarat.Card) {
	into := &player
	for word := range strings.FieldsSeq(text) {
		switch word {
		case "P":
			into = &player
		case "B":
			into = &banker
		default:
			c, err := baccarat.ParseCard(word)
			if err != nil {
				c = baccarat.Unread
			}
			*into = append(*into, c)
		}
	}
	for i := range max(len(player), len(banker)) {
		if i < len(player) {
			dealt = append(dealt, detectors.Card{Card: player[i], Hand: baccarat.Player, Index: uint8(i + 1)})
		}
		if i < len(banker) {
			dealt = append(dealt, detectors.Card{Card: banker[i], Hand: baccarat.Banker, Index: uint8(i + 1)})
		}
	}
	return dealt, player, banker
}

// terms are the law and the offer of one configuration.
type terms struct {
	law    *law.Law
	config *law.Config
	offer  *detectors.Offer
}
