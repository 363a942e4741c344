package deal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Options are the table, its configuration, its seed and its start. All fields but Config are optional.
type Options struct {
	Property, Pit, Table string
	// Config is the configuration that the table opens with, see func Config. Decks, seats, feeds, currency and id
	// are filled in where they are empty.
	Config schema.TableConfig
	Seed   uint64
	Start  time.Time
	// Flawless tables have no irregularities, not even remedied ones, and keep their configuration.
	Flawless bool
	// Steady tables keep their configuration.
	Steady bool
	// Varied mixes in the lawful acts that are rare: settlements in several motions, mistakes put right, repeated and
	// corrected calls, recuts after the burn, configurations announced ahead.
	Varied bool
	// Clear makes Play read every card rightly and the dealers make no errors.
	Clear bool
	// Scheme acts at the table while it plays; nil for none. The table is then flawless but for the scheme, its dealers
	// rotate, and some patrons double after losses or bet late.
	Scheme Scheme
	// Regulars stay five times as long as other patrons.
	Regulars bool
	// ReadStakes emits stake readings at lock and settlement, CountTray counts of the tray at each shoe's end.
	ReadStakes, CountTray bool
	// Game are the side bets of a rulebook, of which the table plays those that Config offers, see Offer.
	Game *Game
	// NoisyReader emits the cards as a reader with the scheme's error rates reads them.
	NoisyReader bool
}

// Table plays legal shoes at one table: Open once, Shoe any number of times, Close once. It is not safe for
// concurrent use. The caller owns the events.
type Table struct {
	o       Options
	rng     *rand.Rand
	w       *shoe.Writer
	patrons []*Patron // by seat
	shoes   int
	early   string // id of the next shoe, whose batch was shuffled already
	guests  int
	dealers int
	curator uint32 // seat, at chemin de fer of the Banker
	owed    map[uint32]int
	streak  schema.Result
	length  int
	banking Banking
	dealing string // the dealer on duty
	noise   *rand.Rand
	variety *rand.Rand // nil unless Options.Varied
}

// NewTable returns a table that has not opened.
func NewTable(o Options) *Table {
	if o.Property == "" {
		o.Property, o.Pit = "sim", "p1"
	}
	if o.Table == "" {
		o.Table = "t-" + strconv.FormatUint(o.Seed%10_000, 10)
	}
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 2, 18, 0, 0, 0, time.UTC)
	}
	if o.Scheme != nil {
		o.Flawless = true
	}
	shoe.Complete(&o.Config)
	t := &Table{
		o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x7ab1e)), w: shoe.NewWriter(&shoe.Origin{
			Property: o.Property, Pit: o.Pit, Table: o.Table, Config: o.Config, Seed: o.Seed, Start: o.Start,
			ReadStakes: o.ReadStakes, CountTray: o.CountTray, Game: o.Game,
		}), owed: map[uint32]int{},
		dealers: int(o.Seed % 40),
	}
	if o.Varied && !o.Flawless {
		t.variety = rand.New(rand.NewPCG(o.Seed, 0x7a61e5))
	}
	if o.NoisyReader {
		t.noise = rand.New(rand.NewPCG(o.Seed, 0x2ead))
		t.w.Reader = func(x shoe.Card) shoe.Card { return shoe.Card(t.readCard(x)) }
	}
	return t
}

// Open opens the table: notices, attestations, dealers, patrons and the new cards.
func (t *Table) Open() []schema.Event {
	o := shoe.Opening{Posted: !t.w.House.NewYork}
	positions := []schema.DealerPosition{schema.DealerPositionBase}
	if t.w.House.Punto {
		positions = []schema.DealerPosition{schema.DealerPositionCalling, schema.DealerPositionPaying}
	}
	for _, p := range positions {
		o.Dealers = append(o.Dealers,
			schema.DealerAssigned{DealerID: t.nextDealer(), Position: p, SupervisorID: t.w.Supervisor})
	}
	seats := slices.Clone(t.o.Config.Seats)
	t.rng.Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	for _, s := range seats[:min(len(seats), 4+t.rng.IntN(4))] {
		t.arrive(s)
	}
	t.dealing = o.Dealers[0].DealerID
	if t.o.Scheme != nil {
		t.o.Scheme.Seated(t)
	}
	for _, p := range t.patrons {
		o.Seats = append(o.Seats, shoe.Occupant{Seat: p.Seat, Patron: p.Ref})
	}
	t.w.Open(&o)
	return t.take()
}

