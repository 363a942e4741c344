package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shoeproof/shoeproof/schema/migrations"
)

// definition is a table or view with the statement that creates it, in the server's format.
type definition struct {
	Name string `ch:"name"`
	SQL  string `ch:"sql"`
}

// Definitions compares the tables and views of each server of the configuration with those that the migrations make,
// and returns the differences, by server. Of tables that the user cannot see it returns the number.
func (s *Store) Definitions(ctx context.Context) (changed map[string][]migrations.Change, hidden int, err error) {
	expected, err := s.cfg.layout().Definitions()
	if err != nil {
		return nil, 0, fmt.Errorf("clickhouse: %w", err)
	}
	changed = map[string][]migrations.Change{}
	for _, addr := range s.cfg.Addrs {
		one := s.cfg
		one.Addrs, one.MaxConns = []string{addr}, 1
		server, err := connect(ctx, one)
		if err != nil {
			return changed, hidden, err
		}
		changes, unseen, err := server.definitions(ctx, expected)
		if err = errors.Join(err, server.Close()); err != nil {
			return changed, hidden, fmt.Errorf("server %s: %w", addr, err)
		}
		hidden = max(hidden, unseen)
		if len(changes) > 0 {
			changed[addr] = changes
		}
	}
	return changed, hidden, nil
}

func (s *Store) definitions(ctx context.Context, expected map[string]string) (changes []migrations.Change, hidden int,
	err error,
) {
	const doing = "read the definitions of the tables"
	found, err := list[definition](ctx, s, doing, `SELECT name, formatQuery(create_table_query) AS sql FROM system.tables
WHERE database = {database:String} ORDER BY name`, params("database", s.cfg.Database)...)
	if err != nil {
		return nil, 0, err
	}
	all, err := s.Has(ctx, []string{"SHOW TABLES ON " + s.cfg.Database + ".*"})
	if err != nil {
		return nil, 0, err
	}
	seesAll := all["SHOW TABLES ON "+s.cfg.Database+".*"]
	got := map[string]string{}
	for _, d := range found {
		got[d.Name] = d.SQL
	}
	// The server formats both: releases of ClickHouse differ in that.
	names := slices.Sorted(maps.Keys(expected))
	wanted := make([]string, len(names))
	for i, name := range names {
		wanted[i] = expected[name]
	}
	formatted, err := list[definition](ctx, s, doing, "SELECT '' AS name, formatQuery(arrayJoin({sql:Array(String)})) AS sql",
		params("sql", wanted)...)
	if err != nil {
		return nil, 0, err
	}
	for i, name := range names {
		sql, exists := got[name]
		delete(got, name)
		switch {
		case exists:
			if c, differs := migrations.Compare(name, formatted[i].SQL, sql); differs {
				changes = append(changes, c)
			}
		case seesAll:
			changes = append(changes, migrations.Change{Table: name, Lines: []string{"- the whole table or view"}})
		default:
			hidden++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		extra := []string{"+ a table or view that no migration makes"}
		changes = append(changes, migrations.Change{Table: name, Lines: extra})
	}
	return changes, hidden, nil
}
