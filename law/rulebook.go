package law

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/shoeproof/shoeproof/baccarat"
)

//go:embed rulebooks/*.yaml
var shipped embed.FS

// knownWagers defines the side bets of the event contract.
//
//go:embed wagers.yaml
var knownWagers []byte

// knownCharges defines the kinds of vigorish of the event contract.
//
//go:embed charges.yaml
var knownCharges []byte

// Rulebook is a regulation as data: what each game must be, and the clause.
type Rulebook struct {
	Name string
	// Version is the start of the SHA-256 of the canonical JSON of what was loaded.
	Version string
	Title   string
	Notes   string
	// Base is the book at the bottom of what it extends, the book itself if it extends none.
	Base string
	// From and To are the dates in force, yyyy-mm-dd, empty where the text gives none.
	From, To  string
	games     map[baccarat.Game]*Law
	canonical []byte
}

// Books are the rulebooks that an engine knows, by name.
type Books map[string]*Rulebook

// Law is the part of a rulebook about one game.
type Law struct {
	Book     *Rulebook
	Game     baccarat.Game
	Drawing  baccarat.DrawingTable
	MinDecks uint32
	Odds     [baccarat.Spots]SpotOdds
	SideBets []baccarat.SideBet
	// Modes are the kinds of vigorish that a table may elect, NamedModes those that are words of the rulebook.
	Modes      []baccarat.VigorishMode
	NamedModes []string
	// Units are the rounding units of a commission by its percentage, minor units.
	Units         map[int64]int64
	Media         []baccarat.Medium
	Markers       []baccarat.Marker
	DealtBy       baccarat.Role
	ThirdCardFace baccarat.Face
	// ThirdCardPlace is where a third card is placed, NoPlace if the text does not say.
	ThirdCardPlace baccarat.Place
	BurnShown      baccarat.Shown
	BurnTo         baccarat.Destination
	// ClosesAtCard means that a shoe's ledger is judged at the next shoe's first card, not at its
	// shuffle alone. 9 NYCRR 5324.21(c)(3)(ii).
	ClosesAtCard bool
	// NoticeToCommission means that a change of vigorish is also filed with the commission.
	// 9 NYCRR 5324.21(c)(5).
	NoticeToCommission bool
	// SpreadColumns means that new cards are spread in columns, not rows; PreShuffledExempt that cards
	// which came pre-shuffled are not inspected at the table.
	SpreadColumns, PreShuffledExempt bool
	// PreShuffledElsewhere means that another section, whose text the rulebook does not have, lets pre-shuffled cards
	// replace the opening steps.
	PreShuffledElsewhere bool
	// ThirdCardOrderDerived means that no sentence orders the third cards: the order follows from the drawing table.
	// 9 NYCRR 5324.21(h)(4).
	ThirdCardOrderDerived bool
	// Approvals means that the regulator may approve wagers beside the wagers of the text. N.J.A.C. 19:47-3.2(b), 7.2(b).
	Approvals bool
	// Unseen are the kinds of vigorish that the text names without their terms.
	Unseen []baccarat.VigorishMode

	// Wagers are the side bets that the rulebook defines, by name, whether permitted or not. Further are the permitted
	// side bets that are words of the rulebook and not of the contract.
	Wagers  []*Wager
	Further []string
	// Options are the interpretive choices, by the catalogue's key.
	Options map[string]string
	// HouseOptions are the options that the table's configuration may choose.
	HouseOptions []string

	bySpot [baccarat.Spots]*Wager
	named  map[string]*Wager
	// charges are the lines of the banker wager by mode, kinds by the name of the rulebook.
	charges [baccarat.VigorishNone + 1]*Wager
	kinds   map[string]*Wager
	// namedOdds are the odds of wagers that are words of the rulebook, tables the names of the pay tables by kind, rows
	// the odds of their rows by kind, table and row.
	namedOdds map[string]SpotOdds
	tables    map[string][]string
	rows      map[[3]string]baccarat.Odds

	cited map[string]Cited
	// withheld are the entries under an assumption that the options do not make.
	withheld map[string]Cited
	// AsRequired is option settlement_basis, ExtraCounts player_extra_column.
	AsRequired, ExtraCounts bool
}

