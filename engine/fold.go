package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// fold takes one event into the state of its table. Every kind of the contract has its place here: a
// new one does not pass the linter until it has.
func (t *table) fold(ev *schema.Event, b *rows.Set) {
	switch p := ev.Payload.(type) {
	case *schema.TableOpened:
		t.open(ev, p, b)
	case *schema.TableConfigured:
		t.configure(ev, p, b)
	case *schema.TableClosed:
		t.closeTable(ev, b)
	case *schema.NoticeFiled:
		t.noticeFiled(ev, p, b)
	case *schema.NoticePosted:
		t.noticePosted(ev, p, b)
	case *schema.LayoutAttested:
		t.memory.Attested[p.Item] = record.Attested{Seq: record.Seq(ev.Seq), At: ev.At, Present: p.Present}
		t.keep(ev)
	case *schema.DealerAssigned:
		if p.Position != schema.DealerPositionPaying {
			t.dealer = p.DealerID
		}
	case *schema.SeatOccupied:
		t.occupy(p)
	case *schema.SeatVacated:
		t.vacate(p)
	case *schema.DeckReceived, *schema.CardsInspected, *schema.CardsVerified, *schema.CardsSpread, *schema.CardsViewed,
		*schema.CardsWashed, *schema.CardsStacked, *schema.BatchReported:
		t.foldCards(ev)
	case *schema.ShoeShuffled, *schema.ShoeLaced, *schema.CutOffered, *schema.ShoeCut, *schema.RecutOrdered, *schema.ShoeTransposed,
		*schema.CutcardPlaced, *schema.ShoeLoaded, *schema.ShoeBurned, *schema.CuratorOffered, *schema.CuratorAssigned, *schema.CuratorPassed,
		*schema.CutcardSeen, *schema.ShoeEnded, *schema.BidOffered, *schema.BankerAssigned, *schema.BankerRelinquished:
		t.foldPlay(ev, b)
	case *schema.RoundStarted, *schema.WagerPlaced, *schema.WagerChanged, *schema.WagerHandled, *schema.VerbalConfirmed, *schema.CashConverted,
		*schema.Announced, *schema.DealInstructed, *schema.CardDealt, *schema.CardRevealed, *schema.CardMoved, *schema.CardCarriedOver,
		*schema.CardFoundFaceup, *schema.CardTouched, *schema.SqueezeOffered, *schema.SqueezeRelinquished, *schema.CardsHanded, *schema.CardsReturned,
		*schema.WagerCollected, *schema.WagerPaid, *schema.WagerReturned, *schema.VigorishMarked, *schema.VigorishCollected,
		*schema.VigorishMarkerRemoved, *schema.DiscardPlaced, *schema.RoundVoided, *schema.RoundEnded, *schema.BankerWagered, *schema.BancoAnnounced:
		t.foldPlay(ev, b)
	case *schema.ChipsFilled, *schema.ChipsCredited, *schema.TrayCounted, *schema.DropRemoved, *schema.StakeRead, *schema.DeviceReported:
		// For detectors; no rule asks about them.
	}
}

func (t *table) occupy(p *schema.SeatOccupied) {
	t.patrons[p.Seat] = p.PatronRef
	if at, found := slices.BinarySearch(t.memory.Occupied, p.Seat); !found {
		t.memory.Occupied = slices.Insert(t.memory.Occupied, at, p.Seat)
	}
}

func (t *table) vacate(p *schema.SeatVacated) {
	delete(t.patrons, p.Seat)
	if at, found := slices.BinarySearch(t.memory.Occupied, p.Seat); found {
		t.memory.Occupied = slices.Delete(t.memory.Occupied, at, at+1)
	}
}

// foldPlay takes in what happens to a shoe, in a round or outside of one.
func (t *table) foldPlay(ev *schema.Event, b *rows.Set) {
	s := t.of(ev, b)
	if s == nil {
		return
	}
	seq := record.Seq(ev.Seq)
	if ev.Round == 0 || !t.foldRound(s, ev, seq, b) {
		t.foldShoe(s, ev, seq, b)
	}
}

