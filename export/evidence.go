package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/shoeproof/shoeproof/finding"

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

// proof finds the events that a finding names, and who was at the table then.
type proof struct {
	bySeq map[uint64][]proofEvent
	// supervisors are those of dealers, seats those who sat there, "" for nobody, in the order of the record.
	supervisors map[string][]tenure
	seats       map[uint32][]tenure
}

type proofEvent struct {
	id     string
	sum    [32]byte // of its line
	at     int      // its place in the record
	video  schema.Video
	patron string // whose wager at which seat it is
	seat   uint32
}

// tenure is who was there from a place in the record on.
type tenure struct {
	from int
	id   string
}

func (p *proof) add(ev *schema.Event, at int, line []byte) {
	e := proofEvent{id: ev.EventID, sum: sha256.Sum256(line), at: at, video: ev.Video}
	switch x := ev.Payload.(type) { //nolint:gochecksumtype // the others name neither
	case *schema.DealerAssigned:
		p.supervisors[x.DealerID] = append(p.supervisors[x.DealerID], tenure{at, x.SupervisorID})
	case *schema.SeatOccupied:
		p.seats[x.Seat] = append(p.seats[x.Seat], tenure{at, x.PatronRef})
	case *schema.SeatVacated:
		p.seats[x.Seat] = append(p.seats[x.Seat], tenure{at, ""})
	case *schema.WagerPlaced:
		e.patron, e.seat = x.PatronRef, x.Seat
	}
	p.bySeq[ev.Seq] = append(p.bySeq[ev.Seq], e)
}

// shown is what the events behind a finding show besides.
type shown struct {
	sum                string // over their lines
	camera             string
	start, end         int64 // first and last moment that the camera saw of them; 0 if it has none
	supervisor, patron string
}

// of gives the sequence numbers of a finding that are not there, and what those show that are.
func (p *proof) of(f *finding.Finding) (missing []uint64, s shown) {
	h := sha256.New()
	last := -1
	for i, seq := range f.Evidence.Seqs {
		id := ""
		if i < len(f.Evidence.EventIDs) {
			id = f.Evidence.EventIDs[i]
		}
		there := false
		for _, ev := range p.bySeq[seq] {
			if id == "" || ev.id == id {
				there = true
				h.Write(ev.sum[:])
				s.see(&ev, f.Seat)
				last = max(last, ev.at)
			}
		}
		if !there {
			missing = append(missing, seq)
		}
	}
	s.sum = hex.EncodeToString(h.Sum(nil))
	s.supervisor = then(p.supervisors[f.DealerID], last)
	if s.patron == "" && f.Seat > 0 {
		s.patron = then(p.seats[f.Seat], last)
	}
	return missing, s
}

func (s *shown) see(ev *proofEvent, seat uint32) {
	if s.patron == "" && ev.seat == seat {
		s.patron = ev.patron
	}
	v := &ev.video
	if s.camera == "" && s.start == 0 {
		s.camera, s.start, s.end = v.CameraID, v.At, v.At
	}
	if v.CameraID == s.camera && v.At != 0 {
		s.start, s.end = min(s.start, v.At), max(s.end, v.At)
	}
}

// then is who was there at a place in the record.
func then(all []tenure, at int) string {
	id := ""
	for _, t := range all {
		if t.from <= at {
			id = t.id
		}
	}
	return id
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
func readEvidence(events iter.Seq2[*Event, error], with func(string) string) ([]evidenceLine, *proof, error) {
	var all []evidenceLine
	for in, err := range events {
		if err != nil {
			return nil, nil, fmt.Errorf("read evidence: %w", err)
		}
		ev := in.Event.Clone()
		mask(&ev, with)
		all = append(all, evidenceLine{in.Topic, in.Partition, in.Offset, schema.AppendJSON(nil, &ev)})
	}
	slices.SortFunc(all, func(a, b evidenceLine) int { return a.compare(&b) })
	p := &proof{bySeq: map[uint64][]proofEvent{}, supervisors: map[string][]tenure{}, seats: map[uint32][]tenure{}}
	d := schema.NewDecoder()
	var ev schema.Event
	for i := range all {
		l := &all[i]
		if i > 0 && all[i-1].compare(l) == 0 {
			return nil, nil, fmt.Errorf("two events at %s, partition %d, offset %d", l.Topic, l.Partition, l.Offset)
		}
		line, err := encode(l)
		if err == nil {
			err = d.Decode(schema.JSON, l.Event, &ev)
		}
		if err != nil {
			return nil, nil, err
		}
		kept := ev.Clone()
		p.add(&kept, i, line)
	}
	return all, p, nil
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
