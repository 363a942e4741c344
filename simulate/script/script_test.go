package script

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/legal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// money lists what a shoe's settlement came to, one step a word: "1:pay7=10000".
func money(events []schema.Event, shoe string) string {
	var out []string
	spots := map[string]string{}
	for i := range events {
		ev := &events[i]
		if ev.ShoeID != shoe {
			continue
		}
		add := func(what string, seat uint32, amount int64, id string) {
			out = append(out, fmt.Sprintf("%d:%s%d%s=%d", ev.Round, what, seat, spots[id], amount))
		}
		switch p := ev.Payload.(type) {
		case *schema.WagerPlaced:
			if p.Spot > schema.SpotTie {
				spots[p.WagerID] = "/" + p.Spot.String()
			}
		case *schema.WagerPaid:
			add("pay", p.Seat, p.Amount, p.WagerID)
		case *schema.VigorishCollected:
			add("vig", p.Seat, p.Amount, "")
		case *schema.VigorishMarked:
			add("mark", p.Seat, p.Amount, "")
		case *schema.ShoeEnded:
			out = append(out, fmt.Sprintf("remaining=%d", p.Remaining))
		}
	}
	return strings.Join(out, " ")
}

func TestFixturesAreTheCatalogues(t *testing.T) {
	want := map[string]string{
		"S-PB": "1:pay7=10000 1:pay5=10300 1:vig7=500 1:mark5=525 2:pay3=5000 2:pay1=2500 3:pay2=8000 " +
			"4:pay7=10000 4:pay5=10300 4:vig7=500 4:mark5=525 5:pay7=10000 5:pay5=10300 5:vig7=500 5:mark5=525 " +
			"6:pay3=5000 6:pay1=2500 remaining=383 0:vig5=1575",
		"S-MB": "1:pay7=10000 1:pay5=10300 1:vig7=500 1:mark5=515 2:pay3=5000 2:pay1=2500 3:pay2=8000 " +
			"4:pay7=10000 4:pay5=10300 4:vig7=500 4:mark5=515 5:pay7=10000 5:pay5=10300 5:vig7=500 5:mark5=515 " +
			"6:pay3=5000 6:pay1=2500 remaining=383 0:vig5=1545",
		"S-MB25": "1:pay7=10000 1:pay5=10300 2:pay3=5000 2:pay1=2500 3:vig7=2500 3:vig5=2575 3:pay2=8000 " +
			"4:pay7=10000 4:pay5=10300 5:pay7=10000 5:pay5=10300 6:pay3=5000 6:pay1=2500 remaining=383",
		"S-NYEZ": "1:pay7=10000 1:pay5=10300 2:pay3=5000 2:pay1=2500 3:pay2=8000 4:pay6/DRAGON_7=20000 " +
			"5:pay7=10000 5:pay5=10300 6:pay6/PANDA_8=12500 6:pay3=5000 6:pay1=2500 remaining=383",
		"S-NYNV": "1:pay7=10000 1:pay5=10300 2:pay3=5000 2:pay1=2500 3:pay2=8000 4:pay7=5000 4:pay5=5150 " +
			"5:pay7=10000 5:pay5=10300 6:pay3=5000 6:pay1=2500 remaining=384",
		"S-NYDB": "1:pay7=10000 1:pay5=10300 1:vig7=500 1:mark5=515 2:pay3=5000 2:pay3/DRAGON_BONUS_PLAYER=500 " +
			"2:pay1=2500 3:pay2=8000 " +
			"4:pay7=10000 4:pay7/DRAGON_BONUS_BANKER=2000 4:pay5=10300 4:vig7=500 4:mark5=515 " +
			"5:pay7=10000 5:pay7/DRAGON_BONUS_BANKER=500 5:pay5=10300 5:vig7=500 5:mark5=515 6:pay3=5000 " +
			"6:pay1=2500 remaining=383 0:vig5=1545",
		"S-PAIR": "1:pay7=10000 1:pay5=10300 1:pay3/PLAYER_PAIR=5500 1:vig7=500 1:mark5=525 2:pay3=5000 2:pay1=2500 " +
			"3:pay2=8000 " +
			"4:pay7=10000 4:pay5=10300 4:vig7=500 4:mark5=525 5:pay7=10000 5:pay5=10300 5:vig7=500 5:mark5=525 " +
			"6:pay7/BANKER_PAIR=5500 6:pay3=5000 6:pay1=2500 remaining=384 0:vig5=1575",
		"S-69F": "1:pay7=10000 1:pay5=10300 1:vig7=500 1:mark5=525 " +
			"2:pay7=10000 2:pay7/FORTUNE_7=20000 2:pay7/COVER_ALL=3000 2:pay5=10300 2:vig7=500 2:mark5=525 " +
			"3:pay7/GOLDEN_8=12500 3:pay7/COVER_ALL=3000 3:pay3=5000 3:pay1=2500 " +
			"4:pay7/HEAVENLY_9=5000 4:pay7/COVER_ALL=3000 4:pay3=5000 4:pay1=2500 " +
			"5:pay7/HEAVENLY_9=37500 5:pay7/COVER_ALL=3000 5:pay2=8000 " +
			"6:pay7/BLAZING_7S=100000 6:pay7/COVER_ALL=3000 6:pay2=8000 7:pay7/BLAZING_7S=25000 " +
			"7:pay7/COVER_ALL=3000 7:pay2=8000 " +
			"8:pay7=10000 8:pay5=10300 8:vig7=500 8:mark5=525 9:pay3=5000 9:pay1=2500 remaining=365 0:vig5=1575",
	}
	want["S-NY"] = want["S-MB"]
	want["S-MIDI"] = want["S-MB"]
	want["S-CF"] = "1:pay4=100000 3:pay4=200000 4:pay7/AGAINST_BANKER=250000 4:pay2/AGAINST_BANKER=150000 remaining=395"
	for name, left := range map[string]string{
		"S-IRA": "382", "S-IRB": "378", "S-IRC": "383", "S-IRD": "377",
		"S-IRE": "376",
	} {
		want[name] = strings.Replace(want["S-PB"], "remaining=383", "remaining="+left, 1)
	}
	i := strings.Index(want["S-PB"], " 6:")
	want["S-IRF"] = want["S-PB"][:i] + " remaining=0 0:vig5=1575"
	for _, name := range Fixtures() {
		events, err := Fixture(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want[name], money(events, strings.ToLower(name)+"-1")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		legal.Check(t, name, events)
		for n := 1; n <= 2; n++ {
			r, err := reread(events, n)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(bare(events[r.from:r.to]), bare(r.write())); d != "" {
				t.Fatalf("%s shoe %d written again: %s", name, n, d)
			}
		}
	}
	if _, err := Fixture("S-XX"); err == nil || !strings.Contains(err.Error(), "S-PB") {
		t.Errorf("unknown fixture: %v", err)
	}
}

func TestCoupsUseAllTheirCards(t *testing.T) {
	for name, text := range coups() {
		cards, err := shoe.ParseCards(strings.Fields(text))
		if err != nil {
			t.Fatal(err)
		}
		if c := shoe.DealCoup(append(cards, 1, 1)); c.Cards() != len(cards) {
			t.Errorf("%s takes %d cards of %d", name, c.Cards(), len(cards))
		}
	}
}

func TestEdits(t *testing.T) {
	tests := []struct {
		name, fixture, edits, want, err string
	}{
		{
			"set", "S-PB", "set round=1 wager_paid seat=7: amount=9500",
			"1:pay7=9500 1:pay5=10300 1:vig7=500 1:mark5=525", "",
		},
		{
			"move and comment", "S-PB",
			"# first the vigorish\nmove round=1 vigorish_collected seat=7 before round=1 wager_paid seat=7",
			"1:vig7=500 1:pay7=10000 1:pay5=10300 1:mark5=525", "",
		},
		{
			"swap", "S-PB", "swap round=1 wager_paid seat=7 with round=1 wager_paid seat=5",
			"1:pay5=10300 1:pay7=10000 1:vig7=500 1:mark5=525", "",
		},
		{
			"delete by spot of the wager", "S-PAIR", "delete round=1 wager_paid spot=PLAYER_PAIR",
			"1:pay7=10000 1:pay5=10300 1:vig7=500 1:mark5=525", "",
		},
		{
			"insert", "S-PB", "insert after round=1 wager_paid seat=7: wager_paid wager_id=w1.1.1 seat=7 amount=1",
			"1:pay7=10000 1:pay7=1 1:pay5=10300 1:vig7=500 1:mark5=525", "",
		},
		{
			"deal settles as dealt", "S-PB", "deal round=1: P 6c Kh 2d B 7d Ks",
			"1:pay3=5000 1:pay1=2500", "",
		},
		{
			"stake", "S-NY", "stake round=1: seat=3 spot=BANKER amount=2000",
			"1:pay7=10000 1:pay5=10300 1:pay3=2000 1:vig7=500 1:mark5=515 1:vig3=100", "",
		},
		{
			"configure", "S-NY", "configure after shoe_burned: vigorish.percent=4\nrecompute",
			"1:pay7=10000 1:pay5=10300 1:vig7=400 1:mark5=415", "",
		},
		{
			"configure what", "S-NY", "configure after shoe_burned: vigorish.per=4", "",
			"line 1: configure: table_configured has no field config.vigorish.per, want one of mode, percent, unit",
		},
		{"table", "S-PB", "delete table=pb-09 round=1 *", "", "line 1: delete: table pb-09 not found"},
		{
			"nothing", "S-PB", "delete round=1 wager_paid seat=3", "",
			`line 1: "round=1 wager_paid seat=3" matches no event`,
		},
		{"ambiguous", "S-PB", "\ndelete round=1 wager_paid", "", "line 2: \"round=1 wager_paid\" matches 2 events"},
		{
			"field", "S-PB", "set round=1 wager_paid seat=7: colour=red", "",
			"line 1: set round=1 wager_paid seat=7: wager_paid has no field colour, want one of wager_id, ",
		},
		{"word", "S-PB", "set shoe_loaded: device=HAND", "", `line 1: set shoe_loaded: device: "HAND": unknown value`},
		{
			"too much", "S-PB", "set round=1 wager_paid seat=7: amount+=9223372036854775807", "",
			"line 1: set round=1 wager_paid seat=7: amount: cannot add 9223372036854775807 to 10000",
		},
		{
			"too many", "S-PB", "set round=1 wager_placed seat=7: seat+=4294967295", "",
			"line 1: set round=1 wager_placed seat=7: seat: cannot add 4294967295 to 7",
		},
		{
			"too late", "S-PB", "set round=1 round_started: at+=2562047h", "",
			"line 1: set round=1 round_started: at: cannot add 2562047h to ",
		},
		{
			"no such year", "S-PB", "set round=1 round_started: at=9999-01-01T00:00:00Z", "",
			`line 1: set round=1 round_started: at: "9999-01-01T00:00:00Z": want a whole number, or a time from 1678 to 2261`,
		},
		{"rounds", "S-PB", "deal round=9: P 6c Kh B 7d Ks", "", "line 1: deal round=9, want 1 to 6"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, err := Fixture(tt.fixture)
			if err != nil {
				t.Fatal(err)
			}
			edits, err := Parse(tt.edits)
			if err == nil {
				events, err = edits.Apply(events)
			}
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
					t.Fatalf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := money(events, strings.ToLower(tt.fixture)+"-1")
			if first, _, _ := strings.Cut(got, " 2:"); first != tt.want {
				t.Errorf("round 1 came to\n%s\nwant\n%s", first, tt.want)
			}
			for i := range events {
				if events[i].Seq != uint64(i)+1 || i > 0 && events[i].At < events[i-1].At {
					t.Fatalf("event %d: seq %d or its time is out of order", i, events[i].Seq)
				}
			}
		})
	}
}

