//go:build unix

package console

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// ClickHouse stops to answer: within 25 s the screen of an operator and the wall report it across their width, with the
// time of the page's clock. Within 30 s after it answers again they are live by themselves. Only the connection of the
// console is simulated.
func TestClickHouseStops(t *testing.T) {
	t.Parallel()
	var stopped atomic.Bool
	s := filledBehind(t, 0, func(ctx context.Context) error {
		for stopped.Load() && ctx.Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		return ctx.Err()
	})
	c := serve(t, s, nil)
	const live = "document.querySelector('#link').dataset.state == 'on' && document.querySelector('#stale').hidden"
	const blind = "!document.querySelector('#stale').hidden && " +
		"document.querySelector('#stale').getBoundingClientRect().width >= document.body.clientWidth"
	queue, wall := openBrowser(t, c.url, 1440, 900), openBrowser(t, c.url, 1920, 1080)
	for b, page := range map[*browser]string{queue: "/queue", wall: "/floor?wall=1"} {
		b.signIn("ann", "operator")
		b.open(page)
		b.await(live)
	}
	stopped.Store(true)
	began := time.Now()
	for _, b := range []*browser{queue, wall} {
		b.await(blind)
		testkit.Within(t, "the warning", time.Since(began), 26*time.Second) // a check each second
		text := eval[string](b, "document.querySelector('#stale').innerText")
		hour := func(t time.Time) string { return "stale since " + t.In(c.Law.Calendar.Zone).Format("15:") }
		if !strings.Contains(text, hour(began)) && !strings.Contains(text, hour(began.Add(-time.Minute))) {
			t.Errorf("the warning has another clock than the page: %q", text)
		}
	}
	stopped.Store(false)
	began = time.Now()
	for _, b := range []*browser{queue, wall} {
		b.await(live)
		testkit.Within(t, "the recovery", time.Since(began), 30*time.Second)
	}
}
