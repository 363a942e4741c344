package conform

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

func TestFeedNotDeclared(t *testing.T) {
	for _, tt := range []struct {
		rules []string
		want  string
	}{
		{[]string{"a"}, "its content is in 1 event: 1 more rule can judge if it is declared"},
		{[]string{"a", "b"}, "its content is in 1 event: 2 more rules can judge if it is declared"},
	} {
		feed := Feed{Feed: "RACK", Rules: tt.rules, feed: baccarat.FeedRack}
		table := table{feeds: map[baccarat.Feeds]uint64{baccarat.FeedRack: 1}}
		table.Configurations = []Configuration{{Feeds: []Feed{feed}}}
		table.judgeFeeds()
		if len(table.Notes) != 1 || !strings.HasSuffix(table.Notes[0].Text, tt.want) {
			t.Errorf("notes %v, want %q", table.Notes, tt.want)
		}
	}
}
