//go:build unix

package engine

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// VersionFloors are, by request, the oldest version that every Apache Kafka 4
// answers (KIP-896); a request that is not here may be of version 0. The
// in-process brokers answer older ones too, so a client that works with them
// proves nothing until its versions are compared with these.
func VersionFloors() map[kmsg.Key]int16 {
	return map[kmsg.Key]int16{
		kmsg.Produce:              3, // says 0, so that old librdkafka talks to it, and refuses it
		kmsg.Fetch:                4,
		kmsg.ListOffsets:          1,
		kmsg.OffsetCommit:         2,
		kmsg.OffsetFetch:          1,
		kmsg.JoinGroup:            2, // 4.0's; 4.3 answers 0 again
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

		kmsg.CreateDelegationToken: 1, kmsg.RenewDelegationToken: 1, kmsg.ExpireDelegationToken: 1, kmsg.DescribeDelegationToken: 1,
	}
}

// Requests are the kinds and versions of the requests that brokers were sent.
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

// RecordRequests notes each request from now on. The brokers answer as before.
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

// Seen is how many there were of each.
func (r *Requests) Seen() map[Request]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.seen)
}

// BelowFloors are those that some Apache Kafka 4 refuses, in the order of their names.
func (r *Requests) BelowFloors() []string {
	floors := VersionFloors()
	var below []string
	for req := range r.Seen() {
		if floor := floors[req.Key]; req.Version < floor {
			below = append(below, fmt.Sprintf("%s, Kafka 4 asks for v%d", req, floor))
		}
	}
	slices.Sort(below)
	return below
}
