package law

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/shoeproof/shoeproof/baccarat"
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
	// Inherits is the option under which the rules that the book takes from its base are assumed.
	Inherits string `yaml:"inherits"`
	// Adopts are options under which rules are assumed: their readings are the law of this book.
	Adopts  []string            `yaml:"adopts"`
	Drawing drawingFile         `yaml:"drawing"`
	Games   map[string]gameFile `yaml:"games"`
}

type drawingFile struct {
	Player string            `yaml:"player"`
	Banker map[string]string `yaml:"banker"`
}

type gameFile struct {
	MinDecks             uint32               `yaml:"min_decks"`
	Spots                map[string]spotFile  `yaml:"spots"`
	SideBets             []string             `yaml:"side_bets"`
	Wagers               map[string]wagerFile `yaml:"wagers"`
	Vigorish             vigFile              `yaml:"vigorish"`
	Media                []string             `yaml:"media"`
	Markers              []string             `yaml:"markers"`
	DealtBy              string               `yaml:"dealt_by"`
	ThirdCardFace        string               `yaml:"third_card_face"`
	ThirdCardPlace       string               `yaml:"third_card_place"`
	Burn                 burnFile             `yaml:"burn"`
	ClosesAtCard         bool                 `yaml:"closes_at_card"`
	NoticeToCommission   bool                 `yaml:"notice_to_commission"`
	Spread               string               `yaml:"spread"`
	PreShuffledExempt    bool                 `yaml:"pre_shuffled_exempt"`
	PreShuffledElsewhere bool                 `yaml:"pre_shuffled_elsewhere"`
	ThirdCardOrder       string               `yaml:"third_card_order"`
	Approvals            bool                 `yaml:"approvals"`
	PayTables            payTables            `yaml:"pay_tables"`
	Options              map[string]string    `yaml:"options"`
	HouseOptions         []string             `yaml:"house_options"`
	Rules                map[string]citedFile `yaml:"rules"`
	// Cite has entries for all rules whose name begins with a word, CitedOnly drops inherited rules without one.
	Cite      map[string]citedFile `yaml:"cite"`
	CitedOnly bool                 `yaml:"cited_only"`
}

type spotFile struct {
	Odds     string `yaml:"odds"`
	Relation string `yaml:"relation"`
}

type vigFile struct {
	Modes []string `yaml:"modes"`
	// Unseen are the modes that the text names without their terms.
	Unseen []string `yaml:"unseen"`
	// Units are rounding units by percentage.
	Units map[string]int64 `yaml:"units"`
	// Charges are the kinds of vigorish by mode, or by a name of the rulebook.
	Charges map[string]chargeFile `yaml:"charges"`
}

type burnFile struct {
	Shown string `yaml:"shown"`
	To    string `yaml:"to"`
}

// payTables are odds by kind of pay table, name of the table, and row.
type payTables map[string]map[string]map[string]string

type citedFile struct {
	Cite    []string `yaml:"cite"`
	Assumed string   `yaml:"assumed"`
	// ByReference marks clauses of another text that the text itself refers to.
	ByReference bool `yaml:"by_reference"`
	Off         bool `yaml:"off"`
}

// dates checks the dates in force.
func (f *bookFile) dates() []complaint {
	c := complaints{under: "in_force/"}
	for key, date := range map[string]string{"from": f.InForce.From, "to": f.InForce.To} {
		if _, err := time.Parse(time.DateOnly, date); date != "" && err != nil {
			c.add(key, fmt.Errorf("%q: want a date such as 2026-07-01", date))
		}
	}
	return c.list
}

// adoptions checks that each adopted option is an assumption of a rule of the book.
func (f *bookFile) adoptions(b *Rulebook) []complaint {
	var c complaints
	for _, option := range f.Adopts {
		found := false
		for _, l := range b.games {
			for _, cited := range l.cited {
				found = found || cited.Adopted && cited.Assumed == option
			}
		}
		if !found {
			c.add("adopts", fmt.Errorf("%q: no rule in force is assumed under this option", option))
		}
	}
	return c.list
}

