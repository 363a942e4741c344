// Package store is what the console reads from ClickHouse and writes to it.
//
// Values reach a statement only as {name:Type} parameters, and every read has a limit of time and of
// rows. Reads give each key once, whatever the server has not merged yet.
package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// ErrNone says that there is no such thing, or that it is out of scope, which must look the same.
var ErrNone = errors.New("there is none")

// MostRows is the most that a page reads of anything.
const MostRows = 5000

// ErrNoArchive says that no user of ours may read events.
var ErrNoArchive = errors.New("the archive may not be read: console.archive.user is not set, or lacks the role archive")

// Store is safe for concurrent use.
type Store struct {
	*clickhouse.Store
	archive  *clickhouse.Store // of events
	now      func() time.Time
	open     openSet
	mostOpen int64
}

// Open connects to a database whose schema is the one that this program knows. Events are read as the user of
// archive, if one is named.
func Open(ctx context.Context, cfg, archive clickhouse.Config, now func() time.Time) (*Store, error) {
	s, err := clickhouse.Open(ctx, cfg)
	if err != nil || archive.User == "" {
		return &Store{Store: s, archive: s, now: now, mostOpen: mostOpen}, err
	}
	a, err := clickhouse.Open(ctx, archive)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("console.archive: %w", err), s.Close())
	}
	return &Store{Store: s, archive: a, now: now, mostOpen: mostOpen}, nil
}

// Close closes the connections.
func (s *Store) Close() error {
	err := s.Store.Close()
	if s.archive != s.Store {
		err = errors.Join(err, s.archive.Close())
	}
	return err
}

// archived explains an error of reading events.
func archived(err error) error {
	const accessDenied = 497
	if e, ok := errors.AsType[*ch.Exception](err); ok && e.Code == accessDenied {
		err = ErrNoArchive
	}
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	return nil
}

// Scope is the properties that somebody may see.
type Scope struct {
	All        bool
	Properties []string
}

// Has says whether a property is in scope.
func (s Scope) Has(property string) bool {
	return s.All || slices.Contains(s.Properties, property)
}

// where collects conditions and their parameters.
type where struct {
	conditions []string
	args       []any
}

func in(scope Scope) *where {
	w := &where{}
	if !scope.All {
		w.and("property_id IN {scope:Array(String)}", "scope", append([]string{}, scope.Properties...))
	}
	return w
}

// and adds a condition with its parameters, as name and value in turn.
func (w *where) and(condition string, args ...any) *where {
	w.conditions = append(w.conditions, condition)
	return w.with(args...)
}

func (w *where) with(args ...any) *where {
	for i := 0; i+1 < len(args); i += 2 {
		w.args = append(w.args, ch.Named(args[i].(string), args[i+1]))
	}
	return w
}

// equal adds a condition unless the value is empty.
func (w *where) equal(column, value string) *where {
	if value == "" {
		return w
	}
	return w.and(column+" = {"+column+":String}", column, value)
}

func (w *where) String() string {
	if len(w.conditions) == 0 {
		return "1"
	}
	return strings.Join(w.conditions, " AND ")
}

// limited gives a statement its limits.
func limited(ctx context.Context) context.Context {
	return ch.Context(ctx, ch.WithSettings(ch.Settings{
		"max_execution_time": 10, "max_result_rows": 4 * MostRows, "result_overflow_mode": "throw", "max_threads": 2,
		"max_memory_usage": 2 << 30, "do_not_merge_across_partitions_select_final": 1,
	}))
}

// read selects rows into structs. {{t}} in the query is the full name of table t.
func read[T any](ctx context.Context, s *Store, what, query string, w *where) ([]T, error) {
	var rows []T
	if err := s.Conn().Select(limited(ctx), &rows, s.named(query), w.args...); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return rows, nil
}

// one reads a row, ErrNone if there is none.
func one[T any](ctx context.Context, s *Store, what, query string, w *where) (row T, err error) {
	rows, err := read[T](ctx, s, what, query, w)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("read %s: %w", what, ErrNone)
	}
	if err != nil {
		return row, err
	}
	return rows[0], nil
}

func (s *Store) named(query string) string {
	for {
		from := strings.Index(query, "{{")
		if from < 0 {
			return query
		}
		to := from + strings.Index(query[from:], "}}")
		query = query[:from] + s.Table(query[from+2:to]) + query[to+2:]
	}
}

// write inserts rows, which are structs.
func write[T any](ctx context.Context, s *Store, what, table string, rows []T) error {
	columns := columnsOf[T]()
	batch, err := s.Conn().PrepareBatch(ctx, "INSERT INTO "+s.Table(table)+" ("+strings.Join(columns, ", ")+")")
	if err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	defer func() { _ = batch.Close() }()
	for i := range rows {
		if err := batch.AppendStruct(&rows[i]); err != nil {
			return fmt.Errorf("write %s: %w", what, err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}

// Day is a gaming day as people write it, empty if unknown.
func Day(t time.Time) string {
	if t.Year() <= 1900 {
		return ""
	}
	return t.Format(time.DateOnly)
}
