package simulate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// A fixture is a shoe that documentation and scenarios name.
type fixture struct {
	name     string
	ruleset  string
	game     schema.Game
	mode     schema.VigorishMode
	sides    []schema.SideBet
	tables   map[string]string
	seats    []uint32
	occupied []uint32
	behind   int
	rounds   []string
	more     []stake
	// mend changes the first shoe's plan, against what each round is staked in place of the usual.
	mend    func(*shoePlan)
	against [][]stake
}

// Fixtures names the fixture shoes.
func Fixtures() []string {
	list := fixtures()
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].name
	}
	return out
}

// coups are the named rounds that fixtures are made of, in the order in which the cards leave the
// shoe: player, banker, player, banker, third cards.
func coups() map[string]string {
	return map[string]string{
		"F-BWIN2": "6c 7d Kh Ks", "F-PNAT9": "9c 4h Kd 3s", "F-TIE6": "6c 6d Kh Ks", "F-DRAG7": "2c 4d 3h Ks 6s 3c",
		"F-BNAT8": "2c 8d 3h Ks", "F-PANDA8": "2c 4d 3h Ks 3s 2d", "F-BPAT5": "6c 5d Kh Ks 3c", "F-B6": "2c 6d 2h Ks Kc",
		"F-5V4": "2c 5d Ac Ks 4h 2d", "F-PWIN": "2c 5d Ac Ks 4h 9d", "F-PPAIR": "8c 4d 8h 3s", "F-BPAIR": "6c 2d Ah 2s Kd",
		"F-H9ONE": "2d 4h 3s Kc 4s Kd", "F-H9BOTH": "2s 4c 3d Kh 4d 5c", "F-B7X3": "2h 4s 3c Kd 2c 3h", "F-B7X2": "7c 7d Kh Ks",
		"F-WIN9": "2c 3d 3h 7s 4h Kd", "F-NATTIE": "9c 9d Kh Ks", "F-NAT9V0": "9c 3d Kh 7s", "F-TWOC7": "7c 3d Kh Ks Kd",
	}
}

