package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"
)

// Connect is Open for who looks: it takes a database of any schema, or none.
func Connect(ctx context.Context, cfg Config) (*Store, error) { return connect(ctx, cfg) }

// Server is the server's release, and by how much its clock is ahead of ours, give or take half of the
// time that the answer took.
func (s *Store) Server(ctx context.Context) (version string, ahead time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var theirs time.Time
	asked := time.Now()
	err = s.conn.QueryRow(ctx, "SELECT version(), now64(9, 'UTC')").Scan(&version, &theirs)
	answered := time.Now()
	return version, theirs.Sub(asked.Add(answered.Sub(asked) / 2)), s.explain("ask for the time", err)
}

// ErrCannotTell says that the server is too old to be asked about grants.
var ErrCannotTell = errors.New("the server cannot be asked about grants")

// Has says which of the grants, such as INSERT ON shoeproof.events, the user has.
func (s *Store) Has(ctx context.Context, grants []string) (map[string]bool, error) {
	const syntaxError = 62
	has := map[string]bool{}
	for _, g := range grants {
		var yes uint8
		ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
		err := s.conn.QueryRow(ctx, "CHECK GRANT "+g).Scan(&yes)
		cancel()
		if codeOf(err) == syntaxError {
			return nil, fmt.Errorf("%s: %w", g, ErrCannotTell)
		}
		if err != nil {
			return nil, s.explain("ask for the grant "+g, err)
		}
		has[g] = yes == 1
	}
	return has, nil
}

// Progress is the last range of a partition in the journal.
type Progress struct {
	Partition int32
	To, Low   int64     // the last offset, and where a restart reads again
	WrittenAt time.Time // by the server's clock
}

// Progress is the last range of each partition of a topic.
func (s *Store) Progress(ctx context.Context, topic string) ([]Progress, error) {
	const doing = "read the progress"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, "SELECT partition, to_offset, low_offset, written_at FROM "+s.name("v_progress")+" WHERE topic = {topic:String} ORDER BY partition",
		ch.Named("topic", topic))
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	var all []Progress
	for result.Next() {
		var p Progress
		if err := result.Scan(&p.Partition, &p.To, &p.Low, &p.WrittenAt); err != nil {
			return nil, s.explain(doing, err)
		}
		all = append(all, p)
	}
	return all, s.explain(doing, result.Err())
}
