//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/ingest"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/serve"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

type demoFlags struct {
	floorOptions
	speed   float64
	once    bool
	console string
}

func demoCommand() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "run engines, tables, the audit and the console on this machine",
		Long: `Demo starts Kafka, ClickHouse and ingest, simulates a casino floor of mixed tables for some shoes, with
faults planted at some tables, and prints the findings of the audit. Then it opens the console, over a second
floor that plays in real time. Everything runs until Ctrl-C; the data are then deleted.`,
		Example: `  devstack demo
  devstack demo --tables 40 --shoes 3 --once`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.speed <= 0 || f.tables < 1 || f.tables > 500 || f.shoes < 1 || f.every < 0 {
				return cli.WrongUsage(errors.New("want --speed above 0, --tables 1 to 500, --shoes 1 or more " +
					"and --fault-every 0 or more"))
			}
			if host, _, err := net.SplitHostPort(f.console); err != nil || !settings.Loopback(host) {
				return cli.WrongUsage(fmt.Errorf("--console %q, want a loopback host:port such as 127.0.0.1:8480: "+
					"the console requires no password", f.console))
			}
			if !f.once {
				if err := f.free(cmd.Context()); err != nil {
					return cli.WrongUsage(err)
				}
			}
			return f.run(cmd)
		},
	}
	fs := cmd.Flags()
	fs.Float64Var(&f.speed, "speed", 600, "speed of play, as a multiple of real time")
	fs.IntVar(&f.tables, "tables", 20, "number of tables")
	fs.IntVar(&f.shoes, "shoes", 2, "shoes of each table without a fault")
	fs.IntVar(&f.every, "fault-every", 3, "plant a fault at every Nth table; 0 for none")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of all random choices")
	fs.StringVar(&f.console, "console", "127.0.0.1:8480", "loopback host:port of the console; port 0 for a free one")
	fs.BoolVar(&f.once, "once", false, "exit after the findings, with code 1 unless they are exactly the planted faults")
	return cmd
}

// free reports an address that another process listens at: the console begins to listen after the audit of all shoes.
func (f *demoFlags) free(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.console)
	if err != nil {
		return fmt.Errorf("--console: %w: name another port, or port 0 for a free one", err)
	}
	return listener.Close()
}

func (f *demoFlags) run(cmd *cobra.Command) (err error) {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	began := time.Now()
	fmt.Fprintln(out, "starting Kafka and ClickHouse")
	s, err := startStack(ctx, cmd.ErrOrStderr(), 0, 0, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	fmt.Fprintf(out, "ready after %.1f s: Kafka %s, ClickHouse %s\n",
		time.Since(began).Seconds(), s.kafka.Addrs[0], s.clickhouse.Addr)
	f.start = startOf(f.speed)
	fl, err := newFloor(f.floorOptions)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s and %s are played at %g times real time; tables that break a rule: %d\n\n",
		schema.Count(f.tables, "table"), schema.Count(fl.shoes(), "shoe"), f.speed, len(fl.planted))

	audited := &shoes{ids: map[string]bool{}}
	running, end := context.WithCancel(ctx)
	defer end()
	group, running := errgroup.WithContext(running)
	config := s.settings
	group.Go(func() error {
		return ingest.Run(running, &config, ingest.Options{
			Version: version, Log: config.Log.Logger(cmd.ErrOrStderr()), Flushed: audited.flushed,
		})
	})
	group.Go(func() error { return s.failed(running) })
	group.Go(func() error {
		defer func() {
			if f.once {
				end()
			}
		}()
		exact, err := f.show(running, s, fl, audited, out)
		if err == nil && f.once && !exact && running.Err() == nil {
			err = errors.New("the findings differ from the planted faults")
		}
		if err != nil || f.once || running.Err() != nil {
			return err
		}
		return f.open(running, s, out, cmd.ErrOrStderr())
	})
	return group.Wait()
}

// open serves the console over a floor that plays in real time, until ctx is done.
func (f *demoFlags) open(ctx context.Context, s *stack, out, stderr io.Writer) (err error) {
	fl, err := newLiveFloor(f.seed, time.Now().UTC())
	if err != nil {
		return err
	}
	w, err := s.writer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	config := settings.DefaultAudit()
	config.ClickHouse, config.Law, config.Log = s.settings.ClickHouse, s.settings.Law, s.settings.Log
	config.Console.Listen = f.console
	config.Console.Video.Template = "vms://{camera}?t={from}"
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return fl.publish(ctx, w, time.Now(), 1, func(int) {}) })
	group.Go(func() error {
		options := serve.Options{Version: version, Log: config.Log.Logger(stderr), Listening: func(url string) {
			fmt.Fprintf(out, `
The console is at %s, on this machine only and without a password. Try:

  - Sign in as operator. In the queue j and k move, Enter opens, a acknowledges, ? lists all keys.
  - Open a finding of draw.* or payout.*: the round card by card, the clause, the events and their hashes.
    Replay its shoe: the rules run again over the archive, with the same result.
  - Request to close a critical finding. Only a supervisor can confirm it: sign in as one in a private window.
  - Open the floor, of %s in real time. Some break a rule after a while (%d), two have stacked cards, and the
    feed of one has stopped.
  - As auditor, open the events as received, which name patrons; the log shows who opened them.

Everything runs until Ctrl-C.
`, url, schema.Count(len(fl.tables), "table"), len(fl.planted))
		}}
		return serve.Run(ctx, &config, options)
	})
	return group.Wait()
}

