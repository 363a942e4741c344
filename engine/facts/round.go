package facts

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Round writes a round that is settled by an event at a time, and its wagers. The view is what detectors see of it.
func (t *Table) Round(s *play.Shoe, r *record.Round, at int64, view *detectors.Round, out *rows.Set) {
	day, shift := t.Clock.Of(r.At)
	t.values = [baccarat.SpotOther + 1]spotValue{}
	for i := range r.Wagers {
		t.wager(s, r, i, view, &out.Wagers)
	}
	into, coup := &out.Rounds, r.Coup()
	into.PropertyID = append(into.PropertyID, t.Play.Property)
	into.PitID = append(into.PitID, s.Pit)
	into.TableID = append(into.TableID, t.Play.ID)
	into.ShoeID = append(into.ShoeID, s.ID)
	into.Round = append(into.Round, r.No)
	into.At = append(into.At, r.At)
	into.GamingDay = append(into.GamingDay, day)
	into.Shift = append(into.Shift, shift)
	into.DealerID = append(into.DealerID, r.Dealer)
	ruleset, config := "", ""
	if r.Config != nil {
		ruleset, config = r.Config.Ruleset, r.Config.ID
	}
	into.Ruleset = append(into.Ruleset, ruleset)
	into.ConfigID = append(into.ConfigID, config)
	into.Result = append(into.Result, play.Result(r).String())
	into.PlayerCount = append(into.PlayerCount, coup.P)
	into.BankerCount = append(into.BankerCount, coup.B)
	into.PlayerCards = append(into.PlayerCards, coup.NP)
	into.BankerCards = append(into.BankerCards, coup.NB)
	t.text = appendCards(t.text[:0], r)
	into.Cards.Append(t.text)
	into.Auditable = append(into.Auditable, s.Auditable(r) && !r.Missing)
	into.FirstSeq = append(into.FirstSeq, uint64(r.Started))
	into.EndSeq = append(into.EndSeq, uint64(max(r.Ended.Seq, r.Voided.Seq)))
	into.Irregular = append(into.Irregular, play.Irregular(r))
	into.SettledAt = append(into.SettledAt, at)
	totals(r, view, into)
	t.chances(view, into)
}

// reportsSettlement is false for a round of a table that reports no settlement: what was due is not compared with what
// was paid.
func reportsSettlement(r *record.Round) bool {
	return r.Config == nil || r.Config.Reports(baccarat.FeedSettlement)
}

// totals writes the money of a round. A withdrawn wager counts nowhere; what was nevertheless moved for it does.
func totals(r *record.Round, view *detectors.Round, into *rows.Rounds) {
	var staked, paid, expected, collected, returned, vigorish int64
	wagers, settled := uint32(0), reportsSettlement(r)
	for i := range r.Wagers {
		w, net := &r.Wagers[i], r.Wagers[i].Net()
		if !w.Gone {
			wagers++
			staked += w.Amount
			if settled {
				expected = baccarat.Add(expected, view.Wagers[i].Due)
			}
		}
		paid += net.Paid
		collected += net.Collected
		returned += net.Returned
	}
	for i := range r.Steps {
		if r.Steps[i].Kind >= record.StepVigMarked {
			vigorish += r.Steps[i].Amount
		}
	}
	into.Wagers = append(into.Wagers, wagers)
	into.Staked = append(into.Staked, staked)
	into.Paid = append(into.Paid, paid)
	into.ExpectedPay = append(into.ExpectedPay, expected)
	into.Collected = append(into.Collected, collected)
	into.Returned = append(into.Returned, returned)
	into.Vigorish = append(into.Vigorish, vigorish)
}