func TestEditsOfTwoTables(t *testing.T) {
	events, err := Fixture("S-PB + S-PB@p1/pb-02")
	if err != nil {
		t.Fatal(err)
	}
	edits, err := Parse("configure before table=pb-02 round=2 round_started: payment_procedure=3\n" +
		"recompute table=pb-02\ndelete round=6 *\ndelete shoe=2 *")
	if err != nil {
		t.Fatal(err)
	}
	if events, err = edits.Apply(events); err != nil {
		t.Fatal(err)
	}
	seqs := map[string]uint64{}
	for i := range events {
		ev := &events[i]
		if seqs[ev.TableID]++; ev.Seq != seqs[ev.TableID] || i > 0 && ev.At < events[i-1].At {
			t.Fatalf("event %d of %s: seq %d or its time is out of order", i, ev.TableID, ev.Seq)
		}
		p, ok := ev.Payload.(*schema.TableConfigured)
		if ok && (ev.Round != 0 || ev.ShoeID != "pb-02-1" || p.EffectiveAt != ev.At || p.Config.ConfigID != "S-PB+") {
			t.Errorf("configured: %+v", ev)
		}
		if ev.TableID == "s-pb" && (ev.Round == 6 || ev.ShoeID == "s-pb-2") {
			t.Fatalf("not deleted: %+v", ev)
		}
	}
	const four = "4:pay7=10000 4:vig7=500 4:pay5=10300 4:mark5=525"
	if got := money(events, "pb-02-1"); !strings.Contains(got, four) ||
		strings.Contains(money(events, "s-pb-1"), four) {
		t.Errorf("table pb-02 settled %s", got)
	}
	if _, err := Fixture("S-PB + S-PB"); err == nil {
		t.Error("one table twice")
	}
}

