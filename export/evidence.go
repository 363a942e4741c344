package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// evidenceLine is one event as it stands in a bundle: patrons under pseudonyms.
type evidenceLine struct {
	Topic     string          `json:"topic"`
	Partition int32           `json:"partition"`
	Offset    int64           `json:"offset"`
	Event     json.RawMessage `json:"event"`
}

func (l *evidenceLine) compare(o *evidenceLine) int {
	return cmp.Or(cmp.Compare(l.Topic, o.Topic), cmp.Compare(l.Partition, o.Partition), cmp.Compare(l.Offset, o.Offset))
}

// missingLine are events of a table that findings name and the archive does not have.
type missingLine struct {
	Table string   `json:"table"`
	Seqs  []uint64 `json:"seqs"`
}

// proof finds the events that a finding names.
type proof struct {
	bySeq map[uint64][]proofEvent
}

type proofEvent struct {
	id  string
	sum [32]byte // of its line
}

func (p *proof) add(ev *schema.Event, line []byte) {
	if p.bySeq == nil {
		p.bySeq = map[uint64][]proofEvent{}
	}
	p.bySeq[ev.Seq] = append(p.bySeq[ev.Seq], proofEvent{ev.EventID, sha256.Sum256(line)})
}

// of gives the sequence numbers of a finding that are not there, and a hash over the lines that are.
func (p *proof) of(e *schema.Evidence) (missing []uint64, sum string) {
	h := sha256.New()
	for i, seq := range e.Seqs {
		id := ""
		if i < len(e.EventIDs) {
			id = e.EventIDs[i]
		}
		there := false
		for _, ev := range p.bySeq[seq] {
			if id == "" || ev.id == id {
				there = true
				h.Write(ev.sum[:])
			}
		}
		if !there {
			missing = append(missing, seq)
		}
	}
	return missing, hex.EncodeToString(h.Sum(nil))
}

// mask puts pseudonyms where an event names a patron. Free text, such as the reason of a recut, is left as it is.
func mask(ev *schema.Event, with func(string) string) {
	put := func(ref *string, named bool) {
		if named && *ref != "" {
			*ref = with(*ref)
		}
	}
	put(&ev.Actor.ID, patron(ev.Actor.Role))
	switch p := ev.Payload.(type) { //nolint:gochecksumtype // a test looks for patrons in all kinds
	case *schema.SeatOccupied:
		put(&p.PatronRef, true)
	case *schema.SeatVacated:
		put(&p.PatronRef, true)
	case *schema.WagerPlaced:
		put(&p.PatronRef, true)
	case *schema.RecutOrdered:
		put(&p.ByID, patron(p.ByRole))
	case *schema.CardsVerified:
		put(&p.VerifierID, patron(p.VerifierRole))
	}
}

// patron says whether a role is played by a patron; in chemin de fer they deal and bank too.
func patron(r schema.Role) bool {
	return r == schema.RolePatron || r == schema.RoleCurator || r == schema.RoleBanker || r == schema.RoleSpectator
}

// readEvidence masks, orders and writes down the events of a table.
func readEvidence(events iter.Seq2[*Event, error], with func(string) string) ([]evidenceLine, *proof, map[string]*video, error) {
	var all []evidenceLine
	var decoded []schema.Event
	for in, err := range events {
		if err != nil {
			return nil, nil, nil, fmt.Errorf("read evidence: %w", err)
		}
		ev := in.Event.Clone()
		mask(&ev, with)
		all = append(all, evidenceLine{in.Topic, in.Partition, in.Offset, schema.AppendJSON(nil, &ev)})
		ev.Payload = nil
		decoded = append(decoded, ev)
	}
	turn := make([]int, len(all))
	for i := range turn {
		turn[i] = i
	}
	slices.SortFunc(turn, func(a, b int) int { return all[a].compare(&all[b]) })
	sorted := make([]evidenceLine, len(all))
	var p proof
	videos := map[string]*video{}
	for i, from := range turn {
		sorted[i] = all[from]
		if i > 0 && sorted[i-1].compare(&sorted[i]) == 0 {
			return nil, nil, nil, fmt.Errorf("two events at %s, partition %d, offset %d", sorted[i].Topic, sorted[i].Partition, sorted[i].Offset)
		}
		line, err := encode(&sorted[i])
		if err != nil {
			return nil, nil, nil, err
		}
		ev := &decoded[from]
		p.add(ev, line)
		if ev.Video.CameraID != "" || ev.Video.At != 0 {
			videos[ev.EventID] = &video{ev.Video.CameraID, ev.Video.At}
		}
	}
	return sorted, &p, videos, nil
}

// video is where a camera saw an event.
type video struct {
	camera string
	at     int64
}

func lineSeq(lines []evidenceLine) iter.Seq2[*evidenceLine, error] {
	return func(yield func(*evidenceLine, error) bool) {
		for i := range lines {
			if !yield(&lines[i], nil) {
				return
			}
		}
	}
}
