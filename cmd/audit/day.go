package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shoeproof/shoeproof/cmd/internal/program"
	"github.com/shoeproof/shoeproof/cmd/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/rules"
)

// dayFlags choose a gaming day of a property.
func dayFlags(fs *pflag.FlagSet, property, day, shift *string) {
	fs.StringVar(property, "property", "", "property, as its events name it")
	fs.StringVar(day, "gaming-day", "", "gaming day, such as 2026-11-19")
	fs.StringVar(shift, "shift", "", "only this shift of it, as the calendar names it")
}

// isOver refuses a gaming day or a shift that is not over.
func isOver(calendar *pipeline.Calendar, property, day, shift string) error {
	if property == "" {
		return errors.New("--property: none, want the property as its events name it")
	}
	_, until, err := calendar.Bounds(day, shift)
	if err != nil {
		return err
	}
	if end := time.Unix(0, until); time.Now().Before(end) {
		return fmt.Errorf("gaming day %s is not over before %s", day, end.In(calendar.Zone).Format("2006-01-02 15:04 MST"))
	}
	return nil
}

func openStore(cmd *cobra.Command, config *settings.Audit, books rules.Books) (*clickhouse.Store, error) {
	store, err := config.ClickHouse.Store(version, books, config.Log.Logger(cmd.ErrOrStderr()))
	if err != nil {
		return nil, program.WrongUsage(err)
	}
	opened, err := clickhouse.Open(cmd.Context(), store)
	return opened, storeTrouble(err)
}
