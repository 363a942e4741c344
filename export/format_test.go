package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A bundle of the first format is verified as before. Its replay is the one of its release, so that this release may
// not decide it.
func TestFirstFormat(t *testing.T) {
	policy, err := ParsePolicy(readFile(t, filepath.Join("testdata", "format1.policy.txt")))
	if err != nil {
		t.Fatal(err)
	}
	in, err := zstd.NewReader(bytes.NewReader(readFile(t, filepath.Join("testdata", "format1.zip.zst"))))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ac-1_2026-11-19_000001.zip")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, replay := range []bool{false, true} {
		v, err := Verify(t.Context(), path, VerifyOptions{Policy: policy, Replay: replay, Engine: "another release"})
		if err != nil || v.Code != Good && (!replay || v.Code != Undecided) {
			t.Errorf("replay %v: %v, %+v", replay, err, v)
		}
	}
}

// The evidence is cut to what proves the exceptions: of a table that plays four shoes, with one breach in the third,
// the bundle has the third shoe up to the breach, a state before it, and a replay finds the breach again.
func TestEvidenceIsCut(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	config, err := deal.Config(deal.Kinds()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{
		Property: "ac-1", Pit: "p1", Table: "PB-01", Seed: 5, Flawless: true, Config: config,
		Start: time.Date(2026, 11, 19, 18, 0, 0, 0, time.UTC),
	})
	played := table.Open()
	third := ""
	for i := range 4 {
		shoe := table.ShoeOf(8)
		if i == 2 {
			third = shoe[0].ShoeID
			overpay(t, shoe)
		}
		played = append(played, shoe...)
	}
	played = append(played, table.Close()...)
	c.events["PB-01"] = nil
	for i := range played {
		c.events["PB-01"] = append(c.events["PB-01"], Event{"table-events", 0, int64(i), played[i].Clone(), false, false})
	}
	c.audit(t)
	path := c.export(t, true)
	v := c.verify(t, path, VerifyOptions{Replay: true})
	var m Manifest
	if err := decode(readFile(t, filepath.Join(path, pathManifest)), &m, encodeIndented); err != nil {
		t.Fatal(err)
	}
	if v.Code != Good || len(m.Unreplayed) > 0 || len(m.Extra) > 0 {
		t.Fatalf("%+v, unreplayed %v, extra %v", v, m.Unreplayed, m.Extra)
	}
	shoes := map[string]int{}
	for line := range bytes.Lines(unpacked(t, filepath.Join(path, m.evidencePath("PB-01")))) {
		var l evidenceLine
		var id struct {
			ShoeID string `json:"shoe_id"`
		}
		if err := errors.Join(json.Unmarshal(line, &l), json.Unmarshal(l.Event, &id)); err != nil {
			t.Fatal(err)
		}
		shoes[id.ShoeID]++
	}
	whole := 0
	for i := range played {
		if played[i].ShoeID == third {
			whole++
		}
	}
	if shoes[third] == 0 || shoes[third] > whole || len(shoes) > 2 || shoes[""] > 5 {
		t.Errorf("events by shoe %v of %d, the breach is in %s", shoes, len(played), third)
	}
	t.Logf("%d of %d events", len(shoes), len(played))
}

// overpay adds to the first payment of a shoe.
func overpay(t testing.TB, shoe []schema.Event) {
	t.Helper()
	for i := range shoe {
		if p, ok := shoe[i].Payload.(*schema.WagerPaid); ok {
			paid := *p
			paid.Amount += 10_000
			shoe[i].Payload = &paid
			return
		}
	}
	t.Fatal("no payment")
}
