package detectors_test

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
)

// A reader that misses one card in ten raises an alarm about the shoe.
func ExampleHost() {
	host := detectors.NewLive(detectors.DefaultBudget())
	at := detectors.Location{Property: "ac-1", Table: "t1", Shoe: "s1", At: 1}
	host.Begin(&detectors.Shoe{Location: at, Decks: 8})
	for no := uint32(1); no <= 80; no++ {
		at.Round, at.At = no, at.At+50e9
		round := detectors.Round{Location: at, Decks: 8, Left: exact.Full(8)}
		for i := range uint8(5) {
			card := baccarat.Card(1 + (5*no+uint32(i))%52)
			if (5*no+uint32(i))%10 == 0 {
				card = baccarat.Unread
			}
			round.Cards = append(round.Cards, detectors.Card{Card: card, Hand: baccarat.Player, Index: i + 1})
		}
		host.Round(&round)
		for _, a := range host.Alarms {
			fmt.Println(a.Detector.ID, a.Key, "after", a.Rounds, "rounds:", a.Note)
			return
		}
	}
	// Output:
	// d19 shoe:s1 after 10 rounds: shoe:s1 has more than one unread card in 500
}

// A restored host continues where the saved one stopped: the excess card is reported once.
func ExampleRestoreLive() {
	budget := detectors.DefaultBudget()
	at := detectors.Location{Property: "ac-1", Table: "t1", Shoe: "s1", Round: 1, At: 1}
	round := detectors.Round{Location: at, Decks: 8, Cards: []detectors.Card{{Card: 1, Hand: baccarat.Player, Index: 1}}}
	round.Left = exact.Full(8)
	round.Left[1] = 0 // all eight were seen

	host := detectors.NewLive(budget)
	host.Begin(&detectors.Shoe{Location: at, Decks: 8})
	host.Round(&round)
	fmt.Println(len(host.Alarms), "alarm:", host.Alarms[0].Note)

	state, err := host.AppendState(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err = detectors.RestoreLive(budget, state)
	if err != nil {
		fmt.Println(err)
		return
	}
	host.Round(&round)
	fmt.Println(len(host.Alarms), "alarms")
	// Output:
	// 1 alarm: 9 copies of Ac in a shoe of 8 decks: an excess card, or a misread card
	// 0 alarms
}

// Thresholds follow from the false-alarm budget.
func ExampleBudget_LnThreshold() {
	budget := detectors.DefaultBudget()
	for _, d := range detectors.All()[3:5] {
		for _, kind := range d.Keys {
			fmt.Printf("%s %v: ln A %.1f\n", d.ID, kind, budget.LnThreshold(d, kind))
		}
	}
	// Output:
	// d04 shoe: ln A 16.0
	// d05 shoe: ln A 17.4
	// d05 device: ln A 14.5
	// d05 dealer: ln A 18.4
	// d05 supplier: ln A 14.5
}

// Of the evidence of a day, Day selects the keys to review.
func ExampleReviews_Day() {
	var all []detectors.Evidence
	for i, lnE := range []float64{0.1, 9.2, -1, 0.4, 7.9} {
		key := detectors.Key{Kind: detectors.OfPatron, ID: fmt.Sprint("p", i)}
		all = append(all, detectors.Evidence{Detector: "d07", Key: key, LnE: lnE})
	}
	month := detectors.Reviews{Alpha: 0.1}
	for _, e := range month.Day(all) {
		fmt.Println(e.Key, e.LnE)
	}
	fmt.Println(month.Selected)
	// Output:
	// patron:p1 9.2
	// patron:p4 7.9
	// 2
}
