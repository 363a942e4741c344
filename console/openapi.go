package console

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

type object = map[string]any

// openAPI serves the description of the API with the address of this console. docs/openapi.json has no address.
func openAPI(c *Console, x *exchange) error {
	d := document()
	d["servers"] = []object{{"url": c.PublicURL.String()}}
	return x.json(d)
}

// operation describes a route of the API: its query parameters, and the row that it returns under a name.
type operation struct {
	id      string // for generated clients; it never changes
	summary string
	query   string
	row     any
	under   string
	one     bool // one row, not a list
	listed  bool // a list of pages: next is the parameter after of the next one
	body    object
}

func operations() map[string]operation {
	const shoe = "GET /api/v1/shoes/{property}/{table}/{shoe}"
	all := map[string]operation{
		"GET /api/v1/openapi.json": {id: "description", summary: "The description of this API."},
		"GET /api/v1/queue": {
			id: "queue",
			summary: "The open findings in groups; group=off returns one finding per row. next is the parameter after of the " +
				"next page, empty at the end.",
			query: "property pit table shoe dealer rule severity verdict basis kind state owner day shift fp q silenced " +
				"shelved group from to min sort after limit",
			row: store.Group{}, under: "groups", listed: true,
		},
		"GET /api/v1/findings": {
			id:      "findings",
			summary: "Findings, closed ones included, the latest first; 200 unless limit is set.",
			query:   "property table shoe dealer rule since until after limit", row: store.Finding{}, under: "findings",
			listed: true,
		},
		"GET /api/v1/findings/{id}": {
			id:      "finding",
			summary: "A finding with its round, its events and the actions of triage.",
			row:     store.Finding{}, under: "finding", one: true,
		},
		"POST /api/v1/findings/{id}/steps": {
			id: "triage", summary: "Apply an action of triage.",
			row: store.OpenFinding{}, under: "finding", one: true, body: triageBody(),
		},
		"GET /api/v1/floor": {
			id:      "floor",
			summary: "All tables with the state of their feeds: live, slow, stale, closed, or waiting for a missing event.",
			query:   "property", row: store.Tile{}, under: "tables",
		},
		shoe: {
			id: "shoe", summary: "A shoe with its rounds and its vigorish.", row: store.Shoe{}, under: "shoe",
			one: true,
		},
		"POST " + strings.TrimPrefix(shoe, "GET ") + "/replay": {
			id:      "replay",
			summary: "Evaluate the rules again on the archived events and compare the findings with the stored ones.",
		},
		"GET /api/v1/rounds/{property}/{table}/{shoe}/{round}": {
			id: "round", summary: "A round with its wagers, its vigorish, its findings and its events.",
			row: store.Round{}, under: "round", one: true,
		},
		"GET /api/v1/rounds": {
			id: "rounds",
			summary: "Rounds of a period, the latest first; the last 24 hours unless since or until is set. min and max bound " +
				"the stake of a wager in minor units.",
			query: "property table dealer round seat min max since until after limit", row: store.Round{},
			under: "rounds", listed: true,
		},
		"GET /api/v1/dealers": {
			id:      "dealers",
			summary: "The rate of findings of each dealer with its 95 % interval.",
			query:   "property days", row: DealerRate{}, under: "dealers",
		},
	}
	maps.Copy(all, recordOperations())
	return all
}

// recordOperations are the operations about patrons, silences and the log.
func recordOperations() map[string]operation {
	return map[string]operation{
		"GET /api/v1/patrons/{property}/{patron}": {
			id: "patron",
			summary: "The play of a masked patron by spot, the latest wagers, and the findings about the patron or at the " +
				"patron's seat. Each use is logged.",
			row: store.Patron{}, under: "play",
		},
		"GET /api/v1/silences": {
			id: "silences", summary: "The silences of the last week, the latest first.", query: "property",
			row: store.Silence{}, under: "silences",
		},
		"POST /api/v1/silences": {
			id: "silence", summary: "Hide the findings of a rule from the queue for 1 to 24 hours.",
			row: store.Silence{}, under: "silence", one: true, body: silenceBody(),
		},
		"POST /api/v1/silences/{id}/lift": {
			id: "lift", summary: "End a silence.", row: store.Silence{}, under: "silence", one: true,
		},
		"GET /api/v1/log": {
			id: "log", summary: "The console log, the latest line first; 200 unless limit is set.",
			query: logParameters + " limit", row: store.Entry{}, under: "log", listed: true,
		},
	}
}

