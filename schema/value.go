package schema

import (
	"strings"
	"time"
	"unsafe"
)

// view returns bytes that never change again as a string.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

const (
	ranks = "A23456789TJQK"
	suits = "cdhs"
	// deck has every card, so that a card is a substring of a constant.
	deck = "AcAdAhAs2c2d2h2s3c3d3h3s4c4d4h4s5c5d5h5s6c6d6h6s7c7d7h7s8c8d8h8s9c9d9h9sTcTdThTsJcJdJhJsQcQdQhQsKcKdKhKs??"
	// unread is the position of "??" in the deck.
	unread = 2 * 52
)

// card returns the card of two characters, or false if they are no card.
func card(b []byte) (string, bool) {
	if len(b) != 2 {
		return "", false
	}
	var rank, suit int
	switch c := b[0]; {
	case c >= '2' && c <= '9':
		rank = int(c - '1')
	case c == 'A':
		rank = 0
	case c == 'T':
		rank = 9
	case c == 'J':
		rank = 10
	case c == 'Q':
		rank = 11
	case c == 'K':
		rank = 12
	case c == '?' && b[1] == '?':
		return deck[unread : unread+2], true
	default:
		return "", false
	}
	switch b[1] {
	case 'c':
		suit = 0
	case 'd':
		suit = 1
	case 'h':
		suit = 2
	case 's':
		suit = 3
	default:
		return "", false
	}
	i := 2 * (4*rank + suit)
	return deck[i : i+2], true
}

const wantCard = `expected a card: one of ` + ranks + `, then one of ` + suits + `, or "??"`

// isOdds is true for odds in the notation of the contract, such as 8:1.
func isOdds(s string) bool {
	won, staked, ok := strings.Cut(s, ":")
	return ok && isCount(won) && isCount(staked)
}

func isCount(s string) bool {
	if s == "" || len(s) > 9 || s[0] == '0' {
		return false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

const wantOdds = `expected odds such as "8:1"`

const (
	second = int64(time.Second)
	// The range of whole seconds whose nanoseconds fit an int64.
	minSecond = -9223372036
	maxSecond = 9223372036

	wantMoment = "expected a time from 1677-09-21T00:12:44Z to 2262-04-11T23:47:16.854775807Z, and not " +
		"1970-01-01T00:00:00Z, which stands for none"
)

// moment is a time in Unix nanoseconds. It returns false if the time does not fit an int64 or is 0, which means no
// time.
func moment(seconds, nanos int64) (int64, bool) {
	if seconds < minSecond || seconds > maxSecond || (seconds == maxSecond && nanos > 854775807) {
		return 0, false
	}
	ns := seconds*second + nanos
	return ns, ns != 0
}

// split is the inverse of moment.
func split(ns int64) (seconds, nanos int64) {
	seconds, nanos = ns/second, ns%second
	if nanos < 0 {
		seconds, nanos = seconds-1, nanos+second
	}
	return seconds, nanos
}

// daysBefore is the number of days from 1970-01-01 to a date of the Gregorian calendar. It counts years from March, so
// that the leap day is the last day.
func daysBefore(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}

func daysIn(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// parseMoment reads an RFC 3339 time with up to nine decimals.
func parseMoment(b []byte) (int64, bool) {
	if len(b) < len("2006-01-02T15:04:05Z") || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' ||
		b[16] != ':' {
		return 0, false
	}
	year := pair(b[0:])*100 + pair(b[2:])
	month, day := pair(b[5:]), pair(b[8:])
	hour, minute, sec := pair(b[11:]), pair(b[14:]), pair(b[17:])
	if pair(b[0:])|pair(b[2:])|month|day|hour|minute|sec < 0 ||
		month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || sec > 59 {
		return 0, false
	}
	var nanos int64
	b = b[19:]
	if b[0] == '.' {
		n := 1
		unit := second
		for ; n < len(b) && b[n] >= '0' && b[n] <= '9'; n++ {
			unit /= 10
			nanos += int64(b[n]-'0') * unit
		}
		if n == 1 || n > 10 {
			return 0, false
		}
		b = b[n:]
	}
	offset, ok := parseOffset(b)
	if !ok {
		return 0, false
	}
	return moment(86400*daysBefore(year, month, day)+3600*hour+60*minute+sec-offset, nanos)
}

// parseOffset reads Z, +hh:mm or -hh:mm, as seconds east of Greenwich.
func parseOffset(b []byte) (int64, bool) {
	if len(b) == 1 && b[0] == 'Z' {
		return 0, true
	}
	if len(b) != 6 || b[3] != ':' || (b[0] != '+' && b[0] != '-') {
		return 0, false
	}
	hour, minute := pair(b[1:]), pair(b[4:])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return 0, false
	}
	if b[0] == '-' {
		return -(3600*hour + 60*minute), true
	}
	return 3600*hour + 60*minute, true
}

// pair reads two digits; the result is far below zero if they are no digits.
func pair(b []byte) int64 {
	x, y := b[0]-'0', b[1]-'0'
	if x > 9 || y > 9 {
		return -1 << 40
	}
	return int64(x)*10 + int64(y)
}

// appendMoment appends an RFC 3339 time with 0, 3, 6 or 9 decimals, as protojson does.
func appendMoment(dst []byte, ns int64) []byte {
	layout := "2006-01-02T15:04:05.000000000Z"
	switch {
	case ns%second == 0:
		layout = "2006-01-02T15:04:05Z"
	case ns%1_000_000 == 0:
		layout = "2006-01-02T15:04:05.000Z"
	case ns%1_000 == 0:
		layout = "2006-01-02T15:04:05.000000Z"
	}
	return time.Unix(0, ns).UTC().AppendFormat(dst, layout)
}
