package clickhouse

import (
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/pipeline"
)

// A table is one INSERT of a batch.
type table struct {
	name, insert string
	rows         func(*pipeline.Batch) int
	fill         func(*columns, *pipeline.Batch)
}

// table names the columns by filling nothing.
func (s *Store) table(name string, rows func(*pipeline.Batch) int, fill func(*columns, *pipeline.Batch)) table {
	c := &columns{scratch: newScratch()}
	fill(c, &pipeline.Batch{})
	return table{
		name:   name,
		insert: "INSERT INTO " + s.name(name) + " (" + strings.Join(c.names, ", ") + ")",
		rows:   rows,
		fill:   fill,
	}
}

// dataTables are the tables of a batch in the order of their inserts: what a finding speaks of is
// there before it.
func (s *Store) dataTables() []table {
	// versioned adds the version that decides between rows of the same key.
	versioned := func(name string, rows func(*pipeline.Batch) int, fill func(*columns, *pipeline.Batch)) table {
		return s.table(name, rows, func(c *columns, b *pipeline.Batch) {
			fill(c, b)
			versions := make([]uint32, rows(b))
			for i := range versions {
				versions[i] = s.cfg.RowVersion
			}
			c.add("version", len(versions), versions)
		})
	}
	return []table{
		s.table("events", func(b *pipeline.Batch) int { return len(b.Events.Seq) }, events),
		s.table("dead_letters", func(b *pipeline.Batch) int { return len(b.DeadLetters) }, deadLetters),
		versioned("table_configs", func(b *pipeline.Batch) int { return len(b.Configs) }, tableConfigs),
		versioned("notices", func(b *pipeline.Batch) int { return len(b.Notices) }, notices),
		versioned("wagers", func(b *pipeline.Batch) int { return len(b.Wagers.Seat) }, wagers),
		versioned("vigorish", func(b *pipeline.Batch) int { return len(b.Vigorish) }, vigorish),
		versioned("rounds", func(b *pipeline.Batch) int { return len(b.Rounds.Round) }, rounds),
		versioned("shoes", func(b *pipeline.Batch) int { return len(b.Shoes) }, shoes),
		versioned("table_memory", func(b *pipeline.Batch) int { return len(b.Snapshots) }, tableMemory),
		versioned("evidence", func(b *pipeline.Batch) int { return len(b.Evidence) }, evidence),
		versioned("findings", func(b *pipeline.Batch) int { return len(b.Findings) }, findings),
	}
}

func events(c *columns, b *pipeline.Batch) {
	e := &b.Events
	c.word("property_id", e.PropertyID)
	c.word("pit_id", e.PitID)
	c.word("table_id", e.TableID)
	c.add("seq", len(e.Seq), e.Seq)
	c.text("event_id", &e.EventID)
	c.at("at", e.At)
	c.day("gaming_day", e.GamingDay)
	c.add("shoe_id", len(e.ShoeID), e.ShoeID)
	c.add("round", len(e.Round), e.Round)
	c.word("kind", e.Kind)
	c.format("format", e.Format)
	c.text("raw", &e.Raw)
	c.hash("sha256", &e.SHA256)
	c.add("partition", len(e.Partition), e.Partition)
	c.add("offset", len(e.Offset), e.Offset)
}

func rounds(c *columns, b *pipeline.Batch) {
	r := &b.Rounds
	c.word("property_id", r.PropertyID)
	c.word("pit_id", r.PitID)
	c.word("table_id", r.TableID)
	c.add("shoe_id", len(r.ShoeID), r.ShoeID)
	c.add("round", len(r.Round), r.Round)
	c.at("at", r.At)
	c.day("gaming_day", r.GamingDay)
	c.word("shift", r.Shift)
	c.word("dealer_id", r.DealerID)
	c.word("ruleset", r.Ruleset)
	c.word("config_id", r.ConfigID)
	c.word("result", r.Result)
	c.add("player_count", len(r.PlayerCount), r.PlayerCount)
	c.add("banker_count", len(r.BankerCount), r.BankerCount)
	c.add("player_cards", len(r.PlayerCards), r.PlayerCards)
	c.add("banker_cards", len(r.BankerCards), r.BankerCards)
	c.text("cards", &r.Cards)
	c.add("wagers", len(r.Wagers), r.Wagers)
	c.add("staked", len(r.Staked), r.Staked)
	c.add("paid", len(r.Paid), r.Paid)
	c.add("expected_pay", len(r.ExpectedPay), r.ExpectedPay)
	c.add("collected", len(r.Collected), r.Collected)
	c.add("returned", len(r.Returned), r.Returned)
	c.add("vigorish", len(r.Vigorish), r.Vigorish)
	c.add("auditable", len(r.Auditable), r.Auditable)
	c.add("first_seq", len(r.FirstSeq), r.FirstSeq)
	c.add("end_seq", len(r.EndSeq), r.EndSeq)
	c.add("decks", len(r.Decks), r.Decks)
	c.text("unseen", &r.Unseen)
	c.add("chance_player", len(r.ChancePlayer), r.ChancePlayer)
	c.add("chance_banker", len(r.ChanceBanker), r.ChanceBanker)
	c.add("chance_tie", len(r.ChanceTie), r.ChanceTie)
	c.at("locked_at", r.LockedAt)
	c.at("card_at", r.CardAt)
	c.at("end_at", r.EndAt)
	c.word("batch_id", r.BatchID)
	c.word("shuffler", r.Shuffler)
	c.word("reader", r.Reader)
}