// chances writes the cards that were left before the round, and the chances of its results.
func (t *Table) chances(v *detectors.Round, into *rows.Rounds) {
	t.text = t.text[:0]
	var player, banker, tie float64
	if v.Odds != nil {
		for c := baccarat.Card(1); c <= 52; c++ {
			t.text = append(t.text, byte(max(v.Left[c], 0)))
		}
		player, banker, tie = v.Offer.Chances(v.Odds)
	}
	into.Decks = append(into.Decks, uint32(v.Decks))
	into.Unseen.Append(t.text)
	into.ChancePlayer = append(into.ChancePlayer, player)
	into.ChanceBanker = append(into.ChanceBanker, banker)
	into.ChanceTie = append(into.ChanceTie, tie)
	into.LockedAt = append(into.LockedAt, v.Locked)
	into.CardAt = append(into.CardAt, v.First)
	into.EndAt = append(into.EndAt, v.Ended)
	into.BatchID = append(into.BatchID, v.Batch)
	into.Shuffler = append(into.Shuffler, v.Shuffler)
	into.Reader = append(into.Reader, v.Reader)
}

// appendCards writes hands as "P 6c Kh B 7d Ks".
func appendCards(dst []byte, r *record.Round) []byte {
	for _, h := range [2]baccarat.Hand{baccarat.Player, baccarat.Banker} {
		if len(dst) > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, h.String()[0])
		for i := range r.Cards {
			if c := &r.Cards[i]; c.Final == h {
				dst = append(dst, ' ')
				dst = c.Card.Append(dst)
			}
		}
	}
	return dst
}

func (t *Table) wager(s *play.Shoe, r *record.Round, i int, view *detectors.Round, into *rows.Wagers) {
	w, v := &r.Wagers[i], &view.Wagers[i]
	stake, coupon, net := w.Amount, w.Coupon, w.Net()
	if w.Gone {
		stake, coupon = 0, 0
	}
	day, _ := t.Clock.Of(r.At)
	into.PropertyID = append(into.PropertyID, t.Play.Property)
	into.TableID = append(into.TableID, t.Play.ID)
	into.ShoeID = append(into.ShoeID, s.ID)
	into.Round = append(into.Round, r.No)
	into.At = append(into.At, r.At)
	into.GamingDay = append(into.GamingDay, day)
	into.WagerID.AppendString(w.ID)
	into.Seat = append(into.Seat, w.Seat)
	into.Spot = append(into.Spot, spotOf(s.Law, w))
	into.Stake = append(into.Stake, stake)
	into.Coupon = append(into.Coupon, coupon)
	into.Medium = append(into.Medium, w.Medium.String())
	into.Patron = append(into.Patron, v.Patron)
	into.Disposition = append(into.Disposition, v.Done.String())
	ruled, due := v.Ruled, v.Due
	if !w.Gone && !reportsSettlement(r) {
		ruled, due = baccarat.Undetermined, 0
	}
	into.Expected = append(into.Expected, ruled.String())
	into.Paid = append(into.Paid, net.Paid)
	into.ExpectedPaid = append(into.ExpectedPaid, due)
	into.Collected = append(into.Collected, net.Collected)
	into.Returned = append(into.Returned, net.Returned)
	into.PlacedSeq = append(into.PlacedSeq, uint64(w.Placed))
	into.PlacedAt = append(into.PlacedAt, v.Placed)
	into.Late = append(into.Late, v.Late)
	into.EV = append(into.EV, t.ev(view, w))
	into.LockStake = append(into.LockStake, v.AtLock)
	into.SettleStake = append(into.SettleStake, v.AtSettlement)
}

// spotOf is the word of the spot of a wager: of the contract, or of the rulebook.
func spotOf(l *law.Law, w *record.Wager) string {
	if w.Spot == baccarat.SpotOther && l != nil && l.Wager(w.Spot, w.SpotName) != nil {
		return w.SpotName
	}
	return w.Spot.String()
}

// ev is the exact expectation of a unit of a wager in a round, 0 if unknown.
func (t *Table) ev(v *detectors.Round, w *record.Wager) float64 {
	spot := w.Spot
	if v.Odds != nil && spot == baccarat.SpotOther && v.Offer.Further[w.SpotName] != nil {
		if terms := v.Offer.Further[w.SpotName]; terms.Offered {
			return terms.EV(v.Odds)
		}
		return 0
	}
	if v.Odds == nil || spot > baccarat.SpotOther || !v.Offer.Terms[spot].Offered {
		return 0
	}
	value := &t.values[spot]
	if !value.known {
		value.ev, value.known = v.Offer.Terms[spot].EV(v.Odds), true
	}
	return value.ev
}
