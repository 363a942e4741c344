package schema

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The readers of JSON. Each starts at byte i of the record, which must exist, and returns the position after the
// value. Keys and words of the contract are plain ASCII. So a quick reader passes on the bytes before the next quote;
// an unknown word is read again by the slow reader.

func skip(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// quote is the position of the next quote, or -1.
func quote(b []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:]) ^ ('"' * ones)
		if found := (x - ones) &^ x & tops; found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '"' {
			return i
		}
	}
	return -1
}

// special is the position of the next quote, backslash, control character or byte of a multi-byte character, or len(b).
func special(b []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		q, s := x^('"'*ones), x^('\\'*ones)
		// The lowest bit is exact: a subtraction carries only out of a byte that matches itself.
		if found := ((q-ones)&^q | (s-ones)&^s | (x - ' '*ones) | x) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// jsonEnter enters an object or a list; more is false if it is empty.
func jsonEnter(b []byte, i int, begin, end byte) (next int, more bool, r *RejectError) {
	if b[i] != begin {
		return i, false, rejectType(b, i, "", map[byte]string{'{': "an object", '[': "a list"}[begin])
	}
	if i = skip(b, i+1); i == len(b) {
		return i, false, rejectEnd("", i)
	}
	if b[i] == end {
		return i + 1, false, nil
	}
	return i, true, nil
}

// jsonNext moves to the next member, or leaves the object or list.
func jsonNext(b []byte, i int, end byte) (next int, more bool, r *RejectError) {
	if i < len(b) && b[i] <= ' ' {
		i = skip(b, i)
	}
	if i == len(b) {
		return i, false, rejectEnd("", i)
	}
	switch b[i] {
	case ',':
		i++
		if i < len(b) && b[i] <= ' ' {
			i = skip(b, i)
		}
		if i == len(b) {
			return i, false, rejectEnd("", i)
		}
		return i, true, nil
	case end:
		return i + 1, false, nil
	}
	return i, false, reject("", i, "expected ',' or '%c', found %s", end, shown(b[i:i+1]))
}

// quickKey reads a key and its colon, up to the value; the key is nil if slowKey must read it.
func quickKey(b []byte, i int) (key []byte, next int) {
	if b[i] != '"' {
		return nil, i
	}
	j := quote(b, i+1)
	if j < 0 || j+2 >= len(b) || b[j+1] != ':' {
		return nil, i
	}
	if b[j+2] > ' ' {
		return b[i+1 : j], j + 2
	}
	if next = skip(b, j+2); next == len(b) {
		return nil, i
	}
	return b[i+1 : j], next
}

// slowKey reads any key and its colon, up to the value.
func (d *Decoder) slowKey(b []byte, i int) (key []byte, next int, r *RejectError) {
	if b[i] != '"' {
		return nil, i, rejectType(b, i, "", "a key")
	}
	if key, next, r = d.jsonString(b, i, ""); r != nil {
		return nil, next, r
	}
	if next = skip(b, next); next == len(b) {
		return nil, next, rejectEnd("", next)
	}
	if b[next] != ':' {
		return nil, next, reject("", next, "expected ':' after the key %s", shown(key))
	}
	if next = skip(b, next+1); next == len(b) {
		return nil, next, rejectEnd("", next)
	}
	return key, next, nil
}

func rejectKey(key []byte, at int) *RejectError {
	return reject("", at, "unknown field %s", shown(key))
}

func rejectEnd(field string, at int) *RejectError {
	return reject(field, at, "the record ends within the JSON")
}

func rejectType(b []byte, i int, field, want string) *RejectError {
	found := "nothing"
	if i < len(b) {
		switch c := b[i]; {
		case c == '"':
			found = "a string"
		case c == '{':
			found = "an object"
		case c == '[':
			found = "a list"
		case literal(b[i:], "true"), literal(b[i:], "false"):
			found = "a bool"
		case literal(b[i:], "null"):
			found = "null"
		case c == '-', c >= '0' && c <= '9':
			found = "a number"
		default:
			found = shown(b[i : i+1])
		}
	}
	return reject(field, i, "expected %s, found %s", want, found)
}

// literal reports whether the bytes begin with a word of JSON.
func literal(b []byte, word string) bool {
	if !bytes.HasPrefix(b, []byte(word)) {
		return false
	}
	return len(b) == len(word) || bytes.IndexByte([]byte(" \t\r\n,]}"), b[len(word)]) >= 0
}

// jsonString reads a string. The bytes are valid until the next string is read, and may be no UTF-8.
func (d *Decoder) jsonString(b []byte, i int, field string) (raw []byte, next int, r *RejectError) {
	if b[i] != '"' {
		return nil, i, rejectType(b, i, field, "a string")
	}
	start := i + 1
	for i = special(b, start); i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return b[start:i], i + 1, nil
		case c == '\\':
			return d.unescape(b, start, i, field)
		case c < ' ':
			return nil, i, reject(field, i, "a control character in a string, expected an escape")
		}
	}
	return nil, i, rejectEnd(field, i)
}