func wagers(c *columns, b *pipeline.Batch) {
	w := &b.Wagers
	c.word("property_id", w.PropertyID)
	c.word("table_id", w.TableID)
	c.add("shoe_id", len(w.ShoeID), w.ShoeID)
	c.add("round", len(w.Round), w.Round)
	c.at("at", w.At)
	c.day("gaming_day", w.GamingDay)
	c.text("wager_id", &w.WagerID)
	c.add("seat", len(w.Seat), w.Seat)
	c.word("spot", w.Spot)
	c.add("stake", len(w.Stake), w.Stake)
	c.add("coupon", len(w.Coupon), w.Coupon)
	c.word("medium", w.Medium)
	c.add("patron", len(w.Patron), w.Patron)
	c.word("disposition", w.Disposition)
	c.word("expected", w.Expected)
	c.add("paid", len(w.Paid), w.Paid)
	c.add("expected_paid", len(w.ExpectedPaid), w.ExpectedPaid)
	c.add("collected", len(w.Collected), w.Collected)
	c.add("returned", len(w.Returned), w.Returned)
	c.add("placed_seq", len(w.PlacedSeq), w.PlacedSeq)
	c.at("placed_at", w.PlacedAt)
	c.add("late", len(w.Late), w.Late)
	c.add("ev", len(w.EV), w.EV)
	c.add("lock_stake", len(w.LockStake), w.LockStake)
	c.add("settle_stake", len(w.SettleStake), w.SettleStake)
}

func vigorish(c *columns, b *pipeline.Batch) {
	type row = rows.Vigorish
	v := b.Vigorish
	wordsOf(c, "property_id", v, func(r *row) string { return r.PropertyID })
	wordsOf(c, "table_id", v, func(r *row) string { return r.TableID })
	column(c, "shoe_id", v, func(r *row) string { return r.ShoeID })
	column(c, "round", v, func(r *row) uint32 { return r.Round })
	timesOf(c, "at", v, func(r *row) int64 { return r.At })
	daysOf(c, "gaming_day", v, func(r *row) string { return r.GamingDay })
	column(c, "wager_id", v, func(r *row) string { return r.WagerID })
	column(c, "seat", v, func(r *row) uint32 { return r.Seat })
	wordsOf(c, "kind", v, func(r *row) string { return r.Kind })
	column(c, "won", v, func(r *row) int64 { return r.Won })
	column(c, "least", v, func(r *row) int64 { return r.Least })
	column(c, "most", v, func(r *row) int64 { return r.Most })
	column(c, "marked", v, func(r *row) int64 { return r.Marked })
	column(c, "collected", v, func(r *row) int64 { return r.Collected })
	column(c, "marked_seq", v, func(r *row) uint64 { return r.MarkedSeq })
	column(c, "collected_seq", v, func(r *row) uint64 { return r.CollectedSeq })
}

func shoes(c *columns, b *pipeline.Batch) {
	type row = rows.Shoe
	v := b.Shoes
	wordsOf(c, "property_id", v, func(r *row) string { return r.PropertyID })
	wordsOf(c, "pit_id", v, func(r *row) string { return r.PitID })
	wordsOf(c, "table_id", v, func(r *row) string { return r.TableID })
	column(c, "shoe_id", v, func(r *row) string { return r.ShoeID })
	timesOf(c, "at", v, func(r *row) int64 { return r.At })
	timesOf(c, "ended_at", v, func(r *row) int64 { return r.EndedAt })
	timesOf(c, "closed_at", v, func(r *row) int64 { return r.ClosedAt })
	daysOf(c, "gaming_day", v, func(r *row) string { return r.GamingDay })
	wordsOf(c, "shift", v, func(r *row) string { return r.Shift })
	wordsOf(c, "ruleset", v, func(r *row) string { return r.Ruleset })
	wordsOf(c, "game", v, func(r *row) string { return r.Game })
	wordsOf(c, "config_id", v, func(r *row) string { return r.ConfigID })
	column(c, "decks", v, func(r *row) uint32 { return r.Decks })
	column(c, "cards_out", v, func(r *row) uint32 { return r.CardsOut })
	column(c, "remaining", v, func(r *row) uint32 { return r.Remaining })
	column(c, "rounds", v, func(r *row) uint32 { return r.Rounds })
	column(c, "unauditable", v, func(r *row) uint32 { return r.Unauditable })
	column(c, "findings", v, func(r *row) uint32 { return r.Findings })
	column(c, "outstanding", v, func(r *row) int64 { return r.Outstanding })
	column(c, "joined", v, func(r *row) bool { return r.Joined })
	column(c, "missing", v, func(r *row) bool { return r.Missing })
	column(c, "first_seq", v, func(r *row) uint64 { return r.FirstSeq })
	column(c, "last_seq", v, func(r *row) uint64 { return r.LastSeq })
	wordsOf(c, "rulebook", v, func(r *row) string { return r.Rulebook })
	wordsOf(c, "engine", v, func(r *row) string { return r.Engine })
}

