package rows

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// ChainKeys are the keys of the chains and of the journal. The database does not have them, so who may insert rows
// cannot make a link or a range. The first key signs; the others are its predecessors.
type ChainKeys []ChainKey

// ChainKey is a secret with the id that rows name.
type ChainKey struct {
	ID     string
	secret []byte
}

// minChainKey is the minimum length of a key in bytes.
const minChainKey = 32

// ParseChainKeys reads one key a line, the newest first.
func ParseChainKeys(text string) (keys ChainKeys, err error) {
	for line := range strings.Lines(text) {
		secret := []byte(strings.TrimSpace(line))
		if len(secret) == 0 {
			continue
		}
		if len(secret) < minChainKey {
			return nil, fmt.Errorf("key %d has %d bytes, want %d or more", len(keys)+1, len(secret), minChainKey)
		}
		keys = append(keys, ChainKey{sumWith(secret, "name of this key")[:16], secret})
	}
	return keys, nil
}

func sumWith(secret []byte, text string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// Sign returns the id of the first key and its HMAC-SHA256 of the hash of a link, both empty without keys.
func (k ChainKeys) Sign(hash string) (id, mac string) {
	if len(k) == 0 {
		return "", ""
	}
	return k[0].ID, sumWith(k[0].secret, "link\x00"+hash)
}

// Verify describes what is wrong with the HMAC of a hash; empty if it is right.
func (k ChainKeys) Verify(hash, id, mac string) string {
	for i := range k {
		if k[i].ID != id {
			continue
		}
		if !hmac.Equal([]byte(mac), []byte(sumWith(k[i].secret, "link\x00"+hash))) {
			return "its HMAC is not of the key that it names"
		}
		return ""
	}
	if id == "" {
		return "it has no HMAC"
	}
	return "it names key " + id + ", which is not among the keys of this program"
}
