//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// papers are certificates of one authority, and of an unknown one.
type papers struct {
	dir  string
	ca   *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func issue(t *testing.T) *papers {
	t.Helper()
	p := &papers{dir: t.TempDir(), pool: x509.NewCertPool()}
	p.ca, p.key = p.certificate(t, "ca", &x509.Certificate{
		IsCA: true, KeyUsage: x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
	})
	p.pool.AddCert(p.ca)
	local := []net.IP{net.IPv4(127, 0, 0, 1)}
	p.certificate(t, "good", &x509.Certificate{IPAddresses: local})
	p.certificate(t, "expired", &x509.Certificate{
		IPAddresses: local, NotBefore: time.Now().Add(-48 * time.Hour),
		NotAfter: time.Now().Add(-24 * time.Hour),
	})
	p.certificate(t, "other-name", &x509.Certificate{DNSNames: []string{"elsewhere.test"}})
	return p
}

// certificate signs one, itself if there is no authority yet, and writes NAME.pem and NAME.key.
func (p *papers) certificate(t *testing.T, name string, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	if c.NotAfter.IsZero() {
		c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	parent, signer := p.ca, p.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for suffix, block := range map[string]*pem.Block{
		".pem": {Type: "CERTIFICATE", Bytes: der},
		".key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(p.file(name+suffix), pem.EncodeToMemory(block), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	out, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return out, key
}

func (p *papers) file(name string) string { return filepath.Join(p.dir, name) }

// server is a server's configuration with that certificate; with mutual it wants ours too.
func (p *papers) server(t *testing.T, name string, mutual bool) *tls.Config {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(p.file(name+".pem"), p.file(name+".key"))
	if err != nil {
		t.Fatal(err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}}
	if mutual {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, p.pool
	}
	return c
}

// front speaks TLS before a server that speaks none, as the embedded ClickHouse.
func front(t *testing.T, config *tls.Config, target string) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer in.Close()
				if err := in.(*tls.Conn).Handshake(); err != nil {
					return
				}
				out, err := net.Dial("tcp", target)
				if err != nil {
					return
				}
				all.Go(func() { _, _ = io.Copy(in, out); _ = in.Close() })
				_, _ = io.Copy(out, in)
				_ = out.Close()
			})
		}
	})
	return l.Addr().String()
}