func tableConfigs(c *columns, b *pipeline.Batch) {
	type row = rows.Config
	v := b.Configs
	wordsOf(c, "property_id", v, func(r *row) string { return r.PropertyID })
	wordsOf(c, "pit_id", v, func(r *row) string { return r.PitID })
	wordsOf(c, "table_id", v, func(r *row) string { return r.TableID })
	column(c, "seq", v, func(r *row) uint64 { return r.Seq })
	timesOf(c, "at", v, func(r *row) int64 { return r.At })
	timesOf(c, "effective_at", v, func(r *row) int64 { return r.EffectiveAt })
	column(c, "opened", v, func(r *row) bool { return r.Opened })
	column(c, "closed", v, func(r *row) bool { return r.Closed })
	wordsOf(c, "config_id", v, func(r *row) string { return r.ConfigID })
	wordsOf(c, "ruleset", v, func(r *row) string { return r.Ruleset })
	wordsOf(c, "game", v, func(r *row) string { return r.Game })
	wordsOf(c, "mode", v, func(r *row) string { return r.Mode })
	column(c, "percent", v, func(r *row) uint32 { return r.Percent })
	column(c, "procedure", v, func(r *row) uint32 { return r.Procedure })
	column(c, "reshuffle", v, func(r *row) bool { return r.Reshuffle })
	column(c, "config", v, func(r *row) string { return r.Config })
	column(c, "event_id", v, func(r *row) string { return r.EventID })
}

func notices(c *columns, b *pipeline.Batch) {
	type row = rows.Notice
	v := b.Notices
	wordsOf(c, "property_id", v, func(r *row) string { return r.PropertyID })
	wordsOf(c, "pit_id", v, func(r *row) string { return r.PitID })
	wordsOf(c, "table_id", v, func(r *row) string { return r.TableID })
	column(c, "seq", v, func(r *row) uint64 { return r.Seq })
	timesOf(c, "at", v, func(r *row) int64 { return r.At })
	timesOf(c, "notice_at", v, func(r *row) int64 { return r.NoticeAt })
	timesOf(c, "effective_at", v, func(r *row) int64 { return r.EffectiveAt })
	wordsOf(c, "topic", v, func(r *row) string { return r.Topic })
	column(c, "filed", v, func(r *row) bool { return r.Filed })
	column(c, "written", v, func(r *row) bool { return r.Written })
	column(c, "recipients", v, func(r *row) []string { return r.Recipients })
	wordsOf(c, "medium", v, func(r *row) string { return r.Medium })
}

func tableMemory(c *columns, b *pipeline.Batch) {
	type row = rows.Snapshot
	v := b.Snapshots
	wordsOf(c, "property_id", v, func(r *row) string { return r.PropertyID })
	wordsOf(c, "table_id", v, func(r *row) string { return r.TableID })
	column(c, "seq", v, func(r *row) uint64 { return r.Seq })
	timesOf(c, "at", v, func(r *row) int64 { return r.At })
	column(c, "memory", v, func(r *row) string { return r.State })
	wordsOf(c, "engine", v, func(r *row) string { return r.Engine })
	wordsOf(c, "topic", v, func(r *row) string { return r.Topic })
	column(c, "partition", v, func(r *row) int32 { return r.Partition })
	column(c, "offset", v, func(r *row) int64 { return r.Offset })
	column(c, "epoch", v, func(*row) uint32 { return b.Range.Epoch })
}

// proof is finding.Evidence with the names that the driver reads.
type proof struct {
	Seqs     []uint64 `ch:"seqs"`
	EventIDs []string `ch:"event_ids"`
}

