//go:build unix

package clickhouse

import (
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
	got, err := s.EvidenceByKey(t.Context(), "ac-1", "2027-01-15")
	if err != nil || len(got) != 1 || got[0].Factors != 3 || got[0].LnE != 3 {
		t.Errorf("%+v, %v; want one key with the 3 factors of the day", got, err)
	}
}
