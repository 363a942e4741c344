//go:build unix

package console

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
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
	for name, screen := range map[string][2]int64{"1080p": {1920, 1080}, "4k": {3840, 2160}} {
		b.do(chromedp.EmulateViewport(screen[0], screen[1]))
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
		// Half a pixel too much cuts off two letters.
		if broken := eval[int](b, `[...document.querySelectorAll(".wallgrid .name")].filter((x) => {
			const text = document.createRange();
			text.selectNodeContents(x);
			return text.getBoundingClientRect().width > x.getBoundingClientRect().width;
		}).length`); broken > 0 {
			t.Errorf("%s: %d names are cut off", name, broken)
		}
		bar := eval[float64](b, "parseFloat(getComputedStyle(document.querySelector('.top .now')).fontSize)")
		if bar < float64(screen[1])/72 {
			t.Errorf("%s: the clock of the bar is %.1f pixels high", name, bar)
		}
	}
	const names = "[...document.querySelectorAll('.wallgrid .name')].map((x) => x.textContent.split(' ')[0])"
	if places := eval[string](b, names+".join()"); places != eval[string](b, names+".sort().join()") {
		t.Errorf("the tiles are not in the order of pit and name: %s", places)
	}
	if n := eval[int](b, "document.querySelectorAll('.results b').length"); n != 10 {
		t.Errorf("%d last results, want 10", n)
	}
	b.quiet()
}
