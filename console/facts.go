package console

import (
	"context"
	"fmt"
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

// properties returns the properties of a scope of which events are stored.
func (c *Console) properties(x *exchange, scope store.Scope) ([]string, error) {
	return facts(c, x, scope, "properties", c.Store.Properties)
}

// currency returns the currency of a table, or of the tables of a property.
func (c *Console) currency(x *exchange, at store.Location) (string, error) {
	at = store.Location{Property: at.Property, Table: at.Table}
	return facts(c, x, x.scope(), at, func(ctx context.Context, scope store.Scope) (string, error) {
		return c.Store.Currency(ctx, scope, at)
	})
}
