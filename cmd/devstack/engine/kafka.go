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

// KafkaOptions say which brokers and topics there are.
type KafkaOptions struct {
	// Brokers is how many there are, 1 for 0.
	Brokers int
	// Ports are theirs on 127.0.0.1, free ones if empty.
	Ports []int
	// Topics exist from the start, with that many partitions.
	Topics map[string]int32
	// DataDir keeps topics and groups across a restart; nothing is kept without it.
	DataDir string
	// Log receives the brokers' warnings; may be nil.
	Log io.Writer
	// More are further options: accounts, TLS, the settings of brokers.
	More []kfake.Opt
}

// A Kafka is brokers inside this process that speak Kafka's protocol. They accept
// requests so old that Apache Kafka 4 refuses them: see VersionFloors.
type Kafka struct {
	Addrs   []string       // of the brokers, host:port
	Cluster *kfake.Cluster // for faults, hooks and what is in the topics
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

// Stop ends the brokers, having written DataDir.
func (k *Kafka) Stop() { k.Cluster.Close() }
