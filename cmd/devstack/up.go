//go:build unix

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/schema"
)

func upCommand() *cobra.Command {
	var speed float64
	var ports [3]int
	o := floorOptions{}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "run Kafka, ClickHouse and a simulated floor until interrupted, without ingest",
		Example: `  devstack up
  devstack up --speed 60 --tables 50 --kafka-port 9092 --clickhouse-port 9000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if speed <= 0 || o.tables < 0 || o.tables > 500 || o.every < 0 {
				return cli.WrongUsage(errors.New("want --speed above 0, --tables 0 to 500 and --fault-every 0 or more"))
			}
			return up(cmd, speed, ports, o)
		},
	}
	fs := cmd.Flags()
	fs.Float64Var(&speed, "speed", 1, "speed of play, as a multiple of real time")
	fs.IntVar(&o.tables, "tables", 20, "number of tables")
	fs.IntVar(&o.every, "fault-every", 4, "plant a fault at every Nth table, which then closes; 0 for none")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of all random choices")
	fs.IntVar(&ports[0], "kafka-port", 0, "port of the broker, 0 for a free one")
	fs.IntVar(&ports[1], "clickhouse-port", 0, "port of ClickHouse's native protocol, 0 for a free one")
	fs.IntVar(&ports[2], "clickhouse-http-port", 0, "port of ClickHouse's HTTP, 0 for a free one")
	return cmd
}

func up(cmd *cobra.Command, speed float64, ports [3]int, o floorOptions) (err error) {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	s, err := startStack(ctx, cmd.ErrOrStderr(), ports[0], ports[1], ports[2])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	o.start = startOf(speed)
	f, err := newFloor(o)
	if err != nil {
		return err
	}
	w, err := s.writer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	fmt.Fprintf(out, "Kafka       %s, topic %s, %s\nClickHouse  %s, HTTP %s, database %s\n\n"+
		"Audit it with\n\n  SHOEPROOF_PATRON_KEY=%s ingest --kafka-brokers %s --clickhouse-addrs %s\n\n",
		s.kafka.Addrs[0], topic, schema.Count(partitions, "partition"), s.clickhouse.Addr,
		s.clickhouse.HTTPAddr, s.settings.ClickHouse.Database,
		patronKey, s.kafka.Addrs[0], s.clickhouse.Addr)
	s.queries(out)
	fmt.Fprintf(out, "\n%s at %g times real time; tables that break a rule: %d. Ctrl-C stops everything.\n",
		schema.Count(o.tables, "table"), speed, len(f.planted))
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return f.publish(ctx, w, o.start, speed, func(int) {}) })
	group.Go(func() error { return s.failed(ctx) })
	return group.Wait()
}

// startOf is the time at which a floor begins to play. At another speed than real time it is
// yesterday, so that no event is in the future.
func startOf(speed float64) time.Time {
	now := time.Now().UTC().Truncate(time.Second)
	if speed == 1 {
		return now
	}
	return now.AddDate(0, 0, -1)
}
