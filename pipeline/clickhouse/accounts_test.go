//go:build unix

package clickhouse

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// A gaming day may begin 14 hours before its date begins in UTC, where the clock is ahead of UTC. It may end 60 hours
// after that, where the clock is 12 hours behind and the day ends on the next date.
func TestFactsOfDayInEachZone(t *testing.T) {
	s := open(t, migrated(t))
	var all []rows.Evidence
	for i, at := range []string{"2027-01-14T10:00:00Z", "2027-01-15T12:00:00Z", "2027-01-17T11:59:59Z"} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows.Evidence{
			Detector: "d", Key: "dealer:a", PropertyID: "ac-1", TableID: "t", ShoeID: "s", Round: uint32(i + 1),
			At: moment.UnixNano(), GamingDay: "2027-01-15", LnE: 1,
		})
	}
	other := all[1]
	other.GamingDay, other.Round = "2027-01-14", 9
	if err := s.AddEvidence(t.Context(), "test", append(all, other)); err != nil {
		t.Fatal(err)
	}
	got, err := s.KeyTotals(t.Context(), "ac-1", "2027-01-15")
	if err != nil || len(got) != 1 || got[0].Factors != 3 || got[0].LnE != 3 {
		t.Errorf("%+v, %v; want one key with the 3 factors of the day", got, err)
	}
}

// Of several largest factors the last one is named, whichever was stored first.
func TestEvidenceByKeyFollowsNoOrder(t *testing.T) {
	s := open(t, migrated(t))
	const day = int64(24 * time.Hour)
	all := make([]rows.Evidence, 2000)
	for i := range all {
		all[i] = rows.Evidence{
			Detector: "d", Key: "dealer:a", TableID: "t", ShoeID: "s", Round: uint32(i + 1), Seq: uint64(i + 1),
			At: 20_000*day + int64(i), GamingDay: "2024-10-04", LnE: float64(i % 7),
		}
	}
	for i, property := range []string{"ac-1", "ac-2"} {
		if i == 1 {
			slices.Reverse(all)
		}
		for k := range all {
			all[k].PropertyID = property
		}
		for part := range slices.Chunk(all, 700) {
			if err := s.AddEvidence(t.Context(), fmt.Sprint(property, part[0].Seq), part); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.EvidenceByKey(t.Context(), property, "2024-10-04", []string{"d"}, []string{"dealer"})
		if err != nil || len(got) != 1 || got[0].Round != 2000-2000%7 {
			t.Fatalf("%+v, %v; want the last of the largest factors", got, err)
		}
	}
}
