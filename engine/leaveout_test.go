package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Each event of each legal fixture is left out in turn, and the events are numbered again, so that no gap shows it. All
// feeds are declared. The audit must report something that it does not report of the whole table, or the law lets the
// event be absent there. Some kinds, left out, accuse no one.
func TestLeavingOut(t *testing.T) {
	eachFixture(t, func(t *testing.T, events []schema.Event) {
		whole, rules := reportedOf(t, events), lawOf(t, events)
		times := map[schema.Kind]int{}
		for i := range events {
			kind := events[i].Payload.Kind()
			if times[kind]++; times[kind]%enginetest.Stride(5, 1) != 1%enginetest.Stride(5, 1) {
				continue
			}
			reason := absence{events: events, at: i, law: rules}.lawful()
			found := reportedOf(t, without(events, i))
			if subset(found, whole) && reason == "" {
				t.Errorf("%v (event %d, round %d) is left out in silence", kind, i+1, events[i].Round)
			}
			accused := func(s string) bool { return strings.HasPrefix(s, "BREACH") }
			if slices.Contains(accuseNoOne, kind) && slices.ContainsFunc(found, accused) {
				t.Errorf("%v (event %d, round %d) is left out: %v", kind, i+1, events[i].Round, found)
			}
		}
	})
}

// The same of varied tables, which have mistakes that are put right, withdrawn wagers and hands that are given up: no
// one is accused. That a participant declined is not left out, nor the correction of a recorded end: without it a
// participant was passed over, and the record is wrong.
func TestLeavingOutOfVariedTables(t *testing.T) {
	for k, kind := range deal.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(900); seed < 900+uint64(enginetest.Soak(1, 20)); seed++ {
				config, err := deal.Config(kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				table := deal.NewTable(deal.Options{Config: config, Seed: seed, Varied: true})
				events := slices.Concat(table.Open(), table.ShoeOf(25), table.ShoeOf(25), table.Close())
				whole, stride, ended := reportedOf(t, events), enginetest.Stride(39, 1), schema.Event{}
				tried := map[schema.Kind]bool{}
				for i := range events {
					ev := &events[i]
					offered, offer := ev.Payload.(*schema.CuratorOffered)
					_, end := ev.Payload.(*schema.RoundEnded)
					corrects := end && ended.Round == ev.Round && ended.ShoeID == ev.ShoeID
					if end {
						ended = *ev
					}
					if !slices.Contains(accuseNoOne, ev.Payload.Kind()) || offer && !offered.Accepted || corrects ||
						i%stride != k%stride && tried[ev.Payload.Kind()] {
						continue
					}
					tried[ev.Payload.Kind()] = true
					for _, found := range reportedOf(t, without(events, i)) {
						if strings.HasPrefix(found, "BREACH") && !slices.Contains(whole, found) {
							t.Errorf("seed %d, %v (event %d): %s", seed, ev.Payload.Kind(), i+1, found)
						}
					}
				}
			}
		})
	}
}

// The last card of each round is left out of each legal fixture, also one of an irregularity and one of a void round.
// The round is settled before its recorded end, or has no recorded end, then also without its first card: no one is
// accused.
func TestLastCardLost(t *testing.T) {
	eachFixture(t, func(t *testing.T, events []schema.Event) {
		for i := range events {
			if events[i].Payload.Kind() != schema.KindRoundEnded {
				continue
			}
			same := func(ev *schema.Event) bool { return ev.ShoeID == events[i].ShoeID && ev.Round == events[i].Round }
			first, last, end := 0, 0, len(events)-1
			for k := range events[:i] {
				if events[k].Payload.Kind() == schema.KindCardDealt && same(&events[k]) {
					last = k
					if first == 0 {
						first = k
					}
				}
			}
			for end > i && (!same(&events[end]) || events[end].Payload.Kind() == schema.KindDiscardPlaced) {
				end--
			}
			if last == 0 {
				continue
			}
			settled := slices.Insert(slices.Clone(events), end+1, events[i])
			tables := map[string][]schema.Event{
				"settled before the end": without(without(settled, i), last),
				"no end":                 without(without(events, i), last),
				"first card, no end":     without(without(events, i), first),
			}
			for what, table := range tables {
				for _, found := range reportedOf(t, table) {
					if strings.HasPrefix(found, "BREACH") {
						t.Errorf("round %d of %s, %s: %s", events[i].Round, events[i].ShoeID, what, found)
					}
				}
			}
		}
	})
}