func TestEditErrors(t *testing.T) {
	for text, want := range map[string]string{
		"frobnicate round=1":                    `line 1: "frobnicate": want set, delete`,
		"\n\nset round=1 wager_paid":            "line 3: want field=value after a colon",
		"set wager_pays: amount=1":              `line 1: selector "wager_pays": "wager_pays" is not a kind of event`,
		"move round=1 wager_paid":               "line 1: move: want the place",
		"insert after round_started: seat":      `line 1: insert: "seat" is not a kind of event`,
		"deal round=1":                          "line 1: deal: want cards after a colon",
		"set round=1 wager_paid: a=\"b":         "line 1: a double quote is not closed",
		"configure round=1: decks=6":            "line 1: configure: want after or before",
		"delete *":                              `line 1: selector "*": want a kind of event or a field`,
		"delete":                                `line 1: selector "": want a kind of event or a field`,
		"move each wager_paid after shoe_ended": "line 1: move each: want one event",
		"set nth=x wager_paid: amount=1":        `line 1: selector "nth=x wager_paid": nth: want a number from 1`,
	} {
		if _, err := Parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("set round=1 wager_paid seat=7: amount=9500")
	f.Add("deal round=1: P 6c Kh 2d B 7d Ks\nburn: 4d\nswap a with b")
	f.Add("insert after last round=1 card_dealt: card_touched by_role=PATRON card_seqs=1,,")
	events, err := Fixture("S-NY")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if edits, err := Parse(text); err == nil {
			_, _ = edits.Apply(events)
		}
	})
}
