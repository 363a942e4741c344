// Package watch weighs what follows a patron, a dealer, a pair, a device or a pit. It reads facts in the order in
// which shoes were
// closed, behind the slowest feed, and keeps nothing of its own: started again, it reads again and finds the same.
package watch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Options say what to watch.
type Options struct {
	Property string
	// Since is the first moment of closing that is looked at, ns UTC.
	Since int64
	// Behind is how far below the slowest feed to stay, so that rows of a flush under way are not missed. A table that is
	// further behind than Patience is not waited for: what it sends later belongs to the nightly run.
	Behind, Patience time.Duration
	Engine           engine.Options
	Hooks            Hooks
}

// Hooks are told how a watch gets on; a nil one is not called.
type Hooks struct {
	// Begun is told of each pass: up to when the slowest feed has reported, ns UTC.
	Begun func(watermark int64)
	// Kept is told of shoes that were weighed once the rows of it are durable, and up to which closing all are, ns UTC.
	Kept func(shoes, rounds int, evidence []rows.Evidence, findings []finding.Finding, decided int64)
}

// Watch is detectors at work over a property's facts. It is not safe for concurrent use.
type Watch struct {
	options Options
	store   *clickhouse.Store
	promise detectors.Budget
	host    *detectors.Host

	after   clickhouse.ClosedShoe
	terms   map[string]*terms
	configs []rows.Config
	before  map[string][]detectors.Card // the last shoe of each table
	// weighed is what is not durable yet.
	weighed weighed
}

// terms are the law and the offer of one configuration.
type terms struct {
	law    *law.Law
	config *law.Config
	offer  *detectors.Offer
}

// Step is what one pass did.
type Step struct {
	Shoes, Rounds, Evidence, Findings int
	// Watermark is up to when it looked, ns UTC.
	Watermark int64
}

const shoesAtOnce = 100

// New begins a watch.
func New(store *clickhouse.Store, o Options) *Watch {
	promise := detectors.DefaultBudget()
	if o.Engine.Budget != nil {
		promise = *o.Engine.Budget
	}
	return &Watch{
		options: o, store: store, promise: promise, host: detectors.NewStored(promise),
		after: clickhouse.ClosedShoe{Closed: o.Since - 1},
		terms: map[string]*terms{}, before: map[string][]detectors.Card{},
	}
}

// Pass looks at all that is below the watermark and was not looked at. After an error it may be called again, and goes
// on
// where it was.
func (w *Watch) Pass(ctx context.Context) (step Step, err error) {
	slowest, _, err := w.store.Watermark(ctx, w.options.Property, int64(w.options.Patience))
	if err != nil {
		return step, err
	}
	if w.options.Hooks.Begun != nil {
		w.options.Hooks.Begun(slowest)
	}
	step.Watermark = slowest - int64(w.options.Behind)
	if err := w.floor(ctx, step.Watermark); err != nil {
		return step, err
	}
	for {
		if err := w.keep(ctx, &step); err != nil {
			return step, err
		}
		shoes, err := w.store.Closed(ctx, w.options.Property, w.after, step.Watermark, shoesAtOnce)
		if err != nil || len(shoes) == 0 {
			return step, err
		}
		for i := range shoes {
			if err := w.shoe(ctx, &shoes[i]); err != nil {
				return step, err
			}
		}
	}
}

// weighed is what a pass has to store, of so many shoes and rounds.
type weighed struct {
	shoes, rounds int
	evidence      []rows.Evidence
	findings      []finding.Finding
}

// floor asks the rules that compare tables, when a configuration was added.
func (w *Watch) floor(ctx context.Context, until int64) error {
	rows, err := w.store.Configs(ctx, w.options.Property, until+1)
	if err != nil || len(rows) == len(w.configs) {
		return err
	}
	w.configs = rows
	floor := engine.NewFloor(w.options.Engine)
	floor.Note(slices.Clone(rows))
	w.weighed.findings = append(w.weighed.findings, floor.Findings()...)
	return nil
}