// Two events of one round that every table must publish are left out together: nothing is a breach that is not one at
// the whole table.
func TestTwoLeftOut(t *testing.T) {
	eachFixture(t, func(t *testing.T, events []schema.Event) {
		leaveTwoOut(t, events, published, enginetest.Stride(5, 1))
	})
}

// The same in the rounds of varied tables that are void, or have a card found face up or more cards than a legal hand.
func TestTwoLeftOutOfIrregularRounds(t *testing.T) {
	type round struct {
		shoe   string
		number uint32
	}
	for _, kind := range deal.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(703); seed < 703+uint64(enginetest.Soak(3, 20)); seed++ {
				config, err := deal.Config(kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				table := deal.NewTable(deal.Options{Config: config, Seed: seed, Varied: true})
				events := slices.Concat(table.Open(), table.ShoeOf(25), table.ShoeOf(25), table.Close())
				irregular := map[round]bool{}
				for i := range events {
					dealt, ok := events[i].Payload.(*schema.CardDealt)
					_, faceUp := events[i].Payload.(*schema.CardFoundFaceup)
					_, void := events[i].Payload.(*schema.RoundVoided)
					if ok && dealt.Index > 3 || faceUp || void {
						irregular[round{events[i].ShoeID, events[i].Round}] = true
					}
				}
				leaveTwoOut(t, events, func(ev *schema.Event) bool {
					return published(ev) && irregular[round{ev.ShoeID, ev.Round}]
				}, enginetest.Stride(3, 1))
			}
		})
	}
}

// leaveTwoOut leaves out each pair of events of a round, or one in so many.
func leaveTwoOut(t *testing.T, events []schema.Event, of func(*schema.Event) bool, every int) {
	t.Helper()
	whole, pairs := reportedOf(t, events), 0
	for i := range events {
		if !of(&events[i]) {
			continue
		}
		for k := i + 1; k < len(events); k++ {
			if !of(&events[k]) || events[k].ShoeID != events[i].ShoeID || events[k].Round != events[i].Round {
				continue
			}
			if pairs++; pairs%every != 0 {
				continue
			}
			for _, found := range reportedOf(t, without(without(events, k), i)) {
				if strings.HasPrefix(found, "BREACH") && !slices.Contains(whole, found) {
					t.Errorf("round %d of %s, %v (event %d) and %v (event %d): %s", events[i].Round, events[i].ShoeID,
						events[i].Payload.Kind(), i+1, events[k].Payload.Kind(), k+1, found)
				}
			}
		}
	}
}

// published reports whether every table must publish an event of a round, whatever its feeds.
func published(ev *schema.Event) bool {
	switch ev.Payload.(type) {
	case *schema.RoundStarted, *schema.CardDealt, *schema.RoundEnded, *schema.RoundVoided:
		return ev.Round != 0
	}
	return false
}

// A banker card of minibaccarat that was dealt under the shoe is placed on its area once the player hand is called,
// 19:47-7.7(c)2. That it was placed is not reported: UNAUDITABLE, and no one is accused.
func TestBankerCardLeftUnderTheShoe(t *testing.T) {
	for _, kind := range []string{"nj-mini", "ny-mini"} {
		events := legalTable(t, kind, "", 0, 12)
		at := slices.IndexFunc(events, func(ev schema.Event) bool {
			p, ok := ev.Payload.(*schema.CardMoved)
			return ok && p.From == schema.MovePlaceUnderShoeRight
		})
		if at < 0 {
			t.Fatalf("%s: no banker card is moved", kind)
		}
		found := reportedOf(t, without(events, at))
		if !slices.Contains(found, "UNAUDITABLE deal.style-consistent") {
			t.Errorf("%s, event %d left out: %v", kind, at+1, found)
		}
	}
}

