package clickhouse

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"
	"golang.org/x/sync/errgroup"
)

// ErrNoHold means that no legal hold with this id is in force.
var ErrNoHold = errors.New("no such legal hold is in force")

// Class is a kind of records and the number of years that they are retained. No table has a TTL for records: a TTL
// ignores legal holds, and drops an ALTER that came while a part was merged.
type Class struct {
	Name  string
	Years int
}

// classTables returns the tables of a class. Monthly tables are dropped by month, the others by row. Tables without a
// class are never deleted: configurations, notices and snapshots, which later replays need, the journal, dead letters,
// triage and legal holds.
func classTables(class string) (monthly bool, tables []string) {
	switch class {
	case "events":
		return true, []string{"events"}
	case "facts":
		return true, []string{"rounds", "wagers", "vigorish", "shoes", "evidence"}
	case "findings":
		return true, []string{"findings"}
	case "exports":
		return false, []string{"audit_runs", "exports"}
	}
	return false, nil
}

// Expired is a set of records that are older than the retention of their class.
type Expired struct {
	Class, Table string
	// Month is yyyymm in UTC. It is empty for a table without months: then the set is the rows of gaming days before
	// Before that no legal hold covers.
	Month, Before string
	Rows          uint64
	Bytes         uint64 // on the disk, of a month
	Held          []Hold // legal holds that cover the month
}

// Hold is a legal hold: it retains the records of a property's gaming days, whatever their age. Of a monthly table it
// retains whole months, of all properties.
type Hold struct {
	ID, Property  string
	From, Until   string // gaming days, inclusive
	Actor, Reason string
	// Placed is when it was placed, to the millisecond; of a hold that was released, when that was.
	Placed time.Time
}

// keeps is true if the hold covers a month. A gaming day may extend a day beyond its date in UTC.
func (h *Hold) keeps(first time.Time) bool {
	next := first.AddDate(0, 1, 1).Format(time.DateOnly)
	return h.Until >= first.AddDate(0, 0, -2).Format(time.DateOnly) && h.From < next
}

// Holds returns the legal holds in force, by id.
func (s *Store) Holds(ctx context.Context) ([]Hold, error) {
	var all []Hold
	var h Hold
	err := s.scan(ctx, `SELECT hold_id, anyIf(property_id, action = 'place'), toString(anyIf(from_day,
action = 'place')),
toString(anyIf(until_day, action = 'place')), anyIf(actor, action = 'place'), anyIf(reason, action = 'place'), min(at)
FROM `+s.name("legal_holds")+" GROUP BY hold_id HAVING countIf(action = 'release') = 0 ORDER BY hold_id", nil, func() {
		all = append(all, h)
	}, &h.ID, &h.Property, &h.From, &h.Until, &h.Actor, &h.Reason, &h.Placed)
	return all, s.explain("read the legal holds", err)
}

// retentionLease excludes a new legal hold while records are deleted.
const retentionLease = "retention"

// Place puts a legal hold in force, from Placed, and returns its id. It fails with ErrHeld while records are deleted.
func (s *Store) Place(ctx context.Context, h Hold) (id string, err error) {
	h.ID = strings.ToLower(rand.Text()[:12])
	return h.ID, s.holding(ctx, h.Actor, func() error { return s.writeHold(ctx, "place", &h) })
}

// Release ends a legal hold and returns it with the actor and the reason of the release, or ErrNoHold.
func (s *Store) Release(ctx context.Context, id, actor, reason string) (released Hold, err error) {
	err = s.holding(ctx, actor, func() error {
		all, err := s.Holds(ctx)
		if err != nil {
			return err
		}
		for _, h := range all {
			if h.ID == id {
				h.Actor, h.Reason, h.Placed = actor, reason, time.Now()
				released = h
				return s.writeHold(ctx, "release", &h)
			}
		}
		return fmt.Errorf("%s: %w", id, ErrNoHold)
	})
	return released, err
}

// holdAction is a row of the legal holds: one is placed or released.
type holdAction struct {
	ID       string    `column:"hold_id,key"`
	At       time.Time `column:"at,milli"`
	Action   string    `column:"action,word"`
	Property string    `column:"property_id,word"`
	From     string    `column:"from_day,day"`
	Until    string    `column:"until_day,day"`
	Actor    string    `column:"actor,word"`
	Reason   string    `column:"reason"`
}

// text is the row in an entry of the console log. The time comes first: what follows a reason may be part of it.
func (h *holdAction) text() string {
	return h.At.UTC().Format("2006-01-02T15:04:05.000Z") + ", " + h.untimed()
}

// untimed is the row in an entry of an earlier release.
func (h *holdAction) untimed() string {
	return fmt.Sprintf("%s to %s, by %s: %s", h.From, h.Until, h.Actor, h.Reason)
}

// LogText is how an entry of the console log describes that a hold is placed or released.
func (h *Hold) LogText() string {
	return (&holdAction{At: h.Placed, From: h.From, Until: h.Until, Actor: h.Actor, Reason: h.Reason}).text()
}

// holdRows passes the rows of the legal holds of a property to each, a row and its repetition once.
func (s *Store) holdRows(ctx context.Context, property string, each func(*holdAction)) error {
	all, err := readRows[holdAction](ctx, s, "legal_holds",
		" WHERE property_id = {property:String} ORDER BY hold_id, at", params("property", property))
	for i := range all {
		each(&all[i])
	}
	return s.explain("read the legal holds", err)
}

