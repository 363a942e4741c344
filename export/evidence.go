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

// evidenceLine is an event in a bundle, with pseudonyms of patrons.
type evidenceLine struct {
	Topic     string          `json:"topic"`
	Partition int32           `json:"partition"`
	Offset    int64           `json:"offset"`
	Event     json.RawMessage `json:"event"`
}

func (l *evidenceLine) compare(o *evidenceLine) int {
	return cmp.Or(cmp.Compare(l.Topic, o.Topic), cmp.Compare(l.Partition, o.Partition), cmp.Compare(l.Offset, o.Offset))
}

// missingLine lists the events of a table that findings name and the archive lacks.
type missingLine struct {
	Table string   `json:"table"`
	Seqs  []uint64 `json:"seqs"`
}

// proof resolves the events that a finding names, and who was at the table at that time.
type proof struct {
	bySeq map[uint64][]proofEvent
	// supervisors are by dealer, seats are the patrons by seat ("" for an empty seat), in the order of the events.
	supervisors map[string][]tenure
	seats       map[uint32][]tenure
}

type proofEvent struct {
	id     string
	sum    [32]byte // of its line
	at     int      // its index
	video  schema.Video
	patron string // of a wager, with its seat
	seat   uint32
}

// tenure is a person at a position from an index on.
type tenure struct {
	from int
	id   string
}

func (p *proof) add(ev *schema.Event, at int, line []byte) {
	e := proofEvent{id: ev.EventID, sum: sha256.Sum256(line), at: at, video: ev.Video}
	switch x := ev.Payload.(type) { //nolint:gochecksumtype // no other kind names them
	case *schema.DealerAssigned:
		p.supervisors[x.DealerID] = append(p.supervisors[x.DealerID], tenure{at, x.SupervisorID})
	case *schema.SeatOccupied:
		p.seats[x.Seat] = append(p.seats[x.Seat], tenure{at, x.PatronRef})
	case *schema.SeatVacated:
		p.seats[x.Seat] = append(p.seats[x.Seat], tenure{at, ""})
	case *schema.WagerPlaced:
		e.patron, e.seat = x.PatronRef, x.Seat
	case *schema.BankerWagered:
		e.patron, e.seat = x.PatronRef, x.Seat
	}
	p.bySeq[ev.Seq] = append(p.bySeq[ev.Seq], e)
}

// circumstances are the video and the people of the events that prove a finding.
type circumstances struct {
	sum                string // over their lines
	camera             string
	start, end         int64 // first and last time of the camera; 0 without one
	supervisor, patron string
}

// event returns the events that a finding names at an index of its evidence.
func (p *proof) event(f *finding.Finding, i int) (all []proofEvent) {
	id := ""
	if i < len(f.Evidence.EventIDs) {
		id = f.Evidence.EventIDs[i]
	}
	for _, ev := range p.bySeq[f.Evidence.Seqs[i]] {
		if id == "" || ev.id == id {
			all = append(all, ev)
		}
	}
	return all
}

// named returns the events that a finding names.
func (p *proof) named(f *finding.Finding) (all []proofEvent) {
	for i := range f.Evidence.Seqs {
		all = append(all, p.event(f, i)...)
	}
	return all
}

// of returns the sequence numbers of a finding that are missing, and the circumstances of the others.
func (p *proof) of(f *finding.Finding) (missing []uint64, s circumstances) {
	h := sha256.New()
	last := -1
	for i, seq := range f.Evidence.Seqs {
		events := p.event(f, i)
		for _, ev := range events {
			h.Write(ev.sum[:])
			s.add(&ev, f.Seat)
			last = max(last, ev.at)
		}
		if len(events) == 0 {
			missing = append(missing, seq)
		}
	}
	s.sum = hex.EncodeToString(h.Sum(nil))
	s.supervisor = tenureAt(p.supervisors[f.DealerID], last)
	if s.patron == "" && f.Seat > 0 {
		s.patron = tenureAt(p.seats[f.Seat], last)
	}
	return missing, s
}