// SpotOdds are what a winning wager on a spot is paid. With Floor they are the minimum; the posted
// odds are then the exact value.
type SpotOdds struct {
	baccarat.Odds
	Floor bool
}

// Cited is a rule's entry in a rulebook.
type Cited struct {
	Citations []string
	// Assumed names the option under which a rule is read into this game from another text. Adopted means that the
	// rulebook, or its base, adopts this reading by name.
	Assumed string
	Adopted bool
	// ByReference means that the text of the rulebook itself refers to the cited clauses.
	ByReference bool
}

// unknownWord is how an enum prints a number without a word.
const unknownWord = "UNKNOWN"

// Law is the law of a game, if the rulebook has the game.
func (b *Rulebook) Law(g baccarat.Game) (*Law, bool) {
	l, ok := b.games[g]
	return l, ok
}

// Games are the games of the rulebook in their order.
func (b *Rulebook) Games() []baccarat.Game { return slices.Sorted(maps.Keys(b.games)) }

// Canonical is the rulebook as it was loaded, as JSON; Parse reads it again and gives it the same version.
func (b *Rulebook) Canonical() []byte { return b.canonical }

// InForce reports whether the rulebook is in force on a date, yyyy-mm-dd. A text without a date is not bounded there.
func (b *Rulebook) InForce(date string) bool {
	return (b.From == "" || date >= b.From) && (b.To == "" || date <= b.To)
}

// Ref names a rulebook with its version, as findings do.
func (b *Rulebook) Ref() string { return b.Name + "@" + b.Version }

// Cited is a rule's entry in the rulebook.
func (l *Law) Cited(rule string) (Cited, bool) {
	c, ok := l.cited[rule]
	return c, ok
}

// Withheld is a rule's entry where it could be read into the game from another text, and the options decide
// not to.
func (l *Law) Withheld(rule string) (Cited, bool) {
	c, ok := l.withheld[rule]
	return c, ok
}

// Vigorish is the commission of a table with a percentage, and whether the law knows that
// percentage.
func (l *Law) Vigorish(percent int64) (baccarat.Vig, bool) {
	unit, ok := l.Units[percent]
	return baccarat.Vig{Percent: percent, Unit: unit, CeilMinor: l.Options["vig_fraction"] == "ceil_minor"}, ok
}

// ShippedFiles are the rulebook files that come with the program, keyed by name.
func ShippedFiles() (map[string][]byte, error) {
	names, err := fs.Glob(shipped, "rulebooks/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list shipped rulebooks: %w", err)
	}
	files := make(map[string][]byte, len(names))
	for _, name := range names {
		data, err := shipped.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read shipped rulebook: %w", err)
		}
		files[name] = data
	}
	return files, nil
}

//go:embed examples/*.yaml
var examples embed.FS

// Example is the text of an example of a rulebook: macau, pennsylvania, great-britain, or new, which explains its keys.
// Examples are no shipped rulebooks: a program loads them as files of a house.
func Example(name string) ([]byte, error) {
	data, err := examples.ReadFile("examples/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("example %q: want one of %s", name, strings.Join(Examples(), ", "))
	}
	return data, nil
}

