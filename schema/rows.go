package schema

// The rows that ClickHouse keeps, as the sinks receive them. Tables that get a row for every event
// or wager come as columns, so that a batch is appended and written without an allocation a row; the
// rest are plain structs. Times are Unix nanoseconds UTC, money is minor units.

// Text is a column of byte strings in one buffer.
type Text struct {
	data []byte
	ends []int
}

// Append adds a value, copying it.
func (t *Text) Append(v []byte) {
	t.data = append(t.data, v...)
	t.ends = append(t.ends, len(t.data))
}

// AppendString adds a value, copying it.
func (t *Text) AppendString(v string) {
	t.data = append(t.data, v...)
	t.ends = append(t.ends, len(t.data))
}

// Len is the number of values.
func (t *Text) Len() int { return len(t.ends) }

// Size is the number of bytes of all values.
func (t *Text) Size() int { return len(t.data) }

// At is a value; it is valid until Reset.
func (t *Text) At(i int) []byte {
	start := 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.data[start:t.ends[i]:t.ends[i]]
}

// Reset empties the column and keeps its storage.
func (t *Text) Reset() { t.data, t.ends = t.data[:0], t.ends[:0] }

// EventRows are the archive: every event as received, also those in conflict.
type EventRows struct {
	PropertyID, PitID, TableID []string
	Seq                        []uint64
	EventID                    Text
	At                         []int64
	GamingDay                  []string
	ShoeID                     []string
	Round                      []uint32
	Kind                       []string
	Format                     []Format
	Raw                        Text
	SHA256                     Text // 32 bytes each
	Partition                  []int32
	Offset                     []int64
}

// RoundRows are rounds as played.
type RoundRows struct {
	PropertyID, PitID, TableID, ShoeID []string
	Round                              []uint32
	At                                 []int64
	GamingDay, Shift                   []string
	DealerID                           []string
	Ruleset, ConfigID                  []string
	// Result, counts and cards as dealt; cards are text such as "P 6c Kh B 7d Ks".
	Result                    []string
	PlayerCount, BankerCount  []uint8
	PlayerCards, BankerCards  []uint8
	Cards                     Text
	Wagers                    []uint32
	Staked, Paid, ExpectedPay []int64
	Collected, Returned       []int64
	Vigorish                  []int64
	// Auditable is false for a round with missing evidence.
	Auditable        []bool
	FirstSeq, EndSeq []uint64
	// Decks and Unseen are the shoe before the round's first card: how many of each of the 52 cards had not been
	// seen, a byte each in the order of rules.Card, empty if unknown. Chances are the exact ones of the results.
	Decks                                 []uint32
	Unseen                                Text
	ChancePlayer, ChanceBanker, ChanceTie []float64
	LockedAt, CardAt, EndAt               []int64
	BatchID                               []string
	Shuffler, Reader                      []string
}

// WagerRows are wagers as placed and settled.
type WagerRows struct {
	PropertyID, TableID, ShoeID []string
	Round                       []uint32
	At                          []int64
	GamingDay                   []string
	WagerID                     Text
	Seat                        []uint32
	Spot                        []string
	Stake, Coupon               []int64
	Medium                      []string
	// Patron is a keyed HMAC, empty if unknown.
	Patron                []string
	Disposition, Expected []string
	Paid, ExpectedPaid    []int64
	Collected, Returned   []int64
	PlacedSeq             []uint64
	// PlacedAt is when it was placed or last raised, Late that this was after the first card. EV is what the patron
	// could expect of each unit before the first card, exactly.
	PlacedAt []int64
	Late     []bool
	EV       []float64
	// LockStake and SettleStake are the stake as a device read it, -1 if it did not.
	LockStake, SettleStake []int64
}

// VigorishRow is what one banker wager owed and what became of it.
type VigorishRow struct {
	PropertyID, TableID, ShoeID string
	Round                       uint32
	At                          int64
	GamingDay                   string
	WagerID                     string
	Seat                        uint32
	Kind                        string // COMMISSION or TIE25
	Won                         int64
	Least, Most                 int64
	Marked, Collected           int64
	MarkedSeq, CollectedSeq     uint64
}

