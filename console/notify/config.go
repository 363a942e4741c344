package notify

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Setup is the channels and the routes of a console.
type Setup struct {
	Channels []Named
	Routes   []Route
	// Log is the channel that also receives the lines of the console log; nil for none.
	Log LogWriter
}

// Named is a channel with the name that routes use, and a description without secrets.
type Named struct {
	Name, Text string
	Channel    Channel
	// Limit is the maximum of messages in ten minutes; what exceeds it is in a summary every minute. 0 is no limit.
	Limit int
}

// DefaultLimit is the limit of a channel that sets none.
const (
	DefaultLimit = 60
	maxLimit     = 10000
)

// Route selects findings for a channel. An empty list selects all, except of severities, where it is critical.
type Route struct {
	Channel    string   `yaml:"channel"`
	Properties []string `yaml:"properties"`
	Severities []string `yaml:"severities"`
	Verdicts   []string `yaml:"verdicts"`
	Kinds      []string `yaml:"kinds"`
	Rules      []string `yaml:"rules"` // rules, or families such as draw
	// Every and Times repeat the message of a finding that is not acknowledged; 0 sends it once.
	Every time.Duration `yaml:"every"`
	Times int           `yaml:"times"`
}

// Environment is what a setup needs besides its file.
type Environment struct {
	// ReadFile reads a small file, ReadSecret a file that only this program may read.
	ReadFile, ReadSecret func(path string) ([]byte, error)
	// TLS is the configuration without authorities and names.
	TLS     func() *tls.Config
	Now     func() time.Time
	Host    string // name of the console, for syslog
	Version string
}

// channel is a channel in the file. Secrets are in files that it names.
type channel struct {
	Name     string `yaml:"name"`
	Kind     string `yaml:"kind"`
	Template string `yaml:"template"`
	Limit    *int   `yaml:"limit"`
	// Slack, teams, webhook.
	URLFile    string `yaml:"url_file"`
	SecretFile string `yaml:"secret_file"`
	// E-mail, syslog and OTLP.
	Server       string   `yaml:"server"`
	TLS          string   `yaml:"tls"`
	CAFile       string   `yaml:"ca_file"`
	CertFile     string   `yaml:"cert_file"`
	KeyFile      string   `yaml:"key_file"`
	User         string   `yaml:"user"`
	PasswordFile string   `yaml:"password_file"`
	From         string   `yaml:"from"`
	To           []string `yaml:"to"`
	ConsoleLog   bool     `yaml:"console_log"`
}

