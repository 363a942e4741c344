package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object.
type object map[string]any

// The files for publishers. They describe what an event of the contract is as JSON; the decoder also reads a null as an
// absent field.
const (
	schemaFile = "events.schema.json"
	asyncFile  = "asyncapi.json"
	draft      = "https://json-schema.org/draft/2020-12/schema"
)

// required are the fields without which a payload is rejected, besides the configuration. The tests hold it to the
// decoder, schema/needed.go.
var required = map[string]string{
	"NoticeFiled": "topic", "NoticePosted": "topic", "LayoutAttested": "item", "SeatOccupied": "seat",
	"SeatVacated": "seat", "ShoeShuffled": "phase", "VigorishMarkerRemoved": "seat", "CutOffered": "seat",
	"ShoeLoaded": "deck_count", "ShoeBurned": "reason", "CuratorOffered": "seat", "CuratorAssigned": "seat",
	"CuratorPassed": "seat", "BidOffered": "seat", "BankerAssigned": "seat", "BankerWagered": "wager_id seat",
	"BancoAnnounced": "seat call", "WagerPlaced": "wager_id seat spot", "WagerChanged": "wager_id change",
	"WagerHandled": "wager_id", "VerbalConfirmed": "wager_id", "CashConverted": "wager_id", "Announced": "code",
	"DealInstructed": "hand instruction", "CardDealt": "hand card_seq", "CardRevealed": "card_seq",
	"CardMoved": "card_seq to", "CardCarriedOver": "card_seq", "SqueezeOffered": "hand seat",
	"SqueezeRelinquished": "hand seat", "CardsHanded": "hand seat", "CardsReturned": "hand seat",
	"WagerCollected": "wager_id", "WagerPaid": "wager_id", "WagerReturned": "wager_id", "VigorishMarked": "wager_id",
	"VigorishCollected": "seat kind",
}

// ofRound are the payloads that are of a round always.
const ofRound = "round_started round_voided round_ended banker_wagered banco_announced wagering_opened card_dealt " +
	"card_moved deal_instructed discard_placed wager_placed wager_changed wager_collected wager_paid wager_returned " +
	"verbal_confirmed cash_converted squeeze_offered squeeze_relinquished cards_handed cards_returned vigorish_marked"

// writeSchemas returns the JSON Schema of an event and the AsyncAPI document of the topic.
func writeSchemas(c *contract) (map[string][]byte, error) {
	defs := object{}
	for _, e := range c.Enums {
		words := []string{}
		for _, v := range e.Values {
			if v.Num != 0 {
				words = append(words, v.Word)
			}
		}
		defs[e.Name] = described(object{"enum": words}, e.Doc)
	}
	for _, m := range c.Messages {
		defs[m.Name] = described(messageSchema(m), m.Doc)
	}
	root := messageSchema(c.Event)
	properties, alternatives := root["properties"].(object), []object{}
	for _, p := range c.Payloads {
		properties[p.Name] = described(object{"$ref": "#/$defs/" + p.Message.Name}, p.Message.Doc)
		alternatives = append(alternatives, payload(p.Name))
	}
	root["$schema"], root["title"] = draft, "Shoeproof table event"
	root["description"] = prose(c.Event.Doc) + " The prose of each field is in docs/events.md."
	root["required"] = []string{"event_id", "property_id", "table_id", "seq", "at"}
	root["oneOf"], root["$defs"] = alternatives, defs
	files := map[string][]byte{}
	for name, doc := range map[string]object{schemaFile: root, asyncFile: asyncAPI()} {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(doc); err != nil {
			return nil, fmt.Errorf("encode %s: %w", name, err)
		}
		files[name] = out.Bytes()
	}
	return files, nil
}

// payload is the alternative of the event with one payload, with the envelope that it needs.
func payload(name string) object {
	round := object{"round": object{"minimum": 1}}
	switch {
	case name == "shoe_shuffled":
		return object{"required": []string{name, "shoe_id"}, "properties": object{"shoe_id": object{"minLength": 1}}}
	case slices.Contains(strings.Fields(ofRound), name):
		return object{"required": []string{name, "round"}, "properties": round}
	case name == "announced": // of a round, unless it is the call of the last hand
		return object{"required": []string{name}, "anyOf": []object{
			{"required": []string{"round"}, "properties": round},
			{"properties": object{name: object{"properties": object{"code": object{"const": "LAST_HAND"}}}}},
		}}
	case name == "vigorish_collected": // of a round, unless it is outstanding
		return object{"required": []string{name}, "anyOf": []object{
			{"required": []string{"round"}, "properties": round},
			{"properties": object{name: object{"properties": object{"kind": object{"const": "OUTSTANDING"}}}}},
		}}
	}
	return object{"required": []string{name}}
}

