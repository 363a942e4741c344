package engine

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// suspects is what a table's detectors need beside its rounds: the cards not yet seen, and what devices said.
// It is made anew with every shoe; only the last shoe's cards are older.
type suspects struct {
	host *detectors.Host // nil while no shoe is looked at
	// offer is that of law and config.
	offer  *detectors.Offer `memory:"-"`
	law    *law.Law         `memory:"-"`
	config *law.Config      `memory:"-"`

	// shoe is the one being looked at; left are its cards not seen before the one at position out.
	shoe          *shoe `memory:"-"` // remembering.looked has it
	decks         uint32
	left          exact.Composition
	out           int
	cards, before []detectors.Card

	view  detectors.Round                   `memory:"-"`
	odds  exact.Odds                        `memory:"-"`
	known bool                              `memory:"-"`
	value [baccarat.SpotOther + 1]spotValue `memory:"-"`

	shuffler, reader string
	reads            []stakeRead
	tray             trayState
}

// spotValue is the expectation of a spot in the round that is viewed, once it was asked for.
type spotValue struct {
	ev    float64
	known bool
}

// stakeRead is a stake as a device read it.
type stakeRead struct {
	wager        string
	lock, settle int64
}

// maxReads bounds the readings that wait for their round.
const maxReads = 256

// trayState is a chip tray since its last count.
type trayState struct {
	tray    detectors.Tray
	counted bool
	last    uint64
}

// overhear takes what no rule asks about from an event: devices, readings, chips.
func (t *table) overhear(ev *schema.Event, b *rows.Set) {
	u := &t.suspects
	tray := &u.tray.tray
	tray.Whole = tray.Whole && ev.Seq == u.tray.last+1
	u.tray.last = ev.Seq
	switch p := ev.Payload.(type) {
	case *schema.ShoeShuffled:
		u.shuffler = ev.Source.DeviceID
	case *schema.CardDealt:
		u.reader = ev.Source.DeviceID
	case *schema.StakeRead:
		u.read(p)
	case *schema.WagerPlaced:
		// Coupons and cash are not in the tray.
		tray.Whole = tray.Whole && p.Coupon == 0 && (p.Medium == schema.WagerMediumChips || p.Medium == schema.WagerMediumPlaques)
	case *schema.WagerCollected:
		tray.Won += p.Amount
	case *schema.WagerPaid:
		tray.Paid += p.Amount
	case *schema.VigorishCollected:
		tray.Vigs += p.Amount
	case *schema.ChipsFilled:
		tray.Fills += p.Amount
	case *schema.ChipsCredited:
		tray.Credits += p.Amount
	case *schema.TrayCounted:
		t.count(ev, p, b)
	default: // the fold took what there is to take
	}
}

func (u *suspects) read(p *schema.StakeRead) {
	at := slices.IndexFunc(u.reads, func(r stakeRead) bool { return r.wager == p.WagerID })
	if at < 0 {
		if len(u.reads) == maxReads {
			u.reads = slices.Delete(u.reads, 0, maxReads/2)
		}
		at = len(u.reads)
		u.reads = append(u.reads, stakeRead{p.WagerID, -1, -1})
	}
	if p.Occasion == schema.StakeOccasionLock {
		u.reads[at].lock = p.Amount
	} else {
		u.reads[at].settle = p.Amount
	}
}

// count closes an interval of the tray and begins the next.
func (t *table) count(ev *schema.Event, p *schema.TrayCounted, b *rows.Set) {
	u := &t.suspects
	tray := &u.tray.tray
	tray.Close = p.Amount
	tray.Dealer, tray.Location = t.dealer, detectors.Location{Property: t.property, Pit: t.pit, Table: t.id, At: ev.At, Seq: record.Seq(ev.Seq)}
	if !u.tray.counted {
		tray.Whole = false
	}
	t.detectors().Tray(tray)
	t.suspected(nil, b)
	if u.shoe == nil {
		u.host = nil
	}
	u.tray.counted = true
	u.tray.tray = detectors.Tray{Open: p.Amount, Whole: true}
}

// detectors are those of the table.
func (t *table) detectors() *detectors.Host {
	if t.suspects.host == nil {
		t.suspects.host = detectors.NewLive(t.engine.opt.budget())
	}
	return t.suspects.host
}

// budget is the false-alarm budget of the options, or the default.
func (o *Options) budget() detectors.Budget {
	if o.Budget != nil {
		return *o.Budget
	}
	return detectors.DefaultBudget()
}