func findings(c *columns, b *pipeline.Batch) {
	type row = finding.Finding
	v := b.Findings
	column(c, "id", v, func(r *row) string { return r.ID })
	wordsOf(c, "kind", v, func(r *row) string { return string(r.Kind) })
	wordsOf(c, "verdict", v, func(r *row) string { return string(r.Verdict) })
	wordsOf(c, "rule", v, func(r *row) string { return r.Rule })
	wordsOf(c, "severity", v, func(r *row) string { return r.Severity.String() })
	column(c, "citations", v, func(r *row) []string { return r.Citations })
	wordsOf(c, "property_id", v, func(r *row) string { return r.PropertyID })
	wordsOf(c, "pit_id", v, func(r *row) string { return r.PitID })
	wordsOf(c, "table_id", v, func(r *row) string { return r.TableID })
	column(c, "shoe_id", v, func(r *row) string { return r.ShoeID })
	column(c, "round", v, func(r *row) uint32 { return r.Round })
	column(c, "seat", v, func(r *row) uint32 { return r.Seat })
	column(c, "subject", v, func(r *row) string { return r.Subject })
	wordsOf(c, "dealer_id", v, func(r *row) string { return r.DealerID })
	timesOf(c, "at", v, func(r *row) int64 { return int64(r.At) })
	daysOf(c, "gaming_day", v, func(r *row) string { return r.GamingDay })
	wordsOf(c, "shift", v, func(r *row) string { return r.Shift })
	column(c, "expected", v, func(r *row) string { return r.Expected })
	column(c, "observed", v, func(r *row) string { return r.Observed })
	column(c, "amount", v, func(r *row) int64 { return r.Amount })
	wordsOf(c, "currency", v, func(r *row) string { return r.Currency })
	column(c, "evidence", v, func(r *row) proof { return proof(r.Evidence) })
	wordsOf(c, "rulebook", v, func(r *row) string { return r.Rulebook })
	wordsOf(c, "engine", v, func(r *row) string { return r.Engine })
	column(c, "ln_e", v, func(r *row) float64 { return r.LnE })
	column(c, "threshold", v, func(r *row) float64 { return r.Threshold })
	column(c, "odds", v, func(r *row) string { return r.Odds })
}

func evidence(c *columns, b *pipeline.Batch) {
	type row = rows.Evidence
	v := b.Evidence
	wordsOf(c, "detector", v, func(r *row) string { return r.Detector })
	column(c, "key", v, func(r *row) string { return r.Key })
	timesOf(c, "at", v, func(r *row) int64 { return r.At })
	wordsOf(c, "property_id", v, func(r *row) string { return r.PropertyID })
	wordsOf(c, "table_id", v, func(r *row) string { return r.TableID })
	column(c, "shoe_id", v, func(r *row) string { return r.ShoeID })
	column(c, "round", v, func(r *row) uint32 { return r.Round })
	column(c, "seq", v, func(r *row) uint64 { return r.Seq })
	daysOf(c, "gaming_day", v, func(r *row) string { return r.GamingDay })
	column(c, "ln_e", v, func(r *row) float64 { return r.LnE })
	column(c, "start", v, func(r *row) float64 { return r.Start })
	wordsOf(c, "engine", v, func(r *row) string { return r.Engine })
}

func deadLetters(c *columns, b *pipeline.Batch) {
	type row = rows.DeadLetter
	v := b.DeadLetters
	wordsOf(c, "topic", v, func(r *row) string { return r.Topic })
	column(c, "partition", v, func(r *row) int32 { return r.Partition })
	column(c, "offset", v, func(r *row) int64 { return r.Offset })
	column(c, "place", v, func(r *row) string { return r.Where })
	column(c, "reason", v, func(r *row) string { return r.Reason })
	column(c, "raw", v, func(r *row) []byte { return r.Raw })
}

func (s *Store) fillJournal(c *columns, b *pipeline.Batch) {
	r := &b.Range
	c.word("topic", []string{r.Topic})
	c.add("partition", 1, []int32{r.Partition})
	c.add("from_offset", 1, []int64{r.From})
	c.add("to_offset", 1, []int64{r.To})
	c.add("low_offset", 1, []int64{r.Low})
	c.add("clock", 1, []int64{r.Clock})
	c.add("generation", 1, []int32{r.Generation})
	c.add("epoch", 1, []uint32{r.Epoch})
	c.add("cut_from", 1, []int64{r.Cut})
	c.add("cut_to", 1, []int64{r.Lost})
	c.word("rules_version", []string{s.cfg.RulesVersion})
	c.word("engine", []string{s.cfg.Engine})
	c.add("records", 1, []uint64{r.Records})
	c.add("crc", 1, []uint32{r.CRC})
	c.add("rows", 1, []uint64{r.Rows})
	c.add("hash", 1, []string{r.Hash})
}
