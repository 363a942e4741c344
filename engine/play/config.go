package play

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Configuration is a configuration of the contract as an event brought it, with the time from which it governs.
type Configuration struct {
	Seq record.Seq
	// At is the event time, Effective the time from which the event wants it in force, 0 if it names none.
	At, Effective int64
	Pit, EventID  string
	Opened        bool
	Config        *schema.TableConfig
}

// governs is the time from which a configuration governs: never before it was recorded.
func (c *Configuration) governs() int64 { return max(c.At, c.Effective) }

// Queued is a configuration that comes into force later. It is whole: a snapshot has it.
type Queued struct {
	Seq           record.Seq
	At, Effective int64
	Pit, EventID  string
	// Name is its config_id, Config its canonical JSON.
	Name, Config string
}

// openTable takes in the opening of the table.
func (t *Table) openTable(c *turn, p *schema.TableOpened) {
	t.IsOpen = true
	t.Last, t.Curator, t.Left = LastShoe{Order: t.Last.Order[:0]}, 0, Leaving{}
	if len(p.OccupiedSeats) > maxSeats {
		t.crowded(c)
	}
	t.History.Occupied = slices.Clone(p.OccupiedSeats[:min(len(p.OccupiedSeats), maxSeats)])
	slices.Sort(t.History.Occupied)
	t.keep(t.now)
	t.configure(c, t.configuration(&p.Config, 0, true))
}

// configuration pairs a configuration with the event that is folded now, in which it came.
func (t *Table) configuration(p *schema.TableConfig, effective int64, opened bool) *Configuration {
	ev := t.now
	return &Configuration{
		Seq: record.Seq(ev.Seq), At: ev.At, Effective: effective, Pit: ev.PitID, EventID: string([]byte(ev.EventID)),
		Opened: opened, Config: p,
	}
}

// reconfigure takes in a configuration: it is in force now, or queued until its time.
func (t *Table) reconfigure(c *turn, p *schema.TableConfigured) {
	t.keep(t.now)
	change := t.configuration(&p.Config, p.EffectiveAt, false)
	if change.governs() <= c.at {
		t.configure(c, change)
		return
	}
	if t.Behind != 0 {
		t.waits()
	}
	q := Queued{
		Seq: change.Seq, At: change.At, Effective: change.Effective, Pit: change.Pit, EventID: change.EventID,
		Name: p.Config.ConfigID, Config: string(schema.AppendConfigJSON(nil, &p.Config)),
	}
	t.Queue = slices.DeleteFunc(t.Queue, func(old Queued) bool {
		return old.Effective == q.Effective || old.Name == q.Name && q.Name != ""
	})
	at, _ := slices.BinarySearchFunc(t.Queue, q, func(a, b Queued) int { return cmp.Compare(a.Effective, b.Effective) })
	t.Queue = slices.Insert(t.Queue, at, q)
	if len(t.Queue) > maxQueued {
		t.Queue = slices.Delete(t.Queue, maxQueued, len(t.Queue))
	}
}

// maxQueued is how many configurations wait at a table at most.
const maxQueued = 32

// promote brings into force the queued configurations whose time has come.
func (t *Table) promote(c *turn) {
	for len(t.Queue) > 0 && t.Queue[0].Effective <= c.at {
		q := t.Queue[0]
		t.Queue = slices.Delete(t.Queue, 0, 1)
		config, err := parseConfig(q.Config)
		if err != nil {
			continue // it was written by AppendConfigJSON
		}
		t.configure(c, &Configuration{
			Seq: q.Seq, At: q.At, Effective: q.Effective, Pit: q.Pit, EventID: q.EventID, Config: config,
		})
		if t.Waits && len(t.Queue) == 0 {
			t.Gaps.Elections, t.Waits = false, false
		}
	}
}

// configure brings a configuration into force. A round in progress keeps the one with which it began.
func (t *Table) configure(c *turn, p *Configuration) {
	l, config := lawOf(t.books, p.Config)
	t.enforce(l, config, p.Seq)
	change := record.ConfigChange{
		Seq: p.Seq, At: p.governs(), Recorded: p.At, Config: config, Opened: p.Opened,
	}
	if s := t.Shoe; s != nil {
		// A queued change whose time comes within a round waits for the next one.
		if p.Seq == c.seq && t.Closing.Seq == 0 && s.Round != nil && s.Round.Ended.Seq == 0 && s.Round.Voided.Seq == 0 {
			change.InRound = s.Progress.Betting
			if s.Round.Full == 0 {
				s.Round.ConfigChanged = append(s.Round.ConfigChanged, record.Change{Seq: c.seq})
				t.fills(c, s, s.Round)
			}
		}
		if s.Out == 0 {
			s.enforce(t)
		}
	}
	t.History.Changes = append(t.History.Changes, change)
	if n := len(t.History.Changes); n > 64 {
		t.History.Changes = slices.Delete(t.History.Changes, 0, n-32)
	}
	c.yield(Stage{Kind: Configured, Config: p})
}

func (t *Table) closeTable(c *turn) {
	if s := t.Shoe; s != nil {
		s.TableClosed = c.seq
	}
	if t.Shoe.awaitsMoney() || t.Prev.awaitsMoney() { // of the shoe before, if the next one is only prepared
		t.Closing = Closing{c.seq, c.at}
		t.keep(t.now)
		c.yield(Stage{Kind: TableClosed})
		return
	}
	t.endPlay(c)
	c.yield(Stage{Kind: TableClosed, Seq: uint64(c.seq) + 1})
}

