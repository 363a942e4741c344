// Package settings reads the configuration of the programs. Flags take precedence over SHOEPROOF_* variables, these
// over a YAML file, and that over defaults. Unknown keys are errors, and Load returns all errors at once. The methods
// of the configuration build the options of other packages from it.
//
// The setting kafka.tls.ca_file has the flag --kafka-tls-ca-file and the variable SHOEPROOF_KAFKA_TLS_CA_FILE.
// Secrets have no flag: the arguments of a process are public. A renamed setting keeps its old name for one release,
// see Renamed.
package settings

import (
	"time"

	"github.com/shoeproof/shoeproof/law"
)

// Ingest is the configuration of ingest.
type Ingest struct {
	Kafka      Kafka      `key:"kafka"`
	ClickHouse ClickHouse `key:"clickhouse"`
	Law        Law        `key:""`
	HTTP       HTTP       `key:"http"`
	Log        Log        `key:"log"`
	Flush      Flush      `key:"flush"`
	Snapshot   Snapshot   `key:"snapshot"`
	Reorder    Reorder    `key:"reorder"`
	Tracing    Tracing    `key:"tracing"`
	Journal    Journal    `key:"journal"`
}

// Journal is the key of the rows of the journal.
type Journal struct {
	Key     Secret `key:"key" doc:"key, 32 bytes or more, that signs the journal; more lines are former keys"`
	KeyFile string `key:"key_file" doc:"file with the key of the HMACs of the journal: the file of console.chain_key_file"`
}

// Audit is the configuration of audit.
type Audit struct {
	ClickHouse ClickHouse `key:"clickhouse"`
	Law        Law        `key:""`
	Log        Log        `key:"log"`
	Retention  Retention  `key:"retention"`
	Export     Export     `key:"export"`
	Kafka      Kafka      `key:"kafka"` // only for notifications
	Console    Console    `key:"console"`
	Watch      Watch      `key:"watch"`
	Tracing    Tracing    `key:"tracing"` // of run and export
}

// Kafka is the source of the table events.
type Kafka struct {
	Brokers []string `key:"brokers" doc:"host:port of Kafka brokers; one that answers is sufficient"`
	Topic   string   `key:"topic" doc:"topic of the table events"`
	Group   string   `key:"group" doc:"consumer group that shares the partitions"`
	TLS     TLS      `key:"tls"`
	SASL    SASL     `key:"sasl"`
}

// SASL is the account at the brokers.
type SASL struct {
	Mechanism    string `key:"mechanism" doc:"plain, scram-sha-256 or scram-sha-512; empty for no account"`
	Username     string `key:"username" doc:"user at the brokers"`
	Password     Secret `key:"password" doc:"its password"`
	PasswordFile string `key:"password_file" doc:"file with the password"`
}

// ClickHouse is the store of the rows.
type ClickHouse struct {
	Addrs        []string `key:"addrs" doc:"host:port of ClickHouse's native protocol, tried in turn"`
	Database     string   `key:"database" doc:"database of the tables"`
	Cluster      string   `key:"cluster" doc:"cluster of the tables, as the server's configuration names it; empty for one server"`
	Replicated   bool     `key:"replicated" doc:"the cluster replicates, with a Keeper; false for shards of one replica each"`
	User         string   `key:"user" doc:"user at ClickHouse"`
	Password     Secret   `key:"password" doc:"its password"`
	PasswordFile string   `key:"password_file" doc:"file with the password"`
	TLS          TLS      `key:"tls"`
}

// TLS is the encryption of a connection.
type TLS struct {
	Enabled    bool   `key:"enabled" doc:"use TLS; required for addresses that are not loopback"`
	Plain      bool   `key:"plain" doc:"connect without TLS to an address that is not loopback: in a network that is encrypted by other means"`
	CAFile     string `key:"ca_file" doc:"PEM file of the authorities to trust; empty for the system's"`
	CertFile   string `key:"cert_file" doc:"PEM file of the client certificate, if the server requires one"`
	KeyFile    string `key:"key_file" doc:"PEM file of that certificate's key"`
	ServerName string `key:"server_name" doc:"name in the server's certificate, if not its host"`
}

