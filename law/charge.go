package law

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/baccarat"
)

// Kind is a kind of vigorish: a word of the contract, or with the mode OTHER a word of the rulebook.
type Kind struct {
	Mode baccarat.VigorishMode
	Name string
}

func (k Kind) String() string {
	if k.Mode == baccarat.VigorishOther && k.Name != "" {
		return k.Name
	}
	return k.Mode.String()
}

// Named reports whether the rulebook alone defines the kind.
func (k Kind) Named() bool { return k.Mode == baccarat.VigorishOther }

// Kind is the elected kind of vigorish.
func (c *Config) Kind() Kind { return Kind{c.Mode, c.ModeName} }

// ParseKind reads the word of a kind of vigorish. A word that the contract does not have is one of a rulebook.
func ParseKind(word string) Kind {
	switch mode := baccarat.ParseVigorishMode(word); {
	case word == "" || word == baccarat.NoVigorishMode.String():
		return Kind{}
	case mode == baccarat.NoVigorishMode || mode == baccarat.VigorishOther:
		return Kind{baccarat.VigorishOther, word}
	default:
		return Kind{Mode: mode}
	}
}

// Takes is what a line of a kind of vigorish takes from a banker wager; the zero value takes nothing.
type Takes struct {
	// Won means a commission on what was won: of the percentage that the table elected if Elected, otherwise Vig.
	Won, Elected bool
	Vig          baccarat.Vig
	// Tie is a percentage of the stake, taken on a tie.
	Tie int64
}

// Takes is what the elected kind of vigorish takes on a coup. Without a law it is what the word of the contract means.
func (l *Law) Takes(config *Config, c *baccarat.Coup) Takes {
	if l == nil {
		return takesByWord(config.Mode, c.Result())
	}
	if line := l.chargeLine(config.Kind(), c); line != nil {
		return line.Takes
	}
	return Takes{}
}

// TakesEver is all that the elected kind of vigorish may take, whatever the hands.
func (l *Law) TakesEver(config *Config) (all Takes) {
	if l == nil {
		all = takesByWord(config.Mode, baccarat.BankerWon)
		all.Tie = takesByWord(config.Mode, baccarat.Tie).Tie
		return all
	}
	if w := l.Charge(config.Kind()); w != nil {
		for i := range w.Lines {
			if t := &w.Lines[i].Takes; t.Won && !all.Won {
				all.Won, all.Elected, all.Vig = true, t.Elected, t.Vig
			} else if t.Tie > 0 {
				all.Tie = t.Tie
			}
		}
	}
	return all
}

func takesByWord(mode baccarat.VigorishMode, result baccarat.Result) (t Takes) {
	t.Won = mode == baccarat.Commission && result == baccarat.BankerWon
	if t.Elected = t.Won; mode == baccarat.Tie25 && result == baccarat.Tie {
		t.Tie = 25
	}
	return t
}

// Percent is the percentage of a commission: of the line, or the elected one.
func (t *Takes) Percent(config *Config) int64 {
	if t.Won && !t.Elected {
		return t.Vig.Percent
	}
	return config.Percent
}

// Commission is the commission of the elected kind of vigorish on a coup, and whether one is taken and the law knows
// its percentage.
func (l *Law) Commission(config *Config, c *baccarat.Coup) (baccarat.Vig, bool) {
	return l.rate(config.Percent, l.Takes(config, c))
}

func (l *Law) rate(elected int64, t Takes) (baccarat.Vig, bool) {
	if t.Elected {
		return l.Vigorish(elected)
	}
	t.Vig.CeilMinor = l.Options["vig_fraction"] == "ceil_minor"
	return t.Vig, t.Won
}

// Rate is the commission of a percentage under a kind of vigorish of the rulebook, or under COMMISSION for the name "".
func (l *Law) Rate(name string, percent int64) (baccarat.Vig, bool) {
	if name == "" {
		return l.Vigorish(percent)
	}
	if w := l.kinds[name]; w != nil {
		for i := range w.Lines {
			if t := w.Lines[i].Takes; t.Won && (t.Elected || t.Vig.Percent == percent || percent == 0) {
				return l.rate(percent, t)
			}
		}
	}
	return baccarat.Vig{}, false
}

// TiePercent is the percentage of the stake that a kind of vigorish of the rulebook takes on a tie, or TIE25 for the
// name "".
func (l *Law) TiePercent(name string) int64 {
	if name == "" {
		return l.TakesEver(&Config{Mode: baccarat.Tie25}).Tie
	}
	return l.TakesEver(&Config{Mode: baccarat.VigorishOther, ModeName: name}).Tie
}

