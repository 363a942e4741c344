package shoe

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Writer turns plans into the events of one table. It makes no choices: only the pauses between events come from its
// generator.
type Writer struct {
	Config schema.TableConfig
	House  House
	game   *Game
	// queued comes into force at the first round that starts at queuedFor or later.
	queued    *schema.TableConfig
	queuedFor int64

	Property, pit, Table string
	Devices              [6]schema.Source
	camera               string
	seed                 uint64
	Seq                  uint64
	Now                  int64
	pauses               *rand.PCG
	out                  []schema.Event

	ShoeID      string
	RoundNumber uint32
	Batch       string
	early       string // the shoe whose batch was shuffled before the shoe began
	BackColor   string
	backDesign  string
	dealer      schema.Actor
	Floorperson string
	Supervisor  string
	seats       []Occupant // ascending
	Curator     uint32

	cardSeq          int
	cuttingCardAt    int // it appears after so many cards; -1 once it has
	cuttingCardRound uint32
	carried          uint32 // number of the card carried over to the next round
	squeezer         [2]uint32
	Banker           uint32 // seat of the Banker, chemin de fer
	marks            []Marker
	deal             struct{ seqs []uint32 }
	// Reader replaces a card by what a noisy reader reads.
	Reader func(Card) Card
	// readsStakes emits stake readings when bets close and at settlement; CountsTray emits counts of the tray.
	readsStakes, CountsTray bool
	tray                    int64
	fills                   int
}

// Occupant is a patron at a seat.
type Occupant struct {
	Seat   uint32
	Patron string
}

// Marker is outstanding vigorish on the layout.
type Marker struct {
	Wager  string
	Seat   uint32
	Amount int64
}

// Origin is where a writer starts.
type Origin struct {
	Property, Pit, Table string
	Config               schema.TableConfig
	Seed                 uint64
	Start                time.Time
	// ReadStakes emits stake readings, CountTray counts of the tray.
	ReadStakes, CountTray bool
	// Game are the side bets of the rulebook, nil for the side bets of the contract alone.
	Game *Game
}

// NewWriter returns a writer at the start of a table, before its first event.
func NewWriter(o *Origin) *Writer {
	w := &Writer{
		game: o.Game, Property: o.Property, pit: o.Pit, Table: o.Table,
		readsStakes: o.ReadStakes, CountsTray: o.CountTray, tray: 500_000_000,
		seed: o.Seed, Now: o.Start.UnixNano(), pauses: rand.NewPCG(o.Seed, 0x9a5e5),
		BackColor: "red", backDesign: "bee", cuttingCardAt: -1,
	}
	for kind, name := range [6]string{1: "shoe", 2: "chips", 3: "console", 4: "camera", 5: "pit"} {
		if kind > 0 {
			w.Devices[kind] = schema.Source{DeviceID: name + "-" + o.Table, Kind: schema.SourceKind(kind)}
		}
	}
	w.adopt(o.Config)
	w.camera = "cam-" + o.Table
	w.Floorperson, w.Supervisor = "f-"+o.Pit, "s-"+o.Pit
	return w
}

// adopt brings a configuration into force.
func (w *Writer) adopt(c schema.TableConfig) {
	w.Config, w.House = c, newHouse(&c)
	w.House.play(&c, w.game)
}

// Emit emits an event by its usual actor.
func (w *Writer) Emit(p schema.Payload) { w.emitBy(p, schema.Actor{}) }

// emitBy emits an event by an actor, or by the usual one if none is given.
func (w *Writer) emitBy(p schema.Payload, actor schema.Actor) {
	kind := p.Kind()
	if w.game != nil {
		switch p := p.(type) {
		case *schema.TableOpened:
			p.Config.Ruleset = w.game.Ruleset
		case *schema.TableConfigured:
			p.Config.Ruleset = w.game.Ruleset
		}
	}
	if w.CountsTray {
		w.tray += chips(p)
	}
	role, source, minPause, spread := Manner(kind)
	w.Now += int64(minPause+w.pauses.Uint64()%spread) * 1_000_000
	if actor.Role == schema.RoleUnspecified {
		switch role {
		case schema.RoleDealer:
			actor = w.dealer
		case schema.RoleFloorperson:
			actor = schema.Actor{Role: role, ID: w.Floorperson}
		default:
			actor.Role = role
		}
	}
	w.Seq++
	w.out = append(w.out, schema.Event{
		EventID: EventID(w.Now, w.seed, w.Seq), PropertyID: w.Property, PitID: w.pit, TableID: w.Table,
		Seq: w.Seq, At: w.Now, ShoeID: w.ShoeID, Round: w.RoundNumber, Actor: actor, Source: w.Devices[source],
		Payload: p,
	})
	switch source {
	case schema.SourceKindShoe, schema.SourceKindChips, schema.SourceKindCamera:
		w.out[len(w.out)-1].Video = schema.Video{CameraID: w.camera, At: w.Now}
	}
}

// chips returns what an event adds to the tray, minor units.
func chips(p schema.Payload) int64 {
	switch p := p.(type) {
	case *schema.WagerCollected:
		return p.Amount
	case *schema.WagerPaid:
		return -p.Amount
	case *schema.VigorishCollected:
		return p.Amount
	case *schema.ChipsFilled:
		return p.Amount
	}
	return 0
}

// countTray emits a fill and a count of the tray; missing chips left it without a record.
func (w *Writer) countTray(occasion schema.TrayOccasion, fill, missing int64) {
	if !w.CountsTray {
		return
	}
	if fill > 0 {
		w.fills++
		w.Emit(&schema.ChipsFilled{SlipNo: w.Table + "-f" + strconv.Itoa(w.fills), Amount: fill})
	}
	w.tray -= missing
	w.Emit(&schema.TrayCounted{Amount: w.tray, Occasion: occasion})
}

// Wait advances the clock by at least ms milliseconds.
func (w *Writer) Wait(ms uint64) { w.Now += int64(ms+w.pauses.Uint64()%ms) * 1_000_000 }

// Take returns the events emitted since the last call.
func (w *Writer) Take() []schema.Event {
	out := w.out
	w.out = out[len(out):]
	return slices.Clip(out)
}

func (w *Writer) patronAt(seat uint32) string {
	for _, s := range w.seats {
		if s.Seat == seat {
			return s.Patron
		}
	}
	return ""
}

func (w *Writer) patron(seat uint32) schema.Actor {
	return schema.Actor{Role: schema.RolePatron, ID: w.patronAt(seat)}
}

func (w *Writer) sit(seat uint32, patron string) {
	i, _ := slices.BinarySearchFunc(w.seats, seat, func(s Occupant, n uint32) int { return int(s.Seat) - int(n) })
	w.seats = slices.Insert(w.seats, i, Occupant{seat, patron})
}

func (w *Writer) stand(seat uint32) {
	w.seats = slices.DeleteFunc(w.seats, func(s Occupant) bool { return s.Seat == seat })
}
