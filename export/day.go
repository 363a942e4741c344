// Package export makes the bundle that a regulator takes away, and verifies one.
//
// A property keeps one append-only log: an RFC 6962 tree whose leaves are its findings, and after those
// of each export its manifest. The bundle of an export has the new leaves, what proves them, and a signed
// checkpoint of the tree. Whoever has the checkpoint before can tell that nothing was changed, taken
// out, put in or reordered since. The same day and the same log give the same bundle, byte for byte.
package export

import (
	"iter"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// Day is what an export takes in: a gaming day of a property, and what changed in earlier ones.
type Day struct {
	Property, GamingDay string
	From, Until         schema.Time // From is included, Until is not
	Calendar            pipeline.Calendar

	// Findings are all of the property, of any gaming day, each id once, in any order.
	Findings iter.Seq2[*finding.Finding, error]
	// Events gives the events of a table that prove findings with the sequence numbers from first to last,
	// with what a replay needs around them. Nil if there are none.
	Events func(table string, first, last uint64) iter.Seq2[*Event, error]
	// Rounds are those of the gaming day, in any order.
	Rounds iter.Seq2[*Round, error]
	// Coverage says what was received of the day, and over the spans of the events in the bundle.
	Coverage func([]Span) ([]Coverage, error)
	// Games are what was played with each shoe.
	Games map[ShoeKey]string
	// Triage is what people did about findings, by id.
	Triage map[string]Triage
	// Sections are the figures of the reports, in their order.
	Sections []Section
	Books    law.Books

	// Engine is the release, Binary the SHA-256 of the program in hex; Cluster is the id of the Kafka cluster.
	Engine, Binary, Cluster string
	// Mask replaces a patron reference; MaskKey names the key that it uses.
	Mask    func(ref string) string
	MaskKey string

	Licensee, Form string
	Retention      Retention
}

// ShoeKey names a shoe of a property.
type ShoeKey struct{ Table, Shoe string }

// Event is one event of the archive.
type Event struct {
	Topic     string
	Partition int32
	Offset    int64
	Event     schema.Event
}

// Span is offsets of a partition, both included.
type Span struct {
	Topic       string
	Partition   int32
	First, Last int64
}

// Coverage is what the journal says of one partition over the offsets of the events in the bundle.
type Coverage struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	// First and Last are offsets, both included.
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
	Records uint64 `json:"records"`
	// Gaps are offsets that no flush accounts for, both ends included.
	Gaps        [][2]int64   `json:"gaps"`
	DeadLetters []DeadLetter `json:"dead_letters"`
}

// DeadLetter is a record that could not be read. What it held stays in the casino: it may name patrons.
type DeadLetter struct {
	Offset int64  `json:"offset"`
	Reason string `json:"reason"`
}

// Round is a round as played; the names are the columns of rounds.parquet. Money is minor units.
type Round struct {
	PropertyID  string `parquet:"property_id,plain"`
	PitID       string `parquet:"pit_id,plain"`
	TableID     string `parquet:"table_id,plain"`
	ShoeID      string `parquet:"shoe_id,plain"`
	Round       uint32 `parquet:"round,plain"`
	At          int64  `parquet:"at,plain,timestamp(nanosecond)"` // UTC
	GamingDay   string `parquet:"gaming_day,plain"`
	Shift       string `parquet:"shift,plain"`
	DealerID    string `parquet:"dealer_id,plain"`
	Ruleset     string `parquet:"ruleset,plain"`
	ConfigID    string `parquet:"config_id,plain"`
	Result      string `parquet:"result,plain"`
	PlayerCount uint32 `parquet:"player_count,plain"`
	BankerCount uint32 `parquet:"banker_count,plain"`
	PlayerCards uint32 `parquet:"player_cards,plain"`
	BankerCards uint32 `parquet:"banker_cards,plain"`
	Cards       string `parquet:"cards,plain"`
	Wagers      uint32 `parquet:"wagers,plain"`
	Staked      int64  `parquet:"staked,plain"`
	Paid        int64  `parquet:"paid,plain"`
	ExpectedPay int64  `parquet:"expected_pay,plain"`
	Collected   int64  `parquet:"collected,plain"`
	Returned    int64  `parquet:"returned,plain"`
	Vigorish    int64  `parquet:"vigorish,plain"`
	Auditable   bool   `parquet:"auditable,plain"`
	FirstSeq    uint64 `parquet:"first_seq,plain"`
	EndSeq      uint64 `parquet:"end_seq,plain"`
}

// Triage is what people did about a finding.
type Triage struct {
	Status, Disposition, Explanation string
	ReviewedBy                       string
	ReviewedAt                       schema.Time // 0 if nobody did
	SecondReviewer                   string
}

// Section is a table of a report, for people: its cells are text as it is to be read.
type Section struct {
	Title, Note string
	Columns     []string
	Rows        [][]string
	// Formulas say how the figures were computed.
	Formulas []string
}

// Retention says how long the bundle must be kept, and whether it is held longer.
type Retention struct {
	Years int `json:"years"`
	// Until is a date, yyyy-mm-dd; a hold outlasts it.
	Until string `json:"until"`
	// Holds are the reasons of legal holds in force, in order.
	Holds []string `json:"holds"`
}
