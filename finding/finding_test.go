package finding_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

func Example() {
	f := finding.New(finding.Identity{
		PropertyID: "ac-1", TableID: "mb-07", ShoeID: "mb-07-318", Round: 12,
		Rule: "draw.banker.must-stay", Subject: finding.OfHand("BANKER").String(),
	}, finding.Deviation, finding.Breach, finding.Critical)
	f.Expected, f.Observed = "stay", "draw"
	f.Evidence.Seqs = append(f.Evidence.Seqs, 4711)

	again := f
	again.Engine = "a later release"
	fmt.Println(f.ID, f.Severity, f.Subject)
	fmt.Println(finding.Same(&f, &again))
	// Output:
	// 129e04e71fa378c4f322f9c4e8a290cd critical hand:BANKER
	// true
}

func ExampleParseSeverity() {
	least, _ := finding.ParseSeverity("major")
	fmt.Println(finding.Critical >= least, finding.Minor >= least)
	// Output: true false
}

// The id is stored and exported: its bytes never change.
func TestIDsNeverChange(t *testing.T) {
	full := finding.Identity{
		PropertyID: "p", TableID: "t", ShoeID: "s", Round: 7, Rule: "r", Version: 1,
		Subject: "seat:5",
	}
	for want, about := range map[string]finding.Identity{
		"62d275e4d02e2972ea1e2ecb7b300fc3": full,
		"936afc4dcf5d15cd2e2606a0e8354a39": {},
	} {
		if got := about.ID(); got != want {
			t.Errorf("%+v: id %s, want %s", about, got, want)
		}
	}
}

// Version 0 of a rule is version 1; a rule that demands something else under its name has other findings.
func TestVersionOfTheRuleIsInTheID(t *testing.T) {
	about := finding.Identity{PropertyID: "p", Rule: "r"}
	first := about.ID()
	about.Version = 1
	if about.ID() != first {
		t.Error("version 1 has another id than version 0")
	}
	about.Version = 2
	if about.ID() == first {
		t.Error("version 2 has the id of version 1")
	}
}

// The line that audit replay prints.
func TestJSON(t *testing.T) {
	f := finding.New(finding.Identity{TableID: "t", Rule: "feed.gap"}, finding.DataFault, finding.Unauditable,
		finding.Major)
	line, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"` + f.ID +
		`","kind":"data_fault","verdict":"UNAUDITABLE","rule":"feed.gap","severity":"major","citations":[],` +
		`"property_id":"","pit_id":"","table_id":"t","shoe_id":"","round":0,"seat":0,"subject":"","dealer_id":"",` +
		`"at":"1970-01-01T00:00:00Z",` +
		`"gaming_day":"","shift":"","expected":"","observed":"","amount":0,"currency":"","evidence":{"seqs":[],` +
		`"event_ids":[]},"rulebook":"","engine":""}`
	if string(line) != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
	var back finding.Finding
	if err := json.Unmarshal(line, &back); err != nil || !finding.Same(&f, &back) {
		t.Errorf("read back %+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(strings.Replace(want, "major", "grave", 1)), &back); err == nil {
		t.Error("an unknown severity was read without an error")
	}
}

// A stored finding has empty lists where a new one has none: it is the same finding.
func TestSame(t *testing.T) {
	f := finding.New(finding.Identity{TableID: "t", Rule: "r"}, finding.Deviation, finding.Breach, finding.Major)
	stored := f
	stored.Covers, stored.Evidence = []string{}, finding.Evidence{}
	stored.Engine, stored.Rulebook, stored.Citations = "2", "nj@2", []string{"another edition"}
	f.LnE, stored.LnE = 18.24206019699676, 18.242060196996764
	if !finding.Same(&f, &stored) {
		t.Error("the stored finding is another one")
	}
	for name, change := range map[string]func(*finding.Finding){
		"covers":   func(f *finding.Finding) { f.Covers = []string{"r2 round:1"} },
		"evidence": func(f *finding.Finding) { f.Evidence.Seqs = []uint64{1} },
		"amount":   func(f *finding.Finding) { f.Amount = 1 },
		"severity": func(f *finding.Finding) { f.Severity = finding.Minor },
		"observed": func(f *finding.Finding) { f.Observed = "x" },
		"ln_e":     func(f *finding.Finding) { f.LnE += 0.001 },
	} {
		other := f
		if change(&other); finding.Same(&f, &other) {
			t.Errorf("another %s is the same finding", name)
		}
	}
}

// Of a finding with two times the later one is kept, whichever came last; of one time the last.
func TestLatest(t *testing.T) {
	of := func(id string, at int64, observed string) (f finding.Finding) {
		f.ID, f.Observed = id, observed
		f.At = schema.Time(at)
		return f
	}
	var got []string
	for _, f := range finding.Latest([]finding.Finding{
		of("a", 2, "later"), of("b", 1, "first"), of("a", 1, "earlier"), of("b", 1, "last"),
	}) {
		got = append(got, f.ID+" "+f.Observed)
	}
	if strings.Join(got, ", ") != "a later, b last" {
		t.Errorf("latest: %q", got)
	}
}
