package settings

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// minSecret is the minimum length in bytes of a secret that is exposed to guessing over the network.
const minSecret = 32

// Console is the configuration of audit serve.
type Console struct {
	Listen      string   `key:"listen" doc:"host:port of the console"`
	PublicURL   string   `key:"public_url" doc:"URL at which browsers reach it; empty for the address it listens on"`
	Metrics     string   `key:"metrics_listen" doc:"host:port for /metrics, /healthz and /readyz of the console, different from its own; empty for none"`
	ListenPlain bool     `key:"listen_plain" doc:"accept plain HTTP on an address that is not loopback though browsers use loopback: in a container of which only loopback is published"`
	CertFile    string   `key:"cert_file" doc:"PEM file of the console's certificate; empty for plain HTTP behind a proxy or on loopback"`
	KeyFile     string   `key:"key_file" doc:"PEM file of that certificate's key"`
	SignIn      string   `key:"sign_in" doc:"oidc, proxy, token, or none, which only a loopback address allows"`
	Trusted     []string `key:"trusted_proxies" doc:"networks of proxies before the console, whose X-Forwarded-For names the client, such as 10.0.3.0/24"`
	AccessFile  string   `key:"access_file" doc:"YAML file of tokens and of the roles of groups"`
	Archive     Archive  `key:"archive"`
	OIDC        OIDC     `key:"oidc"`
	Proxy       Proxy    `key:"proxy"`
	Video       Video    `key:"video"`
	Webhook     Webhook  `key:"webhook"`
	Exports     Exports  `key:"exports"`
	NotifyTopic string   `key:"notify_topic" doc:"Kafka topic of critical findings, at kafka.brokers; empty for none"`
	NotifyFile  string   `key:"notify_file" doc:"YAML file of further channels of notifications (Slack, Teams, e-mail, syslog, OTLP, webhooks) and of their routes; empty for none"`
	ChainKey    Secret   `key:"chain_key" doc:"key, 32 bytes or more, that signs the log of the console and the actions of triage; more lines are former keys"`
	ChainFile   string   `key:"chain_key_file" doc:"file with the keys of the chains of triage and of the console log, the newest first, one a line; the same for the console and for audit run, export, verify and hold"`
	HighAmount  int      `key:"high_amount" doc:"amount in minor units from which a finding is one step more urgent; 0 for never"`
}

// Archive is the console's second ClickHouse user. The first has no right to read events, which name patrons.
type Archive struct {
	User         string `key:"user" doc:"user with role archive that reads events for evidence and replays; empty if clickhouse.user may"`
	Password     Secret `key:"password" doc:"its password"`
	PasswordFile string `key:"password_file" doc:"file that holds the password"`
}

// OIDC is an identity provider.
type OIDC struct {
	Issuer           string `key:"issuer" doc:"URL of the identity provider"`
	ClientID         string `key:"client_id" doc:"the console's name at the identity provider"`
	ClientSecret     Secret `key:"client_secret" doc:"the console's secret at the identity provider"`
	ClientSecretFile string `key:"client_secret_file" doc:"file that holds the console's secret at the identity provider"`
	NameClaim        string `key:"name_claim" doc:"claim with a person's name"`
	GroupsClaim      string `key:"groups_claim" doc:"claim with a person's groups"`

	SecondFactor []string `key:"second_factor" doc:"values of the claims amr or acr that state a second factor, one of which a sign-in must have; unchecked if the provider enforces one and does not state it"`
}

// Proxy is a reverse proxy that authenticates users.
type Proxy struct {
	From       []string `key:"from" doc:"networks of the proxy, such as 10.0.3.0/24"`
	Secret     Secret   `key:"secret" doc:"value that the proxy sends as X-Shoeproof-Secret"`
	SecretFile string   `key:"secret_file" doc:"file with the value that the proxy sends as X-Shoeproof-Secret"`
}

