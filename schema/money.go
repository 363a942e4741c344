package schema

import "strconv"

// Decimal is an amount in minor units as a number, with the decimals that ISO 4217 gives the currency:
// two for most. Nothing of no currency is 0.
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
