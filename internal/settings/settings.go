// Package settings reads the configuration of the programs: flags over SHOEPROOF_* over a YAML file
// over defaults. What it does not know it refuses, and it says all that is wrong at once.
//
// A setting kafka.tls.ca_file is the flag --kafka-tls-ca-file and the variable
// SHOEPROOF_KAFKA_TLS_CA_FILE. Secrets have no flag: the arguments of a process are public.
package settings

import "time"

// Ingest is the configuration of ingest.
type Ingest struct {
	Kafka      Kafka      `key:"kafka"`
	ClickHouse ClickHouse `key:"clickhouse"`
	Law        Law        `key:""`
	HTTP       HTTP       `key:"http"`
	Log        Log        `key:"log"`
	Flush      Flush      `key:"flush"`
	Memory     Memory     `key:"memory"`
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
}

// Kafka is where the table events come from.
type Kafka struct {
	Brokers []string `key:"brokers" doc:"host:port of Kafka brokers; one that answers is enough"`
	Topic   string   `key:"topic" doc:"topic of the table events"`
	Group   string   `key:"group" doc:"consumer group that shares the partitions"`
	TLS     TLS      `key:"tls"`
	SASL    SASL     `key:"sasl"`
}

// SASL is an account at the brokers.
type SASL struct {
	Mechanism    string `key:"mechanism" doc:"plain, scram-sha-256 or scram-sha-512; empty for no account"`
	Username     string `key:"username" doc:"user at the brokers"`
	Password     Secret `key:"password" doc:"its password"`
	PasswordFile string `key:"password_file" doc:"file that holds the password"`
}

// ClickHouse is where the rows are kept.
type ClickHouse struct {
	Addrs        []string `key:"addrs" doc:"host:port of ClickHouse's native protocol, tried in turn"`
	Database     string   `key:"database" doc:"database of the tables"`
	Cluster      string   `key:"cluster" doc:"cluster of the server's configuration that holds the tables; empty for one server"`
	Replicated   bool     `key:"replicated" doc:"the cluster replicates, with a Keeper; false for shards of one replica each"`
	User         string   `key:"user" doc:"user at ClickHouse"`
	Password     Secret   `key:"password" doc:"its password"`
	PasswordFile string   `key:"password_file" doc:"file that holds the password"`
	TLS          TLS      `key:"tls"`
}

// TLS is how a connection is protected.
type TLS struct {
	Enabled    bool   `key:"enabled" doc:"speak TLS"`
	CAFile     string `key:"ca_file" doc:"PEM file of the authorities to trust; empty for the system's"`
	CertFile   string `key:"cert_file" doc:"PEM file of our certificate, if one is asked for"`
	KeyFile    string `key:"key_file" doc:"PEM file of that certificate's key"`
	ServerName string `key:"server_name" doc:"name in the server's certificate, if not its host"`
}

// Law is what the engine needs besides events.
type Law struct {
	Calendar      Calendar `key:"calendar"`
	PatronKey     Secret   `key:"patron_key" doc:"key, 16 bytes or more, under which patron references are masked"`
	PatronKeyFile string   `key:"patron_key_file" doc:"file that holds the key, 16 bytes or more, under which patron references are masked"`
	Rulebooks     []string `key:"rulebooks" doc:"rulebook files to know besides the shipped ones"`
	Detectors     Promise  `key:"detectors"`
}

// Promise is what detectors promise on false alarms, and how much a table plays: thresholds follow from them.
type Promise struct {
	FalseAlarms  int  `key:"false_alarms" doc:"false alarms that are promised at most in 1,000 table-years"`
	Rounds       int  `key:"rounds" doc:"rounds that a table plays in a year"`
	Shoes        int  `key:"shoes" doc:"shoes that a table plays in a year"`
	PatronRounds int  `key:"patron_rounds" doc:"rounds that patrons play at a table in a year, summed over patrons"`
	Visits       int  `key:"visits" doc:"visits of patrons to a table in a year"`
	ChipsAtTable bool `key:"chips_at_table" doc:"chips are sold at the table: a tray that holds too little says nothing"`
	Differential bool `key:"differential" doc:"the house caps the gap between Player and Banker totals: offsetting bets say nothing"`
}

// Calendar is the property's.
type Calendar struct {
	Zone     string            `key:"zone" doc:"IANA time zone of the property"`
	Rollover string            `key:"rollover" doc:"time of day at which a gaming day begins"`
	Shifts   map[string]string `key:"shifts" doc:"shifts by name with the time of day at which each begins"`
}