// accuseNoOne are the kinds of event whose absence is a fault of the feed, or has a lawful explanation.
var accuseNoOne = []schema.Kind{
	schema.KindTableOpened, schema.KindDealerAssigned, schema.KindLayoutAttested,
	schema.KindDeckReceived, schema.KindShoeLoaded, schema.KindShoeEnded, schema.KindRoundStarted,
	schema.KindRoundEnded,
	schema.KindRoundVoided, schema.KindCardDealt, schema.KindWagerPlaced, schema.KindBankerWagered,
	schema.KindCuratorOffered, schema.KindCuratorAssigned, schema.KindCuratorPassed, schema.KindBidOffered,
	schema.KindBankerAssigned, schema.KindBancoAnnounced, schema.KindCardsHanded, schema.KindCutcardSeen,
}

// absence is an event that is left out of a table.
type absence struct {
	events []schema.Event
	at     int
	law    *law.Law
}

// attestedBy are the rules that read an attestation.
var attestedBy = map[string]string{
	"cutting-card-appearance": "shoe.cutting-cards.appearance", "layout-approval": "layout.nj.approved",
	"vig-areas": "layout.vig-numbered-areas", "lammer-storage": "vig.lammer-storage",
}

// demandedBy are the rules that demand what an event of a kind shows. Where the rulebook has no such clause the event
// is dispensable.
var demandedBy = map[schema.Kind]string{
	schema.KindCardsVerified:  "open.floor-verification",
	schema.KindCardsSpread:    "open.spread-for-first-participant",
	schema.KindCardsViewed:    "open.spread-for-first-participant",
	schema.KindCardsWashed:    "open.wash-face-down-and-stack",
	schema.KindCardsStacked:   "open.wash-face-down-and-stack",
	schema.KindShoeLaced:      "shuffle.lacing",
	schema.KindCutOffered:     "cut.offer-order",
	schema.KindShoeCut:        "cut.dealer-only-if-declined",
	schema.KindShoeTransposed: "cut.front-to-back",
	schema.KindCutcardPlaced:  "cut.cutting-cards-placed",
	schema.KindCutcardSeen:    "lasthand.cutcard-seen",
	schema.KindDiscardPlaced:  "discard.order-preserved",
	schema.KindDeckReceived:   "shoe.loaded-as-received",
	schema.KindNoticeFiled:    "order.procedure-notice",
}

// lawful is why the law lets the event be absent, empty if it does not. docs/events.md has the same list.
func (a absence) lawful() string {
	ev := &a.events[a.at]
	if rule, ok := demandedBy[ev.Payload.Kind()]; ok && !a.has(rule) {
		return "the rulebook has no such clause"
	}
	switch p := ev.Payload.(type) {
	case *schema.TableClosed:
		return "the table may still be open"
	case *schema.ShoeEnded:
		shuffled := func(ev schema.Event) bool { return ev.Payload.Kind() == schema.KindShoeShuffled }
		if !slices.ContainsFunc(a.events[a.at:], shuffled) {
			return "closing the table ends the shoe"
		}
	case *schema.RoundEnded:
		if a.round(func(ev schema.Payload) bool { return ev.Kind() == schema.KindRoundVoided }) {
			return "round_voided ends a round"
		}
	case *schema.LayoutAttested:
		if !a.has(attestedBy[p.Item]) {
			return "no clause demands the item"
		}
		if p.Item == "lammer-storage" {
			return "demanded of lammers at an EZ table alone"
		}
	case *schema.VigorishMarkerRemoved:
		return "no clause says when a marker is taken off after its vigorish was collected"
	case *schema.CutOffered:
		if p.Accepted {
			return "to hand the stack to the participant next in turn is to offer it"
		}
	case *schema.CuratorOffered:
		if p.Accepted {
			return "to hand the shoe to the participant next in turn is to offer it"
		}
	}
	return a.lawfulInRound()
}