// foldShoe takes in what happens to a shoe outside its rounds.
func (t *table) foldShoe(s *shoe, ev *schema.Event, seq record.Seq, b *rows.Set) {
	switch p := ev.Payload.(type) {
	case *schema.ShoeLoaded:
		s.Loaded = record.Loaded{
			Seq: seq, Decks: p.DeckCount, CuttingCards: p.CuttingCards, Batch: p.BatchID, BackColor: p.BackColor, BackDesign: p.BackDesign,
			DealingShoe: p.Device == schema.ShoeDeviceDealingShoe, OtherDevice: p.Device == schema.ShoeDeviceOther, Location: p.Location,
		}
	case *schema.ShoeBurned:
		t.burn(s, p, seq)
	case *schema.CutcardSeen:
		t.cutcard(s, ev, p, seq)
	case *schema.ShoeEnded:
		s.Ended = record.ShoeEnded{Seq: seq, Remaining: p.Remaining}
		s.ended, s.endedAt = true, ev.At
		if s == t.shoe {
			t.endShoe(b)
		}
	case *schema.Announced:
		if baccarat.Code(p.Code) == baccarat.LastHand {
			s.LastHandCalls = append(s.LastHandCalls, seq)
		}
	case *schema.CardFoundFaceup:
		t.faceUp(s, ev, p, seq)
	case *schema.VigorishCollected:
		t.collect(s, p, seq)
	case *schema.VigorishMarkerRemoved:
		o := t.owing(s, p.Seat)
		o.MarkersRemoved = append(o.MarkersRemoved, record.SeatChange{Seq: seq, Seat: p.Seat, Amount: p.Amount})
	case *schema.VigorishMarked:
		s.Mark(p.WagerID, p.Amount, seq)
	case *schema.CardCarriedOver:
		t.carryCard(s, p.CardSeq, seq)
	default:
		t.foldPreparation(s, ev, seq)
	}
}

// faceUp notes a card found face up in the shoe. It belongs to the round in progress, or to the one
// about to be dealt.
func (t *table) faceUp(s *shoe, ev *schema.Event, p *schema.CardFoundFaceup, seq record.Seq) {
	c, err := baccarat.ParseCard(p.Card)
	if err != nil {
		c = baccarat.Unread
	}
	burned := slices.ContainsFunc(s.Burns, func(b record.Burn) bool { return !b.Opening && p.CardSeq >= b.First && p.CardSeq < b.First+b.Count })
	s.FaceUps = append(s.FaceUps, record.FoundFaceUp{
		Seq: seq, CardSeq: p.CardSeq, Card: c, Destination: p.Destination, AmongBurned: burned, Burn: -1, Round: s.comingRound(ev.Round),
	})
	if !burned {
		t.out(s, c)
	}
}

// out takes a card out of the shoe.
func (t *table) out(s *shoe, c baccarat.Card) {
	s.Out++
	s.Seen[c]++
	if len(s.Order) < 52*64 {
		s.Order, s.OrderAt = append(s.Order, c), append(s.OrderAt, record.Seq(t.now.Seq))
	}
}

// comingRound is the round that an event between rounds is about: the one in progress, or the next.
func (s *shoe) comingRound(round uint32) uint32 {
	switch {
	case round != 0:
		return round
	case s.round != nil && s.round.Ended.Seq == 0 && s.round.Voided.Seq == 0:
		return s.round.No
	case s.round != nil:
		return s.round.No + 1
	case len(s.Rounds) > 0:
		return s.Rounds[len(s.Rounds)-1].No + 1
	}
	return 1
}

// owing is the shoe whose ledger an outstanding step of a seat is about: the one before, when the
// seat owes there and not here.
func (t *table) owing(s *shoe, seat uint32) *shoe {
	owes := func(s *shoe) bool {
		return slices.ContainsFunc(s.Dues, func(d record.Due) bool { return d.Seat == seat })
	}
	if s == t.shoe && t.prev != nil && owes(t.prev) && !owes(s) {
		return t.prev
	}
	return s
}

func (t *table) burn(s *shoe, p *schema.ShoeBurned, seq record.Seq) {
	opening := p.Reason == schema.BurnReasonOpening
	indicator, err := baccarat.ParseCard(p.Indicator)
	if err != nil {
		indicator = baccarat.Unread
	}
	b := record.Burn{
		Seq: seq, Opening: opening, Indicator: indicator, First: s.Out + 1, Count: p.Count, Cards: len(p.Cards),
		Shown: baccarat.Shown(p.Shown), Destination: baccarat.Destination(p.Destination), AfterCard: s.prepared,
		AllRead: !slices.Contains(p.Cards, "??"), Round: s.comingRound(0),
	}
	s.Burns = append(s.Burns, b)
	if b.Destination == baccarat.Rack {
		t.rack(s, seq)
	}
	if opening {
		t.out(s, indicator)
	} else {
		t.answer(s, len(s.Burns)-1, indicator)
	}
	for i := range min(p.Count, 52*8) {
		c := baccarat.Unread
		if int(i) < len(p.Cards) {
			if read, err := baccarat.ParseCard(p.Cards[i]); err == nil {
				c = read
			}
		}
		t.out(s, c)
	}
}

