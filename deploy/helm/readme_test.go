package helm_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// The README's table matches values.yaml.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("shoeproof/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| value | default | meaning |\n|---|---|---|\n")
	rows(t, &table, "", doc.Content[0])
	const path = "shoeproof/README.md"
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := bytes.Cut(have, []byte("| value | default | meaning |"))
	if !ok {
		t.Fatalf("%s has no table of values", path)
	}
	want := append(bytes.Clone(head), table.String()...)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(have, want) {
		t.Errorf("%s does not match values.yaml: run go test ./deploy/helm -run Readme -update", path)
	}
}

func rows(t *testing.T, out *strings.Builder, under string, n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		key := strings.TrimPrefix(under+"."+name.Value, ".")
		doc := strings.Join(strings.Fields(strings.ReplaceAll(name.HeadComment, "#", "")), " ")
		if value.Kind == yaml.MappingNode && value.Style != yaml.FlowStyle && doc == "" {
			rows(t, out, key, value)
			continue
		}
		var v any
		if err := value.Decode(&v); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "| `%s` | `%s` | %s |\n", key, text, doc)
	}
}

// privateKeys are a certificate, its key, and the authority that it is.
func privateKeys() (map[string]string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	notAfter := time.Now().Add(time.Hour)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: notAfter, IsCA: true,
		BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	certPEM := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	return map[string]string{
		"ca.pem": certPEM, "tls.crt": certPEM,
		"tls.key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	}, nil
}
