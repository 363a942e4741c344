package console

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/law"
)

// inquiry is what a text of the search names. The words of the text may be in any order.
type inquiry struct {
	text     string
	table    *store.Tile
	property string
	at       []string // the properties of the table, or property alone
	dealer   string
	dealtAt  []string // properties of the dealer
	rule     string
	clauses  []string // citations of rulebooks
	round    uint32
	seat     uint32
	min      int64 // of a stake, in minor units
	max      int64
	minute   int  // of the day, -1 for none
	half     bool // the minute is of half a day: 9:40 in words is also 21:40
	day      time.Time
	// relative is set if the day is today or yesterday, which is the gaming day in progress or the one before.
	relative bool
	patrons  []string // masks of one patron
	finding  string   // id, or its first digits
	unknown  []string
	tables   []string // that have the number of the words choice
	choice   string
}

// phrases are what a text is made of: a keyword with its value, a comparison with its amount, or a word.
func phrases(text string) []string {
	phrase := regexp.MustCompile(
		`(?i)\b(?:seat|round|patron|dealer|table|shoe)\s+[^\s,;]+|[<>]=?\s*\S+|\d{1,2}:\d{2}\s*[ap]m\b|` + clockWords +
			`|[^\s,;]+`,
	)
	return phrase.FindAllString(text, -1)
}

