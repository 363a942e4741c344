package console

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/stats"
)

// plain converts rows to JSON values: an object of the columns by name, times in UTC, money in minor units.
func plain(v any) any { return plainOf(reflect.ValueOf(v)) }

func plainOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plainOf(v.Elem())
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plainOf(v.Index(i))
		}
		return out
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[time.Time](v); ok {
			return t.UTC().Format(time.RFC3339Nano)
		}
		out := map[string]any{}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch tag := f.Tag.Get("ch"); {
			case f.Anonymous:
				if inner, ok := plainOf(v.Field(i)).(map[string]any); ok {
					maps.Copy(out, inner)
				}
			case tag == "gaming_day":
				day, _ := reflect.TypeAssert[time.Time](v.Field(i))
				out[tag] = store.Day(day)
			case tag != "" && tag != "raw":
				out[tag] = plainOf(v.Field(i))
			}
		}
		return out
	}
	return v.Interface()
}

// page is a page of a list, with the cursor of the next one.
type page struct {
	name string
	rows any
	// next is the parameter after of the next page, empty at the end.
	next string
}

func (x *exchange) pageOf(p page, err error) error {
	if err != nil {
		return err
	}
	return x.json(map[string]any{p.name: plain(p.rows), "next": p.next})
}

func apiQueue(c *Console, x *exchange) error {
	f, grouped, err := x.filter()
	if err != nil {
		return err
	}
	full := func(n int) bool { return n > 0 && n == store.LimitOf(f.Limit) }
	if grouped {
		rows, err := c.Store.Groups(x.r.Context(), x.scope(), f)
		p := page{name: "groups", rows: rows}
		if n := len(rows); full(n) {
			p.next = rows[n-1].Place().String()
		}
		return x.pageOf(p, err)
	}
	rows, err := c.Store.Open(x.r.Context(), x.scope(), f)
	p := page{name: "findings", rows: rows}
	if n := len(rows); full(n) {
		p.next = rows[n-1].PlaceOf().String()
	}
	return x.pageOf(p, err)
}

func apiFindings(c *Console, x *exchange) error {
	v := x.r.URL.Query()
	q := store.FindingQuery{
		Property: v.Get("property"), Table: v.Get("table"), Shoe: v.Get("shoe"), Dealer: v.Get("dealer"),
		Rule: v.Get("rule"),
	}
	var err error
	if q.Limit, err = limitOf(v); err != nil {
		return err
	}
	if err = x.period(v, &q.Since, &q.Until); err != nil {
		return err
	}
	if text := v.Get("after"); text != "" {
		ns, id, ok := strings.Cut(text, ".")
		at, err := strconv.ParseInt(ns, 10, 64)
		if !ok || err != nil {
			return badRequest("after %q: want the value next of the page before", text)
		}
		q.After, q.AfterID = time.Unix(0, at), id
	}
	rows, err := c.Store.Findings(x.r.Context(), x.scope(), q)
	p := page{name: "findings", rows: rows}
	if n := len(rows); n > 0 && n == store.LimitOf(q.Limit) {
		p.next = strconv.FormatInt(rows[n-1].At.UnixNano(), 10) + "." + rows[n-1].ID
	}
	return x.pageOf(p, err)
}

// limitOf parses the parameter limit; 0 without one.
func limitOf(v url.Values) (int, error) {
	if text := v.Get("limit"); text != "" {
		return parseLimit(text)
	}
	return 0, nil
}

func parseLimit(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1000 {
		return 0, badRequest("limit %q: want 1 to 1000", text)
	}
	return n, nil
}

func apiFinding(c *Console, x *exchange) error {
	ev, err := c.sharedEvidence(x)
	if err != nil {
		return err
	}
	return x.json(map[string]any{
		"finding": plain(ev.Finding), "requires": ev.Doc, "round": plain(ev.Round), "steps": plain(ev.Actions),
		"events": eventRows(ev.Events), "video": ev.Video.position(),
	})
}

func eventRows(shown []shownEvent) []map[string]any {
	rows := make([]map[string]any, len(shown))
	for i, e := range shown {
		rows[i] = map[string]any{
			"seq": e.Seq, "at": e.At.UTC().Format(time.RFC3339Nano), "kind": e.Kind, "event_id": e.EventID,
			"sha256": e.Hash, "hash_holds": e.HashMatches, "partition": e.Partition, "offset": e.Offset, "bytes": e.Bytes,
			"named": e.Cited, "video": e.Clip.position(),
		}
	}
	return rows
}

