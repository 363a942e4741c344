//go:build unix

package export

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// In the HTML report, and on its printed pages, no short word of a table is broken, such as a figure or a verdict.
func TestReportTables(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	t.Parallel()
	c := newCasino(t, "ac-1", 2)
	hold := holdSection("-1%d456.78")
	log := Section{Title: "Log", Columns: []string{"property", "time", "summary", "recording"}, Rows: [][]string{{
		"ac-1", "2026-11-19T22:10:07-05:00", strings.Repeat("table PB-01 paid a wager wrongly; ", 20),
		"keep until 2026-12-19",
	}}}
	c.day.Sections = []Section{hold, log}
	w := openWindow(t, "file://"+filepath.Join(c.export(t, true), pathReport))
	for _, width := range []int64{965, 1280} { // a sheet of letter, landscape, less its margins; a laptop
		w.do(chromedp.EmulateViewport(width, 800))
		broken := eval[string](w, `(() => {
			const broken = [];
			for (const cell of document.querySelectorAll("th, td")) {
				const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
				for (let n = texts.nextNode(); n; n = texts.nextNode())
					for (const word of n.data.matchAll(/(?<!\S)\S{1,12}(?!\S)/g)) {
						if (n.data.length > 25 && word[0].includes("-")) continue;
						const r = document.createRange();
						r.setStart(n, word.index); r.setEnd(n, word.index + word[0].length);
						if (new Set([...r.getClientRects()].map((x) => Math.round(x.top))).size > 1) broken.push(word[0]);
					}
			}
			return broken.join("\n");
		})()`)
		if broken != "" {
			t.Errorf("at %d px these are broken:\n%s", width, broken)
		}
		if over := eval[int](w, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
			t.Errorf("at %d px the page is %d px too wide", width, over)
		}
	}
}
