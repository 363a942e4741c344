package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// bookFile is a rulebook as it is written; docs/rulebooks.md describes it.
type bookFile struct {
	Name    string `yaml:"name"`
	Extends string `yaml:"extends"`
	Title   string `yaml:"title"`
	Notes   string `yaml:"notes"`
	InForce struct {
		From string `yaml:"from"`
		To   string `yaml:"to"`
	} `yaml:"in_force"`
	Drawing drawingFile         `yaml:"drawing"`
	Games   map[string]gameFile `yaml:"games"`
}

type drawingFile struct {
	Player string            `yaml:"player"`
	Banker map[string]string `yaml:"banker"`
}

type gameFile struct {
	MinDecks           uint32               `yaml:"min_decks"`
	Spots              map[string]spotFile  `yaml:"spots"`
	SideBets           []string             `yaml:"side_bets"`
	Vigorish           vigFile              `yaml:"vigorish"`
	Media              []string             `yaml:"media"`
	Markers            []string             `yaml:"markers"`
	DealtBy            string               `yaml:"dealt_by"`
	ThirdCardFace      string               `yaml:"third_card_face"`
	Burn               burnFile             `yaml:"burn"`
	ClosesAtCard       bool                 `yaml:"closes_at_card"`
	NoticeToCommission bool                 `yaml:"notice_to_commission"`
	Spread             string               `yaml:"spread"`
	PreShuffledExempt  bool                 `yaml:"pre_shuffled_exempt"`
	PayTables          payFile              `yaml:"pay_tables"`
	Options            map[string]string    `yaml:"options"`
	HouseOptions       []string             `yaml:"house_options"`
	Rules              map[string]citedFile `yaml:"rules"`
}

type spotFile struct {
	Odds     string `yaml:"odds"`
	Relation string `yaml:"relation"`
}

type vigFile struct {
	Modes []string `yaml:"modes"`
	// Units are rounding units by percentage.
	Units map[string]int64 `yaml:"units"`
}

type burnFile struct {
	Shown string `yaml:"shown"`
	To    string `yaml:"to"`
}

type payFile struct {
	DragonBonus map[string]map[string]string `yaml:"dragon_bonus"`
	Treasures   map[string]map[string]string `yaml:"treasures"`
}

type citedFile struct {
	Cite    []string `yaml:"cite"`
	Assumed string   `yaml:"assumed"`
	Off     bool     `yaml:"off"`
}

func (f *bookFile) law(b *Rulebook, g Game, gf gameFile) (*Law, []complaint) {
	c := complaints{under: "games/" + g.String() + "/"}
	l := &Law{
		Book: b, Game: g, MinDecks: gf.MinDecks, ClosesAtCard: gf.ClosesAtCard, NoticeToCommission: gf.NoticeToCommission,
		PreShuffledExempt: gf.PreShuffledExempt, SpreadColumns: gf.Spread == "COLUMNS",
		Options: gf.Options, HouseOptions: gf.HouseOptions, cited: map[string]Cited{}, withheld: map[string]Cited{}, hold: map[string]Stage{},
		asRequired: gf.Options["settlement_basis"] == "as_required", extraCounts: gf.Options["player_extra_column"] == "value",
		BonusTables: map[string]map[BonusRow]Odds{}, Treasures: map[string]map[Treasure]Odds{}, CoverAll: map[string]Odds{},
	}
	c.list = append(c.list, f.Drawing.table(&l.Drawing)...)
	for _, word := range slices.Sorted(maps.Keys(gf.Spots)) {
		s := c.word("spots", spotWords, word)
		odds, err := ParseOdds(gf.Spots[word].Odds)
		c.add("spots/"+word, err)
		relation := gf.Spots[word].Relation
		if relation != "exact" && relation != "floor" {
			c.add("spots/"+word, fmt.Errorf("relation %q: want exact or floor", relation))
		}
		l.Odds[s] = SpotOdds{odds, relation == "floor"}
	}
	for _, w := range gf.SideBets {
		l.SideBets = append(l.SideBets, SideBet(c.word("side_bets", sideBetWords, w)))
	}
	for _, w := range gf.Vigorish.Modes {
		l.Modes = append(l.Modes, VigorishMode(c.word("vigorish/modes", vigorishModeWords, w)))
	}
	l.Units = map[int64]int64{}
	for _, percent := range slices.Sorted(maps.Keys(gf.Vigorish.Units)) {
		n, err := strconv.ParseInt(percent, 10, 32)
		c.add("vigorish/units/"+percent, err)
		l.Units[n] = gf.Vigorish.Units[percent]
	}
	for _, w := range gf.Media {
		l.Media = append(l.Media, Medium(c.word("media", mediumWords, w)))
	}
	for _, w := range gf.Markers {
		l.Markers = append(l.Markers, Marker(c.word("markers", markerWords, w)))
	}
	l.DealtBy = Role(c.word("dealt_by", roleWords, gf.DealtBy))
	l.ThirdCardFace = Face(c.optional("third_card_face", faceWords, gf.ThirdCardFace))
	l.BurnShown = Shown(c.optional("burn/shown", shownWords, gf.Burn.Shown))
	l.BurnTo = Destination(c.optional("burn/to", destinationWords, gf.Burn.To))
	if gf.Spread != "" && gf.Spread != "COLUMNS" && gf.Spread != "ROWS" {
		c.add("spread", fmt.Errorf("%q: want COLUMNS or ROWS", gf.Spread))
	}
	gf.PayTables.load(&c, l)
	c.options(gf)
	l.enact(&c, gf.Rules)
	return l, c.list
}

