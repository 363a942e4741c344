// Package gateway takes table events over HTTP, numbers them, keeps them in an outbox on disk, and publishes them to
// Kafka. An event is acknowledged when it is on disk with its number; it is published at least once, in the order of
// its table, with the same bytes each time. So a reader that counts an event_id once has each event once.
package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
)

// Options configure a Gateway.
type Options struct {
	// Folder is the outbox: one gateway, one folder.
	Folder string
	// Segment is the size of its files, Backlog the max number of bytes of events that are not published, Keep the
	// number of bytes that are kept after they are published, whose event_ids are known.
	Segment, Backlog, Keep int64
	// Body is the max size of a request, Queue that of all requests that wait for the disk.
	Body, Queue int64
	Tokens      func() *Tokens
	// Words are the words of rulebooks, see schema.Decoder.Accept.
	Words   map[string]bool
	Publish func(ctx context.Context, events ...kafka.Encoded) error
	Log     *slog.Logger
	Observe Observer
	// step fails before a step; nil but in tests.
	step func(name string) error
}

// Observer observes a gateway; each function may be nil.
type Observer struct {
	Answered  func(status int)
	Accepted  func(events, repeated int)
	Published func(events int)
	Failed    func(err error)
}

// Gateway is an open outbox. Run moves its events.
type Gateway struct {
	o        Options
	box      *outbox
	requests chan *request
	queued   atomic.Int64 // bytes of requests that wait for the disk
	pending  atomic.Int64 // bytes of events that are not published
	durable  atomic.Uint64
	sent     atomic.Uint64
	wake     chan struct{}
	stopped  chan struct{}
	running  atomic.Bool
	// strangers are who sends without a valid token.
	strangers strangers
}

// Open opens the outbox.
func Open(o Options) (*Gateway, error) {
	box, err := openOutbox(o.Folder, o.Segment)
	if err != nil {
		return nil, err
	}
	box.step = o.step
	g := &Gateway{
		o: o, box: box, requests: make(chan *request, 1024), wake: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	g.durable.Store(box.no)
	g.sent.Store(min(readPublished(o.Folder), box.no))
	if err := g.unpublished(); err != nil {
		return nil, errors.Join(err, box.close())
	}
	return g, nil
}

// unpublished counts the bytes that are not published.
func (g *Gateway) unpublished() error {
	r := reader{dir: g.o.Folder, no: g.sent.Load()}
	defer r.close()
	for {
		f, err := r.next(g.durable.Load())
		if f == nil || err != nil {
			return err
		}
		g.pending.Add(weight(f.Events))
	}
}

func weight(events []stored) (bytes int64) {
	for i := range events {
		bytes += int64(len(events[i].Value))
	}
	return bytes
}

// Run stores what is submitted and publishes until ctx is done. An error is one of the disk, after which the outbox
// must be opened again.
func (g *Gateway) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	g.running.Store(true)
	group.Go(func() error {
		defer close(g.stopped)
		return g.store(ctx)
	})
	group.Go(func() error { return g.publish(ctx) })
	err := group.Wait()
	g.running.Store(false)
	return errors.Join(err, g.box.close())
}

// Ready is nil while events are accepted. It does not depend on Kafka.
func (g *Gateway) Ready(context.Context) error {
	switch {
	case !g.running.Load():
		return errors.New("the outbox is not open")
	case g.pending.Load() >= g.o.Backlog:
		return errBacklog
	}
	return nil
}

// Pending is the number of bytes of events that are not published.
func (g *Gateway) Pending() int64 { return g.pending.Load() }

// Errors of a submission.
var (
	errBacklog  = errors.New("the outbox has no room: events wait for Kafka")
	errBusy     = errors.New("too many requests wait for the disk")
	errStopping = errors.New("the gateway ends")
)

// conflictError is an event_id that was stored with another content.
type conflictError struct {
	id  string
	seq uint64
}

func (e *conflictError) Error() string {
	return fmt.Sprintf("event_id %s: stored before as seq %d with other content", e.id, e.seq)
}

