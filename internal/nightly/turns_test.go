//go:build unix

package nightly

import (
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Two publishers of one table take turns, each in a partition of its own. Both live audits make the same findings, at
// two times. The records of the console are right, no one is accused, and a repeated run is the same run.
func TestTurns(t *testing.T) {
	config, err := deal.Config("nj-mini-tie25", 3)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{
		Property: property, Pit: "p-000", Table: "t-000", Seed: 3, Config: config, Start: opens,
	})
	events := slices.Concat(table.Open(), table.ShoeOf(25), table.ShoeOf(5), table.Close())
	store := database(t)
	var l log
	for i := range events {
		p := &l.records[i%2]
		*p = append(*p, pipeline.Record{
			Offset: int64(len(*p)), Format: schema.Protobuf, Value: schema.AppendProto(nil, &events[i]),
		})
	}
	ingest(t, store, &l)
	got := night(t, store, nil)
	for i := range got.Findings {
		switch f := &got.Findings[i]; {
		case f.Rule == "feed.reconcile", f.Rule == "feed.partition":
		case f.Verdict == finding.Breach, f.Verdict == finding.Suspect:
			t.Errorf("%s %s: %s", f.Verdict, f.Rule, f.Observed)
		}
	}
	for range 2 {
		if again := night(t, store, nil); again.Run.ID != got.Run.ID {
			t.Errorf("run %s, again %s", got.Run.ID, again.Run.ID)
		}
	}
	var twice uint64
	err = store.Conn().QueryRow(t.Context(), "SELECT count() FROM (SELECT id FROM "+store.Table("findings")+
		" FINAL GROUP BY id HAVING count() > 1)").Scan(&twice)
	if err != nil || twice == 0 {
		t.Errorf("%d findings with two times (%v), want some", twice, err)
	}
}
