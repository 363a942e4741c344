package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/shoeproof/shoeproof/pipeline"
)

const (
	// answer is how long a broker may take, beyond the time it was told to wait for records.
	answer = 10 * time.Second
	// maxWait is how long a broker waits for the first record; it ends a Fetch that finds none.
	maxWait = 500 * time.Millisecond
	// goneAfter is how long brokers may not know the topic, as they do for moments after a leader moved.
	goneAfter = 30 * time.Second
	// doubts is how often a batch without a record is fetched again, and endDoubts how often a log that ends
	// before our offset is asked again, before we believe it.
	doubts    = 3
	endDoubts = 5
	// committed stands for the offset that the group has committed.
	committed = -2
)

// partition is one stream. Its fetches run ahead of the work by one page.
type partition struct {
	s          *Source
	id         int
	name       string // for troubles
	generation int32
	commit     func(id int, offset int64) error
	// where is told the fetcher: by Begin, or else by the first Next.
	where chan where
	told  bool

	full, free chan *page
	held       *page // what the last Next gave
	end        error
	timer      *time.Timer

	// high is the end of the log as last heard, given what follows the last record that Next gave.
	high, given atomic.Int64

	// The rest is the fetcher's.
	next  int64
	until int64 // with StopAtEnd, otherwise -1
	empty int   // fetches in a row that gave batches and no record
}

// where is the first offset to read, -1 for the first of the log, and how far the log must reach.
type where struct{ from, end int64 }

// page is what one Fetch gave. There are two of a partition: one at work, one ahead.
type page struct {
	records []pipeline.Record
	data    []byte // the values and keys
	err     error
}

func newPartition(s *Source, id int, generation int32, commit func(int, int64) error) *partition {
	p := &partition{
		s: s, id: id, name: fmt.Sprintf("partition %d", id), generation: generation, commit: commit, where: make(chan where, 1),
		full: make(chan *page), free: make(chan *page, 2), until: -1, timer: time.NewTimer(time.Hour),
	}
	p.free <- &page{}
	p.free <- &page{}
	return p
}

func (p *partition) Topic() string    { return p.s.config.Topic }
func (p *partition) Partition() int32 { return int32(p.id) }

// Lag is the number of offsets between the last record given and the end of the log.
func (p *partition) Lag() int64 { return max(0, p.high.Load()-p.given.Load()) }

// Commit notes the offset in the group. It works until the work of a revoked partition returns.
func (p *partition) Commit(_ context.Context, offset int64) error {
	if p.commit == nil {
		return nil
	}
	if err := p.commit(p.id, offset); err != nil {
		return fmt.Errorf("commit offset %d of topic %s, partition %d: %w", offset, p.Topic(), p.id, err)
	}
	return nil
}

// Generation is that of the consumer group.
func (p *partition) Generation() int32 { return p.generation }

// Begin chooses where reading begins instead of the committed offset, or after a CutError.
func (p *partition) Begin(offset, end int64) {
	if isCut(p.end) {
		p.end, p.told = nil, false
	}
	p.tell(where{offset, end})
}

func isCut(err error) bool { return errors.As(err, new(*pipeline.CutError)) }

func (p *partition) tell(w where) {
	if !p.told {
		p.told = true
		p.where <- w
	}
}

func (p *partition) Next(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
	p.tell(where{from: committed})
	if p.held != nil {
		p.free <- p.held
		p.held = nil
	}
	if p.end != nil {
		return nil, p.end
	}
	p.timer.Reset(wait)
	select {
	case pg := <-p.full:
		p.held, p.end = pg, pg.err
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

// fetch fills pages until the end of ctx or of the partition. Where the log is cut it waits for Begin.
func (p *partition) fetch(ctx context.Context, offset int64) {
	for isCut(p.read(ctx, offset)) {
	}
}

// read fills pages from one Begin to what ends it.
func (p *partition) read(ctx context.Context, offset int64) error {
	var err error
	select {
	case w := <-p.where:
		if w.from == committed {
			w.from = offset
		}
		err = p.begin(ctx, w)
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
func (p *partition) begin(ctx context.Context, w where) error {
	p.next = w.from
	if w.from < 0 || w.end > 0 || p.s.config.StopAtEnd {
		first, end, err := p.reaching(ctx, w.end)
		if err != nil {
			return err
		}
		if w.from < 0 {
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

// reaching are the bounds of a log that reaches to an end.
func (p *partition) reaching(ctx context.Context, want int64) (first, end int64, err error) {
	pause := backoff{most: p.s.config.MaxBackoff}
	for i := 1; ; i++ {
		first, end, err = p.bounds(ctx)
		if err != nil || end >= want {
			return first, end, err
		}
		if i == endDoubts { // A leader just elected may not know its end at once.
			return 0, 0, &pipeline.CutError{Topic: p.Topic(), Partition: p.Partition(), End: end, Read: want}
		}
		if !pause.wait(ctx) {
			return 0, 0, context.Cause(ctx)
		}
	}
}

// bounds are the first offset of the log and the one after its last.
func (p *partition) bounds(ctx context.Context) (first, end int64, err error) {
	topic := p.Topic()
	err = p.insist(ctx, func(ctx context.Context) error {
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
			err = fmt.Errorf("the brokers say that the log has offsets %d to %d", first, end)
		}
		return err
	})
	return first, end, err
}

// insist asks until there is an answer. It gives up when ctx ends, or the topic is gone.
func (p *partition) insist(ctx context.Context, ask func(context.Context) error) error {
	pause := backoff{most: p.s.config.MaxBackoff}
	var missing time.Time
	for {
		once, cancel := context.WithTimeout(ctx, maxWait+answer)
		err := ask(once)
		cancel()
		if err == nil {
			p.s.troubles.clear(p.name)
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !gone(err) {
			missing = time.Time{}
		} else if missing.IsZero() {
			missing = time.Now()
		} else if time.Since(missing) > goneAfter {
			return fmt.Errorf("kafka topic %s, partition %d no longer exists: %w", p.Topic(), p.id, err)
		}
		p.s.troubles.add(p.name, err)
		if !pause.wait(ctx) {
			return context.Cause(ctx)
		}
	}
}

// fill fetches until the page has something.
func (p *partition) fill(ctx context.Context, pg *page) {
	for len(pg.records) == 0 && pg.err == nil {
		if p.until >= 0 && p.next >= p.until {
			pg.err = io.EOF
			return
		}
		var got *kafka.FetchResponse
		err := p.insist(ctx, func(ctx context.Context) (err error) {
			got, err = p.s.client.Fetch(ctx, &kafka.FetchRequest{
				Topic: p.Topic(), Partition: p.id, Offset: p.next,
				MinBytes: 1, MaxBytes: int64(p.s.config.MaxBytes), MaxWait: maxWait,
			})
			if err == nil && got.Error != nil && !errors.Is(got.Error, kafka.OffsetOutOfRange) {
				err = got.Error
			}
			return err
		})
		switch {
		case err != nil:
			pg.err = err
		case got.Error != nil:
			pg.err = p.outOfRange(ctx, pg)
		default:
			p.high.Store(got.HighWatermark)
			pg.err = p.take(got.Records, pg)
		}
	}
}

// outOfRange finds out on which side of the log we are.
func (p *partition) outOfRange(ctx context.Context, pg *page) error {
	first, _, err := p.reaching(ctx, p.next)
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
