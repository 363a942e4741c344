package simulate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// writer turns plans into the events of one table. Nothing in it is chosen: only the pauses between
// events come from its generator.
type writer struct {
	cfg   schema.TableConfig
	house house

	property, pit, table string
	devices              [6]schema.Source
	camera               string
	seed                 uint64
	seq                  uint64
	at                   int64
	pauses               *rand.PCG
	out                  []schema.Event

	shoeID  string
	round   uint32
	batch   string
	back    string
	design  string
	dealer  schema.Actor
	floor   string
	boss    string
	seats   []seated // ascending
	curator uint32

	cardSeq  int
	sighting int // the cutting card shows after so many cards; -1 once it has
	sighted  uint32
	carried  uint32 // number of a card carried over to the next round
	squeezer [2]uint32
	banker   uint32 // seat of the Banker, chemin de fer
	marks    []mark
	deal     struct{ seqs []uint32 }
	// reader is what reads cards wrongly, if anything does.
	reader func(card) card
	// reads has stakes read when bets are closed and at settlement; trays has the tray counted, which holds so much.
	reads, trays bool
	tray         int64
	fills        int
}

type seated struct {
	seat   uint32
	patron string
}

// mark is an open vigorish on the layout.
type mark struct {
	wager  string
	seat   uint32
	amount int64
}

// origin is where a writer starts.
type origin struct {
	property, pit, table string
	config               schema.TableConfig
	seed                 uint64
	start                time.Time
	// reads emits stake readings, trays counts of the tray.
	reads, trays bool
}

func newWriter(o *origin) *writer {
	w := &writer{
		cfg: o.config, house: newHouse(&o.config), property: o.property, pit: o.pit, table: o.table,
		reads: o.reads, trays: o.trays, tray: 500_000_000,
		seed: o.seed, at: o.start.UnixNano(), pauses: rand.NewPCG(o.seed, 0x9a5e5),
		back: "red", design: "bee", sighting: -1,
	}
	for kind, name := range [6]string{1: "shoe", 2: "chips", 3: "console", 4: "camera", 5: "pit"} {
		if kind > 0 {
			w.devices[kind] = schema.Source{DeviceID: name + "-" + o.table, Kind: schema.SourceKind(kind)}
		}
	}
	w.camera = "cam-" + o.table
	w.floor, w.boss = "f-"+o.pit, "s-"+o.pit
	return w
}

// role, source and pause of each kind of event; the pause is a least and a spread in milliseconds.
func manner(k schema.Kind) (role schema.Role, source schema.SourceKind, least, spread uint64) {
	switch k {
	case schema.KindCardDealt:
		return schema.RoleDealer, schema.SourceKindShoe, 900, 1200
	case schema.KindCutcardSeen, schema.KindShoeLoaded:
		return schema.RoleDealer, schema.SourceKindShoe, 400, 600
	case schema.KindShoeBurned:
		return schema.RoleDealer, schema.SourceKindShoe, 9000, 6000
	case schema.KindWagerPlaced, schema.KindWagerChanged, schema.KindBankerWagered:
		return schema.RolePatron, schema.SourceKindChips, 400, 2500
	case schema.KindWagerCollected, schema.KindWagerPaid, schema.KindWagerReturned, schema.KindVigorishCollected,
		schema.KindVigorishMarked, schema.KindVigorishMarkerRemoved:
		return schema.RoleDealer, schema.SourceKindChips, 700, 1500
	case schema.KindStakeRead, schema.KindTrayCounted:
		return schema.RoleDealer, schema.SourceKindChips, 10, 20
	case schema.KindAnnounced, schema.KindDealInstructed:
		return schema.RoleDealer, schema.SourceKindConsole, 500, 700
	case schema.KindBidOffered, schema.KindBancoAnnounced:
		return schema.RolePatron, schema.SourceKindConsole, 900, 1500
	case schema.KindRoundStarted:
		return schema.RoleDealer, schema.SourceKindConsole, 1500, 3000
	case schema.KindRoundEnded, schema.KindRoundVoided, schema.KindVerbalConfirmed, schema.KindCashConverted:
		return schema.RoleDealer, schema.SourceKindConsole, 300, 400
	case schema.KindCardRevealed, schema.KindCardMoved, schema.KindDiscardPlaced, schema.KindCardTouched, schema.KindCardsHanded,
		schema.KindCardsReturned, schema.KindCardCarriedOver, schema.KindCardFoundFaceup:
		return schema.RoleDealer, schema.SourceKindCamera, 400, 700
	case schema.KindShoeShuffled:
		return schema.RoleDealer, schema.SourceKindCamera, 60_000, 60_000
	case schema.KindShoeLaced, schema.KindCardsWashed, schema.KindCardsSpread, schema.KindCardsStacked:
		return schema.RoleDealer, schema.SourceKindCamera, 30_000, 30_000
	case schema.KindCutOffered, schema.KindShoeCut, schema.KindShoeTransposed, schema.KindCutcardPlaced,
		schema.KindCuratorOffered, schema.KindCuratorAssigned, schema.KindCuratorPassed:
		return schema.RoleDealer, schema.SourceKindCamera, 1500, 2500
	case schema.KindSeatOccupied, schema.KindSeatVacated, schema.KindTableOpened, schema.KindTableConfigured,
		schema.KindTableClosed, schema.KindNoticeFiled, schema.KindNoticePosted, schema.KindDealerAssigned,
		schema.KindLayoutAttested, schema.KindRecutOrdered, schema.KindBatchState:
		return schema.RoleFloorperson, schema.SourceKindPit, 500, 2000
	}
	return schema.RoleDealer, schema.SourceKindConsole, 500, 1500
}

