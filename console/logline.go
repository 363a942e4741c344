package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Actions of the console log whose object is no finding.
const (
	viewedPatron     = "view-patron" // the object is the code of the patron
	unmasked         = "unmask"      // a finding or a round, or without a property the codes of patrons
	replayedShoe     = "replay"      // a table and a shoe
	endedSession     = "end-session"
	acceptedHandover = "hand-over-accept"

	tooManySessions = "the account has the maximum of sessions" // the detail of an ended session
)

// logLine is a line of the console log with what it is about, as people name it.
type logLine struct {
	store.Entry
	// Name is of an object that is no finding. URL is empty if the user has no page of it.
	Name, URL string
	Findings  []string      // ids
	Finding   store.Finding // the first of them that is stored
	// Text is the detail without what the fields above have, and with the beginning of a digest.
	Text string

	of string // the id of a case or a hand-over
}

// More is the number of findings without a name on the page.
func (l logLine) More() int { return len(l.Findings) - 1 }

// namesWithin is how long the page of the log waits for the names of objects. Without them it has ids.
const namesWithin = 3 * time.Second

// about returns lines of the log with what they are about. unread reports that names could not be read.
func (c *Console) about(x *exchange, entries []store.Entry) (lines []logLine, unread bool) {
	lines = make([]logLine, len(entries))
	var findings, cases []string
	accepted := false
	for i := range entries {
		l := &lines[i]
		l.Entry = entries[i]
		l.Text = l.Detail
		l.identify(x)
		l.Text = digest.ReplaceAllString(l.Text, "$1…")
		findings = append(findings, l.Findings...)
		switch {
		case l.Action == acceptedHandover:
			accepted = true
		case l.of != "":
			cases = append(cases, l.of)
		}
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), namesWithin)
	defer cancel()
	var found []store.Finding
	var titles, shifts map[string]string
	var all errgroup.Group
	fetch(&all, &found, func() ([]store.Finding, error) {
		slices.Sort(findings)
		return c.Store.FindingsByID(ctx, x.scope(), slices.Compact(findings))
	})
	fetch(&all, &titles, func() (map[string]string, error) {
		return c.Store.CaseTitles(ctx, x.user.Scope(permReadCases), cases)
	})
	if accepted {
		fetch(&all, &shifts, func() (map[string]string, error) { return c.shiftsHandedOver(ctx, x.scope()) })
	}
	err := all.Wait()
	if err != nil {
		c.Log.Warn("the console log is shown without the names of its objects", "error", err)
	}
	for i := range lines {
		lines[i].name(found, titles, shifts)
	}
	return lines, err != nil
}

// shiftsHandedOver are the gaming days and shifts of the latest hand-overs by id.
func (c *Console) shiftsHandedOver(ctx context.Context, scope store.Scope) (map[string]string, error) {
	all, err := c.Store.Handovers(ctx, scope)
	of := map[string]string{}
	for i := range all {
		of[all[i].ID] = strings.TrimSpace(store.Day(all[i].GamingDay) + " " + all[i].Shift)
	}
	return of, err
}

// isCode reports whether a text has the form of the id of a finding and of the code of a patron.
func isCode(text string) bool {
	const length = 32
	return len(text) == length && strings.Trim(text, "0123456789abcdef") == ""
}

var (
	findingOfStep = regexp.MustCompile(`: finding ([0-9a-f]{32})\b`)
	digest        = regexp.MustCompile(`\b([0-9a-f]{12})[0-9a-f]{52}\b`)
	dayOfRun      = regexp.MustCompile(`: gaming day (\d{4}-\d\d-\d\d)`)
)

// identify sets what can be told without the store.
func (l *logLine) identify(x *exchange) {
	id, isCase := strings.CutPrefix(l.Object, "case ")
	switch {
	case l.Action == viewedPatron, l.Action == unmasked && l.PropertyID == "":
		l.patrons()
	case strings.HasPrefix(l.Action, rows.CaseAction):
		l.of = l.Object
		if part := findingOfStep.FindStringSubmatch(l.Detail); part != nil {
			l.Findings, l.Text = part[1:], strings.Replace(l.Detail, part[0], "", 1)
		}
	case l.Action == "download" && isCase:
		l.of = id
	case l.Action == acceptedHandover:
		l.of, l.URL = l.Object, pathOf("handovers", l.PropertyID, l.Object)
	case l.Action == kioskIssue:
		l.kiosk(x)
	case l.Action == kioskRevoke, l.Action == kioskEnrol:
		l.Name, l.Text = "kiosk "+l.Detail, ""
	case l.Action == endedSession && l.Detail == tooManySessions:
		l.Name = "session of " + l.Actor
	case l.Action == endedSession:
		l.Name, l.Text = "session of "+l.Detail, ""
	case l.Action == replayedShoe && strings.Count(l.Object, "/") == 1:
		table, shoe, _ := strings.Cut(l.Object, "/")
		l.Name, l.URL = "shoe "+shoe, pathOf("shoes", l.PropertyID, table, shoe)
	case l.Action == rows.RunAction:
		l.Name = "audit run"
		if day := dayOfRun.FindStringSubmatch(l.Detail); day != nil && x.user.Scope(permExport).Has(l.PropertyID) {
			l.URL = "/day?" + url.Values{"property": {l.PropertyID}, "day": {day[1]}}.Encode()
		}
	case l.Action == rows.GenesisAction:
		l.Name, l.Text = "this log", genesisText(l.Detail)
	case l.Action == rows.HeadsAction:
		l.Name, l.Text = "journal", headsText(l.Detail)
	case strings.HasPrefix(l.Object, "/rounds/"):
		l.round()
	default:
		if slices.Contains(store.Dispositions(), l.Detail) {
			l.Text = words(l.Detail)
		}
		if ids := strings.Fields(l.Object); !slices.ContainsFunc(ids, func(id string) bool { return !isCode(id) }) {
			l.Findings = ids
		}
	}
}

