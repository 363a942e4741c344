//go:build unix

package engine

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// MinVersions returns, by request, the min version that every Apache Kafka 4
// answers (KIP-896); 0 for a request that is not listed. The in-process brokers
// also answer older versions, so the versions of a client must be compared with these.
func MinVersions() map[kmsg.Key]int16 {
	return map[kmsg.Key]int16{
		kmsg.Produce:              3, // advertises 0 for old librdkafka, and refuses it
		kmsg.Fetch:                4,
		kmsg.ListOffsets:          1,
		kmsg.OffsetCommit:         2,
		kmsg.OffsetFetch:          1,
		kmsg.JoinGroup:            2, // in 4.0; 4.3 answers 0 again
		kmsg.CreateTopics:         2,
		kmsg.DeleteTopics:         1,
		kmsg.OffsetForLeaderEpoch: 2,
		kmsg.WriteTxnMarkers:      1,
		kmsg.DescribeACLs:         1,
		kmsg.CreateACLs:           1,
		kmsg.DeleteACLs:           1,
		kmsg.DescribeConfigs:      1,
		kmsg.AlterReplicaLogDirs:  1,
		kmsg.DescribeLogDirs:      1,

		kmsg.CreateDelegationToken: 1, kmsg.RenewDelegationToken: 1, kmsg.ExpireDelegationToken: 1,
		kmsg.DescribeDelegationToken: 1,
	}
}

// Requests counts the requests to the brokers by kind and version.
type Requests struct {
	mu   sync.Mutex
	seen map[Request]int
}

// A Request is one kind of request at one version.
type Request struct {
	Key     kmsg.Key
	Version int16
}

func (r Request) String() string { return fmt.Sprintf("%s v%d", r.Key.Name(), r.Version) }

// RecordRequests counts each request from now on. The brokers answer as before.
func (k *Kafka) RecordRequests() *Requests {
	r := &Requests{seen: map[Request]int{}}
	k.Cluster.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen[Request{kmsg.Key(req.Key()), req.GetVersion()}]++
		return nil, nil, false
	})
	return r
}

// Seen is the number of requests of each kind and version.
func (r *Requests) Seen() map[Request]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.seen)
}

// BelowMin returns the requests that some Apache Kafka 4 refuses, sorted by name.
func (r *Requests) BelowMin() []string {
	versions := MinVersions()
	var below []string
	for req := range r.Seen() {
		if oldest := versions[req.Key]; req.Version < oldest {
			below = append(below, fmt.Sprintf("%s, Kafka 4 requires v%d", req, oldest))
		}
	}
	slices.Sort(below)
	return below
}