// unescape reads a string that began at start and has its first escape at i.
func (d *Decoder) unescape(b []byte, start, i int, field string) (raw []byte, next int, r *RejectError) {
	out := append(d.scratch[:0], b[start:i]...)
	defer func() { d.scratch = out[:0] }()
	for i < len(b) {
		c := b[i]
		switch {
		case c == '"':
			return out, i + 1, nil
		case c < ' ':
			return nil, i, reject(field, i, "a control character in a string, expected an escape")
		case c != '\\':
			out = append(out, c)
			i++
			continue
		}
		if i+1 == len(b) {
			break
		}
		plain := byte(0)
		switch b[i+1] {
		case '"', '\\', '/':
			plain = b[i+1]
		case 'b':
			plain = '\b'
		case 'f':
			plain = '\f'
		case 'n':
			plain = '\n'
		case 'r':
			plain = '\r'
		case 't':
			plain = '\t'
		case 'u':
			char, n := escapedRune(b[i:])
			if n == 0 {
				return nil, i, reject(field, i, "%s is no character", shown(b[i:min(i+6, len(b))]))
			}
			out = utf8.AppendRune(out, char)
			i += n
			continue
		default:
			return nil, i, reject(field, i, "%s is no escape", shown(b[i:i+2]))
		}
		out = append(out, plain)
		i += 2
	}
	return nil, len(b), rejectEnd(field, len(b))
}

// escapedRune reads \uXXXX or a surrogate pair of them; n is 0 if they are no character.
func escapedRune(b []byte) (char rune, n int) {
	hi := escapedUnit(b)
	if hi < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(hi) {
		return hi, 6
	}
	char = utf16.DecodeRune(hi, escapedUnit(b[6:]))
	if char == utf8.RuneError {
		return 0, 0
	}
	return char, 12
}

func escapedUnit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var v rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		v = v<<4 | rune(c)
	}
	return v
}

// jsonText reads a string that repeats.
func (d *Decoder) jsonText(b []byte, i int, field string, id, fresh bool) (string, int, *RejectError) {
	if b[i] == '"' {
		if j := quote(b, i+1); j > i+1 && j-i <= maxInterned {
			if s, _ := d.recall(b[i+1 : j]); s != "" {
				return s, j + 1, nil
			}
		}
	}
	raw, next, r := d.jsonString(b, i, field)
	if r != nil {
		return "", next, r
	}
	s, ok := d.intern(raw, fresh)
	if !ok || (id && len(raw) > maxID) {
		return "", next, rejectText(field, i, raw, id)
	}
	return s, next, nil
}

// jsonFresh reads an id that is unlikely to repeat.
func (d *Decoder) jsonFresh(b []byte, i int, field string) (string, int, *RejectError) {
	if b[i] == '"' {
		if j := special(b, i+1); j < len(b) && b[j] == '"' && j-i <= maxID {
			return d.fresh(b[i+1 : j]), j + 1, nil
		}
	}
	raw, next, r := d.jsonString(b, i, field)
	if r != nil {
		return "", next, r
	}
	if len(raw) > maxID || !utf8.Valid(raw) {
		return "", next, rejectText(field, i, raw, true)
	}
	return d.fresh(raw), next, nil
}