// look makes the detectors' view of a round that is settled.
func (t *table) look(s *shoe, r *record.Round) *detectors.Round {
	u := &t.suspects
	if u.shoe != s {
		u.begin(t, s)
	}
	u.advance(s, r.Before)
	v := &u.view
	*v = detectors.Round{
		Location: detectors.Location{Property: t.property, Pit: s.pit, Table: t.id, Shoe: s.ID, Round: r.No, At: r.At, Seq: r.Started},
		Dealer:   r.Dealer, Batch: s.Loaded.Batch, Shuffler: u.shuffler, Reader: u.reader, Decks: int(u.decks), Left: u.left,
		Locked: t.log.time(uint64(callSeq(r, baccarat.NoMoreBets))), First: t.log.time(uint64(r.FirstCard())), Ended: t.log.time(uint64(r.Ended.Seq)),
		Coup: *r.Coup(), Frozen: s.Missing || r.Missing, Cards: v.Cards[:0], Wagers: v.Wagers[:0],
	}
	u.known, u.value = false, [baccarat.SpotOther + 1]spotValue{}
	for i := range r.Cards {
		if c := &r.Cards[i]; !c.Carried {
			v.Cards = append(v.Cards, detectors.Card{Card: c.Card, Hand: c.Hand, Index: c.Index})
		}
	}
	u.cards = append(u.cards, v.Cards...)
	if config := r.Config; config != nil && s.law != nil {
		if u.law != s.law || u.config != config {
			u.law, u.config, u.offer = s.law, config, detectors.NewOffer(s.law, config)
		}
		v.Offer = u.offer
	}
	if v.Offer != nil && u.decks > 0 && v.Offer.Kernel.Odds(&v.Left, &u.odds) {
		v.Odds, u.known = &u.odds, true
	}
	v.Played = v.Offer != nil && r.Voided.Seq == 0 && r.Ended.Result != baccarat.Void && ordinary(s.law, r)
	judged := t.passOf(s, r)
	for i := range r.Wagers {
		v.Wagers = append(v.Wagers, t.lookAt(s, r, &r.Wagers[i], judged))
	}
	return v
}

func callSeq(r *record.Round, code baccarat.Code) record.Seq {
	if c := r.CallOf(code); c != nil {
		return c.Seq
	}
	return 0
}

// ordinary says that a round was dealt from the shoe alone, to the end and by the drawing table: else its cards
// have another law.
func ordinary(law *law.Law, r *record.Round) bool {
	c := r.Coup()
	if law == nil || !c.Complete || c.NP > 3 || c.NB > 3 || law.CardsDue(c) > 0 || len(r.Cards) != c.Cards() {
		return false
	}
	for i := range r.Cards {
		if d := &r.Cards[i]; d.Carried || d.Fate != record.Kept {
			return false
		}
	}
	return (c.NP == 3) == law.Drawing.PlayerDraws(c.P2, c.B2) && (c.NB == 3) == law.Drawing.BankerDraws(c.P2, c.B2, c.Third)
}

func (t *table) lookAt(s *shoe, r *record.Round, w *record.Wager, judged bool) detectors.Wager {
	v := detectors.Wager{
		ID: w.ID, Patron: w.Patron, Seat: w.Seat, Spot: w.Spot, Stake: w.Amount, Done: w.Disposition(), Paid: w.Paid.Amount,
		AtLock: -1, AtSettlement: -1,
	}
	if judged {
		v.Ruled, v.Due = t.pass.Due(w)
	}
	if w.Gone {
		v.Stake = 0
	}
	placed := w.Placed
	for _, c := range w.Changes {
		if c.Amount > 0 {
			placed = c.Seq
		}
	}
	v.Placed = t.log.time(uint64(placed))
	v.Late = r.FirstCard() != 0 && placed > r.FirstCard()
	u := &t.suspects
	if at := slices.IndexFunc(u.reads, func(r stakeRead) bool { return r.wager == w.ID }); at >= 0 {
		v.AtLock, v.AtSettlement = u.reads[at].lock, u.reads[at].settle
		v.HasReads = v.AtLock >= 0 && v.AtSettlement >= 0
		u.reads = slices.Delete(u.reads, at, at+1)
	}
	for i := len(s.Dues) - 1; i >= 0 && judged && s.Dues[i].Round == r.No; i-- {
		if d := &s.Dues[i]; d.Wager == w.ID && !d.Tie {
			vig, _ := s.law.Vigorish(r.Config.Percent)
			v.VigDue, _ = vig.Exact(d.Won)
			v.VigTaken = max(d.Marked, d.Collected, d.Took)
			if v.VigTaken == 0 && d.CollectedAt != 0 {
				v.VigTaken = v.VigDue // taken together with others
			}
		}
	}
	return v
}

// ev is the exact expectation of a unit on a spot in the round that is viewed, 0 if unknown.
func (u *suspects) ev(spot baccarat.Spot) float64 {
	if !u.known || spot > baccarat.SpotOther || !u.offer.Terms[spot].Offered {
		return 0
	}
	if v := &u.value[spot]; !v.known {
		v.ev, v.known = u.offer.Terms[spot].EV(&u.odds), true
	}
	return u.value[spot].ev
}

