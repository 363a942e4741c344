package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// contract is the event contract in the form that the writers need.
type contract struct {
	Event    *message
	Messages []*message // in the order of the file, without Event
	Enums    []*enum
	Payloads []*field // the fields of the oneof
}

type message struct {
	Name   string // in Go
	Doc    string
	Fields []*field // in the order of their numbers, without the oneof's
	// Payload is the field of the oneof that holds it, or nil.
	Payload *field
}

// kind is the encoding of a value.
type kind int

const (
	text kind = iota
	flag
	uint32Number
	uint64Number
	int64Number
	fraction // a double from 0 to 1
	word     // an enum
	moment   // a Timestamp
	nested
	words // map<string, string>
)

type field struct {
	Name     string // in the contract
	Go       string
	Doc      string
	Num      int
	Kind     kind
	Repeated bool
	Optional bool
	Required bool // of a nested message: must be present, even if empty
	Enum     *enum
	Message  *message

	// Money is an amount that is paid, staked or counted: at most schema.MaxAmount, of a signed one the magnitude.
	Card, ID, Fresh, Odds, Signed, Money bool
}

type enum struct {
	Name   string
	Doc    string
	Values []value
}

type value struct {
	Go, Word, Doc string
	Num           int
}

// annotate adds what the contract has in prose only. path is MESSAGE.FIELD.
func (f *field) annotate(path string) {
	switch path {
	case "VigorishCollected.kind":
		f.Go = "VigorishKind" // Kind is the method of every payload.
	case "TableOpened.config", "TableConfigured.config":
		f.Required = true // meaningless without it
	case "WagerChanged.delta":
		f.Signed, f.Money = true, true
	case "DeviceReported.clock_offset_ms":
		f.Signed = true
	case "TableConfig.posted_odds", "TableConfig.posted_rows":
		f.Odds = true
	case "CardsInspected.missing", "CardsInspected.extra", "ShoeBurned.cards":
		f.Card = true
	}
	switch {
	case f.Kind == int64Number:
		f.Money = f.Money || f.Name == "amount" || f.Name == "coupon"
	case f.Kind != text:
	case f.Name == "card" || f.Name == "indicator":
		f.Card = true
	case f.Name == "event_id" || strings.HasPrefix(f.Name, "wager_id"):
		f.ID, f.Fresh = true, true
	case f.Name == "id" || f.Name == "patron_ref" || f.Name == "attested_by":
		f.ID = true
	default:
		f.ID = strings.HasSuffix(f.Name, "_id")
	}
}

func read(file *protogen.File) (*contract, error) {
	c := &contract{}
	enums, messages := map[string]*enum{}, map[string]*message{}
	for _, m := range file.Messages {
		name := string(m.Desc.Name())
		switch {
		case len(m.Enums) == 1 && len(m.Fields) == 0:
			e := readEnum(m)
			enums[string(m.Enums[0].Desc.FullName())] = e
			c.Enums = append(c.Enums, e)
		case name == "TableEvent":
			c.Event = &message{Name: "Event", Doc: string(m.Comments.Leading)}
			messages[string(m.Desc.FullName())] = c.Event
		default:
			r := &message{Name: name, Doc: string(m.Comments.Leading)}
			c.Messages = append(c.Messages, r)
			messages[string(m.Desc.FullName())] = r
		}
	}
	for _, m := range file.Messages {
		r := messages[string(m.Desc.FullName())]
		if r == nil {
			continue
		}
		for _, f := range m.Fields {
			got, err := readField(string(m.Desc.Name()), f, enums, messages)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Desc.FullName(), err)
			}
			if f.Oneof != nil && !f.Oneof.Desc.IsSynthetic() {
				got.Message.Payload = got
				c.Payloads = append(c.Payloads, got)
				continue
			}
			r.Fields = append(r.Fields, got)
		}
		if len(r.Fields) > 64 {
			return nil, fmt.Errorf("%s: more than 64 fields", m.Desc.FullName())
		}
	}
	return c, nil
}

func readEnum(m *protogen.Message) *enum {
	e := &enum{Name: string(m.Desc.Name()), Doc: string(m.Comments.Leading)}
	for _, v := range m.Enums[0].Values {
		w := string(v.Desc.Name())
		e.Values = append(e.Values, value{
			Go:   e.Name + camel(strings.ToLower(w)),
			Word: w,
			Doc:  string(v.Comments.Leading),
			Num:  int(v.Desc.Number()),
		})
	}
	return e
}

func readField(in string, f *protogen.Field, enums map[string]*enum, messages map[string]*message) (*field, error) {
	name := string(f.Desc.Name())
	r := &field{
		Name: name, Go: goName(name), Num: int(f.Desc.Number()), Doc: string(f.Comments.Leading),
		Repeated: f.Desc.IsList(), Optional: f.Desc.HasOptionalKeyword(),
	}
	switch f.Desc.Kind() {
	case protoreflect.StringKind:
		r.Kind = text
	case protoreflect.BoolKind:
		r.Kind = flag
	case protoreflect.Uint32Kind:
		r.Kind = uint32Number
	case protoreflect.Uint64Kind:
		r.Kind = uint64Number
	case protoreflect.Int64Kind:
		r.Kind = int64Number
	case protoreflect.DoubleKind:
		r.Kind = fraction
	case protoreflect.EnumKind:
		r.Kind, r.Enum = word, enums[string(f.Enum.Desc.FullName())]
	case protoreflect.MessageKind:
		switch {
		case f.Desc.IsMap():
			r.Kind, r.Repeated = words, false
		case f.Message.Desc.FullName() == "google.protobuf.Timestamp":
			r.Kind = moment
		default:
			r.Kind, r.Message = nested, messages[string(f.Message.Desc.FullName())]
		}
	default:
		return nil, fmt.Errorf("the generator does not know the type %s", f.Desc.Kind())
	}
	r.annotate(in + "." + name)
	if (r.Kind == word && r.Enum == nil) || (r.Kind == nested && r.Message == nil) {
		return nil, fmt.Errorf("its type is in another file")
	}
	if r.Repeated && r.Kind != text && r.Kind != uint32Number && r.Kind != word {
		return nil, fmt.Errorf("the generator does not know lists of %s", f.Desc.Kind())
	}
	if r.Optional && r.Kind != uint32Number && r.Kind != fraction {
		return nil, fmt.Errorf("the generator does not know optional %s", f.Desc.Kind())
	}
	return r, nil
}

func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func goName(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts {
		switch part {
		case "id", "ok":
			parts[i] = strings.ToUpper(part)
		case "ids":
			parts[i] = "IDs"
		}
	}
	return camel(strings.Join(parts, "_"))
}

// elem is the Go type of one value.
func (f *field) elem() string {
	switch f.Kind {
	case text:
		return "string"
	case flag:
		return "bool"
	case uint32Number:
		return "uint32"
	case uint64Number:
		return "uint64"
	case int64Number, moment:
		return "int64"
	case fraction:
		return "float64"
	case word:
		return f.Enum.Name
	case words:
		return "map[string]string"
	default:
		return f.Message.Name
	}
}