// Video is the address of recordings.
type Video struct {
	Template     string `key:"template" doc:"URL of a recording, with {camera}, {from}, {to} in Unix seconds and {at}"`
	KeepDays     int    `key:"keep_days" doc:"days for which a recording is preserved"`
	KeepCritical int    `key:"keep_critical_days" doc:"days for which the recording of a critical finding or a suspicion is preserved"`
}

// Webhook receives critical findings.
type Webhook struct {
	URL        string `key:"url" doc:"URL that receives critical findings; empty for none"`
	Secret     Secret `key:"secret" doc:"key that signs the webhook's messages"`
	SecretFile string `key:"secret_file" doc:"file with the key that signs the webhook's messages"`
}

// Exports is the location of bundles.
type Exports struct {
	Folder     string `key:"folder" doc:"folder of the bundles of audit export, for download; empty for none"`
	PolicyFile string `key:"policy_file" doc:"file of trusted keys, to verify bundles; empty for none"`
}

func defaultConsole() Console {
	return Console{
		Listen: "127.0.0.1:8480", SignIn: "none", OIDC: OIDC{
			NameClaim: "preferred_username", GroupsClaim: "groups", SecondFactor: []string{"mfa"},
		},
		Video: Video{KeepDays: 7, KeepCritical: 30}, HighAmount: 1_000_000,
	}
}

func defaultKafka() Kafka {
	return Kafka{Brokers: []string{"127.0.0.1:9092"}, Topic: "table-events", Group: "shoeproof"}
}

func (c *Console) check(l *Loaded) {
	l.address("console.listen", c.Listen, true)
	l.metrics("console.metrics_listen", c.Metrics)
	l.secret("console.archive.password", &c.Archive.Password, c.Archive.PasswordFile)
	if c.Archive.Password != "" && c.Archive.User == "" {
		l.complain("console.archive.password", errors.New("given without console.archive.user"))
	}
	l.secret("console.oidc.client_secret", &c.OIDC.ClientSecret, c.OIDC.ClientSecretFile)
	l.secret("console.proxy.secret", &c.Proxy.Secret, c.Proxy.SecretFile)
	l.secret("console.webhook.secret", &c.Webhook.Secret, c.Webhook.SecretFile)
	l.secret("console.chain_key", &c.ChainKey, c.ChainFile)
	_, err := rows.ParseChainKeys(string(c.ChainKey))
	l.complain("console.chain_key", err)
	public, err := c.public()
	l.complain("console.public_url", err)
	if (c.CertFile == "") != (c.KeyFile == "") {
		l.complain("console.cert_file", errors.New("a certificate needs its key: want cert_file and key_file"))
	} else if c.KeyFile != "" {
		l.complain("console.key_file", private(c.KeyFile))
	}
	if err := c.exposed(public); err != nil && !l.complained("console.listen") {
		l.complain("console.listen", err)
	}
	_, err = prefixes(c.Trusted)
	l.complain("console.trusted_proxies", err)
	_, err = c.Access()
	l.complain("console.access_file", cmp.Or(err, authentic(c.AccessFile)))
	_, err = c.policy()
	l.complain("console.exports.policy_file", cmp.Or(err, authentic(c.Exports.PolicyFile)))
	if f := c.Exports.Folder; f != "" {
		if info, err := os.Stat(f); err != nil {
			l.complain("console.exports.folder", err)
		} else if !info.IsDir() {
			l.complain("console.exports.folder", fmt.Errorf("%s is not a folder", f))
		}
	}
	c.checkSignIn(l)
	if public != nil && public.Scheme != "https" && !Loopback(public.Hostname()) {
		l.complain("console.public_url", fmt.Errorf("%q is not an https URL, and sessions must not cross a network in the "+
			"clear", public))
	}
	c.checkLinks(l)
	_, err = c.notify(public, "")
	l.complain("console.notify_file", err)
	if c.Video.KeepDays < 0 || c.Video.KeepCritical < 0 {
		l.complain("console.video.keep_days", errors.New("want 0 or more"))
	}
	if c.HighAmount < 0 {
		l.complain("console.high_amount", errors.New("want 0 or more"))
	}
}

