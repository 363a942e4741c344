package main

import (
	"fmt"
	"strings"
)

func writeEnums(c *contract, s *source) {
	s.imports = []string{"strconv"}
	for _, e := range c.Enums {
		if e.Doc == "" {
			e.Doc = fmt.Sprintf("%s is a word of the contract.", e.Name)
		}
		s.doc(e.Doc)
		s.pf("type %s uint8\n\nconst (", e.Name)
		for _, v := range e.Values {
			if v.Doc != "" {
				s.doc(v.Doc)
			}
			s.pf("%s %s = %d", v.Go, e.Name, v.Num)
		}
		s.pf(")\n")
		s.pf("// String is the word of the contract.")
		s.pf("func (x %s) String() string {\nswitch x {", e.Name)
		for _, v := range e.Values {
			s.pf("case %s: return %q", v.Go, v.Word)
		}
		s.pf("}\nreturn \"%s(\" + strconv.Itoa(int(x)) + \")\"\n}\n", e.Name)

		s.pf("func (%s) parse(b []byte) (%s, bool) {\nswitch string(b) {", e.Name, e.Name)
		for _, v := range e.Values[1:] {
			s.pf("case %q: return %s, true", v.Word, v.Go)
		}
		s.pf("}\nreturn 0, false\n}\n")
		last := e.Values[len(e.Values)-1].Num
		if last != len(e.Values)-1 || last > 255 {
			panic(e.Name + ": the numbers are not 0, 1, 2, ... up to 255")
		}
		s.pf("const last%s = %d\n", e.Name, last)
		var all []string
		for _, v := range e.Values[1:] {
			all = append(all, v.Word)
		}
		s.pf("func (%s) words() string { return %q }\n", e.Name, strings.Join(all, ", "))
	}
}

func writeTypes(c *contract, s *source) {
	s.imports = []string{"maps"}
	s.doc(strings.Replace(c.Event.Doc, "TableEvent", "Event", 1))
	s.pf("type Event struct {")
	writeFields(s, c.Event)
	s.pf("Payload Payload\n}\n")
	for _, m := range c.Messages {
		if m.Doc == "" && m.Payload == nil {
			panic(m.Name + ": a message that is no payload needs a comment")
		}
		if m.Doc == "" {
			m.Doc = fmt.Sprintf("%s is the payload %s.", m.Name, m.Payload.Name)
		}
		s.doc(m.Doc)
		s.pf("type %s struct {", m.Name)
		writeFields(s, m)
		s.pf("}\n")
	}
	for _, m := range c.Messages {
		writeClone(s, m)
	}
}

func writeFields(s *source, m *message) {
	for _, f := range m.Fields {
		if f.Doc != "" {
			s.doc(f.Doc)
		}
		typ := f.elem()
		if f.Repeated {
			typ = "[]" + typ
		}
		note := ""
		if f.Kind == moment {
			note = " // Unix nanoseconds, UTC; 0 is absent."
		}
		s.pf("%s %s%s", f.Go, typ, note)
		if f.Optional {
			s.pf("Has%s bool", f.Go)
		}
	}
}

// deep is true if a copy of the struct shares memory with the original.
func (m *message) deep() bool {
	for _, f := range m.Fields {
		if f.Repeated || f.Kind == words || (f.Kind == nested && f.Message.deep()) {
			return true
		}
	}
	return false
}

func writeClone(s *source, m *message) {
	if m.Payload == nil && !m.deep() {
		return
	}
	if m.Payload != nil {
		s.pf("func (x *%s) clone() Payload {\ny := *x", m.Name)
	} else {
		s.pf("func (x *%s) clone() %s {\ny := *x", m.Name, m.Name)
	}
	for _, f := range m.Fields {
		switch {
		case f.Repeated:
			// An empty list is nil, whatever storage the decoder kept for it.
			s.pf("y.%s = append([]%s(nil), x.%s...)", f.Go, f.elem(), f.Go)
		case f.Kind == words:
			s.pf("y.%s = nil\nif len(x.%s) > 0 { y.%s = maps.Clone(x.%s) }", f.Go, f.Go, f.Go, f.Go)
		case f.Kind == nested && f.Message.deep():
			s.pf("y.%s = x.%s.clone()", f.Go, f.Go)
		}
	}
	if m.Payload != nil {
		s.pf("return &y\n}\n")
	} else {
		s.pf("return y\n}\n")
	}
}

func writeKinds(c *contract, s *source) {
	s.imports = []string{"strconv"}
	s.pf("// Kind is the type of the payload of an event.\ntype Kind uint8\n")
	s.pf("// The kinds, in the order of the contract. Zero is no kind.\nconst (")
	for i, p := range c.Payloads {
		if i == 0 {
			s.pf("Kind%s Kind = iota + 1", goName(p.Name))
		} else {
			s.pf("Kind%s", goName(p.Name))
		}
	}
	s.pf(")\n\nconst lastKind = %d\n", len(c.Payloads))
	s.pf("// String is the name of the payload's field, such as card_dealt.")
	s.pf("func (k Kind) String() string {\nswitch k {")
	for _, p := range c.Payloads {
		s.pf("case Kind%s: return %q", goName(p.Name), p.Name)
	}
	s.pf("}\nreturn \"Kind(\" + strconv.Itoa(int(k)) + \")\"\n}\n")
	for _, p := range c.Payloads {
		s.pf("// Kind is Kind%s.\nfunc (*%s) Kind() Kind { return Kind%s }", goName(p.Name), p.Message.Name, goName(p.Name))
		s.pf("func (*%s) isPayload() {}\n", p.Message.Name)
	}
	s.pf("// newPayload is an empty payload of the kind, or nil.\nfunc newPayload(k Kind) Payload {\nswitch k {")
	for _, p := range c.Payloads {
		s.pf("case Kind%s: return new(%s)", goName(p.Name), p.Message.Name)
	}
	s.pf("}\nreturn nil\n}")
}
