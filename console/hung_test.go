//go:build unix

package console

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// ClickHouse accepts connections and statements, and never answers: a page that needs it is a 503 before the reader
// gives up, also where requests share one statement. An action has an answer, too. When ClickHouse answers again, so
// does the console.
func TestClickHouseHangs(t *testing.T) {
	t.Parallel()
	const conns = 64
	var hung sync.RWMutex
	s := filledBehind(t, conns, func(context.Context) error {
		hung.RLock()
		defer hung.RUnlock()
		return nil
	})
	var access Access
	secret := personal(&access, "ann", "ann", "supervisor")
	c := still(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	do := func(method, path, body string) (code int, retry, text string) {
		req, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, "", ""
		}
		req.Header.Set("Authorization", "Bearer "+secret)
		began := time.Now()
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return 0, "", ""
		}
		defer func() { _ = resp.Body.Close() }()
		all, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		testkit.Within(t, path, time.Since(began), answerWithin+2*time.Second)
		return resp.StatusCode, resp.Header.Get("Retry-After"), string(all)
	}
	pages := []string{
		"/dealers", "/dealers", "/rates", "/floor", "/search?q=ac-1", "/exports", "/day?property=ac-1", "/silences",
		"/handover", "/tables/ac-1/mb-01", "/cases", "/api/v1/rounds", "/api/v1/dealers",
	}
	var wait sync.WaitGroup
	for range conns { // idle connections, so that statements wait and not only new connections
		wait.Go(func() {
			if err := s.Conn().Exec(t.Context(), "SELECT sleep(1)"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	hung.Lock()
	for _, page := range pages {
		wait.Go(func() {
			if code, retry, _ := do("GET", page, ""); code != http.StatusServiceUnavailable || retry != "10" {
				t.Errorf("%s: %d, Retry-After %q, want 503 and 10", page, code, retry)
			}
		})
	}
	wait.Go(func() {
		code, _, text := do("POST", "/api/v1/silences", `{"property":"ac-1","rule":"draw.player.third-card","reason":"test","hours":1}`)
		if code != http.StatusInternalServerError || !strings.Contains(text, "The database did not answer.") {
			t.Errorf("a silence: %d %s", code, text)
		}
	})
	wait.Wait()
	hung.Unlock()
	for _, page := range pages {
		if code, _, text := do("GET", page, ""); code != http.StatusOK {
			t.Errorf("%s, answered again: %d %.200s", page, code, text)
		}
	}
}
