package kafka

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	fetchapi "github.com/segmentio/kafka-go/protocol/fetch"

	"github.com/shoeproof/shoeproof/pipeline"
)

const (
	// requestTimeout bounds a request, without the time that the broker waits for records.
	requestTimeout = 10 * time.Second
	// maxWait is how long a broker waits for the first record of a Fetch.
	maxWait = 500 * time.Millisecond
	// unknownTopicAfter is how long an unknown topic is retried: brokers report one for moments after a leader moved.
	unknownTopicAfter = 30 * time.Second
	// endAttempts is how many times a log ends before the wanted offset before it counts as truncated.
	endAttempts = 5
	// committed stands for the committed offset of the group.
	committed = -2
)

// partition is one stream. Its fetches are one page ahead of the work.
type partition struct {
	s          *Source
	id         int
	name       string // in errors
	generation int32
	commit     func(id int, offset int64) error
	// start is sent to the fetcher once: by Begin, or else by the first Next.
	start   chan start
	started bool

	full, free chan *page
	current    *page // that the last Next returned
	end        error
	timer      *time.Timer

	// high is the end of the log in the last response, given the offset after the last record that Next returned.
	high, given atomic.Int64

	// Only the fetcher uses the fields below.
	next  int64
	until int64 // with StopAtEnd, otherwise -1
	// The rest of the last Fetch: the open batch, and the batches after it.
	open    *batch
	batches []byte
	first   bool // batches begins with the first of the response
	left    int64
	sum     [sha256.Size]byte
	buffer  []byte // of the response
	body    *bufio.Reader
}

// start is the first offset to read, -1 for the first of the log, and the min end of the log.
type start struct{ from, end int64 }

// page has the records of one Fetch. A partition has two: one is in use while the other is filled.
type page struct {
	records []pipeline.Record
	data    []byte // the values and keys
	taken   int    // bytes, also of buffers before data
	err     error
}

func newPartition(s *Source, id int, generation int32, commit func(int, int64) error) *partition {
	p := &partition{
		s: s, id: id, name: fmt.Sprintf("partition %d", id), generation: generation, commit: commit,
		start: make(chan start, 1), full: make(chan *page), free: make(chan *page, 2),
		until: -1, timer: time.NewTimer(time.Hour),
	}
	p.free <- &page{}
	p.free <- &page{}
	return p
}

func (p *partition) Topic() string    { return p.s.config.Topic }
func (p *partition) Partition() int32 { return int32(p.id) }

// Lag is the number of offsets between the last returned record and the end of the log.
func (p *partition) Lag() int64 { return max(0, p.high.Load()-p.given.Load()) }

// Commit commits the offset in the group. It works until the work of a revoked partition returns.
func (p *partition) Commit(_ context.Context, offset int64) error {
	if p.commit == nil {
		return nil
	}
	if err := p.commit(p.id, offset); err != nil {
		return fmt.Errorf("commit offset %d of topic %s, partition %d: %w", offset, p.Topic(), p.id, err)
	}
	return nil
}

// Generation is the generation of the consumer group.
func (p *partition) Generation() int32 { return p.generation }

// Begin sets the first offset to read, in place of the committed offset, or after a CutError.
func (p *partition) Begin(offset, end int64) {
	if isCut(p.end) {
		p.end, p.started = nil, false
	}
	p.startAt(start{offset, end})
}

func isCut(err error) bool { return errors.As(err, new(*pipeline.CutError)) }

func (p *partition) startAt(at start) {
	if !p.started {
		p.started = true
		p.start <- at
	}
}