func (c *Console) inquire(x *exchange, text string) (*inquiry, error) {
	q := &inquiry{text: text, minute: -1}
	if q.clauses = c.clausesOf(x.r.Context(), text); len(q.clauses) > 0 { // N.J.A.C. 19:47-3.3(b)
		return q, nil
	}
	tiles, err := c.floor(x, store.Location{})
	if err != nil {
		return nil, err
	}
	var amounts []string
	for _, p := range phrases(text) {
		word, value, _ := strings.Cut(strings.TrimSpace(p), " ")
		value = strings.TrimSpace(value)
		switch word = strings.ToLower(word); {
		case word[0] == '<' || word[0] == '>':
			amounts = append(amounts, p)
		case word == "patron" && value != "":
			if q.patrons, err = c.patronOf(x, value); err != nil {
				return nil, err
			}
		case isFiller(word), q.number(word, value), q.spoken(p), q.moment(p, c):
		case word == "table" && q.numbered(tiles, value):
		case word == "table" && len(q.tables) > 1:
			q.choice = p
		case value != "" && (word == "table" || word == "dealer" || word == "shoe"):
			err = q.name(c, x, tiles, value)
		default:
			err = q.name(c, x, tiles, p)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := q.place(tiles); err != nil {
		return nil, err
	}
	return q, c.amounts(x, q, amounts)
}

// place finds the properties that have the table: tables of two properties may have one name.
func (q *inquiry) place(tiles []store.Tile) error {
	if q.property != "" {
		q.at = []string{q.property}
	}
	if q.table == nil {
		return nil
	}
	name := q.table.TableID
	q.at = nil
	for i := range tiles {
		if t := &tiles[i]; t.TableID == name && (q.property == "" || t.PropertyID == q.property) {
			if len(q.at) == 0 {
				q.table = t
			}
			q.at = append(q.at, t.PropertyID)
		}
	}
	if len(q.at) == 0 {
		return badRequest("%s has no table %q.", q.property, name)
	}
	return nil
}

// number reads a round or a seat: round 6, r6, seat 2, s2.
func (q *inquiry) number(word, value string) bool {
	if long := map[byte]string{'r': "round", 's': "seat"}[word[0]]; long != "" && value == "" {
		word, value = long, word[1:]
	}
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil || n == 0 {
		return false
	}
	switch word {
	case "round":
		q.round = uint32(n)
	case "seat":
		q.seat = uint32(n)
	default:
		return false
	}
	return true
}

// clockWords are times of day in words: twenty to ten, half past nine, ten o'clock.
const clockWords = `\b(?:(?:five|ten|quarter|twenty|twenty-five|half)\s+(?:to|past)\s+\w+|\w+\s+o'clock)\b`

// isFiller reports a word of a sentence that names nothing.
func isFiller(word string) bool { return word == "about" || word == "around" || word == "at" }

// spoken reads a time of day in words, of either half of the day.
func (q *inquiry) spoken(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	hours := []string{
		"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
	}
	hour := func(word string) int {
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= 12 {
			return n
		}
		return slices.Index(hours, word)
	}
	minute := map[string]int{"five": 5, "ten": 10, "quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
	at := 0
	switch {
	case len(words) == 2 && words[1] == "o'clock" && hour(words[0]) > 0:
		at = hour(words[0]) * 60
	case len(words) == 3 && minute[words[0]] > 0 && hour(words[2]) > 0 && words[1] == "to":
		at = hour(words[2])*60 - minute[words[0]]
	case len(words) == 3 && minute[words[0]] > 0 && hour(words[2]) > 0 && words[1] == "past":
		at = hour(words[2])*60 + minute[words[0]]
	default:
		return false
	}
	const half = 12 * 60
	q.minute, q.half = at%half, true
	return true
}

// numbered finds the table that people call by its number: table 7 is live-07, if no other table has the number. If
// several have it, they are the tables of the inquiry.
func (q *inquiry) numbered(tiles []store.Tile, number string) bool {
	want, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return false
	}
	var found *store.Tile
	q.tables = nil
	for i := range tiles {
		name := tiles[i].TableID
		digits := name[len(strings.TrimRight(name, "0123456789")):]
		if n, err := strconv.ParseUint(digits, 10, 16); err != nil || n != want {
			continue
		}
		if strings.EqualFold(name, number) {
			return false
		}
		if !slices.Contains(q.tables, name) {
			found, q.tables = &tiles[i], append(q.tables, name)
		}
	}
	if len(q.tables) == 1 {
		q.table = found
	}
	return len(q.tables) == 1
}

// moment reads a time of day or a day.
func (q *inquiry) moment(text string, c *Console) bool {
	now := c.Now().In(c.Law.Calendar.Zone)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	word := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	for _, layout := range []string{"15:04", "15:04:05", "3:04pm"} {
		if t, err := time.Parse(layout, word); err == nil {
			q.minute = t.Hour()*60 + t.Minute()
			return true
		}
	}
	switch word {
	case "today":
		q.day, q.relative = today, true
	case "yesterday":
		q.day, q.relative = today.AddDate(0, 0, -1), true
	default:
		day, err := time.ParseInLocation(time.DateOnly, word, now.Location())
		if err != nil {
			return false
		}
		q.day = day
	}
	return true
}

// name reads the name of a table, a rule, a finding, a clause or a dealer.
func (q *inquiry) name(c *Console, x *exchange, tiles []store.Tile, word string) error {
	for i := range tiles {
		if strings.EqualFold(tiles[i].TableID, word) && q.table == nil {
			q.table = &tiles[i]
			return nil
		}
	}
	for i := range tiles {
		if strings.EqualFold(tiles[i].PropertyID, word) {
			q.property = tiles[i].PropertyID
			return nil
		}
	}
	if isRule(word) {
		q.rule = word
		return nil
	}
	const idLength, minDigits = 32, 6
	lower := strings.ToLower(word)
	if len(word) >= minDigits && len(word) <= idLength && strings.Trim(lower, "0123456789abcdef") == "" {
		q.finding = lower
		if len(word) == idLength {
			q.patrons = append(q.patrons, lower)
		}
		return nil
	}
	if clauses := c.clausesOf(x.r.Context(), word); len(clauses) > 0 {
		q.clauses = clauses
		return nil
	}
	at, err := c.Store.DealtBy(x.r.Context(), x.scope(), word)
	if err != nil {
		return err
	}
	if len(at) == 0 {
		q.unknown = append(q.unknown, word)
		return nil
	}
	q.dealer, q.dealtAt = word, at
	return nil
}

// patronOf returns the masked codes of a patron: the code itself, or the codes of a number under each patron key, for
// roles that see the patrons of events. The search for a number is logged first, with the code.
func (c *Console) patronOf(x *exchange, value string) ([]string, error) {
	const codeLength = 32
	if len(value) == codeLength && strings.Trim(strings.ToLower(value), "0123456789abcdef") == "" {
		return []string{strings.ToLower(value)}, nil
	}
	if !x.user.May(permUnmask) {
		x.refused("patron", "search by number")
		return nil, badRequest("Your role sees masked patrons only: search for the code of %d digits that a wager shows. "+
			"A role with the permission unmask can search for a patron's number.", codeLength)
	}
	if len(c.Law.PatronKey) == 0 {
		return nil, badRequest("This console has no patron key (patron_key_file), and cannot mask a number: search for the "+
			"code of %d digits that a wager shows.", codeLength)
	}
	codes := c.Law.Masks(value)
	return codes, x.mustLog("", unmasked, strings.Join(codes, " "), "search by a patron's number")
}

// clausesOf returns the citations of all rulebooks that have a text: 19:47-3.3(b), or 58A.
func (c *Console) clausesOf(ctx context.Context, word string) []string {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
	want := plain(word)
	if len(want) < 3 || !strings.ContainsAny(want, "0123456789") {
		return nil
	}
	var has []string
	for cited := range c.citations(ctx) {
		// A longer number or a longer name is another clause; a paragraph of the clause is not.
		if i := strings.Index(plain(cited), want); i >= 0 {
			rest := plain(cited)[i+len(want):]
			if rest == "" || rest[0] < '0' || rest[0] > '9' {
				has = append(has, cited)
			}
		}
	}
	slices.Sort(has)
	return has
}

// citations returns the rules of each citation of the rulebooks.
func (c *Console) citations(ctx context.Context) map[string][]string {
	all, _ := cached(ctx, &c.figures, "citations", 24*time.Hour, func(context.Context) (map[string][]string, error) {
		return citationsOf(c.Law.Books), nil
	})
	return all
}

func citationsOf(books map[string]*law.Rulebook) map[string][]string {
	all := map[string]map[string]bool{}
	for _, book := range books {
		for _, g := range book.Games() {
			l, _ := book.Law(g)
			for _, name := range ruleNames() {
				entry, _ := l.Cited(name)
				for _, text := range entry.Citations {
					if all[text] == nil {
						all[text] = map[string]bool{}
					}
					all[text][name] = true
				}
			}
		}
	}
	out := map[string][]string{}
	for text, names := range all {
		out[text] = slices.Sorted(maps.Keys(names))
	}
	return out
}

// amounts reads comparisons such as >$5,000, in the currency of the table if one is named.
func (c *Console) amounts(x *exchange, q *inquiry, all []string) error {
	currency := ""
	if q.table != nil && len(all) > 0 {
		at := store.Location{Property: q.table.PropertyID, Table: q.table.TableID}
		var err error
		if currency, err = c.currency(x, at); err != nil {
			return err
		}
	}
	for _, text := range all {
		n, ok := minorUnits(strings.TrimLeft(text, "<>= "), currency)
		if !ok {
			return badRequest("%q: want an amount such as >$5,000 or <=250.50", text)
		}
		exact := strings.Contains(text[:min(2, len(text))], "=")
		switch {
		case text[0] == '>' && exact:
			q.min = n
		case text[0] == '>':
			q.min = n + 1
		case exact:
			q.max = n
		default:
			q.max = n - 1
		}
	}
	return nil
}

// aboutRounds reports whether an inquiry is about rounds.
func (q *inquiry) aboutRounds() bool {
	return q.round > 0 || q.seat > 0 || q.min > 0 || q.max > 0 || q.minute >= 0 ||
		!q.day.IsZero() && (q.table != nil || q.dealer != "") && q.clauses == nil
}

// span is the period of a search; near is the time of day that the text names, or zero.
type span struct{ since, until, near time.Time }

// periodOf returns the quarter hours around a time of day, on the day that an inquiry names or the last time that it
// was; or else a day, or the last days.
func (c *Console) periodOf(q *inquiry, days int) span {
	const around = 15 * time.Minute
	now := c.Now().In(c.Law.Calendar.Zone)
	if q.minute >= 0 {
		day := q.day
		if day.IsZero() {
			day = now
		}
		near := time.Date(day.Year(), day.Month(), day.Day(), q.minute/60, q.minute%60, 0, 0, now.Location())
		evening := near.Add(12 * time.Hour)
		switch {
		case q.half && (!q.day.IsZero() || !evening.After(now)):
			near = evening // the later half, which is the first that is searched
		case q.day.IsZero() && near.After(now):
			near = near.AddDate(0, 0, -1)
			if q.half {
				near = near.Add(12 * time.Hour)
			}
		}
		return span{near.Add(-around), near.Add(around), near}
	}
	if !q.day.IsZero() { // a gaming day
		rollover := time.Duration(c.Law.Calendar.Rollover) * time.Minute
		start := q.day.Add(rollover)
		if q.relative && now.Add(-rollover).Day() != now.Day() {
			start = start.AddDate(0, 0, -1)
		}
		return span{since: start, until: start.AddDate(0, 0, 1)}
	}
	return span{since: now.AddDate(0, 0, -days), until: now.Add(time.Minute)}
}

func (c *Console) periodText(p span) string {
	zone := c.Law.Calendar.Zone
	return "from " + p.since.In(zone).Format("Mon 2 Jan 15:04") + " to " + p.until.In(zone).Format("Mon 2 Jan 15:04")
}