func (d *Decoder) jsonCard(b []byte, i int, field string) (string, int, *RejectError) {
	if i+3 < len(b) && b[i] == '"' && b[i+3] == '"' {
		if s, ok := card(b[i+1 : i+3]); ok {
			return s, i + 4, nil
		}
	}
	raw, next, r := d.jsonString(b, i, field)
	if r != nil {
		return "", next, r
	}
	s, ok := card(raw)
	if !ok && len(raw) > 0 {
		return "", next, rejectCard(field, i, raw)
	}
	return s, next, nil
}

// A word is an enum of the contract: parse reads one of its words.
type word[W any] interface {
	~uint8
	parse(b []byte) (W, bool)
	words() string
}

func jsonWord[W word[W]](d *Decoder, b []byte, i int, field string) (W, int, *RejectError) {
	var zero W
	if b[i] == '"' {
		if j := quote(b, i+1); j > 0 {
			if w, ok := zero.parse(b[i+1 : j]); ok {
				return w, j + 1, nil
			}
		}
	} else {
		return 0, i, rejectType(b, i, field, "one of the words "+zero.words())
	}
	raw, next, r := d.jsonString(b, i, field)
	if r != nil {
		return 0, next, r
	}
	w, ok := zero.parse(raw)
	if !ok {
		return 0, next, reject(field, i, "%s is not a word of the contract%s, expected one of %s", shown(raw),
			orRulebook(zero), zero.words())
	}
	return w, next, nil
}

// orRulebook names the other source of words, for the enums that have one.
func orRulebook(enum any) string {
	switch enum.(type) {
	case Spot, SideBet, VigorishMode:
		return " or of a loaded rulebook"
	}
	return ""
}

// Accept makes the decoder accept words of rulebooks where JSON has a spot, a side bet or a kind of vigorish: the event
// then has the word OTHER and the rulebook's word as its name, as in protobuf. The decoder keeps the set.
func (d *Decoder) Accept(words map[string]bool) { d.further = words }

// AcceptAny makes the decoder accept every word there that a rulebook could have. It is for events that an engine
// accepted before.
func (d *Decoder) AcceptAny() { d.anyFurther = true }

// furtherWord returns the word of a rulebook at i, empty if there is none.
func (d *Decoder) furtherWord(b []byte, i int) (word string, next int) {
	if len(d.further) == 0 && !d.anyFurther || b[i] != '"' {
		return "", i
	}
	j := quote(b, i+1)
	if j < 0 || !d.further[string(b[i+1:j])] && !(d.anyFurther && isSpotWord(b[i+1:j])) {
		return "", i
	}
	return string(b[i+1 : j]), j + 1
}

