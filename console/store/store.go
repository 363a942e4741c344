// Package store reads and writes ClickHouse for the console.
//
// Findings, rounds, wagers and shoes are written by ingest; this package reads them. It writes the state of open
// findings, and four tables of the console: the actions of triage, silences, hand-overs and the console log. Open
// findings are served from a cache in memory that follows the table open_findings (see queueCache). Everything else is
// a query for each page.
//
// Three guarantees hold for every statement. Values reach ClickHouse only as {name:Type} parameters, never as text of
// the statement. Every read has a limit of time, memory and rows, and is restricted to the properties of a Scope. A key
// is returned once, in its newest version, even if ClickHouse has not merged its versions yet.
package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// ErrNotFound reports a row that does not exist or is out of scope. The two must not be distinguishable.
var ErrNotFound = errors.New("not found")

// ErrNoArchive reports that no configured user may read events.
var ErrNoArchive = errors.New(
	"read access to the archive denied: console.archive.user is not set or lacks the role archive")

// Store is safe for concurrent use.
type Store struct {
	*clickhouse.Store
	archive *clickhouse.Store // connection that may read events
	now     func() time.Time
	cache   queueCache
	chains  chains
	triage  sync.Mutex // from the read of the states to the write of the actions
	maxOpen int64
	// recorded is called with the actions and the lines of the console log that this process has written.
	recorded atomic.Pointer[func([]Action, []Entry)]
}

// Open connects to a database whose schema has the version of this program. Events are read as the user of archive,
// if one is configured.
func Open(ctx context.Context, cfg, archive clickhouse.Config, now func() time.Time) (*Store, error) {
	s, err := clickhouse.Open(ctx, cfg)
	if err != nil || archive.User == "" {
		return On(s, now), err
	}
	a, err := clickhouse.Open(ctx, archive)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("console.archive: %w", err), s.Close())
	}
	return &Store{Store: s, archive: a, now: now, maxOpen: maxOpen}, nil
}

// On uses a connection that its caller closes, also for events.
func On(s *clickhouse.Store, now func() time.Time) *Store {
	return &Store{Store: s, archive: s, now: now, maxOpen: maxOpen}
}

// Close closes the connections.
func (s *Store) Close() error {
	err := s.Store.Close()
	if s.archive != s.Store {
		err = errors.Join(err, s.archive.Close())
	}
	return err
}

// archiveError wraps an error of a read of events.
func archiveError(err error) error {
	const accessDenied = 497
	if e, ok := errors.AsType[*ch.Exception](err); ok && e.Code == accessDenied {
		err = ErrNoArchive
	}
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	return nil
}

// Overloaded reports whether a statement failed because ClickHouse did not complete it in its time limit, or because
// too many statements ran.
func Overloaded(err error) bool {
	const timeoutExceeded, tooSlow, tooManyQueries = 159, 160, 202
	e, ok := errors.AsType[*ch.Exception](err)
	return ok && (e.Code == timeoutExceeded || e.Code == tooSlow || e.Code == tooManyQueries) ||
		errors.Is(err, ch.ErrAcquireConnTimeout)
}

// Unreachable reports whether a statement failed because the connection to ClickHouse did, or because no answer came in
// time. The errors of other servers have a URL.
func Unreachable(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	_, other := errors.AsType[*url.Error](err)
	return (network || errors.Is(err, context.DeadlineExceeded)) && !other
}

// Scope is the set of properties that a user may see.
type Scope struct {
	All        bool
	Properties []string
}

// Has reports whether a property is in scope.
func (s Scope) Has(property string) bool {
	return s.All || slices.Contains(s.Properties, property)
}

// Day formats a gaming day as YYYY-MM-DD; an unknown day is empty.
func Day(t time.Time) string {
	if t.Year() <= 1900 {
		return ""
	}
	return t.Format(time.DateOnly)
}
