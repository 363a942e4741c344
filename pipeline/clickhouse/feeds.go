package clickhouse

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Waiting is a table whose events wait for a missing event, as ingest last reported it.
type Waiting struct {
	PropertyID string    `column:"property_id,word,key"`
	TableID    string    `column:"table_id,word,key"`
	Topic      string    `column:"topic,word"`
	Partition  int32     `column:"partition"`
	Missing    uint64    `column:"missing"`     // the first missing seq
	Events     uint32    `column:"events"`      // that wait; 0 if the table no longer waits
	Since      time.Time `column:"since,milli"` // by the clock of ingest, in milliseconds
}

// Waiting returns the tables of a topic that wait, by property and table.
func (s *Store) Waiting(ctx context.Context, topic string) ([]Waiting, error) {
	all, err := selected[Waiting](ctx, s, "waiting",
		"topic = {topic:String} AND events > 0 ORDER BY property_id, table_id", params("topic", topic))
	return all, s.explain("read which tables wait", err)
}

// WriteWaiting stores what waits at tables. It is no part of a flush: a later row takes the place of an earlier one.
func (s *Store) WriteWaiting(ctx context.Context, rows []Waiting) error {
	// The same rows may be true again: each insert has a token of its own.
	token := fmt.Sprintf("waiting:%d", time.Now().UnixNano())
	return s.explain("write which tables wait", put(ctx, s, "waiting", token, rows...))
}

// TableFeed is the last event of a table, and what waits there.
type TableFeed struct {
	PropertyID string    `ch:"property_id" json:"property_id"`
	PitID      string    `ch:"pit_id" json:"pit_id"`
	TableID    string    `ch:"table_id" json:"table_id"`
	At         time.Time `ch:"at" json:"at"`
	Seq        uint64    `ch:"seq" json:"seq"`
	ShoeID     string    `ch:"shoe_id" json:"shoe_id"`
	Round      uint32    `ch:"round" json:"round"`
	Kind       string    `ch:"kind" json:"kind"`
	ReceivedAt time.Time `ch:"received_at" json:"received_at"`
	// Missing is the first missing seq, Events how many events wait for it, Since since when; 0 if none waits.
	Missing uint64    `ch:"missing" json:"missing"`
	Events  uint32    `ch:"events" json:"waiting_events"`
	Since   time.Time `ch:"since" json:"waiting_since,omitzero"`
}

// FeedQuery is the query of feeds; %s is a condition on them. A caller writes full names of tables for the {{names}}.
const FeedQuery = `SELECT f.property_id AS property_id, f.pit_id AS pit_id, f.table_id AS table_id, f.at AS at,
	f.seq AS seq, f.shoe_id AS shoe_id, f.round AS round, f.kind AS kind, f.received_at AS received_at,
	w.missing AS missing, w.events AS events, w.since AS since
	FROM (SELECT * FROM {{feeds}} FINAL WHERE %s
		ORDER BY received_at DESC, seq DESC, clock LIMIT 1 BY property_id, table_id) AS f GLOBAL LEFT JOIN (SELECT property_id, table_id, missing, events, since
		FROM {{waiting}} FINAL WHERE events > 0) AS w ON f.property_id = w.property_id AND f.table_id = w.table_id
	ORDER BY property_id, pit_id, table_id LIMIT 2000`

// MaxFeeds is the number of feeds that FeedQuery returns at most.
const MaxFeeds = 2000

// Feeds returns the feeds of a property, or of all, by property, pit and table.
func (s *Store) Feeds(ctx context.Context, property string) (all []TableFeed, err error) {
	query := fmt.Sprintf(FeedQuery, "{property:String} IN ('', property_id)")
	query = strings.NewReplacer("{{feeds}}", s.name("feeds"), "{{waiting}}", s.name("waiting")).Replace(query)
	all, err = list[TableFeed](ctx, s, "read the feeds", query, params("property", property)...)
	for i := range all {
		if all[i].Events == 0 {
			all[i].Since = time.Time{}
		}
	}
	return all, err
}

// Properties returns the properties of which events are stored, in order.
func (s *Store) Properties(ctx context.Context) ([]string, error) {
	names := []string{}
	var name string
	err := s.scan(ctx, "SELECT DISTINCT property_id AS name FROM "+s.name("feeds")+" ORDER BY name LIMIT 1000", nil,
		func() { names = append(names, name) }, &name)
	return names, s.explain("read the properties", err)
}

// The ages of the last record of a table from which its feed is slow or stale.
const (
	feedSlow  = 30 * time.Second
	feedStale = 2 * time.Minute
)

// State is live, slow, stale, closed, or waiting if events of the table wait for a missing one.
func (f *TableFeed) State(now time.Time) string {
	switch age := now.Sub(f.ReceivedAt); {
	case f.Events > 0:
		return "waiting"
	case f.Kind == "table_closed":
		return "closed"
	case age > feedStale:
		return "stale"
	case age > feedSlow:
		return "slow"
	}
	return "live"
}