// Examples are the names of the examples.
func Examples() []string {
	entries, _ := examples.ReadDir("examples") // embedded
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// Parse reads rulebook files, keyed by the name that errors give. A book that extends another is laid
// over it: maps are merged, everything else replaces. Known are the names of the rules that a book may cite.
func Parse(files map[string][]byte, known []string) (Books, error) {
	nodes := map[string]map[string]any{}
	where, otherKind := map[string]string{}, map[string][]int{}
	var wrong []error
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name, node, lines, err := readBook(file, files[file])
		wrong = append(wrong, err)
		switch other, taken := where[name]; {
		case name == "": // unreadable: a book that extends it would be wrong, too
			return nil, errors.Join(wrong...)
		case taken:
			err = fmt.Errorf("rulebooks %s and %s: both have the name %s, want a name for each", other, file, name)
			return nil, errors.Join(append(wrong, err)...)
		}
		nodes[name], where[name], otherKind[name] = node, file, lines
	}
	if name, err := wrongBase(nodes); err != nil {
		wrong = append(wrong, located(where[name], files[where[name]], []complaint{{"extends", err}}, nil))
		return nil, errors.Join(wrong...)
	}
	var wagers, charges map[string]any
	if err := errors.Join(yaml.Unmarshal(knownWagers, &wagers), yaml.Unmarshal(knownCharges, &charges)); err != nil {
		return nil, fmt.Errorf("read the wagers of the contract: %w", err)
	}
	books, bad := Books{}, map[string]bool{}
	for _, name := range basesFirst(nodes) {
		base, extends := nodes[name]["extends"].(string)
		if bad[base] || !extends && nodes[name]["extends"] != nil { // errors of the base, or of a lack of one
			bad[name] = true
			continue
		}
		book, complaints, err := build(withKnownWagers(resolve(nodes, name), wagers, charges), known)
		under := withKnownWagers(beneath(nodes, name), wagers, charges)
		complaints = append(complaints, uselessNulls(under, nodes[name], known)...)
		if err != nil && otherKind[name] == nil {
			return nil, fmt.Errorf("rulebook %s: %w", where[name], err)
		}
		err = located(where[name], files[where[name]], complaints, otherKind[name])
		wrong = append(wrong, err)
		bad[name] = err != nil || otherKind[name] != nil
		book.Base = name
		if base != "" {
			book.Base = books[base].Base
		}
		books[name] = book
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return books, nil
}

// basesFirst are the names of books, each after the book that it extends.
func basesFirst(nodes map[string]map[string]any) []string {
	var names []string
	for len(names) < len(nodes) {
		for _, name := range slices.Sorted(maps.Keys(nodes)) {
			base, extends := nodes[name]["extends"].(string)
			if !slices.Contains(names, name) && (!extends || slices.Contains(names, base)) {
				names = append(names, name)
			}
		}
	}
	return names
}

// readBook returns the name and the tree of a rulebook. A book with unknown keys, or with values of another kind, has
// both beside the error, so that its other errors are found, too. Lines have the values of another kind.
func readBook(file string, data []byte) (name string, tree map[string]any, lines []int, err error) {
	// The strict decode names the line; the loose one is what overlays merge.
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	var strict bookFile
	if err = dec.Decode(&strict); err != nil {
		lines, err = otherKinds(err), Unreadable(file, data, err)
	}
	var doc, second yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return "", nil, nil, err
	}
	if dec.Decode(&second) == nil {
		return "", nil, nil, fmt.Errorf("%s:%d: more than one document", file, second.Line)
	}
	if bad := unquoted(&doc); bad != nil {
		err = errors.Join(err, fmt.Errorf("%s:%d: %s: want the key in quotes", file, bad.Line, bad.Value))
		return "", nil, nil, err
	}
	for _, n := range fractions(&doc, "") {
		lines = append(lines, n.Line)
		err = errors.Join(err, fmt.Errorf("%s:%d: %s, want a whole number", file, n.Line, n.Value))
	}
	if loose := doc.Decode(&tree); loose != nil && err == nil {
		err = Unreadable(file, data, loose)
	}
	if strict.Name == "" && err == nil {
		err = fmt.Errorf("%s:%d: want a name", file, doc.Line)
	}
	if strings.ContainsFunc(strict.Name, unprintable) {
		err = errors.Join(err, located(file, data, []complaint{{
			path: "name", err: fmt.Errorf("%q: want printable characters", strict.Name),
		}}, nil))
	}
	return strict.Name, tree, lines, err
}

// unprintable reports whether a terminal or a page would not show a character of a name.
func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// otherKinds are the lines at which an error of the decoder has values of another kind.
func otherKinds(err error) []int {
	var lines []int
	types, _ := errors.AsType[*yaml.TypeError](err)
	for i := 0; types != nil && i < len(types.Errors); i++ {
		var line int
		if _, err := fmt.Sscanf(types.Errors[i], "line %d: cannot unmarshal", &line); err == nil {
			lines = append(lines, line)
		}
	}
	return lines
}

