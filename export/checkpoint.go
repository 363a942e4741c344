package export

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint is the head of a log: the number of its entries and the root hash over all of them.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   tlog.Hash
}

// maxCheckpoint bounds a checkpoint with its signatures.
const maxCheckpoint = 64 << 10

// text is the signed text: C2SP tlog-checkpoint without extension lines.
func (c *Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, formatHash(c.Root))
}

// sign returns the signed note. Ed25519 signatures are deterministic.
func (c *Checkpoint) sign(s note.Signer) (string, error) {
	signed, err := note.Sign(&note.Note{Text: c.text()}, s)
	if err != nil {
		return "", fmt.Errorf("sign checkpoint: %w", err)
	}
	return string(signed), nil
}

// signedLine is one signature of a note.
type signedLine struct {
	name string
	hash uint32
	sig  []byte // after the key's hash
	line string
}

// parseCheckpoint reads a signed note strictly: one form for each number and hash, one signature or more, nothing
// else. It verifies no signature.
func parseCheckpoint(data []byte) (Checkpoint, []signedLine, error) {
	var c Checkpoint
	if len(data) > maxCheckpoint {
		return c, nil, fmt.Errorf("%d bytes, want %d at most", len(data), maxCheckpoint)
	}
	text, signatures, ok := strings.Cut(string(data), "\n\n")
	if !ok {
		return c, nil, errors.New("want the text, an empty line and signatures")
	}
	lines := strings.Split(text, "\n")
	if len(lines) != 3 {
		return c, nil, fmt.Errorf("%d lines, want origin, size and root", len(lines))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 1 || strconv.FormatInt(size, 10) != lines[1] {
		return c, nil, fmt.Errorf("size %q, want a number from 1", lines[1])
	}
	root, err := parseHash(lines[2])
	if err != nil {
		return c, nil, fmt.Errorf("root %w", err)
	}
	if lines[0] == "" || strings.ContainsFunc(lines[0], func(r rune) bool { return r < '!' || r > '~' || r == '+' }) {
		return c, nil, fmt.Errorf("origin %q, want printable characters without spaces or +", lines[0])
	}
	c = Checkpoint{lines[0], size, root}
	var sigs []signedLine
	for len(signatures) > 0 {
		line, rest, ok := strings.Cut(signatures, "\n")
		s, good := parseSignature(line)
		if !ok || !good {
			return c, nil, fmt.Errorf("signature %d: want — NAME SIGNATURE and a line feed", len(sigs)+1)
		}
		if slices.ContainsFunc(sigs, func(o signedLine) bool { return o.name == s.name && o.hash == s.hash }) {
			return c, nil, fmt.Errorf("signature %d: the second by the same key", len(sigs)+1)
		}
		sigs, signatures = append(sigs, s), rest
	}
	if len(sigs) == 0 {
		return c, nil, errors.New("no signature")
	}
	return c, sigs, nil
}

func parseSignature(line string) (signedLine, bool) {
	rest, ok := strings.CutPrefix(line, "— ")
	name, sig, good := strings.Cut(rest, " ")
	data, err := base64.StdEncoding.Strict().DecodeString(sig)
	if !ok || !good || name == "" || err != nil || len(data) < 5 || base64.StdEncoding.EncodeToString(data) != sig {
		return signedLine{}, false
	}
	return signedLine{name, binary.BigEndian.Uint32(data), data[4:], line}, true
}

// open checks that a log of the policy and the policy's quorum of witnesses signed the checkpoint.
func (p *Policy) open(data []byte) (Checkpoint, *Failure) {
	const check = checkCheckpoint
	c, sigs, err := parseCheckpoint(data)
	if err != nil {
		return c, tampered(check, "the checkpoint is damaged: %v", err)
	}
	signatures := slices.DeleteFunc(slices.Clone(sigs), func(s signedLine) bool { return s.name != c.Origin })
	if len(signatures) == 0 {
		return c, tampered(check, "the checkpoint names the log %s but has no signature of it", c.Origin)
	}
	known := p.logs[c.Origin]
	if len(known) == 0 {
		return c, undecided(check, "the bundle belongs to the log %s; your policy names only %s: the bundle is from "+
			"another property, or the policy lacks a line", c.Origin, p.names())
	}
	var seen []string
	for _, s := range signatures {
		for _, v := range known {
			good := v.Verify([]byte(c.text()), s.sig)
			switch {
			case s.hash == v.KeyHash() && !good:
				return c, tampered(check, "the signature of %s is invalid: the checkpoint was changed after it was signed",
					c.Origin)
			case s.hash != v.KeyHash() && good:
				return c, tampered(check, "the signature of %s was relabelled: it was made with key %08x and names %08x", c.Origin,
					v.KeyHash(), s.hash)
			case good:
				return c, p.witnessed(&c, sigs)
			}
		}
		seen = append(seen, fmt.Sprintf("%08x", s.hash))
	}
	return c, undecided(check, "the checkpoint is signed with key %s of %s, which is not in your policy: if the casino "+
		"rotated its key, obtain the new line in person", strings.Join(seen, ", "), c.Origin)
}

// witnessed checks the quorum of witnesses.
func (p *Policy) witnessed(c *Checkpoint, sigs []signedLine) *Failure {
	signed := map[string]bool{}
	for name, w := range p.witnesses {
		for _, s := range sigs {
			if s.name == w.name && s.hash == w.hash {
				if !w.verify(c.text(), s.sig) {
					return tampered(checkCheckpoint, "the signature of the witness %s is invalid", name)
				}
				signed[name] = true
			}
		}
	}
	if p.quorum != "none" && !p.met(p.quorum, signed) {
		return undecided(checkCheckpoint, "the quorum of witnesses of your policy (%s) did not sign", p.quorum)
	}
	return nil
}

// witness is a key of C2SP tlog-cosignature, version 1, Ed25519.
type witness struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (w *witness) verify(text string, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(sig), text)
	return ed25519.Verify(w.key, []byte(signed), sig[8:])
}