// A connection error is one line that names the setting: at the start with exit code 2, or, where the server just
// closes
// the connection, with a failed readiness probe. No password is shown.
func TestConnectionsRefused(t *testing.T) {
	const canary = "canary-93"
	ch := startClickHouse(t, "")
	migrate(t, ch)
	p, strange := issue(t), issue(t)
	plainKafka := startKafka(t).Addrs[0]
	kafkaTLS := func(name string, mutual bool) string {
		return startKafka(t, kfake.TLS(p.server(t, name, mutual))).Addrs[0]
	}
	acl := func(resource kmsg.ACLResourceType, name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{
			Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op,
			Allow: true,
		}
	}
	readsTopic := []kfake.ACL{
		acl(kmsg.ACLResourceTypeTopic, topic, kmsg.ACLOperationDescribe),
		acl(kmsg.ACLResourceTypeTopic, topic, kmsg.ACLOperationRead),
	}
	account := []string{"--kafka-sasl-mechanism", "plain", "--kafka-sasl-username", "reader"}
	withACLs := func(acls ...kfake.ACL) []string {
		k := startKafka(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.User("PLAIN", "reader", canary, acls...))
		return append([]string{"--kafka-brokers", k.Addrs[0]}, account...)
	}
	refusing := startKafka(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "reader", "another"))
	refusing.Cluster.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		refusing.Cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode = int16(kafkago.SASLAuthenticationFailed) // As Apache Kafka; kfake just hangs up.
		return resp, nil, true
	})
	trust := []string{"--kafka-tls-enabled", "--kafka-tls-ca-file", p.file("ca.pem")}
	chTrust := []string{"--clickhouse-tls-enabled", "--clickhouse-tls-ca-file", p.file("ca.pem")}
	kafkaAt := func(addr string, more ...string) []string {
		return append([]string{"--kafka-brokers", addr, "--clickhouse-addrs", ch.Addr}, more...)
	}
	chAt := func(addr string, more ...string) []string {
		return append([]string{"--kafka-brokers", plainKafka, "--clickhouse-addrs", addr}, more...)
	}
	for _, c := range []struct {
		name  string
		args  []string
		waits bool // is not ready, instead of ending with 2
		want  string
	}{
		{
			name: "kafka: wrong password", args: kafkaAt(refusing.Addrs[0], account...),
			want: "kafka.sasl: the brokers reject the user name or password",
		},
		{
			name: "kafka: wrong password, without an answer",
			args: kafkaAt(startKafka(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "reader", "another")).Addrs[0],
				account...),
			waits: true, want: "the brokers closed the connection (if they run, check kafka.sasl)",
		},
		{
			name:  "kafka: no account where one is wanted",
			args:  kafkaAt(startKafka(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "reader", "another")).Addrs[0]),
			waits: true, want: "the brokers closed the connection (if they run, check kafka.sasl)",
		},
		{
			name: "kafka: mechanism", args: kafkaAt(startKafka(t, kfake.EnableSASL(),
				kfake.Superuser("PLAIN", "reader", canary)).Addrs[0], "--kafka-sasl-mechanism", "scram-sha-512",
				"--kafka-sasl-username", "reader"), waits: true,
			want: "the brokers closed the connection (if they run, check kafka.sasl)",
		},
		{
			name: "kafka: no right to the topic", args: kafkaAt("", withACLs()...),
			want: "kafka.topic: the account may not read it",
		},
		{
			name: "kafka: no right to the group", args: kafkaAt("", withACLs(readsTopic...)...),
			want: "kafka.group: the account may not join it",
		},
		{
			name: "kafka: no right to read", args: kafkaAt("",
				withACLs(readsTopic[0], acl(kmsg.ACLResourceTypeGroup, "shoeproof", kmsg.ACLOperationRead))...), waits: true,
			want: "Topic Authorization Failed",
		},
		{name: "kafka: authority", args: kafkaAt(kafkaTLS("good", false), "--kafka-tls-enabled", "--kafka-tls-ca-file",
			strange.file("ca.pem")), want: "kafka.tls.ca_file: the certificate of the broker is of an authority that is not " +
			"trusted"},
		{
			name: "kafka: expired", args: kafkaAt(kafkaTLS("expired", false), trust...),
			want: "kafka.tls: the certificate of the broker is valid from ",
		},
		{
			name: "kafka: other name", args: kafkaAt(kafkaTLS("other-name", false), trust...),
			want: "kafka.tls.server_name: the certificate of the broker is for another name",
		},
		{
			name: "kafka: plain to TLS", args: kafkaAt(kafkaTLS("good", false)), waits: true,
			want: "kafka.tls.enabled is not set",
		},
		{
			name: "kafka: TLS to plain", args: kafkaAt(plainKafka, trust...), waits: true,
			want: "they may speak no TLS at this port: check kafka.tls.enabled",
		},
		{
			name: "kafka: our certificate is missing", args: kafkaAt(kafkaTLS("good", true), trust...),
			want: "kafka.tls.cert_file: the broker requires a client certificate",
		},
		{
			name: "kafka: our certificate is a stranger's",
			args: kafkaAt(kafkaTLS("good", true), append(trust, "--kafka-tls-cert-file", strange.file("good.pem"),
				"--kafka-tls-key-file", strange.file("good.key"))...),
			want: "kafka.tls.cert_file: the broker requires a client certificate",
		},
		{name: "kafka: no such authority file", args: kafkaAt(plainKafka, "--kafka-tls-enabled", "--kafka-tls-ca-file",
			"nothing.pem"), want: "kafka.tls.ca_file: open nothing.pem"},
		{
			name: "kafka: key of another certificate",
			args: kafkaAt(plainKafka, append(trust, "--kafka-tls-cert-file", p.file("good.pem"), "--kafka-tls-key-file",
				p.file("expired.key"))...), want: "kafka.tls.cert_file: tls: private key does not match public key",
		},

		{
			name: "clickhouse: authority", args: chAt(front(t, p.server(t, "good", false), ch.Addr), "--clickhouse-tls-enabled",
				"--clickhouse-tls-ca-file", strange.file("ca.pem")),
			want: "clickhouse.tls.ca_file: the certificate of the server is of an authority that is not trusted",
		},
		{
			name: "clickhouse: expired", args: chAt(front(t, p.server(t, "expired", false), ch.Addr), chTrust...),
			want: "clickhouse.tls: the certificate of the server is valid from ",
		},
		{
			name: "clickhouse: other name", args: chAt(front(t, p.server(t, "other-name", false), ch.Addr), chTrust...),
			want: "clickhouse.tls.server_name: the certificate of the server is for another name",
		},
		{
			name: "clickhouse: plain to TLS", args: chAt(front(t, p.server(t, "good", false), ch.Addr)), waits: true,
			want: "clickhouse.tls.enabled is not set",
		},
		{
			name: "clickhouse: TLS to plain", args: chAt(ch.Addr, chTrust...),
			want: "clickhouse.tls.enabled: the server speaks no TLS",
		},
		{
			name: "clickhouse: our certificate is missing", args: chAt(front(t, p.server(t, "good", true), ch.Addr), chTrust...),
			want: "clickhouse.tls.cert_file: the server requires a client certificate",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("SHOEPROOF_CLICKHOUSE_PASSWORD", "")
			if strings.Contains(strings.Join(c.args, " "), "--kafka-sasl") {
				t.Setenv("SHOEPROOF_KAFKA_SASL_PASSWORD", canary)
			}
			run := start(t, append(c.args, "--log-level", "debug")...)
			if c.waits {
				testkit.Await(t, "it names the setting", func() bool { return strings.Contains(run.stderr.String(), c.want) })
				if code, _ := run.probe(t, "/readyz"); code != http.StatusServiceUnavailable {
					t.Errorf("/readyz is %d", code)
				}
				if code := run.end(t); code != cli.Done {
					t.Errorf("exit code %d, want %d", code, cli.Done)
				}
			} else {
				refused(t, run, c.want)
			}
			if said := run.stderr.String(); strings.Contains(said, canary) {
				t.Errorf("the password shows:\n%s", said)
			}
			t.Log(lastLine(run.stderr.String()))
		})
	}
}