func fixtures() []fixture {
	six := []string{"F-BWIN2", "F-PNAT9", "F-TIE6", "F-DRAG7", "F-BNAT8", "F-PANDA8"}
	novig := []string{"F-BWIN2", "F-PNAT9", "F-TIE6", "F-B6", "F-BNAT8", "F-PANDA8"}
	pairs := []string{"F-PPAIR", "F-PNAT9", "F-TIE6", "F-DRAG7", "F-BNAT8", "F-BPAIR"}
	treasures := []string{"F-BWIN2", "F-DRAG7", "F-PANDA8", "F-H9ONE", "F-H9BOTH", "F-B7X3", "F-B7X2", "F-BNAT8", "F-PNAT9"}
	five, sixth := []uint32{1, 2, 3, 5, 7}, []uint32{1, 2, 3, 5, 6, 7}
	eight, seven := []uint32{1, 2, 3, 4, 5, 6, 7, 8}, []uint32{1, 2, 3, 4, 5, 6, 7}
	side := func(seat uint32, spots ...schema.Spot) []stake {
		var out []stake
		for _, spot := range spots {
			out = append(out, stake{seat: seat, spot: spot, amount: 500})
		}
		return out
	}
	const (
		commission = schema.VigorishModeCommission
		punto      = schema.GamePuntoBanco
		mini       = schema.GameMinibaccarat
	)
	pb := fixture{ruleset: "nj-19-47", game: punto, mode: commission, seats: eight, occupied: five, rounds: six}
	list := []fixture{
		{name: "S-PB", ruleset: "nj-19-47", game: punto, mode: commission, seats: eight, occupied: five, behind: 391, rounds: six},
		{name: "S-MB", ruleset: "nj-19-47", game: mini, mode: commission, seats: seven, occupied: five, behind: 391, rounds: six},
		{name: "S-MB25", ruleset: "nj-19-47", game: mini, mode: schema.VigorishModeTie25, seats: seven, occupied: five, behind: 391, rounds: six},
		{name: "S-NY", ruleset: "ny-5324-21", game: mini, mode: commission, seats: seven, occupied: five, behind: 391, rounds: six},
		{
			name: "S-NYEZ", ruleset: "ny-5324-21", game: mini, mode: schema.VigorishModeEz, seats: seven, occupied: sixth, behind: 391, rounds: six,
			sides: []schema.SideBet{schema.SideBetDragon7, schema.SideBetPanda8}, more: side(6, schema.SpotDragon7, schema.SpotPanda8),
		},
		{name: "S-NYNV", ruleset: "ny-5324-21", game: mini, mode: schema.VigorishModeNovig6, seats: seven, occupied: five, behind: 392, rounds: novig},
		{
			name: "S-NYDB", ruleset: "ny-5324-21", game: mini, mode: commission, seats: seven, occupied: five, behind: 391, rounds: six,
			sides: []schema.SideBet{schema.SideBetDragonBonus}, tables: map[string]string{"dragon_bonus": "A"},
			more: append(side(7, schema.SpotDragonBonusBanker), side(3, schema.SpotDragonBonusPlayer)...),
		},
		{
			name: "S-PAIR", ruleset: "nj-19-47-pair", game: punto, mode: commission, seats: eight, occupied: five, behind: 391, rounds: pairs,
			sides: []schema.SideBet{schema.SideBetPair}, more: append(side(7, schema.SpotBankerPair), side(3, schema.SpotPlayerPair)...),
		},
		{
			name: "S-69F", ruleset: "nj-13-69f", game: punto, mode: commission, seats: eight, occupied: five, behind: 371, rounds: treasures,
			sides: []schema.SideBet{schema.SideBetTreasures}, tables: map[string]string{"treasures": "2"},
			more: side(7, schema.SpotFortune7, schema.SpotGolden8, schema.SpotHeavenly9, schema.SpotBlazing7s, schema.SpotCoverAll),
		},
		{name: "S-MIDI", ruleset: "ny-5324-21", game: schema.GameMidibaccarat, mode: commission, seats: seven, occupied: five, behind: 391, rounds: six},
		{
			name: "S-CF", ruleset: "nj-19-47", game: schema.GameCheminDeFer, mode: schema.VigorishModeNone, seats: eight,
			occupied: []uint32{2, 4, 6, 7}, rounds: []string{"F-BWIN2", "F-TIE6", "F-BWIN2", "F-PNAT9"}, against: cheminStakes(),
		},
	}
	for _, x := range irregular() {
		f := pb
		f.name, f.mend = x.name, x.mend
		list = append(list, f)
	}
	return list
}

// Fixture plays a fixture shoe, a second shoe of two rounds, and closes the table. The table is called
// after the fixture; "S-PB@pb-02" plays the same at table pb-02 of the same pit, "S-PB@p3/pb-02" in
// pit p3. Several tables are joined with a plus sign, "S-PB + S-PB@pb-02"; their events come in the
// order of time.
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
	return Interleave(tables...), nil
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
		ConfigID: f.name, Ruleset: f.ruleset, Game: f.game, Currency: "USD", Decks: 8, Seats: f.seats, PaymentProcedure: 1,
		Vigorish: schema.Vigorish{Mode: f.mode}, SideBets: f.sides, PayTables: f.tables, DealingStyle: schema.DealingStyleFaceUp,
		PostedOdds: map[string]string{"BANKER": "1:1", "PLAYER": "1:1", "TIE": "8:1"},
	}
	switch f.game {
	case schema.GameMidibaccarat:
		c.DealingStyle = schema.DealingStyleFaceDown
	case schema.GameCheminDeFer:
		c.PostedOdds = nil
	}
	if f.mode == schema.VigorishModeCommission {
		c.Vigorish = schema.Vigorish{Mode: f.mode, Percent: 5, Unit: lawUnit(f.game, 5), Timing: schema.VigorishTimingMixed}
	}
	for _, spot := range sideSpots(&c) {
		if o := standardOdds(spot); o.to > 1 {
			c.PostedOdds[spot.String()] = fmt.Sprintf("%d:%d", o.to, o.per)
		}
	}
	complete(&c)
	return c
}

