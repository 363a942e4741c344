package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// member is a member of a group: a source of some partitions of a log, each of which can be revoked.
type member struct {
	log     [][][]byte // by partition
	rng     *rand.Rand
	assign  []int
	stop    int // records of all partitions after which one partition is revoked, and later the rest
	mu      sync.Mutex
	given   int
	cancels []context.CancelCauseFunc
}

func (m *member) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	var group errgroup.Group
	m.mu.Lock()
	for _, p := range m.assign {
		ctx, cancel := context.WithCancelCause(ctx)
		m.cancels = append(m.cancels, cancel)
		src := &topicOf{values: m.log[p], page: 1 + m.rng.IntN(100)}
		group.Go(func() error { return work(ctx, &memberStream{src, m, int32(p)}) })
	}
	m.mu.Unlock()
	return group.Wait()
}

// read counts records. It revokes one partition, and a little later all.
func (m *member) read(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.given
	m.given += n
	if m.stop == 0 {
		return
	}
	if before < m.stop && m.given >= m.stop {
		m.cancels[m.rng.IntN(len(m.cancels))](pipeline.ErrRevoked)
	}
	if m.given >= m.stop+200 {
		for _, cancel := range m.cancels {
			cancel(pipeline.ErrRevoked)
		}
	}
}

type memberStream struct {
	*topicOf
	m         *member
	partition int32
}

func (s *memberStream) Partition() int32 { return s.partition }

func (s *memberStream) Next(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	page, err := s.topicOf.Next(ctx, wait)
	s.m.read(len(page))
	return page, err
}

