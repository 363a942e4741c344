package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/script"
)

func same[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// brokenTable is two shoes with a count recorded wrongly late in the second: it must be found whatever
// was wrong with the feed before.
func brokenTable(t *testing.T) []schema.Event {
	t.Helper()
	events := legalTable(t, "nj-mini", "mb-1", 11, 12)
	second := ""
	for i := range events {
		if events[i].ShoeID != "" {
			second = events[i].ShoeID
		}
	}
	for i := range events {
		ev := &events[i]
		if p, ok := ev.Payload.(*schema.RoundEnded); ok && ev.ShoeID == second && ev.Round == 9 {
			p.PlayerCount = (p.PlayerCount + 1) % 10
		}
	}
	return events
}

// reported are the findings of level minor or above, and the count of each feed finding.
func reported(findings []finding.Finding) []string {
	var out []string
	for i := range findings {
		if f := &findings[i]; f.Severity != finding.Info || f.Verdict == "BREACH" {
			out = append(
				out, fmt.Sprintf("%s %s %s %s round %d %s", f.Severity, f.Verdict, f.Kind, f.Rule, f.Round, f.Subject),
			)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// in finds the index of a kind of event in a shoe, counted from 1, and a round.
func in(t *testing.T, events []schema.Event, shoe int, round uint32, kind schema.Kind) int {
	t.Helper()
	var shoes []string
	for i := range events {
		ev := &events[i]
		if ev.ShoeID != "" && !slices.Contains(shoes, ev.ShoeID) {
			shoes = append(shoes, ev.ShoeID)
		}
		if len(shoes) == shoe && ev.ShoeID != "" && ev.Round == round && ev.Payload.Kind() == kind {
			return i
		}
	}
	t.Fatalf("no %v in shoe %d, round %d", kind, shoe, round)
	return 0
}

const miscount = "critical BREACH deviation count.point-count round 9 "

// What is wrong with a feed is one finding, and the table goes on being audited.
func TestFeedFaults(t *testing.T) {
	base := brokenTable(t)
	v := enginetest.Encode(base)
	card := in(t, base, 1, 3, schema.KindCardDealt)
	wager := in(t, base, 1, 5, schema.KindWagerPlaced)
	later := in(t, base, 2, 2, schema.KindCardDealt)
	seq := func(i int) string { return fmt.Sprintf("range:%d-%d", i+1, i+1) }
	again := func(i int, change func(*schema.Event)) []byte {
		ev := base[i].Clone()
		change(&ev)
		return schema.AppendProto(nil, &ev)
	}
	changed := func(from, to int, change func(int, *schema.Event)) [][]byte {
		events := make([]schema.Event, len(base))
		for i := range base {
			events[i] = base[i].Clone()
			if i >= from && i < to {
				change(i, &events[i])
			}
		}
		return enginetest.Encode(events)
	}
	for _, c := range []struct {
		name string
		feed [][]byte
		want []string
	}{
		{"nothing wrong", v, []string{miscount}},
		{
			"gap", slices.Concat(v[:card], v[card+1:]),
			[]string{miscount, "major UNAUDITABLE data_fault feed.gap round 0 " + seq(card)},
		},
		{"two gaps", slices.Concat(v[:card], v[card+1:wager], v[wager+1:]), []string{
			miscount, "major UNAUDITABLE data_fault feed.gap round 0 " + seq(card),
			"major UNAUDITABLE data_fault feed.gap round 0 " + seq(wager),
		}},
		{"gap, then late", slices.Concat(v[:card], v[card+1:card+200], v[card:card+1], v[card+200:]), []string{
			miscount, "major UNAUDITABLE data_fault feed.gap round 0 " + seq(card),
			"minor UNAUDITABLE data_fault feed.late round 3 " + seq(card),
		}},
		{"late twice", slices.Concat(
			v[:card], v[card+1:card+200], v[card:card+1], v[card+200:card+210], v[card:card+1], v[card+210:],
		), []string{
			miscount, "major UNAUDITABLE data_fault feed.gap round 0 " + seq(card),
			"minor UNAUDITABLE data_fault feed.late round 3 " + seq(card),
		}},
		{"same id, other bytes", slices.Concat(
			v[:card+5], [][]byte{again(card, func(ev *schema.Event) { ev.At++ })}, v[card+5:],
		), []string{
			miscount, "major SUSPECT data_fault feed.conflict round 3 " + seq(card),
		}},
		{"same seq, other event", slices.Concat(
			v[:card+5], [][]byte{again(card, func(ev *schema.Event) { ev.EventID = "other" })}, v[card+5:],
		), []string{
			miscount, "major SUSPECT data_fault feed.conflict round 3 " + seq(card),
		}},
		{"same seq, other event, while it waits", slices.Concat(
			v[:card-1], v[card:card+1], [][]byte{again(card, func(ev *schema.Event) { ev.EventID = "other" })},
			v[card-1:card], v[card+1:],
		), []string{miscount, "major SUSPECT data_fault feed.conflict round 3 " + seq(card)}},
		{"same id, other bytes, when its shoe is gone", slices.Concat(
			v[:later], [][]byte{again(card, func(ev *schema.Event) { ev.At++ }), v[card]}, v[later:],
		), []string{
			miscount, "major SUSPECT data_fault feed.conflict round 3 " + seq(card),
		}},
		{"same id at another seq", changed(
			card, card+1, func(i int, ev *schema.Event) { ev.EventID = base[i-3].EventID },
		), []string{
			miscount, fmt.Sprintf("major SUSPECT data_fault feed.conflict round 3 range:%d-%d", card-2, card+1),
		}},
		{"clock backwards once", changed(
			card, card+1, func(_ int, ev *schema.Event) { ev.At -= int64(time.Hour) },
		), []string{
			miscount, "minor INFO data_fault feed.clock round 3 " + seq(card),
		}},
		{"clock far ahead once", changed(
			card, card+1, func(_ int, ev *schema.Event) { ev.At += int64(200 * 365 * 24 * time.Hour) },
		), []string{
			miscount, "minor INFO data_fault feed.clock round 3 " + seq(card+1),
		}},
		{"a number that cannot be", slices.Concat(
			v[:card], [][]byte{again(card, func(ev *schema.Event) { ev.Seq, ev.EventID = 1<<60, "wild" })}, v[card:],
		), []string{
			miscount, fmt.Sprintf("major SUSPECT data_fault feed.conflict round 3 range:%d-%d", 1<<60, 1<<60),
		}},
		{"the largest number", slices.Concat(
			v[:card], [][]byte{again(card, func(ev *schema.Event) { ev.Seq, ev.EventID = ^uint64(0), "wild" })},
			v[card:],
		), []string{
			miscount, fmt.Sprintf("major SUSPECT data_fault feed.conflict round 3 range:%d-%d", ^uint64(0), ^uint64(0)),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			slices.Sort(c.want)
			same(t, "findings", c.want, reported(findingsOf(c.feed)))
		})
	}
	t.Run("clock is reported once a shoe", func(t *testing.T) {
		feed := changed(0, len(base), func(i int, ev *schema.Event) {
			if i%20 == 7 {
				ev.At -= int64(time.Hour)
			}
		})
		shoes := map[string]int{}
		for _, f := range findingsOf(feed) {
			if f.Rule == "feed.clock" {
				shoes[f.ShoeID]++
				same(t, "kind", "data_fault INFO minor", fmt.Sprint(f.Kind, " ", f.Verdict, " ", f.Severity))
			}
		}
		for shoe, n := range shoes {
			if n != 1 || len(shoes) < 2 {
				t.Errorf("shoe %q: %d times, in %d shoes", shoe, n, len(shoes))
			}
		}
	})
}

// A numbering that starts over is one finding; a table that opens again is audited from there.
func TestFeedReset(t *testing.T) {
	first, second := legalTable(t, "nj-mini", "mb-1", 4, 6), brokenTable(t)
	stop := in(t, first, 2, 2, schema.KindWagerPlaced)
	for i := range second {
		second[i].EventID = "b-" + second[i].EventID
		second[i].At += int64(48 * time.Hour)
		if second[i].ShoeID != "" {
			second[i].ShoeID = "b-" + second[i].ShoeID
		}
	}
	want := []string{miscount, fmt.Sprintf("major SUSPECT data_fault feed.reset round 0 range:%d-1", stop+1)}
	got := findingsOf(enginetest.Encode(first[:stop]), enginetest.Encode(second))
	same(t, "findings", want, reported(got))
	// An exact repetition of the old beginning, before and after, is no reset.
	got = findingsOf(
		enginetest.Encode(first[:stop]), enginetest.Encode(first[:1]), enginetest.Encode(second[:50]),
		enginetest.Encode(second[:1]), enginetest.Encode(second[50:]),
	)
	same(t, "findings", want, reported(got))
}

// A shoe that was open goes on under its id after the numbering started over. Its whole rounds are judged again, if the
// table repeats its configuration; otherwise it is said that the shoe cannot be audited.
func TestShoeGoesOnAfterReset(t *testing.T) {
	events := legalTable(t, "nj-mini", "mb-1", 4, 6)
	stop := in(t, events, 1, 2, schema.KindWagerPlaced)
	opening := events[slices.IndexFunc(events, func(ev schema.Event) bool {
		return ev.Payload.Kind() == schema.KindTableOpened
	})]
	opening.EventID, opening.At = "opening-again", events[stop].At
	short := in(t, events, 1, 5, schema.KindWagerPaid)
	paid := *events[short].Payload.(*schema.WagerPaid)
	paid.Amount--
	rest := slices.Clone(events[stop:])
	rest[short-stop].Payload = &paid
	for _, c := range []struct {
		rest []schema.Event
		want finding.Verdict
	}{{rest, ""}, {append([]schema.Event{opening}, rest...), finding.Breach}} {
		for i := range c.rest {
			c.rest[i].Seq = uint64(i + 1)
		}
		var short finding.Verdict
		joined, ids := false, map[string]bool{}
		for _, f := range findingsOf(enginetest.Encode(events[:stop]), enginetest.Encode(c.rest)) {
			joined = joined || f.Rule == "feed.gap" && f.ShoeID == events[stop].ShoeID
			if ids[f.ID] {
				t.Errorf("two findings have the id of %s %s, %s", f.Rule, f.Subject, f.Observed)
			}
			ids[f.ID] = true
			switch {
			case f.Verdict == finding.Breach && f.Round != 5:
				t.Errorf("accused: %s in round %d", f.Rule, f.Round)
			case f.Round == 5 && f.Verdict == finding.Breach:
				short = f.Verdict
			}
		}
		if short != c.want || !joined {
			t.Errorf("the short payment is %q, want %q; the shoe is reported as joined: %t", short, c.want, joined)
		}
	}
}

// A joined table is not reset by its own history, which is late and no repetition: that is reported once, and
// it is kept in the archive.
func TestHistoryIsNoReset(t *testing.T) {
	v := enginetest.Encode(brokenTable(t))
	e, b := folded(enginetest.Options(), v[100:300], v[:100], v[:100], v[300:])
	same(t, "findings", []string{"minor UNAUDITABLE data_fault feed.late round 0 range:1-100"}, reported(b.Findings))
	if n := len(b.Events.Seq); n != len(v) || e.Counts.Duplicates != 100 {
		t.Errorf("%d of %d events in the archive, %d duplicates", n, len(v), e.Counts.Duplicates)
	}
}

// An event that is too old to be compared is kept, as a dead letter: it may contest the event that was received.
// It changes nothing else. A replay without an archive counts it as a repetition.
func TestForgottenEventIsKept(t *testing.T) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Table: "mb-1", Config: config, Seed: 1})
	events := slices.Concat(table.Open(), table.Shoe(), table.Shoe(), table.ShoeOf(3), table.Close())
	v := enginetest.Encode(events)
	last := in(t, events, 3, 2, schema.KindCardDealt)
	contested := events[50].Clone()
	contested.At++
	feed := [][][]byte{v[:last], {schema.AppendProto(nil, &contested), v[50], v[last-10]}, v[last:]}
	e, b := folded(enginetest.Options(), feed...)
	if len(b.DeadLetters) != 2 || string(b.DeadLetters[0].Raw) != string(feed[1][0]) || e.Counts.Duplicates != 3 {
		t.Errorf("%d dead letters, %d duplicates", len(b.DeadLetters), e.Counts.Duplicates)
	}
	same(t, "findings", []string(nil), reported(b.Findings))
	same(t, "archive", len(v), len(b.Events.Seq))
	options := enginetest.Options()
	options.NoArchive = true
	e, b = folded(options, feed...)
	if len(b.DeadLetters) > 0 || e.Counts.Duplicates != 3 {
		t.Errorf("without an archive: %d dead letters, %d duplicates", len(b.DeadLetters), e.Counts.Duplicates)
	}
	// After the numbers began again: what comes of before is not of the numbers that follow.
	again := legalTable(t, "nj-mini", "mb-1", 3, 3)
	for i := range again {
		again[i].EventID, again[i].At = "b-"+again[i].EventID, again[i].At+int64(48*time.Hour)
		if again[i].ShoeID != "" {
			again[i].ShoeID = "b-" + again[i].ShoeID
		}
	}
	_, b = folded(enginetest.Options(), v[:last], enginetest.Encode(again[:100]), v[40:50], v[last:last+10])
	same(t, "dead letters of before", 20, len(b.DeadLetters))
	same(t, "findings", []string{
		fmt.Sprintf("major SUSPECT data_fault feed.reset round 0 range:%d-1", last+1),
	}, reported(b.Findings))
}

// A long gap is filled late, twice: each of its events is archived once, and reported as late once.
func TestLateEventsComeTwice(t *testing.T) {
	v := enginetest.Encode(brokenTable(t))
	gap := v[100:500]
	_, b := folded(enginetest.Options(), v[:100], v[500:700], gap, gap, v[700:])
	late := 0
	for _, f := range b.Findings {
		if f.Rule == "feed.late" {
			late++
		}
	}
	if n := len(b.Events.Seq); n != len(v) || late != len(gap) || len(b.DeadLetters) > 0 {
		t.Errorf("%d of %d events in the archive, %d of %d late, %d dead letters", n, len(v), late, len(gap),
			len(b.DeadLetters))
	}
}

// A late event comes again with other bytes, also long after its shoe and after a restart: that is archived, and a
// conflict. What repeats one of the two is a repetition.
func TestLateEventIsContested(t *testing.T) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Table: "mb-1", Config: config, Seed: 1})
	events := slices.Concat(table.Open(), table.Shoe(), table.Shoe(), table.Shoe(), table.Shoe(), table.Close())
	v := enginetest.Encode(events)
	other := events[200].Clone()
	other.At++
	late, contest := v[200], schema.AppendProto(nil, &other)
	for _, after := range []int{500, 3000, len(v)} {
		for _, restarted := range []bool{false, true} {
			var b rows.Set
			e := engine.New(enginetest.Options())
			offset := int64(-1)
			apply := func(values ...[]byte) {
				for _, v := range values {
					offset++
					e.Apply(&engine.Record{Offset: offset, Format: schema.Protobuf, Value: v}, "test", 0, &b)
				}
			}
			apply(slices.Concat(v[:200], v[201:400], [][]byte{late}, v[400:after])...)
			if restarted {
				var state rows.Set
				e.Snapshots(&state)
				state.Snapshots[0].Offset = offset
				e = engine.New(enginetest.Options())
				if err := e.Restore(state.Snapshots, state.Snapshots[0].At); err != nil {
					t.Fatal(err)
				}
			}
			apply(slices.Concat([][]byte{contest, late, contest}, v[after:])...)
			e.Finish(&b)
			if len(b.Events.Seq) != len(v)+1 || len(b.DeadLetters) > 0 {
				t.Errorf("after %d: %d of %d events in the archive, %d dead letters", after, len(b.Events.Seq), len(v)+1,
					len(b.DeadLetters))
			}
			same(t, "findings", []string{
				"feed.gap round 0 range:201-201",
				fmt.Sprintf("feed.late round %d range:201-201", other.Round),
				fmt.Sprintf("feed.conflict round %d range:201-201", other.Round),
			}, ofFeed(b.Findings))
		}
	}
}

