package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// Cheat is a way to cheat at one strength, or an honest way of play that looks odd. Unless it is a Breach, its events
// break no rule.
type Cheat struct {
	// Name is the scenario with its strength, such as "s1-0.5"; Doc says it in a few words.
	Name, Scenario, Doc string
	// Strength is a share of rounds, late bets, changes or settlements, a number of cards, or one of riffles.
	Strength float64
	// Honest says that no page may come of it, Breach that its single acts are findings of rules too.
	Honest, Breach bool
	// Detectors name the cause, the first of them most directly. Key is the kind of what they must accuse.
	Detectors []string
	Key       string
	// Kind of table, see Kinds.
	Kind string
	// Trays says that the tray is counted at each shoe's end, Reads that stakes are read at lock and settlement.
	Trays, Reads bool
	// Misread and Drop are the chances that a card is read wrongly and not at all.
	Misread, Drop float64

	tune   func(*schema.TableConfig)
	stack  func(*crook, []card) []card
	bets   func(*crook, *roundPlan, []card)
	rig    func(*crook, []card)
	settle func(*crook, *roundPlan)
	habits func(*crook)
	reform func(*crook)
	// pair seats a second patron in the know; tray is what comes to the tray on paper only, and what leaves it unseen.
	pair bool
	// regulars stay five times as long as patrons of other simulated tables.
	regulars bool
	tray     func(*crook) (fill, gone int64)
}

// FindCheat finds a cheat by its name.
func FindCheat(name string) (*Cheat, error) {
	for _, c := range Cheats() {
		if c.Name == name {
			return &c, nil
		}
	}
	return nil, fmt.Errorf("cheat %q: none of that name, such as s1-0.5", name)
}

// Honest is no cheat: a table of a kind as all others are, to measure what comes of none.
func Honest(kind string) *Cheat {
	return &Cheat{Name: "n0", Scenario: "N0", Doc: "nobody cheats", Honest: true, Kind: kind, Key: "table", regulars: true}
}

// TableConfig is the configuration of a table at which the cheat is played: 8 decks, 5 percent, dealt face up.
func (c *Cheat) TableConfig() schema.TableConfig {
	config, err := Config(c.Kind, 1)
	if err != nil {
		panic("simulate: cheat " + c.Name + ": " + err.Error()) // a wrong word in Cheats
	}
	config.Decks, config.DealingStyle, config.ReshuffleAfterLacing = 8, schema.DealingStyleFaceUp, false
	config.PostedOdds["TIE"] = "8:1"
	if config.Vigorish.Mode == schema.VigorishModeCommission {
		config.Vigorish = schema.Vigorish{Mode: schema.VigorishModeCommission, Percent: 5, Timing: schema.VigorishTimingImmediate}
	}
	if c.tune != nil {
		c.tune(&config)
	}
	return config
}

// Label is the truth about a table at which somebody cheats.
type Label struct {
	Cheat     string   `json:"cheat"`
	Doc       string   `json:"doc"`
	Honest    bool     `json:"honest,omitempty"`
	Breach    bool     `json:"breach,omitempty"`
	Detectors []string `json:"detectors"`
	Property  string   `json:"property_id"`
	Table     string   `json:"table_id"`
	// Key is what must be accused: its kind and, if that does not change from shoe to shoe, its id.
	Key string `json:"key"`
	// Patrons and Dealer are those in the know.
	Patrons []string `json:"patrons,omitempty"`
	Dealer  string   `json:"dealer,omitempty"`
	// Shoe is the first shoe with the cheat, Round the first round with an act of it.
	Shoe  string `json:"shoe_id"`
	Round int    `json:"round"`
	// Acts are the rounds in which something was done.
	Acts []Act `json:"acts,omitempty"`
}

// Act is a round in which a cheat did something. Round is 0 for a shoe that was tampered with.
type Act struct {
	Shoe  string `json:"shoe_id"`
	Round int    `json:"round"`
}

