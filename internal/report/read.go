package report

import (
	"context"
	"encoding/json"

	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Names are the reports of audit report.
func Names() []string {
	return []string{"exceptions", "not-auditable", "dealers", "vigorish", "hold", "hold-tests", "log", "month-end"}
}

// Read reads the input of a report from ClickHouse and builds it. HoldTests has its own function, RunHoldTests.
func Read(ctx context.Context, store *clickhouse.Store, s Scope, name string) (*output.Sheet, error) {
	first, _, err := s.Calendar.Bounds(s.From, "")
	if err != nil {
		return nil, err
	}
	_, until, err := s.Calendar.Bounds(s.To, "")
	if err != nil {
		return nil, err
	}
	if name == "vigorish" || name == "hold" {
		return readMoney(ctx, store, s, name, period{first, until})
	}
	days := s.Days
	if name == "exceptions" || name == "month-end" {
		days.Shift = "" // numbers cover the whole day
	}
	findings, err := store.FindingsOf(ctx, days)
	if err != nil {
		return nil, err
	}
	if name == "not-auditable" {
		return notAuditableSheet(s, findings), nil
	}
	if name == "dealers" {
		dealt, err := store.DealtBy(ctx, s.Days)
		if err != nil {
			return nil, err
		}
		return dealersSheet(s, findings, dealt), nil
	}
	steps, err := store.TriageActions(ctx, days)
	if err != nil {
		return nil, err
	}
	switch name {
	case "log":
		return Log(s, findings, steps), nil
	case "month-end":
		return monthEndSheet(s, findings, steps), nil
	}
	return exceptionsSheet(s, findings, steps), nil
}

// period is a time from its first moment to before its end, ns UTC.
type period struct{ from, until int64 }

// readMoney reads the input of a report of money and builds it.
func readMoney(ctx context.Context, store *clickhouse.Store, s Scope, name string, p period) (*output.Sheet, error) {
	configs, err := store.Configs(ctx, s.Property, p.from, p.until)
	if err != nil {
		return nil, err
	}
	s.Currency = currency(configs)
	events, err := store.MoneyEvents(ctx, s.Property, p.from, p.until)
	if err != nil {
		return nil, err
	}
	if name == "vigorish" {
		due, err := store.VigorishDue(ctx, s.Days)
		return vigorishSheet(s, due, events), err
	}
	played, err := store.Played(ctx, s.Days)
	return holdSheet(s, played, events), err
}

// currency is the currency of the newest configuration. A property has one currency.
func currency(configs []rows.Config) string {
	newest, found := int64(0), ""
	for i := range configs {
		var c struct {
			Currency string `json:"currency"`
		}
		if configs[i].At >= newest && json.Unmarshal([]byte(configs[i].Config), &c) == nil && c.Currency != "" {
			newest, found = configs[i].At, c.Currency
		}
	}
	return found
}