// ofFeed are the findings about the order of the feed.
func ofFeed(all []finding.Finding) (lines []string) {
	for _, f := range all {
		if slices.Contains([]string{"feed.gap", "feed.late", "feed.conflict"}, f.Rule) {
			lines = append(lines, fmt.Sprintf("%s round %d %s", f.Rule, f.Round, f.Subject))
		}
	}
	return lines
}

// A count of rounds that starts over within the shoe accuses no one: the round of an event is ambiguous.
func TestRoundNumbersStartOver(t *testing.T) {
	for name, number := range map[string]func(uint32) uint32{
		"the next has its number": func(r uint32) uint32 { return r - 1 },
		"from 1":                  func(r uint32) uint32 { return r - 9 },
	} {
		t.Run(name, func(t *testing.T) {
			events := legalTable(t, "nj-mini", "mb-1", 11, 12)
			shoe := events[in(t, events, 1, 1, schema.KindCardDealt)].ShoeID
			again := in(t, events, 1, 10, schema.KindRoundStarted)
			for i := again; i < len(events); i++ {
				if ev := &events[i]; ev.ShoeID == shoe && ev.Round >= 10 {
					ev.Round = number(ev.Round)
				}
			}
			b := replay(t, events)
			conflicts := 0
			for i := range b.Findings {
				switch f := &b.Findings[i]; {
				case f.Verdict == "BREACH" && f.Severity != finding.Info:
					t.Error(line(f))
				case f.Rule == "feed.conflict":
					conflicts++
				}
			}
			if first := fmt.Sprintf("range:%d-%d", again+1, again+1); conflicts == 0 ||
				!slices.ContainsFunc(
					b.Findings, func(f finding.Finding) bool { return f.Rule == "feed.conflict" && f.Subject == first },
				) {
				t.Errorf("%d conflicts, none of them %s", conflicts, first)
			}
		})
	}
}