// Read reads a file of channels and routes. The error has all complaints.
func Read(in io.Reader, e *Environment) (Setup, error) {
	var file struct {
		Channels []channel `yaml:"channels"`
		Routes   []Route   `yaml:"routes"`
	}
	dec := yaml.NewDecoder(in)
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return Setup{}, err
	}
	s := Setup{Routes: file.Routes}
	var problems []error
	names := []string{}
	for i := range file.Channels {
		c := &file.Channels[i]
		made, text, err := c.open(e)
		switch {
		case !regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`).MatchString(c.Name) || c.Name == "webhook" || c.Name == "topic":
			err = errors.Join(err, errors.New("want a name of lower-case letters, digits and hyphens, neither webhook nor "+
				"topic"))
		case slices.Contains(names, c.Name):
			err = errors.Join(err, errors.New("two channels have this name"))
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("channels[%d] %q: %w", i, c.Name, err))
		}
		limit := DefaultLimit
		if c.Limit != nil {
			limit = *c.Limit
		}
		if limit < 1 || limit > maxLimit {
			problems = append(problems, fmt.Errorf("channels[%d] %q: limit: %d, want 1 to %d messages in ten minutes", i,
				c.Name, limit, maxLimit))
		}
		names = append(names, c.Name)
		s.Channels = append(s.Channels, Named{Name: c.Name, Text: text, Channel: made, Limit: limit})
		if c.ConsoleLog {
			log, ok := made.(LogWriter)
			if !ok || s.Log != nil {
				problems = append(problems, fmt.Errorf("channels[%d] %q: console_log: want it of one channel, of kind syslog or "+
					"otlp", i, c.Name))
			}
			if ok {
				s.Log = log
			}
		}
	}
	for i := range s.Routes {
		if err := s.Routes[i].check(names); err != nil {
			problems = append(problems, fmt.Errorf("routes[%d]: %w", i, err))
		}
	}
	return s, errors.Join(problems...)
}

func (r *Route) check(channels []string) error {
	var problems []error
	if !slices.Contains(channels, r.Channel) {
		problems = append(problems, fmt.Errorf("channel %q: want one of %s", r.Channel, strings.Join(channels, ", ")))
	}
	if len(r.Severities) == 0 {
		r.Severities = []string{"critical"}
	}
	for _, list := range []struct {
		name       string
		have, want []string
	}{
		{"severities", r.Severities, []string{"critical", "major", "minor", "info"}},
		{"verdicts", r.Verdicts, []string{"BREACH", "SUSPECT", "UNAUDITABLE", "INFO"}},
		{"kinds", r.Kinds, []string{"deviation", "anomaly", "data_fault", "notice"}},
	} {
		for _, word := range list.have {
			if !slices.Contains(list.want, word) {
				problems = append(problems, fmt.Errorf("%s: %q, want %s", list.name, word, strings.Join(list.want, ", ")))
			}
		}
	}
	const minEvery, maxTimes = time.Minute, 100
	if (r.Every == 0) != (r.Times == 0) || r.Every != 0 && r.Every < minEvery || r.Times < 0 || r.Times > maxTimes {
		problems = append(problems, fmt.Errorf("every %v, times %d: want both, from 1m and up to %d times", r.Every, r.Times,
			maxTimes))
	}
	return errors.Join(problems...)
}

// Selects reports whether a route selects a message.
func (r *Route) Selects(m *Message) bool {
	for _, w := range [...]struct {
		list []string
		have string
	}{{r.Properties, m.PropertyID}, {r.Severities, m.Severity}, {r.Verdicts, m.Verdict}, {r.Kinds, m.Kind}} {
		if len(w.list) > 0 && !slices.Contains(w.list, w.have) {
			return false
		}
	}
	return len(r.Rules) == 0 || slices.ContainsFunc(r.Rules, func(rule string) bool {
		return m.Rule == rule || strings.HasPrefix(m.Rule, rule+".")
	})
}

// open returns a channel and its description.
func (c *channel) open(e *Environment) (Channel, string, error) {
	l, err := newLayout(c.Template)
	if err != nil {
		err = fmt.Errorf("template: %w", err)
	}
	if foreign := c.foreign(); len(foreign) > 0 {
		err = errors.Join(err, fmt.Errorf("%s: not of a channel of kind %s", strings.Join(foreign, ", "), c.Kind))
	}
	switch c.Kind {
	case "slack", "teams", "webhook":
		to, bad := c.target(e)
		made, text := c.chat(l, to), c.Kind
		if u, failed := url.Parse(to); failed == nil {
			text += " at " + u.Host
		}
		if c.Kind == "webhook" {
			key, unread := c.secret(e, "secret_file", c.SecretFile)
			const minKey = 16
			if unread == nil && len(key) < minKey {
				unread = fmt.Errorf("secret_file: %d bytes, want %d or more", len(key), minKey)
			}
			made, bad = &Webhook{URL: to, Secret: key, Now: e.Now}, errors.Join(bad, unread)
		}
		return made, text, errors.Join(err, bad)
	case "email":
		made, bad := c.mail(l, e)
		return made, "e-mail by " + c.Server + " to " + strings.Join(c.To, ", "), errors.Join(err, bad)
	case "syslog":
		made, bad := c.syslog(e)
		return made, "syslog (CEF) to " + c.Server, errors.Join(err, bad)
	case "otlp":
		made, bad := c.otlp(e)
		return made, "OTLP to " + c.Server, errors.Join(err, bad)
	}
	return nil, "", errors.Join(err, fmt.Errorf("kind %q, want slack, teams, webhook, email, syslog or otlp", c.Kind))
}

func (c *channel) chat(l layout, to string) Channel {
	if c.Kind == "teams" {
		return &teams{url: to, layout: l}
	}
	return &slack{url: to, layout: l}
}

// foreign returns the keys of a channel that its kind does not have.
func (c *channel) foreign() (keys []string) {
	http := c.Kind == "slack" || c.Kind == "teams" || c.Kind == "webhook"
	for _, k := range []struct {
		name         string
		given, known bool
	}{
		{"url_file", c.URLFile != "", http},
		{"secret_file", c.SecretFile != "", c.Kind == "webhook" || c.Kind == "otlp"},
		{"template", c.Template != "", c.Kind != "webhook" && c.Kind != "syslog" && c.Kind != "otlp"},
		{"server", c.Server != "", !http},
		{"tls", c.TLS != "", c.Kind == "email"},
		{"ca_file", c.CAFile != "", !http},
		{"cert_file", c.CertFile != "" || c.KeyFile != "", c.Kind == "syslog" || c.Kind == "otlp"},
		{"user", c.User != "" || c.PasswordFile != "", c.Kind == "email"},
		{"from", c.From != "" || len(c.To) > 0, c.Kind == "email"},
	} {
		if k.given && !k.known {
			keys = append(keys, k.name)
		}
	}
	return keys
}

// secret reads a file with one secret.
func (c *channel) secret(e *Environment, key, path string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("%s: required, and not set", key)
	}
	data, err := e.ReadSecret(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return strings.TrimSpace(string(data)), nil
}

// target reads the URL of a chat or a webhook, which is a secret.
func (c *channel) target(e *Environment) (string, error) {
	to, err := c.secret(e, "url_file", c.URLFile)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(to)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return "", errors.New("url_file: want an https URL")
	}
	return to, nil
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// encryption is a configuration of TLS for a server.
func (c *channel) encryption(e *Environment, address string) (*tls.Config, error) {
	config := e.TLS()
	config.ServerName, _, _ = net.SplitHostPort(address)
	if c.CAFile != "" {
		data, err := e.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("ca_file: %s has no PEM certificate", c.CAFile)
		}
	}
	if c.CertFile == "" && c.KeyFile == "" {
		return config, nil
	}
	cert, err := e.ReadFile(c.CertFile)
	if err != nil {
		return nil, fmt.Errorf("cert_file: %w", err)
	}
	key, err := e.ReadSecret(c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("key_file: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("cert_file: %w", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

func (c *channel) mail(l layout, e *Environment) (*mail, error) {
	m := &mail{server: c.Server, user: c.User, from: c.From, to: c.To, layout: l, now: e.Now}
	var problems []error
	if _, _, err := net.SplitHostPort(c.Server); err != nil {
		problems = append(problems, fmt.Errorf("server %q, want host:port", c.Server))
	}
	switch c.TLS {
	case "starttls", "implicit", "":
		config, err := c.encryption(e, c.Server)
		problems = append(problems, err)
		m.tls, m.implicit = config, c.TLS == "implicit"
	case "none":
		if c.User != "" {
			problems = append(problems, errors.New("tls: none, but a password must not cross a network in the clear"))
		}
	default:
		problems = append(problems, fmt.Errorf("tls %q, want starttls, implicit or none", c.TLS))
	}
	if c.User != "" {
		var err error
		m.password, err = c.secret(e, "password_file", c.PasswordFile)
		problems = append(problems, err)
	}
	if len(c.To) == 0 {
		problems = append(problems, errors.New("to: want e-mail addresses"))
	}
	for _, address := range append([]string{c.From}, c.To...) {
		if a, err := netmail.ParseAddress(address); err != nil || a.Address != address {
			problems = append(problems, fmt.Errorf("address %q, want one such as shift@casino.example", address))
		}
	}
	return m, errors.Join(problems...)
}

func (c *channel) syslog(e *Environment) (*Syslog, error) {
	s := &Syslog{host: e.Host, version: e.Version}
	u, err := url.Parse(c.Server)
	if err != nil || u.Port() == "" || u.Hostname() == "" || u.Path != "" ||
		!slices.Contains([]string{"tls", "tcp", "udp"}, u.Scheme) {
		return s, fmt.Errorf("server %q, want tls://HOST:PORT, tcp://HOST:PORT or udp://HOST:PORT", c.Server)
	}
	s.network, s.address = u.Scheme, u.Host
	if u.Scheme != "tls" {
		if c.CAFile != "" || c.CertFile != "" || c.KeyFile != "" {
			return s, errors.New("ca_file, cert_file: want a server tls://HOST:PORT")
		}
		return s, nil
	}
	s.network = "tcp"
	s.tls, err = c.encryption(e, s.address)
	return s, err
}
