package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/stats"
)

// plain is a row as JSON: columns by their names, times in UTC, hashes and money as they are.
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

func apiQueue(c *Console, x *exchange) error {
	f, grouped, err := x.filterOf()
	if err != nil {
		return err
	}
	if !grouped {
		rows, err := c.Store.Open(x.r.Context(), x.scope(), f)
		if err != nil {
			return err
		}
		return x.json(map[string]any{"findings": plain(rows)})
	}
	rows, err := c.Store.Groups(x.r.Context(), x.scope(), f)
	if err != nil {
		return err
	}
	return x.json(map[string]any{"groups": plain(rows)})
}

func apiFindings(c *Console, x *exchange) error {
	q := x.r.URL.Query()
	w := store.Where{Property: q.Get("property"), Table: q.Get("table"), Shoe: q.Get("shoe"), Dealer: q.Get("dealer"), Rule: q.Get("rule")}
	if n := q.Get("limit"); n != "" {
		var err error
		if w.Limit, err = strconv.Atoi(n); err != nil || w.Limit < 1 || w.Limit > 1000 {
			return badRequest("limit %q, want 1 to 1000", n)
		}
	}
	for name, into := range map[string]*time.Time{"since": &w.Since, "until": &w.Until} {
		if s := q.Get(name); s != "" {
			t, err := time.Parse(time.RFC3339, s)
			if err != nil {
				return badRequest("%s %q, want a time such as 2026-11-19T23:00:00Z", name, s)
			}
			*into = t
		}
	}
	rows, err := c.Store.Findings(x.r.Context(), x.scope(), w)
	if err != nil {
		return err
	}
	return x.json(map[string]any{"findings": plain(rows)})
}

func apiFinding(c *Console, x *exchange) error {
	ev, err := c.evidence(x, x.r.PathValue("id"))
	if err != nil {
		return err
	}
	events := make([]map[string]any, len(ev.Events))
	for i, e := range ev.Events {
		events[i] = map[string]any{
			"seq": e.Seq, "at": e.At.UTC().Format(time.RFC3339Nano), "kind": e.Kind, "event_id": e.EventID, "sha256": e.Hash, "hash_holds": e.HashGood,
			"partition": e.Partition, "offset": e.Offset, "bytes": e.Bytes, "named": e.Named,
		}
	}
	return x.json(map[string]any{"finding": plain(ev.Finding), "demands": ev.Doc, "round": plain(ev.Round), "steps": plain(ev.Actions), "events": events})
}

func apiStep(c *Console, x *exchange) error {
	var p struct {
		Step        string `json:"step"`
		Owner       string `json:"owner"`
		Disposition string `json:"disposition"`
		Reason      string `json:"reason"`
		Note        string `json:"note"`
	}
	dec := json.NewDecoder(x.r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return badRequest("the body is too long")
		}
		return badRequest("the body is no step: want {\"step\":\"acknowledge\"}")
	}
	rows, err := c.take(x, store.Step{
		IDs: []string{x.r.PathValue("id")}, What: p.Step, Owner: p.Owner, Disposition: p.Disposition, Reason: p.Reason, Note: p.Note,
	})
	if err != nil {
		return err
	}
	return x.json(map[string]any{"finding": plain(rows[0])})
}