// An impossible number of decks costs no more than a possible one.
func TestWildDecks(t *testing.T) {
	events := legalTable(t, "nj-mini", "mb-1", 1, 3)
	for i := range events {
		if p, ok := events[i].Payload.(*schema.ShoeLoaded); ok {
			p.DeckCount = 1<<32 - 1
		}
	}
	done := make(chan []finding.Finding, 1)
	go func() { done <- findingsOf(enginetest.Encode(events)) }()
	select {
	case f := <-done:
		if !slices.ContainsFunc(f, func(f finding.Finding) bool { return f.Rule == "shoe.count.conservation" }) {
			t.Error("no finding of conservation")
		}
	case <-time.After(10 * time.Minute): // on a busy machine; it takes a second
		t.Fatal("not done within ten minutes")
	}
}

// What a publisher leaves out of an event is not known, and accuses no one.
func TestLeftOut(t *testing.T) {
	for rule, leaveOut := range map[string]func(schema.Payload){
		"shoe.device.dealing-shoe": func(p schema.Payload) {
			if p, ok := p.(*schema.ShoeLoaded); ok {
				p.Device = schema.ShoeDeviceUnspecified
			}
		},
		"shoe.backs.uniform": func(p schema.Payload) {
			if p, ok := p.(*schema.ShoeLoaded); ok {
				p.BackColor = ""
			}
		},
		"count.point-count": func(p schema.Payload) {
			if p, ok := p.(*schema.RoundEnded); ok {
				p.Result = schema.ResultUnspecified
			}
		},
	} {
		t.Run(rule, func(t *testing.T) {
			events, err := script.Fixture("S-PB")
			if err != nil {
				t.Fatal(err)
			}
			for i := range events {
				leaveOut(events[i].Payload)
			}
			found := false
			for _, f := range findingsOf(enginetest.Encode(events)) {
				if f.Verdict == "BREACH" {
					t.Error(line(&f))
				}
				found = found || f.Rule == rule && f.Verdict == "UNAUDITABLE"
			}
			if !found {
				t.Error("no finding that it cannot be known")
			}
		})
	}
}