func (f *bookFile) law(b *Rulebook, g baccarat.Game, gf gameFile, known []string) (*Law, []complaint) {
	c := complaints{under: "games/" + g.String() + "/"}
	l := &Law{
		Book: b, Game: g, MinDecks: gf.MinDecks, ClosesAtCard: gf.ClosesAtCard,
		NoticeToCommission: gf.NoticeToCommission,
		PreShuffledExempt:  gf.PreShuffledExempt, SpreadColumns: gf.Spread == "COLUMNS",
		PreShuffledElsewhere: gf.PreShuffledElsewhere, Approvals: gf.Approvals,
		ThirdCardOrderDerived: gf.ThirdCardOrder == "derived",
		Options:               gf.Options, HouseOptions: gf.HouseOptions, cited: map[string]Cited{},
		withheld:    map[string]Cited{},
		AsRequired:  gf.Options["settlement_basis"] == "as_required",
		ExtraCounts: gf.Options["player_extra_column"] == "value",
		namedOdds:   map[string]SpotOdds{},
	}
	c.list = append(c.list, f.Drawing.table(&l.Drawing)...)
	for _, word := range slices.Sorted(maps.Keys(gf.Spots)) {
		odds, err := baccarat.ParseOdds(gf.Spots[word].Odds)
		c.add("spots/"+word, err)
		floor, err := relation(gf.Spots[word].Relation)
		if gf.Spots[word].Relation == "" {
			err = errors.New(`relation "": want exact or floor`)
		}
		c.add("spots/"+word, err)
		if _, own := gf.Wagers[word]; own && baccarat.ParseSpot(word) == baccarat.NoSpot {
			l.namedOdds[word] = SpotOdds{odds, floor}
			continue
		}
		var s baccarat.Spot
		parse(&c, "spots", word, &s)
		l.Odds[s] = SpotOdds{odds, floor}
	}
	l.wagers(&c, &gf)
	l.readCharges(&c, &gf)
	l.readUnits(&c, &gf)
	parseList(&c, "media", gf.Media, &l.Media)
	parseList(&c, "markers", gf.Markers, &l.Markers)
	l.readDealer(&c, gf.DealtBy)
	parseOptional(&c, "third_card_face", gf.ThirdCardFace, &l.ThirdCardFace)
	parseOptional(&c, "third_card_place", gf.ThirdCardPlace, &l.ThirdCardPlace)
	parseOptional(&c, "burn/shown", gf.Burn.Shown, &l.BurnShown)
	parseOptional(&c, "burn/to", gf.Burn.To, &l.BurnTo)
	if gf.ThirdCardOrder != "" && gf.ThirdCardOrder != "derived" {
		c.add("third_card_order", fmt.Errorf("%q: want derived", gf.ThirdCardOrder))
	}
	if gf.Spread != "" && gf.Spread != "COLUMNS" && gf.Spread != "ROWS" {
		c.add("spread", fmt.Errorf("%q: want COLUMNS or ROWS", gf.Spread))
	}
	c.options(gf)
	l.cite(&c, gf.Rules, known, f.Adopts)
	for _, word := range slices.Sorted(maps.Keys(gf.Cite)) {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.HasPrefix(name, word) }) {
			c.add("cite/"+word, errors.New("no rule has a name that begins so"))
		}
		if e := gf.Cite[word]; len(e.Cite) == 0 && !e.Off && e.Assumed == "" && !e.ByReference {
			c.add("cite/"+word, errors.New("want a citation"))
		}
	}
	return l, c.list
}

