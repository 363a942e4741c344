package schema

import (
	"strconv"
	"strings"
)

// Money formats an amount in minor units for people, such as "USD 15.75". Without a currency it is the bare
// number of Decimal.
func Money(minor int64, currency string) string {
	return strings.TrimSpace(currency + " " + Decimal(minor, currency))
}

// Decimal formats an amount in minor units as a number with the decimals of ISO 4217 for the currency, two for
// most. An amount of 0 without a currency is "0".
func Decimal(minor int64, currency string) string {
	digits := 2
	switch currency {
	case "":
		if minor == 0 {
			digits = 0
		}
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF":
		digits = 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		digits = 3
	}
	text := strconv.FormatInt(minor, 10)
	if digits == 0 {
		return text
	}
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	for len(text) <= digits {
		text = "0" + text
	}
	return sign + text[:len(text)-digits] + "." + text[len(text)-digits:]
}