// fractions returns the fractions at keys with whole numbers: the decoder would cut them.
func fractions(n *yaml.Node, key string) (found []*yaml.Node) {
	switch key {
	case "min_decks", "units", "unit", "minimum", "tie_charge":
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!float" {
			return []*yaml.Node{n}
		}
	}
	for i, of := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode || key == "units":
			found = append(found, fractions(of, key)...)
		case i%2 == 1:
			found = append(found, fractions(of, n.Content[i-1].Value)...)
		}
	}
	return found
}

// unquoted returns the first key that is no text, such as the number 5 in units: {5: 25}.
func unquoted(n *yaml.Node) *yaml.Node {
	for i, of := range n.Content {
		key := n.Kind == yaml.MappingNode && i%2 == 0 && of.Kind == yaml.ScalarNode
		if tag := of.ShortTag(); key && tag != "!!str" && tag != "!!merge" {
			return of
		}
		if bad := unquoted(of); bad != nil {
			return bad
		}
	}
	return nil
}

// Unreadable puts an error of the YAML decoder about data in the form FILE:LINE: what is wrong, what was expected.
func Unreadable(file string, data []byte, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty", file)
	}
	texts := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	if types, ok := errors.AsType[*yaml.TypeError](err); ok {
		texts = types.Errors
	}
	var errs []error
	for _, text := range texts {
		place := file
		if line, what, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(line, "line ") {
			place, text = file+":"+parserLine(line[len("line "):], what), what
		} else if n := failing(data, err); n > 0 {
			place = fmt.Sprintf("%s:%d", file, n)
		}
		errs = append(errs, fmt.Errorf("%s: %s", place, plainly(text)))
	}
	return errors.Join(errs...)
}

// failing returns the line with which data begins to give an error, 0 if none does: some errors of the decoder have no
// line.
func failing(data []byte, err error) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	n := sort.Search(len(lines), func(n int) bool {
		var v any
		got := yaml.Unmarshal(bytes.Join(lines[:n+1], nil), &v)
		return got != nil && got.Error() == err.Error()
	})
	if n == len(lines) {
		return 0
	}
	return n + 1
}

// parserLine corrects the line of an error of the YAML parser, which counts lines from 0. Its scanner counts from 1.
func parserLine(line, what string) string {
	n, err := strconv.Atoi(line)
	for _, of := range []string{
		"<document start>", "node content", "'-' indicator", "key", "',' or ']'", "',' or '}'",
	} {
		if err == nil && what == "did not find expected "+of {
			return strconv.Itoa(n + 1)
		}
	}
	return line
}

// Printable is a key, quoted if it has characters that a terminal does not print.
func Printable(key string) string {
	if strings.ContainsFunc(key, unprintable) {
		return strconv.Quote(key)
	}
	return key
}

// plainly replaces the names of Go's types in an error of the decoder.
func plainly(text string) string {
	if key, ok := strings.CutPrefix(text, "field "); ok {
		if key, _, ok := strings.Cut(key, " not found in type "); ok {
			return Printable(key) + ": unknown key" + hint(key)
		}
	}
	found, kind, ok := strings.Cut(strings.TrimPrefix(text, "cannot unmarshal "), " into ")
	if !ok {
		return text
	}
	if _, value, ok := strings.Cut(found, " "); ok {
		found = value
	} else if found == "!!seq" {
		found = "a list"
	} else {
		found = "keys and values"
	}
	want := "keys and values"
	switch {
	case kind == "uint32":
		want = "a whole number from 0 to 4294967295"
	case strings.Contains(kind, "int"):
		want = "a whole number"
	case kind == "string":
		want = "text"
	case kind == "bool":
		want = "true or false"
	case kind == "time.Time":
		want = "a time such as 2027-01-01T00:00:00Z"
	case strings.HasPrefix(kind, "[]"):
		want = "a list"
	}
	return found + ", want " + want
}

