//go:build unix

package console

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// With the shipped roles, the user of the console has no access to events. With its second user, the pages of evidence
// and replays show events; without it, they report the reason, and every other page works.
func TestArchiveUser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a ClickHouse")
	}
	clickHouse := enginetest.ClickHouse(t, engine.ClickHouseOptions{Users: enginetest.RoleUsers(t)})
	as := func(role string) clickhouse.Config {
		return clickhouse.Config{
			Addrs: []string{clickHouse.Addr}, Database: "shoeproof", User: "shoeproof_" + role,
			Password: clickhouse.Secret(role), RulesVersion: "r", Engine: "test", RowVersion: 1,
		}
	}
	if _, _, err := clickhouse.Migrate(t.Context(), as("migrator")); err != nil {
		t.Fatal(err)
	}
	writer, err := clickhouse.Open(t.Context(), as("writer"))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	newTestFloor(t, writer).play(planted(t, "ac-1", "t-1", "draw.banker.must-stay"))
	var f store.Finding
	for _, with := range []clickhouse.Config{as("archive"), {}} {
		s, err := store.Open(t.Context(), as("console"), with, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		access := Access{}
		secret := secretOf(&access, "eve", "auditor", "*", time.Now().Add(time.Hour))
		user := []string{"Authorization", "Bearer " + secret}
		c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
		found, err := s.Findings(t.Context(), store.Scope{All: true}, store.FindingQuery{Rule: "draw.banker.must-stay"})
		if err != nil || len(found) != 1 {
			t.Fatalf("%d findings: %v", len(found), err)
		}
		f = found[0]
		for _, r := range routes() { // without the query that some routes require, which is no internal error
			path := strings.NewReplacer(
				"{$}", "", "{id}", f.ID, "{property}", "ac-1", "{table}", "t-1", "{shoe}", esc(f.ShoeID),
			).Replace(r.path)
			code, body := send(t, "GET", c.url+path, "", user...)
			if r.method == "GET" && path != "/findings/"+f.ID+"/events" && code >= 500 {
				t.Errorf("%s as %q: %d\n%.300s", path, with.User, code, body)
			}
		}
		c.resetLimits()
		_, body := send(t, "GET", c.url+"/findings/"+f.ID, "", user...)
		shown, refused := strings.Contains(body, "card_dealt"), strings.Contains(body, "no access to the archive")
		_, night := send(t, "GET", c.url+"/tables/ac-1/t-1?day="+store.Day(f.GamingDay), "", user...)
		cut, none := strings.Contains(night, `class="cut"`), strings.Contains(night, "cannot be read from the archive")
		if cut != (with.User != "") || none == cut {
			t.Errorf("with the archive %q, the table has cuts: %t, the reason: %t", with.User, cut, none)
		}
		raw, _ := send(t, "GET", c.url+"/findings/"+f.ID+"/events", "", user...)
		replay, text := send(t, "POST", c.url+"/api/v1/shoes/ac-1/t-1/"+esc(f.ShoeID)+"/replay", "", user...)
		if with.User != "" {
			if !shown || refused || raw != http.StatusOK || replay != http.StatusOK {
				t.Errorf("with an archive: events shown %v, as received %d, replay %d: %s", shown, raw, replay, text)
			}
		} else if shown || !refused || raw != http.StatusNotImplemented || replay != http.StatusNotImplemented {
			t.Errorf("without an archive: events shown %v, refused %v, as received %d, replay %d: %s",
				shown, refused, raw, replay, text)
		}
	}
}