// A card too many is proved by each of its copies.
func TestCopiesAreEvidence(t *testing.T) {
	events, err := script.Fixture("S-PB")
	if err != nil {
		t.Fatal(err)
	}
	var want []uint64
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.ShoeLoaded:
			p.DeckCount = 6
			want = append(want, events[i].Seq)
		case *schema.CardDealt:
			if p.Card[0] == 'K' {
				p.Card = "Ks"
				want = append(want, events[i].Seq)
			}
		}
		if _, ok := events[i].Payload.(*schema.ShoeEnded); ok {
			break
		}
	}
	for _, f := range findingsOf(enginetest.Encode(events)) {
		if f.Rule == "shoe.composition.no-excess-copies" {
			same(t, "evidence", want, f.Evidence.Seqs)
			return
		}
	}
	t.Error("no finding")
}

// A shoe id that is used again is a new shoe with another id, and is judged as one.
func TestShoeReused(t *testing.T) {
	events := brokenTable(t)
	start := in(t, events, 2, 0, schema.KindShoeShuffled)
	name := events[in(t, events, 1, 1, schema.KindCardDealt)].ShoeID
	other := events[start].ShoeID
	for i := range events {
		if events[i].ShoeID == other {
			events[i].ShoeID = name
		}
	}
	b := replay(t, events)
	same(
		t, "findings",
		[]string{
			miscount, fmt.Sprintf("minor SUSPECT data_fault feed.shoe-reused round 0 range:%d-%d", start+1, start+1),
		},
		reported(b.Findings),
	)
	same(
		t, "shoes", []string{name, fmt.Sprintf("%s#%d", name, start+1)}, []string{b.Shoes[0].ShoeID, b.Shoes[1].ShoeID},
	)
}

