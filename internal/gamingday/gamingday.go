// Package gamingday reads the choice of gaming days on a command line: one day, the last one, several, or a month.
package gamingday

import (
	"errors"
	"fmt"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"
)

// Choice chooses gaming days of a property: Day, or From and To.
type Choice struct {
	Property, Day, From, To, Shift string

	HasMissing bool // the command has the choice Missing
	HasMonth   bool // the command has --month
}

// Missing is the Day that chooses the days that were missed. The caller finds them in the database.
const Missing = "missing"

// Month chooses all gaming days of a month, such as 2026-10.
func (c *Choice) Month(month string) error {
	first, err := time.Parse("2006-01", month)
	if err != nil || c.Day+c.From+c.To != "" {
		return fmt.Errorf("--month %q, want a month such as 2026-10, and no other days", month)
	}
	c.From, c.To = first.Format(time.DateOnly), first.AddDate(0, 1, -1).Format(time.DateOnly)
	return nil
}

// Days returns the gaming days in order. All of them must be over. It returns none for Missing.
func (c *Choice) Days(calendar *calendar.Calendar, now time.Time) ([]string, error) {
	if c.Property == "" {
		return nil, errors.New("--property: none, want the property as its events name it")
	}
	if (c.Day == "") == (c.From == "") || (c.From == "") != (c.To == "") {
		if c.HasMonth {
			return nil, errors.New("want one of --gaming-day, --from with --to, or --month")
		}
		return nil, errors.New("want either --gaming-day, or --from and --to")
	}
	first, last := c.From, c.To
	switch {
	case c.Day == "":
	case c.Day == Missing && c.HasMissing:
		return nil, nil
	case c.Day == "last":
		today, _ := calendar.Of(now.UnixNano())
		date, err := time.Parse(time.DateOnly, today)
		if err != nil {
			return nil, err
		}
		first = date.AddDate(0, 0, -1).Format(time.DateOnly)
		last = first
	default:
		if _, err := time.Parse(time.DateOnly, c.Day); err != nil {
			words := "a date such as 2026-11-19, or last"
			if c.HasMissing {
				words = "a date such as 2026-11-19, last or missing"
			}
			return nil, fmt.Errorf("--gaming-day %q, want %s", c.Day, words)
		}
		first, last = c.Day, c.Day
	}
	if _, _, err := calendar.Bounds(first, c.Shift); err != nil {
		return nil, err
	}
	_, until, err := calendar.Bounds(last, c.Shift)
	if err != nil {
		return nil, err
	}
	if end := time.Unix(0, until); now.Before(end) {
		return nil, fmt.Errorf("gaming day %s is not over before %s", last,
			end.In(calendar.Zone).Format("2006-01-02 15:04 MST"))
	}
	if first > last {
		return nil, fmt.Errorf("--from %s is after --to %s", first, last)
	}
	date, err := time.Parse(time.DateOnly, first)
	if err != nil {
		return nil, err
	}
	var days []string
	for day := first; day <= last; day = date.Format(time.DateOnly) {
		days = append(days, day)
		date = date.AddDate(0, 0, 1)
	}
	return days, nil
}