// located finds the line of each complaint, or of the nearest key above it that the file has: what
// is inherited from another book stands there. A complaint about a value at one of the lines otherKind follows from the
// error that is there.
func located(file string, data []byte, wrong []complaint, otherKind []int) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("rulebook %s: %w", file, err)
	}
	var errs []error
	for _, c := range wrong {
		keys := strings.Split(c.path, "/")
		first, last := 1, 1
		if len(doc.Content) > 0 {
			first, last = linesOf(doc.Content[0], keys)
		}
		if !slices.ContainsFunc(otherKind, func(line int) bool { return first <= line && line <= last }) {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %w", file, first, strings.Join(keys, "."), c.err))
		}
	}
	return errors.Join(errs...)
}

// linesOf are the line of a key, or of the nearest key above it that the node has, and the last line of the value. Of a
// mapping that lacks the key, both are the line of its own key.
func linesOf(n *yaml.Node, keys []string) (first, last int) {
	line := n.Line
	for _, key := range keys {
		var value *yaml.Node
		if i, err := strconv.Atoi(key); err == nil && n.Kind == yaml.SequenceNode && i < len(n.Content) {
			value, line = n.Content[i], n.Content[i].Line
		}
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				line, value = n.Content[i].Line, n.Content[i+1]
			}
		}
		switch {
		case value != nil:
			n = value
		case n.Kind == yaml.MappingNode:
			return line, line
		default:
			return line, lastLine(n)
		}
	}
	return line, lastLine(n)
}

func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, of := range n.Content {
		last = max(last, lastLine(of))
	}
	return last
}

// wrongBase returns the first book that extends an unknown book, or itself through others.
func wrongBase(nodes map[string]map[string]any) (name string, err error) {
	names := slices.Sorted(maps.Keys(nodes))
	for _, name := range names {
		path := []string{name}
		for base, ok := nodes[name]["extends"].(string); ok; base, ok = nodes[base]["extends"].(string) {
			if nodes[base] == nil && len(path) == 1 {
				return name, fmt.Errorf("%q: %w", base, noSuch("rulebook", base, names))
			}
			cycle := slices.Contains(path, base)
			if path = append(path, base); cycle {
				return name, fmt.Errorf("a cycle: %s", strings.Join(path, ", "))
			}
		}
	}
	return "", nil
}

// resolve returns the tree of a book over those that it extends.
func resolve(nodes map[string]map[string]any, name string) map[string]any {
	node := nodes[name]
	base, ok := node["extends"].(string)
	if !ok {
		return node
	}
	under := resolve(nodes, base)
	if option, ok := node["inherits"].(string); ok {
		under = assume(under, node, option)
	}
	merged := overlay(citeInBulk(under, node), node)
	delete(merged, "extends")
	delete(merged, "inherits")
	return merged
}

// citeInBulk is the base of a book with the entries that the book gives to all rules whose name begins with a word: the
// longest word that fits counts. With cited_only the base keeps no other rule.
func citeInBulk(under, node map[string]any) map[string]any {
	games, _ := under["games"].(map[string]any)
	listed, _ := node["games"].(map[string]any)
	out := maps.Clone(games)
	for name, of := range games {
		game, _ := of.(map[string]any)
		over, _ := listed[name].(map[string]any)
		cite, _ := over["cite"].(map[string]any)
		only, _ := over["cited_only"].(bool)
		if game == nil || cite == nil && !only {
			continue
		}
		rules, _ := game["rules"].(map[string]any)
		kept := map[string]any{}
		for rule, entry := range rules {
			best := ""
			for word, of := range cite {
				if of != nil && strings.HasPrefix(rule, word) && len(word) > len(best) {
					best = word
				}
			}
			switch e, _ := entry.(map[string]any); {
			case best == "" && only:
			case best == "":
				kept[rule] = entry
			default:
				bulk, _ := cite[best].(map[string]any)
				bulk = maps.Clone(bulk)
				if e["off"] != nil && bulk["off"] == nil {
					bulk["off"] = e["off"]
				}
				kept[rule] = bulk
			}
		}
		game = maps.Clone(game)
		game["rules"] = kept
		delete(game, "cite")
		out[name] = game
	}
	under = maps.Clone(under)
	if games != nil {
		under["games"] = out
	}
	return under
}

