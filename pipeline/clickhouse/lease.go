package clickhouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"
)

// ErrHeld says that another process holds a lease, ErrLost that one's own has lapsed.
var (
	ErrHeld = errors.New("another process is at it")
	ErrLost = errors.New("the lease has lapsed: another process may have taken over")
)

const (
	leaseBeat   = 3 * time.Second
	leaseLapses = 15 * time.Second
)

// A Lease lets one process at a time do something. ClickHouse has no compare-and-swap, but it drops an
// insert whose token it knows: the first row of a generation decides who holds it, and all read back
// whose it was. The holder's Keep writes a row every 3 s; 15 s without one, by the server's clock, end it.
type Lease struct {
	// Generation grows with every taking.
	Generation   uint64
	store        *Store
	name, holder string
}

type leaseState struct {
	generation uint64
	holder     string
	over       bool          // it was given back
	silent     time.Duration // since its last row
	rows       uint64
}

func (s *Store) leaseState(ctx context.Context, name string) (leaseState, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var l leaseState
	var silent int64
	err := s.conn.QueryRow(ctx, `SELECT generation, anyIf(holder, state = 'taken'), countIf(state = 'released') > 0,
dateDiff('millisecond', max(at), now64(3)), count() FROM `+s.name("leases")+`
WHERE name = {name:String} GROUP BY generation ORDER BY generation DESC LIMIT 1`, ch.Named("name", name)).Scan(&l.generation, &l.holder, &l.over, &silent, &l.rows)
	if errors.Is(err, sql.ErrNoRows) {
		return leaseState{over: true}, nil
	}
	l.silent = time.Duration(silent) * time.Millisecond
	return l, s.explain("read the lease "+name, err)
}

// Take takes a lease, or returns ErrHeld with the name of its holder. Of a holder that may be dead it first
// waits for a sign of life, at most 15 s.
func (s *Store) Take(ctx context.Context, name, holder string) (*Lease, error) {
	first, err := s.leaseState(ctx, name)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(leaseBeat / 6)
	defer tick.Stop()
	for now := first; !now.over && now.silent < leaseLapses; {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the lease %s: %w", name, context.Cause(ctx))
		case <-tick.C:
		}
		if now, err = s.leaseState(ctx, name); err != nil {
			return nil, err
		}
		if now.generation != first.generation || now.rows != first.rows {
			return nil, fmt.Errorf("%s: held by %s: %w", name, now.holder, ErrHeld)
		}
	}
	l := &Lease{Generation: first.generation + 1, store: s, name: name, holder: holder}
	if err := l.write(ctx, "taken", ""); err != nil {
		return nil, err
	}
	now, err := s.leaseState(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case now.generation != l.Generation || now.holder != holder:
		return nil, fmt.Errorf("%s: held by %s: %w", name, now.holder, ErrHeld)
	}
	return l, nil
}

// Keep shows that the holder lives until ctx is done, and returns nil; ErrLost when it came too late.
func (l *Lease) Keep(ctx context.Context) error {
	tick := time.NewTicker(leaseBeat)
	defer tick.Stop()
	shown := time.Now()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		err := l.write(ctx, "alive", fmt.Sprint(n))
		switch now := time.Now(); {
		case ctx.Err() != nil:
			return nil
		case err == nil && now.Sub(shown) < leaseLapses:
			shown = now
		case now.Sub(shown) >= leaseLapses:
			return errors.Join(fmt.Errorf("%s: %w", l.name, ErrLost), err)
		}
	}
}

// Release gives the lease back.
func (l *Lease) Release(ctx context.Context) error { return l.write(ctx, "released", "") }

func (l *Lease) write(ctx context.Context, state, n string) error {
	s := l.store
	ctx, cancel := context.WithTimeout(ctx, s.cfg.InsertTimeout)
	defer cancel()
	// Who takes a generation first is decided by the token, which names no holder.
	token := fmt.Sprintf("lease:%s:%d:%s%s", l.name, l.Generation, state, n)
	ctx = ch.Context(ctx, ch.WithSettings(s.settings(token)))
	err := s.conn.Exec(ctx, "INSERT INTO "+s.name("leases")+" (name, generation, holder, state) VALUES ({name:String}, {generation:UInt64}, {holder:String}, {state:String})",
		ch.Named("name", l.name), ch.Named("generation", fmt.Sprint(l.Generation)), ch.Named("holder", l.holder), ch.Named("state", state))
	return s.explain("write the lease "+l.name, err)
}
