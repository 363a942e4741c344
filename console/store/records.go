package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Handover is the hand-over of a shift, or the acceptance of one by the incoming person.
type Handover struct {
	PropertyID string    `ch:"property_id"`
	At         time.Time `ch:"at"`
	GamingDay  time.Time `ch:"gaming_day"`
	Shift      string    `ch:"shift"`
	Actor      string    `ch:"actor"`
	Note       string    `ch:"note"`
	Open       uint32    `ch:"open"`
	Critical   uint32    `ch:"critical"`
	Unassigned uint32    `ch:"unowned"`
	ID         string    `ch:"id"` // empty in rows of older releases
	Action     string    `ch:"action"`
	Issuer     string    `ch:"issuer"`
	Subject    string    `ch:"subject"`
}

// Accepted is the action of a row that accepts a hand-over.
const Accepted = "accept"

// SignedHandover is a hand-over with what was handed over, as JSON.
type SignedHandover struct {
	Handover
	Snapshot string `ch:"snapshot"`
}

// Handovers returns the latest hand-overs and acceptances, the latest first.
func (s *Store) Handovers(ctx context.Context, scope Scope) ([]Handover, error) {
	w := in(scope)
	return list[Handover](ctx, s, "hand-overs", `{{handovers}} WHERE `+w.String()+` ORDER BY at DESC, property_id, id, action, issuer, subject LIMIT 60`, w)
}

// Handover returns a hand-over and its acceptances, in order.
func (s *Store) Handover(ctx context.Context, scope Scope, property, id string) ([]SignedHandover, error) {
	w := in(scope).and("property_id = {property_id:String} AND id = {id:String} AND id != ''",
		"property_id", property, "id", id)
	return list[SignedHandover](ctx, s, "a hand-over", `{{handovers}} WHERE `+w.String()+` ORDER BY at, action, issuer, subject LIMIT 10`, w)
}

// HandOver stores a hand-over, or the acceptance of one.
func (s *Store) HandOver(ctx context.Context, h SignedHandover) error {
	return write(ctx, s, "a hand-over", "handovers", []SignedHandover{h})
}

// Entry is a line of the console log.
type Entry struct {
	PropertyID string    `ch:"property_id"`
	At         time.Time `ch:"at"`
	Actor      string    `ch:"actor"`
	Role       string    `ch:"role"`
	Action     string    `ch:"action"`
	Object     string    `ch:"object"`
	Detail     string    `ch:"detail"`
	Remote     string    `ch:"remote"`
	Who
	Link
}

// Log appends to the console log.
func (s *Store) Log(ctx context.Context, entries ...Entry) error {
	return s.record(ctx, nil, entries)
}

// EntryQuery selects lines of the console log. A zero field selects all.
type EntryQuery struct {
	Property, Actor, Action, Object string
	Since, Until                    time.Time
	After                           Entry // the last line of the page before
	Limit                           int
}

// Entries returns lines of the console log, the latest first. It reads few granules where the last day has enough of
// them.
func (s *Store) Entries(ctx context.Context, scope Scope, q EntryQuery) ([]Entry, error) {
	if q.Since.IsZero() {
		last := q
		last.Since = cmp.Or(q.After.At, q.Until, s.now()).AddDate(0, 0, -1)
		if found, err := s.entries(ctx, scope, last); err != nil || len(found) == LimitOf(q.Limit) {
			return found, err
		}
	}
	return s.entries(ctx, scope, q)
}

func (s *Store) entries(ctx context.Context, scope Scope, q EntryQuery) ([]Entry, error) {
	w := in(scope).equal("property_id", q.Property).equal("actor", q.Actor).equal("action", q.Action).
		equal("object", q.Object)
	if !q.Since.IsZero() {
		w.since("at", q.Since)
	}
	if !q.Until.IsZero() {
		w.before("at", q.Until)
	}
	if last := &q.After; !last.At.IsZero() {
		w.and(`at <= fromUnixTimestamp64Micro({last:Int64}) AND (at < fromUnixTimestamp64Micro({last:Int64})
			OR chain > {chain:String} OR chain = {chain:String} AND link < {link:UInt64})`,
			"last", last.At.UnixMicro(), "chain", last.Chain, "link", last.Link.Link)
	}
	return list[Entry](ctx, s, "the console log",
		`{{console_log}} WHERE `+w.String()+` ORDER BY at DESC, chain, link DESC`+limit(q.Limit), w)
}

// MaxGrants is the maximum number of grants of a property that Granted returns, the latest ones.
const MaxGrants = 200

// Granted returns the lines of the console log with an action that were not taken back by a line with another action
// about the same object. It leaves out lines that no console wrote: they are not as their hash, or lack the HMAC.
func (s *Store) Granted(ctx context.Context, grant, revoke string, since time.Time) ([]Entry, error) {
	w := (&where{}).equal("action", grant).since("at", since).and("object NOT IN (SELECT object FROM {{console_log}} "+
		"WHERE action = {revoke:String})", "revoke", revoke)
	all, err := list[Entry](ctx, s, "the console log", fmt.Sprintf(`{{console_log}} WHERE %s
		ORDER BY property_id, at DESC, chain, link DESC LIMIT %d BY property_id`, w.String(), MaxGrants), w)
	return slices.DeleteFunc(all, func(e Entry) bool {
		row, keys := e.row(), s.ChainKeys()
		return row.Hash != row.Sum() || len(keys) > 0 && keys.Verify(row.Hash, row.Key, row.MAC) != ""
	}), err
}

// Acted reports whether a user with this name signed in, or did anything else that the log of any property has.
func (s *Store) Acted(ctx context.Context, name string) (bool, error) {
	w := (&where{}).equal("actor", name)
	found, err := s.names(ctx, "the users", "SELECT DISTINCT actor AS name FROM {{console_log}} WHERE "+w.String()+
		" AND issuer != '' LIMIT 1", w)
	return len(found) > 0, err
}

// Actions of the console log about the notification of a finding: the object is the finding, the detail the channel and
// after a colon the reason of a failure.
const (
	Notified     = "notified"
	NotNotified  = "notify-failed"
	NotifyBegins = "notify-begin" // no finding that arrived before is notified
)

// Notices returns the lines of the console log about notifications since a moment, the first one first. Of more than
// 20,000 it returns the last ones.
func (s *Store) Notices(ctx context.Context, since time.Time) ([]Entry, error) {
	w := (&where{}).since("at", since).and("action IN {actions:Array(String)}", "actions",
		[]string{Notified, NotNotified, NotifyBegins})
	return list[Entry](ctx, s, "the console log",
		`(SELECT * FROM {{console_log}} WHERE `+w.String()+` ORDER BY at DESC, chain, link DESC LIMIT 20000) ORDER BY at, chain, link`, w)
}

// Properties returns the names of the properties in scope that have a table.
func (s *Store) Properties(ctx context.Context, scope Scope) ([]string, error) {
	w := in(scope)
	return s.names(ctx, "properties",
		"SELECT DISTINCT property_id AS name FROM {{feeds}} WHERE "+w.String()+" ORDER BY name LIMIT 1000", w)
}

// names reads a query of one column, name.
func (s *Store) names(ctx context.Context, what, query string, w *where) ([]string, error) {
	type row struct {
		Name string `ch:"name"`
	}
	rows, err := read[row](ctx, s, what, query, w)
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Name
	}
	return names, err
}