// isSpotWord reports whether a text can be the word of a spot: capital letters, digits and underscores.
func isSpotWord(b []byte) bool {
	for i, c := range b {
		if !(c >= 'A' && c <= 'Z' || i > 0 && (c >= '0' && c <= '9' || c == '_')) {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 64
}

// jsonNamed reads a word of the contract, or of a rulebook: name is its word then, and OTHER the word of the contract.
func jsonNamed[W word[W]](d *Decoder, b []byte, i int, field string, name *string) (W, int, *RejectError) {
	w, next, r := jsonWord[W](d, b, i, field)
	if r != nil {
		if word, next := d.furtherWord(b, i); word != "" {
			*name = word
			other, _ := w.parse([]byte("OTHER"))
			return other, next, nil
		}
	}
	return w, next, r
}

// digits reads an unsigned integer; next is -1 without one, with a leading zero, a fraction or an exponent, or if it
// does not fit.
func digits(b []byte, i int) (v uint64, next int) {
	start := i
	for i < len(b) {
		c := b[i] - '0'
		if c > 9 {
			break
		}
		if v > math.MaxUint64/10 || (v == math.MaxUint64/10 && c > math.MaxUint64%10) {
			return 0, -1
		}
		v = v*10 + uint64(c)
		i++
	}
	if i == start || (b[start] == '0' && i > start+1) || (i < len(b) && (b[i] == '.' || b[i]|0x20 == 'e')) {
		return 0, -1
	}
	return v, i
}

func jsonUint32(b []byte, i int, field string) (uint32, int, *RejectError) {
	v, next := digits(b, i)
	if next < 0 || v > math.MaxUint32 {
		return 0, i, rejectInteger(b, i, field, "0 to 4294967295")
	}
	return uint32(v), next, nil
}

func jsonUint64(b []byte, i int, field string) (uint64, int, *RejectError) {
	from := i
	if b[i] == '"' {
		from++
	}
	v, next := digits(b, from)
	if next >= 0 && from > i {
		next = closed(b, next)
	}
	if next < 0 {
		return 0, i, rejectInteger(b, i, field, "0 to 18446744073709551615")
	}
	return v, next, nil
}

func jsonInt64(b []byte, i int, field string) (int64, int, *RejectError) {
	from := i
	if b[i] == '"' {
		from++
	}
	sign := from < len(b) && b[from] == '-'
	start := from
	if sign {
		start++
	}
	v, next := digits(b, start)
	if next >= 0 && from > i {
		next = closed(b, next)
	}
	limit := uint64(math.MaxInt64)
	if sign {
		limit++
	}
	if next < 0 || v > limit {
		return 0, i, rejectInteger(b, i, field, "-9223372036854775808 to 9223372036854775807")
	}
	if sign {
		return -int64(v), next, nil
	}
	return int64(v), next, nil
}

// closed skips the quote that ends a number given as a string; it is -1 without one.
func closed(b []byte, i int) int {
	if i < len(b) && b[i] == '"' {
		return i + 1
	}
	return -1
}

func rejectInteger(b []byte, i int, field, from string) *RejectError {
	end := i
	for end < len(b) && end < i+24 && b[end] != ',' && b[end] != '}' && b[end] != ']' && b[end] > ' ' {
		end++
	}
	return reject(field, i, "expected an integer from %s, found %s", from, shown(b[i:end]))
}

func jsonFlag(b []byte, i int, field string) (bool, int, *RejectError) {
	if rest := b[i:]; len(rest) >= 4 && string(rest[:4]) == "true" {
		return true, i + 4, nil
	} else if len(rest) >= 5 && string(rest[:5]) == "false" {
		return false, i + 5, nil
	}
	return false, i, rejectType(b, i, field, "true or false")
}

func jsonNull(b []byte, i int) (int, *RejectError) {
	if rest := b[i:]; len(rest) >= 4 && string(rest[:4]) == "null" {
		return i + 4, nil
	}
	return i, reject("", i, "expected a value, found %s", shown(b[i:i+1]))
}

// jsonFraction reads a number from 0 to 1.
func jsonFraction(b []byte, i int, field string) (float64, int, *RejectError) {
	end := i
	for end < len(b) && (b[end]-'0' <= 9 || b[end] == '.' || b[end]|0x20 == 'e' || b[end] == '-' || b[end] == '+') {
		end++
	}
	if !isNumber(b[i:end]) {
		return 0, i, rejectType(b, i, field, "a number from 0 to 1")
	}
	v, err := strconv.ParseFloat(string(b[i:end]), 64)
	if err != nil || v < 0 || v > 1 {
		return 0, i, reject(field, i, "%s is out of range, expected 0 to 1", shown(b[i:end]))
	}
	return v, end, nil
}

// isNumber is true for a number of the JSON grammar.
func isNumber(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	n := run(b)
	if n == 0 || (n > 1 && b[0] == '0') {
		return false
	}
	b = b[n:]
	if len(b) > 0 && b[0] == '.' {
		if n = run(b[1:]); n == 0 {
			return false
		}
		b = b[1+n:]
	}
	if len(b) > 0 && b[0]|0x20 == 'e' {
		b = b[1:]
		if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
			b = b[1:]
		}
		n = run(b)
		return n > 0 && n == len(b)
	}
	return len(b) == 0
}

// run is the number of leading digits.
func run(b []byte) int {
	n := 0
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n
}
