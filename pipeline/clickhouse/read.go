package clickhouse

import (
	"context"
	"fmt"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/schema"
)

// Filter selects findings. A zero field selects all.
type Filter struct {
	PropertyID, TableID, ShoeID, Rule string
	From, Until                       schema.Time // From is inclusive, Until exclusive
	GamingDay, Shift                  string
	LastDay                           string // with GamingDay, the last of several days
	// Live leaves out the findings of nightly runs. Withdrawn includes findings that a nightly run withdrew. Replaced
	// selects those with which nightly runs replaced findings of the live audit.
	Live, Withdrawn, Replaced bool
	// Newest selects one row per id, of the highest version, in the order of ids: a release that dates a finding
	// differently leaves the row of the earlier release.
	Newest bool
	Limit  int
}

// query returns the query and its parameters; current is the condition that a finding is not withdrawn.
func (f *Filter) query(columns, table, current string) (string, []any) {
	var where []string
	var args []any
	add := func(condition, name string, value any) {
		where = append(where, condition)
		args = append(args, params(name, value)...)
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
		add("gaming_day <= {last_day:Date32}"+NearDays("gaming_day", "last_day"), "last_day", f.LastDay)
	case f.GamingDay != "":
		add("gaming_day = {gaming_day:Date32}"+NearDays("gaming_day", "gaming_day"), "gaming_day", f.GamingDay)
	}
	if f.Live {
		where = append(where, fmt.Sprintf("version > 0 AND version < %d", replacing))
	}
	if f.Replaced {
		where = append(where, fmt.Sprintf("version >= %d", replacing))
	}
	if !f.Withdrawn {
		where = append(where, current)
	}
	query := "SELECT " + columns + " FROM " + table + " FINAL"
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
		args = append(args, params("limit", f.Limit)...)
	}
	return query, args
}

// Findings returns the selected findings, each once, in the order of time and id.
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

// EachFinding passes the findings of Findings to each until it returns false, without a time limit.
func (s *Store) EachFinding(ctx context.Context, f Filter, each func(*finding.Finding) bool) error {
	const doing = "read findings"
	of := newReader[finding.Finding](rows.Find("findings"))
	query, args := f.query(of.columns, s.name("findings"), s.current())
	result, err := s.conn.Query(ctx, query, args...)
	if err != nil {
		return s.explain(doing, err)
	}
	return s.explain(doing, of.each(result, each))
}

// params returns the parameters of a query from names and values. The server parses each value as the type in the
// query.
func params(pairs ...any) []any {
	var all []any
	for i := 0; i < len(pairs); i += 2 {
		value := pairs[i+1]
		switch value.(type) {
		case string, []string, []uint64:
		default:
			value = fmt.Sprint(value)
		}
		all = append(all, ch.Named(pairs[i].(string), value))
	}
	return all
}
