package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// live notifies open pages that the queue changed. A page then fetches the queue itself, so a lost or repeated
// notification does no harm.
type live struct {
	mu      sync.Mutex
	clients map[*client]struct{}
	wake    chan struct{}
	name    string                  // of this process
	total   map[string]store.Change // since its start, by property
}

type client struct {
	user  string
	scope store.Scope
	next  chan struct{} // buffered, one element
}

// seen are the changes of the queue since the start of the console. A page has those from before it was rendered; a
// sign of life with other numbers brings what the page missed. Of names what is counted: a console and properties.
// Until is the time of ClickHouse until which it counts, in milliseconds, 0 before the console has read the queue. With
// it another console, or this one after a restart, knows what the page missed.
type seen struct {
	Of       string `json:"of"`
	Rows     uint64 `json:"rows"`
	Critical uint64 `json:"critical"`
	Until    int64  `json:"until"`
}

const eventStream = "text/event-stream"

// maxClients is the maximum number of open streams, maxOfUser of one user: a room has a few screens.
const (
	maxClients = 1000
	maxOfUser  = 16
)

func newLive() *live {
	return &live{
		clients: map[*client]struct{}{}, wake: make(chan struct{}, 1), name: rand.Text(), total: map[string]store.Change{},
	}
}

// refresh makes follow read the queue now.
func (l *live) refresh() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// changed is called after each change that a user of this console makes.
func (c *Console) changed() {
	c.volatile.clear()
	c.live.refresh()
}

func (l *live) add(cl *client) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := 0
	for other := range l.clients {
		if other.user == cl.user {
			of++
		}
	}
	if len(l.clients) >= maxClients || of >= maxOfUser {
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

// notify never blocks: a page that has not received the change before receives both as one.
func (l *live) notify(changes map[string]store.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for property, c := range changes {
		sum := l.total[property]
		l.total[property] = store.Change{Rows: sum.Rows + c.Rows, Critical: sum.Critical + c.Critical}
	}
	for cl := range l.clients {
		for property := range changes {
			if cl.scope.Has(property) {
				select {
				case cl.next <- struct{}{}:
				default:
				}
				break
			}
		}
	}
}

func (c *Console) seen(scope store.Scope) seen {
	l := c.live
	l.mu.Lock()
	defer l.mu.Unlock()
	s := seen{Of: fmt.Sprintf("%s %t %q", l.name, scope.All, scope.Properties)}
	if until := c.Store.ReadUntil(); !until.IsZero() {
		s.Until = until.UnixMilli()
	}
	for property, c := range l.total {
		if scope.Has(property) {
			s.Rows += c.Rows
			s.Critical += c.Critical
		}
	}
	return s
}

const (
	refreshEvery = 700 * time.Millisecond
	reloadEvery  = 10 * time.Minute
)

// follow refreshes the queue until ctx is done, notifies open pages, and queues notifications of findings.
func (c *Console) follow(ctx context.Context) {
	var wait sync.WaitGroup
	defer wait.Wait()
	wait.Go(func() { c.repeat(ctx, reloadEvery, nil, c.Store.Reload) })
	if len(c.outlets) > 0 {
		wait.Go(func() { c.repeat(ctx, catchUpEvery, c.catching, c.catchUp) })
	}
	c.live.refresh()
	c.repeat(ctx, refreshEvery, c.live.wake, func(ctx context.Context) error {
		err := c.Store.Refresh(ctx)
		if d := c.Store.TakeDelta(); len(d.Changes) > 0 {
			c.volatile.clear()
			c.live.notify(d.Changes)
			c.announce(d.Arrived)
		}
		return err
	})
}

// repeat calls read periodically, and at once after a wake. It logs an error at most once a minute.
func (c *Console) repeat(
	ctx context.Context, every time.Duration, wake <-chan struct{}, read func(context.Context) error,
) {
	var logged time.Time
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-wake:
		}
		if err := read(ctx); err != nil && ctx.Err() == nil && c.Now().Sub(logged) > time.Minute {
			logged = c.Now()
			c.Log.Warn("reading the queue failed", "error", err)
		}
	}
}

// sign is a sign of life: the time of the console, and how long ago it last read the queue from ClickHouse, both in
// milliseconds; and the changes of the queue until then. Missed are the critical findings since the last sign that the
// page had, once for each stream.
type sign struct {
	Now    int64 `json:"now"`
	Age    int64 `json:"age"`
	Missed *int  `json:"missed,omitempty"`
	seen
}

func (c *Console) sign(scope store.Scope) sign {
	now := c.Now()
	return sign{Now: now.UnixMilli(), Age: c.queueAge(now).Milliseconds(), seen: c.seen(scope)}
}

// identifyAgain returns the user of a request that has lasted, nil if the session has ended since it began. The context
// of the request has the session as it was then.
func (c *Console) identifyAgain(r *http.Request) *Identity {
	token := ""
	if cookie, err := r.Cookie(c.sessions.Cookie.Name); err == nil {
		token = cookie.Value
	}
	ctx, err := c.sessions.Load(context.Background(), token)
	if err != nil {
		return nil
	}
	return c.identify(r.WithContext(ctx))
}

// lastSign is Until of the last sign of life that a page had, 0 without one. A browser that reconnects sends it as the
// id of the last event, a page that connects in the address.
func lastSign(r *http.Request) (int64, error) {
	text := cmp.Or(r.Header.Get("Last-Event-ID"), r.FormValue("after"))
	if text == "" {
		return 0, nil
	}
	after, err := strconv.ParseInt(text, 10, 64)
	if err != nil || after < 0 {
		return 0, badRequest("after is %q, want milliseconds since 1970", text)
	}
	return after, nil
}

// liveStream sends server-sent events: change when the queue changed, and beat as a sign of life.
func liveStream(c *Console, x *exchange) error {
	const beat = 5 * time.Second
	cl := &client{user: x.user.Who.Account(), scope: x.scope(), next: make(chan struct{}, 1)}
	if !c.live.add(cl) {
		return errTooMany
	}
	defer c.live.remove(cl)
	after, err := lastSign(x.r)
	if err != nil {
		return err
	}
	control := http.NewResponseController(x.w)
	x.w.Header().Set("Content-Type", eventStream)
	x.w.Header().Set("X-Accel-Buffering", "no")
	send := func(event string) error {
		s := c.sign(cl.scope)
		if after != 0 && s.Until != 0 {
			missed := c.Store.CriticalsSince(cl.scope, time.UnixMilli(after))
			s.Missed, after = &missed, 0
		}
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if err := control.SetWriteDeadline(time.Now().Add(beat)); err != nil {
			return err
		}
		id := ""
		if s.Until != 0 {
			id = fmt.Sprintf("id: %d\n", s.Until)
		}
		if _, err := fmt.Fprintf(x.w, "%sevent: %s\ndata: %s\n\n", id, event, data); err != nil {
			return err
		}
		return control.Flush()
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	end := time.After(maxSession)
	if err := send("beat"); err != nil {
		return nil
	}
	for {
		var err error
		select {
		case <-x.r.Context().Done():
			return nil
		case <-end:
			return nil
		case <-cl.next:
			err = send("change")
		case <-tick.C:
			// The end of the session ends the stream, and so does a change of what the user may see.
			if user := c.identifyAgain(x.r); user == nil || !reflect.DeepEqual(user.Scope(permSee), cl.scope) {
				return nil
			}
			err = send("beat")
		}
		if err != nil {
			return nil // the client disconnected
		}
	}
}
