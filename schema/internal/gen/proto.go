package main

import (
	"fmt"
	"strings"
)

// varint and chunk are the wire types.
const (
	varint  = 0
	fixed64 = 1
	chunk   = 2
)

func (f *field) wire() int {
	switch f.Kind {
	case flag, uint32Number, uint64Number, int64Number, word:
		return varint
	case fraction:
		return fixed64
	default:
		return chunk
	}
}

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func writeProtoDecode(c *contract, s *source) {
	s.imports = []string{"encoding/binary", "math"}
	s.pf("// payloads are the structs that a decoder reuses.\ntype payloads struct {")
	for _, p := range c.Payloads {
		s.pf("%s %s", lower(p.Message.Name), p.Message.Name)
	}
	s.pf("}\n")
	for _, m := range append([]*message{c.Event}, c.Messages...) {
		writeProtoMessage(s, m)
	}

	s.pf("// protoPayload reads a field of the oneof whose tag ended at i.")
	s.pf("func (d *Decoder) protoPayload(b []byte, at, i int, tag uint64, ev *Event) (int, *RejectError) {")
	s.pf("switch tag {")
	for _, p := range c.Payloads {
		s.pf("case %d<<3 | 2:", p.Num)
	}
	s.pf("default: return 0, rejectTag(b, at, tag, fieldsEvent, false)\n}")
	s.pf(
		"if ev.Payload != nil { return 0, reject(kindOfTag(tag).String(), at, \"a second payload, after %%s\", " +
			"ev.Payload.Kind()) }",
	)
	s.pf("i, end := chunk(b, i)\nif end < 0 { return 0, rejectShort(kindOfTag(tag).String(), at) }\nvar r *RejectError")
	s.pf("switch tag {")
	for _, p := range c.Payloads {
		s.pf("case %d<<3 | 2:", p.Num)
		s.pf("r = d.proto%s(b[:end], i, &d.payloads.%s)", p.Message.Name, lower(p.Message.Name))
		s.pf("ev.Payload = &d.payloads.%s", lower(p.Message.Name))
	}
	s.pf("}\nif r != nil { return 0, r.in(ev.Payload.Kind().String()) }\nreturn end, nil\n}\n")

	s.pf("func kindOfTag(tag uint64) Kind {\nswitch tag >> 3 {")
	for _, p := range c.Payloads {
		s.pf("case %d: return Kind%s", p.Num, goName(p.Name))
	}
	s.pf("}\nreturn 0\n}\n")
}

func writeReset(s *source, m *message) {
	if m.Name == "Event" {
		return
	}
	var keep []string
	var clears []string
	for _, f := range m.Fields {
		switch {
		case f.Repeated:
			keep = append(keep, fmt.Sprintf("%s: m.%s[:0]", f.Go, f.Go))
		case f.Kind == words:
			keep = append(keep, fmt.Sprintf("%s: m.%s", f.Go, f.Go))
			clears = append(clears, f.Go)
		case f.Kind == nested && f.Message.deep():
			// The nested message is reset when it is read; here it must exist.
			if !f.Required {
				panic(m.Name + "." + f.Name + ": lists in a nested message that may be absent")
			}
			keep = append(keep, fmt.Sprintf("%s: m.%s", f.Go, f.Go))
		}
	}
	s.pf("*m = %s{%s}", m.Name, strings.Join(keep, ", "))
	for _, name := range clears {
		s.pf("clear(m.%s)", name)
	}
}