// request is a set of events that is stored as a whole or not at all.
type request struct {
	events []incoming
	bytes  int64
	done   chan answer
}

type incoming struct {
	event  schema.Event // a clone, without a number
	format schema.Format
	sum    [16]byte
	parent string // trace context of the sender, passed on to the reader of the topic
}

// numbered is an event that is durable.
type numbered struct {
	EventID  string `json:"event_id"`
	Property string `json:"property_id"`
	Table    string `json:"table_id"`
	Seq      uint64 `json:"seq"`
	Repeated bool   `json:"repeated,omitempty"`
}

type answer struct {
	events []numbered
	err    error
}

func newIncoming(ev *schema.Event, format schema.Format) incoming {
	sum := sha256.Sum256(schema.AppendProto(nil, ev))
	return incoming{event: ev.Clone(), format: format, sum: [16]byte(sum[:16])}
}

// submit returns when the events are durable.
func (g *Gateway) submit(ctx context.Context, events []incoming, bytes int64) ([]numbered, error) {
	if g.pending.Load()+bytes > g.o.Backlog {
		return nil, errBacklog
	}
	if g.queued.Add(bytes) > g.o.Queue {
		g.queued.Add(-bytes)
		return nil, errBusy
	}
	r := &request{events: events, bytes: bytes, done: make(chan answer, 1)}
	select {
	case g.requests <- r:
	case <-g.stopped:
		g.queued.Add(-bytes)
		return nil, errStopping
	case <-ctx.Done():
		g.queued.Add(-bytes)
		return nil, context.Cause(ctx)
	}
	select {
	case a := <-r.done:
		return a.events, a.err
	case <-g.stopped:
		select {
		case a := <-r.done:
			return a.events, a.err
		default:
			return nil, errStopping
		}
	case <-ctx.Done(): // it may be stored: the client repeats it under the same event_id
		return nil, context.Cause(ctx)
	}
}

// groupBytes bounds the requests of one group.
const groupBytes = 8 << 20

// store makes requests durable, those that wait together with one fsync.
func (g *Gateway) store(ctx context.Context) error {
	for {
		var set []*request
		select {
		case r := <-g.requests:
			set = append(set, r)
		case <-ctx.Done():
			return nil
		}
		bytes := set[0].bytes
	more:
		for bytes < groupBytes {
			select {
			case r := <-g.requests:
				set = append(set, r)
				bytes += r.bytes
			default:
				break more
			}
		}
		err := g.storeSet(set)
		g.queued.Add(-bytes)
		if err != nil {
			return err
		}
	}
}

// storeSet numbers the events of requests, stores the new ones and answers.
func (g *Gateway) storeSet(set []*request) error {
	group := grouping{box: g.box, last: map[tableKey]uint64{}, known: map[eventKey]known{}}
	answers := make([]answer, len(set))
	for i, r := range set {
		answers[i].events, answers[i].err = group.add(r.events)
	}
	var err error
	if len(group.events) > 0 {
		if err = g.box.prune(g.sent.Load(), g.o.Keep); err == nil {
			err = g.box.append(group.events)
		}
	}
	full := errors.Is(err, errFull)
	if err == nil && len(group.events) > 0 {
		g.pending.Add(weight(group.events))
		g.durable.Store(g.box.no)
		select {
		case g.wake <- struct{}{}:
		default:
		}
		err = g.box.at("answer")
	}
	for i, r := range set {
		if err != nil && answers[i].err == nil {
			answers[i] = answer{err: err}
		}
		r.done <- answers[i]
	}
	if full {
		return nil
	}
	return err
}

// grouping numbers events after the last ones of an outbox.
type grouping struct {
	box    *outbox
	last   map[tableKey]uint64
	known  map[eventKey]known
	events []stored
}

