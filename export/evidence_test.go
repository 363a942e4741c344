package export

import (
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/schema"
)

// The people present are listed as of the last event behind a finding, and the video comes from one camera.
func TestWhatEvidenceShows(t *testing.T) {
	var events []Event
	add := func(camera string, at int64, p schema.Payload) {
		n := uint64(len(events) + 1)
		events = append(events, Event{"t", 0, int64(n), schema.Event{
			EventID: string(rune('a' + n)), PropertyID: "p", TableID: "t", Seq: n, At: int64(n), Round: 1,
			Video: schema.Video{CameraID: camera, At: at}, Payload: p,
		}, false, false})
	}
	add("c1", 100, &schema.DealerAssigned{DealerID: "d1", SupervisorID: "s1"})
	add("", 0, &schema.SeatOccupied{Seat: 5, PatronRef: "ann"})
	add("c2", 300, &schema.RoundStarted{})
	add("c1", 200, &schema.WagerPlaced{WagerID: "w", Seat: 6, Spot: schema.SpotPlayer, PatronRef: "bob"})
	add("c2", 250, &schema.SeatVacated{Seat: 5, PatronRef: "ann"})
	add("c2", 400, &schema.DealerAssigned{DealerID: "d1", SupervisorID: "s2"})
	in := iter.Seq2[*Event, error](func(yield func(*Event, error) bool) {
		for i := range slices.Backward(events) { // in any order
			if !yield(&events[i], nil) {
				return
			}
		}
	})
	evidence, err := (&Day{Mask: func(ref string) string { return "masked " + ref }}).readEvidence(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what               string
		seat               uint32
		seqs               []uint64
		missing            int
		supervisor, patron string
		camera             string
		start, end         int64
	}{
		{"his wager", 6, []uint64{3, 4}, 0, "s1", "masked bob", "c2", 300, 300},
		{"in her seat", 5, []uint64{1, 2, 3}, 0, "s1", "masked ann", "c1", 100, 100},
		{"her seat, his wager elsewhere", 5, []uint64{3, 4}, 0, "s1", "masked ann", "c2", 300, 300},
		{"an empty seat", 4, []uint64{3}, 0, "s1", "", "c2", 300, 300},
		{"she had left", 5, []uint64{3, 5, 6}, 0, "s2", "", "c2", 250, 400},
		{"no event", 5, []uint64{77}, 1, "", "", "", 0, 0},
		{"none named", 5, nil, 0, "", "", "", 0, 0},
	} {
		named := finding.Finding{DealerID: "d1", Seat: c.seat, Evidence: finding.Evidence{Seqs: c.seqs}}
		missing, s := evidence.proof.of(&named)
		s.sum = ""
		if want := (circumstances{
			camera: c.camera, start: c.start, end: c.end, supervisor: c.supervisor,
			patron: c.patron,
		}); s != want ||
			len(missing) != c.missing {
			t.Errorf("%s: %+v, missing %v, want %+v", c.what, s, missing, want)
		}
	}
}

// The columns that events can fill are filled, all others are empty.
func TestExceptionColumns(t *testing.T) {
	c := newCasino(t, "ac-1", 12)
	rows := readCSV(t, filepath.Join(c.export(t, true), pathExceptions))
	filled := map[string]int{}
	for _, row := range rows[1:] {
		for i, name := range rows[0] {
			if row[i] != "" {
				filled[name]++
			}
		}
	}
	for _, name := range []string{
		"supervisor_badge", "patron_ref", "video_camera", "video_start", "video_end",
		"evidence_sha256",
	} {
		if filled[name] == 0 {
			t.Errorf("%s is empty in all %d rows", name, len(rows)-1)
		}
	}
	if filled["savings"]+filled["loss"] > 0 {
		t.Error("the audit filled the columns of savings and losses")
	}
	t.Logf("%d rows: %v", len(rows)-1, filled)
}