func silenceBody() object {
	text := object{"type": "string"}
	return object{
		"type": "object", "required": []string{"property", "rule", "reason", "hours"}, "additionalProperties": false,
		"properties": object{
			"property": text, "rule": text, "table": text, "reason": text,
			"hours": object{"type": "integer", "minimum": 1, "maximum": int(store.MaxSilence / time.Hour)},
		},
	}
}

func triageBody() object {
	actions := []string{
		store.Acknowledge, store.Review, store.Assign, store.Escalate, store.Note, store.Close, store.Confirm,
		store.Reject, store.Reopen, store.Undo,
	}
	return object{
		"type": "object", "required": []string{"step"}, "additionalProperties": false, "properties": object{
			"step":        object{"type": "string", "enum": actions, "description": "the action of triage"},
			"owner":       object{"type": "string", "description": "for assign; me is the user of the request"},
			"disposition": object{"type": "string", "enum": store.Dispositions()},
			"reason":      object{"type": "string"}, "note": object{"type": "string"},
		},
	}
}

// document describes the API. It is generated from the list of routes.
func document() object {
	described := operations()
	paths, schemas := object{}, object{}
	for _, r := range apiRoutes() {
		d := described[r.method+" "+r.path]
		item, _ := paths[r.path].(object)
		if item == nil {
			item = object{}
			paths[r.path] = item
		}
		item[strings.ToLower(r.method)] = d.openAPI(r)
		if d.row != nil {
			t := reflect.TypeOf(d.row)
			schemas[t.Name()] = schemaOf(t)
		}
	}
	return object{
		"openapi": "3.1.0", "info": object{"title": "Shoeproof console", "version": "1"},
		"security": []object{{"token": []string{}}, {"session": []string{}}},
		"paths":    paths, "components": object{"schemas": schemas, "securitySchemes": object{
			"token":   object{"type": "http", "scheme": "bearer"},
			"session": object{"type": "apiKey", "in": "cookie", "name": secureCookie},
		}},
	}
}

func (d operation) openAPI(r route) object {
	parameter := func(name, in string) object {
		return object{"name": name, "in": in, "schema": object{"type": "string"}}
	}
	params := []object{} // never null
	for part := range strings.SplitSeq(r.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			p := parameter(strings.TrimSuffix(name, "}"), "path")
			p["required"] = true
			params = append(params, p)
		}
	}
	for q := range strings.FieldsSeq(d.query) {
		params = append(params, parameter(q, "query"))
	}
	result := object{"type": "object"}
	if d.row != nil {
		row := object{"$ref": "#/components/schemas/" + reflect.TypeOf(d.row).Name()}
		if !d.one {
			row = object{"type": "array", "items": row}
		}
		properties := object{d.under: row}
		if d.listed {
			properties["next"] = object{"type": "string", "description": "the cursor of the next page, empty at the end"}
		}
		result["properties"] = properties
	}
	content := func(schema object) object { return object{"application/json": object{"schema": schema}} }
	failure := func(text string) object {
		properties := object{"error": object{"type": "string"}}
		return object{"description": text, "content": content(object{"type": "object", "properties": properties})}
	}
	responses := object{
		"200": object{"description": "success", "content": content(result)},
		"400": failure("malformed request"), "401": failure("not signed in"),
		"403": failure("the role does not permit this"), "404": failure("not found"),
		"409": failure("the state of the finding does not allow the action"), "429": failure("too many requests"),
	}
	if r.method == http.MethodGet && !r.public {
		responses["503"] = failure("the database is overloaded or does not answer; Retry-After has the seconds to wait")
	}
	op := object{"operationId": d.id, "summary": d.summary, "parameters": params, "responses": responses}
	if r.public {
		op["description"], op["security"] = "Public.", []object{}
	} else {
		op["description"] = "Needs the permission " + string(r.needs) + "."
	}
	if d.body != nil {
		op["requestBody"] = object{"required": true, "content": content(d.body)}
	}
	return op
}

func schemaOf(t reflect.Type) object {
	properties := object{}
	for f := range t.Fields() {
		if f.Anonymous {
			inner, _ := schemaOf(f.Type)["properties"].(object)
			maps.Copy(properties, inner)
			continue
		}
		if tag := f.Tag.Get("ch"); tag != "" && tag != "raw" {
			properties[tag] = typeOf(f.Type, tag)
		}
	}
	return object{"type": "object", "properties": properties}
}

func typeOf(t reflect.Type, tag string) object {
	switch {
	case tag == "gaming_day":
		return object{"type": "string", "format": "date"}
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": typeOf(t.Elem(), "")}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	}
	return object{"description": fmt.Sprint(t)}
}