func apiFloor(c *Console, x *exchange) error {
	tiles, err := c.Store.Floor(x.r.Context(), x.scope(), store.Place{Property: x.r.FormValue("property")})
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

func placeOf(x *exchange) store.Place {
	return store.Place{Property: x.r.PathValue("property"), Table: x.r.PathValue("table"), Shoe: x.r.PathValue("shoe")}
}

func apiShoe(c *Console, x *exchange) error {
	ctx, scope, p := x.r.Context(), x.scope(), placeOf(x)
	rounds, err := c.Store.Rounds(ctx, scope, p)
	if err != nil {
		return err
	}
	shoes, err := c.Store.Shoes(ctx, scope, p)
	if err != nil {
		return err
	}
	if len(rounds) == 0 && len(shoes) == 0 {
		return errNoPage
	}
	ledger, err := c.Store.Ledger(ctx, scope, p)
	if err != nil {
		return err
	}
	out := map[string]any{"rounds": plain(rounds), "vigorish": plain(ledger), "shoe": nil}
	if len(shoes) > 0 {
		out["shoe"] = plain(shoes[0])
	}
	return x.json(out)
}

func apiReplay(c *Console, x *exchange) error {
	if !c.limits.allow("replay "+x.who.Name, 20, time.Minute) {
		return errTooMany
	}
	r, err := c.replay(x, placeOf(x))
	if err != nil {
		return err
	}
	x.log(r.Place.Property, "replay", r.Place.Table+"/"+r.Place.Shoe, "")
	return x.json(map[string]any{
		"equal": r.Equal(), "whole": r.Whole, "events": r.Events, "same": r.Same, "only_replay": r.OnlyReplay, "only_stored": plain(r.OnlyStored), "engine": r.Engine,
	})
}

func apiDealers(c *Console, x *exchange) error {
	_, days := x.since(30)
	rows, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	out := []map[string]any{}
	for _, t := range rows.all {
		low, high := stats.Wilson(t.Findings, t.Rounds)
		property, dealer, _ := strings.Cut(t.Name, "/")
		if of := x.r.FormValue("property"); of != "" && of != property {
			continue
		}
		out = append(out, map[string]any{
			"property_id": property, "dealer_id": dealer, "findings": t.Findings, "rounds": t.Rounds, "low": low, "high": high, "too_few_rounds": t.Rounds < stats.MinRounds,
		})
	}
	return x.json(map[string]any{"at": rows.at.UTC().Format(time.RFC3339Nano), "dealers": out})
}

// openAPI is the description of the routes of the API, made of the list of routes itself.
func openAPI(c *Console, x *exchange) error { return x.json(c.document()) }

func (c *Console) document() map[string]any {
	type m = map[string]any
	about := map[string]struct {
		summary string
		query   []string
		gives   any
		under   string
		body    m
	}{
		"/api/v1/openapi.json":  {summary: "this document"},
		"/api/v1/queue":         {"findings that wait, in groups; group=off for one by one", strings.Fields("property pit table shoe dealer rule severity verdict kind state owner day shift fp q shelved group limit"), store.Group{}, "groups", nil},
		"/api/v1/findings":      {"findings, also those that are closed, the latest first; 200 unless limit says otherwise", strings.Fields("property table shoe dealer rule since until limit"), store.Finding{}, "findings", nil},
		"/api/v1/findings/{id}": {summary: "a finding with its round, its events and what was done about it", gives: store.Finding{}, under: "finding"},
		"/api/v1/findings/{id}/steps": {summary: "take a step of triage", gives: store.Waiting{}, under: "finding", body: m{
			"type": "object", "required": []string{"step"}, "additionalProperties": false, "properties": m{
				"step":        m{"type": "string", "enum": []string{store.Acknowledge, store.Review, store.Assign, store.Escalate, store.Note, store.Close, store.Confirm, store.Reject, store.Reopen}},
				"owner":       m{"type": "string", "description": "for assign; me is who asks"},
				"disposition": m{"type": "string", "enum": store.Dispositions()},
				"reason":      m{"type": "string"}, "note": m{"type": "string"},
			},
		}},
		"/api/v1/floor": {"every table with the state of its feed: live, slow, stale or closed", []string{"property"}, store.Tile{}, "tables", nil},
		"/api/v1/shoes/{property}/{table}/{shoe}":        {summary: "a shoe with its rounds and its vigorish", gives: store.Shoe{}, under: "shoe"},
		"/api/v1/shoes/{property}/{table}/{shoe}/replay": {summary: "run the rules again over the archived events, and compare with what is stored"},
		"/api/v1/dealers": {"how often something was found at each dealer's hands, with 95 % intervals", []string{"property", "days"}, store.Tally{}, "dealers", nil},
	}
	refusal := func(text string) m {
		return m{"description": text, "content": m{"application/json": m{"schema": m{"type": "object", "properties": m{"error": m{"type": "string"}}}}}}
	}
	paths, schemas := m{}, m{}
	for _, r := range routes() {
		if !r.api {
			continue
		}
		a := about[r.path]
		var params []m
		for part := range strings.SplitSeq(r.path, "/") {
			if name, ok := strings.CutPrefix(part, "{"); ok {
				params = append(params, m{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": m{"type": "string"}})
			}
		}
		for _, q := range a.query {
			params = append(params, m{"name": q, "in": "query", "schema": m{"type": "string"}})
		}
		result := m{"type": "object"}
		if a.gives != nil {
			t := reflect.TypeOf(a.gives)
			schemas[t.Name()] = schemaOf(t)
			ref := m{"$ref": "#/components/schemas/" + t.Name()}
			if a.under != "finding" && a.under != "shoe" {
				ref = m{"type": "array", "items": ref}
			}
			result["properties"] = m{a.under: ref}
		}
		op := m{
			"summary": a.summary, "description": "Needs the permission " + string(r.needs) + ".", "parameters": params,
			"responses": m{
				"200": m{"description": "done", "content": m{"application/json": m{"schema": result}}},
				"400": refusal("the request cannot be answered as it stands"), "401": refusal("not signed in"), "403": refusal("the role does not include this"),
				"404": refusal("there is none"), "409": refusal("the step does not fit the state"), "429": refusal("too many requests"),
			},
		}
		if a.body != nil {
			op["requestBody"] = m{"required": true, "content": m{"application/json": m{"schema": a.body}}}
		}
		item, _ := paths[r.path].(m)
		if item == nil {
			item = m{}
			paths[r.path] = item
		}
		item[strings.ToLower(r.method)] = op
	}
	return m{
		"openapi": "3.1.0", "info": m{"title": "Shoeproof console", "version": c.Version},
		"servers": []m{{"url": c.PublicURL.String()}}, "security": []m{{"token": []string{}}, {"session": []string{}}},
		"paths": paths, "components": m{"schemas": schemas, "securitySchemes": m{
			"token":   m{"type": "http", "scheme": "bearer"},
			"session": m{"type": "apiKey", "in": "cookie", "name": c.sessions.Cookie.Name},
		}},
	}
}

func schemaOf(t reflect.Type) map[string]any {
	properties := map[string]any{}
	for f := range t.Fields() {
		if f.Anonymous {
			inner, _ := schemaOf(f.Type)["properties"].(map[string]any)
			maps.Copy(properties, inner)
			continue
		}
		if tag := f.Tag.Get("ch"); tag != "" && tag != "raw" {
			properties[tag] = typeOf(f.Type, tag)
		}
	}
	return map[string]any{"type": "object", "properties": properties}
}

func typeOf(t reflect.Type, tag string) map[string]any {
	switch {
	case tag == "gaming_day":
		return map[string]any{"type": "string", "format": "date"}
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeOf(t.Elem(), "")}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer"}
	}
	return map[string]any{"description": fmt.Sprint(t)}
}