// answer links a burn for an irregularity to what it answers: cards found face up that no burn
// answers yet, or the card beyond those due that it names, which leaves its hand.
func (t *table) answer(s *shoe, burn int, c baccarat.Card) {
	answered := false
	for i := range s.FaceUps {
		if f := &s.FaceUps[i]; f.Burn < 0 {
			f.Burn, answered = burn, true
		}
	}
	if answered {
		return
	}
	for _, r := range []*record.Round{s.round, s.settling} {
		if r == nil {
			continue
		}
		d, certain := burnable(r, c)
		if d == nil {
			continue
		}
		d.Final, d.Fate, d.FateAt, d.Burn = baccarat.NoHand, record.Burned, s.Burns[burn].Seq, burn
		r.Missing = r.Missing || !certain
		r.Recompose()
		return
	}
}

// burnable is the latest card of a round that a burn with this indicator takes, nil if none. Where one of
// the two was not read it is any third card, and certain only if there is one alone.
func burnable(r *record.Round, c baccarat.Card) (card *record.DealtCard, certain bool) {
	var maybe []*record.DealtCard
	for i := range slices.Backward(r.Cards) {
		d := &r.Cards[i]
		switch {
		case d.Fate != record.Kept || (d.Index <= 2 && d.Final != baccarat.NoHand):
		case d.Card == c && c != baccarat.Unread:
			return d, true
		case d.Card == baccarat.Unread || c == baccarat.Unread:
			maybe = append(maybe, d)
		}
	}
	if len(maybe) == 0 {
		return nil, true
	}
	return maybe[0], len(maybe) == 1
}

// cutcard notes the cutting card. One that shows in front of a round's first card belongs to the round
// about to be dealt, unless the rulebook reads it as the one before.
func (t *table) cutcard(s *shoe, ev *schema.Event, p *schema.CutcardSeen, seq record.Seq) {
	round := s.comingRound(ev.Round)
	dealing := s.round != nil && s.round.No == round && len(s.round.Cards) > 0
	if !dealing && round > 1 && s.law != nil && s.law.Options["cutcard_first_card"] == "belongs_to_previous" {
		round--
	}
	s.Cutcard = append(s.Cutcard, record.Sighting{Seq: seq, Round: round, AfterCard: p.AfterCardSeq, SetAside: p.SetAside})
}

// collect takes in vigorish collected for what was settled before.
func (t *table) collect(s *shoe, p *schema.VigorishCollected, seq record.Seq) {
	if p.VigorishKind != schema.VigorishKindOutstanding {
		s.CollectLate(p.Seat, p.Amount, p.WagerIDs, seq)
		return
	}
	for _, r := range []*record.Round{s.settling, s.round} {
		if r != nil && marksSeat(r, p.Seat) {
			s.later = append(s.later, collection{p.Seat, p.Amount, slices.Clone(p.WagerIDs), seq})
			return
		}
	}
	t.owing(s, p.Seat).Collect(p.Seat, p.Amount, p.WagerIDs, seq)
}

func marksSeat(r *record.Round, seat uint32) bool {
	return slices.ContainsFunc(r.Steps, func(s record.Step) bool { return s.Kind == record.StepVigMarked && s.Seat == seat })
}

// open takes in the opening of the table.
func (t *table) open(ev *schema.Event, p *schema.TableOpened, b *rows.Set) {
	t.isOpen = true
	t.carry, t.curator = carry{order: t.carry.order[:0]}, 0
	t.memory.Occupied = append(t.memory.Occupied[:0], p.OccupiedSeats...)
	slices.Sort(t.memory.Occupied)
	t.enact(ev, &p.Config, 0, true, b)
}

func (t *table) configure(ev *schema.Event, p *schema.TableConfigured, b *rows.Set) {
	t.enact(ev, &p.Config, p.EffectiveAt, false, b)
}

// refuseOptions says which interpretive options of the table do not count: the audited do not set
// the audit.
func (t *table) refuseOptions(c *schema.TableConfig, law *law.Law, b *rows.Set) {
	var refused []string
	for _, key := range slices.Sorted(maps.Keys(c.Options)) {
		if law != nil && !law.Elects(key, c.Options[key]) {
			refused = append(refused, key+"="+c.Options[key])
		}
	}
	if len(refused) == 0 {
		return
	}
	t.notice(b, "feed.option", finding.OfRange(t.now.Seq, t.now.Seq), "options that the rulebook leaves to the house", "without effect: "+strings.Join(refused, ", "))
	b.Findings[len(b.Findings)-1].Verdict = finding.Information
}

