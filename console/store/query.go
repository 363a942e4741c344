package store

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"
)

// MaxRows is the maximum number of rows that a page reads of one kind.
const MaxRows = 5000

// maxScan is the maximum number of rows of a query that no page shows whole. The roles of audit grants allow no more.
const maxScan = 10_000_000

// where collects conditions with their parameters.
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

// and adds a condition with its parameters as name, value pairs.
func (w *where) and(condition string, args ...any) *where {
	w.conditions = append(w.conditions, condition)
	return w.with(args...)
}

// with adds parameters as name, value pairs.
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

// since adds column >= t, with t as the parameter {since:Int64} in nanoseconds.
func (w *where) since(column string, t time.Time) *where {
	return w.and(column+" >= fromUnixTimestamp64Nano({since:Int64})", "since", t.UnixNano())
}

// before adds column < t, with t as the parameter {before:Int64} in nanoseconds.
func (w *where) before(column string, t time.Time) *where {
	return w.and(column+" < fromUnixTimestamp64Nano({before:Int64})", "before", t.UnixNano())
}

func (w *where) String() string {
	if len(w.conditions) == 0 {
		return "1"
	}
	return strings.Join(w.conditions, " AND ")
}

// AnswerWithin is the longest wait for an answer to a statement. It is above the server's own limit of 10 s, which a
// server that hangs does not keep.
const AnswerWithin = 12 * time.Second

// undated hides the deadline of a context, which the driver would send as the server's limit. It still ends.
type undated struct{ context.Context }

func (undated) Deadline() (time.Time, bool) { return time.Time{}, false }

// limited sets the limits of a statement. Most statements read a few granules, so their fixed cost counts. Skip indexes
// are read when a statement is planned: filtering granules while they are read costs some milliseconds more. One thread
// reads and computes: a second thread, or a pool of threads that reads files, costs more in hand-overs than it saves.
func limited(ctx context.Context) context.Context {
	settings := ch.Settings{
		"max_execution_time": 10, "max_result_rows": 4 * MaxRows, "result_overflow_mode": "throw", "max_threads": 1,
		"max_memory_usage": 2 << 30, "do_not_merge_across_partitions_select_final": 1, "use_skip_indexes_on_data_read": 0,
		"local_filesystem_read_method": "pread", "priority": 1,
		// A statement over some thousand rows gains nothing by machine code that is compiled for it.
		"compile_expressions": 0, "compile_aggregate_expressions": 0, "compile_sort_description": 0,
	}
	if ctx.Value(background{}) != nil {
		settings["priority"], settings["low_priority_query_wait_time_ms"] = 2, 100
	}
	return ch.Context(undated{ctx}, ch.WithSettings(settings))
}

// background is the key of a context whose statements yield.
type background struct{}

// Background returns a context whose statements yield to statements of other contexts: while one of these runs, they
// wait at each block of rows, at most a tenth of a second.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, background{}, true)
}

// read selects rows into structs. {{t}} in the query stands for the full name of table t.
func read[T any](ctx context.Context, s *Store, what, query string, w *where) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerWithin)
	defer cancel()
	var rows []T
	if err := s.Conn().Select(limited(ctx), &rows, s.expand(query), w.args...); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return rows, nil
}

// list selects the columns of T; tail is the query after SELECT columns FROM.
func list[T any](ctx context.Context, s *Store, what, tail string, w *where) ([]T, error) {
	return read[T](ctx, s, what, "SELECT "+columns[T]()+" FROM "+tail, w)
}

// one reads one row, or returns ErrNotFound.
func one[T any](ctx context.Context, s *Store, what, query string, w *where) (row T, err error) {
	rows, err := read[T](ctx, s, what, query, w)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("read %s: %w", what, ErrNotFound)
	}
	if err != nil {
		return row, err
	}
	return rows[0], nil
}

// expand replaces each {{t}} by the full name of table t.
func (s *Store) expand(query string) string {
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
	batch, err := s.Conn().PrepareBatch(ctx, "INSERT INTO "+s.Table(table)+" ("+columns[T]()+")")
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

// columns lists the columns of a row: the ch tags of its fields.
func columns[T any]() string {
	return strings.Join(columnsOf(reflect.TypeFor[T]()), ", ")
}

func columnsOf(row reflect.Type) (names []string) {
	for f := range row.Fields() {
		switch tag := f.Tag.Get("ch"); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			names = append(names, columnsOf(f.Type)...)
		case tag != "":
			names = append(names, tag)
		}
	}
	return names
}

// limit returns a LIMIT clause of n rows, or of 200 if n is not within 1 to MaxRows.
func limit(n int) string { return fmt.Sprint(" LIMIT ", LimitOf(n)) }

// All as a limit of the queue selects all findings.
const All = math.MaxInt

// LimitOf returns the number of rows of a limit: 200 if it is not within 1 to MaxRows.
func LimitOf(n int) int {
	if n == All {
		return n
	}
	if n <= 0 || n > MaxRows {
		return 200
	}
	return n
}
