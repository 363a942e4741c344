package settings

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/detectors"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/shoeproof/shoeproof/export/s3"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// minKey is the minimum length of an HMAC key in bytes.
const minKey = 16

func (c *Ingest) check(l *Loaded) {
	c.Kafka.check(l)
	c.ClickHouse.check(l)
	c.Law.check(l)
	if c.Law.PatronKey == "" && !l.complained("patron_key_file") {
		l.complain("patron_key", errors.New("none, want patron_key_file or "+prefix+"PATRON_KEY: the key masks patron "+
			"references"))
	}
	l.address("http.listen", c.HTTP.Listen, true)
	c.Log.check(l)
	c.Tracing.check(l)
	l.secret("journal.key", &c.Journal.Key, c.Journal.KeyFile)
	_, err := rows.ParseChainKeys(string(c.Journal.Key))
	l.complain("journal.key", err)
	if c.Flush.Rows < 1 || c.Flush.Rows > 500_000 {
		l.complain("flush.rows", fmt.Errorf("%d, want 1 to 500000", c.Flush.Rows))
	}
	for _, age := range []struct {
		key   string
		value time.Duration
	}{{"flush.every", c.Flush.Every}, {"flush.findings", c.Flush.Findings}} {
		if age.value < time.Millisecond || age.value > time.Minute {
			l.complain(age.key, fmt.Errorf("%v, want 1ms to 1m", age.value))
		}
	}
	if c.Reorder.MaxWait != 0 && c.Reorder.MaxWait < time.Second || c.Reorder.MaxWait > time.Hour {
		l.complain("reorder.max_wait", fmt.Errorf("%v, want 1s to 1h, or 0s", c.Reorder.MaxWait))
	}
	if c.Snapshot.Idle < time.Minute || c.Snapshot.Idle > 24*time.Hour {
		l.complain("snapshot.idle", fmt.Errorf("%v, want 1m to 24h", c.Snapshot.Idle))
	}
	if c.Snapshot.Offsets < 1000 || c.Snapshot.Offsets > 10_000_000 {
		l.complain("snapshot.offsets", fmt.Errorf("%d, want 1000 to 10000000", c.Snapshot.Offsets))
	}
}

func (c *Audit) check(l *Loaded) {
	c.ClickHouse.check(l)
	c.Law.check(l)
	c.Log.check(l)
	c.Tracing.check(l)
	if c.Console.NotifyTopic != "" {
		c.Kafka.check(l)
	}
	c.Console.check(l)
	l.metrics("watch.metrics_listen", c.Watch.MetricsListen)
	l.secret("export.key", &c.Export.Key, c.Export.KeyFile)
	c.Export.check(l)
	min := defaultRetention()
	for _, class := range []struct {
		name        string
		years, want int
	}{
		{"events", c.Retention.Events, min.Events},
		{"facts", c.Retention.Facts, min.Facts},
		{"findings", c.Retention.Findings, min.Findings},
		{"exports", c.Retention.Exports, min.Exports},
	} {
		if class.years < class.want || class.years > 100 {
			l.complain("retention."+class.name, fmt.Errorf("%d, want %d to 100 years", class.years, class.want))
		}
	}
}

func (c *Export) check(l *Loaded) {
	l.secret("export.s3.secret_key", &c.S3.SecretKey, c.S3.SecretKeyFile)
	if !c.Stored() {
		return
	}
	if _, _, err := s3.ParseURL(c.Log); err != nil {
		l.complain("export.log", err)
	}
	l.needed("export.s3.endpoint", c.S3.Endpoint)
	l.needed("export.s3.access_key", c.S3.AccessKey)
	if c.S3.SecretKey == "" && !l.complained("export.s3.secret_key_file") {
		l.complain("export.s3.secret_key", errors.New("none, want export.s3.secret_key_file or "+prefix+
			"EXPORT_S3_SECRET_KEY"))
	}
	if _, err := (&TLS{Enabled: true, CAFile: c.S3.CAFile}).Config(); err != nil {
		l.complain("export.s3.ca_file", err)
	}
}

// complained reports whether a key has a complaint already.
func (l *Loaded) complained(key string) bool {
	return slices.ContainsFunc(l.wrong, func(err error) bool { return strings.HasPrefix(err.Error(), key+":") })
}

func (c *Kafka) check(l *Loaded) {
	l.addresses("kafka.brokers", c.Brokers)
	l.needed("kafka.topic", c.Topic)
	l.needed("kafka.group", c.Group)
	c.TLS.check(l, "kafka.tls", c.Brokers)
	l.secret("kafka.sasl.password", &c.SASL.Password, c.SASL.PasswordFile)
	switch s := &c.SASL; {
	case s.Mechanism == "" && s.Username != "":
		l.complain("kafka.sasl.username", errors.New("given without kafka.sasl.mechanism, want plain, scram-sha-256 or "+
			"scram-sha-512"))
	case s.Mechanism == "" && s.Password != "":
		l.complain("kafka.sasl.password", errors.New("given without kafka.sasl.mechanism, want plain, scram-sha-256 or "+
			"scram-sha-512"))
	case s.Mechanism != "" && !slices.Contains([]string{"plain", "scram-sha-256", "scram-sha-512"}, s.Mechanism):
		l.complain("kafka.sasl.mechanism", fmt.Errorf("%q, want plain, scram-sha-256 or scram-sha-512", s.Mechanism))
	case s.Mechanism != "" && s.Username == "":
		l.complain("kafka.sasl.mechanism", fmt.Errorf("%s without kafka.sasl.username", s.Mechanism))
	}
}