func (a absence) lawfulInRound() string {
	switch p := a.events[a.at].Payload.(type) {
	case *schema.CuratorAssigned:
		if before, ok := a.events[a.at-1].Payload.(*schema.CuratorOffered); ok && before.Accepted &&
			before.Seat == p.Seat {
			return "the participant to accept the shoe is the curator, 19:47-3.6(c)"
		}
	case *schema.CuratorPassed:
		if next, ok := a.events[a.at+1].Payload.(*schema.CuratorOffered); ok && next.Seat != p.Seat {
			return "the shoe that is offered to another seat was passed"
		}
	case *schema.DealInstructed:
		if p.Instruction == schema.InstructionStay && a.round(remedied) {
			return "the card that was dealt in error is the finding"
		}
		moved := func(ev schema.Payload) bool { return ev.Kind() == schema.KindCardMoved }
		if p.Hand == schema.HandBanker && a.round(moved) {
			return "no card is drawn: a card that was dealt in error becomes the third card of the banker hand"
		}
		dealtThird := func(ev schema.Payload) bool { c, ok := ev.(*schema.CardDealt); return ok && c.Index > 2 }
		if p.Instruction == schema.InstructionStay && !a.round(dealtThird) && a.round(natural) {
			return "nothing to instruct after a natural"
		}
	case *schema.Announced:
		switch {
		case a.law.Game == baccarat.CheminDeFer && !a.has("announce.winner"):
			return "the text has no calls of chemin de fer"
		case p.Code == schema.CallLastHand && !a.has("lasthand.announced"):
			return "the rulebook has no last hand"
		}
	case *schema.BidOffered:
		return "a participant who does not become the Banker need not bid"
	case *schema.BancoAnnounced:
		return "a patron may wager the whole amount without the call"
	}
	return ""
}

// has reports whether the rulebook has a rule.
func (a absence) has(rule string) bool {
	_, ok := a.law.Cited(rule)
	return ok
}

// round reports whether the round of the event has such an event.
func (a absence) round(is func(schema.Payload) bool) bool {
	ev := &a.events[a.at]
	return slices.ContainsFunc(a.events, func(o schema.Event) bool {
		return o.ShoeID == ev.ShoeID && o.Round == ev.Round && is(o.Payload)
	})
}

// remedied reports whether an event remedies a card that was not due.
func remedied(ev schema.Payload) bool {
	switch p := ev.(type) {
	case *schema.CardMoved, *schema.CardCarriedOver:
		return true
	case *schema.ShoeBurned:
		return p.Reason == schema.BurnReasonIrregularity
	}
	return false
}

// natural reports whether an event calls a count of 8 or 9 on the first two cards.
func natural(ev schema.Payload) bool {
	c, ok := ev.(*schema.Announced)
	return ok && c.Code == schema.CallPointCount && c.Value >= 8
}

// without is the table without an event, numbered again.
func without(events []schema.Event, at int) []schema.Event {
	out := slices.Delete(slices.Clone(events), at, at+1)
	for i := at; i < len(out); i++ {
		out[i].Seq--
	}
	return out
}

// reportedOf are the findings of a table, without what numbers change.
func reportedOf(t *testing.T, events []schema.Event) []string {
	t.Helper()
	var out []string
	for _, f := range replay(t, events).Findings {
		out = append(out, string(f.Verdict)+" "+f.Rule)
	}
	slices.Sort(out)
	return out
}

func subset(part, of []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(of, s) })
}
