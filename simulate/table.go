package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Options say which table plays, under what, and from which seed and moment.
type Options struct {
	Property, Pit, Table string
	// Config is what the table opens with, see Config. Decks, seats, feeds and the identifier are
	// filled in when they are empty.
	Config schema.TableConfig
	Seed   uint64
	Start  time.Time
	// Flawless tables make no errors, not even such as are put right, and change nothing once open.
	Flawless bool
	// Clear makes Play read every card rightly and the dealers make no errors.
	Clear bool
	// Scheme acts at the table while it plays; nil for none. The table is then flawless but for the scheme, its dealers
	// rotate, and some patrons double after losses or bet late.
	Scheme Scheme
	// Regulars stay five times as long as other patrons.
	Regulars bool
	// ReadStakes emits stake readings at lock and settlement, CountTray counts of the tray at each shoe's end.
	ReadStakes, CountTray bool
	// NoisyReader emits the cards as a reader with the scheme's error rates reads them.
	NoisyReader bool
}

// Table plays legal shoes at one table: Open once, Shoe as often as wanted, Close once. It is not
// safe for concurrent use; the events it returns are the caller's.
type Table struct {
	o       Options
	rng     *rand.Rand
	w       *writer
	patrons []*patron // by seat
	shoes   int
	guests  int
	dealers int
	curator uint32 // or the Banker
	owed    map[uint32]int
	streak  schema.Result
	length  int
	banking banking
	dealing string // the dealer on duty
	noise   *rand.Rand
}

// NewTable is a table at which nothing has happened yet.
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
	complete(&o.Config)
	t := &Table{
		o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x7ab1e)), w: newWriter(&origin{
			o.Property, o.Pit, o.Table, o.Config, o.Seed, o.Start, o.ReadStakes, o.CountTray,
		}), owed: map[uint32]int{},
		dealers: int(o.Seed % 40),
	}
	if o.NoisyReader {
		t.noise = rand.New(rand.NewPCG(o.Seed, 0x2ead))
		t.w.reader = func(x card) card { return card(t.read(x)) }
	}
	return t
}

func complete(c *schema.TableConfig) {
	if c.Decks == 0 {
		c.Decks = 8
	}
	if len(c.Seats) == 0 {
		seats := uint32(7)
		if c.Game == schema.GamePuntoBanco || c.Game == schema.GameCheminDeFer {
			seats = 14
		}
		for s := uint32(1); s <= seats; s++ {
			if s != 13 {
				c.Seats = append(c.Seats, s)
			}
		}
	}
	if len(c.Feeds) == 0 {
		for f := schema.FeedPreparation; f <= schema.FeedChipTray; f++ {
			c.Feeds = append(c.Feeds, f)
		}
	}
	if c.ConfigID == "" {
		c.ConfigID = "c1"
	}
	if c.Currency == "" {
		c.Currency = "USD"
	}
}

