package console

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/shoeproof/shoeproof/console/store"
)

// fetch runs find in a group and stores its result.
func fetch[T any](all *errgroup.Group, into *T, find func() (T, error)) {
	all.Go(func() (err error) {
		*into, err = find()
		return err
	})
}

// cache shares one query among the pages that need its answer.
type cache struct {
	now func() time.Time
	// background, if not nil, receives the queries that refresh an answer; a request meanwhile gets the old answer.
	background chan func()
	flight     singleflight.Group
	mu         sync.Mutex
	answers    map[string]answer
	// generation increases with each clear. An answer to a query of an older generation is not cached.
	generation uint64
}

type answer struct {
	value any
	// fresh is until when the value is used as it is, usable until when it is used during a refresh.
	fresh, usable time.Time
}

// clear removes all answers.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.answers)
	c.generation++
}

func (c *cache) get(key string) (a answer, ok bool, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok = c.answers[key]
	return a, ok, c.generation
}

func (c *cache) put(key string, value any, ttl time.Duration, generation uint64) {
	const maxAnswers = 200
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) >= maxAnswers {
		maps.DeleteFunc(c.answers, func(_ string, a answer) bool { return !now.Before(a.usable) })
	}
	if len(c.answers) >= maxAnswers {
		clear(c.answers)
	}
	if c.answers == nil {
		c.answers = map[string]answer{}
	}
	if c.generation == generation {
		c.answers[key] = answer{value, now.Add(ttl), now.Add(2 * ttl)}
	}
}

// cached returns an answer that is at most ttl old, or at most twice that if the cache refreshes in the background. It
// queries at most once per ttl, with a context that ends at the deadline of ctx alone: other requests share the answer,
// which must not be changed. In the background the query yields to the queries of requests.
func cached[T any](
	ctx context.Context, c *cache, key string, ttl time.Duration, query func(context.Context) (T, error),
) (T, error) {
	a, ok, generation := c.get(key)
	now := c.now()
	if ok && now.Before(a.fresh) {
		return a.value.(T), nil
	}
	refresh := func(ctx context.Context) (any, error) {
		v, err := query(ctx)
		if err == nil {
			c.put(key, v, ttl, generation)
		}
		return v, err
	}
	if ok && c.background != nil && now.Before(a.usable) {
		select {
		case c.background <- func() {
			if a, _, _ := c.get(key); !c.now().Before(a.fresh) {
				// No flight: a request that joined it would yield to others.
				_, _ = refresh(store.Background(context.WithoutCancel(ctx)))
			}
		}:
		default: // another refresh is queued; the next request tries again
		}
		return a.value.(T), nil
	}
	v, err, _ := c.flight.Do(fmt.Sprint(generation, key), func() (any, error) {
		ctx, done := detached(ctx)
		defer done()
		return refresh(ctx)
	})
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}

// detached returns a context that ends at the deadline of ctx, but not with the request.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	if until, ok := ctx.Deadline(); ok {
		return context.WithDeadline(context.WithoutCancel(ctx), until)
	}
	return context.WithoutCancel(ctx), func() {}
}