// crook is a cheat at work at one table. It draws from its own generator, as often in the twin as in the cheat,
// so that both have all other chance in common.
type crook struct {
	*Cheat
	t           *Table
	rng         *rand.Rand
	twin        bool
	from, shoes int
	// on says that the cheat has begun; act that the round has one.
	on, act bool
	label   Label
	dealer  string
	ref     [2]string
	// before is the last shoe in the order of dealing, with what was not dealt behind it.
	before []card
	// seen counts the cards dealt in the shoe by value; slug is where the slug lies, counted from the shoe's end.
	seen   [10]int
	slug   [2]int
	streak int
}

const (
	// cheatUnit is what patrons in the know stake, minor units.
	cheatUnit = 1_000_000
)

// CheatOptions say which cheat is played and from which shoe on.
type CheatOptions struct {
	Cheat *Cheat
	// From is the number of the shoe with which the cheat begins, 1 for the first.
	From int
	// Twin plays the same table with the same chance and without the cheat.
	Twin bool
}

// CheatTable is a table at which a cheat is played.
type CheatTable struct {
	*Table
	crook *crook
}

// NewCheatTable is a table at which nothing has happened yet. Options.Scheme and what depends on it are filled in.
func NewCheatTable(o Options, by CheatOptions) *CheatTable {
	c := &crook{
		Cheat: by.Cheat, from: by.From, twin: by.Twin, rng: rand.New(rand.NewPCG(o.Seed, 0xc4ea7)),
		label: Label{
			Cheat: by.Cheat.Name, Doc: by.Cheat.Doc, Honest: by.Cheat.Honest, Breach: by.Cheat.Breach,
			Detectors: by.Cheat.Detectors, Key: by.Cheat.Key,
		},
	}
	o.Scheme, o.Regulars, o.ReadStakes, o.CountTray = c, by.Cheat.regulars, by.Cheat.Reads, by.Cheat.Trays
	o.NoisyReader = by.Cheat.Misread > 0
	c.t = NewTable(o)
	c.label.Property, c.label.Table = c.t.Writer().property, c.t.Writer().table
	return &CheatTable{c.t, c}
}

// Label is what is true of the table so far.
func (t *CheatTable) Label() *Label { return &t.crook.label }

// Play plays the next shoe without events and adds where the slug of the cheat lies.
func (t *CheatTable) Play() *Played {
	p := t.Table.Play()
	if c := t.crook; c.slug[0] > 0 {
		p.Slug = [2]int{len(c.before) - c.slug[0], len(c.before) - c.slug[1]}
	}
	return p
}

// Seated takes the first patron, or the first two, for the cheat.
func (c *crook) Seated(t *Table) {
	c.dealer = t.Dealer()
	for i := range 2 {
		if i == 1 && !c.pair {
			break
		}
		p := c.t.Patrons()[i]
		*p = patron{ref: p.ref, seat: p.seat, unit: cheatUnit, lean: schema.SpotBanker, exact: true, shy: true, stays: true}
		c.ref[i] = p.ref
		c.label.Patrons = append(c.label.Patrons, p.ref)
	}
	c.label.Dealer = c.dealer
	switch id := c.ref[0]; c.Key {
	case "patron":
		c.label.Key += ":" + id
	case "pair":
		c.label.Key += ":" + id + "+" + c.ref[1]
	case "dealer+patron":
		c.label.Key += ":" + c.dealer + "+" + id
	case "dealer":
		c.label.Key += ":" + c.dealer
	case "table":
		c.label.Key += ":" + c.label.Table
	}
	if c.habits != nil {
		c.habits(c)
	}
}

// BeforeShoe changes the configuration with the shoe at which the cheat begins.
func (c *crook) BeforeShoe() {
	if c.reform != nil && c.shoes+1 == c.from && !c.twin {
		c.reform(c)
	}
}

// Stack begins a shoe: the cheat may have put its cards in order.
func (c *crook) Stack(id string, deck []card) []card {
	c.shoes++
	c.on = c.shoes >= max(c.from, 1)
	c.seen, c.slug = [10]int{}, [2]int{-1, -1}
	if c.stack != nil {
		// The twin has its chance from the same numbers and its cards as they were shuffled.
		rest := c.stack(c, slices.Clone(deck))
		if c.on && !c.twin {
			c.did(id, 0)
			deck = rest
		} else {
			c.slug = [2]int{-1, -1}
		}
	}
	c.before = slices.Clone(deck)
	return deck
}

