package order

import (
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

// Event 1 of a restart has a time far ahead, and an event is lost behind it: the table is taken up again, from the
// first event that is later than what came before the restart may be.
func TestRestartAhead(t *testing.T) {
	const sec, ahead = int64(1e9), int64(3e18)
	for name, lost := range map[string]uint64{"the second event": 2, "a later event": 9} {
		t.Run(name, func(t *testing.T) {
			var q Queue
			items := map[Kind]int{}
			feed := func(id string, seq uint64, at int64) {
				ev := schema.Event{EventID: fmt.Sprint(id, seq), Seq: seq, At: at}
				var sum [32]byte
				copy(sum[:], ev.EventID)
				for item := range q.Receive(&ev, sum, false) {
					items[item.Kind]++
				}
			}
			for seq := uint64(1); seq <= 100; seq++ {
				feed("old", seq, int64(seq)*sec)
			}
			feed("new", 1, ahead)
			for seq := uint64(2); seq <= 1000; seq++ {
				if seq != lost {
					feed("new", seq, int64(100+seq)*sec)
				}
			}
			feed("old", 1010, 90*sec) // it is of the old numbers
			if n := items[Forgotten]; n > 300 || n < 1 {
				t.Errorf("%d events are taken for events from before the restart", n)
			}
			if n := items[Event]; n < 100+600 {
				t.Errorf("%d events are in order", n)
			}
		})
	}
}