func (t *Table) nextDealer() string {
	t.dealers++
	if t.o.Scheme != nil {
		t.dealers %= rota
	}
	return "d" + strconv.Itoa(100+t.dealers)
}

// Shoe plays the next shoe to its last hand.
func (t *Table) Shoe() []schema.Event { return t.ShoeOf(0) }

// ShoeOf plays the next shoe with a number of rounds, which the cutting card then leaves. With fewer than 2 the shoe
// is played to the last hand that a usual cutting card leaves.
func (t *Table) ShoeOf(rounds int) []schema.Event {
	if t.variety != nil {
		t.o.Config = t.w.Config // an announced configuration may have come into force
	}
	if t.shoes > 0 && !t.o.Flawless && !t.o.Steady && !t.w.Pending() {
		t.changePolicy()
	}
	if t.o.Scheme != nil {
		t.o.Scheme.BeforeShoe()
	}
	s, _ := t.Plan(rounds, nil)
	if t.variety != nil {
		t.announceAhead(s)
	}
	t.Write(s)
	return t.take()
}

// Write emits a planned shoe.
func (t *Table) Write(s *shoe.Plan) {
	t.w.Prepare(s)
	for i := range s.Rounds {
		t.w.Round(s, i)
		if t.o.Config.AutomatedShuffler && !t.o.Flawless && i == len(s.Rounds)/3 {
			t.shoes++
			t.early = t.shoeID()
			t.shoes--
			t.w.ShuffleOther(t.early)
		}
	}
	t.w.Finish(s)
	switch {
	case t.w.House.Punto:
		t.curator = t.w.Curator
	case t.w.House.Chemin:
		t.curator = t.w.Banker
	}
}

// Shuffle emits the shuffle of a shoe that is not played.
func (t *Table) Shuffle() []schema.Event {
	t.shoes++
	t.w.ShoeID, t.w.RoundNumber = t.shoeID(), 0
	t.w.Shuffle()
	return t.take()
}

// Close closes the table.
func (t *Table) Close() []schema.Event {
	t.w.ShoeID, t.w.RoundNumber = "", 0
	t.w.Emit(&schema.TableClosed{Reason: "end of play"})
	return t.take()
}

func (t *Table) shoeID() string {
	day := time.Unix(0, t.w.Now).UTC()
	return fmt.Sprintf("%s-%s-%02d", t.o.Table, day.Format("20060102"), t.shoes)
}

// rota is the number of dealers who relieve each other where a scheme acts.
const rota = 6

// Writer returns the writer of the table's events, which has its house, its clock and the cards in use.
func (t *Table) Writer() *shoe.Writer { return t.w }

// Patrons returns the patrons at the table by seat.
func (t *Table) Patrons() []*Patron { return t.patrons }

// Curator returns the seat of the curator, at chemin de fer of the Banker.
func (t *Table) Curator() uint32 { return t.curator }

// Banking returns what the wagers of the next Banker depend on.
func (t *Table) Banking() *Banking { return &t.banking }

// Rand returns the generator of all choices of the table.
func (t *Table) Rand() *rand.Rand { return t.rng }

// Config returns the configuration in force, which a caller may change between shoes.
func (t *Table) Config() *schema.TableConfig { return &t.o.Config }

// Dealer returns the dealer on duty.
func (t *Table) Dealer() string { return t.dealing }