func (s *circumstances) add(ev *proofEvent, seat uint32) {
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

// tenureAt returns the person of the last tenure up to an index.
func tenureAt(all []tenure, at int) string {
	id := ""
	for _, t := range all {
		if t.from <= at {
			id = t.id
		}
	}
	return id
}

// mask replaces patron references of an event by pseudonyms.
func mask(ev *schema.Event, with func(string) string) {
	put := func(ref *string, named bool) {
		if named && *ref != "" {
			*ref = with(*ref)
		}
	}
	put(&ev.Actor.ID, patron(ev.Actor.Role))
	switch p := ev.Payload.(type) { //nolint:gochecksumtype // a test searches all kinds for patrons
	case *schema.SeatOccupied:
		put(&p.PatronRef, true)
	case *schema.SeatVacated:
		put(&p.PatronRef, true)
	case *schema.WagerPlaced:
		put(&p.PatronRef, true)
	case *schema.BankerWagered:
		put(&p.PatronRef, true)
	case *schema.RecutOrdered:
		put(&p.ByID, patron(p.ByRole))
	case *schema.CardsVerified:
		put(&p.VerifierID, patron(p.VerifierRole))
	}
}

// patron reports whether patrons have a role. In chemin de fer they also deal and bank.
func patron(r schema.Role) bool {
	return r == schema.RolePatron || r == schema.RoleCurator || r == schema.RoleBanker || r == schema.RoleSpectator
}

// masked is an event as a bundle has it: without patron references and free text.
func (d *Day) masked(ev *schema.Event) schema.Event {
	out := ev.Clone()
	mask(&out, d.Mask)
	if d.Plain != nil {
		d.Plain(&out)
	}
	return out
}

// readEvidence masks, sorts and encodes the events of a table.
func (d *Day) readEvidence(events iter.Seq2[*Event, error]) (*tableEvidence, error) {
	var all []evidenceLine
	for in, err := range events {
		if err != nil {
			return nil, fmt.Errorf("read evidence: %w", err)
		}
		ev := d.masked(&in.Event)
		all = append(all, evidenceLine{in.Topic, in.Partition, in.Offset, schema.AppendJSON(nil, &ev)})
	}
	slices.SortFunc(all, func(a, b evidenceLine) int { return a.compare(&b) })
	p := &proof{bySeq: map[uint64][]proofEvent{}, supervisors: map[string][]tenure{}, seats: map[uint32][]tenure{}}
	t := &tableEvidence{lines: all, proof: p, start: map[string]int{}}
	decoder := schema.NewDecoder()
	decoder.AcceptAny()
	var ev schema.Event
	highest, began, restarted := uint64(0), 0, false // of the numbers since their last restart
	for i := range all {
		l := &all[i]
		if i > 0 && all[i-1].compare(l) == 0 {
			return nil, fmt.Errorf("two events at %s, partition %d, offset %d", l.Topic, l.Partition, l.Offset)
		}
		line, err := encode(l)
		if err == nil {
			err = decoder.Decode(schema.JSON, l.Event, &ev)
		}
		if err != nil {
			return nil, err
		}
		kept := ev.Clone()
		of := p.bySeq[ev.Seq]
		t.inOrder = t.inOrder || ev.Seq < highest && (len(of) == 0 || of[len(of)-1].at < began) // and contests no other
		if p.add(&kept, i, line); ev.Seq == 1 && highest > 1 {
			highest, began, restarted = 0, i, true
		}
		highest = max(highest, ev.Seq)
		if _, seen := t.start[kept.ShoeID]; kept.ShoeID != "" && !seen {
			t.start[kept.ShoeID], t.shoes = i, append(t.shoes, i)
		}
	}
	several := len(all) > 0 && all[0].Partition != all[len(all)-1].Partition
	t.inOrder = t.inOrder || several
	t.whole = t.inOrder && (several || restarted)
	return t, nil
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