// Law is the input of the engine besides events.
type Law struct {
	Calendar      Calendar         `key:"calendar"`
	PatronKey     Secret           `key:"patron_key" doc:"key, 16 bytes or more, that masks patron references"`
	PatronKeyFile string           `key:"patron_key_file" doc:"file with the key, 16 bytes or more, that masks patron references"`
	Rulebooks     []string         `key:"rulebooks" doc:"rulebook files besides the shipped ones"`
	Detectors     FalseAlarmBudget `key:"detectors"`

	checked law.Books // the rulebooks as the check of the settings read them
}

// FalseAlarmBudget is the maximum number of false alarms and the volume of play; thresholds follow from them.
type FalseAlarmBudget struct {
	FalseAlarms  int  `key:"false_alarms" doc:"maximum number of false alarms in 1,000 table-years"`
	Rounds       int  `key:"rounds" doc:"rounds that a table plays in a year"`
	Shoes        int  `key:"shoes" doc:"shoes that a table plays in a year"`
	PatronRounds int  `key:"patron_rounds" doc:"rounds that patrons play at a table in a year, summed over patrons"`
	Visits       int  `key:"visits" doc:"visits of patrons to a table in a year"`
	ChipsAtTable bool `key:"chips_at_table" doc:"chips are sold at the table: a low tray is not evidence"`
	Differential bool `key:"differential" doc:"the house limits the difference of Player and Banker totals: offsetting bets are not evidence"`
	// PickUpOrders are names of detectors.PickUpNames.
	PickUpOrders []string `key:"pick_up_orders" doc:"orders in which cards are picked up: as_dealt, player_first, banker_first, thirds_player_first, thirds_banker_first"`
	Suppliers    []string `key:"suppliers" doc:"who made cards and shufflers, as prefix=name: the prefix of ids of sets of cards and of devices"`
}

// Calendar is the calendar of the property.
type Calendar struct {
	Zone     string            `key:"zone" doc:"IANA time zone of the property"`
	Rollover string            `key:"rollover" doc:"time of day at which a gaming day begins"`
	Shifts   map[string]string `key:"shifts" doc:"shifts by name with the start of each, a time of day"`
}

// HTTP is the address of metrics and probes.
type HTTP struct {
	Listen string `key:"listen" doc:"host:port for /metrics, /healthz and /readyz"`
}

// Watch is the address of the metrics and probes of audit watch.
type Watch struct {
	MetricsListen string `key:"metrics_listen" doc:"host:port for /metrics, /healthz and /readyz of audit watch; empty for none"`
}

// Log is the log on standard error.
type Log struct {
	Level  string `key:"level" doc:"debug, info, warn or error"`
	Format string `key:"format" doc:"json or text"`
}

// Export is the configuration of audit export.
type Export struct {
	Licensee string `key:"licensee" doc:"licensee, printed on every record"`
	Form     string `key:"form" doc:"title of the form, printed on every record"`
	Log      string `key:"log" doc:"folder of the log's head, or s3://BUCKET/PREFIX for the log and its bundles; one per property, with a backup"`
	S3       S3     `key:"s3"`
	Cluster  string `key:"cluster" doc:"id of the Kafka cluster, for the manifest"`
	Key      Secret `key:"key" doc:"signing key"`
	KeyFile  string `key:"key_file" doc:"file with the signing key of audit keygen"`
}

// S3 is the object store of a stored log.
type S3 struct {
	Endpoint      string `key:"endpoint" doc:"https://HOST[:PORT] of the object store"`
	Region        string `key:"region" doc:"region of the object store"`
	AccessKey     string `key:"access_key" doc:"id of the access key"`
	SecretKey     Secret `key:"secret_key" doc:"secret access key"`
	SecretKeyFile string `key:"secret_key_file" doc:"file with the secret access key"`
	CAFile        string `key:"ca_file" doc:"PEM file of the authorities to trust; empty for the system's"`
}