// Two members share the partitions of a log, and each flush has a batch of all partitions of a member. Partitions are
// revoked one by one and together, also while a flush is written, both members may have the same partition at the same
// time, and a flush may fail before the journal, between two batches of the set, or after all rows. The rows are those
// of an uninterrupted run, and the journal of each partition is contiguous.
func TestSetsSurviveRebalances(t *testing.T) {
	const partitions = 4
	opt := enginetest.Options()
	opt.Idle, opt.Stretch = time.Minute, 2000
	log := make([][][]byte, partitions)
	for p, events := range enginetest.Casino(t, partitions) {
		log[p] = enginetest.Encode(enginetest.Mixed([][]schema.Event{events}, rand.New(rand.NewPCG(1, uint64(p)))))
	}
	all := []int{0, 1, 2, 3}
	golden := pipeline.NewMemorySink()
	rng := rand.New(rand.NewPCG(9, 9))
	err := pipeline.Run(t.Context(), &member{log: log, rng: rng, assign: all}, golden, journaled(golden, opt))
	if err != nil {
		t.Fatal(err)
	}
	want := allRows(golden)
	for seed := range uint64(enginetest.Soak(5, 300)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		sink := pipeline.NewMemorySink()
		lost := errors.New("no answer")
		var mu sync.Mutex
		sink.Fail = func(*pipeline.Batch) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			if rng.IntN(25) == 0 {
				return rng.IntN(2) == 0, lost
			}
			return false, nil
		}
		starts := 0
		for done := false; !done; starts++ {
			// Both members have the last of the first one's partitions: the first is a former owner.
			n := rng.IntN(partitions)
			shares := [][]int{all[:n+1], all[n:]}
			if starts%4 == 3 || starts > 15 {
				shares = [][]int{all}
			}
			var group errgroup.Group
			done = len(shares) == 1 && starts > 11
			for _, share := range shares {
				mu.Lock()
				m := &member{log: log, rng: rand.New(rand.NewPCG(rng.Uint64(), 1)), assign: share, stop: 1 + rng.IntN(2500)}
				mu.Unlock()
				if starts > 15 {
					m.stop = 0
				}
				run := journaled(sink, opt)
				run.Hooks.Resumed = func(_ string, p int32, r pipeline.Resume) {
					if r.Differs != "" || r.Unreadable != nil {
						t.Errorf("seed %d, partition %d: %+v", seed, p, r)
					}
				}
				group.Go(func() error {
					err := pipeline.Run(t.Context(), m, sink, run)
					m.mu.Lock()
					defer m.mu.Unlock()
					mu.Lock()
					defer mu.Unlock()
					done = done && err == nil && (m.stop == 0 || m.given < m.stop)
					if errors.Is(err, lost) {
						return nil
					}
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		if diff := gocmp.Diff(want, allRows(sink)); diff != "" {
			t.Fatalf("seed %d (-golden +got):\n%.3000s", seed, diff)
		}
		for p := range partitions {
			contiguous(t, sink, int32(p), int64(len(log[p])))
		}
		t.Logf("seed %d: %d starts", seed, starts)
	}
}

// contiguous checks that the ranges of a partition cover its log without a hole.
func contiguous(t *testing.T, sink *pipeline.MemorySink, partition int32, end int64) {
	t.Helper()
	ranges := slices.DeleteFunc(sink.Ranges(), func(r pipeline.Range) bool { return r.Partition != partition })
	slices.SortFunc(ranges, func(a, b pipeline.Range) int { return int(a.From - b.From) })
	next := int64(0)
	for _, r := range ranges {
		if r.From > next {
			t.Errorf("partition %d: the journal has no offsets %d to %d", partition, next, r.From-1)
		}
		next = max(next, r.To+1)
	}
	same(t, "end of the journal", end, next)
}

// A partition that is revoked while its set is written ends at once and commits nothing, and what it has read since is
// dropped. The other partitions of the set are written and committed.
func TestSetIsRevokedInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, finish := make(chan struct{}), make(chan struct{})
		sink := &sets{MemorySink: pipeline.NewMemorySink()}
		var once sync.Once
		sink.write = func(set []*pipeline.Batch) {
			once.Do(func() {
				same(t, "batches of the set", 2, len(set))
				close(begun)
				<-finish
			})
		}
		src := newApart(2, records(0, 5), records(5, 8))
		for _, s := range src.streams {
			next, calls := s.next, 0
			s.next = func(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
				if calls++; calls > 1 {
					<-begun // the first page makes a set
				}
				r, err := next(ctx, wait)
				if errors.Is(err, io.EOF) { // the log goes on
					select {
					case <-ctx.Done():
						return nil, context.Cause(ctx)
					case <-time.After(wait):
						return nil, nil
					}
				}
				return r, err
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var run errgroup.Group
		run.Go(func() error { return pipeline.Run(ctx, src, sink, options(0)) })
		<-begun
		src.streams[0].cancel(pipeline.ErrRevoked)
		synctest.Wait()
		if !src.ended[0] || src.ended[1] {
			t.Errorf("ended %v, want the revoked one", src.ended)
		}
		close(finish)
		time.Sleep(time.Minute)
		cancel()
		if err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		same(t, "commits of the revoked", nil, src.streams[0].commits)
		same(t, "commits of the other", []int64{5, 8}, src.streams[1].commits)
		same(t, "letters", 13, len(sink.DeadLetters()))
	})
}

// apart is a source of partitions, which are revoked one by one.
type apart struct {
	streams []*scripted
	ended   []bool
}

// newApart gives n partitions the same records.
func newApart(n int, records ...[]pipeline.Record) *apart {
	a := &apart{ended: make([]bool, n)}
	for i := range n {
		s := pages(records...)
		s.partition = int32(i + 1)
		a.streams = append(a.streams, s)
	}
	return a
}

func (a *apart) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	var group errgroup.Group
	for i, s := range a.streams {
		of, cancel := context.WithCancelCause(ctx)
		s.cancel = cancel
		group.Go(func() error {
			err := work(of, s)
			a.ended[i] = true
			return err
		})
	}
	return group.Wait()
}

// A flush that fails for good ends each stream of its set, and nothing that a stream read after it is written: the
// journal would have a hole.
func TestNothingIsWrittenAfterAFailedSet(t *testing.T) {
	for partition := int32(1); partition <= 3; partition++ {
		sink := &sets{MemorySink: pipeline.NewMemorySink()}
		var under []*pipeline.Batch // the set that is being written
		sink.write = func(set []*pipeline.Batch) { under = set }
		refused := errors.New("refused")
		failed := map[int32]bool{} // the partitions of the failed set; another one may end its own set
		sink.Fail = func(b *pipeline.Batch) (bool, error) {
			if failed[b.Range.Partition] {
				t.Errorf("%d: offsets %d to %d after a failure", b.Range.Partition, b.Range.From, b.Range.To)
			}
			if b.Range.Partition == partition && b.Range.From > 0 {
				for _, b := range under {
					failed[b.Range.Partition] = true
				}
				return false, refused
			}
			return false, nil
		}
		run := options(0)
		run.FlushRows = 500
		src := newApart(3, records(0, 5000), records(5000, 10_000))
		if err := pipeline.Run(t.Context(), src, sink, run); !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
		if len(failed) == 0 {
			t.Error(fmt.Sprint("no flush failed for partition ", partition))
		}
	}
}
