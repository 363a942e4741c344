package settings

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
)

// Tracing is the collector of traces.
type Tracing struct {
	Endpoint          string `key:"endpoint" doc:"URL of an OpenTelemetry collector that takes OTLP over HTTP, such as https://otel.casino.example:4318; empty for no traces"`
	Plain             bool   `key:"plain" doc:"send by http to an address that is not loopback: in a network that is encrypted by other means"`
	CAFile            string `key:"ca_file" doc:"PEM file of the authorities to trust; empty for the system's"`
	Authorization     Secret `key:"authorization" doc:"header Authorization of each request"`
	AuthorizationFile string `key:"authorization_file" doc:"file with the header Authorization of each request"`
}

// URL is where traces are sent to. An endpoint without a path has the standard one.
func (c *Tracing) URL() string {
	u, err := url.Parse(c.Endpoint)
	if err == nil && (u.Path == "" || u.Path == "/") {
		u.Path = "/v1/traces"
		return u.String()
	}
	return c.Endpoint
}

// TLS is the encryption, nil for none.
func (c *Tracing) TLS() (*tls.Config, error) {
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "https" {
		return nil, err
	}
	return (&TLS{Enabled: true, CAFile: c.CAFile}).Config()
}

func (c *Tracing) check(l *Loaded) {
	l.secret("tracing.authorization", &c.Authorization, c.AuthorizationFile)
	if c.Endpoint == "" {
		return
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "https" && u.Scheme != "http":
		l.complain("tracing.endpoint", errors.New("want https://HOST[:PORT][/PATH], without an account"))
		return
	case u.Scheme == "http" && !Loopback(u.Hostname()) && !c.Plain:
		l.complain("tracing.endpoint", fmt.Errorf("%q sends in the clear: want https, or tracing.plain in a network that is "+
			"encrypted by other means", c.Endpoint))
	case u.Scheme == "http" && c.CAFile != "":
		l.complain("tracing.ca_file", errors.New("given, but tracing.endpoint is not https"))
	}
	if _, err := c.TLS(); err != nil {
		l.complain("tracing.ca_file", err)
	}
}
