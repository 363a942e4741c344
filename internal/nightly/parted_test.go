//go:build unix

package nightly

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Two systems publish one table, each in a partition of its own and with numbers of its own. Neither live audit has all
// events, and each accuses on what it has. The run accuses no one, names both partitions, and takes back what the live
// audits found.
func TestTwoNumberings(t *testing.T) {
	cardsAndMoney := func(ev *schema.Event, _ int) []int {
		switch ev.Payload.(type) {
		case *schema.TableOpened, *schema.TableClosed, *schema.RoundStarted:
			return []int{0, 1}
		case *schema.WagerPlaced, *schema.WagerPaid, *schema.WagerCollected, *schema.WagerReturned,
			*schema.VigorishMarked, *schema.VigorishCollected:
			return []int{1}
		default:
			return []int{0}
		}
	}
	for name, of := range map[string]func(*schema.Event, int) []int{
		"cards and money": cardsAndMoney, "joined": cardsAndMoney,
		"turns": func(_ *schema.Event, i int) []int { return []int{i / 40 % 2} },
		"twice": func(*schema.Event, int) []int { return []int{0, 1} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, err := deal.Config("nj-mini", 1)
			if err != nil {
				t.Fatal(err)
			}
			table := deal.NewTable(deal.Options{
				Property: property, Pit: "p-000", Table: "t-000", Seed: 1, Config: config, Start: opens,
			})
			events := slices.Concat(table.Open(), table.ShoeOf(20), table.ShoeOf(10), table.Close())
			store := database(t)
			var l log
			for i := range events {
				for _, no := range of(&events[i], i) {
					p := &l.records[no]
					ev := events[i].Clone()
					ev.Seq, ev.EventID = uint64(len(*p)+1), fmt.Sprintf("%d-%d", no, len(*p))
					if name == "joined" && no == 0 {
						ev.Seq += 5000
					}
					*p = append(*p, pipeline.Record{
						Offset: int64(len(*p)), Format: schema.Protobuf, Value: schema.AppendProto(nil, &ev),
					})
				}
			}
			ingest(t, store, &l)
			got := night(t, store, nil)
			named := 0
			for i := range got.Findings {
				switch f := &got.Findings[i]; {
				case f.Rule == "feed.partition":
					named++
				case f.Rule == "feed.reconcile" && !strings.HasPrefix(f.Subject, ofFacts):
					t.Errorf("a difference: %s", brief(f))
				case strings.HasPrefix(f.Rule, "feed."):
				case f.Verdict == finding.Breach, f.Verdict == finding.Suspect:
					t.Errorf("%s %s: %s", f.Verdict, f.Rule, f.Observed)
				}
			}
			if named == 0 || len(got.Records) > 0 {
				t.Errorf("%d findings feed.partition, records of the console that do not follow: %q", named, got.Records)
			}
			left := 0
			rows, err := store.Findings(t.Context(), clickhouse.Filter{PropertyID: property})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range rows {
				if f.Verdict != finding.Breach && f.Verdict != finding.Suspect || strings.HasPrefix(f.Rule, "feed.") {
					continue
				}
				left++
			}
			if left > 0 {
				t.Errorf("%d accusations are left", left)
			}
			again := night(t, store, func(o *Options) { o.Whole = true })
			if again.Run.ID != got.Run.ID || len(again.Withdrawn)+len(again.Changed)+len(again.Records) > 0 {
				t.Errorf("run %s, again %s: %d withdrawals, %d changes, records %q", got.Run.ID, again.Run.ID,
					len(again.Withdrawn), len(again.Changed), again.Records)
			}
		})
	}
}
