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

func (f *Filter) query(columns, table string) (string, []any) {
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
	of := newReader[finding.Finding](rows.Find("findings"))
	query, args := f.query(of.columns, s.name("findings"))
	result, err := s.conn.Query(ctx, query, args...)
	if err != nil {
		return s.explain(doing, err)
	}
	return s.explain(doing, of.each(result, each))
}
