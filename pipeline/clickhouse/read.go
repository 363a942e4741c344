package clickhouse

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"

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
	Live bool
	// Newest gives each id once, its row of the highest version, in the order of the ids: a release that dates a
	// finding otherwise leaves the row of the one before.
	Newest bool
	Limit  int
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
	if f.Newest {
		query += " ORDER BY id, version DESC, at DESC LIMIT 1 BY id"
	} else {
		query += " ORDER BY at, id"
	}
	if f.Limit > 0 {
		query += " LIMIT {limit:UInt64}"
		args = append(args, ch.Named("limit", fmt.Sprint(f.Limit)))
	}
	return query, args
}

// Findings are the findings that a filter chooses, each once, in the order of their time and id.
func (s *Store) Findings(ctx context.Context, f Filter) ([]finding.Finding, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var all []finding.Finding
	err := s.EachFinding(ctx, f, func(r *finding.Finding) bool {
		all = append(all, *r)
		return true
	})
	return all, err
}

// EachFinding gives the findings of Findings one by one, until each says that it has enough, however long
// that takes.
func (s *Store) EachFinding(ctx context.Context, f Filter, each func(*finding.Finding) bool) error {
	const doing = "read findings"
	query, args := f.query(s.name("findings"))
	result, err := s.conn.Query(ctx, query, args...)
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	for result.Next() {
		var r finding.Finding
		var kind, verdict, severity string
		var at, day time.Time
		err := result.Scan(&r.ID, &kind, &verdict, &r.Rule, &severity, &r.Citations, &r.PropertyID, &r.PitID, &r.TableID, &r.ShoeID,
			&r.Round, &r.Seat, &r.Subject, &r.DealerID, &at, &day, &r.Shift, &r.Expected, &r.Observed, &r.Amount, &r.Currency,
			&r.Evidence.Seqs, &r.Evidence.EventIDs, &r.Rulebook, &r.Engine, &r.LnE, &r.Threshold, &r.Odds)
		if err != nil {
			return s.explain(doing, err)
		}
		r.Kind, r.Verdict = finding.Kind(kind), finding.Verdict(verdict)
		r.Severity, _ = finding.ParseSeverity(severity)
		r.At = schema.Time(at.UnixNano())
		if !day.Equal(unknownDay()) {
			r.GamingDay = day.Format(time.DateOnly)
		}
		if !each(&r) {
			return nil
		}
	}
	return s.explain(doing, result.Err())
}