// A fixture that is joined within the reach of reordering has a gap before it.
func TestLateStart(t *testing.T) {
	events, err := script.Fixture("S-PB")
	if err != nil {
		t.Fatal(err)
	}
	oneGap(t, findingsOf(enginetest.Encode(events[20:])), 1, 20)
}

// reports are the kinds of event that come from one feed alone.
var reports = map[schema.Feed][]schema.Kind{
	schema.FeedPreparation: {
		schema.KindDeckReceived, schema.KindCardsInspected, schema.KindCardsVerified, schema.KindCardsSpread,
		schema.KindCardsViewed, schema.KindCardsWashed,
		schema.KindCardsStacked, schema.KindBatchState, schema.KindShoeShuffled, schema.KindShoeLaced,
		schema.KindCutOffered, schema.KindShoeCut,
		schema.KindRecutOrdered, schema.KindShoeTransposed, schema.KindCutcardPlaced,
	},
	schema.FeedAttestation:   {schema.KindLayoutAttested},
	schema.FeedAnnouncements: {schema.KindAnnounced, schema.KindDealInstructed},
	schema.FeedBetSpots:      {schema.KindWagerHandled},
	schema.FeedMarkers:       {schema.KindVigorishMarkerRemoved},
	schema.FeedRack:          {schema.KindDiscardPlaced},
	schema.FeedTableCamera:   {schema.KindCardTouched},
}

