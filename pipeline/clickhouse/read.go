package clickhouse

import (
	"context"
	"fmt"
	"strings"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/schema"
)

// Filter chooses findings. A zero field chooses all.
type Filter struct {
	PropertyID, TableID, ShoeID, Rule string
	From, Until                       schema.Time // From is included, Until is not
	GamingDay, Shift                  string
	LastDay                           string // with GamingDay, the last of several days
	// Live leaves out what a nightly run added.
	Live  bool
	Limit int
}

const findingColumns = `id, kind, verdict, rule, severity, citations, property_id, pit_id, table_id, shoe_id, round, seat, subject,
dealer_id, at, gaming_day, shift, expected, observed, amount, currency, evidence.seqs, evidence.event_ids, rulebook, engine, ln_e, threshold, odds`

func (f *Filter) query(table string) (string, []any) {
	var where []string
	var args []any
	add := func(condition, name string, value any) {
		where = append(where, condition)
		args = append(args, ch.Named(name, fmt.Sprint(value)))
	}
	for _, equal := range []struct{ column, value string }{
		{"property_id", f.PropertyID},
		{"table_id", f.TableID},
		{"shoe_id", f.ShoeID},
		{"rule", f.Rule},
		{"shift", f.Shift},
	} {
		if equal.value != "" {
			add(equal.column+" = {"+equal.column+":String}", equal.column, equal.value)
		}
	}
	if f.From != 0 {
		add("at >= fromUnixTimestamp64Nano({from:Int64})", "from", int64(f.From))
	}
	if f.Until != 0 {
		add("at < fromUnixTimestamp64Nano({until:Int64})", "until", int64(f.Until))
	}
	switch {
	case f.GamingDay != "" && f.LastDay != "":
		add("gaming_day >= {gaming_day:Date32}", "gaming_day", f.GamingDay)
		add("gaming_day <= {last_day:Date32}", "last_day", f.LastDay)
	case f.GamingDay != "":
		add("gaming_day = {gaming_day:Date32}", "gaming_day", f.GamingDay)
	}
	if f.Live {
		where = append(where, "version > 0")
	}
	query := "SELECT " + findingColumns + " FROM " + table + " FINAL"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	query += " ORDER BY at, id"
	if f.Limit > 0 {
		query += " LIMIT {limit:UInt64}"
		args = append(args, ch.Named("limit", fmt.Sprint(f.Limit)))
	}
	return query, args
}

// Findings are the findings that a filter chooses, each once, in the order of their time and id.
func (s *Store) Findings(ctx context.Context, f Filter) ([]schema.Finding, error) {
	const doing = "read findings"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	query, args := f.query(s.name("findings"))
	rows, err := s.conn.Query(ctx, query, args...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = rows.Close() }()
	var all []schema.Finding
	for rows.Next() {
		var r schema.Finding
		var at, day time.Time
		err := rows.Scan(&r.ID, &r.Kind, &r.Verdict, &r.Rule, &r.Severity, &r.Citations, &r.PropertyID, &r.PitID, &r.TableID, &r.ShoeID,
			&r.Round, &r.Seat, &r.Subject, &r.DealerID, &at, &day, &r.Shift, &r.Expected, &r.Observed, &r.Amount, &r.Currency,
			&r.Evidence.Seqs, &r.Evidence.EventIDs, &r.Rulebook, &r.Engine, &r.LnE, &r.Threshold, &r.Odds)
		if err != nil {
			return nil, s.explain(doing, err)
		}
		r.At = schema.Time(at.UnixNano())
		if !day.Equal(unknownDay()) {
			r.GamingDay = day.Format(time.DateOnly)
		}
		all = append(all, r)
	}
	return all, s.explain(doing, rows.Err())
}