func (c *ClickHouse) check(l *Loaded) {
	l.addresses("clickhouse.addrs", c.Addrs)
	l.identifier("clickhouse.database", c.Database)
	if c.Cluster != "" {
		l.identifier("clickhouse.cluster", c.Cluster)
	}
	l.needed("clickhouse.user", c.User)
	l.secret("clickhouse.password", &c.Password, c.PasswordFile)
	c.TLS.check(l, "clickhouse.tls", c.Addrs)
}

func (c *Law) check(l *Loaded) {
	for _, d := range []struct {
		key string
		n   int
	}{
		{"false_alarms", c.Detectors.FalseAlarms},
		{"rounds", c.Detectors.Rounds},
		{"shoes", c.Detectors.Shoes},
		{"patron_rounds", c.Detectors.PatronRounds},
		{"visits", c.Detectors.Visits},
	} {
		if d.n < 1 {
			l.complain("detectors."+d.key, fmt.Errorf("%d, want 1 or more", d.n))
		}
	}
	for _, name := range c.Detectors.PickUpOrders {
		if _, ok := detectors.ParsePickUp(name); !ok {
			l.complain("detectors.pick_up_orders", fmt.Errorf("%q, want names of %s", name,
				strings.Join(detectors.PickUpNames[:], ", ")))
		}
	}
	for _, text := range c.Detectors.Suppliers {
		if prefix, name, ok := strings.Cut(text, "="); !ok || prefix == "" || name == "" {
			l.complain("detectors.suppliers", fmt.Errorf("%q, want prefix=name", text))
		}
	}
	for _, part := range []struct {
		key string
		of  Calendar
	}{
		{"zone", Calendar{Zone: c.Calendar.Zone, Rollover: "00:00"}},
		{"rollover", Calendar{Zone: "UTC", Rollover: c.Calendar.Rollover}},
		{"shifts", Calendar{Zone: "UTC", Rollover: "00:00", Shifts: c.Calendar.Shifts}},
	} {
		if _, err := part.of.calendar(); err != nil && !l.complained("calendar."+part.key) {
			l.complain("calendar."+part.key, errors.New(strings.TrimPrefix(err.Error(), "calendar "+part.key+": ")))
		}
	}
	l.secret("patron_key", &c.PatronKey, c.PatronKeyFile)
	_, _, err := patronKeys(string(c.PatronKey))
	l.complain("patron_key", err)
	if c.checked, err = c.BooksWith(nil); err != nil {
		l.complain("rulebooks", err)
	}
}

func (c *Calendar) calendar() (calendar.Calendar, error) {
	if c.Zone == "" || c.Zone == "Local" {
		return calendar.Calendar{}, fmt.Errorf("calendar zone: %q, want an IANA zone such as America/New_York", c.Zone)
	}
	return calendar.New(c.Zone, c.Rollover, c.Shifts)
}

func (c *Log) check(l *Loaded) {
	if _, err := c.level(); err != nil {
		l.complain("log.level", err)
	}
	if c.Format != "json" && c.Format != "text" {
		l.complain("log.format", fmt.Errorf("%q, want json or text", c.Format))
	}
}

func (c *TLS) check(l *Loaded, key string, addrs []string) {
	if !c.Enabled {
		l.complain(key+".enabled", c.plain(key, addrs))
		for _, f := range []struct{ name, value string }{
			{"ca_file", c.CAFile}, {"cert_file", c.CertFile}, {"key_file", c.KeyFile}, {"server_name", c.ServerName},
		} {
			if f.value != "" {
				l.complain(key+"."+f.name, fmt.Errorf("given, but %s.enabled is false", key))
			}
		}
		return
	}
	if c.Plain {
		l.complain(key+".plain", fmt.Errorf("given, and %s.enabled is true", key))
	}
	if c.CAFile != "" {
		_, err := c.pool()
		l.complain(key+".ca_file", err)
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		given := ".cert_file"
		if c.CertFile == "" {
			given = ".key_file"
		}
		l.complain(key+given, errors.New("a certificate needs its key: want cert_file and key_file"))
	} else if c.CertFile != "" {
		if err := private(c.KeyFile); err != nil {
			l.complain(key+".key_file", err)
			return
		}
		_, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		l.complain(key+".cert_file", err)
	}
}

// plain returns an error if a connection without TLS leaves this machine, and no setting accepts it.
func (c *TLS) plain(key string, addrs []string) error {
	for _, addr := range addrs {
		if host, _, err := net.SplitHostPort(addr); err == nil && !Loopback(host) && !c.Plain {
			return fmt.Errorf("false, and %s is not a loopback address: want TLS, or %s.plain in a network that is encrypted "+
				"by other means", addr, key)
		}
	}
	return nil
}

func (c *TLS) pool() (*x509.CertPool, error) {
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: no certificate, want PEM", c.CAFile)
	}
	return pool, nil
}

func (l *Loaded) needed(key, value string) {
	if value == "" {
		l.complain(key, errors.New("required, and not set"))
	}
}

func (l *Loaded) identifier(key, value string) {
	if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(value) {
		l.complain(key, fmt.Errorf("%q, want letters, digits and underscores", value))
	}
}

func (l *Loaded) addresses(key string, list []string) {
	if len(list) == 0 {
		l.complain(key, errors.New("none, want host:port"))
	}
	for _, a := range list {
		l.address(key, a, false)
	}
}

// metrics checks an address to listen on, which may be empty.
func (l *Loaded) metrics(key, value string) {
	if value != "" {
		l.address(key, value, true)
	}
}

// address checks host:port. Only an address to listen on may lack the host or have port 0.
func (l *Loaded) address(key, value string, listen bool) {
	host, port, err := net.SplitHostPort(value)
	n, bad := strconv.ParseUint(port, 10, 16)
	if err != nil || bad != nil || (!listen && (host == "" || n == 0)) {
		l.complain(key, fmt.Errorf("%q, want host:port", value))
	}
}
