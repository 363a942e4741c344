package engine

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// archive keeps an event as it was received.
func (t *table) archive(in *arrival, b *rows.Set) {
	if t.engine.opt.NoArchive {
		return
	}
	ev, rows := in.event, &b.Events
	day, _ := t.clock.of(ev.At)
	rows.PropertyID = append(rows.PropertyID, ev.PropertyID)
	rows.PitID = append(rows.PitID, ev.PitID)
	rows.TableID = append(rows.TableID, ev.TableID)
	rows.Seq = append(rows.Seq, ev.Seq)
	rows.EventID.AppendString(ev.EventID)
	rows.At = append(rows.At, ev.At)
	rows.GamingDay = append(rows.GamingDay, day)
	rows.ShoeID = append(rows.ShoeID, ev.ShoeID)
	rows.Round = append(rows.Round, ev.Round)
	rows.Kind = append(rows.Kind, ev.Payload.Kind().String())
	rows.Format = append(rows.Format, in.record.Format)
	rows.Raw.Append(in.record.Value)
	rows.SHA256.Append(in.sum[:])
	rows.Partition = append(rows.Partition, in.partition)
	rows.Offset = append(rows.Offset, in.record.Offset)
}

// roundRows keeps a round and its wagers as facts.
func (t *table) roundRows(s *shoe, r *record.Round, b *rows.Set) {
	rows := &b.Rounds
	day, shift := t.clock.of(r.At)
	coup := r.Coup()
	var staked, paid, expected, collected, returned, vigorish int64
	view := t.look(s, r)
	for i := range r.Wagers {
		w, seen := &r.Wagers[i], &view.Wagers[i]
		staked += w.Amount
		paid += w.Paid.Amount
		expected += seen.Due
		collected += w.Collected.Amount
		returned += w.Returned.Amount
		t.wagerRow(s, r, w, seen, day, b)
	}
	for i := range r.Steps {
		if r.Steps[i].Kind >= record.StepVigMarked {
			vigorish += r.Steps[i].Amount
		}
	}
	rows.PropertyID = append(rows.PropertyID, t.property)
	rows.PitID = append(rows.PitID, s.pit)
	rows.TableID = append(rows.TableID, t.id)
	rows.ShoeID = append(rows.ShoeID, s.ID)
	rows.Round = append(rows.Round, r.No)
	rows.At = append(rows.At, r.At)
	rows.GamingDay = append(rows.GamingDay, day)
	rows.Shift = append(rows.Shift, shift)
	rows.DealerID = append(rows.DealerID, r.Dealer)
	ruleset, config := "", ""
	if r.Config != nil {
		ruleset, config = r.Config.Ruleset, r.Config.ID
	}
	rows.Ruleset = append(rows.Ruleset, ruleset)
	rows.ConfigID = append(rows.ConfigID, config)
	rows.Result = append(rows.Result, result(r, coup).String())
	rows.PlayerCount = append(rows.PlayerCount, coup.P)
	rows.BankerCount = append(rows.BankerCount, coup.B)
	rows.PlayerCards = append(rows.PlayerCards, coup.NP)
	rows.BankerCards = append(rows.BankerCards, coup.NB)
	t.cards = appendCards(t.cards[:0], r)
	rows.Cards.Append(t.cards)
	rows.Wagers = append(rows.Wagers, uint32(len(r.Wagers)))
	rows.Staked = append(rows.Staked, staked)
	rows.Paid = append(rows.Paid, paid)
	rows.ExpectedPay = append(rows.ExpectedPay, expected)
	rows.Collected = append(rows.Collected, collected)
	rows.Returned = append(rows.Returned, returned)
	rows.Vigorish = append(rows.Vigorish, vigorish)
	rows.Auditable = append(rows.Auditable, t.passOf(s, r) && !r.Missing)
	rows.FirstSeq = append(rows.FirstSeq, uint64(r.Started))
	rows.EndSeq = append(rows.EndSeq, uint64(max(r.Ended.Seq, r.Voided.Seq)))
	t.chanceColumns(view, rows)
}

// chanceColumns are the cards that were left before the round, and the chances of its results.
func (t *table) chanceColumns(v *detectors.Round, rows *rows.Rounds) {
	t.cards = t.cards[:0]
	var player, banker, tie float64
	if v.Odds != nil {
		for c := baccarat.Card(1); c <= 52; c++ {
			t.cards = append(t.cards, byte(max(v.Left[c], 0)))
		}
		player, banker, tie = v.Offer.Chances(v.Odds)
	}
	rows.Decks = append(rows.Decks, uint32(v.Decks))
	rows.Unseen.Append(t.cards)
	rows.ChancePlayer = append(rows.ChancePlayer, player)
	rows.ChanceBanker = append(rows.ChanceBanker, banker)
	rows.ChanceTie = append(rows.ChanceTie, tie)
	rows.LockedAt = append(rows.LockedAt, v.Locked)
	rows.CardAt = append(rows.CardAt, v.First)
	rows.EndAt = append(rows.EndAt, v.Ended)
	rows.BatchID = append(rows.BatchID, v.Batch)
	rows.Shuffler = append(rows.Shuffler, v.Shuffler)
	rows.Reader = append(rows.Reader, v.Reader)
}

