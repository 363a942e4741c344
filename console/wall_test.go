//go:build unix

package console

import (
	"fmt"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// The wall has all tables on one screen of 1080p and of 4K, each in its place, open or closed, with the last results.
func TestWall(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 0, 1) // a table in play
	const tables = 60
	if err := s.Conn().Exec(t.Context(), fmt.Sprintf(`INSERT INTO %s (property_id, pit_id, table_id, at, seq, kind,
		received_at) SELECT 'ac-1', concat('p', toString(intDiv(number, 12))),
			concat('baccarat-', leftPad(toString(number), 2, '0')), now64(9), 9,
			if(number %% 4 = 0, 'table_closed', 'round_ended'), now64(3)
		FROM numbers(%d)`, s.Table("feeds"), tables)); err != nil {
		t.Fatal(err)
	}
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1920, 1080)
	b.signIn("ann", "viewer")
	whole := func(name string) {
		t.Helper()
		// Half a pixel too much cuts off two letters.
		if broken := eval[int](b, `[...document.querySelectorAll(".wallgrid .name")].filter((x) => {
			const text = document.createRange();
			text.selectNodeContents(x);
			return text.getBoundingClientRect().width > x.getBoundingClientRect().width;
		}).length`); broken > 0 {
			t.Errorf("%s: %d names are cut off", name, broken)
		}
	}
	for name, screen := range map[string][2]int64{"1080p": {1920, 1080}, "4k": {3840, 2160}} {
		b.screen(screen[0], screen[1], 1)
		b.open("/floor?wall=1")
		b.screenshot("wall-" + name)
		if n := eval[int](b, "document.querySelectorAll('.wallgrid .tile').length"); n != tables+1 {
			t.Errorf("%s: %d tiles of %d tables", name, n, tables+1)
		}
		if hidden := eval[int](b, "[...document.querySelectorAll('.wallgrid .tile')].map((x) => x.getBoundingClientRect())"+
			".filter((x) => x.bottom > innerHeight || x.right > innerWidth).length"); hidden > 0 {
			t.Errorf("%s: %d tiles are not on the screen", name, hidden)
		}
		small := eval[float64](b, "parseFloat(getComputedStyle(document.querySelector('.wallgrid .name')).fontSize)")
		if small < float64(screen[1])/60 {
			t.Errorf("%s: the name of a table is %.1f pixels high", name, small)
		}
		whole(name)
		bar := eval[float64](b, "parseFloat(getComputedStyle(document.querySelector('.top .now')).fontSize)")
		if bar < float64(screen[1])/72 {
			t.Errorf("%s: the clock of the bar is %.1f pixels high", name, bar)
		}
	}
	const names = "[...document.querySelectorAll('.wallgrid .name')].map((x) => x.textContent.split(' ')[0])"
	if places := eval[string](b, names+".join()"); places != eval[string](b, names+".sort().join()") {
		t.Errorf("the tiles are not in the order of pit and name: %s", places)
	}
	// The last results are of the table in play, the latest last.
	all := store.Scope{All: true}
	floor, err := s.Floor(t.Context(), all, store.Location{Property: "ac-1", Table: "pb-01"})
	if err != nil || len(floor) != 1 {
		t.Fatal(len(floor), err)
	}
	at := store.Location{Property: "ac-1", Table: "pb-01", Shoe: floor[0].ShoeID}
	rounds, err := s.Rounds(t.Context(), all, at)
	if err != nil || len(rounds) < 10 {
		t.Fatal(len(rounds), err)
	}
	want := ""
	for _, r := range rounds[len(rounds)-10:] {
		want += letterOf(r.Result).Letter
	}
	const results = "[...document.querySelectorAll('.results b')].map((x) => x.textContent).join('')"
	if got := eval[string](b, results); got != want {
		t.Errorf("the last results are %s, want %s", got, want)
	}
	// The next round shows within seconds, though the rounds before the last minutes are read each minute.
	last := rounds[len(rounds)-1]
	insert(t, s, "rounds", "property_id, table_id, shoe_id, round, at, result", "ac-1", "pb-01", last.ShoeID, last.Round+1,
		time.Now(), "TIE")
	began := time.Now()
	testkit.Await(t, "the result of the next round", func() bool {
		b.open("/floor?wall=1")
		return eval[string](b, results) == want[1:]+"T"
	})
	testkit.Within(t, "the result of the next round", time.Since(began), 30*time.Second)
	insert(t, s, "feeds", "property_id, pit_id, table_id, at, seq, kind, received_at", "ac-1", "p1",
		"high-limit-room-baccarat-07", time.Now(), uint64(9), "round_ended", time.Now())
	testkit.Await(t, "a table with a long name", func() bool { // requests share the floor for a moment
		b.open("/floor?wall=1")
		return eval[bool](b, "document.querySelector('.wallgrid').innerText.includes('high-limit-room')")
	})
	whole("a long name")
	b.quiet()
}
