package console

import (
	"testing"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// A person reads what the entries of the chain have, not their JSON.
func TestLogText(t *testing.T) {
	const sum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	const head = `{"topic":"table-events","partition":3,"first":0,"to":4711,"ranges":12,"sha256":"` + sum + `"`
	for _, c := range []struct{ action, detail, want string }{
		{rows.GenesisAction, `{"follows":null}`, "the first chain"},
		{
			rows.GenesisAction, `{"follows":null,"before":{"steps":0,"steps_digest":"00","log":0,"log_digest":"00"}}`,
			"the first chain",
		},
		{
			rows.GenesisAction, `{"follows":null,"before":{"steps":3,"steps_digest":"AB","log":1,"log_digest":"CD"}}`,
			"after 3 actions and 1 line without a chain",
		},
		{
			rows.GenesisAction, `{"follows":[{"property":"ac-1","chain":"A","link":7,"hash":"` + sum + `"}]}`,
			"after link 7 of chain A",
		},
		{rows.HeadsAction, `[]`, "no records"},
		{rows.HeadsAction, `null`, "no records"},
		{rows.HeadsAction, `[` + head + `}]`, "table-events/3 to offset 4711"},
		{
			rows.HeadsAction, `[` + head + `,"signed":100,"lost":[{"from":5,"to":9}]},` + head + `},` + head + `},` + head + `}]`,
			"table-events/3 to offset 4711, HMACs from offset 100, lost 5-9; table-events/3 to offset 4711; table-events/3 to " +
				"offset 4711; and 1 more",
		},
		{rows.HeadsAction, `of a later release`, "of a later release"},
	} {
		l := logLine{Entry: store.Entry{Action: c.action, Detail: c.detail}, Text: c.detail}
		l.identify(&exchange{})
		if l.Text != c.want {
			t.Errorf("%s %s: %q, want %q", c.action, c.detail, l.Text, c.want)
		}
	}
}