// result is a round's result as dealt; void when it was cancelled, none when its cards are unknown.
func result(r *record.Round, c *baccarat.Coup) baccarat.Result {
	switch {
	case r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void:
		return baccarat.Void
	case !c.Complete:
		return baccarat.NoResult
	}
	return c.Result()
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

func (t *table) wagerRow(s *shoe, r *record.Round, w *record.Wager, seen *detectors.Wager, day string, b *rows.Set) {
	rows := &b.Wagers
	rows.PropertyID = append(rows.PropertyID, t.property)
	rows.TableID = append(rows.TableID, t.id)
	rows.ShoeID = append(rows.ShoeID, s.ID)
	rows.Round = append(rows.Round, r.No)
	rows.At = append(rows.At, r.At)
	rows.GamingDay = append(rows.GamingDay, day)
	rows.WagerID.AppendString(w.ID)
	rows.Seat = append(rows.Seat, w.Seat)
	rows.Spot = append(rows.Spot, w.Spot.String())
	rows.Stake = append(rows.Stake, w.Amount)
	rows.Coupon = append(rows.Coupon, w.Coupon)
	rows.Medium = append(rows.Medium, w.Medium.String())
	rows.Patron = append(rows.Patron, seen.Patron)
	rows.Disposition = append(rows.Disposition, seen.Done.String())
	rows.Expected = append(rows.Expected, seen.Ruled.String())
	rows.Paid = append(rows.Paid, w.Paid.Amount)
	rows.ExpectedPaid = append(rows.ExpectedPaid, seen.Due)
	rows.Collected = append(rows.Collected, w.Collected.Amount)
	rows.Returned = append(rows.Returned, w.Returned.Amount)
	rows.PlacedSeq = append(rows.PlacedSeq, uint64(w.Placed))
	rows.PlacedAt = append(rows.PlacedAt, seen.Placed)
	rows.Late = append(rows.Late, seen.Late)
	rows.EV = append(rows.EV, t.suspects.ev(w.Spot))
	rows.LockStake = append(rows.LockStake, seen.AtLock)
	rows.SettleStake = append(rows.SettleStake, seen.AtSettlement)
}

// shoeRows keeps a shoe, its vigorish, and what the table carries on.
func (t *table) shoeRows(s *shoe, b *rows.Set) {
	day, shift := t.clock.of(s.At)
	row := rows.Shoe{
		PropertyID: t.property, PitID: s.pit, TableID: t.id, ShoeID: s.ID, At: s.At, EndedAt: s.endedAt, ClosedAt: t.now.At, GamingDay: day, Shift: shift,
		Decks: s.Loaded.Decks, CardsOut: s.Out, Remaining: s.Ended.Remaining, Rounds: uint32(len(s.Rounds)), Unauditable: s.unauditable,
		Findings: s.found, Joined: s.Joined, Missing: s.Missing, FirstSeq: uint64(s.First), LastSeq: t.log.next() - 1, Engine: t.engine.opt.Version,
	}
	for _, o := range s.Owed(nil) {
		row.Outstanding += o.Amount
	}
	if s.config != nil {
		row.Ruleset, row.Game, row.ConfigID = s.config.Ruleset, s.config.Game.String(), s.config.ID
	}
	if s.law != nil {
		row.Rulebook = s.law.Book.Ref()
	}
	b.Shoes = append(b.Shoes, row)
	for i := range s.Dues {
		b.Vigorish = append(b.Vigorish, t.vigorishRow(s, &s.Dues[i], day))
	}
}

func (t *table) vigorishRow(s *shoe, d *record.Due, day string) rows.Vigorish {
	row := rows.Vigorish{
		PropertyID: t.property, TableID: t.id, ShoeID: s.ID, Round: d.Round, At: t.log.time(uint64(d.PaidAt)), GamingDay: day, WagerID: d.Wager,
		Seat: d.Seat, Kind: "COMMISSION", Won: d.Won, Marked: d.Marked, Collected: max(d.Collected, d.Cash), MarkedSeq: uint64(d.MarkedAt), CollectedSeq: uint64(d.CollectedAt),
	}
	switch {
	case d.Tie:
		row.Kind, row.Won, row.Least, row.Most = "TIE25", 0, d.Stake/4, (d.Stake+3)/4
	case s.law != nil && s.config != nil:
		v, _ := s.law.Vigorish(s.config.Percent)
		row.Least, _ = v.Exact(d.Won)
		row.Most = v.Up(d.Won)
	}
	if d.Unproved {
		row.Least = 0
	}
	return row
}

func (t *table) configRow(ev *schema.Event, c *schema.TableConfig, effective int64, opened bool) rows.Config {
	return rows.Config{
		PropertyID: t.property, PitID: ev.PitID, TableID: t.id, Seq: ev.Seq, At: ev.At, EffectiveAt: effective, Opened: opened,
		ConfigID: c.ConfigID, Ruleset: c.Ruleset, Game: c.Game.String(), Mode: c.Vigorish.Mode.String(), Percent: c.Vigorish.Percent,
		Procedure: c.PaymentProcedure, Reshuffle: c.ReshuffleAfterLacing, Config: string(schema.AppendConfigJSON(nil, c)), EventID: string([]byte(ev.EventID)),
	}
}

func (t *table) noticeRow(ev *schema.Event, n *record.Notice, topic string) rows.Notice {
	return rows.Notice{
		PropertyID: t.property, PitID: ev.PitID, TableID: t.id, Seq: ev.Seq, At: ev.At, NoticeAt: n.At, EffectiveAt: n.Effective,
		Topic: topic, Filed: n.Filed, Written: n.Writ, Recipients: []string{},
	}
}