// patrons names the patrons whose codes the line has.
func (l *logLine) patrons() {
	codes := strings.Fields(l.Object)
	if len(codes) == 1 && l.PropertyID != "" {
		l.URL = pathOf("patrons", l.PropertyID, codes[0])
	}
	for i := range codes {
		codes[i] = short(codes[i])
	}
	l.Name = "patron " + strings.Join(codes, ", ")
}

// kiosk names the screen that a grant is for, and says what its JSON does.
func (l *logLine) kiosk(x *exchange) {
	var k kiosk
	if json.Unmarshal([]byte(l.Detail), &k) != nil {
		return
	}
	l.Name = "kiosk " + k.Name
	l.Text = fmt.Sprintf("until %s, key of SHA-256 %s", x.c.timecode(k.Expires), k.SHA256)
	if k.From.IsValid() {
		l.Text = fmt.Sprintf("from %v, %s", k.From, l.Text)
	}
}

// genesisText is what the first link of a chain follows. A text of another release stays as it is.
func genesisText(detail string) string {
	var g rows.Genesis
	switch {
	case json.Unmarshal([]byte(detail), &g) != nil:
		return detail
	case g.Before != nil && g.Before.Steps+g.Before.Log > 0:
		return fmt.Sprintf("after %s and %s without a chain", schema.Count(g.Before.Steps, "action"),
			schema.Count(g.Before.Log, "line"))
	case len(g.Follows) == 0:
		return "the first chain"
	}
	ends := make([]string, len(g.Follows))
	for i, h := range g.Follows {
		ends[i] = fmt.Sprintf("link %d of chain %s", h.Link, h.Chain)
	}
	return "after " + someOf(ends)
}

// headsText is the journal as a run found it. A text of another release stays as it is.
func headsText(detail string) string {
	var heads []clickhouse.LoggedHead
	if json.Unmarshal([]byte(detail), &heads) != nil {
		return detail
	}
	if len(heads) == 0 {
		return "no records"
	}
	each := make([]string, len(heads))
	for i := range heads {
		h := &heads[i]
		each[i] = fmt.Sprintf("%s/%d to offset %d", h.Topic, h.Partition, h.To)
		if h.Signed != nil {
			each[i] += fmt.Sprintf(", HMACs from offset %d", *h.Signed)
		}
		for _, lost := range h.Lost {
			each[i] += fmt.Sprintf(", lost %d-%d", lost.From, lost.To)
		}
	}
	return someOf(each)
}

// someOf lists the first three texts and the number of the others.
func someOf(all []string) string {
	const shown = 3
	if n := len(all) - shown; n > 0 {
		all = append(slices.Clone(all[:shown]), fmt.Sprintf("and %d more", n))
	}
	return strings.Join(all, "; ")
}

// round names the round whose page the object is.
func (l *logLine) round() {
	parts := strings.Split(strings.TrimPrefix(l.Object, "/rounds/"), "/")
	if len(parts) != 4 {
		return
	}
	for i := range parts {
		if plain, err := url.PathUnescape(parts[i]); err == nil {
			parts[i] = plain
		}
	}
	l.Name, l.URL = fmt.Sprintf("round %s of shoe %s", parts[3], parts[2]), l.Object
}

// name sets what the store has of the object.
func (l *logLine) name(found []store.Finding, titles, shifts map[string]string) {
	for _, id := range l.Findings {
		if i := slices.IndexFunc(found, func(f store.Finding) bool { return f.ID == id }); i >= 0 {
			l.Finding = found[i]
			break
		}
	}
	switch {
	case l.of == "":
	case l.Action == acceptedHandover:
		l.Name = strings.TrimSpace("hand-over " + shifts[l.of])
	case titles[l.of] != "":
		l.Name, l.URL = titles[l.of], pathOf("cases", l.PropertyID, l.of)
	default:
		l.Name = "case " + l.of
	}
}
