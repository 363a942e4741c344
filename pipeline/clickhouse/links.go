package clickhouse

import (
	"cmp"
	"context"
	"iter"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// link is a row of either table of the chains.
type link struct {
	chain      string
	no         uint64
	prev, hash string
	key, mac   string
	step       *rows.Step // nil of an entry
	entry      *rows.Entry
}

// sound reports whether the row has the hash of its content.
func (l *link) sound() bool {
	if l.step != nil {
		return l.step.Sum() == l.hash
	}
	return l.entry.Sum() == l.hash
}

// cursor reads the rows of one table of the chains in the order of its query.
type cursor struct {
	s      *Store
	doing  string
	table  string
	result driver.Rows
	cancel context.CancelFunc
	link
	more bool
	err  error
}

// cursor selects the rows of a property; tail is the rest of the query after its condition.
func (s *Store) cursor(ctx context.Context, table, property, tail string) (*cursor, error) {
	c := &cursor{s: s, doing: "read the chains of " + table, table: table}
	columns := stepColumns
	if table == "console_log" {
		columns = entryColumns
	}
	ctx, c.cancel = context.WithTimeout(ctx, s.cfg.ReadTimeout)
	result, err := s.conn.Query(ctx, "SELECT "+columns+" FROM "+s.name(table)+
		" WHERE property_id = {property:String} "+tail, params("property", property)...)
	if err != nil {
		c.cancel()
		return nil, s.explain(c.doing, err)
	}
	c.result = result
	return c, nil
}

func (c *cursor) close() {
	_ = c.result.Close()
	c.cancel()
}

// next reads the next row.
func (c *cursor) next() bool {
	if c.more = c.err == nil && c.result.Next(); !c.more {
		if c.err == nil {
			c.err = c.s.explain(c.doing, c.result.Err())
		}
		return false
	}
	var err error
	if c.table == "console_log" {
		r := &rows.Entry{}
		err = c.result.Scan(&r.PropertyID, &r.At, &r.Actor, &r.Role, &r.Action, &r.Object, &r.Detail, &r.Remote, &r.Issuer,
			&r.Subject, &r.Method, &r.Session, &r.Program, &r.Chain, &r.Link, &r.Prev, &r.Hash, &r.Key, &r.MAC)
		c.link = link{chain: r.Chain, no: r.Link, prev: r.Prev, hash: r.Hash, key: r.Key, mac: r.MAC, entry: r}
	} else {
		r := &rows.Step{}
		err = c.result.Scan(&r.FindingID, &r.At, &r.PropertyID, &r.Actor, &r.Action, &r.From, &r.To, &r.Disposition,
			&r.Reason, &r.Note, &r.Role, &r.Issuer, &r.Subject, &r.Method, &r.Session, &r.Program, &r.Chain, &r.Link, &r.Prev,
			&r.Hash, &r.Key, &r.MAC)
		c.link = link{chain: r.Chain, no: r.Link, prev: r.Prev, hash: r.Hash, key: r.Key, mac: r.MAC, step: r}
	}
	if err != nil {
		c.err, c.more = c.s.explain(c.doing, err), false
	}
	return c.more
}

// links returns the links of a property by chain and number, from both tables. It keeps one row of each.
func (s *Store) links(ctx context.Context, property string) iter.Seq2[*link, error] {
	return func(yield func(*link, error) bool) {
		const order = "AND chain != '' ORDER BY chain, link"
		steps, err := s.cursor(ctx, "finding_actions", property, order)
		if err != nil {
			yield(nil, err)
			return
		}
		defer steps.close()
		entries, err := s.cursor(ctx, "console_log", property, order)
		if err != nil {
			yield(nil, err)
			return
		}
		defer entries.close()
		steps.next()
		entries.next()
		for steps.more || entries.more {
			from := steps
			if !steps.more || entries.more &&
				cmp.Or(strings.Compare(entries.chain, steps.chain), cmp.Compare(entries.no, steps.no)) < 0 {
				from = entries
			}
			now := from.link
			if !yield(&now, nil) {
				return
			}
			from.next()
		}
		if err := cmp.Or(steps.err, entries.err); err != nil {
			yield(nil, err)
		}
	}
}

// StepsByFinding passes the chained actions of triage of each finding of a property to each, in the order of their
// times. Of the note only that of an assignment is kept, which is the new owner.
func (s *Store) StepsByFinding(ctx context.Context, property string, each func([]rows.Step)) error {
	c, err := s.cursor(ctx, "finding_actions", property, "AND chain != '' ORDER BY finding_id, "+StepOrder)
	if err != nil {
		return err
	}
	defer c.close()
	var of []rows.Step
	for c.next() {
		if len(of) > 0 && of[0].FindingID != c.step.FindingID {
			each(of)
			of = of[:0]
		}
		if c.step.Reason = ""; c.step.Action != rows.Assign {
			c.step.Note = ""
		}
		of = append(of, *c.step)
	}
	if len(of) > 0 && c.err == nil {
		each(of)
	}
	return c.err
}
