package export

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func FuzzCheckpoint(f *testing.F) {
	signer, vkey := keyOf(f, origin, 7)
	signed, err := (&Checkpoint{origin, 9, [32]byte{1}}).sign(signer)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(signed))
	f.Add([]byte("a\n1\n\n— a \n"))
	policy := policyOf(f, vkey)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, sigs, err := parseCheckpoint(data)
		if err == nil {
			again := c.text() + "\n"
			for _, s := range sigs {
				again += s.line + "\n"
			}
			if again != string(data) {
				t.Fatalf("%q is read as %q", data, again)
			}
		}
		if got, failure := policy.open(data); failure == nil && (got.Size != 9 || got.Root != [32]byte{1}) {
			t.Fatalf("%+v was never signed", got)
		}
	})
}

func FuzzPolicy(f *testing.F) {
	_, vkey := keyOf(f, origin, 7)
	f.Add([]byte(PolicyText(vkey)))
	f.Add([]byte("log " + vkey + "\nwitness w w+00000000+BAAA\ngroup g any w\nquorum g\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePolicy(data)
		if err == nil && (len(p.logs) == 0 || p.quorum == "") {
			t.Fatalf("%q trusts no key", data)
		}
		if err == nil {
			p.met(p.quorum, map[string]bool{})
		}
	})
}

func FuzzFrontier(f *testing.F) {
	f.Add([]byte("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if hashes, err := parseFrontier(data); err == nil && !bytes.Equal(formatFrontier(hashes), data) {
			t.Fatalf("%q is not written so", data)
		}
	})
}

func FuzzState(f *testing.F) {
	good, err := encodeIndented(&State{origin, []Accepted{{1, 0, 3, formatHash([32]byte{})}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = parseState("state", data) })
}

// A zip of any bytes is a bundle or is rejected; nothing panics.
func FuzzBundle(f *testing.F) {
	c := newCasino(f, "ac-1", 1)
	c.events, c.rounds = nil, nil
	c.day.Books = nil
	path := c.export(f, false)
	f.Add(readFile(f, path))
	genuine := readFile(f, path)
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "bundle.zip")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		v := c.verify(t, name, VerifyOptions{Replay: true})
		if v.Code != Tampered && !bytes.Equal(data, genuine) {
			t.Fatalf("%+v", v)
		}
	})
}

// A signer may sign anything: each line of a bundle is read with suspicion.
func FuzzManifest(f *testing.F) {
	c := newCasino(f, "ac-1", 1)
	f.Add(readFile(f, filepath.Join(c.export(f, true), pathManifest)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m Manifest
		if err := decode(data, &m, encodeIndented); err != nil {
			return
		}
		if again, err := encodeIndented(&m); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%q is not written so (%v)", data, err)
		}
		_ = m.check()
		_, _ = m.calendar()
	})
}
