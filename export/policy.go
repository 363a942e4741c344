package export

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Policy is the set of trusted keys and the quorum of witnesses. It is C2SP tlog-policy text, which the casino gives
// to the regulator in person. Keys inside a bundle are never trusted.
type Policy struct {
	logs      map[string][]note.Verifier
	witnesses map[string]*witness
	groups    map[string]group
	quorum    string
}

type group struct {
	quorum  int
	members []string
}

// maxPolicy bounds the file, and the members of all groups with it.
const maxPolicy = 64 << 10

// ParsePolicy reads a policy. Errors name the line.
func ParsePolicy(data []byte) (*Policy, error) {
	if len(data) > maxPolicy {
		return nil, fmt.Errorf("the policy has %d bytes, want %d at most", len(data), maxPolicy)
	}
	p := &Policy{logs: map[string][]note.Verifier{}, witnesses: map[string]*witness{}, groups: map[string]group{}}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := p.line(words); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	switch {
	case len(p.logs) == 0:
		return nil, errors.New("no trusted log: want a line log KEY")
	case p.quorum == "":
		return nil, errors.New("want a line quorum none, or the name of a witness or group")
	}
	return p, nil
}

func (p *Policy) line(words []string) error {
	switch n := len(words); {
	case slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "PRIVATE+KEY+") }):
		return errors.New("a signing key, which must not leave the casino: want the policy that audit keygen printed")
	case words[0] == "log" && (n == 2 || n == 3):
		v, err := note.NewVerifier(words[1])
		if err != nil {
			return fmt.Errorf("log key %q: %w", words[1], err)
		}
		p.logs[v.Name()] = append(p.logs[v.Name()], v)
	case words[0] == "witness" && (n == 3 || n == 4):
		w, err := newWitness(words[2])
		if err != nil {
			return fmt.Errorf("witness key %q: %w", words[2], err)
		}
		if err := p.free(words[1]); err != nil {
			return err
		}
		p.witnesses[words[1]] = w
	case words[0] == "group" && n >= 4:
		return p.group(words[1], words[2], words[3:])
	case words[0] == "quorum" && n == 2:
		if p.quorum != "" {
			return errors.New("a second quorum")
		}
		if words[1] != "none" && !p.has(words[1]) {
			return fmt.Errorf("quorum %s: not a witness or group of a line above", words[1])
		}
		p.quorum = words[1]
	default:
		return fmt.Errorf("%q: want log KEY, witness NAME KEY, group NAME any|all|NUMBER MEMBER..., or quorum NAME|none",
			strings.Join(words, " "))
	}
	return nil
}

func (p *Policy) group(name, quorum string, members []string) error {
	g := group{members: members}
	switch quorum {
	case "any":
		g.quorum = 1
	case "all":
		g.quorum = len(members)
	default:
		n, err := strconv.Atoi(quorum)
		if err != nil || n < 1 || n > len(members) {
			return fmt.Errorf("group %s: %q, want any, all or a number up to %d", name, quorum, len(members))
		}
		g.quorum = n
	}
	for i, m := range members {
		if !p.has(m) || slices.Contains(members[:i], m) {
			return fmt.Errorf("group %s: %s is not a witness or group of a line above, or occurs twice", name, m)
		}
	}
	if err := p.free(name); err != nil {
		return err
	}
	p.groups[name] = g
	return nil
}

func (p *Policy) has(name string) bool {
	_, group := p.groups[name]
	return group || p.witnesses[name] != nil
}

func (p *Policy) free(name string) error {
	if name == "none" || p.has(name) {
		return fmt.Errorf("the name %s is taken", name)
	}
	return nil
}

// met evaluates a witness or a group. Groups have members of lines above only, so this ends. signed caches results:
// groups of groups of the same members would take exponential time.
func (p *Policy) met(name string, signed map[string]bool) bool {
	if have, ok := signed[name]; ok {
		return have
	}
	g, ok := p.groups[name]
	n := 0
	for _, m := range g.members {
		if p.met(m, signed) {
			n++
		}
	}
	signed[name] = ok && n >= g.quorum
	return signed[name]
}

func (p *Policy) names() string { return strings.Join(slices.Sorted(maps.Keys(p.logs)), ", ") }

// cosigner is the type of key of a witness: Ed25519, cosignature version 1.
const cosigner = 4

func newWitness(vkey string) (*witness, error) {
	name, rest, ok := strings.Cut(vkey, "+")
	hash, encoded, ok2 := strings.Cut(rest, "+")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || !ok2 || name == "" || err != nil || len(key) != 33 || key[0] != cosigner {
		return nil, errors.New("want NAME+HASH+KEY of a cosigning Ed25519 key")
	}
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	w := &witness{name, binary.BigEndian.Uint32(sum[:]), key[1:]}
	if fmt.Sprintf("%08x", w.hash) != hash {
		return nil, fmt.Errorf("its hash is %s, want %08x: a character is wrong", hash, w.hash)
	}
	return w, nil
}

// PolicyText is a policy that trusts one key and needs no witness, and names the consequence.
func PolicyText(vkey string) string {
	return fmt.Sprintf(`log %s
# No witness is needed: whoever has the key can sign a second history of this log. To need one, replace the next line by
# witness NAME KEY, and quorum NAME.
quorum none
`, vkey)
}

// Witnessed reports whether a checkpoint needs a witness.
func (p *Policy) Witnessed() bool { return p.quorum != "none" }