// shoe weighs a shoe that was closed.
func (w *Watch) shoe(ctx context.Context, c *clickhouse.ClosedShoe) error {
	played, err := w.store.RoundsOf(ctx, w.options.Property, c.Table, c.Shoe)
	if err != nil {
		return err
	}
	under := make([]*terms, len(played))
	for i := range played {
		if under[i], err = w.of(c.Table, &played[i]); err != nil {
			return err
		}
	}
	// From here on nothing fails: a shoe is weighed whole or not at all.
	w.after = *c
	s := detectors.Shoe{
		Location: detectors.Location{Property: w.options.Property, Pit: c.Pit, Table: c.Table, Shoe: c.Shoe, At: c.At},
		Decks:    int(c.Decks), Before: w.before[c.Table], Whole: !c.Missing && !c.Joined, Frozen: c.Missing || c.Disputed,
	}
	if len(played) > 0 {
		s.Dealer, s.Batch, s.Shuffler = played[0].Dealer, played[0].Batch, played[0].Shuffler
	}
	w.host.Begin(&s)
	w.take(&s.Location, "", nil)
	var cards []detectors.Card
	s.Left = exact.Full(int(c.Decks))
	for i := range played {
		p, t := &played[i], under[i]
		r := w.round(c, p, t, s.Frozen)
		w.host.Round(&r)
		w.take(&r.Location, r.Dealer, t)
		cards = append(cards, r.Cards...)
		if r.Odds != nil {
			s.Left = r.Left
			for _, card := range r.Cards {
				s.Left[card.Card]--
			}
		}
		w.weighed.rounds++
	}
	for card := 1; card < len(s.Left); card++ {
		s.Read += int(c.Decks) - int(s.Left[card])
	}
	s.At = c.Closed
	w.host.End(&s)
	w.take(&s.Location, s.Dealer, nil)
	w.before[c.Table] = cards
	w.weighed.shoes++
	return nil
}

