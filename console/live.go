package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// live tells open pages that something changed. Pages ask for what it is: a lost or doubled word costs
// nothing.
type live struct {
	mu      sync.Mutex
	clients map[*client]struct{}
	wake    chan struct{}
}

type client struct {
	scope store.Scope
	word  chan change // holds one
}

// change is what a page is told.
type change struct {
	Rows     uint64 `json:"rows"`
	Critical uint64 `json:"critical"`
}

const eventStream = "text/event-stream"

// mostClients is how many pages may listen.
const mostClients = 1000

func newLive() *live { return &live{clients: map[*client]struct{}{}, wake: make(chan struct{}, 1)} }

// poke has the queue looked at now.
func (l *live) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// changed is called after every change that is made here.
func (c *Console) changed() {
	c.cached.clear()
	c.live.poke()
}

func (l *live) add(cl *client) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.clients) >= mostClients {
		return false
	}
	l.clients[cl] = struct{}{}
	return true
}

func (l *live) remove(cl *client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.clients, cl)
}

func (l *live) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.clients)
}

// tell never waits for a page: a word that it has not read yet is added to.
func (l *live) tell(changes map[string]store.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for cl := range l.clients {
		var sum change
		for property, c := range changes {
			if cl.scope.Has(property) {
				sum.Rows += c.Rows
				sum.Critical += c.Critical
			}
		}
		if sum.Rows == 0 {
			continue
		}
		select {
		case old := <-cl.word:
			sum.Rows += old.Rows
			sum.Critical += old.Critical
		default:
		}
		cl.word <- sum
	}
}

// follow watches the queue until ctx is done.
func (c *Console) follow(ctx context.Context, queue chan<- notification) {
	const often, whole = 700 * time.Millisecond, 10 * time.Minute
	each := func(every time.Duration, wake <-chan struct{}, ask func(context.Context) error) {
		var said time.Time
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			case <-wake:
			}
			if err := ask(ctx); err != nil && ctx.Err() == nil && c.Now().Sub(said) > time.Minute {
				said = c.Now()
				c.Log.Warn("the queue cannot be followed", "error", err)
			}
		}
	}
	var wait sync.WaitGroup
	defer wait.Wait()
	wait.Go(func() { each(whole, nil, c.Store.Reload) })
	c.live.poke()
	each(often, c.live.wake, func(ctx context.Context) error {
		err := c.Store.Refresh(ctx)
		if news := c.Store.News(); len(news.Changes) > 0 {
			c.cached.clear()
			c.live.tell(news.Changes)
			if len(c.Channels()) > 0 {
				c.announce(news.Arrived, queue)
			}
		}
		return err
	})
}

// liveStream is server-sent events: a word when the queue changed, and a beat so that a page knows it is
// still told.
func liveStream(c *Console, x *exchange) error {
	const beat = 10 * time.Second
	cl := &client{scope: x.scope(), word: make(chan change, 1)}
	if !c.live.add(cl) {
		return errTooMany
	}
	defer c.live.remove(cl)
	control := http.NewResponseController(x.w)
	x.w.Header().Set("Content-Type", eventStream)
	x.w.Header().Set("X-Accel-Buffering", "no")
	send := func(event string, v any) error {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := control.SetWriteDeadline(time.Now().Add(beat)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(x.w, "event: %s\ndata: %s\n\n", event, data); err != nil {
			return err
		}
		return control.Flush()
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	end := time.After(longestSession)
	if err := send("beat", map[string]int64{"now": c.Now().UnixMilli()}); err != nil {
		return nil
	}
	for {
		var err error
		select {
		case <-x.r.Context().Done():
			return nil
		case <-end:
			return nil
		case w := <-cl.word:
			err = send("change", w)
		case <-tick.C:
			// A session that ended, or a right that was taken away, ends the stream.
			if who := c.who(x.r); who == nil || !who.May(See) {
				return nil
			}
			err = send("beat", map[string]int64{"now": c.Now().UnixMilli()})
		}
		if err != nil {
			return nil // whoever listened is gone
		}
	}
}