func (s *Store) writeHold(ctx context.Context, action string, h *Hold) error {
	row := holdAction{h.ID, h.Placed, action, h.Property, h.From, h.Until, h.Actor, h.Reason}
	return s.explain(action+" a legal hold", put(ctx, s, "legal_holds", "hold:"+action+":"+h.ID, row))
}

// holding calls do with the lease of deletions and legal holds.
func (s *Store) holding(ctx context.Context, holder string, do func() error) error {
	lease, err := s.Take(ctx, retentionLease, holder+" "+rand.Text())
	if err != nil {
		return err
	}
	working, done := context.WithCancel(ctx)
	group, working := errgroup.WithContext(working)
	group.Go(func() error { return lease.Keep(working) })
	group.Go(func() error {
		defer done()
		return do()
	})
	return errors.Join(group.Wait(), lease.Release(context.WithoutCancel(ctx)))
}

// Expired lists the expired records, with the legal holds that cover them.
func (s *Store) Expired(ctx context.Context, classes []Class, now time.Time) ([]Expired, error) {
	holds, err := s.Holds(ctx)
	if err != nil {
		return nil, err
	}
	var all []Expired
	for _, c := range classes {
		before := now.UTC().AddDate(-c.Years, 0, 0)
		monthly, tables := classTables(c.Name)
		for _, table := range tables {
			var more []Expired
			if monthly {
				more, err = s.oldMonths(ctx, c.Name, table, before, holds)
			} else {
				more, err = s.oldRows(ctx, c.Name, table, before, holds)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// oldMonths returns the months of a table that ended before a time.
func (s *Store) oldMonths(ctx context.Context, class, table string, before time.Time, holds []Hold) ([]Expired, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	doing := "read the months of " + table
	parts := "system.parts"
	if s.cfg.Cluster != "" {
		parts = "cluster(" + s.cfg.Cluster + ", system.parts)"
	}
	stored := strings.TrimPrefix(s.cfg.layout().StoredName(table), s.cfg.Database+".")
	result, err := s.conn.Query(ctx, "SELECT partition, sum(rows), sum(bytes_on_disk) FROM "+parts+`
WHERE database = {database:String} AND table = {table:String}
AND active GROUP BY partition HAVING toUInt32(partition) < {before:UInt32} ORDER BY toUInt32(partition)`,
		params("database", s.cfg.Database, "table", stored, "before", before.Format("200601"))...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	var all []Expired
	for result.Next() {
		e := Expired{Class: class, Table: table}
		if err := result.Scan(&e.Month, &e.Rows, &e.Bytes); err != nil {
			return nil, s.explain(doing, err)
		}
		first, err := time.Parse("200601", e.Month)
		if err != nil {
			return nil, fmt.Errorf("%s: partition %q is not a month: %w", doing, e.Month, err)
		}
		for _, h := range holds {
			if h.keeps(first) {
				e.Held = append(e.Held, h)
			}
		}
		all = append(all, e)
	}
	return all, s.explain(doing, result.Err())
}

// oldRows returns the rows of gaming days before a time that no legal hold covers.
func (s *Store) oldRows(ctx context.Context, class, table string, before time.Time, holds []Hold) ([]Expired, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	e := Expired{Class: class, Table: table, Before: before.Format(time.DateOnly)}
	where, args := oldRows(e.Before, holds)
	if err := s.conn.QueryRow(ctx, "SELECT count() FROM "+s.name(table)+" WHERE "+where,
		args...).Scan(&e.Rows); err != nil {
		return nil, s.explain("count the old rows of "+table, err)
	}
	if e.Rows == 0 {
		return nil, nil
	}
	return []Expired{e}, nil
}

func oldRows(before string, holds []Hold) (where string, args []any) {
	where, args = "gaming_day < {before:Date32}", params("before", before)
	for i, h := range holds {
		where += fmt.Sprintf(" AND NOT (property_id = {property_%d:String} AND gaming_day BETWEEN {from_%d:Date32} "+
			"AND {until_%[1]d:Date32})", i, i)
		args = append(args, params(fmt.Sprintf("property_%d", i), h.Property, fmt.Sprintf("from_%d", i), h.From,
			fmt.Sprintf("until_%d", i), h.Until)...)
	}
	return where, args
}

// Delete deletes expired records that no legal hold covers, and calls done for each set after its deletion. It needs
// the role retention. No legal hold can be placed meanwhile.
func (s *Store) Delete(ctx context.Context, classes []Class, now time.Time, holder string, done func(Expired)) error {
	return s.holding(ctx, holder, func() error {
		expired, err := s.Expired(ctx, classes, now)
		if err != nil {
			return err
		}
		holds, err := s.Holds(ctx)
		if err != nil {
			return err
		}
		for _, e := range expired {
			if len(e.Held) > 0 {
				continue
			}
			if err := s.delete(ctx, &e, holds); err != nil {
				return err
			}
			done(e)
		}
		return nil
	})
}

func (s *Store) delete(ctx context.Context, e *Expired, holds []Hold) error {
	alter := "ALTER TABLE " + s.cfg.layout().Stored(e.Table)
	if e.Month != "" {
		ctx = ch.Context(ctx, ch.WithSettings(ch.Settings{"max_partition_size_to_drop": 0}))
		return s.explain("drop month "+e.Month+" of "+e.Table, s.exec(ctx, alter+" DROP PARTITION "+e.Month))
	}
	where, args := oldRows(e.Before, holds)
	ctx = ch.Context(ctx, ch.WithSettings(ch.Settings{"mutations_sync": 2}))
	return s.explain("delete old rows of "+e.Table, s.exec(ctx, alter+" DELETE WHERE "+where, args...))
}
