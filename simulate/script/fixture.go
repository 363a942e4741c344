package script

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// fixture is a short table that documents and scenarios name.
type fixture struct {
	name       string
	ruleset    string
	game       schema.Game
	mode       schema.VigorishMode
	sideBets   []schema.SideBet
	payTables  map[string]string
	seats      []uint32
	occupied   []uint32
	behind     int
	rounds     []string
	sideStakes []shoe.Stake
	// change edits the plan of the first shoe. against are the wagers of each round if they are not the usual ones.
	change  func(*shoe.Plan)
	against [][]shoe.Stake
}

// Fixtures returns the names of the fixtures.
func Fixtures() []string {
	list := fixtures()
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].name
	}
	return out
}

// Fixture plays a table with the fixture's shoe and a second shoe of two rounds, and closes it. The table is named
// after the fixture; "S-PB@pb-02" plays the same at table pb-02 of pit p1, "S-PB@p3/pb-02" in pit p3. A plus sign
// joins tables, "S-PB + S-PB@pb-02"; their events are ordered by time.
func Fixture(names string) ([]schema.Event, error) {
	var tables [][]schema.Event
	seen := map[string]bool{}
	for part := range strings.SplitSeq(names, "+") {
		part = strings.TrimSpace(part)
		name, place, _ := strings.Cut(part, "@")
		pit, table, ok := strings.Cut(place, "/")
		if !ok {
			pit, table = "p1", place
		}
		events, err := fixtureAt(name, pit, table)
		if err != nil {
			return nil, err
		}
		if id := events[0].TableID; seen[id] {
			return nil, fmt.Errorf("fixture %q: table %s twice", names, id)
		}
		seen[events[0].TableID] = true
		tables = append(tables, events)
	}
	return deal.Interleave(tables...), nil
}

func fixtureAt(name, pit, table string) ([]schema.Event, error) {
	for _, f := range fixtures() {
		if f.name == name {
			return f.play(pit, table)
		}
	}
	return nil, fmt.Errorf("fixture %q: want one of %s", name, strings.Join(Fixtures(), ", "))
}

func (f *fixture) config() schema.TableConfig {
	c := schema.TableConfig{
		ConfigID: f.name, Ruleset: f.ruleset, Game: f.game, Currency: "USD", Decks: 8, Seats: f.seats,
		PaymentProcedure: 1,
		Vigorish:         schema.Vigorish{Mode: f.mode}, SideBets: f.sideBets, PayTables: f.payTables,
		DealingStyle: schema.DealingStyleFaceUp,
		PostedOdds:   map[string]string{"BANKER": "1:1", "PLAYER": "1:1", "TIE": "8:1"},
	}
	switch f.game {
	case schema.GameMidibaccarat:
		c.DealingStyle = schema.DealingStyleFaceDown
	case schema.GameCheminDeFer:
		c.PostedOdds = nil
	}
	if f.mode == schema.VigorishModeCommission {
		c.Vigorish = schema.Vigorish{
			Mode: f.mode, Percent: 5, Unit: shoe.LawUnit(f.game, 5),
			Timing: schema.VigorishTimingMixed,
		}
	}
	for _, spot := range shoe.SideSpots(&c) {
		if o := shoe.StandardOdds(spot); o.To > 1 {
			c.PostedOdds[spot.String()] = fmt.Sprintf("%d:%d", o.To, o.Per)
		}
	}
	shoe.Complete(&c)
	return c
}

func (f *fixture) play(pit, table string) ([]schema.Event, error) {
	o := shoe.Origin{
		Property: "ac-1", Pit: pit, Table: table, Config: f.config(), Seed: uint64(len(f.name)),
		Start: time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC),
	}
	if table == "" {
		o.Table = strings.ToLower(f.name)
	}
	for _, c := range f.name + table {
		o.Seed = o.Seed*131 + uint64(c)
	}
	w := shoe.NewWriter(&o)
	dealer := schema.DealerAssigned{DealerID: "d114", Position: schema.DealerPositionBase, SupervisorID: w.Supervisor}
	if w.House.Bucket {
		dealer.Position = schema.DealerPositionCalling
	}
	start := shoe.Opening{
		Listed: true, Posted: !w.House.NewYork && !w.House.Chemin, Dealers: []schema.DealerAssigned{dealer},
	}
	for _, seat := range f.occupied {
		start.Seats = append(start.Seats, shoe.Occupant{Seat: seat, Patron: fmt.Sprintf("pt-%d", seat)})
	}
	w.Open(&start)
	first, err := f.first(w)
	if err != nil {
		return nil, err
	}
	writeShoe(w, first)
	second, err := f.second(w)
	if err != nil {
		return nil, err
	}
	writeShoe(w, second)
	w.Emit(&schema.TableClosed{Reason: "end of play"})
	return w.Take(), nil
}

