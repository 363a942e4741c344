package play

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// openTable takes in the opening of the table.
func (t *Table) openTable(c *turn, p *schema.TableOpened) {
	t.IsOpen = true
	t.Last, t.Curator = LastShoe{Order: t.Last.Order[:0]}, 0
	t.History.Occupied = append(t.History.Occupied[:0], p.OccupiedSeats...)
	slices.Sort(t.History.Occupied)
	t.configure(c, &p.Config, 0, true)
}

// configure brings a configuration into force. A round in progress keeps the one it began with.
func (t *Table) configure(c *turn, p *schema.TableConfig, effective int64, opened bool) {
	l, config := lawOf(t.books, p)
	t.enforce(l, config)
	t.keep(t.now)
	change := record.ConfigChange{Seq: c.seq, At: orAt(effective, c.at), Config: config, Opened: opened}
	if s := t.Shoe; s != nil {
		if s.Round != nil && s.Round.Ended.Seq == 0 && s.Round.Voided.Seq == 0 {
			change.InRound = true
			s.Round.ConfigChanged = append(s.Round.ConfigChanged, record.Change{Seq: c.seq})
		}
		if s.Out == 0 {
			s.enforce(l, config)
		}
	}
	t.History.Changes = append(t.History.Changes, change)
	if n := len(t.History.Changes); n > 64 {
		t.History.Changes = slices.Delete(t.History.Changes, 0, n-32)
	}
	c.reach(Configured, nil, nil)
}

func (t *Table) closeTable(c *turn) {
	if s := t.Shoe; s != nil {
		s.TableClosed = c.seq
	}
	t.closeShoes(c)
	t.IsOpen = false
	clear(t.Patrons)
	t.History.Occupied = t.History.Occupied[:0]
	c.yield(Stage{Kind: TableClosed, Seq: uint64(c.seq) + 1})
}

func (t *Table) noticeFiled(c *turn, p *schema.NoticeFiled) {
	t.addNotice(c, record.Notice{
		Seq: c.seq, Topic: record.NoticeTopic(p.Topic), Filed: true, At: orAt(p.FiledAt, c.at),
		Effective:      p.EffectiveAt,
		Writ:           p.Written,
		ToCommission:   slices.Contains(p.Recipients, schema.RecipientCommission),
		ToSurveillance: slices.Contains(p.Recipients, schema.RecipientSurveillance),
	})
}

func (t *Table) noticePosted(c *turn, p *schema.NoticePosted) {
	t.addNotice(c, record.Notice{
		Seq: c.seq, Topic: record.NoticeTopic(p.Topic), At: orAt(p.PostedAt, c.at), Effective: p.EffectiveAt,
	})
}

func (t *Table) addNotice(c *turn, n record.Notice) {
	t.keep(t.now)
	t.History.Notices = append(t.History.Notices, n)
	if k := len(t.History.Notices); k > 256 {
		t.History.Notices = slices.Delete(t.History.Notices, 0, k-128)
	}
	c.reach(NoticeGiven, nil, nil)
}

func orAt(at, otherwise int64) int64 {
	if at != 0 {
		return at
	}
	return otherwise
}

// Terms are the law and the configuration of a stored configuration, in the canonical JSON of table_configs; false if
// no rulebook has it.
func Terms(books law.Books, config string) (*law.Law, *law.Config, bool, error) {
	const head = `{"event_id":"x","property_id":"x","pit_id":"x","table_id":"x","seq":1,"at":"2026-01-01T00:00:00Z",`
	value := head + `"table_configured":{"config":` +
		config + `}}`
	var ev schema.Event
	if err := schema.NewDecoder().Decode(schema.JSON, []byte(value), &ev); err != nil {
		return nil, nil, false, fmt.Errorf("read a stored configuration: %w", err)
	}
	c := &ev.Payload.(*schema.TableConfigured).Config
	if books[c.Ruleset] == nil {
		return nil, nil, false, nil
	}
	l, out := lawOf(books, c)
	return l, out, true, nil
}

// lawOf is the law of a configuration of the contract, and the configuration as rules see it.
func lawOf(books law.Books, c *schema.TableConfig) (l *law.Law, out *law.Config) {
	if book := books[c.Ruleset]; book != nil {
		l, _ = book.Law(baccarat.Game(c.Game))
	}
	return l, configOf(c, l)
}

// configOf reads a configuration of the contract as rules see it. The decoder has rejected odds that cannot be read.
// Interpretive options count only where the rulebook leaves them to the house.
func configOf(c *schema.TableConfig, l *law.Law) *law.Config {
	out := &law.Config{
		ID: c.ConfigID, Ruleset: c.Ruleset, Game: baccarat.Game(c.Game), Currency: c.Currency, Decks: c.Decks,
		Seats: append([]uint32(nil), c.Seats...), Mode: baccarat.VigorishMode(c.Vigorish.Mode),
		Percent:   int64(c.Vigorish.Percent),
		Procedure: c.PaymentProcedure, BonusTable: c.PayTables["dragon_bonus"],
		TreasuresTable:           c.PayTables["treasures"],
		SupplementalRequiresMain: c.SupplementalRequiresMain, ReshuffleAfterLacing: c.ReshuffleAfterLacing,
		FaceDown: c.DealingStyle == schema.DealingStyleFaceDown, AutomatedShuffler: c.AutomatedShuffler,
		PreShuffled: c.PreShuffled,
		MinWager:    c.MinWager, MaxWager: c.MaxWager, Options: map[string]string{},
	}
	for _, s := range c.SideBets {
		out.SideBets = append(out.SideBets, baccarat.SideBet(s))
	}
	for _, f := range c.Feeds {
		out.Feeds |= 1 << f
	}
	for s := range out.Posted {
		if odds, err := baccarat.ParseOdds(c.PostedOdds[baccarat.Spot(s).String()]); err == nil {
			out.Posted[s] = odds
		}
	}
	for k, v := range c.Options {
		if l != nil && l.Elects(k, v) {
			out.Options[k] = v
		}
	}
	return out
}

// ConfigOf is the configuration that an event brings into force, nil if it brings none.
func ConfigOf(ev *schema.Event) *schema.TableConfig {
	switch p := ev.Payload.(type) {
	case *schema.TableOpened:
		return &p.Config
	case *schema.TableConfigured:
		return &p.Config
	default:
		return nil
	}
}