// Retention is the minimum retention of each class of records in years.
type Retention struct {
	Events   int `key:"events" doc:"years that events are kept, 7 or more"`
	Facts    int `key:"facts" doc:"years that rounds, wagers, vigorish, shoes and evidence are kept, 7 or more"`
	Findings int `key:"findings" doc:"years that findings are kept, 7 or more"`
	Exports  int `key:"exports" doc:"years that the record of runs and exports is kept, 10 or more"`
}

// Flush is the condition for writing rows; the first one met applies.
type Flush struct {
	Rows     int           `key:"rows" doc:"unflushed rows of all partitions of the process that start a flush; half a KiB of records counts as a row"`
	Every    time.Duration `key:"every" doc:"age of the oldest unflushed record that starts a flush of all partitions"`
	Findings time.Duration `key:"findings" doc:"age of the oldest unflushed finding that starts a flush of all partitions"`
}

// Snapshot is when the state of a table is stored. It bounds how much a start reads again.
type Snapshot struct {
	Idle    time.Duration `key:"idle" doc:"event time without a record of a table after which half of snapshot.offsets suffice to store its state; after 12 times this, at most a day, it is stored in any case"`
	Offsets int           `key:"offsets" doc:"offsets of a partition after a table's first record since its last stored state, after which the state is stored again"`
}

// Reorder is how long the events of a table wait for a missing event if too few follow.
type Reorder struct {
	MaxWait time.Duration `key:"max_wait" doc:"time for which the events of a table wait for a missing event if too few follow; 0s for ever"`
}

// DefaultIngest returns the defaults of ingest.
func DefaultIngest() Ingest {
	return Ingest{
		Kafka:      defaultKafka(),
		ClickHouse: defaultClickHouse(), Law: defaultLaw(), Log: Log{Level: "info", Format: "json"},
		HTTP: HTTP{Listen: ":9464"}, Flush: Flush{Rows: 200_000, Every: 5 * time.Second, Findings: 500 * time.Millisecond},
		Snapshot: Snapshot{Idle: 30 * time.Minute, Offsets: 500_000}, Reorder: Reorder{MaxWait: time.Minute},
	}
}

// DefaultAudit returns the defaults of audit.
func DefaultAudit() Audit {
	return Audit{
		ClickHouse: defaultClickHouse(), Law: defaultLaw(), Log: Log{Level: "warn", Format: "text"},
		Retention: defaultRetention(),
		Export:    Export{Form: "Daily exception report of baccarat", S3: S3{Region: "us-east-1"}},
		Kafka:     defaultKafka(), Console: defaultConsole(),
	}
}

// defaultRetention is the longest retention that land-based regulations require, and the minimum: K.A.R. 112-108-51
// for records of play, N.J.A.C. 13:69O-1.8 for exports.
func defaultRetention() Retention { return Retention{Events: 7, Facts: 7, Findings: 7, Exports: 10} }

func defaultClickHouse() ClickHouse {
	return ClickHouse{Addrs: []string{"127.0.0.1:9000"}, Database: "shoeproof", Replicated: true, User: "default"}
}

func defaultLaw() Law {
	return Law{Calendar: Calendar{
		Zone: "America/New_York", Rollover: "06:00",
		Shifts: map[string]string{"day": "06:00", "swing": "14:00", "night": "22:00"},
	}, Detectors: FalseAlarmBudget{
		FalseAlarms: 10, Rounds: 500_000, Shoes: 6_150, PatronRounds: 2_500_000, Visits: 7_300,
		PickUpOrders: []string{"as_dealt", "player_first", "banker_first"},
	}}
}

// Secret prints as ****.
type Secret string

const masked = "****"

// String is **** or nothing.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// MarshalText is String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
