// Package calendar computes the gaming day and the shift of a moment from the zone, rollover and shifts of a property.
package calendar

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Calendar has the gaming day and the shift of a moment: a pure function of event time and the
// property's zone, rollover and shifts.
type Calendar struct {
	Zone *time.Location
	// Rollover is the time of day, minutes after midnight, at which a gaming day begins.
	Rollover int
	// Shifts begin at these minutes after midnight, in ascending order; the last one runs over
	// midnight into the first.
	Shifts []Shift
}

// Shift is a working shift of a property.
type Shift struct {
	Name  string
	Start int
}

// Default is Eastern time, days from 06:00, shifts at 06:00, 14:00 and 22:00.
func Default() (Calendar, error) {
	return New("America/New_York", "06:00", map[string]string{"day": "06:00", "swing": "14:00", "night": "22:00"})
}

// New makes a calendar from an IANA zone, a rollover "06:00" and the start of each shift.
func New(zone, rollover string, shifts map[string]string) (Calendar, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return Calendar{}, fmt.Errorf("calendar zone: %w, want an IANA zone such as America/New_York", err)
	}
	c := Calendar{Zone: loc}
	if c.Rollover, err = minuteOfDay(rollover); err != nil {
		return Calendar{}, fmt.Errorf("calendar rollover: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(shifts)) {
		minute, err := minuteOfDay(shifts[name])
		if err != nil {
			return Calendar{}, fmt.Errorf("calendar shift %s: %w", name, err)
		}
		c.Shifts = append(c.Shifts, Shift{name, minute})
	}
	slices.SortFunc(c.Shifts, func(a, b Shift) int { return a.Start - b.Start })
	return c, nil
}

// quarterHour is the grid on which gaming days and shifts change, and zones' offsets, see Clock.
const quarterHour = 15 * time.Minute

func minuteOfDay(s string) (int, error) {
	t, err := time.Parse("15:04", s)
	if err != nil || time.Duration(t.Minute())*time.Minute%quarterHour != 0 {
		return 0, fmt.Errorf("%q: want hours and minutes at a quarter of an hour, such as 06:00", s)
	}
	return t.Hour()*60 + t.Minute(), nil
}

// Of is the gaming day, yyyy-mm-dd, and the shift of a moment in ns UTC.
func (c *Calendar) Of(at int64) (day, shift string) {
	t, shift := c.of(at)
	return t.Format(time.DateOnly), shift
}

// of is a moment of the gaming day, and the shift.
func (c *Calendar) of(at int64) (day time.Time, shift string) {
	t := time.Unix(0, at).In(c.Zone)
	minute := t.Hour()*60 + t.Minute()
	if minute < c.Rollover {
		t = t.AddDate(0, 0, -1)
	}
	if n := len(c.Shifts); n > 0 {
		shift = c.Shifts[n-1].Name
	}
	for _, s := range c.Shifts {
		if minute >= s.Start {
			shift = s.Name
		}
	}
	return t, shift
}

// Date is the date of a moment in ns UTC in the zone of the property, yyyy-mm-dd.
func (c *Calendar) Date(at int64) string { return time.Unix(0, at).In(c.Zone).Format(time.DateOnly) }

// Bounds are the first moment of a gaming day, yyyy-mm-dd, or of a shift of it if one is named, and the
// first moment after it, ns UTC. Where clocks are set a day has 23 or 25 hours.
func (c *Calendar) Bounds(day, shift string) (from, until int64, err error) {
	date, err := time.ParseInLocation(time.DateOnly, day, c.Zone)
	if err != nil {
		return 0, 0, fmt.Errorf("gaming day %q: want a date such as 2026-11-19", day)
	}
	if shift != "" && !slices.ContainsFunc(c.Shifts, func(s Shift) bool { return s.Name == shift }) {
		return 0, 0, fmt.Errorf("shift %q: the calendar has %s", shift, c.shiftNames())
	}
	found := false
	for at := date.UnixNano(); at < date.AddDate(0, 0, 2).Add(3*time.Hour).UnixNano(); at += int64(time.Minute) {
		d, s := c.Of(at)
		if d != day || (shift != "" && s != shift) {
			continue
		}
		if !found {
			from, found = at, true
		}
		until = at + int64(time.Minute)
	}
	if !found {
		return 0, 0, fmt.Errorf("gaming day %s has no shift %s", day, shift)
	}
	return from, until, nil
}

func (c *Calendar) shiftNames() string {
	names := make([]string, len(c.Shifts))
	for i, s := range c.Shifts {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// Clock is a Calendar for moments that mostly follow each other: it keeps the answer for a quarter of an hour, since
// zone offsets, rollovers and shifts change only between quarters.
type Clock struct {
	Calendar   *Calendar
	quarter    int64
	day, shift string
	date       string
}

// Of is the gaming day and the shift of a moment, as of the Calendar.
func (c *Clock) Of(at int64) (day, shift string) {
	c.set(at)
	return c.day, c.shift
}

// Date is the date of a moment in the zone of the property, yyyy-mm-dd: the day of the calendar, not of gaming.
func (c *Clock) Date(at int64) string {
	c.set(at)
	return c.date
}

func (c *Clock) set(at int64) {
	if q := at / int64(quarterHour); c.day == "" || q != c.quarter {
		c.quarter = q
		day, shift := c.Calendar.of(at)
		c.shift = shift
		setDate(&c.day, day)
		setDate(&c.date, time.Unix(0, at).In(c.Calendar.Zone))
	}
}

// setDate sets a date, which seldom changes.
func setDate(date *string, t time.Time) {
	var scratch [len(time.DateOnly)]byte
	if now := t.AppendFormat(scratch[:0], time.DateOnly); string(now) != *date {
		*date = string(now)
	}
}