// enact brings a configuration into force. A round in progress keeps the one it began with.
func (t *table) enact(ev *schema.Event, c *schema.TableConfig, effective int64, opened bool, b *rows.Set) {
	law, ok := t.lawOf(c)
	config := configOf(c, law)
	t.law, t.config = law, config
	t.keep(ev)
	t.refuseOptions(c, law, b)
	if !ok {
		t.notice(b, "feed.gap", finding.OfRange(ev.Seq, ev.Seq), "a ruleset that the auditor has", "ruleset "+c.Ruleset+" for "+c.Game.String())
	}
	at := ev.At
	if effective != 0 {
		at = effective
	}
	change := record.ConfigChange{Seq: record.Seq(ev.Seq), At: at, Config: config, Opened: opened}
	if s := t.shoe; s != nil {
		if s.round != nil && s.round.Ended.Seq == 0 && s.round.Voided.Seq == 0 {
			change.InRound = true
			s.round.ConfigChanged = append(s.round.ConfigChanged, record.Change{Seq: record.Seq(ev.Seq)})
		}
		if s.Out == 0 {
			s.law, s.config = law, config
		}
	}
	t.memory.Changes = append(t.memory.Changes, change)
	if n := len(t.memory.Changes); n > 64 {
		t.memory.Changes = slices.Delete(t.memory.Changes, 0, n-32)
	}
	b.Configs = append(b.Configs, t.configRow(ev, c, at, opened))
}

func (t *table) lawOf(c *schema.TableConfig) (*law.Law, bool) {
	book, ok := t.engine.opt.Books[c.Ruleset]
	if !ok {
		return nil, false
	}
	return book.Law(baccarat.Game(c.Game))
}

func (t *table) closeTable(ev *schema.Event, b *rows.Set) {
	if s := t.shoe; s != nil {
		s.TableClosed = record.Seq(ev.Seq)
	}
	t.closeShoe(b)
	t.isOpen, t.boundary = false, true
	clear(t.patrons)
	t.memory.Occupied = t.memory.Occupied[:0]
	t.log.forget(t.log.next())
	b.Configs = append(b.Configs, rows.Config{
		PropertyID: t.property, PitID: t.pit, TableID: t.id, Seq: ev.Seq, At: ev.At, EffectiveAt: ev.At, Closed: true,
	})
}

// keep remembers the id of an event that findings of later shoes may name.
func (t *table) keep(ev *schema.Event) {
	if len(t.kept) > 1024 {
		oldest := ev.Seq
		for seq := range t.kept {
			oldest = min(oldest, seq)
		}
		delete(t.kept, oldest)
	}
	t.kept[ev.Seq] = string([]byte(ev.EventID))
}

func (t *table) noticeFiled(ev *schema.Event, p *schema.NoticeFiled, b *rows.Set) {
	n := record.Notice{
		Seq: record.Seq(ev.Seq), Topic: record.NoticeTopic(p.Topic), Filed: true, At: orAt(p.FiledAt, ev.At), Effective: p.EffectiveAt, Writ: p.Written,
		ToCommission:   slices.Contains(p.Recipients, schema.RecipientCommission),
		ToSurveillance: slices.Contains(p.Recipients, schema.RecipientSurveillance),
	}
	t.addNotice(ev, n)
	row := t.noticeRow(ev, &n, p.Topic.String())
	for _, r := range p.Recipients {
		row.Recipients = append(row.Recipients, r.String())
	}
	b.Notices = append(b.Notices, row)
}

func (t *table) noticePosted(ev *schema.Event, p *schema.NoticePosted, b *rows.Set) {
	n := record.Notice{Seq: record.Seq(ev.Seq), Topic: record.NoticeTopic(p.Topic), At: orAt(p.PostedAt, ev.At), Effective: p.EffectiveAt}
	t.addNotice(ev, n)
	row := t.noticeRow(ev, &n, p.Topic.String())
	row.Medium = p.Medium.String()
	b.Notices = append(b.Notices, row)
}

func orAt(at, otherwise int64) int64 {
	if at != 0 {
		return at
	}
	return otherwise
}

func (t *table) addNotice(ev *schema.Event, n record.Notice) {
	t.keep(ev)
	t.memory.Notices = append(t.memory.Notices, n)
	if k := len(t.memory.Notices); k > 256 {
		t.memory.Notices = slices.Delete(t.memory.Notices, 0, k-128)
	}
}