// Open is the opening of the table: notices, attestations, dealers, patrons and the new cards.
func (t *Table) Open() []schema.Event {
	o := opening{posted: !t.w.house.ny}
	positions := []schema.DealerPosition{schema.DealerPositionBase}
	if t.w.house.punto {
		positions = []schema.DealerPosition{schema.DealerPositionCalling, schema.DealerPositionPaying}
	}
	for _, p := range positions {
		o.dealers = append(o.dealers, schema.DealerAssigned{DealerID: t.nextDealer(), Position: p, SupervisorID: t.w.boss})
	}
	seats := slices.Clone(t.o.Config.Seats)
	t.rng.Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	for _, s := range seats[:min(len(seats), 4+t.rng.IntN(4))] {
		t.arrive(s)
	}
	t.dealing = o.dealers[0].DealerID
	if t.o.Scheme != nil {
		t.o.Scheme.Seated(t)
	}
	for _, p := range t.patrons {
		o.seats = append(o.seats, seated{p.seat, p.ref})
	}
	t.w.open(&o)
	return t.w.take()
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

// ShoeOf plays the next shoe with so many rounds: the cutting card is put in high. With 0, or fewer
// than two, the shoe is played to the last hand that a usual cutting card leaves.
func (t *Table) ShoeOf(rounds int) []schema.Event {
	if t.shoes > 0 && !t.o.Flawless {
		t.reform()
	}
	if t.o.Scheme != nil {
		t.o.Scheme.BeforeShoe()
	}
	s, _ := t.Plan(rounds, nil)
	t.Write(s)
	return t.w.take()
}

func (t *Table) Write(s *shoePlan) {
	t.w.prepare(s)
	for i := range s.rounds {
		t.w.play(s, i)
	}
	t.w.finish(s)
	switch {
	case t.w.house.punto:
		t.curator = t.w.curator
	case t.w.house.chemin:
		t.curator = t.w.banker
	}
}

// Shuffle emits the shuffle of a shoe that is not played.
func (t *Table) Shuffle() []schema.Event {
	t.shoes++
	t.w.shoeID, t.w.round = t.shoeID(), 0
	t.w.shuffle()
	return t.w.take()
}

// Close closes the table.
func (t *Table) Close() []schema.Event {
	t.w.shoeID, t.w.round = "", 0
	t.w.emit(&schema.TableClosed{Reason: "end of play"})
	return t.w.take()
}

// A wish makes a round of a plan come out as a fault needs it.
type wish struct {
	round int
	// bets adds what must be staked, accept says which cards will do.
	bets   func(*roundPlan)
	accept func(*roundPlan) bool
	// behind is the number of cards behind the cutting card, 0 to leave it to chance.
	behind int
}

const wishTries = 400_000

// Plan chooses everything about the next shoe.
func (t *Table) Plan(rounds int, want *wish) (*shoePlan, error) {
	t.shoes++
	clear(t.owed)
	s := &shoePlan{id: t.shoeID(), laced: 47 + t.rng.Uint32N(11), ceilEnd: t.w.house.mode == schema.VigorishModeCommission && t.rng.IntN(8) == 0}
	if t.o.Config.Vigorish.Unit == 0 {
		s.ceilEnd = false
	}
	total := int(t.o.Config.Decks) * 52
	s.depth = uint32(20 + t.rng.IntN(total-40))
	t.offerCut(s)
	for _, p := range t.patrons {
		if p.shy {
			s.shy = append(s.shy, p.seat)
		}
	}
	if t.w.house.punto {
		s.keep = t.curator > 0 && t.PatronAt(t.curator) != nil && t.rng.IntN(2) == 0
		if !s.keep {
			t.pickCurator(s, 0)
		}
	}
	deck := fullSet(t.o.Config.Decks)
	shuffle(t.rng, deck)
	if t.o.Scheme != nil {
		deck = t.o.Scheme.Stack(s.id, deck)
	}
	n := 1 + deck[0].burns()
	s.burn, deck = deck[:n:n], deck[n:]
	tr := t.trouble(s, rounds, want == nil)
	s.behind = 14 + t.rng.IntN(20)
	if want != nil && want.behind > 0 {
		s.behind = want.behind
	}
	if rounds > 1 {
		s.behind = 0
	}
	for k, last := 0, -1; k != last; k++ {
		r := roundPlan{endedFirst: t.rng.IntN(3) > 0, sideFirst: t.rng.IntN(3) == 0, together: t.rng.IntN(3) == 0}
		if k > 0 {
			t.between(s, &r)
		}
		if t.w.house.chemin {
			t.bankBets(&r, k)
		} else {
			t.bets(&r, k)
		}
		if want == nil && !t.o.Flawless {
			if k > 0 && t.rng.IntN(300) == 0 {
				t.reprice(&r)
			}
			if t.w.house.midi && t.rng.IntN(15) == 0 {
				t.giveUp(&r)
			}
		}
		if want != nil && want.round == k {
			if err := t.grant(want, &r, deck); err != nil {
				return nil, err
			}
		}
		if t.o.Scheme != nil {
			t.o.Scheme.Bet(&r, deck)
			t.name(&r, k)
		}
		deck = t.deal(s, &r, deck, tr, k, last)
		if t.o.Scheme != nil {
			t.o.Scheme.Settle(s, &r, k)
		}
		t.note(s, &r)
		s.rounds = append(s.rounds, r)
		switch {
		case rounds > 1:
			last = rounds
		case last < 0 && len(deck) < s.behind:
			last = k + 2
		}
		if k+1 == last {
			break
		}
	}
	if rounds > 1 {
		k := s.rounds[len(s.rounds)-2].coup.cards()
		s.hideCut(total, t.rng.IntN(k))
	}
	s.rest = deck
	if t.o.Scheme != nil {
		t.o.Scheme.EndShoe(s)
	}
	return s, nil
}

// grant finds cards for a wish among those left, by trial.
func (t *Table) grant(want *wish, r *roundPlan, deck []card) error {
	if want.bets != nil {
		want.bets(r)
		t.name(r, want.round)
	}
	if want.accept == nil {
		return nil
	}
	for range wishTries {
		r.coup = dealCoup(deck)
		if want.accept(r) {
			return nil
		}
		for i := range 6 {
			j := i + t.rng.IntN(len(deck)-i)
			deck[i], deck[j] = deck[j], deck[i]
		}
	}
	return fmt.Errorf("round %d: no such cards in %d trials", want.round+1, wishTries)
}

func (t *Table) shoeID() string {
	day := time.Unix(0, t.w.at).UTC()
	return fmt.Sprintf("%s-%s-%02d", t.o.Table, day.Format("20060102"), t.shoes)
}

// offerCut goes clockwise from the highest seat, on a reshuffle at punto banco from the last curator, at
// chemin de fer from the left of the Banker.
func (t *Table) offerCut(s *shoePlan) {
	n := len(t.patrons)
	first := n - 1
	if t.w.house.bucket && t.shoes > 1 {
		for i, p := range t.patrons {
			switch {
			case p.seat != t.curator:
			case t.w.house.chemin:
				first = (i - 1 + n) % n
			default:
				first = i
			}
		}
	}
	for k := range n {
		o := offer{t.patrons[(first-k+n)%n].seat, t.rng.IntN(2) == 0}
		s.offers = append(s.offers, o)
		if o.accepted {
			s.cutBy = o.seat
			return
		}
	}
}

func (t *Table) pickCurator(s *shoePlan, after uint32) {
	for _, o := range curatorOffers(t.seated(), s.shy, after) {
		if o.accepted {
			t.curator = o.seat
		}
	}
}

func (t *Table) seated() []seated {
	out := make([]seated, len(t.patrons))
	for i, p := range t.patrons {
		out[i] = seated{p.seat, p.ref}
	}
	return out
}

// note keeps what the following rounds depend on.
func (t *Table) note(s *shoePlan, r *roundPlan) {
	result := r.coup.result()
	if t.o.Scheme != nil {
		t.temper(r)
	}
	if result == t.streak {
		t.length++
	} else if result != schema.ResultTie {
		t.streak, t.length = result, 1
	}
	for i := range r.stakes {
		st := &r.stakes[i]
		if st.marks && !st.withdrawn && st.spot == schema.SpotBanker && result == schema.ResultBanker {
			t.owed[st.seat]++
		}
	}
	if t.w.house.chemin {
		t.noteBank(r)
	}
	if t.w.house.punto && result == schema.ResultPlayer {
		t.pickCurator(s, t.curator)
	}
}

// rota is how many dealers relieve each other where a scheme acts.
const rota = 6

// Writer writes the table's events: its house, its clock and the cards in use.
func (t *Table) Writer() *writer { return t.w }

// Patrons are the patrons at the table by seat.
func (t *Table) Patrons() []*patron { return t.patrons }

// Curator is the seat of the curator, at chemin de fer of the Banker.
func (t *Table) Curator() uint32 { return t.curator }

// Banking is what the wagers of the next Banker depend on.
func (t *Table) Banking() *banking { return &t.banking }

// Rand is the generator that all choices of the table are drawn from.
func (t *Table) Rand() *rand.Rand { return t.rng }

// Config is the configuration in force; a caller may change it between shoes.
func (t *Table) Config() *schema.TableConfig { return &t.o.Config }

// Dealer is the dealer on duty.
func (t *Table) Dealer() string { return t.dealing }