// ShoeRow is one shoe as played.
type ShoeRow struct {
	PropertyID, PitID, TableID, ShoeID string
	At, EndedAt                        int64
	// ClosedAt is the event that had the shoe judged as a whole.
	ClosedAt                   int64
	GamingDay, Shift           string
	Ruleset, Game, ConfigID    string
	Decks, CardsOut, Remaining uint32
	Rounds, Unauditable        uint32
	Findings                   uint32
	Outstanding                int64
	Joined, Missing            bool
	FirstSeq, LastSeq          uint64
	Rulebook, Engine           string
}

// ConfigRow is a configuration in force.
type ConfigRow struct {
	PropertyID, PitID, TableID string
	Seq                        uint64
	At, EffectiveAt            int64
	Opened, Closed             bool
	ConfigID, Ruleset, Game    string
	Mode                       string
	Percent                    uint32
	Procedure                  uint32
	Reshuffle                  bool
	Config                     string // canonical JSON of the TableConfig
	EventID                    string
}

// NoticeRow is a notice filed or posted.
type NoticeRow struct {
	PropertyID, PitID, TableID string
	Seq                        uint64
	At, NoticeAt, EffectiveAt  int64
	Topic                      string
	Filed, Written             bool
	Recipients                 []string
	Medium                     string
}

// MemoryRow is what a table carries from one shoe to the next.
type MemoryRow struct {
	PropertyID, TableID string
	Seq                 uint64 // the last event that was taken in
	At                  int64
	Memory              string // JSON
	Engine              string
	// The record after which it was written.
	Topic     string
	Partition int32
	Offset    int64
}

// Finding is one deviation, anomaly, data fault or notice. Its JSON is the line that
// `audit replay -o ndjson` prints; the names are the columns too.
type Finding struct {
	ID         string   `json:"id"`
	Kind       string   `json:"kind"`
	Verdict    string   `json:"verdict"`
	Rule       string   `json:"rule"`
	Severity   string   `json:"severity"`
	Citations  []string `json:"citations"`
	PropertyID string   `json:"property_id"`
	PitID      string   `json:"pit_id"`
	TableID    string   `json:"table_id"`
	ShoeID     string   `json:"shoe_id"`
	Round      uint32   `json:"round"`
	Seat       uint32   `json:"seat"`
	Subject    string   `json:"subject"`
	DealerID   string   `json:"dealer_id"`
	At         Time     `json:"at"`
	GamingDay  string   `json:"gaming_day"`
	Shift      string   `json:"shift"`
	Expected   string   `json:"expected"`
	Observed   string   `json:"observed"`
	Amount     int64    `json:"amount"`
	Currency   string   `json:"currency"`
	Evidence   Evidence `json:"evidence"`
	Rulebook   string   `json:"rulebook"`
	Engine     string   `json:"engine"`
	// Of anomalies: the evidence and what it had to reach, as natural logarithms, and what that means in words.
	LnE       float64 `json:"ln_e,omitempty"`
	Threshold float64 `json:"threshold,omitempty"`
	Odds      string  `json:"odds,omitempty"`
}

// Evidence are the events that prove a finding.
type Evidence struct {
	Seqs     []uint64 `json:"seqs"`
	EventIDs []string `json:"event_ids"`
}

// EvidenceRow is a detector's factor for one round and one key.
type EvidenceRow struct {
	Detector, Key               string
	At                          int64
	PropertyID, TableID, ShoeID string
	Round                       uint32
	Seq                         uint64
	GamingDay                   string
	LnE, Start                  float64
	Engine                      string
}

// DeadLetter is a record that could not be read.
type DeadLetter struct {
	Topic     string
	Partition int32
	Offset    int64
	Where     string
	Reason    string
	Raw       []byte
}

// JournalRow is one flushed range of a partition.
type JournalRow struct {
	Topic        string
	Partition    int32
	From, To     int64
	Low          int64
	Clock        int64 // the partition's clock before Low, ns UTC
	Generation   int32
	RulesVersion string
	Engine       string
	Records      uint64
	Rows         uint64
	Hash         string
	CRC          uint32 // of the records
}