// show plays the floor, waits until all shoes are audited, and prints the findings. Exact is true if they are the
// planted faults.
func (f *demoFlags) show(
	ctx context.Context, s *stack, fl *floor, audited *shoes, out io.Writer,
) (exact bool, err error) {
	w, err := s.writer()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var published atomic.Int64
	began := time.Now()
	playing, pctx := errgroup.WithContext(ctx)
	played := make(chan struct{})
	playing.Go(func() error {
		defer close(played)
		return fl.publish(pctx, w, f.start, f.speed, func(n int) { published.Add(int64(n)) })
	})
	playing.Go(func() error {
		return audited.await(pctx, fl.shoes(), played, func(done int) {
			fmt.Fprintf(out, "  %s played, %d of %s audited\n", schema.Count(published.Load(), "event"), done,
				schema.Count(fl.shoes(), "shoe"))
		})
	})
	if err := playing.Wait(); err != nil || ctx.Err() != nil {
		return false, err
	}
	store, err := clickhouse.Open(ctx, s.store)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	findings, err := store.Findings(ctx, clickhouse.Filter{PropertyID: property})
	if err != nil {
		return false, err
	}
	rounds, err := s.count(ctx, "v_rounds")
	if err != nil {
		return false, err
	}
	fmt.Fprintf(out, "\n%s, %s and %s of %s audited in %.1f s\n\n",
		schema.Count(published.Load(), "event"), schema.Count(rounds, "round"),
		schema.Count(fl.shoes(), "shoe"), schema.Count(f.tables, "table"), time.Since(began).Seconds())
	if err := output.Table(out, findings); err != nil {
		return false, err
	}
	exact = compare(out, fl.planted, findings)
	fmt.Fprintln(out)
	s.queries(out)
	return exact, nil
}

// shoes has the ids of the shoes whose rows are durable.
type shoes struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (s *shoes) flushed(f pipeline.Flush) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range f.Batch.Shoes {
		s.ids[f.Batch.Shoes[i].ShoeID] = true
	}
}

func (s *shoes) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ids)
}

// await returns when so many shoes are in ClickHouse, and reports the progress every two seconds.
func (s *shoes) await(ctx context.Context, all int, played <-chan struct{}, progress func(done int)) error {
	const limit = 2 * time.Minute
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	reported, deadline := time.Now(), time.Time{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		done := s.count()
		select {
		case <-played:
			if done >= all {
				return nil
			}
			if deadline.IsZero() {
				deadline = time.Now().Add(limit)
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("%d of %s audited %v after the last event", done, schema.Count(all, "shoe"), limit)
			}
		default:
		}
		if time.Since(reported) >= 2*time.Second {
			reported = time.Now()
			progress(done)
		}
	}
}

// compare prints the planted faults beside the findings.
func compare(out io.Writer, all []planted, findings []finding.Finding) (exact bool) {
	taken := map[int]bool{}
	found := 0
	fmt.Fprintln(out, "\nPlanted:")
	for _, p := range all {
		for _, want := range p.want {
			i := slices.IndexFunc(findings, func(f finding.Finding) bool {
				return f.TableID == p.table && f.Rule == want.Rule && f.Round == want.Round &&
					(want.Seat == 0 || f.Seat == want.Seat)
			})
			verdict := "NOT FOUND"
			if i >= 0 {
				verdict = "found"
				taken[i] = true
				found++
			}
			fmt.Fprintf(out, "  %-9s  %s  %s: %s\n", verdict, p.table, want.Rule, p.doc)
		}
	}
	wanted, others := 0, map[string]int{}
	for _, p := range all {
		wanted += len(p.want)
	}
	for i := range findings {
		if !taken[i] {
			others[findings[i].Severity.String()]++
		}
	}
	beyond := others["minor"] + others["major"] + others["critical"]
	fmt.Fprintf(out, "%d planted, %d found; other findings: %d, and %d for information\n",
		wanted, found, beyond, others["info"])
	return wanted == found && beyond == 0
}
