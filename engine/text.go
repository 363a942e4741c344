package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// otherText stands for a text without a word that a rule reads.
const otherText = "other text"

// unlisted is the beginning of the pseudonym of an unknown back.
const unlisted = "unlisted-"

// Plain reduces each free text of an event, which may name a patron, to the words that rules read. Colours and designs
// of backs are compared with each other, so that an unknown one becomes a keyed pseudonym. Names of spots are words of
// the rulebooks or nothing.
func Plain(ev *schema.Event, key []byte, spots map[string]bool) {
	switch p := ev.Payload.(type) {
	case *schema.TableOpened:
		plainConfig(&p.Config, spots)
	case *schema.TableConfigured:
		plainConfig(&p.Config, spots)
	case *schema.RecutOrdered:
		p.Reason, p.ByID = words(p.Reason, rules.RecutGrounds()...), ""
	case *schema.CuratorPassed:
		p.Ground = ground(p.Ground)
	case *schema.SqueezeRelinquished:
		p.Ground = ground(p.Ground)
	case *schema.WagerPlaced:
		p.SpotName = known(p.SpotName, spots)
	case *schema.WagerChanged:
		p.ToSpotName = known(p.ToSpotName, spots)
	case *schema.NoticeFiled:
		p.SpotName = known(p.SpotName, spots)
	case *schema.ShoeLoaded:
		p.Location = words(p.Location, "dealer-left", "dealer-right", "left", "right")
		p.BackColor, p.BackDesign = back(key, p.BackColor), back(key, p.BackDesign)
	case *schema.DeckReceived:
		p.BackColor, p.BackDesign = back(key, p.BackColor), back(key, p.BackDesign)
	case *schema.BatchReported:
		p.BackColor = back(key, p.BackColor)
	case *schema.CardDealt:
		p.BackColor, p.BackDesign = back(key, p.BackColor), back(key, p.BackDesign)
	case *schema.CardFoundFaceup:
		p.Destination = words(p.Destination, "discard-bucket", "BUCKET", "discard-rack", "RACK", "SHOE", "LAYOUT")
	case *schema.DiscardPlaced:
		p.Destination = place(p.Destination)
	case *schema.ShoeLaced:
		if !strings.EqualFold(p.Evenness, "uneven") && p.Evenness != "" {
			p.Evenness = "even"
		}
	case *schema.ShoeEnded:
		p.Reason = ""
	case *schema.TableClosed:
		p.Reason = ""
	case *schema.BankerRelinquished:
		p.Cause = ""
	case *schema.DeviceReported:
		p.Detail = ""
	default: // has no free text
	}
}

// plainConfig reduces the maps of a configuration, whose keys and values may be any text.
func plainConfig(c *schema.TableConfig, spots map[string]bool) {
	c.Vigorish.ModeName = known(c.Vigorish.ModeName, spots)
	c.Options = plainMap(c.Options, law.IsOption, law.OptionTakes)
	c.PayTables = plainMap(c.PayTables, isWord, func(_, value string) bool { return isWord(value) })
	spot := func(key string) bool { return baccarat.ParseSpot(key) != baccarat.NoSpot || spots[key] }
	odds := func(string, string) bool { return true } // odds, or a dead letter
	c.PostedOdds = plainMap(c.PostedOdds, spot, odds)
	row := func(key string) bool {
		name, line, _ := strings.Cut(key, "/")
		return spot(name) && isWord(line)
	}
	c.PostedRows = plainMap(c.PostedRows, row, odds)
	if slices.ContainsFunc(c.FurtherSideBets, func(word string) bool { return !spots[word] }) {
		c.FurtherSideBets = slices.Clone(c.FurtherSideBets)
		for i, word := range c.FurtherSideBets {
			if !spots[word] {
				c.FurtherSideBets[i] = otherText
			}
		}
	}
}

// known is a word of a set, or nothing.
func known(word string, set map[string]bool) string {
	if set[word] {
		return word
	}
	return ""
}

// isWord reports whether a text has the form of an identifier.
func isWord(text string) bool {
	return len(text) <= 64 && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}

// plainMap keeps the known keys and values of a map. All unknown keys become one, with the least of their values.
func plainMap(m map[string]string, key func(string) bool, takes func(key, value string) bool) map[string]string {
	if len(m) == 0 {
		return m
	}
	const unknown = "unknown"
	out, values := make(map[string]string, len(m)), []string(nil)
	for k, v := range m {
		// A value of the right form is no free text. Evidence with another form would be refused.
		if !takes(k, v) {
			v = otherText
		}
		if k == unknown || !key(k) {
			values = append(values, v)
		} else {
			out[k] = v
		}
	}
	if len(values) > 0 {
		out[unknown] = slices.Min(values)
	}
	return out
}

// words returns the known words that a text contains, the longest of those that contain each other.
func words(text string, known ...string) string {
	if text == "" {
		return ""
	}
	lower, found := strings.ToLower(text), []string{}
	for _, word := range known {
		within := func(longer string) bool { return strings.Contains(strings.ToLower(longer), strings.ToLower(word)) }
		if strings.Contains(lower, strings.ToLower(word)) && !slices.ContainsFunc(found, within) {
			found = append(found, word)
		}
	}
	if len(found) == 0 {
		return otherText
	}
	return strings.Join(found, ", ")
}

// ground returns a word of the contract.
func ground(text string) string {
	word := rules.GroundWord(text)
	if word == "" || slices.Contains(rules.Grounds(), word) {
		return word
	}
	return otherText
}

// place returns the place of discards: any rack, or exactly one of the other places.
func place(text string) string {
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(lower, "rack"):
		return "discard-rack"
	case lower == "" || slices.Contains(rules.DiscardPlaces(), lower):
		return lower
	}
	return otherText
}

// back returns the colour or the design of a back, in lower case: Red and red are one colour.
func back(key []byte, text string) string {
	if isBack(text) {
		return text
	}
	if text = strings.ToLower(strings.TrimSpace(text)); isBack(text) {
		return text
	}
	// What is reduced already stays: evidence of an export is replayed.
	code, reduced := strings.CutPrefix(text, unlisted)
	if reduced && len(code) == 8 && strings.Trim(code, "0123456789abcdef") == "" {
		return text
	}
	return unlisted + Pseudonym(key, "back\x00"+text)[:8]
}

// isBack reports whether a text is a listed colour or design, or none.
func isBack(text string) bool {
	switch text {
	case "", "bee", "black", "blue", "bordeaux", "brown", "burgundy", "claret", "crown", "diamond", "gold", "green",
		"grey", "orange", "pink", "plain", "purple", "red", "silver", "violet", "white", "yellow":
		return true
	}
	return false
}

// Pseudonym is the keyed HMAC of a patron reference, in hex, cut to 128 bits.
func Pseudonym(key []byte, ref string) string {
	return keyed(key, "player\x00"+ref)[:32]
}

// keyed is the HMAC-SHA256 of a text, in hex.
func keyed(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