// assume is the base of a book with each rule that the book does not list assumed under an option.
func assume(under, node map[string]any, option string) map[string]any {
	under = maps.Clone(under)
	games, _ := under["games"].(map[string]any)
	games = maps.Clone(games)
	listed, _ := node["games"].(map[string]any)
	for name, of := range games {
		game, _ := of.(map[string]any)
		rules, _ := game["rules"].(map[string]any)
		game, rules = maps.Clone(game), maps.Clone(rules)
		book, _ := listed[name].(map[string]any)
		own, _ := book["rules"].(map[string]any)
		for rule, of := range rules {
			entry, _ := of.(map[string]any)
			if _, ok := own[rule]; ok || entry == nil || entry["assumed"] != nil {
				continue
			}
			entry = maps.Clone(entry)
			delete(entry, "by_reference")
			entry["assumed"] = option
			rules[rule] = entry
		}
		game["rules"] = rules
		games[name] = game
	}
	under["games"] = games
	return under
}

func overlay(under, over map[string]any) map[string]any {
	out := maps.Clone(under)
	if out == nil {
		out = map[string]any{}
	}
	for k, v := range over {
		if m, ok := v.(map[string]any); ok {
			if u, ok := out[k].(map[string]any); ok {
				out[k] = overlay(u, m)
				continue
			}
		}
		if v == nil {
			delete(out, k)
			continue
		}
		out[k] = v
	}
	return out
}

// withKnownWagers is the tree of a book in which each game also defines the side bets of the contract.
func withKnownWagers(tree, wagers, charges map[string]any) map[string]any {
	games, _ := tree["games"].(map[string]any)
	games = maps.Clone(games)
	for name, of := range games {
		game, ok := of.(map[string]any)
		if !ok {
			continue
		}
		game = maps.Clone(game)
		own, _ := game["wagers"].(map[string]any)
		game["wagers"] = overlay(wagers, own)
		vigorish, _ := game["vigorish"].(map[string]any)
		own, _ = vigorish["charges"].(map[string]any)
		game["vigorish"] = overlay(vigorish, map[string]any{"charges": overlay(charges, own)})
		games[name] = game
	}
	tree = maps.Clone(tree)
	if games != nil {
		tree["games"] = games
	}
	return tree
}

// build reads a merged book. Beside an error about values of another kind it returns what is wrong with the others.
func build(tree map[string]any, known []string) (*Rulebook, []complaint, error) {
	merged, err := nodeOf(tree)
	if err != nil {
		return nil, nil, fmt.Errorf("write merged rulebook: %w", err)
	}
	var f bookFile
	unread := merged.Decode(&f)
	if unread != nil {
		unread = fmt.Errorf("read merged rulebook: %w", unread)
	}
	canonical, err := json.Marshal(tree)
	if err != nil {
		return nil, nil, fmt.Errorf("write canonical rulebook: %w", err)
	}
	sum := sha256.Sum256(canonical)
	b := &Rulebook{
		Name: f.Name, Title: f.Title, Notes: f.Notes, From: f.InForce.From, To: f.InForce.To,
		Version: hex.EncodeToString(sum[:6]), games: map[baccarat.Game]*Law{}, canonical: canonical,
	}
	wrong := f.dates()
	for _, word := range slices.Sorted(maps.Keys(f.Games)) {
		g := baccarat.ParseGame(word)
		if g == baccarat.NoGame {
			wrong = append(
				wrong,
				complaint{"games/" + word, fmt.Errorf("want one of %s", strings.Join(wordsOf[baccarat.Game](), ", "))},
			)
			continue
		}
		law, complaints := f.law(b, g, f.Games[word], known)
		wrong = append(wrong, complaints...)
		b.games[g] = law
	}
	return b, append(wrong, f.adoptions(b)...), unread
}
