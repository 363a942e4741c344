package main

import "fmt"

func writeJSONDecode(c *contract, s *source) {
	for _, m := range append([]*message{c.Event}, c.Messages...) {
		writeKeys(c, s, m)
		writeJSONMessage(s, m, m == c.Event)
	}
	s.pf("// jsonPayload reads the value of a field of the oneof.")
	s.pf("func (d *Decoder) jsonPayload(b []byte, i int, k Kind, ev *Event) (int, *RejectError) {")
	s.pf("if ev.Payload != nil { return i, reject(k.String(), i, \"a second payload, after %%s\", ev.Payload.Kind()) }")
	s.pf("var r *RejectError\nswitch k {")
	for _, p := range c.Payloads {
		s.pf("case Kind%s:", goName(p.Name))
		s.pf("i, r = d.json%s(b, i, &d.payloads.%s)", p.Message.Name, lower(p.Message.Name))
		s.pf("ev.Payload = &d.payloads.%s", lower(p.Message.Name))
	}
	s.pf("}\nif r != nil { return i, r.in(k.String()) }\nreturn i, nil\n}")
}

// writeKeys writes the function from a key to the position of the field, from 1.
func writeKeys(c *contract, s *source, m *message) {
	s.pf("func key%s(key []byte) int {\nswitch string(key) {", m.Name)
	for i, f := range m.Fields {
		s.pf("case %q: return %d", f.Name, i+1)
	}
	if m == c.Event {
		for _, p := range c.Payloads {
			s.pf("case %q: return firstPayload + int(Kind%s)", p.Name, goName(p.Name))
		}
	}
	s.pf("}\nreturn 0\n}\n")
	if m == c.Event {
		s.pf("const firstPayload = %d\n", len(m.Fields))
	}
}

func writeJSONMessage(s *source, m *message, event bool) {
	s.pf("func (d *Decoder) json%s(b []byte, i int, m *%s) (int, *RejectError) {", m.Name, m.Name)
	writeReset(s, m)
	s.pf("start := i\ni, more, r := jsonEnter(b, i, '{', '}')\nvar seen [2]uint64")
	s.pf("for more && r == nil {\nat := i\nkey, next := quickKey(b, i)\nn := key%s(key)", m.Name)
	s.pf("if n == 0 {\nif key, next, r = d.slowKey(b, at); r != nil { return at, r }")
	s.pf("if n = key%s(key); n == 0 { return at, rejectKey(key, at) }\n}", m.Name)
	s.pf("i = next")
	s.pf("if seen[n>>6 & 1] & (1<<(n&63)) != 0 { return at, rejectTwice(string(key), at) }\nseen[n>>6 & 1] |= 1<<(n&63)")
	s.pf("if b[i] == 'n' {")
	for i, f := range m.Fields {
		if f.Required {
			s.pf("if n == %d { return i, reject(%q, i, \"null, expected an object\") }", i+1, f.Name)
		}
	}
	s.pf("if i, r = jsonNull(b, i); r == nil { i, more, r = jsonNext(b, i, '}') }\ncontinue\n}")
	if len(m.Fields) > 0 {
		s.pf("switch n {")
		for i, f := range m.Fields {
			s.pf("case %d:", i+1)
			writeJSONValue(s, m, f)
		}
		if event {
			s.pf("default: i, r = d.jsonPayload(b, i, Kind(n-firstPayload), m)")
		}
		s.pf("}\nif r != nil { return i, r }")
	}
	s.pf("i, more, r = jsonNext(b, i, '}')\n}")
	s.pf("if r != nil { return i, r }")
	used := false
	for i, f := range m.Fields {
		if f.Required {
			used = true
			s.pf("if seen[0] & (1<<%d) == 0 { return i, reject(%q, start, \"missing\") }", i+1, f.Name)
		}
	}
	if !used {
		s.pf("_ = start")
	}
	s.pf("return i, nil\n}\n")
}

// named is the field with the words of a rulebook that go with a field of words of the contract, nil if there is none.
func named(m *message, f *field) *field {
	name := f.Name + "_name"
	if f.Repeated {
		name = "further_" + f.Name
	}
	for _, other := range m.Fields {
		if other.Name == name {
			return other
		}
	}
	return nil
}

