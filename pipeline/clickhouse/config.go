package clickhouse

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"time"

	"github.com/shoeproof/shoeproof/schema/migrations"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Config is the connection to ClickHouse, and the release that writes.
type Config struct {
	Addrs    []string // host:port of the native protocol, tried in turn
	Database string
	// Cluster, if not empty, is the cluster of the server's configuration that has the tables.
	Cluster string
	// Bare is true for shards with one replica each and no Keeper. All have the same account.
	Bare     bool
	User     string
	Password Secret
	TLS      *tls.Config // nil is plain TCP

	DialTimeout   time.Duration // 0 is 5 s
	InsertTimeout time.Duration // of one insert, 0 is 20 s; then its outcome is unknown and it is retried
	ReadTimeout   time.Duration // of one query, 0 is 60 s
	MaxConns      int           // 0 is 16; an insert uses one

	// RulesVersion and Engine are written into the journal. Another version of the rules inserts a range again, where
	// the same version finds it done.
	RulesVersion, Engine string
	// RowVersion decides between rows of the same key: the highest stays. It increases with releases and is the same
	// for every replay by one release.
	RowVersion uint32

	// ChainKeys verify and sign the chains of triage and of the console log, and the rows of the journal.
	ChainKeys rows.ChainKeys

	// Now is the clock of the journal, nil for the system's.
	Now func() time.Time

	// RunsKept is how many years the rows of nightly runs are kept; older ones may be deleted. 0 is for ever.
	RunsKept int

	// Retried, if not nil, is called for each insert that failed and is retried.
	Retried func(table string, err error)

	Log *slog.Logger // nil disables logging
}

// A Secret prints as [redacted].
type Secret string

const redacted = "[redacted]"

func (Secret) String() string { return redacted }

// GoString hides the secret.
func (Secret) GoString() string { return redacted }

// MarshalText hides the secret.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue hides the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

func (c Config) settle() (Config, error) {
	if len(c.Addrs) == 0 {
		return c, errors.New("clickhouse: no address is configured")
	}
	c.DialTimeout = or(c.DialTimeout, 5*time.Second)
	c.InsertTimeout = or(c.InsertTimeout, 20*time.Second)
	c.ReadTimeout = or(c.ReadTimeout, time.Minute)
	c.MaxConns = or(c.MaxConns, 16)
	if c.Retried == nil {
		c.Retried = func(string, error) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

func or[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

func (c Config) layout() migrations.Layout {
	return migrations.Layout{Database: c.Database, Cluster: c.Cluster, Bare: c.Bare}
}