func (d *drawingFile) table(t *DrawingTable) []complaint {
	c := complaints{under: "drawing/"}
	if len(d.Player) != 10 {
		c.add("player", fmt.Errorf("%q: want ten letters D or S, for point counts 0 to 9", d.Player))
	} else {
		c.add("player", draws(t.player[:], d.Player))
	}
	for b := range t.banker {
		at := "banker/" + strconv.Itoa(b)
		row := d.Banker[strconv.Itoa(b)]
		if len(row) != 11 {
			c.add(at, fmt.Errorf("%q: want eleven letters D or S: no third card, then 0 to 9", row))
			continue
		}
		// Written with the column of no third card first, kept with it last.
		c.add(at, draws(t.banker[b][:10], row[1:]))
		c.add(at, draws(t.banker[b][10:], row[:1]))
	}
	return c.list
}

func draws(cells []bool, letters string) error {
	for i := range cells {
		switch letters[i] {
		case 'D':
			cells[i] = true
		case 'S':
		default:
			return fmt.Errorf("cell %q: want D or S", letters[i])
		}
	}
	return nil
}

func (p *payFile) load(c *complaints, l *Law) {
	for _, name := range slices.Sorted(maps.Keys(p.DragonBonus)) {
		rows := map[BonusRow]Odds{}
		for _, key := range slices.Sorted(maps.Keys(p.DragonBonus[name])) {
			odds, err := ParseOdds(p.DragonBonus[name][key])
			c.add("pay_tables/dragon_bonus/"+name+"/"+key, err)
			n, err := strconv.Atoi(key)
			switch {
			case key == "natural":
				rows[BonusNatural] = odds
			case err == nil && n >= 4 && n <= 9:
				rows[BonusRow(n)] = odds
			default:
				c.add("pay_tables/dragon_bonus/"+name, fmt.Errorf("row %q: want natural or a margin 4 to 9", key))
			}
		}
		l.BonusTables[name] = rows
	}
	for _, name := range slices.Sorted(maps.Keys(p.Treasures)) {
		rows := map[Treasure]Odds{}
		for _, key := range slices.Sorted(maps.Keys(p.Treasures[name])) {
			odds, err := ParseOdds(p.Treasures[name][key])
			c.add("pay_tables/treasures/"+name+"/"+key, err)
			if key == "COVER_ALL" {
				l.CoverAll[name] = odds
				continue
			}
			rows[Treasure(c.word("pay_tables/treasures/"+name, treasureWords, key))] = odds
		}
		l.Treasures[name] = rows
	}
}

// enact lists the rules that the game is under, by stage, in the order of the families.
func (l *Law) enact(c *complaints, entries map[string]citedFile) {
	known := map[string]bool{}
	for _, r := range All() {
		known[r.Name] = true
		e, ok := entries[r.Name]
		if !ok || e.Off {
			continue
		}
		if len(e.Cite) == 0 {
			c.add("rules/"+r.Name, errors.New("want a citation"))
			continue
		}
		if l.switchedOff(e.Assumed) {
			l.withheld[r.Name] = Cited{Citations: e.Cite, Assumed: e.Assumed}
			continue
		}
		l.cited[r.Name] = Cited{Citations: e.Cite, Assumed: e.Assumed}
		l.rules = append(l.rules, r)
		l.stages[r.At] = append(l.stages[r.At], r)
		if r.Floor != nil && r.At != Floor {
			l.stages[Floor] = append(l.stages[Floor], r)
		}
		switch {
		case r.Again && r.At == Prepared:
			l.againShoe = append(l.againShoe, r)
		case r.Again:
			l.againRound = append(l.againRound, r)
		}
		for _, name := range r.Suppresses {
			l.hold[name] = max(l.hold[name], r.At)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if !known[name] {
			c.add("rules/"+name, errors.New("there is no such rule"))
		}
	}
}

// complaint is something wrong with a rulebook, and the path of the key that it is about: slashes
// between keys, since names of rules have dots.
type complaint struct {
	path string
	err  error
}

// complaints gathers all that is wrong below a path.
type complaints struct {
	under string
	list  []complaint
}

func (c *complaints) add(where string, err error) {
	if err != nil {
		c.list = append(c.list, complaint{c.under + where, err})
	}
}

func (c *complaints) word(where string, w words, word string) uint8 {
	n := w.number(word)
	if n == 0 {
		c.add(where, fmt.Errorf("%q: want one of %v", word, []string(w[1:])))
	}
	return n
}

func (c *complaints) optional(where string, w words, word string) uint8 {
	if word == "" {
		return 0
	}
	return c.word(where, w, word)
}

// switchedOff says whether an option takes back what was read into the game from another text.
func (l *Law) switchedOff(option string) bool {
	v := l.Options[option]
	return option != "" && (v == "off" || v == "false")
}