// body decodes the body of a request of the API. A field that it does not have is refused.
func body[T any](x *exchange, example string) (v T, err error) {
	dec := json.NewDecoder(x.r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return v, badRequest("the body is too long")
		}
		return v, badRequest("the body is malformed: want an object such as %s", example)
	}
	return v, nil
}

func apiTriage(c *Console, x *exchange) error {
	type step struct {
		Step        string `json:"step"`
		Owner       string `json:"owner"`
		Disposition string `json:"disposition"`
		Reason      string `json:"reason"`
		Note        string `json:"note"`
	}
	p, err := body[step](x, `{"step":"acknowledge"}`)
	if err != nil {
		return err
	}
	out, err := c.apply(x, store.Triage{
		IDs: []string{x.r.PathValue("id")}, Action: p.Step, Owner: p.Owner, Disposition: p.Disposition,
		Reason: p.Reason, Note: p.Note,
	})
	if err != nil {
		return err
	}
	return x.json(map[string]any{"finding": plain(out.Rows[0])})
}

func apiFloor(c *Console, x *exchange) error {
	tiles, err := c.floor(x, store.Location{Property: x.r.FormValue("property")})
	if err != nil {
		return err
	}
	all := c.tiles(tiles)
	out := make([]any, len(all))
	for i := range all {
		row, _ := plain(all[i].Tile).(map[string]any)
		row["feed"] = all[i].Feed
		out[i] = row
	}
	return x.json(map[string]any{"tables": out})
}

// location is the location that the path names.
func (x *exchange) location() store.Location {
	return store.Location{
		Property: x.r.PathValue("property"), Table: x.r.PathValue("table"), Shoe: x.r.PathValue("shoe"),
	}
}

func apiShoe(c *Console, x *exchange) error {
	ctx, scope, at := x.r.Context(), x.scope(), x.location()
	var rounds []store.Round
	var shoes []store.Shoe
	var ledger []store.Vigorish
	var all errgroup.Group
	fetch(&all, &rounds, func() ([]store.Round, error) { return c.Store.Rounds(ctx, scope, at) })
	fetch(&all, &shoes, func() ([]store.Shoe, error) { return c.Store.Shoes(ctx, scope, at) })
	fetch(&all, &ledger, func() ([]store.Vigorish, error) { return c.Store.Ledger(ctx, scope, at) })
	if err := all.Wait(); err != nil {
		return err
	}
	if len(rounds) == 0 && len(shoes) == 0 {
		return errNoPage
	}
	out := map[string]any{"rounds": plain(rounds), "vigorish": plain(ledger), "shoe": nil}
	if len(shoes) > 0 {
		out["shoe"] = plain(shoes[0])
	}
	return x.json(out)
}

func apiReplay(c *Console, x *exchange) error {
	r, err := c.replay(x, x.location())
	if err != nil {
		return err
	}
	x.log(r.Shoe.Property, replayedShoe, r.Shoe.Table+"/"+r.Shoe.Shoe, "")
	return x.json(map[string]any{
		"equal": r.Equal(), "whole": r.Complete, "events": r.Events, "same": r.Same, "only_replay": r.OnlyReplay,
		"only_stored": plain(r.OnlyStored), "engine": r.Engine,
	})
}

func apiDealers(c *Console, x *exchange) error {
	_, days, err := x.since(30)
	if err != nil {
		return err
	}
	tallies, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	out := []DealerRate{}
	for _, t := range tallies.all {
		low, high := stats.Wilson(t.Findings, t.Rounds)
		property, dealer, _ := strings.Cut(t.Name, "/")
		if want := x.r.FormValue("property"); want != "" && want != property {
			continue
		}
		out = append(out, DealerRate{property, dealer, t.Findings, t.Rounds, low, high, t.Rounds < stats.MinRounds})
	}
	return x.json(map[string]any{"at": tallies.at.UTC().Format(time.RFC3339Nano), "dealers": plain(out)})
}

// DealerRate is a dealer of the API, with the 95 % interval of the rate of findings.
type DealerRate struct {
	Property string  `ch:"property_id"`
	Dealer   string  `ch:"dealer_id"`
	Findings uint64  `ch:"findings"`
	Rounds   uint64  `ch:"rounds"`
	Low      float64 `ch:"low"`
	High     float64 `ch:"high"`
	TooFew   bool    `ch:"too_few_rounds"`
}