func (d *drawingFile) table(t *baccarat.DrawingTable) []complaint {
	c := complaints{under: "drawing/"}
	if len(d.Player) != 10 {
		c.add("player", fmt.Errorf("%q: want ten letters D or S, for point counts 0 to 9", d.Player))
	} else {
		c.add("player", draws(t.Player[:], d.Player))
	}
	for _, row := range slices.Sorted(maps.Keys(d.Banker)) {
		if b, err := strconv.Atoi(row); err != nil || strconv.Itoa(b) != row || b < 0 || b >= len(t.Banker) {
			c.add("banker/"+row, errors.New("there is no such row: want a point count, 0 to 9"))
		}
	}
	for b := range t.Banker {
		at := "banker/" + strconv.Itoa(b)
		row := d.Banker[strconv.Itoa(b)]
		if len(row) != 11 {
			c.add(at, fmt.Errorf("%q: want eleven letters D or S: no third card, then 0 to 9", row))
			continue
		}
		// Written with the column of no third card first, kept with it last.
		c.add(at, draws(t.Banker[b][:10], row[1:]))
		c.add(at, draws(t.Banker[b][10:], row[:1]))
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

// cite takes in the entries of the rules that the game is under; known are the rules that exist.
func (l *Law) cite(c *complaints, entries map[string]citedFile, known, adopted []string) {
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		cited := Cited{e.Cite, e.Assumed, slices.Contains(adopted, e.Assumed), e.ByReference}
		if Blanks(e.Cite...) != nil {
			cited = Cited{Citations: e.Cite, Assumed: NotFilledIn}
		}
		switch {
		case !slices.Contains(known, name):
			c.add("rules/"+name, noSuch("rule", name, known))
		case e.Off:
		case len(e.Cite) == 0 || slices.ContainsFunc(e.Cite, isNoCitation):
			c.add("rules/"+name, errors.New("want a citation"))
		case e.Assumed != "" && e.ByReference:
			c.add("rules/"+name, errors.New("assumed and by_reference: want one of them"))
		case l.switchedOff(e.Assumed):
			l.withheld[name] = cited
		default:
			l.cited[name] = cited
		}
	}
}

// NotFilledIn is the option under which a rule is assumed whose citation is not filled in. No rulebook can adopt it.
const NotFilledIn = "not-filled-in"

var blank = regexp.MustCompile(`[<‹][^<>‹›]*[>›]`)

// Blanks are what a form leaves to be filled in: <section on drawing>.
func Blanks(texts ...string) []string { return blank.FindAllString(strings.Join(texts, "\n"), -1) }

// isNoCitation reports whether a text has neither a letter nor a digit.
func isNoCitation(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
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

func (l *Law) readDealer(c *complaints, word string) {
	if slices.Contains(dealers(), word) {
		parse(c, "dealt_by", word, &l.DealtBy)
	} else {
		c.add("dealt_by", unknownOf(word, dealers()))
	}
}

func (l *Law) readUnits(c *complaints, gf *gameFile) {
	l.Units = map[int64]int64{}
	for _, percent := range slices.Sorted(maps.Keys(gf.Vigorish.Units)) {
		n, err := strconv.ParseInt(percent, 10, 32)
		if err != nil {
			c.add("vigorish/units/"+percent, fmt.Errorf("%q: want a percentage such as '5'", percent))
		}
		l.Units[n] = gf.Vigorish.Units[percent]
	}
}

// dealers are the roles that draw from the shoe.
func dealers() []string {
	return []string{baccarat.RoleDealer.String(), baccarat.RoleCurator.String(), baccarat.RoleBanker.String()}
}

// enum is a word list of the event contract: the value 0 stands for none.
type enum interface {
	~uint8
	fmt.Stringer
}

// wordsOf are the words of an enum from number 1 on.
func wordsOf[E enum]() []string {
	var words []string
	for i := E(1); i.String() != unknownWord; i++ {
		words = append(words, i.String())
	}
	return words
}

// parse sets into to the value of a word, or adds a problem that lists the words.
func parse[E enum](c *complaints, where, word string, into *E) {
	words := wordsOf[E]()
	at := slices.Index(words, word)
	if at < 0 {
		c.add(where, unknownOf(word, words))
		return
	}
	*into = E(at + 1)
}

// parseOptional is parse for a key that may be absent.
func parseOptional[E enum](c *complaints, where, word string, into *E) {
	if word != "" {
		parse(c, where, word, into)
	}
}

// parseList appends the values of words.
func parseList[E enum](c *complaints, where string, words []string, into *[]E) {
	for _, word := range words {
		var e E
		parse(c, where, word, &e)
		*into = append(*into, e)
	}
}

// switchedOff reports whether an option takes back what was read into the game from another text.
func (l *Law) switchedOff(option string) bool {
	v := l.Options[option]
	return option != "" && (v == "off" || v == "false")
}