func (w *writer) emit(p schema.Payload) { w.emitBy(p, schema.Actor{}) }

// emitBy writes an event with an actor, or the usual one if none is given.
func (w *writer) emitBy(p schema.Payload, actor schema.Actor) {
	kind := p.Kind()
	if w.trays {
		w.tray += chips(p)
	}
	role, source, least, spread := manner(kind)
	w.at += int64(least+w.pauses.Uint64()%spread) * 1_000_000
	if actor.Role == schema.RoleUnspecified {
		switch role {
		case schema.RoleDealer:
			actor = w.dealer
		case schema.RoleFloorperson:
			actor = schema.Actor{Role: role, ID: w.floor}
		default:
			actor.Role = role
		}
	}
	w.seq++
	w.out = append(w.out, schema.Event{
		EventID: eventID(w.at, w.seed, w.seq), PropertyID: w.property, PitID: w.pit, TableID: w.table,
		Seq: w.seq, At: w.at, ShoeID: w.shoeID, Round: w.round, Actor: actor, Source: w.devices[source], Payload: p,
	})
	switch source {
	case schema.SourceKindShoe, schema.SourceKindChips, schema.SourceKindCamera:
		w.out[len(w.out)-1].Video = schema.Video{CameraID: w.camera, At: w.at}
	}
}

// chips are what an event brings to the tray, minor units.
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

// count counts the tray, if the table has it counted; gone left it unseen.
func (w *writer) count(occasion schema.TrayOccasion, fill, gone int64) {
	if !w.trays {
		return
	}
	if fill > 0 {
		w.fills++
		w.emit(&schema.ChipsFilled{SlipNo: w.table + "-f" + strconv.Itoa(w.fills), Amount: fill})
	}
	w.tray -= gone
	w.emit(&schema.TrayCounted{Amount: w.tray, Occasion: occasion})
}

// pass lets time go by.
func (w *writer) pass(ms uint64) { w.at += int64(ms+w.pauses.Uint64()%ms) * 1_000_000 }

// take hands over what was written since the last call.
func (w *writer) take() []schema.Event {
	out := w.out
	w.out = make([]schema.Event, 0, cap(out))
	return out
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// eventID has the form of a ULID: milliseconds, then 80 bits that follow from the seed and the number.
func eventID(at int64, seed, seq uint64) string {
	var b [26]byte
	ms := uint64(at) / 1_000_000
	for i := 9; i >= 0; i-- {
		b[i] = crockford[ms&31]
		ms >>= 5
	}
	x, y := mix(seed^seq*0x9e3779b97f4a7c15), mix(seed+seq)
	for i := 10; i < 22; i++ {
		b[i] = crockford[x&31]
		x >>= 5
	}
	for i := 22; i < 26; i++ {
		b[i] = crockford[y&31]
		y >>= 5
	}
	return string(b[:])
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (w *writer) patronAt(seat uint32) string {
	for _, s := range w.seats {
		if s.seat == seat {
			return s.patron
		}
	}
	return ""
}

func (w *writer) sit(seat uint32, patron string) {
	i, _ := slices.BinarySearchFunc(w.seats, seat, func(s seated, n uint32) int { return int(s.seat) - int(n) })
	w.seats = slices.Insert(w.seats, i, seated{seat, patron})
}

func (w *writer) stand(seat uint32) {
	w.seats = slices.DeleteFunc(w.seats, func(s seated) bool { return s.seat == seat })
}