// endPlay closes all shoes of a table that has closed.
func (t *Table) endPlay(c *turn) {
	t.closeShoes(c)
	t.IsOpen, t.Early, t.Dealer, t.Calling, t.Floor, t.Closing = false, nil, "", "", "", Closing{}
	clear(t.Patrons)
	t.History.Occupied = nil
}

func (t *Table) noticeFiled(c *turn, p *schema.NoticeFiled) {
	t.addNotice(c, record.Notice{
		Seq: c.seq, Topic: record.NoticeTopic(p.Topic), Filed: true, At: orAt(p.FiledAt, c.at),
		Recorded: c.at, Effective: p.EffectiveAt, Spot: baccarat.Spot(p.Spot),
		Writ:           p.Written,
		ToCommission:   slices.Contains(p.Recipients, schema.RecipientCommission),
		ToSurveillance: slices.Contains(p.Recipients, schema.RecipientSurveillance),
	})
}

func (t *Table) noticePosted(c *turn, p *schema.NoticePosted) {
	t.addNotice(c, record.Notice{
		Seq: c.seq, Topic: record.NoticeTopic(p.Topic), At: orAt(p.PostedAt, c.at), Recorded: c.at,
		Effective: p.EffectiveAt,
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
	c, err := parseConfig(config)
	if err != nil {
		return nil, nil, false, fmt.Errorf("read a stored configuration: %w", err)
	}
	if books[c.Ruleset] == nil {
		return nil, nil, false, nil
	}
	l, out := lawOf(books, c)
	return l, out, true, nil
}

// parseConfig reads a configuration from its canonical JSON.
func parseConfig(config string) (*schema.TableConfig, error) {
	const head = `{"event_id":"x","property_id":"x","pit_id":"x","table_id":"x","seq":1,"at":"2026-01-01T00:00:00Z",`
	var ev schema.Event
	if err := schema.NewDecoder().Decode(schema.JSON, []byte(head+`"table_configured":{"config":`+config+`}}`), &ev); err != nil {
		return nil, err
	}
	return &ev.Payload.(*schema.TableConfigured).Config, nil
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
		StyleUnknown: c.DealingStyle != schema.DealingStyleFaceDown && c.DealingStyle != schema.DealingStyleFaceUp,
		PreShuffled:  c.PreShuffled,
		MinWager:     c.MinWager, MaxWager: c.MaxWager, Options: map[string]string{},
	}
	if out.Mode == baccarat.VigorishOther {
		out.ModeName = c.Vigorish.ModeName
	}
	if out.Mode == baccarat.VigorishNone && l != nil && slices.Contains(l.Modes, baccarat.NoVig6) {
		out.Mode = baccarat.NoVig6 // a table without vigorish. 9 NYCRR 5324.21(c)(6)
	}
	for _, s := range c.SideBets {
		out.SideBets = append(out.SideBets, baccarat.SideBet(s))
	}
	out.Further = append(out.Further, c.FurtherSideBets...)
	out.Feeds = feedsOf(c)
	for s := range out.Posted {
		text := c.PostedOdds[baccarat.Spot(s).String()]
		if text == "" {
			continue // an error for each spot without odds is costly
		}
		if odds, err := baccarat.ParseOdds(text); err == nil {
			out.Posted[s] = odds
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.PostedRows)) {
		spot, line, _ := strings.Cut(key, "/")
		row := law.PostedRow{Spot: baccarat.ParseSpot(spot), Line: line}
		if row.Spot == baccarat.NoSpot && l != nil && l.Wager(baccarat.SpotOther, spot) != nil {
			row.Spot, row.Name = baccarat.SpotOther, spot
		}
		var err error
		if row.Odds, err = baccarat.ParseOdds(c.PostedRows[key]); err == nil && row.Spot != baccarat.NoSpot {
			out.Rows = append(out.Rows, row)
		}
	}
	furtherTerms(c, l, out)
	for k, v := range c.Options {
		if l != nil && l.Elects(k, v) {
			out.Options[k] = v
		}
	}
	return out
}

// furtherTerms reads the posted odds of the wagers that the rulebook alone names, and the pay tables of its kinds.
func furtherTerms(c *schema.TableConfig, l *law.Law, out *law.Config) {
	if l == nil {
		return
	}
	for _, w := range l.Wagers {
		if table, ok := c.PayTables[w.PayTable]; ok && w.PayTable != "" {
			if out.PayTables == nil {
				out.PayTables = map[string]string{}
			}
			out.PayTables[w.PayTable] = table
		}
		posted, ok := c.PostedOdds[w.Name]
		if !ok || w.Spot != baccarat.SpotOther {
			continue
		}
		if odds, err := baccarat.ParseOdds(posted); err == nil {
			if out.PostedNames == nil {
				out.PostedNames = map[string]baccarat.Odds{}
			}
			out.PostedNames[w.Name] = odds
		}
	}
}

// feedsOf are the feeds that a table reports. A configuration that names none of the basic feeds reports all of them,
// except those that it names as absent.
func feedsOf(c *schema.TableConfig) baccarat.Feeds {
	var feeds baccarat.Feeds
	for _, f := range c.Feeds {
		feeds |= 1 << f
	}
	if feeds&baccarat.BasicFeeds == 0 {
		feeds |= baccarat.BasicFeeds
	}
	for _, f := range c.AbsentFeeds {
		feeds &^= 1 << f
	}
	return feeds
}