// What a table does not report is reported once a shoe for each rule that needs it: never an accusation,
// never a pass.
func TestMissingFeed(t *testing.T) {
	for name, whole := range legalTables(t, 7) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for feed := schema.FeedPreparation; feed <= schema.FeedChipTray; feed++ {
				events := withoutFeed(whole, feed)
				want, got := map[string]int{}, map[string]int{}
				b := replay(t, events)
				for i := range b.Findings {
					f := &b.Findings[i]
					if f.Verdict == "UNAUDITABLE" && f.Severity == finding.Info {
						got[f.ShoeID+" "+f.Rule]++
					} else if f.Rule != "irreg.error-remedied" {
						t.Errorf("without %v: %s", feed, line(f))
					}
				}
				for i := range b.Shoes {
					for _, r := range rules.NewSet(lawOf(t, events)).Rules() {
						if (r.Needs|r.Reads)&(1<<feed) != 0 {
							want[b.Shoes[i].ShoeID+" "+r.Name] = 1
						}
					}
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("notices without %v (-want +got):\n%s", feed, d)
				}
			}
		})
	}
}

func withoutFeed(whole []schema.Event, feed schema.Feed) []schema.Event {
	var events []schema.Event
	for i := range whole {
		ev := whole[i].Clone()
		if slices.Contains(reports[feed], ev.Payload.Kind()) {
			continue
		}
		var c *schema.TableConfig
		switch p := ev.Payload.(type) {
		case *schema.TableOpened:
			c = &p.Config
		case *schema.TableConfigured:
			c = &p.Config
		}
		if c != nil {
			c.Feeds = slices.DeleteFunc(c.Feeds, func(f schema.Feed) bool { return f == feed })
		}
		ev.Seq = uint64(len(events) + 1)
		events = append(events, ev)
	}
	return events
}