// TieCharge is the range of a charge of a percentage of the stake of a banker wager that ties. There is no rounding
// clause: of a stake whose charge is no whole number of minor units either neighbour is within it. N.J.A.C.
// 19:47-7.3(d).
func TieCharge(percent, stake int64) (floor, ceil int64) {
	whole, rest := stake/100*percent, stake%100*percent
	return whole + rest/100, whole + (rest+99)/100
}

// Charge are the lines of the banker wager under a kind of vigorish, nil if the rulebook defines none.
func (l *Law) Charge(k Kind) *Wager {
	if k.Named() {
		return l.kinds[k.Name]
	}
	if int(k.Mode) >= len(l.charges) {
		return nil
	}
	return l.charges[k.Mode]
}

// Knows reports whether the text knows a kind of vigorish, if only by name.
func (l *Law) Knows(k Kind) bool { return l.Allows(k) || slices.Contains(l.Unseen, k.Mode) }

// Allows reports whether a table may elect a kind of vigorish.
func (l *Law) Allows(k Kind) bool {
	if k.Named() {
		return slices.Contains(l.NamedModes, k.Name)
	}
	return slices.Contains(l.Modes, k.Mode)
}

// Kinds are the kinds of vigorish that a table may elect.
func (l *Law) Kinds() []Kind {
	kinds := make([]Kind, 0, len(l.Modes)+len(l.NamedModes))
	for _, mode := range l.Modes {
		kinds = append(kinds, Kind{Mode: mode})
	}
	for _, name := range l.NamedModes {
		kinds = append(kinds, Kind{baccarat.VigorishOther, name})
	}
	return kinds
}

// chargeLine is the line of the banker wager that a kind of vigorish applies to a coup, nil if it changes nothing.
func (l *Law) chargeLine(k Kind, c *baccarat.Coup) *Line {
	w := l.Charge(k)
	if w == nil {
		return nil
	}
	for i := range w.Lines {
		if line := &w.Lines[i]; line.When.Holds(c) {
			return line
		}
	}
	return nil
}

// Pushes reports whether a kind of vigorish returns the banker wager on a coup that it would win.
func (l *Law) Pushes(k Kind, c *baccarat.Coup) bool {
	line := l.chargeLine(k, c)
	return line != nil && line.Returns
}

// WinOrPush reports whether a banker wager that wins by the counts may be paid or returned: the kind of vigorish was
// not reported, or its terms are not in the text, and a kind that the text knows pushes.
func (l *Law) WinOrPush(k Kind, c *baccarat.Coup) bool {
	return (k.Mode == baccarat.NoVigorishMode || slices.Contains(l.Unseen, k.Mode)) && c.Result() == baccarat.BankerWon &&
		slices.ContainsFunc(l.known(), func(k Kind) bool { return l.Pushes(k, c) })
}

// known are the kinds of vigorish that the text knows, if only by name.
func (l *Law) known() []Kind {
	kinds := l.Kinds()
	for _, mode := range l.Unseen {
		kinds = append(kinds, Kind{Mode: mode})
	}
	return kinds
}

// Reduced are the odds that a kind of vigorish sets for a banker wager that wins on a coup, unknown if it sets none. A
// table whose kind of vigorish was not reported may have any that the text knows.
func (l *Law) Reduced(k Kind, c *baccarat.Coup) SpotOdds {
	if k.Mode != baccarat.NoVigorishMode {
		return l.reduced(k, c)
	}
	for _, k := range l.known() {
		if odds := l.reduced(k, c); odds.Known() {
			return odds
		}
	}
	return SpotOdds{}
}

func (l *Law) reduced(k Kind, c *baccarat.Coup) SpotOdds {
	if line := l.chargeLine(k, c); line != nil && !line.Returns && l.Knows(k) {
		return line.Odds
	}
	return SpotOdds{}
}

// PostedReduced are the odds posted for the line of the banker wager that the kind of vigorish pays at odds, unknown if
// none are, or several.
func (l *Law) PostedReduced(config *Config, odds SpotOdds) (posted baccarat.Odds) {
	for _, row := range config.Rows {
		if row.Spot != baccarat.SpotBanker || l.ChargeOdds(config.Kind(), row.Line) != odds {
			continue
		}
		if posted.Known() {
			return baccarat.Odds{}
		}
		posted = row.Odds
	}
	return posted
}

