package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// factsTTL is how long requests share what was recorded of a table. It is no state of a finding: see evidenceTTL.
const factsTTL = 5 * time.Second

// facts returns an answer that requests of one scope share for factsTTL; about is what the query depends on besides.
func facts[T any](
	c *Console, x *exchange, scope store.Scope, about any, query func(context.Context, store.Scope) (T, error),
) (T, error) {
	var of T
	key := fmt.Sprintf("%T %#v %#v", of, scope, about)
	return cached(x.r.Context(), &c.facts, key, factsTTL, func(ctx context.Context) (T, error) {
		return query(ctx, scope)
	})
}

// errNone is the result of a query that found nothing. It is not cached: the first events of a property or a table show
// at once.
var errNone = errors.New("nothing is stored")

// lasting returns an answer that hardly ever changes. Requests of one scope share it for a minute, unless it is empty.
func lasting[T any](
	c *Console, x *exchange, scope store.Scope, about any, query func(context.Context, store.Scope) (T, bool, error),
) (of T, err error) {
	key := fmt.Sprintf("lasting %T %#v %#v", of, scope, about)
	of, err = cached(x.r.Context(), &c.lasting, key, time.Minute, func(ctx context.Context) (T, error) {
		of, found, err := query(ctx, scope)
		if err == nil && !found {
			err = errNone
		}
		return of, err
	})
	if errors.Is(err, errNone) {
		err = nil
	}
	return of, err
}

// properties returns the properties of a scope of which events are stored.
func (c *Console) properties(x *exchange, scope store.Scope) ([]string, error) {
	return lasting(c, x, scope, "properties", func(ctx context.Context, scope store.Scope) ([]string, bool, error) {
		all, err := c.Store.Properties(ctx, scope)
		return all, len(all) > 0, err
	})
}

// exists returns ErrNotFound for a property of which the user sees nothing, or of which no table is known: a mistyped
// name must not look like a day without findings.
func (x *exchange) exists(property string) error {
	scope := x.scope()
	if property == "" || !scope.Has(property) {
		return store.ErrNotFound
	}
	known, err := x.c.properties(x, scope)
	if err == nil && !slices.Contains(known, property) {
		known, err = x.c.Store.Properties(x.r.Context(), scope) // it may be new
	}
	if err == nil && !slices.Contains(known, property) {
		return store.ErrNotFound
	}
	return err
}

// several reports whether the user sees more than one property: pages then name the property of a table. It is true if
// that cannot be told.
func (x *exchange) several() bool {
	scope := x.user.Scope(permSee)
	if !scope.All {
		names := slices.Clone(scope.Properties)
		slices.Sort(names)
		return len(slices.Compact(names)) > 1
	}
	all, err := x.c.properties(x, scope)
	return err != nil || len(all) > 1
}

// currency returns the currency of a table, or of the tables of a property.
func (c *Console) currency(x *exchange, at store.Location) (string, error) {
	at = store.Location{Property: at.Property, Table: at.Table}
	return lasting(c, x, x.scope(), at, func(ctx context.Context, scope store.Scope) (string, bool, error) {
		currency, err := c.Store.Currency(ctx, scope, at)
		return currency, currency != "", err
	})
}
