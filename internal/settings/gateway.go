package settings

import (
	"errors"
	"fmt"
	"net"
)

// Gateway is the configuration of ingest gateway.
type Gateway struct {
	Kafka   Kafka          `key:"kafka"`
	Law     Law            `key:""` // only the words of rulebooks
	HTTP    HTTP           `key:"http"`
	Log     Log            `key:"log"`
	Gateway GatewayOptions `key:"gateway"`
}

// GatewayOptions are the settings of the gateway alone.
type GatewayOptions struct {
	Listen      string `key:"listen" doc:"host:port that receives events"`
	CertFile    string `key:"cert_file" doc:"PEM file of the certificate; empty for plain HTTP on loopback or behind a proxy"`
	KeyFile     string `key:"key_file" doc:"PEM file of that certificate's key"`
	ListenPlain bool   `key:"listen_plain" doc:"accept plain HTTP on an address that is not loopback: behind a proxy that ends TLS"`
	TokensFile  string `key:"tokens_file" doc:"YAML file of the tokens that may send events"`
	Folder      string `key:"folder" doc:"folder of the outbox on a local disk; one gateway, one folder"`
	MaxBody     int    `key:"max_body" doc:"max bytes of a request"`
	MaxBacklog  int    `key:"max_backlog" doc:"max bytes of events that wait for Kafka; above it requests are refused with 507"`
	Keep        int    `key:"keep" doc:"bytes of the outbox that are kept after they are published: repeated events are recognized in them"`
}

// DefaultGateway returns the defaults of ingest gateway.
func DefaultGateway() Gateway {
	return Gateway{
		Kafka: defaultKafka(), Law: defaultLaw(), HTTP: HTTP{Listen: ":9464"}, Log: Log{Level: "info", Format: "json"},
		Gateway: GatewayOptions{Listen: "127.0.0.1:8481", MaxBody: 1 << 20, MaxBacklog: 10 << 30, Keep: 256 << 20},
	}
}

func (c *Gateway) check(l *Loaded) {
	c.Kafka.check(l)
	l.address("http.listen", c.HTTP.Listen, true)
	c.Log.check(l)
	g := &c.Gateway
	l.address("gateway.listen", g.Listen, true)
	l.needed("gateway.folder", g.Folder)
	l.needed("gateway.tokens_file", g.TokensFile)
	if g.TokensFile != "" {
		l.complain("gateway.tokens_file", authentic(g.TokensFile))
	}
	if (g.CertFile == "") != (g.KeyFile == "") {
		l.complain("gateway.cert_file", errors.New("a certificate needs its key: want cert_file and key_file"))
	} else if g.KeyFile != "" {
		l.complain("gateway.key_file", private(g.KeyFile))
	}
	host, _, err := net.SplitHostPort(g.Listen)
	if err == nil && !Loopback(host) && g.CertFile == "" && !g.ListenPlain {
		l.complain("gateway.listen", fmt.Errorf("%q is reached by other hosts in the clear: want gateway.cert_file, a "+
			"loopback address, or gateway.listen_plain behind a proxy that ends TLS", g.Listen))
	}
	for key, bounds := range map[string][3]int{
		"gateway.max_body": {g.MaxBody, 1 << 10, 16 << 20}, "gateway.max_backlog": {g.MaxBacklog, 1 << 20, 1 << 40},
		"gateway.keep": {g.Keep, 1 << 20, 1 << 33},
	} {
		if bounds[0] < bounds[1] || bounds[0] > bounds[2] {
			l.complain(key, fmt.Errorf("%d, want %d to %d", bounds[0], bounds[1], bounds[2]))
		}
	}
}
