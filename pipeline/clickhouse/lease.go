package clickhouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// ErrHeld means that another process has the lease, ErrLost that the lease has expired.
var (
	ErrHeld = errors.New("another process has the lease")
	ErrLost = errors.New("the lease has expired: another process may have taken over")
)

const (
	leaseInterval = 3 * time.Second
	leaseExpiry   = 15 * time.Second
)

// A Lease allows one process at a time. ClickHouse has no compare-and-swap, but it drops an insert with a known token:
// the first row of a generation decides its holder, and every process reads the winner back. Keep writes a row every
// 3 s; the lease expires 15 s after the last row, by the server's clock.
type Lease struct {
	// Generation increases with every holder.
	Generation   uint64
	store        *Store
	name, holder string
}

type leaseState struct {
	generation uint64
	holder     string
	over       bool          // released
	silent     time.Duration // time since its last row
	rows       uint64
}

func (s *Store) leaseState(ctx context.Context, name string) (leaseState, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var l leaseState
	var silent int64
	err := s.conn.QueryRow(ctx, `SELECT generation, anyIf(holder, state = 'taken'), countIf(state = 'released') > 0,
dateDiff('millisecond', max(at), now64(3)), count() FROM `+s.name("leases")+`
WHERE name = {name:String} GROUP BY generation ORDER BY generation DESC LIMIT 1`,
		params("name", name)...).
		Scan(&l.generation, &l.holder, &l.over, &silent, &l.rows)
	if errors.Is(err, sql.ErrNoRows) {
		return leaseState{over: true}, nil
	}
	l.silent = time.Duration(silent) * time.Millisecond
	return l, s.explain("read the lease "+name, err)
}

// Take acquires a lease, or returns ErrHeld with the name of the holder. It waits at most 15 s for a row of a holder
// that may be dead.
func (s *Store) Take(ctx context.Context, name, holder string) (*Lease, error) {
	first, err := s.leaseState(ctx, name)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(leaseInterval / 6)
	defer tick.Stop()
	for now := first; !now.over && now.silent < leaseExpiry; {
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
	l, now, err := s.win(ctx, name, holder, first.generation+1)
	if err == nil && l == nil {
		err = fmt.Errorf("%s: held by %s: %w", name, now.holder, ErrHeld)
	}
	return l, err
}

// win tries to be the holder of a generation. It returns nil and the state of the lease if another process is.
func (s *Store) win(ctx context.Context, name, holder string, generation uint64) (*Lease, leaseState, error) {
	l := &Lease{Generation: generation, store: s, name: name, holder: holder}
	if err := l.write(ctx, "taken", ""); err != nil {
		return nil, leaseState{}, err
	}
	now, err := s.leaseState(ctx, name)
	if err != nil || now.generation != generation || now.holder != holder {
		return nil, now, err
	}
	return l, now, nil
}

// Locked calls do while no other process calls Locked with the name. It waits for another one for at most wait, and
// then returns ErrHeld. The holder must be a name that no other call has.
func (s *Store) Locked(ctx context.Context, name, holder string, wait time.Duration, do func() error) error {
	const minPause, maxPause = 5 * time.Millisecond, 200 * time.Millisecond
	var l *Lease
	until := time.Now().Add(wait)
	for pause := minPause; l == nil; pause = min(2*pause, maxPause) {
		now, err := s.leaseState(ctx, name)
		if err == nil && (now.over || now.silent >= leaseExpiry) {
			l, now, err = s.win(ctx, name, holder, now.generation+1)
		}
		switch {
		case err != nil:
			return err
		case l != nil:
		case time.Now().After(until):
			return fmt.Errorf("%s: held by %s: %w", name, now.holder, ErrHeld)
		default:
			select {
			case <-ctx.Done():
				return fmt.Errorf("wait for the lease %s: %w", name, context.Cause(ctx))
			case <-time.After(pause):
			}
		}
	}
	keeping, done := context.WithCancel(context.WithoutCancel(ctx))
	kept := make(chan error, 1)
	go func() { kept <- l.Keep(keeping) }()
	err := do()
	done()
	return errors.Join(err, <-kept, l.Release(context.WithoutCancel(ctx)))
}

// Keep renews the lease until ctx is done and returns nil, or ErrLost after a renewal that came too late.
func (l *Lease) Keep(ctx context.Context) error {
	tick := time.NewTicker(leaseInterval)
	defer tick.Stop()
	renewed := time.Now()
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
		case err == nil && now.Sub(renewed) < leaseExpiry:
			renewed = now
		case now.Sub(renewed) >= leaseExpiry:
			return errors.Join(fmt.Errorf("%s: %w", l.name, ErrLost), err)
		}
	}
}

// Release ends the lease.
func (l *Lease) Release(ctx context.Context) error { return l.write(ctx, "released", "") }

// leaseAction is a row of the leases.
type leaseAction struct {
	Name       string `column:"name,key"`
	Generation uint64 `column:"generation,key"`
	Holder     string `column:"holder"`
	State      string `column:"state,word"`
}

func (l *Lease) write(ctx context.Context, state, n string) error {
	// The token has no holder: the server accepts only the first row of a generation.
	token := fmt.Sprintf("lease:%s:%d:%s%s", l.name, l.Generation, state, n)
	row := leaseAction{l.name, l.Generation, l.holder, state}
	return l.store.explain("write the lease "+l.name, put(ctx, l.store, "leases", token, row))
}
