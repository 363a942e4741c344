package console

import (
	"encoding/csv"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
)

// logParameters select lines of the console log, on its page and in the API.
const logParameters = "actor action object property since until after"

// entries returns the page of the console log that parameters select, and the cursor of the next one.
func (x *exchange) entries(v url.Values) (lines []store.Entry, next string, err error) {
	q := store.EntryQuery{
		Property: v.Get("property"), Actor: v.Get("actor"), Action: v.Get("action"), Object: v.Get("object"),
	}
	if q.Limit, err = limitOf(v); err != nil {
		return nil, "", err
	}
	if err := x.period(v, &q.Since, &q.Until); err != nil {
		return nil, "", err
	}
	if text := v.Get("after"); text != "" {
		parts := strings.Split(text, ".")
		if len(parts) != 3 {
			return nil, "", badRequest("after %q: want the value next of the page before", text)
		}
		at, err := strconv.ParseInt(parts[0], 10, 64)
		link, bad := strconv.ParseUint(parts[2], 10, 64)
		if err != nil || bad != nil {
			return nil, "", badRequest("after %q: want the value next of the page before", text)
		}
		q.After = store.Entry{At: time.UnixMicro(at), Link: store.Link{Chain: parts[1], Link: link}}
	}
	scope := x.scope()
	scope.Properties = append(slices.Clone(scope.Properties), "") // entries without a property, such as a sign-in
	lines, err = x.c.Store.Entries(x.r.Context(), scope, q)
	if n := len(lines); n > 0 && n == store.LimitOf(q.Limit) {
		l := &lines[n-1]
		next = strconv.FormatInt(l.At.UnixMicro(), 10) + "." + l.Chain + "." + strconv.FormatUint(l.Link.Link, 10)
	}
	return lines, next, err
}

// period parses the parameters since and until: a day in the zone of the calendar, or a time.
func (x *exchange) period(v url.Values, since, until *time.Time) error {
	for _, p := range []struct {
		name string
		into *time.Time
	}{{"since", since}, {"until", until}} {
		text := v.Get(p.name)
		if text == "" {
			continue
		}
		t, err := time.ParseInLocation(time.DateOnly, text, x.c.Law.Calendar.Zone)
		if err != nil {
			if t, err = time.Parse(time.RFC3339, text); err != nil {
				return badRequest(
					"%s %q: want a day such as 2026-11-19 or a time such as 2026-11-19T23:00:00Z", p.name, text,
				)
			}
		}
		*p.into = t
	}
	return nil
}

func logPage(_ *Console, x *exchange) error {
	entries, next, err := x.entries(x.r.URL.Query())
	if err != nil {
		return err
	}
	v := x.r.URL.Query()
	first := v.Get("after") != ""
	if next != "" {
		v.Set("after", next)
		next = "/log?" + v.Encode()
	}
	query := x.r.URL.Query()
	all := maps.Clone(query)
	all.Del("after")
	all.Del("limit")
	lines, unread := x.c.about(x, entries)
	return x.page("log", "Console log", map[string]any{
		"Lines": lines, "Unread": unread, "Query": query, "Next": next, "Later": first, "CSV": "/log.csv?" + all.Encode(),
	})
}

// logCSV exports the latest 20,000 lines that the parameters select. The export is logged first.
func logCSV(_ *Console, x *exchange) error {
	const perPage, maxPages = "1000", 20
	v := x.r.URL.Query()
	if of := v.Get("property"); of != "" && !x.scope().Has(of) {
		return store.ErrNotFound
	}
	v.Set("limit", perPage)
	if err := x.mustLog(v.Get("property"), "export", "log.csv", x.r.URL.RawQuery); err != nil {
		return err
	}
	var lines []store.Entry
	for range maxPages {
		some, next, err := x.entries(v)
		if err != nil {
			return err
		}
		lines = append(lines, some...)
		if next == "" {
			break
		}
		v.Set("after", next)
	}
	x.attach("log.csv", "text/csv; charset=utf-8")
	out := csv.NewWriter(x.w)
	_ = out.Write([]string{
		"at", "actor", "issuer", "subject", "role", "action", "object", "property_id", "detail", "remote", "chain",
		"link", "hash",
	})
	for i := range lines {
		e := &lines[i]
		row := []string{
			e.At.UTC().Format(time.RFC3339Nano), e.Actor, e.Issuer, e.Subject, e.Role, e.Action, e.Object, e.PropertyID,
			e.Detail, e.Remote, e.Chain, strconv.FormatUint(e.Link.Link, 10), e.Hash,
		}
		for i := range row {
			row[i] = schema.Cell(row[i])
		}
		_ = out.Write(row)
	}
	out.Flush()
	return nil
}

func apiLog(_ *Console, x *exchange) error {
	entries, next, err := x.entries(x.r.URL.Query())
	return x.pageOf(page{name: "log", rows: entries, next: next}, err)
}
