//go:build unix

// Devstack runs real engines and a simulated floor on one machine, for a demo and
// for development. It is not for production.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // as the programs have it

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
)

func main() {
	engine.HostClickHouse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Execute(ctx, command(stdout), args, cli.Streams{In: stdin, Out: stdout, Err: stderr})
}

// version is set by the linker.
var version = "unknown"

func command(out io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "devstack",
		Short: "run real engines and a simulated floor on one machine",
		Example: `  devstack demo
  devstack up --speed 60
  devstack clickhouse --port 9000 --http-port 8123`,
	}
	root.AddCommand(demoCommand(), upCommand(), clickHouseCommand(out), kafkaCommand(out), sbomCommand(),
		judgementCommand())
	cli.Describe(root, version, "")
	return root
}

func clickHouseCommand(out io.Writer) *cobra.Command {
	var o engine.ClickHouseOptions
	c := &cobra.Command{
		Use:     "clickhouse",
		Short:   "run a ClickHouse until interrupted",
		Example: "  devstack clickhouse --port 9000 --http-port 8123",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Output = cmd.ErrOrStderr()
			if _, err := os.Stat(o.ConfigFile); o.ConfigFile != "" && err != nil {
				return cli.WrongUsage(fmt.Errorf("--config-file: %w", err))
			}
			ch, err := engine.StartClickHouse(cmd.Context(), o)
			if err != nil {
				return err
			}
			defer ch.Stop()
			fmt.Fprintf(out, "clickhouse://%s http://%s\n", ch.Addr, ch.HTTPAddr)
			select {
			case <-cmd.Context().Done():
				return nil
			case <-ch.Failed():
				return ch.Err()
			}
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", ".cache/clickhouse", "folder of its data")
	c.Flags().IntVar(&o.Port, "port", 0, "port of the native protocol, 0 for a free one")
	c.Flags().IntVar(&o.HTTPPort, "http-port", 0, "port of HTTP, 0 for a free one")
	c.Flags().StringVar(&o.ConfigFile, "config-file", "", "path of a config.xml")
	return c
}

func kafkaCommand(out io.Writer) *cobra.Command {
	var o engine.KafkaOptions
	var topics map[string]int
	c := &cobra.Command{
		Use:     "kafka",
		Short:   "run in-process Kafka brokers until interrupted",
		Example: "  devstack kafka --ports 9092 --topic table-events=6",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Log, o.Topics = cmd.ErrOrStderr(), map[string]int32{}
			for topic, partitions := range topics {
				o.Topics[topic] = int32(partitions)
			}
			k, err := engine.StartKafka(o)
			if err != nil {
				return err
			}
			defer k.Stop()
			for _, addr := range k.Addrs {
				fmt.Fprintln(out, addr)
			}
			<-cmd.Context().Done()
			return nil
		},
	}
	c.Flags().IntVar(&o.Brokers, "brokers", 1, "number of brokers")
	c.Flags().IntSliceVar(&o.Ports, "ports", nil, "ports of the brokers, free ones if not given")
	c.Flags().StringVar(&o.DataDir, "dir", "", "folder of the topics; without it they are lost at the end")
	c.Flags().StringToIntVar(&topics, "topic", nil, "topic=partitions, created at the start")
	return c
}