// begin turns to a shoe.
func (u *suspects) begin(t *table, s *shoe) {
	u.shoe, u.out, u.cards, u.host = s, 0, u.cards[:0], nil
	u.decks = s.Loaded.Decks
	if u.decks == 0 && s.config != nil {
		u.decks = s.config.Decks
	}
	u.decks = min(u.decks, 100) // what detectors compute grows with it, and a record may say anything
	u.left = exact.Full(int(u.decks))
	v := t.lookShoe(s)
	t.detectors().Begin(&v)
}

func (t *table) lookShoe(s *shoe) detectors.Shoe {
	u := &t.suspects
	return detectors.Shoe{
		Location: detectors.Location{Property: t.property, Pit: s.pit, Table: t.id, Shoe: s.ID, At: s.At, Seq: s.First},
		Dealer:   t.dealer, Batch: s.Loaded.Batch, Shuffler: u.shuffler, Decks: int(u.decks), Before: u.before, Left: u.left,
		Whole: !s.Missing && !s.Joined, Frozen: s.Missing,
	}
}

// advance counts out the cards up to a position.
func (u *suspects) advance(s *shoe, to int) {
	for to = min(to, len(s.Order)); u.out < to; u.out++ {
		if c := s.Order[u.out]; c != baccarat.Unread {
			u.left[c]--
		}
	}
}

// suspect asks the detectors about the round that was looked at.
func (t *table) suspect(s *shoe, b *rows.Set) {
	u := &t.suspects
	t.detectors().Round(&u.view)
	t.suspected(s, b)
}

// suspectShoe asks them about a shoe that has ended.
func (t *table) suspectShoe(s *shoe, b *rows.Set) {
	u := &t.suspects
	if u.shoe != s {
		return
	}
	u.advance(s, len(s.Order))
	v := t.lookShoe(s)
	v.At = max(s.endedAt, s.At)
	for _, c := range s.Order {
		if c != baccarat.Unread {
			v.Read++
		}
	}
	t.detectors().End(&v)
	t.suspected(s, b)
	u.shoe, u.host = nil, nil
	u.before, u.cards = u.cards, u.before[:0]
}

// suspected keeps the evidence of the last call, and its alarms as findings.
func (t *table) suspected(s *shoe, b *rows.Set) {
	host := t.suspects.host
	for i := range host.Factors {
		f := &host.Factors[i]
		if f.LnE == 0 && f.Start == 0 && !f.Certain {
			continue
		}
		day, _ := t.clock.of(f.Location.At)
		b.Evidence = append(b.Evidence, rows.Evidence{
			Detector: f.Detector.ID, Key: f.Key.String(), At: f.Location.At, PropertyID: t.property, TableID: t.id, ShoeID: f.Location.Shoe, Round: f.Location.Round,
			Seq: uint64(f.Location.Seq), GamingDay: day, LnE: f.LnE, Start: f.Start, Engine: t.engine.opt.Version,
		})
	}
	for i := range host.Alarms {
		a := &host.Alarms[i]
		// What a rule has proved is not suspected.
		if s != nil && s.law != nil && a.Detector.ID == "d01" {
			if _, asked := s.law.Cited("shoe.composition.no-excess-copies"); asked {
				continue
			}
		}
		row := Anomaly(a)
		t.context(&row)
		row.DealerID, row.Engine = t.suspects.view.Dealer, t.engine.opt.Version
		if row.Round == 0 {
			row.DealerID = t.dealer
		}
		seqs := []record.Seq{a.Location.Seq}
		for _, w := range a.Top {
			seqs = append(seqs, w.Location.Seq)
		}
		t.prove(&row, seqs, a.Location.At)
		row.At = schema.Time(a.Location.At)
		row.GamingDay, row.Shift = t.clock.of(a.Location.At)
		if s != nil {
			s.found++
		}
		t.add(row, b)
	}
}

// Anomaly is the finding of an alarm, without what only the caller has: evidence, day and rulebook.
func Anomaly(a *detectors.Alarm) finding.Finding {
	severity := finding.Major
	if a.Detector.Tier == detectors.Calibrated {
		severity = finding.Minor
	}
	f := finding.New(finding.Identity{
		PropertyID: a.Location.Property, TableID: a.Location.Table, ShoeID: a.Location.Shoe, Round: a.Location.Round, Rule: a.Detector.ID, Subject: a.Key.String(),
	}, finding.Anomaly, finding.Suspect, severity)
	f.Citations = []string{"docs/detectors.md: " + a.Detector.Name}
	f.PitID, f.At = a.Location.Pit, schema.Time(a.Location.At)
	f.Expected, f.Observed, f.Amount = a.Expected(), a.Observed()+"; "+a.Odds(), a.Money
	f.LnE, f.Threshold, f.Odds = a.LnE, a.LnThreshold, a.Odds()
	return f
}
