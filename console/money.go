package console

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// symbols are the signs of currencies as people write them; of other currencies the code is written.
func symbols() map[string]string {
	return map[string]string{
		"USD": "$", "CAD": "CA$", "AUD": "A$", "NZD": "NZ$", "SGD": "S$", "HKD": "HK$", "MOP": "MOP$", "EUR": "€",
		"GBP": "£", "JPY": "¥", "KRW": "₩", "PHP": "₱", "CHF": "CHF\u00a0",
	}
}

// formatMoney writes an amount in minor units as people write it: $1,234.50, −€3.00, without a currency 1,234.50.
// An amount of 0 is empty.
func formatMoney(minor int64, currency string) string {
	if minor == 0 {
		return ""
	}
	sign, text := "", schema.Decimal(minor, currency)
	if text[0] == '-' {
		sign, text = "−", text[1:]
	}
	whole, part, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part != "" {
		part = "." + part
	}
	symbol, known := symbols()[currency]
	if !known && currency != "" {
		symbol = currency + "\u00a0"
	}
	return sign + symbol + whole + part
}

// cash is formatMoney with an amount of 0.
func cash(minor int64, currency string) string {
	if minor == 0 {
		return strings.ReplaceAll(formatMoney(1, currency), "1", "0")
	}
	return formatMoney(minor, currency)
}

// amountText is an amount of a text of the engine.
var amountText = regexp.MustCompile(`\b([A-Z]{3}) (-?\d+(?:\.\d+)?)\b`)

// capitals is a word that may be a constant. A pattern of all constants takes twenty times as long.
var capitals = regexp.MustCompile(`\b[A-Z][A-Z0-9_]*\b`)

// isConstant has the spots, the calls and the other constants of the event contract that texts of the engine have.
var isConstant = setOf(slices.Concat(
	constants[schema.Spot](), constants[schema.Call](), constants[schema.Role](), constants[schema.Face](),
	constants[schema.ShoeDevice](), constants[schema.SideBet](), constants[schema.WagerMedium](),
	constants[schema.BurnShown](), constants[schema.BurnDestination](), constants[schema.Arrangement](),
	constants[schema.Instruction](), constants[schema.Treasure](), constants[schema.CardPlace](),
	constants[schema.Result](), constants[schema.Feed](), []string{schema.VigorishModeCommission.String()},
))

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// constantList is a list of constants: [CHIPS VERBAL_CASH].
var constantList = regexp.MustCompile(`\[[A-Z0-9_]+(?: [A-Z0-9_]+)+\]`)

// constants are the names of an enumeration of the event contract.
func constants[T interface {
	~uint8
	fmt.Stringer
}]() (names []string) {
	for v := T(1); !strings.HasSuffix(v.String(), ")"); v++ { // of no constant: Face(3)
		names = append(names, v.String())
	}
	return names
}

// trayText is what d14 observed: amounts in minor units, then the amount at issue, with the currency if it is known.
var trayText = regexp.MustCompile(`^counted -?\d+, expected [^;]*; money at issue (?:([A-Z]{3}) )?\d`)

// wholeNumber is an amount in minor units.
var wholeNumber = regexp.MustCompile(`-?\d+`)

// inCurrency rewrites the minor units of d14 as amounts such as USD 1234.50. Other texts have no minor units.
func inCurrency(text string) string {
	found := trayText.FindStringSubmatch(text)
	if found == nil {
		return text
	}
	note, rest, _ := strings.Cut(text, "; ")
	note = wholeNumber.ReplaceAllStringFunc(note, func(number string) string {
		minor, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return number
		}
		return schema.Money(minor, found[1])
	})
	return note + "; " + rest
}

// people rewrites a text of the engine as people write it: amounts such as USD 1234.50, and constants such as DRAGON_7.
// The finding keeps its text.
func people(text string) string {
	text = inCurrency(text)
	text = constantList.ReplaceAllStringFunc(text, func(list string) string { return strings.ReplaceAll(list, " ", ", ") })
	text = capitals.ReplaceAllStringFunc(text, func(word string) string {
		if isConstant[word] {
			return words(word)
		}
		return word
	})
	return amountText.ReplaceAllStringFunc(text, func(found string) string {
		currency, number, _ := strings.Cut(found, " ")
		minor, ok := minorUnits(number, currency)
		if ok = ok && symbols()[currency] != ""; !ok { // ABC 8 is no amount
			return found
		}
		if number[0] == '-' {
			minor = -minor
		}
		return cash(minor, currency)
	})
}

// settledText describes the settlement of a wager: Tie $10.00 should pay $80.00, was paid $70.00 (short $10.00), or
// Banker $100.00 should be collected, was returned. It is empty unless the settlement differs.
func settledText(w *settled, currency string) string {
	spot := words(w.Spot)
	wager := strings.ToUpper(spot[:min(1, len(spot))]) + spot[min(1, len(spot)):] + " " + cash(w.Stake, currency)
	switch by := w.ExpectedPaid - w.Paid; {
	case !w.Wrong:
		return ""
	case w.Expected != w.Disposition && slices.Contains([]string{"paid", "collected", "returned"}, w.Expected):
		return fmt.Sprintf("%s should be %s, was %s", wager, words(w.Expected), words(w.Disposition))
	case by > 0:
		return fmt.Sprintf("%s should pay %s, was paid %s (short %s)", wager, cash(w.ExpectedPaid, currency),
			cash(w.Paid, currency), cash(by, currency))
	case by < 0:
		return fmt.Sprintf("%s should pay %s, was paid %s (over %s)", wager, cash(w.ExpectedPaid, currency),
			cash(w.Paid, currency), cash(-by, currency))
	}
	return ""
}

// minorUnits reads an amount as people write it: $5,000, 250.50, 5k, USD 70. It is in a currency.
func minorUnits(text, currency string) (int64, bool) {
	outside := func(set string) func(rune) bool {
		return func(r rune) bool { return !strings.ContainsRune(set, r) }
	}
	text = strings.TrimLeftFunc(strings.ToLower(text), outside("0123456789"))
	text = strings.ReplaceAll(strings.TrimRightFunc(text, outside("0123456789km")), ",", "")
	factor := int64(1)
	if number, ok := strings.CutSuffix(text, "k"); ok {
		text, factor = number, 1000
	} else if number, ok := strings.CutSuffix(text, "m"); ok {
		text, factor = number, 1_000_000
	}
	_, decimals, _ := strings.Cut(schema.Decimal(1, currency), ".")
	whole, part, _ := strings.Cut(text, ".")
	if whole == "" || len(part) > len(decimals) {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+part+strings.Repeat("0", len(decimals)-len(part)), 10, 64)
	if err != nil || n < 0 || n > 1<<53/factor {
		return 0, false
	}
	return n * factor, true
}
