//go:build unix

package console

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// The shipped roles: the console's user has no right to events. With its second user the pages of evidence
// and replays show them; without it they say why not, and every other page is as it was.
func TestConsoleReadsEventsAsAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a ClickHouse")
	}
	layout := migrations.Layout{Database: "shoeproof"}
	users, err := layout.RoleXML()
	if err != nil {
		t.Fatal(err)
	}
	roles, err := layout.Roles()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range roles {
		sum := sha256.Sum256([]byte(r.Name))
		t.Setenv("SHOEPROOF_"+strings.ToUpper(r.Name)+"_SHA256", hex.EncodeToString(sum[:]))
	}
	users = strings.Replace(users, "<profiles>", "<quotas><default/></quotas><profiles><default/>", 1)
	users = strings.Replace(users, "<users>", "<users><default><password/><networks><ip>127.0.0.1</ip></networks></default>", 1)
	own, err := engine.StartClickHouse(t.Context(), engine.ClickHouseOptions{Dir: t.TempDir(), Users: users})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.Stop)
	as := func(role string) clickhouse.Config {
		return clickhouse.Config{Addrs: []string{own.Addr}, Database: "shoeproof", User: "shoeproof_" + role, Password: clickhouse.Secret(role), RulesVersion: "r", Engine: "test", RowVersion: 1}
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
		who := []string{"Authorization", "Bearer " + secretOf(&access, "eve", "auditor", "*", time.Now().Add(time.Hour))}
		c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
		found, err := s.Findings(t.Context(), store.Scope{All: true}, store.Where{Rule: "draw.banker.must-stay"})
		if err != nil || len(found) != 1 {
			t.Fatalf("%d findings: %v", len(found), err)
		}
		f = found[0]
		for _, r := range routes() { // also those that want a query, which are no failures without it
			path := strings.NewReplacer("{$}", "", "{id}", f.ID, "{property}", "ac-1", "{table}", "t-1", "{shoe}", esc(f.ShoeID)).Replace(r.path)
			if code, body := send(t, "GET", c.url+path, "", who...); r.method == "GET" && path != "/findings/"+f.ID+"/events" && code >= 500 {
				t.Errorf("%s as %q: %d\n%.300s", path, with.User, code, body)
			}
		}
		c.patient()
		_, body := send(t, "GET", c.url+"/findings/"+f.ID, "", who...)
		shown, refused := strings.Contains(body, "card_dealt"), strings.Contains(body, "may not read the archive")
		raw, _ := send(t, "GET", c.url+"/findings/"+f.ID+"/events", "", who...)
		replay, answer := send(t, "POST", fmt.Sprintf("%s/api/v1/shoes/ac-1/t-1/%s/replay", c.url, esc(f.ShoeID)), "", who...)
		if with.User != "" {
			if !shown || refused || raw != http.StatusOK || replay != http.StatusOK {
				t.Errorf("with an archive: events shown %v, as they came %d, replay %d: %s", shown, raw, replay, answer)
			}
		} else if shown || !refused || raw != http.StatusNotImplemented || replay != http.StatusNotImplemented {
			t.Errorf("without an archive: events shown %v, told %v, as they came %d, replay %d: %s", shown, refused, raw, replay, answer)
		}
	}
}
