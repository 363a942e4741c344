package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// dayChoice chooses gaming days of a property.
type dayChoice struct{ property, day, from, to, shift string }

func (c *dayChoice) flags(fs *pflag.FlagSet) {
	fs.StringVar(&c.property, "property", "", "property, as its events name it")
	fs.StringVar(&c.day, "gaming-day", "", "gaming day, such as 2026-11-19; last is the last one that is over")
	fs.StringVar(&c.from, "from", "", "first gaming day of several")
	fs.StringVar(&c.to, "to", "", "last gaming day of several")
	fs.StringVar(&c.shift, "shift", "", "only this shift of each day, as the calendar names it")
}

// days are the gaming days chosen, in order, all of them over.
func (c *dayChoice) days(calendar *engine.Calendar) ([]string, error) {
	if c.property == "" {
		return nil, errors.New("--property: none, want the property as its events name it")
	}
	if (c.day == "") == (c.from == "") || (c.from == "") != (c.to == "") {
		return nil, errors.New("want either --gaming-day, or --from and --to")
	}
	now := time.Now()
	first, last := c.from, c.to
	switch c.day {
	case "":
	case "last":
		today, _ := calendar.Of(now.UnixNano())
		date, err := time.Parse(time.DateOnly, today)
		if err != nil {
			return nil, err
		}
		first = date.AddDate(0, 0, -1).Format(time.DateOnly)
		last = first
	default:
		first, last = c.day, c.day
	}
	if _, _, err := calendar.Bounds(first, c.shift); err != nil {
		return nil, err
	}
	_, until, err := calendar.Bounds(last, c.shift)
	if err != nil {
		return nil, err
	}
	if end := time.Unix(0, until); now.Before(end) {
		return nil, fmt.Errorf("gaming day %s is not over before %s", last, end.In(calendar.Zone).Format("2006-01-02 15:04 MST"))
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

func openStore(cmd *cobra.Command, config *settings.Audit, books law.Books) (*clickhouse.Store, error) {
	store, err := config.ClickHouse.Store(version, books, config.Log.Logger(cmd.ErrOrStderr()))
	if err != nil {
		return nil, cli.WrongUsage(err)
	}
	opened, err := clickhouse.Open(cmd.Context(), store)
	return opened, storeTrouble(err)
}