func writeProtoMessage(s *source, m *message) {
	var known strings.Builder
	known.WriteString(" ")
	var lists uint64
	for _, f := range m.Fields {
		fmt.Fprintf(&known, "%d=%s ", f.Num, f.Name)
		if f.Repeated || f.Kind == words {
			lists |= 1 << f.Num
		}
	}
	s.pf("const fields%s = %q\n", m.Name, known.String())
	s.pf("func (d *Decoder) proto%s(b []byte, i int, m *%s) *RejectError {", m.Name, m.Name)
	writeReset(s, m)
	s.pf("var seen uint64\nstart := i")
	if m.Name == "Event" {
		s.pf("i, seen = d.head(b, m)")
	}
	s.pf("for i < len(b) {\nat := i\nvar tag uint64")
	s.pf(
		"if b[i] < 0x80 {\ntag = uint64(b[i])\ni++\n} else if tag, i = longVarint(b, i); i < 0 { return " +
			"rejectShort(\"\", at) }",
	)
	s.pf("bit := uint64(1) << (tag >> 3)")
	if lists != 0 {
		s.pf("if seen & bit &^ %#x != 0 { return rejectTag(b, at, tag, fields%s, true) }", lists, m.Name)
	} else {
		s.pf("if seen & bit != 0 { return rejectTag(b, at, tag, fields%s, true) }", m.Name)
	}
	s.pf("seen |= bit")
	if len(m.Fields) == 0 {
		s.pf("return rejectTag(b, at, tag, fields%s, false)\n}\n_ = start\nreturn nil\n}\n", m.Name)
		return
	}
	s.pf("switch tag {")
	for _, f := range m.Fields {
		s.pf("case %d<<3 | %d:", f.Num, f.wire())
		writeProtoValue(s, f)
		if f.Repeated && f.wire() == varint {
			s.pf("case %d<<3 | %d:", f.Num, chunk)
			writePacked(s, f)
		}
	}
	if m.Name == "Event" {
		s.pf("default:\nvar r *RejectError")
		s.pf("if i, r = d.protoPayload(b, at, i, tag, m); r != nil { return r }\n}\n}")
	} else {
		s.pf("default: return rejectTag(b, at, tag, fields%s, false)\n}\n}", m.Name)
	}
	used := false
	for _, f := range m.Fields {
		if f.Required {
			used = true
			s.pf("if seen & (1<<%d) == 0 { return reject(%q, start, \"missing\") }", f.Num, f.Name)
		}
	}
	if !used {
		s.pf("_ = start")
	}
	s.pf("return nil\n}\n")
}

func writeProtoValue(s *source, f *field) {
	store := func(v string) {
		switch {
		case f.Repeated:
			s.pf("m.%s = append(m.%s, %s)", f.Go, f.Go, v)
		default:
			s.pf("m.%s = %s", f.Go, v)
		}
		if f.Optional {
			s.pf("m.Has%s = true", f.Go)
		}
	}
	switch f.wire() {
	case varint:
		s.pf(
			"var v uint64\nif i < len(b) && b[i] < 0x80 {\nv = uint64(b[i])\ni++\n} else if v, i = longVarint(b, "+
				"i); i < 0 { return rejectShort(%q, at) }",
			f.Name,
		)
	case fixed64:
		s.pf("if len(b)-i < 8 { return rejectShort(%q, at) }", f.Name)
		s.pf("v := math.Float64frombits(binary.LittleEndian.Uint64(b[i:]))\ni += 8")
	case chunk:
		writeChunk(s, f)
	}
	switch f.Kind {
	case text:
		writeProtoText(s, f, store)
	case flag:
		s.pf("if v > 1 { return rejectFlag(%q, at, v) }", f.Name)
		store("v != 0")
	case uint32Number:
		s.pf("if v > math.MaxUint32 { return rejectUint32(%q, at, v) }", f.Name)
		store("uint32(v)")
	case uint64Number:
		store("v")
	case int64Number:
		if !f.Signed {
			s.pf("if int64(v) < 0 { return rejectNegative(%q, at, int64(v)) }", f.Name)
		}
		if f.Money {
			s.pf("if beyond(int64(v)) { return rejectMoney(%q, at, int64(v)) }", f.Name)
		}
		store("int64(v)")
	case fraction:
		s.pf("if !(v >= 0 && v <= 1) { return rejectFraction(%q, at, v) }", f.Name)
		store("v")
	case word:
		s.pf("if v-1 >= last%s { return rejectNumber(%q, at, v, %s(0).words()) }", f.Enum.Name, f.Name, f.Enum.Name)
		store(f.Enum.Name + "(v)")
	case moment:
		s.pf("ns, r := protoMoment(b[:to], from, %q)\nif r != nil { return r }", f.Name)
		store("ns")
	case nested:
		s.pf("if r := d.proto%s(b[:to], from, &m.%s); r != nil { return r.in(%q) }", f.Message.Name, f.Go, f.Name)
	case words:
		s.pf("if r := d.protoPair(b[:to], from, %q, %v, &m.%s); r != nil { return r }", f.Name, f.Odds, f.Go)
	}
}

func writeProtoText(s *source, f *field, store func(string)) {
	switch {
	case f.Card && f.Repeated:
		s.pf("v, ok := card(b[from:to])\nif !ok { return rejectCard(%q, at, b[from:to]) }", f.Name)
	case f.Card:
		s.pf("v, ok := card(b[from:to])\nif !ok && from < to { return rejectCard(%q, at, b[from:to]) }", f.Name)
	case f.Name == "event_id":
		s.pf("if to-from > maxID || !utf8.Valid(b[from:to]) { return rejectText(%q, at, b[from:to], true) }", f.Name)
		store("d.fresh(b[from:to])")
		s.imports = append(s.imports, "unicode/utf8")
		return
	case f.ID:
		s.pf("v, ok := d.intern(b[from:to], %v)\nif !ok || to-from > maxID { return rejectText(%q, at, b[from:to], "+
			"true) }",
			f.Fresh, f.Name)
	default:
		s.pf(
			"v, ok := d.intern(b[from:to], %v)\nif !ok { return rejectText(%q, at, b[from:to], false) }", f.Fresh,
			f.Name,
		)
	}
	store("v")
}

