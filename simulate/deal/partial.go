package deal

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// WithoutFeeds returns what tables publish that play the same and do not report some of the feeds WAGERS, SETTLEMENT,
// VIGORISH and BURN: their configurations name the feeds as absent, and the sequence numbers have no gap.
func WithoutFeeds(events []schema.Event, absent []schema.Feed) []schema.Event {
	out := make([]schema.Event, 0, len(events))
	last := map[string]uint64{}
	for i := range events {
		if slices.Contains(absent, schema.FeedOf(events[i].Payload.Kind())) {
			continue
		}
		ev := events[i].Clone()
		switch p := ev.Payload.(type) {
		case *schema.TableOpened:
			p.Config.AbsentFeeds = absent
		case *schema.TableConfigured:
			p.Config.AbsentFeeds = absent
		default: // no configuration
		}
		last[ev.TableID]++
		ev.Seq = last[ev.TableID]
		out = append(out, ev)
	}
	return out
}