func apiRounds(c *Console, x *exchange) error {
	v := x.r.URL.Query()
	q := store.RoundQuery{Property: v.Get("property"), Table: v.Get("table"), Dealer: v.Get("dealer")}
	var err error
	if q.Limit, err = limitOf(v); err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		into *uint32
	}{{"round", &q.Round}, {"seat", &q.Seat}} {
		if text := v.Get(p.name); text != "" {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil || n == 0 {
				return badRequest("%s %q: want a number such as 6", p.name, text)
			}
			*p.into = uint32(n)
		}
	}
	for _, p := range []struct {
		name string
		into *int64
	}{{"min", &q.MinStake}, {"max", &q.MaxStake}} {
		if text := v.Get(p.name); text != "" {
			if *p.into, err = strconv.ParseInt(text, 10, 64); err != nil || *p.into <= 0 {
				return badRequest("%s %q: want an amount in minor units such as 500000", p.name, text)
			}
		}
	}
	if err := x.period(v, &q.Since, &q.Until); err != nil {
		return err
	}
	const day = 24 * time.Hour
	switch {
	case q.Since.IsZero() && q.Until.IsZero():
		q.Until = c.Now().Add(time.Minute)
		q.Since = q.Until.Add(-day)
	case q.Since.IsZero():
		q.Since = q.Until.Add(-day)
	case q.Until.IsZero():
		q.Until = q.Since.Add(day)
	}
	if text := v.Get("after"); text != "" {
		if q.After, err = roundOf(text); err != nil {
			return err
		}
	}
	rows, err := c.Store.FindRounds(x.r.Context(), x.scope(), q)
	p := page{name: "rounds", rows: rows}
	if n := len(rows); n > 0 && n == store.LimitOf(q.Limit) {
		last := &rows[n-1]
		p.next = strconv.FormatInt(last.At.UnixNano(), 10) + pathOf(last.PropertyID, last.TableID, last.ShoeID,
			strconv.FormatUint(uint64(last.Round), 10))
	}
	return x.pageOf(p, err)
}

// roundOf parses a cursor of rounds: the time, the property, the table, the shoe and the number of the last one.
func roundOf(cursor string) (r store.Round, err error) {
	parts := strings.Split(cursor, "/")
	if len(parts) == 5 {
		at, bad := strconv.ParseInt(parts[0], 10, 64)
		property, wrong := url.PathUnescape(parts[1])
		table, faulty := url.PathUnescape(parts[2])
		shoe, broken := url.PathUnescape(parts[3])
		n, off := strconv.ParseUint(parts[4], 10, 32)
		if errors.Join(bad, wrong, faulty, broken, off) == nil {
			return store.Round{
				At: time.Unix(0, at), PropertyID: property, TableID: table, ShoeID: shoe, Round: uint32(n),
			}, nil
		}
	}
	return r, badRequest("after %q: want the value next of the page before", cursor)
}

func apiPatron(c *Console, x *exchange) error {
	p, err := c.patron(x)
	if err != nil {
		return err
	}
	return x.json(map[string]any{
		"play": plain(p.Play), "wagers": plain(p.Wagers), "findings": plain(p.Findings), "currency": p.Currency,
	})
}

func apiSilences(c *Console, x *exchange) error {
	scope, property := x.scope(), x.r.FormValue("property")
	rows, err := c.Store.Silences(x.r.Context(), scope)
	rows = slices.DeleteFunc(rows, func(s store.Silence) bool { return property != "" && s.PropertyID != property })
	return x.pageOf(page{name: "silences", rows: rows}, err)
}

func apiSilence(c *Console, x *exchange) error {
	r, err := body[silenceRequest](x, `{"property":"ac-1","rule":"feed.gap","reason":"maintenance","hours":2}`)
	if err != nil {
		return err
	}
	s, err := c.silence(x, &r)
	if err != nil {
		return err
	}
	return x.json(map[string]any{"silence": plain(s)})
}

func apiLift(c *Console, x *exchange) error {
	s, err := c.lift(x, x.r.PathValue("id"))
	if err != nil {
		return err
	}
	return x.json(map[string]any{"silence": plain(s)})
}