// writeChunk writes the code that reads a length, with short lengths inline.
func writeChunk(s *source, f *field) {
	s.pf("var from, to int\nif i < len(b) && b[i] < 0x80 && int(b[i]) < len(b)-i {\nfrom, to = i+1, i+1+int(b[i])")
	s.pf("} else if from, to = chunk(b, i); to < 0 { return rejectShort(%q, at) }\ni = to", f.Name)
}

func writePacked(s *source, f *field) {
	writeChunk(s, f)
	s.pf("var r *RejectError")
	if f.Kind == word {
		s.pf("m.%s, r = protoWords(m.%s, b[:to], from, %q, last%s)", f.Go, f.Go, f.Name, f.Enum.Name)
	} else {
		s.pf("m.%s, r = protoNumbers(m.%s, b[:to], from, %q)", f.Go, f.Go, f.Name)
	}
	s.pf("if r != nil { return r }")
}

// tag returns the bytes of a tag as arguments of append.
func tag(num, wire int) string {
	v := num<<3 | wire
	if v < 0x80 {
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprintf("%#x, %#x", v&0x7f|0x80, v>>7)
}

func writeProtoAppend(c *contract, s *source) {
	s.imports = []string{"encoding/binary"}
	for _, m := range append([]*message{c.Event}, c.Messages...) {
		s.pf("func (m *%s) appendProto(dst []byte) []byte {", m.Name)
		for _, f := range m.Fields {
			writeProtoField(s, f)
		}
		if m.Name == "Event" {
			s.pf("switch p := m.Payload.(type) {")
			for _, p := range c.Payloads {
				s.pf("case *%s:\ndst = append(dst, %s, 0)\nn := len(dst)\ndst = closeChunk(p.appendProto(dst), n)", p.Message.Name,
					tag(p.Num, chunk))
			}
			s.pf("}")
		}
		s.pf("return dst\n}\n")
	}
}

// present is the condition under which a field is written.
func (f *field) present() string {
	switch {
	case f.Optional:
		return "m.Has" + f.Go
	case f.Repeated || f.Kind == words:
		return fmt.Sprintf("len(m.%s) > 0", f.Go)
	case f.Kind == text:
		return fmt.Sprintf("m.%s != \"\"", f.Go)
	case f.Kind == flag:
		return "m." + f.Go
	case f.Kind == nested && f.Required:
		return "true"
	case f.Kind == nested:
		return fmt.Sprintf("m.%s != (%s{})", f.Go, f.Message.Name)
	default:
		return fmt.Sprintf("m.%s != 0", f.Go)
	}
}

func writeProtoField(s *source, f *field) {
	open := func() {
		if cond := f.present(); cond == "true" {
			s.pf("{")
		} else {
			s.pf("if %s {", cond)
		}
	}
	v := "m." + f.Go
	t := tag(f.Num, f.wire())
	switch {
	case f.Repeated && f.Kind == text:
		s.pf("for _, v := range %s {\ndst = protoText(append(dst, %s), v)\n}", v, t)
		return
	case f.Kind == words:
		s.pf("for _, key := range keys(%s) {\ndst = appendProtoPair(append(dst, %s), key, %s[key])\n}", v, t, v)
		return
	case f.Repeated:
		open()
		s.pf("dst = appendProtoNumbers(append(dst, %s), %s)", tag(f.Num, chunk), v)
	case f.Kind == text:
		open()
		s.pf("dst = protoText(append(dst, %s), %s)", t, v)
	case f.Kind == flag:
		open()
		s.pf("dst = append(dst, %s, 1)", t)
	case f.Kind == fraction:
		open()
		s.pf("dst = appendProtoFraction(append(dst, %s), %s)", t, v)
	case f.Kind == moment:
		open()
		s.pf("dst = appendProtoMoment(append(dst, %s), %s)", t, v)
	case f.Kind == nested:
		open()
		s.pf("dst = append(dst, %s, 0)\nn := len(dst)\ndst = closeChunk(%s.appendProto(dst), n)", t, v)
	default:
		open()
		s.pf("dst = binary.AppendUvarint(append(dst, %s), uint64(%s))", t, v)
	}
	s.pf("}")
}