func (p *partition) Next(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
	p.startAt(start{from: committed})
	if p.current != nil {
		p.free <- p.current
		p.current = nil
	}
	if p.end != nil {
		return nil, p.end
	}
	p.timer.Reset(wait)
	select {
	case pg := <-p.full:
		p.current, p.end = pg, pg.err
		if n := len(pg.records); n > 0 {
			p.given.Store(pg.records[n-1].Offset + 1)
			return pg.records, nil
		}
		return nil, p.end
	case <-p.timer.C:
		return nil, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// fetch fills pages until the end of ctx or of the partition. After a CutError it waits for Begin.
func (p *partition) fetch(ctx context.Context, offset int64) {
	for isCut(p.read(ctx, offset)) {
	}
}

// read fills pages from one start on, and returns the error that ends it.
func (p *partition) read(ctx context.Context, offset int64) error {
	var err error
	select {
	case at := <-p.start:
		if at.from == committed {
			at.from = offset
		}
		err = p.begin(ctx, at)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for {
		var pg *page
		select {
		case pg = <-p.free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pg.reset(16 * p.s.config.MaxBytes)
		pg.err = err
		if err == nil {
			p.fill(ctx, pg)
		}
		select {
		case p.full <- pg:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if end := pg.err; end != nil {
			return end
		}
	}
}

// begin finds the first offset to read, and with StopAtEnd the last.
func (p *partition) begin(ctx context.Context, at start) error {
	p.next, p.batches = at.from, nil
	p.close()
	if at.from < 0 || at.end > 0 || p.s.config.StopAtEnd {
		first, end, err := p.awaitEnd(ctx, at.end)
		if err != nil {
			return err
		}
		if at.from < 0 {
			p.next = first
		}
		if p.s.config.StopAtEnd {
			p.until = end
		}
		p.high.Store(end)
	}
	p.given.Store(p.next)
	return nil
}

// awaitEnd returns the bounds of the log when it ends at want or later, or else a CutError.
func (p *partition) awaitEnd(ctx context.Context, want int64) (first, end int64, err error) {
	pause := backoff{max: p.s.config.MaxBackoff}
	for i := 1; ; i++ {
		first, end, err = p.bounds(ctx)
		if err != nil || end >= want {
			return first, end, err
		}
		if i == endAttempts { // A new leader may not know the end of its log at once.
			return 0, 0, &pipeline.CutError{Topic: p.Topic(), Partition: p.Partition(), End: end, Read: want}
		}
		if !pause.wait(ctx) {
			return 0, 0, context.Cause(ctx)
		}
	}
}

// bounds returns the first offset of the log and the offset after its last.
func (p *partition) bounds(ctx context.Context) (first, end int64, err error) {
	topic := p.Topic()
	err = p.retry(ctx, func(ctx context.Context) error {
		got, err := p.s.client.ListOffsets(ctx, &kafka.ListOffsetsRequest{
			Topics: map[string][]kafka.OffsetRequest{topic: {kafka.FirstOffsetOf(p.id), kafka.LastOffsetOf(p.id)}},
		})
		if err != nil {
			return err
		}
		for _, o := range got.Topics[topic] {
			first, end, err = o.FirstOffset, o.LastOffset, o.Error
		}
		if err == nil && (first < 0 || end < first) {
			err = fmt.Errorf("the brokers report a log with offsets %d to %d", first, end)
		}
		return err
	})
	return first, end, err
}

// retry repeats a request until it succeeds, ctx ends, or the topic no longer exists.
func (p *partition) retry(ctx context.Context, request func(context.Context) error) error {
	pause := backoff{max: p.s.config.MaxBackoff}
	var missing time.Time
	for {
		once, cancel := context.WithTimeout(ctx, maxWait+requestTimeout)
		err := request(once)
		cancel()
		if err == nil {
			p.s.health.clear(p.name)
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case !unknownTopic(err):
			missing = time.Time{}
		case missing.IsZero():
			missing = time.Now()
		case time.Since(missing) > unknownTopicAfter:
			return fmt.Errorf("kafka topic %s, partition %d no longer exists: %w", p.Topic(), p.id, err)
		}
		p.s.health.add(p.name, err)
		if !pause.wait(ctx) {
			return context.Cause(ctx)
		}
	}
}

// fill fetches until the page has records or an error.
func (p *partition) fill(ctx context.Context, pg *page) {
	for len(pg.records) == 0 && pg.err == nil {
		if p.until >= 0 && p.next >= p.until {
			pg.err = io.EOF
			return
		}
		if p.open != nil || len(p.batches) > 0 {
			pg.err = p.decode(ctx, pg)
			continue
		}
		got, err := p.request(ctx)
		switch {
		case err != nil:
			pg.err = err
		case got.code != 0:
			pg.err = p.outOfRange(ctx, pg)
		default:
			p.high.Store(got.high)
			p.batches, p.first, p.left, p.sum = got.batches, true, got.left, got.sum
		}
	}
}

// request fetches once at the next offset. The code of the response is 0 or OffsetOutOfRange.
func (p *partition) request(ctx context.Context) (*fetched, error) {
	var got *fetched
	err := p.retry(ctx, func(ctx context.Context) error {
		f := &fetch{clientID: p.s.config.ClientID, buffer: p.buffer, Request: &fetchapi.Request{
			ReplicaID: -1, MaxWaitTime: int32(maxWait.Milliseconds()), MinBytes: 1, MaxBytes: int32(p.s.config.MaxBytes),
			SessionID: -1, SessionEpoch: -1,
			Topics: []fetchapi.RequestTopic{{Topic: p.Topic(), Partitions: []fetchapi.RequestPartition{{
				Partition: int32(p.id), CurrentLeaderEpoch: -1, FetchOffset: p.next, LogStartOffset: -1,
				PartitionMaxBytes: int32(p.s.config.MaxBytes),
			}}}},
		}}
		p.buffer = nil // A request that ctx ends may still write to it.
		m, err := p.s.transport.RoundTrip(ctx, p.s.client.Addr, f)
		if err != nil {
			return err
		}
		got = m.(*fetched)
		if p.buffer = f.buffer; cap(p.buffer) > 16*p.s.config.MaxBytes {
			p.buffer = nil
		}
		if code := kafka.Error(got.code); code != 0 && code != kafka.OffsetOutOfRange {
			return code
		}
		return got.check()
	})
	return got, err
}

// outOfRange handles a next offset that is not in the log: before its first record, which is a gap, or after its end.
func (p *partition) outOfRange(ctx context.Context, pg *page) error {
	first, _, err := p.awaitEnd(ctx, p.next)
	if err != nil || p.next >= first {
		return err
	}
	lost := first - 1
	if p.until >= 0 {
		lost = min(lost, p.until-1)
	}
	pg.records = append(pg.records, pipeline.Record{
		Offset: p.next,
		Bad:    &pipeline.GapError{Topic: p.Topic(), Partition: p.Partition(), From: p.next, To: lost},
	})
	p.next = lost + 1
	return nil
}