// HTTP is where metrics and probes are served.
type HTTP struct {
	Listen string `key:"listen" doc:"host:port for /metrics, /healthz and /readyz"`
}

// Watch is how audit watch is watched itself.
type Watch struct {
	MetricsListen string `key:"metrics_listen" doc:"host:port for /metrics, /healthz and /readyz of audit watch; empty for none"`
}

// Log is what is said on standard error.
type Log struct {
	Level  string `key:"level" doc:"debug, info, warn or error"`
	Format string `key:"format" doc:"json or text"`
}

// Export is what bundles are signed with and carry.
type Export struct {
	Licensee string `key:"licensee" doc:"licensee, as every record carries it"`
	Form     string `key:"form" doc:"title of the form, as every record carries it"`
	Log      string `key:"log" doc:"folder of the log's head, or s3://BUCKET/PREFIX, where bundles go too; one for each property, and never lost"`
	S3       S3     `key:"s3"`
	Cluster  string `key:"cluster" doc:"id of the Kafka cluster, for the manifest"`
	Key      Secret `key:"key" doc:"signing key"`
	KeyFile  string `key:"key_file" doc:"file that holds the signing key, of audit keygen"`
}

// S3 is the object store of a log that is none of the machine's folders.
type S3 struct {
	Endpoint      string `key:"endpoint" doc:"https://HOST[:PORT] of the object store"`
	Region        string `key:"region" doc:"its region"`
	AccessKey     string `key:"access_key" doc:"name of the account's key there"`
	SecretKey     Secret `key:"secret_key" doc:"the key itself"`
	SecretKeyFile string `key:"secret_key_file" doc:"file that holds the key"`
	CAFile        string `key:"ca_file" doc:"PEM file of the authorities to trust; empty for the system's"`
}

// Retention is for how many years each class of records is kept, at least.
type Retention struct {
	Events   int `key:"events" doc:"years that events are kept, 7 or more"`
	Facts    int `key:"facts" doc:"years that rounds, wagers, vigorish, shoes and evidence are kept, 7 or more"`
	Findings int `key:"findings" doc:"years that findings are kept, 7 or more"`
	Exports  int `key:"exports" doc:"years that the record of runs and exports is kept, 10 or more"`
}

// Flush is when rows are written; whichever comes first.
type Flush struct {
	Rows  int           `key:"rows" doc:"rows of a partition that make a flush, or half a KiB for each of so many"`
	Every time.Duration `key:"every" doc:"age of a partition's oldest unflushed record that makes a flush"`
}

// Memory is how much a start reads again.
type Memory struct {
	Idle    time.Duration `key:"idle" doc:"event time without a record of a table after which its state is stored"`
	Offsets int           `key:"offsets" doc:"offsets of a partition, since a table's first record after its last stored state, after which it is stored again"`
}

// DefaultIngest is the configuration of ingest where nothing is said.
func DefaultIngest() Ingest {
	return Ingest{
		Kafka:      defaultKafka(),
		ClickHouse: defaultClickHouse(), Law: defaultLaw(), Log: Log{Level: "info", Format: "json"},
		HTTP: HTTP{Listen: ":9464"}, Flush: Flush{Rows: 5000, Every: 500 * time.Millisecond},
		Memory: Memory{Idle: 30 * time.Minute, Offsets: 500_000},
	}
}

// DefaultAudit is the configuration of audit where nothing is said.
func DefaultAudit() Audit {
	return Audit{
		ClickHouse: defaultClickHouse(), Law: defaultLaw(), Log: Log{Level: "warn", Format: "text"}, Retention: defaultRetention(),
		Export: Export{Form: "Daily exception report of baccarat", S3: S3{Region: "us-east-1"}},
		Kafka:  defaultKafka(), Console: defaultConsole(),
	}
}

// defaultRetention is the longest that the land-based regulations ask for, and less is refused: K.A.R.
// 112-108-51 for what play left behind, N.J.A.C. 13:69O-1.8 for what was handed out.
func defaultRetention() Retention { return Retention{Events: 7, Facts: 7, Findings: 7, Exports: 10} }

func defaultClickHouse() ClickHouse {
	return ClickHouse{Addrs: []string{"127.0.0.1:9000"}, Database: "shoeproof", Replicated: true, User: "default"}
}

func defaultLaw() Law {
	return Law{Calendar: Calendar{
		Zone: "America/New_York", Rollover: "06:00",
		Shifts: map[string]string{"day": "06:00", "swing": "14:00", "night": "22:00"},
	}, Detectors: Promise{FalseAlarms: 10, Rounds: 500_000, Shoes: 6_150, PatronRounds: 2_500_000, Visits: 7_300}}
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