func writeShoe(w *shoe.Writer, s *shoe.Plan) {
	w.Prepare(s)
	for i := range s.Rounds {
		w.Round(s, i)
	}
	w.Finish(s)
}

// first plans the first shoe, which has all rounds of the fixture.
func (f *fixture) first(w *shoe.Writer) (*shoe.Plan, error) {
	s := &shoe.Plan{ID: w.Table + "-1", CutBy: 5, CutDepth: 100, Laced: 52, Behind: f.behind}
	if w.House.Chemin {
		s.CutBy = 6
	}
	for i := len(f.occupied) - 1; f.occupied[i] >= s.CutBy; i-- {
		s.CutOffers = append(s.CutOffers, shoe.Offer{Seat: f.occupied[i], Accepted: f.occupied[i] == s.CutBy})
	}
	s.Burn, _ = shoe.ParseCards([]string{"4d", "Qh", "8s", "5d", "Jc"})
	if err := f.addRounds(s, 1, f.rounds); err != nil {
		return nil, err
	}
	if f.change != nil {
		f.change(s)
	}
	if f.behind == 0 {
		s.PlaceCuttingCard(416, 2)
	}
	return s, nil
}

// second plans the second shoe, which has the first two rounds again.
func (f *fixture) second(w *shoe.Writer) (*shoe.Plan, error) {
	s := &shoe.Plan{ID: w.Table + "-2", CutBy: 7, CutDepth: 120, Laced: 52}
	switch {
	case w.House.Punto:
		// On a reshuffle the cut is offered first to the last curator, or to the left of the Banker.
		s.CutBy = w.Curator
	case w.House.Chemin:
		s.CutBy = 2
	}
	s.CutOffers = []shoe.Offer{{Seat: s.CutBy, Accepted: true}}
	s.Burn, _ = shoe.ParseCards([]string{"4h", "Qs", "8c", "5h", "Jd"})
	if err := f.addRounds(s, 2, f.rounds[:2]); err != nil {
		return nil, err
	}
	s.PlaceCuttingCard(416, 2)
	return s, nil
}

// addRounds plans the rounds of the shoe with a number.
func (f *fixture) addRounds(s *shoe.Plan, number int, rounds []string) error {
	for k, coup := range rounds {
		cards, err := shoe.ParseCards(strings.Fields(coups()[coup]))
		if err != nil {
			return fmt.Errorf("round %s: %w", coup, err)
		}
		if number == 2 {
			// Other cards with the same counts: the same cards would mean that the shoe was not shuffled.
			for i := range cards {
				cards[i] = cards[i].Turned()
			}
		}
		s.Rounds = append(s.Rounds, shoe.Round{
			Stakes: f.stakes(number, k+1), Bank: f.bank(number, k+1), Coup: shoe.DealCoup(cards), EndedFirst: true,
		})
	}
	return nil
}

func (f *fixture) stakes(number, round int) []shoe.Stake {
	out := []shoe.Stake{
		{Seat: 7, Spot: schema.SpotBanker, Amount: 10000},
		{Seat: 5, Spot: schema.SpotBanker, Amount: 10300, Deferred: true},
		{Seat: 3, Spot: schema.SpotPlayer, Amount: 5000},
		{Seat: 2, Spot: schema.SpotTie, Amount: 1000},
		{Seat: 1, Spot: schema.SpotPlayer, Amount: 2500},
	}
	out = append(out, f.sideStakes...)
	if f.against != nil {
		out = slices.Clone(f.against[round-1])
	}
	for i := range out {
		out[i].ID = fmt.Sprintf("w%d.%d.%d", number, round, i+1)
		out[i].Patron = fmt.Sprintf("pt-%d", out[i].Seat)
		out[i].Medium = schema.WagerMediumChips
	}
	return out
}
