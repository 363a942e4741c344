package export

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/bits"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// tree is an RFC 6962 Merkle tree, stored as the roots of its full subtrees, the largest first: one for each bit
// that is set in its size.
type tree struct {
	size     int64
	frontier []tlog.Hash
}

func (t *tree) add(leaf []byte) {
	h := tlog.RecordHash(leaf)
	for range bits.TrailingZeros64(^uint64(t.size)) {
		last := len(t.frontier) - 1
		h = tlog.NodeHash(t.frontier[last], h)
		t.frontier = t.frontier[:last]
	}
	t.frontier = append(t.frontier, h)
	t.size++
}

func (t *tree) root() tlog.Hash {
	if t.size == 0 {
		return sha256.Sum256(nil)
	}
	h := t.frontier[len(t.frontier)-1]
	for i := len(t.frontier) - 2; i >= 0; i-- {
		h = tlog.NodeHash(t.frontier[i], h)
	}
	return h
}

// newTree returns the tree of a size and a frontier.
func newTree(size int64, frontier []tlog.Hash) (tree, error) {
	if want := bits.OnesCount64(uint64(size)); size < 0 || len(frontier) != want {
		return tree{}, fmt.Errorf("a log of %d entries has a frontier of %d hashes, got %d", size, want, len(frontier))
	}
	return tree{size, append([]tlog.Hash(nil), frontier...)}, nil
}

func formatFrontier(frontier []tlog.Hash) []byte {
	var b strings.Builder
	for _, h := range frontier {
		b.WriteString(formatHash(h) + "\n")
	}
	return []byte(b.String())
}

// maxFrontier is the longest frontier in bytes: 64 lines of 44 characters.
const maxFrontier = 64 * 45

func parseFrontier(data []byte) ([]tlog.Hash, error) {
	if len(data) > maxFrontier {
		return nil, fmt.Errorf("%d bytes, want %d at most", len(data), maxFrontier)
	}
	var all []tlog.Hash
	for n := 1; len(data) > 0; n++ {
		line, rest, ok := strings.Cut(string(data), "\n")
		h, err := parseHash(line)
		if !ok || err != nil {
			return nil, fmt.Errorf("line %d: want a hash of 32 bytes in base64 and a line feed", n)
		}
		all, data = append(all, h), []byte(rest)
	}
	return all, nil
}

func formatHash(h tlog.Hash) string { return base64.StdEncoding.EncodeToString(h[:]) }

// parseHash reads a hash in the form of formatHash only.
func parseHash(s string) (h tlog.Hash, err error) {
	data, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(data) != len(h) || base64.StdEncoding.EncodeToString(data) != s {
		return h, fmt.Errorf("%q: want 32 bytes in base64", s)
	}
	return tlog.Hash(data), nil
}