func lawOf(t *testing.T, events []schema.Event) *law.Law {
	t.Helper()
	for i := range events {
		if p, ok := events[i].Payload.(*schema.TableOpened); ok {
			law, ok := enginetest.Options().Books[p.Config.Ruleset].Law(baccarat.Game(p.Config.Game))
			if !ok {
				t.Fatalf("no law of %s", p.Config.Ruleset)
			}
			return law
		}
	}
	t.Fatal("no table was opened")
	return nil
}

// Each day the numbers of a table begin again, and the same faults have the same numbers. Each is a finding of its own:
// under one id the last would take the place of the others.
func TestFindingsOfEachRestart(t *testing.T) {
	opened := legalTable(t, "nj-mini", "mb-1", 1, 1)[:40]
	for i := range opened {
		if p, ok := opened[i].Payload.(*schema.TableOpened); ok {
			again := *p
			again.Config.Decks = 0
			opened[i].Payload = &again
		}
	}
	var days [][][]byte
	for day := range 3 {
		events := slices.Clone(opened)
		for i := range events {
			events[i].EventID += strings.Repeat("x", day)
			events[i].At += int64(day) * int64(24*time.Hour)
			if events[i].ShoeID != "" {
				events[i].ShoeID += strings.Repeat("x", day)
			}
		}
		days = append(days, enginetest.Encode(slices.Delete(events, 20, 22)))
	}
	rules, ids := map[string]int{}, map[string]bool{}
	for _, f := range findingsOf(days...) {
		if strings.HasPrefix(f.Rule, "feed.") {
			rules[fmt.Sprint(f.Rule, " ", f.Severity)]++
		}
		if ids[f.ID] {
			t.Errorf("two findings have the id of %s %s, %s", f.Rule, f.Subject, f.Observed)
		}
		ids[f.ID] = true
	}
	want := map[string]int{"feed.reset major": 2, "feed.config info": 3, "feed.gap major": 3, "feed.gap info": 2}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Errorf("findings about the feed (-want +got):\n%s", diff)
	}
}

// Events wait for a missing one when the numbers begin again. It does not come any more: the gap is reported, and what
// waited is judged.
func TestRestartEndsTheWait(t *testing.T) {
	events := brokenTable(t)
	again := events[0]
	again.EventID, again.At = "again", events[len(events)-1].At+int64(time.Hour)
	lost := len(events) - 60
	want := []string{
		miscount, fmt.Sprintf("major UNAUDITABLE data_fault feed.gap round 0 range:%d-%d", lost+1, lost+1),
		fmt.Sprintf("major SUSPECT data_fault feed.reset round 0 range:%d-1", len(events)+1),
	}
	slices.Sort(want)
	got := findingsOf(enginetest.Encode(events[:lost]), enginetest.Encode(events[lost+1:]),
		enginetest.Encode([]schema.Event{again}))
	same(t, "findings", want, reported(got))
}

// Event 1 of before a restart of the numbers comes again, from the producer, after the restart. It is no other restart,
// also right after it and with two restarts between.
func TestFirstEventComesAgain(t *testing.T) {
	var days [][]schema.Event
	for day := range 3 {
		events := legalTable(t, "nj-mini", "mb-1", uint64(day)+1, 1)
		events = events[:min(len(events), 400)]
		for i := range events {
			events[i].EventID = fmt.Sprintf("%d-%d", day, i)
			events[i].At += int64(day) * int64(time.Second) // the clocks of both numberings are near each other
			if events[i].ShoeID != "" {
				events[i].ShoeID += fmt.Sprint("-", day)
			}
		}
		for i := range events {
			if day > 0 {
				events[i].At += days[day-1][len(days[day-1])-1].At - events[0].At + int64(time.Second)
			}
		}
		days = append(days, events)
	}
	all := slices.Concat(days...)
	want := reported(findingsOf(enginetest.Encode(all)))
	for _, at := range []int{401, 402, 500, 801, 1000} {
		for day := range at / 401 {
			again := slices.Insert(slices.Clone(all), at, days[day][0])
			same(t, fmt.Sprintf("findings with event 1 of day %d again at %d", day, at), want,
				reported(findingsOf(enginetest.Encode(again))))
			same(t, fmt.Sprintf("findings after restarts, day %d at %d", day, at), want,
				reported(finding.Latest(restarted(t, again, 50))))
		}
	}
}