// exposed returns an error if other hosts reach the console in the clear: it listens on more than loopback, has no
// certificate, and its URL names no proxy with one.
func (c *Console) exposed(public *url.URL) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil || Loopback(host) || c.CertFile != "" || c.ListenPlain || public == nil || public.Scheme == "https" {
		return nil
	}
	return fmt.Errorf("%q is reached by other hosts in the clear, and console.public_url is %s: want console.cert_file, "+
		"a loopback address, the https URL of the proxy before it, or console.listen_plain in a container of which only "+
		"loopback is published", c.Listen, public)
}

// unchecked is the second factor that the console does not check.
const unchecked = "unchecked"

// checkSignIn checks the settings of the kind of sign-in.
func (c *Console) checkSignIn(l *Loaded) {
	switch c.SignIn {
	case console.ByChoice:
		if host, _, err := net.SplitHostPort(c.Listen); err == nil && !Loopback(host) {
			l.complain("console.sign_in", fmt.Errorf("none, but console.listen %q is not a loopback address: want oidc, "+
				"proxy or token", c.Listen))
		}
	case console.ByToken:
		l.needed("console.access_file", c.AccessFile)
	case console.ByProxy:
		l.needed("console.access_file", c.AccessFile)
		if _, err := c.from(); err != nil || len(c.Proxy.From) == 0 {
			l.complain("console.proxy.from", errors.Join(errors.New("want networks such as 10.0.3.0/24"), err))
		}
		if len(c.Proxy.Secret) < minSecret {
			l.complain("console.proxy.secret", fmt.Errorf("%d bytes, want %d or more", len(c.Proxy.Secret), minSecret))
		}
	case console.ByOIDC:
		l.needed("console.access_file", c.AccessFile)
		l.needed("console.oidc.client_id", c.OIDC.ClientID)
		if u, err := url.Parse(c.OIDC.Issuer); err != nil || u.Host == "" ||
			(u.Scheme != "https" && !Loopback(u.Hostname())) {
			l.complain("console.oidc.issuer", fmt.Errorf("%q, want an https URL", c.OIDC.Issuer))
		}
		if n := len(c.OIDC.SecondFactor); n == 0 || n > 1 && slices.Contains(c.OIDC.SecondFactor, unchecked) {
			l.complain("console.oidc.second_factor", fmt.Errorf("%q, want values of amr or acr, or %s alone",
				c.OIDC.SecondFactor, unchecked))
		}
	default:
		l.complain("console.sign_in", fmt.Errorf("%q, want oidc, proxy, token or none", c.SignIn))
	}
}

// checkLinks checks the webhook and the address of recordings.
func (c *Console) checkLinks(l *Loaded) {
	if c.Webhook.URL != "" {
		if u, err := url.Parse(c.Webhook.URL); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
			l.complain("console.webhook.url", fmt.Errorf("%q, want an http or https URL", c.Webhook.URL))
		}
		if len(c.Webhook.Secret) < minKey {
			l.complain("console.webhook.secret", fmt.Errorf("%d bytes, want %d or more", len(c.Webhook.Secret), minKey))
		}
	}
	if t := c.Video.Template; t != "" {
		if u, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(t)); err != nil ||
			!slices.Contains(console.VideoSchemes(), u.Scheme) {
			l.complain("console.video.template", fmt.Errorf("%q, want an http, https or vms URL", t))
		}
	}
}

// Loopback reports whether a host is a loopback address.
func Loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// public returns the URL of the console in browsers.
func (c *Console) public() (*url.URL, error) {
	text := c.PublicURL
	if text == "" {
		scheme := "http"
		if c.CertFile != "" {
			scheme = "https"
		}
		text = scheme + "://" + c.Listen
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("%q, want a URL such as https://audit.example, without a path", text)
	}
	return u, nil
}

