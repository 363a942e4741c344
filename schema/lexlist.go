package schema

// jsonRecord reads a record that must be exactly one event.
func (d *Decoder) jsonRecord(b []byte, ev *Event) *RejectError {
	i := skip(b, 0)
	if i == len(b) {
		return rejectEnd("", i)
	}
	i, r := d.jsonEvent(b, i, ev)
	if r != nil {
		return r
	}
	if i = skip(b, i); i < len(b) {
		return reject("", i, "expected the end of the record, found %s", shown(b[i:i+1]))
	}
	return nil
}

func (d *Decoder) jsonMoment(b []byte, i int, field string) (int64, int, *RejectError) {
	if b[i] == '"' {
		if j := quote(b, i+1); j > 0 {
			if ns, ok := parseMoment(b[i+1 : j]); ok {
				return ns, j + 1, nil
			}
		}
	}
	raw, next, r := d.jsonString(b, i, field)
	if r != nil {
		return 0, next, r
	}
	ns, ok := parseMoment(raw)
	if !ok {
		return 0, next, reject(field, i, `%s is no time such as "2026-11-19T23:14:05.120Z"; %s`, shown(raw), wantMoment)
	}
	return ns, next, nil
}

func jsonNumbers(dst []uint32, b []byte, i int, field string) ([]uint32, int, *RejectError) {
	i, more, r := jsonEnter(b, i, '[', ']')
	for more && r == nil {
		var v uint32
		if v, i, r = jsonUint32(b, i, field); r != nil {
			return dst, i, r
		}
		dst = append(dst, v)
		i, more, r = jsonNext(b, i, ']')
	}
	if r != nil {
		return dst, i, r.in(field)
	}
	return dst, i, nil
}

func jsonWords[W word[W]](d *Decoder, dst []W, b []byte, i int, field string) ([]W, int, *RejectError) {
	i, more, r := jsonEnter(b, i, '[', ']')
	for more && r == nil {
		var w W
		if w, i, r = jsonWord[W](d, b, i, field); r != nil {
			return dst, i, r
		}
		dst = append(dst, w)
		i, more, r = jsonNext(b, i, ']')
	}
	if r != nil {
		return dst, i, r.in(field)
	}
	return dst, i, nil
}

// jsonSideBets reads side bets of the contract; words of a rulebook are added to further.
func (d *Decoder) jsonSideBets(dst []SideBet, b []byte, i int, further *[]string) ([]SideBet, int, *RejectError) {
	const field = "side_bets"
	i, more, r := jsonEnter(b, i, '[', ']')
	for more && r == nil {
		w, after, wrong := jsonWord[SideBet](d, b, i, field)
		if wrong == nil {
			dst, i = append(dst, w), after
		} else if name, next := d.furtherWord(b, i); name != "" {
			*further, i = append(*further, name), next
		} else {
			return dst, after, wrong
		}
		i, more, r = jsonNext(b, i, ']')
	}
	if r != nil {
		return dst, i, r.in(field)
	}
	return dst, i, nil
}

// jsonTexts reads a list of strings that are unlikely to repeat.
func (d *Decoder) jsonTexts(dst []string, b []byte, i int, field string, id bool) ([]string, int, *RejectError) {
	i, more, r := jsonEnter(b, i, '[', ']')
	for more && r == nil {
		var s string
		if s, i, r = d.jsonText(b, i, field, id, true); r != nil {
			return dst, i, r
		}
		dst = append(dst, s)
		i, more, r = jsonNext(b, i, ']')
	}
	if r != nil {
		return dst, i, r.in(field)
	}
	return dst, i, nil
}

func (d *Decoder) jsonCards(dst []string, b []byte, i int, field string) ([]string, int, *RejectError) {
	i, more, r := jsonEnter(b, i, '[', ']')
	for more && r == nil {
		var s string
		at := i
		if s, i, r = d.jsonCard(b, i, field); r != nil {
			return dst, i, r
		}
		if s == "" {
			return dst, at, rejectCard(field, at, nil)
		}
		dst = append(dst, s)
		i, more, r = jsonNext(b, i, ']')
	}
	if r != nil {
		return dst, i, r.in(field)
	}
	return dst, i, nil
}

// jsonPairs reads a map of strings into m, which may be nil.
func (d *Decoder) jsonPairs(b []byte, i int, field string, odds bool, m *map[string]string) (int, *RejectError) {
	i, more, r := jsonEnter(b, i, '{', '}')
	for more && r == nil {
		at := i
		var raw []byte
		if raw, i, r = d.slowKey(b, i); r != nil {
			break
		}
		key, ok := d.intern(raw, false)
		if !ok {
			return at, rejectText(field, at, raw, false)
		}
		var val string
		if val, i, r = d.jsonText(b, i, key, false, false); r != nil {
			break
		}
		if r = put(m, key, val, field, at); r == nil && odds {
			r = checkOdds(key, val, field, at)
		}
		if r != nil {
			return at, r
		}
		i, more, r = jsonNext(b, i, '}')
	}
	if r != nil {
		return i, r.in(field)
	}
	return i, nil
}