func messageSchema(m *message) object {
	properties, needs := object{}, strings.Fields(required[m.Name])
	for _, f := range m.Fields {
		s := fieldSchema(m, f)
		for _, name := range needs {
			if name == f.Name && (f.Kind == uint32Number || f.Kind == text) {
				nonZero(s)
			}
		}
		if f.Required {
			needs = append(needs, f.Name)
		}
		properties[f.Name] = described(s, f.Doc)
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(needs) > 0 {
		out["required"] = needs
	}
	if m.Name == "Announced" {
		out["if"] = object{"properties": object{"code": object{"enum": []string{"POINT_COUNT", "FINAL_COUNT"}}}}
		out["then"] = object{"required": []string{"hand"}}
	}
	return out
}

// nonZero refuses the empty value of a required field.
func nonZero(s object) {
	if s["type"] == "integer" {
		s["minimum"] = 1
	} else {
		s["minLength"] = 1
	}
}

func fieldSchema(m *message, f *field) object {
	s := valueSchema(f)
	if f.Kind == word && named(m, f) != nil { // or a word of a rulebook
		s = object{"anyOf": []object{s, {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"}}}
	}
	if f.Repeated {
		return object{"type": "array", "items": s}
	}
	return s
}

func valueSchema(f *field) object {
	switch {
	case f.Kind == text && f.Card:
		return object{"type": "string", "pattern": `^([A23456789TJQK][cdhs]|\?\?)$`}
	case f.Kind == text && f.Name == "event_id", f.Name == "property_id", f.Name == "table_id":
		return object{"type": "string", "minLength": 1, "maxLength": 256}
	case f.Kind == text && f.ID:
		return object{"type": "string", "maxLength": 256}
	case f.Kind == text:
		return object{"type": "string"}
	case f.Kind == flag:
		return object{"type": "boolean"}
	case f.Kind == uint32Number:
		return object{"type": "integer", "minimum": 0, "maximum": uint32(1<<32 - 1)}
	case f.Kind == uint64Number: // seq
		return object{"anyOf": []object{
			{"type": "integer", "minimum": 1, "maximum": uint64(1<<64 - 1)}, {"type": "string", "pattern": "^[1-9][0-9]{0,19}$"},
		}}
	case f.Money && f.Signed:
		return object{"anyOf": []object{
			{"type": "integer", "minimum": -maxAmount, "maximum": maxAmount},
			{"type": "string", "pattern": "^-?0*([0-7]?[0-9]{1,12}|80{12})$"},
		}}
	case f.Money:
		return object{"anyOf": []object{
			{"type": "integer", "minimum": 0, "maximum": maxAmount},
			{"type": "string", "pattern": "^0*([0-7]?[0-9]{1,12}|80{12})$"},
		}}
	case f.Kind == int64Number && f.Signed:
		return object{"anyOf": []object{{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]{1,19}$"}}}
	case f.Kind == int64Number:
		return object{"anyOf": []object{
			{"type": "integer", "minimum": 0, "maximum": int64(1<<63 - 1)}, {"type": "string", "pattern": "^[0-9]{1,19}$"},
		}}
	case f.Kind == fraction:
		return object{"type": "number", "minimum": 0, "maximum": 1}
	case f.Kind == word:
		return object{"$ref": "#/$defs/" + f.Enum.Name}
	case f.Kind == moment:
		return object{"type": "string", "format": "date-time", "pattern": `^[0-9]{4}-.*T.*(Z|[+-][0-9]{2}:[0-9]{2})$`}
	case f.Kind == words && f.Odds:
		return object{"type": "object", "additionalProperties": object{
			"type": "string", "pattern": "^[1-9][0-9]{0,8}:[1-9][0-9]{0,8}$",
		}}
	case f.Kind == words:
		return object{"type": "object", "additionalProperties": object{"type": "string"}}
	}
	return object{"$ref": "#/$defs/" + f.Message.Name}
}

// maxAmount is schema.MaxAmount, which the generator cannot import: it writes that package. A test compares them.
const maxAmount = 8_000_000_000_000

// described adds the comment of the contract.
func described(s object, doc string) object {
	if text := prose(doc); text != "" {
		s["description"] = text
	}
	return s
}

// prose is a comment as one line.
func prose(doc string) string { return strings.Join(strings.Fields(doc), " ") }

// asyncAPI is the document of the topic, from the view of Shoeproof, which receives.
func asyncAPI() object {
	message := func(title, contentType string, more object) object {
		out := object{
			"title": title, "contentType": contentType,
			"headers": object{
				"type": "object", "properties": object{"content-type": object{"const": contentType}},
			},
			"bindings": object{"kafka": object{
				"key": object{"type": "string", "description": "property_id/table_id: a table stays in one partition"},
			}},
		}
		maps.Copy(out, more)
		return out
	}
	return object{
		"asyncapi": "3.0.0",
		"info": object{
			"title": "Shoeproof table events", "version": "1.0.0",
			"description": "The events that a table system publishes to be audited. docs/events.md explains each field.",
			"license":     object{"name": "Apache-2.0"},
		},
		"defaultContentType": "application/json",
		"channels": object{"tableEvents": object{
			"address": "table-events", "description": "One Kafka topic for all tables; its name is a setting.",
			"messages": object{
				"json":     object{"$ref": "#/components/messages/json"},
				"protobuf": object{"$ref": "#/components/messages/protobuf"},
			},
		}},
		"operations": object{"audit": object{
			"action": "receive", "summary": "Shoeproof reads the events of all tables.",
			"channel": object{"$ref": "#/channels/tableEvents"},
		}},
		"components": object{"messages": object{
			"json": message("A table event as JSON", "application/json", object{
				"payload": object{"$ref": "./" + schemaFile},
			}),
			"protobuf": message("A table event as Protobuf", "application/x-protobuf", object{
				"payload": object{"schemaFormat": "application/vnd.google.protobuf;version=3", "schema": object{
					"$ref": "./proto/shoeproof/events/v1/events.proto",
				}},
			}),
		}},
	}
}