// ChargeOdds are the odds of the line with a name under a kind of vigorish, unknown if it has no such line.
func (l *Law) ChargeOdds(k Kind, name string) SpotOdds {
	if !l.Knows(k) {
		return SpotOdds{}
	}
	return l.OddsOfLine(&Config{}, l.Charge(k), name)
}

// chargeFile is a kind of vigorish as it is written.
type chargeFile struct {
	Title string `yaml:"title"`
	// TieCharge is short for a line that takes a percentage of the stake on each tie.
	TieCharge *int64           `yaml:"tie_charge"`
	Relation  string           `yaml:"relation"`
	Lines     []chargeLineFile `yaml:"lines"`
}

// chargeLineFile is a line of a kind of vigorish as it is written.
type chargeLineFile struct {
	Name    string        `yaml:"name"`
	When    conditionFile `yaml:"when"`
	Pays    string        `yaml:"pays"`
	Returns bool          `yaml:"returns"`
	// Commission is a percentage of what was won, or elected: the percentage of the table.
	Commission string `yaml:"commission"`
	// Unit is the rounding unit in minor units, Round its direction, Minimum what is taken at least.
	Unit    int64  `yaml:"unit"`
	Round   string `yaml:"round"`
	Minimum int64  `yaml:"minimum"`
	// TieCharge is a percentage of the stake.
	TieCharge int64 `yaml:"tie_charge"`
}

// elected is the commission of the percentage that the table elected.
const elected = "elected"

// readCharges takes in the kinds of vigorish and those that a table may elect.
func (l *Law) readCharges(c *complaints, gf *gameFile) {
	l.kinds = map[string]*Wager{}
	var names []string
	for _, word := range slices.Sorted(maps.Keys(gf.Vigorish.Charges)) {
		f := gf.Vigorish.Charges[word]
		w := c.charge("vigorish/charges/"+word, word, &f)
		if mode := baccarat.ParseVigorishMode(word); mode != baccarat.NoVigorishMode && mode != baccarat.VigorishOther {
			l.charges[mode] = w
			continue
		}
		if !isWord(word) || ParseKind(word).Name == baccarat.VigorishOther.String() {
			c.add("vigorish/charges", fmt.Errorf("%q: want a name of capital letters, digits and underscores", word))
		}
		l.kinds[word] = w
		names = append(names, word)
	}
	l.Modes = c.modes("vigorish/modes", gf.Vigorish.Modes, names, &l.NamedModes)
	l.Unseen = c.modes("vigorish/unseen", gf.Vigorish.Unseen, nil, nil)
}

// modes reads kinds of vigorish: words of the contract, or names of the rulebook.
func (c *complaints) modes(at string, words, names []string, named *[]string) (modes []baccarat.VigorishMode) {
	known := slices.DeleteFunc(wordsOf[baccarat.VigorishMode](), func(word string) bool {
		return word == baccarat.VigorishOther.String()
	})
	for _, word := range words {
		switch {
		case slices.Contains(known, word):
			modes = append(modes, baccarat.ParseVigorishMode(word))
		case slices.Contains(names, word):
			*named = append(*named, word)
		default:
			c.add(at, unknownOf(word, slices.Concat(known, names)))
		}
	}
	return modes
}

// charge reads a kind of vigorish.
func (c *complaints) charge(at, word string, f *chargeFile) *Wager {
	w := &Wager{Name: word, Title: f.Title, Spot: baccarat.SpotBanker}
	if percent := f.TieCharge; percent != nil {
		if *percent < 1 || *percent > 100 {
			c.add(at+"/tie_charge", fmt.Errorf("%d: want a percentage of the stake, 1 to 100", *percent))
		}
		tie := chargeLineFile{
			Name: "TIE", When: conditionFile{Winner: listFile{"TIE"}}, TieCharge: min(max(*percent, 1), 100),
		}
		f.Lines = slices.DeleteFunc(slices.Clone(f.Lines), func(x chargeLineFile) bool { return x.TieCharge != 0 })
		f.Lines = append(f.Lines, tie)
	}
	floor, err := relation(f.Relation)
	c.add(at+"/relation", err)
	names, commission := map[string]bool{}, false
	ties, rates := int64(0), map[int64]Takes{}
	for i := range f.Lines {
		where := at + "/lines/" + strconv.Itoa(i)
		line := c.chargeLine(where, &f.Lines[i], floor)
		line.Name = cmp.Or(line.Name, strconv.Itoa(i+1))
		if names[line.Name] {
			c.add(where, fmt.Errorf("a second line %q", line.Name))
		}
		names[line.Name], commission = true, commission || line.Takes.Won
		t := line.Takes
		if t.Tie > 0 && ties > 0 && t.Tie != ties {
			c.add(where+"/tie_charge", fmt.Errorf("%d: another line has %d, want one percentage", t.Tie, ties))
		}
		ties = max(ties, t.Tie)
		if other, ok := rates[t.Vig.Percent]; ok && t.Won && other != t {
			c.add(where+"/commission", fmt.Errorf("%d percent: another line rounds it otherwise", t.Vig.Percent))
		}
		if t.Won {
			rates[t.Vig.Percent] = t
		}
		w.Lines = append(w.Lines, line)
	}
	if word == baccarat.Commission.String() && !commission {
		w.takeElected()
	}
	return w
}