func writeJSONValue(s *source, m *message, f *field) {
	v := "m." + f.Go
	switch further := named(m, f); {
	case f.Kind == word && further != nil && f.Repeated:
		s.pf("%s, i, r = d.json%s(%s, b, i, &m.%s)", v, f.Go, v, further.Go)
	case f.Kind == word && further != nil:
		s.pf("%s, i, r = jsonNamed[%s](d, b, i, %q, &m.%s)", v, f.Enum.Name, f.Name, further.Go)
	case f.Repeated && f.Kind == word:
		s.pf("%s, i, r = jsonWords(d, %s, b, i, %q)", v, v, f.Name)
	case f.Repeated && f.Kind == uint32Number:
		s.pf("%s, i, r = jsonNumbers(%s, b, i, %q)", v, v, f.Name)
	case f.Repeated && f.Card:
		s.pf("%s, i, r = d.jsonCards(%s, b, i, %q)", v, v, f.Name)
	case f.Repeated:
		s.pf("%s, i, r = d.jsonTexts(%s, b, i, %q, %v)", v, v, f.Name, f.ID)
	case f.Kind == text && f.Card:
		s.pf("%s, i, r = d.jsonCard(b, i, %q)", v, f.Name)
	case f.Name == "event_id":
		s.pf("%s, i, r = d.jsonFresh(b, i, %q)", v, f.Name)
	case f.Kind == text:
		s.pf("%s, i, r = d.jsonText(b, i, %q, %v, %v)", v, f.Name, f.ID, f.Fresh)
	case f.Kind == word:
		s.pf("%s, i, r = jsonWord[%s](d, b, i, %q)", v, f.Enum.Name, f.Name)
	case f.Kind == nested:
		s.pf("if i, r = d.json%s(b, i, &%s); r != nil { r = r.in(%q) }", f.Message.Name, v, f.Name)
	case f.Kind == words:
		s.pf("i, r = d.jsonPairs(b, i, %q, %v, &%s)", f.Name, f.Odds, v)
	case f.Kind == moment:
		s.pf("%s, i, r = d.jsonMoment(b, i, %q)", v, f.Name)
	default:
		read := map[kind]string{
			flag: "Flag", uint32Number: "Uint32", uint64Number: "Uint64", int64Number: "Int64", fraction: "Fraction",
		}[f.Kind]
		s.pf("%s, i, r = json%s(b, i, %q)", v, read, f.Name)
		if f.Kind == int64Number && !f.Signed {
			s.pf("if r == nil && %s < 0 { r = rejectNegative(%q, next, %s) }", v, f.Name, v)
		}
		if f.Money {
			s.pf("if r == nil && beyond(%s) { r = rejectMoney(%q, next, %s) }", v, f.Name, v)
		}
		if f.Optional {
			s.pf("m.Has%s = true", f.Go)
		}
	}
}

func writeJSONAppend(c *contract, s *source) {
	s.imports = []string{"strconv"}
	for _, m := range append([]*message{c.Event}, c.Messages...) {
		s.pf("func (m *%s) appendJSON(dst []byte) []byte {\nstart := len(dst)", m.Name)
		for _, f := range m.Fields {
			if cond := f.present(); cond == "true" {
				s.pf("{")
			} else {
				s.pf("if %s {", cond)
			}
			name := func(quoted string) string { return fmt.Sprintf("append(dst, `,%q:%s`...)", f.Name, quoted) }
			v := "m." + f.Go
			switch {
			case f.Repeated && f.Kind == word:
				s.pf("dst = appendWords(%s, %s)", name(""), v)
			case f.Repeated && f.Kind == uint32Number:
				s.pf("dst = appendNumbers(%s, %s)", name(""), v)
			case f.Repeated:
				s.pf("dst = appendTexts(%s, %s)", name(""), v)
			case f.Kind == text:
				s.pf("dst = appendText(%s, %s)", name(""), v)
			case f.Kind == flag:
				s.pf("dst = %s", name("true"))
			case f.Kind == int64Number:
				s.pf("dst = strconv.AppendInt(%s, %s, 10)", name(""), v)
			case f.Kind == uint32Number, f.Kind == uint64Number:
				s.pf("dst = strconv.AppendUint(%s, uint64(%s), 10)", name(""), v)
			case f.Kind == fraction:
				s.pf("dst = appendFraction(%s, %s)", name(""), v)
			case f.Kind == word:
				s.pf("dst = append(append(%s, %s.String()...), '\"')", name(`"`), v)
			case f.Kind == moment:
				s.pf("dst = appendTime(%s, %s)", name(""), v)
			case f.Kind == nested:
				s.pf("dst = %s.appendJSON(%s)", v, name(""))
			case f.Kind == words:
				s.pf("dst = appendPairs(%s, %s)", name(""), v)
			}
			s.pf("}")
		}
		if m == c.Event {
			s.pf("switch p := m.Payload.(type) {")
			for _, p := range c.Payloads {
				s.pf("case *%s: dst = p.appendJSON(append(dst, `,%q:`...))", p.Message.Name, p.Name)
			}
			s.pf("}")
		}
		s.pf("return closeObject(dst, start)\n}\n")
	}
}