func (c *Console) from() ([]netip.Prefix, error) { return prefixes(c.Proxy.From) }

func prefixes(texts []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// Access returns the access rights, empty without a file.
func (c *Console) Access() (console.Access, error) {
	if c.AccessFile == "" {
		return console.Access{}, nil
	}
	data, err := readSmall(c.AccessFile)
	if err != nil {
		return console.Access{}, err
	}
	a, err := console.ReadAccess(strings.NewReader(string(data)))
	if err != nil {
		return a, law.Unreadable(c.AccessFile, data, err)
	}
	return a, nil
}

// notify returns the channels and routes of the file, none without a file.
func (c *Console) notify(public *url.URL, version string) (notify.Setup, error) {
	if c.NotifyFile == "" {
		return notify.Setup{}, nil
	}
	data, err := readSmall(c.NotifyFile)
	if err != nil {
		return notify.Setup{}, err
	}
	e := &notify.Environment{
		ReadFile: readSmall, TLS: Strict, Now: time.Now, Version: version,
		ReadSecret: func(path string) ([]byte, error) {
			if err := private(path); err != nil {
				return nil, err
			}
			return readSmall(path)
		},
	}
	if public != nil {
		e.Host = public.Hostname()
	}
	s, err := notify.Read(strings.NewReader(string(data)), e)
	if err != nil {
		return s, law.Unreadable(c.NotifyFile, data, err)
	}
	return s, nil
}

// policy returns the trusted keys, nil without a file.
func (c *Console) policy() (*export.Policy, error) {
	if c.Exports.PolicyFile == "" {
		return nil, nil
	}
	data, err := readSmall(c.Exports.PolicyFile)
	if err != nil {
		return nil, err
	}
	p, err := export.ParsePolicy(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Exports.PolicyFile, err)
	}
	return p, nil
}

// Options returns the console's options from the settings; listen is the actual address.
func (c *Console) Options(listen, version string) (console.Options, error) {
	actual := *c
	actual.Listen = listen
	public, err := actual.public()
	if err != nil {
		return console.Options{}, fmt.Errorf("console.public_url: %w", err)
	}
	access, err := c.Access()
	if err != nil {
		return console.Options{}, fmt.Errorf("console.access_file: %w", err)
	}
	from, err := c.from()
	if err != nil {
		return console.Options{}, fmt.Errorf("console.proxy.from: %w", err)
	}
	trusted, err := prefixes(c.Trusted)
	if err != nil {
		return console.Options{}, fmt.Errorf("console.trusted_proxies: %w", err)
	}
	policy, err := c.policy()
	if err != nil {
		return console.Options{}, fmt.Errorf("console.exports.policy_file: %w", err)
	}
	channels, err := c.notify(public, version)
	if err != nil {
		return console.Options{}, fmt.Errorf("console.notify_file: %w", err)
	}
	return console.Options{
		PublicURL: public, SignIn: c.SignIn, Access: access, TrustedProxies: append(trusted, from...),
		OIDC: console.OIDC{
			Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, ClientSecret: string(c.OIDC.ClientSecret), Name: c.OIDC.NameClaim,
			Groups:       c.OIDC.GroupsClaim,
			SecondFactor: slices.DeleteFunc(slices.Clone(c.OIDC.SecondFactor), func(v string) bool { return v == unchecked }),
		},
		Proxy:   console.Proxy{From: from, Secret: string(c.Proxy.Secret)},
		Video:   console.Video{Template: c.Video.Template, Keep: c.Video.KeepDays, KeepCritical: c.Video.KeepCritical},
		Notify:  channels,
		Webhook: notify.Webhook{URL: c.Webhook.URL, Secret: string(c.Webhook.Secret)},
		Exports: console.Exports{Folder: c.Exports.Folder, Policy: policy},
		High:    int64(c.HighAmount),
	}, nil
}
