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

// A sum of evidence or of risks is the same in whichever order the server reads what it sums.
func TestSumsFollowNoOrder(t *testing.T) {
	s := open(t, migrated(t))
	first := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC).UnixNano()
	var evidence [2]KeyEvidence
	var risks [2]Risk
	for i, property := range []string{"ac-1", "ac-2"} {
		var all []rows.Evidence
		for k := range int64(1000) {
			n := k // which summand is read as the k-th
			if i == 1 {
				n = 999 - k
			}
			round, at := uint32(k+1), first+k*int64(time.Second)
			all = append(all, rows.Evidence{
				Detector: "d", Key: "dealer:a", PropertyID: property, TableID: "t", ShoeID: "s", Round: round, At: at,
				GamingDay: "2027-01-15", LnE: 1 / float64(n+1),
			})
		}
		if err := s.AddEvidence(t.Context(), property, all); err != nil {
			t.Fatal(err)
		}
		of := fmt.Sprintf("'%s' AS property_id, 't' AS table_id, 's' AS shoe_id, toUInt32(number + 1) AS round, "+
			"fromUnixTimestamp64Nano(%d + number * 1000000000) AS at, toDate32('2027-01-15') AS gaming_day", property, first)
		n := map[int]string{0: "number", 1: "(999 - number)"}[i]
		for _, insert := range []string{
			s.name("rounds") + " (property_id, table_id, shoe_id, round, at, gaming_day) SELECT " + of,
			s.name("wagers") + " (property_id, table_id, shoe_id, round, at, gaming_day, wager_id, spot, stake, ev) SELECT " +
				of + ", 'w', 'PLAYER', 1000000007 * " + n + ", -0.0123456789",
		} {
			if err := s.exec(t.Context(), "INSERT INTO "+insert+" FROM numbers(1000)"); err != nil {
				t.Fatal(err)
			}
		}
		e, err := s.EvidenceByKey(t.Context(), property, "2027-01-15", []string{"d"}, []string{"dealer"})
		r, failed := s.Risks(t.Context(), Days{Property: property, From: "2027-01-15", To: "2027-01-15"})
		if err != nil || failed != nil || len(e) != 1 || len(r) != 1 {
			t.Fatal(e, err, r, failed)
		}
		evidence[i], risks[i] = e[0], r[0]
	}
	if evidence[0].LnE != evidence[1].LnE || risks[0] != risks[1] {
		t.Errorf("evidence %v and %v, risks %+v and %+v", evidence[0].LnE, evidence[1].LnE, risks[0], risks[1])
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
