//go:build unix

package engine

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kfake"
)

// KafkaOptions configure a Kafka.
type KafkaOptions struct {
	// Brokers is the number of brokers, 1 for 0.
	Brokers int
	// Ports are the ports of the brokers on 127.0.0.1, free ones if empty.
	Ports []int
	// Topics are created at the start; the value is the number of partitions.
	Topics map[string]int32
	// DataDir stores topics and groups. Without it they are lost at Stop.
	DataDir string
	// Log receives the brokers' warnings; may be nil.
	Log io.Writer
	// More are further options: accounts, TLS, broker settings.
	More []kfake.Opt
}

// A Kafka is a cluster of brokers inside this process that speak Kafka's protocol. They accept
// requests of versions that Apache Kafka 4 refuses: see MinVersions.
type Kafka struct {
	Addrs   []string       // of the brokers, host:port
	Cluster *kfake.Cluster // for faults, hooks and the content of topics
}

// StartKafka starts the brokers, which answer when it returns.
func StartKafka(o KafkaOptions) (*Kafka, error) {
	opts := []kfake.Opt{kfake.NumBrokers(cmp.Or(o.Brokers, 1))}
	for _, topic := range slices.Sorted(maps.Keys(o.Topics)) {
		opts = append(opts, kfake.SeedTopics(o.Topics[topic], topic))
	}
	if len(o.Ports) > 0 {
		opts = append(opts, kfake.Ports(o.Ports...))
	}
	if o.DataDir != "" {
		opts = append(opts, kfake.DataDir(o.DataDir))
	}
	if o.Log != nil {
		opts = append(opts, kfake.WithLogger(kfake.BasicLogger(o.Log, kfake.LogLevelWarn)))
	}
	cluster, err := kfake.NewCluster(append(opts, o.More...)...)
	if err != nil {
		return nil, fmt.Errorf("start Kafka: %w", err)
	}
	return &Kafka{Addrs: cluster.ListenAddrs(), Cluster: cluster}, nil
}

// Stop writes DataDir and ends the brokers.
func (k *Kafka) Stop() { k.Cluster.Close() }