// add numbers the events of one request, all or none.
func (n *grouping) add(events []incoming) ([]numbered, error) {
	sums := make(map[eventKey][16]byte, len(events))
	for i := range events {
		in := &events[i]
		if k, ok := n.find(in); ok && k.sum != in.sum {
			return nil, &conflictError{in.event.EventID, k.seq}
		}
		if sum, twice := sums[keyOf(in)]; twice && sum != in.sum {
			return nil, &conflictError{in.event.EventID, 0}
		}
		sums[keyOf(in)] = in.sum
	}
	out := make([]numbered, len(events))
	for i := range events {
		in := &events[i]
		ev := &in.event
		out[i] = numbered{EventID: ev.EventID, Property: ev.PropertyID, Table: ev.TableID}
		if k, ok := n.find(in); ok {
			out[i].Seq, out[i].Repeated = k.seq, true
			continue
		}
		key := keyOf(in).tableKey
		n.last[key] = cmp.Or(n.last[key], n.box.last[key]) + 1
		ev.Seq = n.last[key]
		out[i].Seq = ev.Seq
		n.known[keyOf(in)] = known{seq: ev.Seq, sum: in.sum}
		s := stored{
			Property: ev.PropertyID, Table: ev.TableID, Seq: ev.Seq, ID: ev.EventID, Sum: in.sum, Format: in.format,
			Parent: in.parent,
		}
		if in.format == schema.JSON {
			s.Value = schema.AppendJSON(nil, ev)
		} else {
			s.Value = schema.AppendProto(nil, ev)
		}
		n.events = append(n.events, s)
	}
	return out, nil
}

func keyOf(in *incoming) eventKey {
	return eventKey{tableKey{in.event.PropertyID, in.event.TableID}, in.event.EventID}
}

func (n *grouping) find(in *incoming) (known, bool) {
	if k, ok := n.known[keyOf(in)]; ok {
		return k, true
	}
	k, ok := n.box.events[keyOf(in)]
	return k, ok
}

// A chunk is sent at once: less than a batch of the brokers, so that a partition has all of it or nothing, in order.
const (
	chunkEvents = 1000
	chunkBytes  = kafka.MaxBatch * 3 / 4
)

// maxValue is the size of the largest event: one chunk.
const maxValue = chunkBytes / 2

// publish sends groups in order until ctx is done. It retries without end: events are on disk.
func (g *Gateway) publish(ctx context.Context) error {
	r := reader{dir: g.o.Folder, no: g.sent.Load()}
	defer r.close()
	for {
		f, err := r.next(g.durable.Load())
		if err != nil {
			return err
		}
		if f == nil {
			select {
			case <-g.wake:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		for events := f.Events; len(events) > 0; {
			n := chunk(events)
			if !g.send(ctx, events[:n]) {
				return nil
			}
			events = events[n:]
		}
		if err := g.box.at("acknowledge"); err != nil {
			return err
		}
		// On a full disk the note is not stored: after a restart what it covers is published again.
		if err := writePublished(g.o.Folder, f.No); err != nil && !isFull(err) {
			return err
		}
		g.sent.Store(f.No)
		g.pending.Add(-weight(f.Events))
	}
}

func chunk(events []stored) (n int) {
	bytes := 0
	for n < len(events) && n < chunkEvents && (n == 0 || bytes+len(events[n].Value) <= chunkBytes) {
		bytes += len(events[n].Value) + 300 // key, headers and framing
		n++
	}
	return n
}

// send publishes a chunk; false if ctx is done.
func (g *Gateway) send(ctx context.Context, events []stored) bool {
	records := make([]kafka.Encoded, len(events))
	for i := range events {
		ev := &events[i]
		records[i] = kafka.Encoded{
			Property: ev.Property, Table: ev.Table, Format: ev.Format, Value: ev.Value, TraceParent: ev.Parent,
		}
	}
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := g.o.Publish(ctx, records...)
		if err == nil {
			if h := g.o.Observe.Published; h != nil {
				h(len(events))
			}
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		if h := g.o.Observe.Failed; h != nil {
			h(err)
		}
		g.o.Log.Warn("Kafka does not take events; they stay in the outbox", "events", len(events), "error", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
	}
}
