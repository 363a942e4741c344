//go:build unix

package console

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// payloads are a hundred ways to have a script run. Each would set window.ran.
func payloads() []string {
	run := "window.ran=1"
	var all []string
	for _, out := range []string{"", `">`, `'>`, "`>", "</script>", "</title>", "</textarea>", "</style>", "-->", "]]>", "{{", "${"} {
		for _, in := range []string{
			"<script>" + run + "</script>", "<img src=x onerror=" + run + ">", "<svg onload=" + run + ">", "<svg><script>" + run + "</script></svg>",
			"<iframe srcdoc=\"<script>parent." + run + "</script>\">", "<details open ontoggle=" + run + ">x", "<math><mtext><img src=x onerror=" + run + "></mtext></math>",
		} {
			all = append(all, out+in)
		}
	}
	return append(all, "javascript:"+run, "JaVaScRiPt:"+run, "data:text/html,<script>"+run+"</script>", `" onfocus=`+run+` autofocus="`, `' onmouseover='`+run, "{{constructor.constructor('"+run+"')()}}",
		"\u2028<script>"+run+"</script>", "<scr\x00ipt>"+run+"</script>", "%3Cscript%3E"+run+"%3C/script%3E", "&lt;script&gt;"+run+"&lt;/script&gt;", "<a href=javascript:"+run+">x</a>",
		"<link rel=stylesheet href=//elsewhere.example/x.css>", "<base href=//elsewhere.example/>", "<meta http-equiv=refresh content=0;url=//elsewhere.example>",
		"<form action=//elsewhere.example><button>x", "<style>@import '//elsewhere.example'</style>")
}