// Bet lets the patrons in the know bet on the cards that lie in front; rigged cards are then laid there.
func (c *crook) Bet(r *roundPlan, deck []card) {
	if len(deck) < 6 {
		return
	}
	c.act = false
	if c.bets != nil {
		c.bets(c, r, deck)
	}
	if c.rig != nil {
		c.rig(c, deck)
	}
	slices.SortStableFunc(r.stakes, func(a, b stake) int { return later(a) - later(b) })
}

func later(st stake) int {
	if st.late {
		return 1
	}
	return 0
}

// Settle follows the cards and lets the dealer in the know settle.
func (c *crook) Settle(s *shoePlan, r *roundPlan, k int) {
	if c.settle != nil {
		c.settle(c, r)
	}
	for h := range r.coup.hands {
		for _, x := range r.coup.hands[h] {
			c.seen[x.value()]++
		}
	}
	if c.act && c.on && !c.twin {
		c.did(s.id, k+1)
	}
	c.act = false
}

// EndShoe ends a shoe: something may come to the tray on paper only, or leave it unseen.
func (c *crook) EndShoe(s *shoePlan) {
	if c.tray == nil {
		return
	}
	fill, gone := c.tray(c)
	if !c.on || c.twin {
		return
	}
	if s.fill, s.gone = fill, gone; gone > 0 {
		c.did(s.id, 0)
	}
}

func (c *crook) did(shoe string, round int) {
	if c.label.Shoe == "" {
		c.label.Shoe, c.label.Round = shoe, round
	}
	if len(c.label.Acts) < 100_000 {
		c.label.Acts = append(c.label.Acts, Act{shoe, round})
	}
}

// ReadErrors are those of the cheat while it is on.
func (c *crook) ReadErrors() (misread, unread float64) {
	if !c.on || c.twin {
		return 0, 0
	}
	return c.Misread, c.Drop
}

// cheats says whether the cheat acts, when it would; it notes the act.
func (c *crook) cheats(would bool) bool {
	c.act = c.act || would
	return would && c.on && !c.twin
}

// lay puts the only wager of a patron in the know on a spot, or one more.
func (c *crook) lay(r *roundPlan, who int, spot schema.Spot, amount int64, more bool) *stake {
	p := c.patron(who)
	if !more {
		r.stakes = slices.DeleteFunc(r.stakes, func(st stake) bool { return st.seat == p.seat })
	}
	r.stakes = append(r.stakes, stake{
		seat: p.seat, patron: p.ref, spot: spot, amount: amount, medium: schema.WagerMediumChips, exact: true,
	})
	return &r.stakes[len(r.stakes)-1]
}

func (c *crook) patron(who int) *patron {
	i := slices.IndexFunc(c.t.Patrons(), func(p *patron) bool { return p.ref == c.ref[who] })
	return c.t.Patrons()[i]
}

// coin is one of the two main spots.
func (c *crook) coin() schema.Spot { return schema.SpotBanker + schema.Spot(c.rng.IntN(2)) }

// winner is the main spot that wins with the cards in front; on a tie it is the one given.
func winner(deck []card, tie schema.Spot) schema.Spot {
	coup := dealCoup(deck)
	switch coup.result() {
	case schema.ResultBanker:
		return schema.SpotBanker
	case schema.ResultPlayer:
		return schema.SpotPlayer
	}
	return tie
}

// riffle is one riffle after Gilbert, Shannon and Reeds.
func riffle(rng *rand.Rand, cards []card) []card {
	n := 0
	for range cards {
		n += rng.IntN(2)
	}
	a, b := cards[:n], cards[n:]
	out := make([]card, 0, len(cards))
	for len(a)+len(b) > 0 {
		if rng.IntN(len(a)+len(b)) < len(a) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}
