package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
)

// leaveTimeout bounds the wait for an answer of the coordinator when the process stops. The coordinator answers a
// member that joins only when all other members have joined, up to 30 s later.
const leaveTimeout = 2 * time.Second

// A membership is the part of this process in a consumer group.
type membership struct {
	group  *kafka.ConsumerGroup
	id     string             // of the last generation; "" before the first
	hangUp context.CancelFunc // closes the connections of group
}

// share reads the partitions that the group assigns to this process.
func (s *Source) share(ctx context.Context, partitions int, work func(context.Context, pipeline.Stream) error) error {
	if s.config.Replaces {
		s.replace(ctx)
	}
	m, err := s.member(ctx)
	if err != nil {
		return err
	}
	defer s.leave(ctx, m)
	return s.generations(ctx, m, partitions, work)
}

// member joins the group in the background.
func (s *Source) member(ctx context.Context) (*membership, error) {
	connected, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	dialer := *s.dialer
	dialer.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(connected, cancel)()
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &groupConn{Conn: conn, stop: context.AfterFunc(connected, func() { _ = conn.Close() })}, nil
	}
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: s.config.Group, Brokers: s.config.Brokers, Topics: []string{s.config.Topic}, Dialer: &dialer,
		SessionTimeout: s.config.SessionTimeout, HeartbeatInterval: s.config.Heartbeat, JoinGroupBackoff: time.Second,
	})
	if err != nil {
		hangUp()
		return nil, fmt.Errorf("kafka group %s: %w", s.config.Group, err)
	}
	return &membership{group: group, hangUp: hangUp}, nil
}

// groupConn is a connection that membership.hangUp closes.
type groupConn struct {
	net.Conn
	stop func() bool
}

func (c *groupConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// leave leaves the group. In the middle of a rebalance it does not wait for the other members.
func (s *Source) leave(ctx context.Context, m *membership) {
	defer m.hangUp()
	pending := time.AfterFunc(leaveTimeout, m.hangUp)
	_ = m.group.Close() // It only waits, and returns no error.
	if pending.Stop() || m.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	s.remove(ctx, m.id)
}

// remove removes a member from the group. If that fails, the session of the member times out.
func (s *Source) remove(ctx context.Context, member string) (removed bool) {
	left, err := s.client.LeaveGroup(ctx, &kafka.LeaveGroupRequest{
		GroupID: s.config.Group, Members: []kafka.LeaveGroupRequestMember{{ID: member}},
	})
	return err == nil && left.Error == nil
}

// replace removes stale members from the group. A member that it cannot remove only delays the assignment until the
// session times out.
func (s *Source) replace(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	groups, err := s.client.DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: []string{s.config.Group}})
	if err != nil {
		return
	}
	for _, g := range groups.Groups {
		for _, m := range g.Members {
			if m.ClientID != s.config.ClientID {
				continue
			}
			if s.remove(ctx, m.MemberID) {
				s.config.Log.Info("removed a stale member from the group", "group", s.config.Group, "member", m.MemberID)
			}
		}
	}
}

// generations reads the assigned partitions from one rebalance to the next.
func (s *Source) generations(
	ctx context.Context, m *membership, partitions int, work func(context.Context, pipeline.Stream) error,
) error {
	const what = "group"
	for {
		gen, err := m.group.Next(ctx)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, kafka.ErrGroupClosed) {
				return nil
			}
			if fatal := misconfigured(err); fatal != nil && m.id == "" {
				return fatal
			}
			if !errors.Is(err, kafka.RebalanceInProgress) { // A rebalance is no failure.
				s.health.add(what, err)
			}
			continue
		}
		m.id = gen.MemberID
		s.health.clear(what)
		end := make(chan outcome, 1)
		gen.Start(func(over context.Context) {
			end <- s.generation(ctx, over, gen, &partitions, work)
		})
		if o := <-end; o.err != nil || o.done {
			return o.err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// outcome is how a generation ended: with an error, with all its work done, or otherwise with the next generation.
type outcome struct {
	err  error
	done bool
}

// generation runs the partitions of one generation. The member stays in the generation until it returns.
func (s *Source) generation(
	ctx, over context.Context, gen *kafka.Generation, partitions *int, work func(context.Context, pipeline.Stream) error,
) outcome {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(over, func() { cancel(pipeline.ErrRevoked) })()

	commit := func(id int, offset int64) error {
		return gen.CommitOffsets(map[string]map[int]int64{s.config.Topic: {id: offset}})
	}
	assigned := gen.Assignments[s.config.Topic]
	watch, unwatch := context.WithCancel(ctx)
	defer unwatch()
	streams, sctx := errgroup.WithContext(ctx)
	for _, p := range assigned {
		streams.Go(func() error { return s.read(sctx, newPartition(s, p.ID, gen.ID, commit), p.Offset, work) })
	}
	var watching errgroup.Group
	watching.Go(func() error {
		if s.watch(watch, partitions) {
			cancel(pipeline.ErrRevoked)
		}
		return nil
	})
	err := streams.Wait()
	if len(assigned) == 0 && !s.config.StopAtEnd {
		<-ctx.Done() // Unassigned until the next rebalance.
	}
	revoked := errors.Is(context.Cause(ctx), pipeline.ErrRevoked)
	unwatch()
	return outcome{err: errors.Join(err, watching.Wait()), done: !revoked}
}
