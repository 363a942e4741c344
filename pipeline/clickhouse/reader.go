package clickhouse

import (
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// reader reads whole rows of a table, as its declaration has them. It is for one query at a time.
type reader[R any] struct {
	columns string // of the SELECT

	row    R
	into   []any // pointers into row, one for each column of the SELECT
	finish []func() error
}

// unknown is the zero of Date32.
const unknown = "1900-01-01"

func newReader[R any](t *rows.Table) *reader[R] {
	r := &reader[R]{}
	for i := range t.Columns {
		c := &t.Columns[i]
		expression, into := c.Name, c.Ref(&r.row)
		switch field := into.(type) {
		case *int64:
			if c.As == rows.Time {
				expression = "toUnixTimestamp64Nano(" + c.Name + ")"
			}
		case *string:
			if c.As == rows.Day {
				expression = "toString(" + c.Name + ")"
				r.finish = append(r.finish, func() error {
					if *field == unknown {
						*field = ""
					}
					return nil
				})
			}
		case *finding.Severity:
			word := new(string)
			into = word
			r.finish = append(r.finish, func() error { return field.UnmarshalText([]byte(*word)) })
		case *finding.Evidence:
			expression = c.Name + ".seqs, " + c.Name + ".event_ids"
			r.into, into = append(r.into, &field.Seqs), &field.EventIDs
		}
		if i > 0 {
			r.columns += ", "
		}
		r.columns += expression
		r.into = append(r.into, into)
	}
	return r
}

// each passes the rows of a result to next until it returns false, and closes the result.
func (r *reader[R]) each(result driver.Rows, next func(*R) bool) error {
	defer func() { _ = result.Close() }()
	var zero R
	for result.Next() {
		r.row = zero
		if err := result.Scan(r.into...); err != nil {
			return err
		}
		for _, finish := range r.finish {
			if err := finish(); err != nil {
				return fmt.Errorf("%w: %w", ErrSchema, err)
			}
		}
		row := r.row
		if !next(&row) {
			return nil
		}
	}
	return result.Err()
}

// all reads all rows of a result, and closes it.
func (r *reader[R]) all(result driver.Rows) ([]R, error) {
	var all []R
	err := r.each(result, func(row *R) bool {
		all = append(all, *row)
		return true
	})
	return all, err
}