func insert(t *testing.T, s *store.Store, table, columns string, row ...any) {
	t.Helper()
	batch, err := s.Conn().PrepareBatch(t.Context(), "INSERT INTO "+s.Table(table)+" ("+columns+")")
	if err == nil {
		err = batch.Append(row...)
	}
	if err == nil {
		err = batch.Send()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// hostile is a row of findings of which every text is a payload.
func hostile(t *testing.T, s *store.Store, all []string) []finding.Finding {
	t.Helper()
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "hostile", To: int64(len(all)), Records: uint64(len(all))}}
	now := time.Now().Add(-time.Minute)
	shoes := []string{all[0], all[1], all[2]}
	var found []finding.Finding
	for i, p := range all {
		at := func(n int) string { return all[(i+n)%len(all)] }
		f := finding.Finding{
			ID: fmt.Sprintf("%032x", i+1), Kind: finding.Deviation, Verdict: []finding.Verdict{finding.Breach, finding.Suspect, finding.Verdict(at(1))}[i%3], Rule: at(2), Severity: []finding.Severity{finding.Critical, finding.Major, finding.Info}[i%3], Citations: []string{at(4), p},
			PropertyID: "h", PitID: at(5), TableID: at(6), ShoeID: at(7), Round: uint32(i % 3), Seat: 1, Subject: at(8), DealerID: at(9), At: schema.Time(now.UnixNano()), GamingDay: "2026-11-20",
			Shift: at(10), Expected: p, Observed: at(11), Amount: int64(i), Currency: at(12), Evidence: finding.Evidence{Seqs: []uint64{uint64(i + 1)}, EventIDs: []string{p}}, Rulebook: at(13), Engine: at(14),
		}
		if i < 3 {
			f.TableID, f.ShoeID, f.Round, f.DealerID = all[0], shoes[i], 1, all[3]
			insert(t, s, "rounds", "property_id, pit_id, table_id, shoe_id, round, at, shift, dealer_id, ruleset, config_id, result, player_count, cards, paid, expected_pay, first_seq, end_seq",
				"h", p, all[0], shoes[i], uint32(1), now, p, all[3], p, p, p, uint8(1), "P "+p+" B "+p, int64(1), int64(2), uint64(1), uint64(5))
			insert(t, s, "wagers", "property_id, table_id, shoe_id, round, at, wager_id, seat, spot, stake, medium, patron, disposition, expected, paid, expected_paid",
				"h", all[0], shoes[i], uint32(1), now, p, uint32(1), p, int64(5), p, all[5], p, all[6], int64(1), int64(2))
			b.Vigorish = append(b.Vigorish, rows.Vigorish{PropertyID: "h", TableID: all[0], ShoeID: shoes[i], Round: 1, At: now.UnixNano(), WagerID: p, Seat: 1, Kind: p, Won: 1, Least: 1, Most: 1})
			b.Shoes = append(b.Shoes, rows.Shoe{PropertyID: "h", PitID: p, TableID: all[0], ShoeID: shoes[i], At: now.UnixNano(), EndedAt: now.UnixNano(), Shift: p, Ruleset: p, Game: p, ConfigID: p, Rounds: 1, Rulebook: p, Engine: p, LastSeq: 9})
			b.Configs = append(b.Configs, rows.Config{PropertyID: "h", PitID: p, TableID: all[0], Seq: uint64(i), At: now.UnixNano(), ConfigID: p, Ruleset: p, Game: p, Mode: p, Config: p, EventID: p})
		}
		if i%3 == 2 { // a severity that this release does not write
			insert(t, s, "findings", "id, kind, verdict, rule, severity, citations, property_id, pit_id, table_id, shoe_id, round, seat, subject, dealer_id, at, "+
				"shift, expected, observed, amount, currency, evidence, rulebook, engine", f.ID, string(f.Kind), string(f.Verdict), f.Rule, at(3), f.Citations, f.PropertyID,
				f.PitID, f.TableID, f.ShoeID, f.Round, f.Seat, f.Subject, f.DealerID, now, f.Shift, f.Expected, f.Observed, f.Amount, f.Currency, f.Evidence, f.Rulebook, f.Engine)
		} else {
			b.Findings = append(b.Findings, f)
		}
		found = append(found, f)
		e := &b.Events
		e.PropertyID, e.PitID, e.TableID, e.Seq = append(e.PropertyID, "h"), append(e.PitID, p), append(e.TableID, f.TableID), append(e.Seq, uint64(i+1))
		e.EventID.AppendString(p)
		e.At, e.GamingDay, e.ShoeID, e.Round = append(e.At, now.UnixNano()), append(e.GamingDay, ""), append(e.ShoeID, f.ShoeID), append(e.Round, f.Round)
		e.Kind, e.Format, e.Partition, e.Offset = append(e.Kind, p), append(e.Format, schema.JSON), append(e.Partition, 0), append(e.Offset, int64(i))
		e.Raw.AppendString(p)
		e.SHA256.AppendString(strings.Repeat("x", 32))
	}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for i, p := range all {
		id := fmt.Sprintf("%032x", i+1)
		if _, err := s.Apply(t.Context(), store.Scope{All: true}, store.Triage{IDs: []string{id}, Actor: p, Action: store.Note, Note: p, Reason: p}); err != nil {
			t.Fatal(err)
		}
		if i > 5 {
			continue
		}
		if _, err := s.Apply(t.Context(), store.Scope{All: true}, store.Triage{IDs: []string{id}, Actor: p, Action: store.Assign, Owner: p}); err != nil {
			t.Fatal(err)
		}
		at := time.Now()
		for _, err := range []error{
			s.WriteSilence(t.Context(), store.Silence{PropertyID: "h", ID: p, Rule: p, TableID: p, Reason: p, Actor: p, At: at, Until: at.Add(time.Hour)}),
			s.HandOver(t.Context(), store.Handover{PropertyID: "h", At: at, GamingDay: at, Shift: p, Actor: p, Note: p}),
			s.Log(t.Context(), store.Entry{PropertyID: "h", At: at, Actor: p, Role: p, Action: p, Object: p, Detail: p, Remote: p}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return found
}

// Whatever comes from outside is text: on no page does a script of it run, or does the browser refuse one.
func TestNoScriptOfOthersRuns(t *testing.T) {
	s := emptyStore(t)
	all := payloads()
	if len(all) < 100 {
		t.Fatalf("%d payloads", len(all))
	}
	findings := hostile(t, s, all)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1280, 800)
	b.signIn(all[1], "auditor")
	pages := []string{
		"/queue?limit=1000", "/queue?group=off&limit=1000", "/queue?state=closed", "/queue?shelved=1", "/floor", "/floor?wall=1", "/dealers", "/shelves", "/handover", "/rates", "/rules", "/log", "/exports", "/help",
		"/shoes/h/" + esc(all[0]) + "/" + esc(all[0]), "/tables/h/" + esc(all[0]), "/dealers/h/" + esc(all[3]), "/patrons/h/" + esc(all[5]),
	}
	for _, p := range all {
		pages = append(pages, "/queue?q="+query(p), "/log?actor="+query(p))
	}
	for i, f := range findings {
		if i < 6 || i%9 == 0 {
			pages = append(pages, "/findings/"+f.ID, "/findings/"+f.ID+"/events")
		}
	}
	for _, p := range pages {
		c.resetLimits()
		b.do(chromedp.Navigate(c.url + p))
		if eval[bool](b, "window.ran !== undefined || location.host != "+fmt.Sprintf("%q", strings.TrimPrefix(c.url, "http://"))) {
			t.Errorf("a script ran on %s", p)
		}
		if eval[int](b, "document.querySelectorAll('main').length") == 0 && !strings.Contains(p, "%00") {
			t.Errorf("%s is no page: %s", p, eval[string](b, "document.body.innerText.slice(0,200)"))
		}
	}
	c.reports.mu.Lock()
	defer c.reports.mu.Unlock()
	if c.reports.n > 0 {
		t.Errorf("%d reports of the policy: %v", c.reports.n, c.reports.last)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		if !strings.Contains(m, "404") && !strings.Contains(m, "400") {
			t.Error("the browser said ", m)
		}
	}
}

// Every page as each role: it reads without script, on a narrow screen nothing lies beyond the edge, and
// axe finds nothing serious.
func TestEveryPage(t *testing.T) {
	s := emptyStore(t)
	fill(t, s, "ac-1", 12, 2)
	c := serve(t, s, nil)
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{})
	if err != nil || len(open) == 0 {
		t.Fatalf("%d open, %v", len(open), err)
	}
	var f store.OpenFinding
	for _, o := range open {
		if o.Round > 0 && (f.ID == "" || o.Seat > 0) {
			f = o
		}
	}
	wagers, err := s.Wagers(t.Context(), store.Scope{All: true}, store.Location{Property: f.PropertyID, Table: f.TableID})
	if err != nil || len(wagers) == 0 {
		t.Fatalf("%d wagers, %v", len(wagers), err)
	}
	pages := []string{
		"/queue", "/queue?group=off", "/queue?state=closed", "/findings/" + f.ID, "/floor", "/floor?wall=1", "/tables/ac-1/" + f.TableID, "/shoes/ac-1/" + f.TableID + "/" + f.ShoeID, "/dealers",
		"/dealers/ac-1/" + f.DealerID, "/patrons/ac-1/" + wagers[0].Patron, "/shelves", "/handover", "/rates", "/rules", "/help", "/nonsense", "/log", "/exports", "/findings/" + f.ID + "/events",
	}
	axe := axeSource(t)
	for _, role := range Roles() {
		t.Run(role, func(t *testing.T) {
			b := openBrowser(t, c.url, 1440, 900)
			b.signIn("", role)
			for _, light := range []bool{false, true} {
				if light && role != "supervisor" {
					continue
				}
				if light {
					b.click("footer button[value=light]")
					b.await("document.documentElement.dataset.theme == 'light'")
				}
				for _, p := range pages {
					c.resetLimits()
					b.open(p)
					if axe == "" {
						continue
					}
					b.do(chromedp.Evaluate[chromedp.Void](axe))
					faults, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`axe.run(document, {runOnly: ["wcag2a","wcag2aa","wcag21a","wcag21aa","wcag22aa","best-practice"]}).then(r => r.violations
						.filter(v => v.impact == "serious" || v.impact == "critical").map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join(" | ")))`, chromedp.EvalAwaitPromise))
					if err != nil {
						t.Fatal(err)
					}
					for _, fault := range faults {
						t.Errorf("%s (light %v): %s", p, light, fault)
					}
				}
			}
			if role == "supervisor" {
				b.open("/queue")
				b.screenshot("light")
			}
			b.do(chromedp.EmulateViewport(390, 844))
			for _, p := range pages {
				c.resetLimits()
				b.open(p)
				if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > 392 {
					t.Errorf("%s is %d wide on a screen of 390: %s", p, wide, eval[string](b, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > 392 && !e.closest(".scroll")).slice(0, 3).map(e => e.outerHTML.slice(0, 90)).join(" ")`))
				}
				if role == "operator" && strings.HasPrefix(p, "/queue") || strings.HasPrefix(p, "/findings") {
					b.screenshot("narrow" + strings.ReplaceAll(strings.ReplaceAll(p, "/", "-"), "?", "-"))
				}
			}
		})
	}
	for _, role := range Roles() {
		t.Run("without script "+role, func(t *testing.T) {
			b := openBrowser(t, c.url, 1440, 900)
			if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
				t.Fatal(err)
			}
			b.signIn("nora", role)
			for _, p := range pages {
				c.resetLimits()
				b.open(p)
				text, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS("#main")))
				if err != nil || len(strings.TrimSpace(text)) < 20 {
					t.Errorf("%s reads %q, %v", p, text, err)
				}
			}
			if role != "operator" {
				return
			}
			b.open("/findings/" + f.ID)
			b.click("button[value=acknowledge]")
			b.do(chromedp.WaitVisible(chromedp.CSS(".head .state-acknowledged")))
		})
	}
}