// takeElected makes each line of COMMISSION that does not return the stake take the elected percentage, and adds the
// line of the other wins: a rulebook that defines the lines alone keeps the commission.
func (w *Wager) takeElected() {
	for i := range w.Lines {
		if line := &w.Lines[i]; !line.Returns && line.Takes.Tie == 0 {
			line.Takes = Takes{Won: true, Elected: true}
		}
	}
	win := Line{Name: "WIN", Takes: Takes{Won: true, Elected: true}}
	win.When.Winner.Add(uint8(baccarat.BankerWon))
	w.Lines = append(w.Lines, win)
}

func (c *complaints) chargeLine(at string, f *chargeLineFile, floor bool) Line {
	line := Line{Name: f.Name, Returns: f.Returns, When: c.condition(at+"/when", &f.When)}
	if f.Pays != "" {
		var err error
		line.Odds.Odds, err = baccarat.ParseOdds(f.Pays)
		c.add(at+"/pays", err)
		line.Odds.Floor = floor
	}
	c.commission(at, f, &line.Takes)
	if line.Takes.Tie = f.TieCharge; f.TieCharge < 0 || f.TieCharge > 100 {
		c.add(at+"/tie_charge", fmt.Errorf("%d: want a percentage of the stake, 1 to 100", f.TieCharge))
	}
	switch {
	case !line.When.OfCounts():
		c.add(at+"/when", errors.New("want a condition on point counts and numbers of cards"))
	case f.Returns && (f.Pays != "" || line.Takes.Won):
		c.add(at, errors.New("returns beside pays or commission: want one of them"))
	case f.TieCharge != 0 && (f.Pays != "" || line.Takes.Won || f.Returns):
		c.add(at, errors.New("tie_charge: want no other consequence beside it, the stake is returned"))
	case f.TieCharge != 0 && line.When.Winner != 1<<baccarat.Tie:
		c.add(at+"/when", errors.New("tie_charge: want winner: TIE"))
	case !f.Returns && f.Pays == "" && !line.Takes.Won && f.TieCharge == 0 && f.Commission == "":
		c.add(at, errors.New("want pays, returns, commission or tie_charge; commission: none for a win that pays none"))
	}
	return line
}

// commission reads what a line takes of the winnings.
func (c *complaints) commission(at string, f *chargeLineFile, t *Takes) {
	words := []string{"up", "down", "nearest"}
	round := max(slices.Index(words, f.Round), 0)
	if f.Round != "" && !slices.Contains(words, f.Round) {
		c.add(at+"/round", unknownOf(f.Round, words))
	}
	if f.Unit < 0 || f.Minimum < 0 {
		c.add(at, errors.New("unit and minimum: want minor units, not negative"))
	}
	if percent, err := strconv.ParseInt(f.Commission, 10, 64); err == nil && percent >= 1 && percent <= 100 {
		t.Won = true
		t.Vig = baccarat.Vig{
			Percent: percent, Unit: max(f.Unit, 1), Rounding: baccarat.Rounding(round), Minimum: f.Minimum,
		}
		return
	}
	switch {
	case f.Commission == elected:
		t.Won, t.Elected = true, true
	case f.Commission != "" && f.Commission != "none":
		c.add(
			at+"/commission",
			fmt.Errorf("%q: want a percentage of the winnings, 1 to 100, elected or none", f.Commission),
		)
	}
	if f.Unit != 0 || f.Minimum != 0 || f.Round != "" {
		c.add(at, errors.New("unit, round and minimum: want a commission of a percentage beside them"))
	}
}