// of finds the law and the offer of a round: by the latest configuration of its name.
func (w *Watch) of(table string, p *clickhouse.PlayedRound) (*terms, error) {
	config := ""
	for i := range w.configs {
		if c := &w.configs[i]; c.TableID == table && c.ConfigID == p.Config && c.At <= p.At && !c.Closed {
			config = c.Config
		}
	}
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
func (w *Watch) round(c *clickhouse.ClosedShoe, p *clickhouse.PlayedRound, t *terms, frozen bool) detectors.Round {
	r := detectors.Round{
		Location: detectors.Location{
			Property: w.options.Property, Pit: c.Pit, Table: c.Table, Shoe: c.Shoe, Round: p.Round, At: p.At,
			Seq: record.Seq(p.FirstSeq),
		},
		Dealer: p.Dealer, Batch: p.Batch, Shuffler: p.Shuffler, Reader: p.Reader, Locked: p.Locked, First: p.Card,
		Ended: p.End, Decks: int(c.Decks),
		Offer: t.offer, Breaches: int(p.Breaches), Frozen: frozen || !p.Auditable,
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
	r.Played = t.offer != nil && p.Result != baccarat.Void.String() && r.Coup.Complete && r.Coup.NP <= 3 &&
		r.Coup.NB <= 3 && t.law.CardsDue(&r.Coup) == 0 &&
		(r.Coup.NP == 3) == t.law.Drawing.PlayerDraws(r.Coup.P2, r.Coup.B2) &&
		(r.Coup.NB == 3) == t.law.Drawing.BankerDraws(r.Coup.P2, r.Coup.B2, r.Coup.Third)
	for i := range p.Wagers {
		x := &p.Wagers[i]
		v := detectors.Wager{
			ID: x.ID, Patron: x.Patron, Seat: x.Seat, Spot: baccarat.ParseSpot(x.Spot), Stake: x.Stake, Placed: x.Placed,
			Late:  x.Late,
			Ruled: baccarat.ParseDisposition(x.Ruled), Done: baccarat.ParseDisposition(x.Done), Due: x.Due, Paid: x.Paid,
			VigDue: x.VigDue, VigTaken: x.VigTaken,
			AtLock: x.LockStake, AtSettlement: x.SettleStake, HasReads: x.LockStake >= 0 && x.SettleStake >= 0,
		}
		r.Wagers = append(r.Wagers, v)
	}
	return r
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

// take makes rows of what the detectors said last.
func (w *Watch) take(at *detectors.Location, dealer string, t *terms) {
	done := &w.weighed
	day, shift := w.options.Engine.Calendar.Of(at.At)
	for i := range w.host.Factors {
		f := &w.host.Factors[i]
		if f.LnE == 0 && f.Start == 0 && !f.Certain {
			continue
		}
		done.evidence = append(done.evidence, rows.Evidence{
			Detector: f.Detector.ID, Key: f.Key.String(), At: at.At, PropertyID: at.Property, TableID: at.Table, ShoeID: at.Shoe,
			Round: at.Round,
			Seq:   uint64(at.Seq), GamingDay: day, LnE: f.LnE, Start: f.Start, Engine: w.options.Engine.Version,
		})
	}
	for i := range w.host.Alarms {
		a := &w.host.Alarms[i]
		row := engine.Anomaly(a)
		row.GamingDay, row.Shift, row.DealerID, row.Engine = day, shift, dealer, w.options.Engine.Version
		if t != nil && t.config != nil {
			row.Currency, row.Rulebook = t.config.Currency, t.law.Book.Ref()
		}
		for _, top := range a.Top {
			if top.Location.Table == at.Table && top.Location.Seq != 0 {
				row.Evidence.Seqs = append(row.Evidence.Seqs, uint64(top.Location.Seq))
			}
		}
		if len(row.Evidence.Seqs) == 0 && at.Seq != 0 {
			row.Evidence.Seqs = append(row.Evidence.Seqs, uint64(at.Seq))
		}
		slices.Sort(row.Evidence.Seqs)
		done.findings = append(done.findings, row)
	}
}

// keep stores what was weighed; rows that were stored before are stored once.
func (w *Watch) keep(ctx context.Context, step *Step) error {
	done := &w.weighed
	if done.shoes+len(done.evidence)+len(done.findings) == 0 {
		return nil
	}
	if len(done.evidence) > 0 {
		if err := w.store.AddEvidence(ctx, "watch", done.evidence); err != nil {
			return err
		}
	}
	if err := w.report(ctx, done.findings); err != nil {
		return err
	}
	step.Shoes += done.shoes
	step.Rounds += done.rounds
	step.Evidence += len(done.evidence)
	step.Findings += len(done.findings)
	if w.options.Hooks.Kept != nil {
		w.options.Hooks.Kept(done.shoes, done.rounds, done.evidence, done.findings, w.after.Closed)
	}
	w.weighed = weighed{}
	return nil
}

// report stores findings, with the names of the events that prove them.
func (w *Watch) report(ctx context.Context, findings []finding.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	sum := sha256.New()
	for i := range findings {
		f := &findings[i]
		if len(f.Evidence.EventIDs) == 0 && len(f.Evidence.Seqs) > 0 {
			ids, err := w.store.EventIDs(ctx, f.PropertyID, f.TableID, f.Evidence.Seqs)
			if err != nil {
				return err
			}
			for _, seq := range f.Evidence.Seqs {
				if id, ok := ids[seq]; ok {
					f.Evidence.EventIDs = append(f.Evidence.EventIDs, id)
				}
			}
		}
		fmt.Fprintf(sum, "%+v\n", *f)
	}
	return w.store.AddFindings(ctx, "watch "+hex.EncodeToString(sum.Sum(nil)[:16]), findings)
}
