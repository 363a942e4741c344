package settings

import (
	"crypto/tls"
	"strings"
	"testing"
)

// No connection uses a suite without authenticated encryption or without forward secrecy.
func TestStrict(t *testing.T) {
	c := Strict()
	if c.MinVersion < tls.VersionTLS12 || len(c.CipherSuites) == 0 {
		t.Fatalf("%+v", c)
	}
	for _, id := range c.CipherSuites {
		name := tls.CipherSuiteName(id)
		sealed := strings.Contains(name, "_GCM_") || strings.Contains(name, "_POLY1305_")
		if !strings.HasPrefix(name, "TLS_ECDHE_") || !sealed {
			t.Errorf("suite %s", name)
		}
	}
}
