package gateway

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// Tokens are who may send events. The file has hashes only.
type Tokens struct {
	Tokens []Token `yaml:"tokens"`
}

// Token is one sender.
type Token struct {
	Name   string `yaml:"name"`
	SHA256 string `yaml:"sha256"`
	// Expires is when the token ends; never for the zero time.
	Expires time.Time `yaml:"expires"`
	// Properties are those whose events it sends, Tables their tables; all tables if empty.
	Properties []string `yaml:"properties"`
	Tables     []string `yaml:"tables"`
	sum        []byte
}

// ReadTokens reads a file of tokens.
func ReadTokens(in io.Reader) (*Tokens, error) {
	t := &Tokens{}
	dec := yaml.NewDecoder(in)
	dec.KnownFields(true)
	if err := dec.Decode(t); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(t.Tokens) == 0 {
		return nil, errors.New("no token: nothing could be sent")
	}
	var problems []error
	sums := map[[sha256.Size]byte]string{}
	for _, public := range []string{"", "test"} { // an example of the documents, and what no secret at all would be
		sums[sha256.Sum256([]byte(public))] = "a public text"
	}
	for i := range t.Tokens {
		token := &t.Tokens[i]
		sum, err := hex.DecodeString(token.SHA256)
		switch {
		case token.Name == "":
			problems = append(problems, fmt.Errorf("tokens[%d]: no name", i))
		case err != nil || len(sum) != sha256.Size:
			problems = append(problems, fmt.Errorf("token %s: sha256 is not 64 hex digits", token.Name))
		case len(token.Properties) == 0:
			problems = append(problems, fmt.Errorf("token %s: no properties", token.Name))
		case sums[[sha256.Size]byte(sum)] != "":
			problems = append(problems, fmt.Errorf("token %s: its sha256 is that of %s", token.Name,
				sums[[sha256.Size]byte(sum)]))
		default:
			sums[[sha256.Size]byte(sum)] = "token " + token.Name
		}
		token.sum = sum
	}
	return t, errors.Join(problems...)
}

// find returns the token of an Authorization header, nil for none that is valid.
func (t *Tokens) find(header string) *Token {
	sum := sha256.Sum256([]byte(bearer(header)))
	var found *Token
	for i := range t.Tokens { // all of them, in constant time
		if subtle.ConstantTimeCompare(t.Tokens[i].sum, sum[:]) == 1 {
			found = &t.Tokens[i]
		}
	}
	if found == nil || !found.Expires.IsZero() && !time.Now().Before(found.Expires) {
		return nil
	}
	return found
}

func (t *Token) allows(property, table string) bool {
	return slices.Contains(t.Properties, property) && (len(t.Tables) == 0 || slices.Contains(t.Tables, table))
}
