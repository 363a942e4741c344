package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Mutation is a statement that deleted or changed stored rows.
type Mutation struct {
	Table   string    `ch:"table"`
	Command string    `ch:"command"`
	At      time.Time `ch:"create_time"`
}

// Mutations returns the statements that deleted or changed rows of evidence, as far as the server lists them. No
// program does that: audit retention drops whole months, and deletes rows of audit_runs and exports only.
func (s *Store) Mutations(ctx context.Context) ([]Mutation, error) {
	return list[Mutation](ctx, s, "read the mutations", `SELECT table, command, create_time FROM system.mutations
WHERE database = {database:String} AND table NOT IN ('audit_runs', 'exports', 'audit_runs_local', 'exports_local')
AND match(command, '(DELETE WHERE|UPDATE )') ORDER BY create_time, table`, params("database", s.cfg.Database)...)
}

// Connect is Open for diagnosis: the database may have any schema, or none.
func Connect(ctx context.Context, cfg Config) (*Store, error) { return connect(ctx, cfg) }

// Server returns the server's release and the lead of its clock over this machine's, with an error of half the time of
// the answer.
func (s *Store) Server(ctx context.Context) (version string, ahead time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var theirs time.Time
	asked := time.Now()
	err = s.conn.QueryRow(ctx, "SELECT version(), now64(9, 'UTC')").Scan(&version, &theirs)
	answered := time.Now()
	return version, theirs.Sub(asked.Add(answered.Sub(asked) / 2)), s.explain("query the time", err)
}

// ErrCannotTell means that the server is too old for CHECK GRANT.
var ErrCannotTell = errors.New("the server has no CHECK GRANT: it is too old")

// Has returns which of the grants, such as INSERT ON shoeproof.events, the user has. A user mostly has all of them, and
// one statement can tell that; otherwise each is checked alone.
func (s *Store) Has(ctx context.Context, grants []string) (map[string]bool, error) {
	all, err := s.granted(ctx, strings.Join(grants, ", "))
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, g := range grants {
		if has[g] = all; all {
			continue
		}
		if has[g], err = s.granted(ctx, g); err != nil {
			return nil, err
		}
	}
	return has, nil
}

// granted reports whether the user has each of some grants.
func (s *Store) granted(ctx context.Context, grants string) (bool, error) {
	const syntaxError = 62
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var yes uint8
	err := s.conn.QueryRow(ctx, "CHECK GRANT "+grants).Scan(&yes)
	if codeOf(err) == syntaxError {
		return false, fmt.Errorf("%s: %w", grants, ErrCannotTell)
	}
	return yes == 1, s.explain("check the grant "+grants, err)
}

// Progress is the last range of a partition in the journal.
type Progress struct {
	Partition int32
	To, Low   int64     // the last offset, and the first that a restart reads
	WrittenAt time.Time // by the server's clock
}

// Progress returns the last range of each partition of a topic.
func (s *Store) Progress(ctx context.Context, topic string) ([]Progress, error) {
	var all []Progress
	var p Progress
	err := s.scan(ctx,
		"SELECT partition, to_offset, low_offset, written_at FROM "+s.name("v_progress")+" "+
			"WHERE topic = {topic:String} ORDER BY partition",
		params("topic", topic), func() { all = append(all, p) }, &p.Partition, &p.To, &p.Low, &p.WrittenAt)
	return all, s.explain("read the progress", err)
}
