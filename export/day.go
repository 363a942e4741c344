// Package export makes and verifies the bundles that a casino hands to its regulator.
//
// In come the findings of a gaming day, the events that prove them, and the log of the property; see Day. Out come a
// bundle (a zip or a folder) and the new head of the log; see Log.Export. The log is append-only: an RFC 6962 tree
// whose leaves are the findings and amendments of each export, followed by its manifest. A bundle has the new leaves,
// the events that prove them, reports for people, and a signed checkpoint of the tree.
//
// Verify checks a bundle without a network or a database. A verifier with the previous checkpoint proves that no entry
// was changed, removed, added or reordered since. The package never trusts a key from a bundle; the keys come from a
// Policy. The same day and the same log give the same bundle, byte for byte. Bundles name no patron, only pseudonyms.
package export

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Day is the input of an export: a gaming day of a property, and all findings, for amendments of earlier days.
type Day struct {
	Property, GamingDay string
	From, Until         schema.Time // From is included, Until is not
	Calendar            calendar.Calendar

	// Findings are all findings of the property, of any gaming day, each id once, in any order.
	Findings iter.Seq2[*finding.Finding, error]
	// Withdrawn are the reasons of findings that a later audit withdrew and that Findings lacks, by id.
	Withdrawn map[string]string
	// Late names the events of a gaming day, by table, that arrived after it was last exported. Nil if it is unknown.
	Late func(gamingDay string) (map[string]string, error)
	// Events returns the events of a table with the sequence numbers from first to last, and those around them that
	// a replay needs. Nil without events.
	Events func(table string, first, last uint64) iter.Seq2[*Event, error]
	// Epochs returns which sequence epoch of a table a place of the log is in: another begins where the numbers do. Nil
	// if they never begin again.
	Epochs func(table string) (at func(partition int32, offset int64) int, err error)
	// Released returns the offsets of a span, in order, after which the live audit gave up the events that a table missed.
	// Nil if it never did.
	Released func(table string, of Span) ([]int64, error)
	// Rounds are the rounds of the gaming day, in any order.
	Rounds iter.Seq2[*Round, error]
	// Coverage returns what was received on the day and over the spans of the events in the bundle.
	Coverage func([]Span) ([]Coverage, error)
	// Records returns the ends of the records, and the actions of triage after those that the log has, by chain and link.
	// Nil without records.
	Records func(ctx context.Context, after []rows.ChainHead) (*Heads, []rows.Step, error)
	// Runs are the nightly runs that cover the gaming day.
	Runs []Run
	// Games is the game of each shoe.
	Games map[ShoeKey]string
	// Triage is the triage of findings by id.
	Triage map[string]Triage
	// Sections are the figures of the reports, in order.
	Sections []Section
	Books    law.Books

	// Engine is the release, Binary the SHA-256 of the program in hex; Cluster is the id of the Kafka cluster.
	Engine, Binary, Cluster string
	// Verifiers are the programs of this release that verify bundles, which README.txt names; none if it is unknown.
	Verifiers []Verifier
	// Mask replaces a patron reference by a pseudonym; MaskKey is the id of its key.
	Mask    func(ref string) string
	MaskKey string
	// Plain reduces the free text of an event, which may name a patron, to the words that rules read; nil leaves it.
	Plain func(*schema.Event)

	Licensee, Form string
	Retention      Retention
}

// Verifier is a program that verifies bundles, with its SHA-256 in hex.
type Verifier struct{ Name, SHA256 string }

// ShoeKey names a shoe of a property.
type ShoeKey struct{ Table, Shoe string }

// Event is one event of the archive.
type Event struct {
	Topic     string
	Partition int32
	Offset    int64
	Event     schema.Event
	// Mislabeled is true if a column of the archive differs from what was received.
	Mislabeled bool
	// Letter is true for a dead letter that contests an event of the archive. Bundles of earlier releases lack it.
	Letter bool
}

// Span is offsets of a partition, both included.
type Span struct {
	Topic       string
	Partition   int32
	First, Last int64
}

// Coverage is the journal of a partition over the offsets of the events in the bundle.
type Coverage struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	// First and Last are offsets, both included.
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
	Records uint64 `json:"records"`
	// Gaps are ranges of offsets without a flush, both ends included.
	Gaps        [][2]int64   `json:"gaps"`
	DeadLetters []DeadLetter `json:"dead_letters"`
	// Ends are the offsets of the first and the last event of the day, if it has any.
	Ends []int64 `json:"-"`
	// Doubled is the number of offsets with several events, which a log does not have.
	Doubled uint64 `json:"-"`
}

// DeadLetter is a record that could not be decoded. Its content is not exported, as it may name patrons.
type DeadLetter struct {
	Offset int64  `json:"offset"`
	Reason string `json:"reason"`
}

// Round is a row of rounds.parquet. Amounts are minor units.
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

// Triage is the state of a finding in the console.
type Triage struct {
	Status, Disposition, Explanation string
	ReviewedBy                       string
	ReviewedAt                       schema.Time // 0 without a review
	SecondReviewer                   string
}

// Section is a table of a report for people; its cells are formatted text.
type Section struct {
	Title, Note string
	Columns     []string
	Rows        [][]string
	// Formulas are the formulas of the figures.
	Formulas []string
}

// Retention is how long the bundle must be kept, and the legal holds on it.
type Retention struct {
	Years int `json:"years"`
	// Until is a date, yyyy-mm-dd. A legal hold takes precedence.
	Until string `json:"until"`
	// Holds are the reasons of legal holds in force, in order.
	Holds []string `json:"holds"`
}

// sortedRounds reads the rounds of the day, by table, time, shoe and number.
func (d *Day) sortedRounds() ([]Round, error) {
	var all []Round
	if d.Rounds != nil {
		for r, err := range d.Rounds {
			if err != nil {
				return nil, fmt.Errorf("read rounds: %w", err)
			}
			all = append(all, *r)
		}
	}
	slices.SortFunc(all, func(x, y Round) int {
		return cmp.Or(cmp.Compare(x.TableID, y.TableID), cmp.Compare(x.At, y.At), cmp.Compare(x.ShoeID, y.ShoeID),
			cmp.Compare(x.Round, y.Round))
	})
	return all, nil
}