func (f *fixture) play(pit, table string) ([]schema.Event, error) {
	o := origin{
		property: "ac-1", pit: pit, table: table, config: f.config(), seed: uint64(len(f.name)),
		start: time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC),
	}
	if table == "" {
		o.table = strings.ToLower(f.name)
	}
	for _, c := range f.name + table {
		o.seed = o.seed*131 + uint64(c)
	}
	w := newWriter(&o)
	start := opening{listed: true, posted: !w.house.ny && !w.house.chemin, dealers: []schema.DealerAssigned{
		{DealerID: "d114", Position: schema.DealerPositionBase, SupervisorID: w.boss},
	}}
	if w.house.bucket {
		start.dealers[0].Position = schema.DealerPositionCalling
	}
	for _, seat := range f.occupied {
		start.seats = append(start.seats, seated{seat, fmt.Sprintf("pt-%d", seat)})
	}
	w.open(&start)
	first := &shoePlan{id: o.table + "-1", cutBy: 5, depth: 100, laced: 52, behind: f.behind}
	if w.house.chemin {
		first.cutBy = 6
	}
	for i := len(f.occupied) - 1; f.occupied[i] >= first.cutBy; i-- {
		first.offers = append(first.offers, offer{f.occupied[i], f.occupied[i] == first.cutBy})
	}
	second := &shoePlan{id: o.table + "-2", cutBy: 7, depth: 120, laced: 52, offers: []offer{{7, true}}}
	for n, s := range []*shoePlan{first, second} {
		s.burn, _ = parseCards([]string{"4d", "Qh", "8s", "5d", "Jc"})
		if n == 1 {
			s.burn, _ = parseCards([]string{"4h", "Qs", "8c", "5h", "Jd"})
		}
		rounds := f.rounds
		if n == 1 {
			rounds = f.rounds[:2]
			switch {
			case w.house.punto:
				// On a reshuffle the cut goes to the last curator first, or to the left of the Banker.
				s.cutBy, s.offers = w.curator, []offer{{w.curator, true}}
			case w.house.chemin:
				s.cutBy, s.offers = 2, []offer{{2, true}}
			}
		}
		for k, coup := range rounds {
			cards, err := parseCards(strings.Fields(coups()[coup]))
			if err != nil {
				return nil, fmt.Errorf("round %s: %w", coup, err)
			}
			if n == 1 {
				// The same counts, and not the same cards: else the shoe was not shuffled.
				for i := range cards {
					cards[i] = cards[i].turned()
				}
			}
			s.rounds = append(s.rounds, roundPlan{stakes: f.stakes(n+1, k+1), bank: f.bank(n+1, k+1), coup: dealCoup(cards), endedFirst: true})
		}
		if n == 0 && f.mend != nil {
			f.mend(s)
		}
		if n == 1 || f.behind == 0 {
			s.hideCut(416, 2)
		}
		w.prepare(s)
		for i := range s.rounds {
			w.play(s, i)
		}
		w.finish(s)
	}
	w.emit(&schema.TableClosed{Reason: "end of play"})
	return w.take(), nil
}

func (f *fixture) stakes(shoe, round int) []stake {
	out := []stake{
		{seat: 7, spot: schema.SpotBanker, amount: 10000},
		{seat: 5, spot: schema.SpotBanker, amount: 10300, marks: true},
		{seat: 3, spot: schema.SpotPlayer, amount: 5000},
		{seat: 2, spot: schema.SpotTie, amount: 1000},
		{seat: 1, spot: schema.SpotPlayer, amount: 2500},
	}
	out = append(out, f.more...)
	if f.against != nil {
		out = slices.Clone(f.against[round-1])
	}
	for i := range out {
		out[i].id = fmt.Sprintf("w%d.%d.%d", shoe, round, i+1)
		out[i].patron = fmt.Sprintf("pt-%d", out[i].seat)
		out[i].medium = schema.WagerMediumChips
	}
	return out
}
