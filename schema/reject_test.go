package schema_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/schema"
)

const head = `{"event_id":"e","property_id":"p","table_id":"t","seq":1,"at":"2026-11-19T23:14:05Z",`

func TestRejectJSON(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{``, `event at byte 0: the record ends within the JSON`},
		{`[]`, `event at byte 0: expected an object, found a list`},
		{`null`, `event at byte 0: expected an object, found null`},
		{`not JSON`, `event at byte 0: expected an object, found "n"`},
		{`the end`, `event at byte 0: expected an object, found "t"`},
		{`{`, `event at byte 1: the record ends within the JSON`},
		{`{"event_id":"e"`, `event at byte 15: the record ends within the JSON`},
		{`{"event_id":"e`, `event_id at byte 14: the record ends within the JSON`},
		{`{"event_id":"e",}`, `event at byte 16: expected a key, found "}"`},
		{`{"event_id" "e"}`, `event at byte 12: expected ':' after the key "event_id"`},
		{`{"event_id":"e" "a":1}`, `event at byte 16: expected ',' or '}', found "\""`},
		{`{"eventId":"e"}`, `event at byte 1: unknown field "eventId"`},
		{`{"event_id":"e","event_id":"e"}`, `event_id at byte 16: given twice, expected once`},
		{`{"event_id":null,"\u0065vent_id":"e"}`, `event_id at byte 17: given twice, expected once`},
		{`{"event_id":7}`, `event_id at byte 12: expected a string, found a number`},
		{
			`{"event_id":"` + strings.Repeat("e", 257) + `"}`,
			`event_id at byte 12: an id of 257 bytes, expected at most 256`,
		},
		{`{"event_id":"` + "\xff" + `"}`, `event_id at byte 12: not valid UTF-8`},
		{`{"shoe_id":"` + "\xff" + `"}`, `shoe_id at byte 11: not valid UTF-8`},
		{"{\"shoe_id\":\"a\nb\"}", `shoe_id at byte 13: a control character in a string, expected an escape`},
		{`{"shoe_id":"\x"}`, `shoe_id at byte 12: "\\x" is no escape`},
		{`{"shoe_id":"\ud800"}`, `shoe_id at byte 12: "\\ud800" is no character`},
		{`{"shoe_id":"\ud800\u0041"}`, `shoe_id at byte 12: "\\ud800" is no character`},
		{`{"shoe_id":"\u00"}`, `shoe_id at byte 12: "\\u00\"}" is no character`},
		{`{"seq":-1}`, `seq at byte 7: expected an integer from 0 to 18446744073709551615, found "-1"`},
		{`{"seq":1.5}`, `seq at byte 7: expected an integer from 0 to 18446744073709551615, found "1.5"`},
		{`{"seq":1e3}`, `seq at byte 7: expected an integer from 0 to 18446744073709551615, found "1e3"`},
		{`{"seq":01}`, `seq at byte 7: expected an integer from 0 to 18446744073709551615, found "01"`},
		{
			`{"seq":18446744073709551616}`,
			`seq at byte 7: expected an integer from 0 to 18446744073709551615, found "18446744073709551616"`,
		},
		{`{"seq":"1 "}`, `seq at byte 7: expected an integer from 0 to 18446744073709551615, found "\"1"`},
		{`{"round":4294967296}`, `round at byte 9: expected an integer from 0 to 4294967295, found "4294967296"`},
		{`{"round":"3"}`, `round at byte 9: expected an integer from 0 to 4294967295, found "\"3\""`},
		{
			`{"at":"yesterday"}`,
			`at at byte 6: "yesterday" is no time such as "2026-11-19T23:14:05.120Z"; expected a time from 1677`,
		},
		{`{"at":"2026-02-29T00:00:00Z"}`, `at at byte 6: "2026-02-29T00:00:00Z" is no time`},
		{`{"at":"2026-11-19T23:14:05"}`, `at at byte 6: "2026-11-19T23:14:05" is no time`},
		{`{"at":"2026-11-19T23:14:05.1234567890Z"}`, `at at byte 6: "2026-11-19T23:14:05.1234567890Z" is no time`},
		{`{"at":"2262-04-11T23:47:16.854775808Z"}`, `at at byte 6: "2262-04-11T23:47:16.854775808Z" is no time`},
		{`{"at":"1677-09-21T00:12:43Z"}`, `at at byte 6: "1677-09-21T00:12:43Z" is no time`},
		{`{"at":"1970-01-01T00:00:00Z"}`, `at at byte 6: "1970-01-01T00:00:00Z" is no time`},
		{
			`{"actor":{"role":"CROUPIER"}}`,
			`actor.role at byte 17: "CROUPIER" is not a word of the contract, expected one of DEALER, CURATOR, ` +
				`BANKER, PATRON, SPECTATOR, FLOORPERSON, SUPERVISOR, SURVEILLANCE, DEVICE`,
		},
		{
			head + `"round":1,"wager_placed":{"wager_id":"w","seat":0,"spot":"TIE"}}`,
			`wager_placed.seat at byte 149: missing or 0, expected 1 or more`,
		},
		{
			head + `"round":1,"wager_placed":{"wager_id":"w","seat":1,"spot":"LUCKY_6"}}`,
			`wager_placed.spot at byte 142: "LUCKY_6" is not a word of the contract or of a loaded rulebook, expected one of ` +
				`BANKER, PLAYER, TIE`,
		},
		{`{"actor":{"role":"UNSPECIFIED"}}`, `actor.role at byte 17: "UNSPECIFIED" is not a word`},
		{`{"actor":{"role":1}}`, `actor.role at byte 17: expected one of the words DEALER, CURATOR`},
		{`{"actor":{"name":"x"}}`, `actor at byte 10: unknown field "name"`},
		{strings.Repeat("[", 100000), `event at byte 0: expected an object, found a list`},
		{strings.Repeat(`{"actor":`, 100000), `actor at byte 10: unknown field "actor"`},
		{head + `"round":1,"card_dealt":{"card":"6c","card_seq":1}}`, `card_dealt.hand at byte 135: missing`},
		{head + `"round":1,"card_dealt":{"card":"6c","hand":"PLAYER"}}`, `card_dealt.card_seq at byte 138: missing or 0, expected 1 or more`},
		{head + `"round_started":{}}`, `round at byte 104: missing or 0: round_started belongs to a round`},
		{
			head + `"shoe_shuffled":{"phase":"INITIAL"}}`,
			`shoe_id at byte 121: missing: a shoe begins with its first shuffle`,
		},
		{head + `"round":1,"announced":{}}`, `announced.code at byte 110: missing`},
		{head + `"round":1,"announced":{"code":"POINT_COUNT"}}`, `announced.hand at byte 130: missing`},
		{head + `"round":1,"wager_paid":{"seat":1,"amount":5}}`, `wager_paid.wager_id at byte 130: missing or empty`},
		{head + `"round_started":{}} x`, `event at byte 105: expected the end of the record, found "x"`},
		{
			head + `"round_started":{},"card_touched":{}}`,
			`card_touched at byte 119: a second payload, after round_started`,
		},
		{head + `"round_started":{},"round_started":null}`, `round_started at byte 104: given twice, expected once`},
		{head + `"round_started":{"a":1}}`, `round_started at byte 102: unknown field "a"`},
		{head + `"round_started":[]}`, `round_started at byte 101: expected an object, found a list`},
		{head + `"round_started":nil}`, `event at byte 101: expected a value, found "n"`},
		{head + `"round_started":null}`, `event at byte 106: no payload, expected one such as card_dealt`},
		{
			head + `"card_dealt":{"card":"1x"}}`,
			`card_dealt.card at byte 106: "1x" is no card, expected a card: one of A23456789TJQK, then one of cdhs, ` +
				`or "??"`,
		},
		{head + `"card_dealt":{"card":"10h"}}`, `card_dealt.card at byte 106: "10h" is no card`},
		{head + `"card_dealt":{"card":"?h"}}`, `card_dealt.card at byte 106: "?h" is no card`},
		{
			head + `"card_dealt":{"confidence":1.5}}`,
			`card_dealt.confidence at byte 112: "1.5" is out of range, expected 0 to 1`,
		},
		{
			head + `"card_dealt":{"confidence":.5}}`,
			`card_dealt.confidence at byte 112: expected a number from 0 to 1, found "."`,
		},
		{
			head + `"card_dealt":{"confidence":"NaN"}}`,
			`card_dealt.confidence at byte 112: expected a number from 0 to 1, found a string`,
		},
		{
			head + `"cut_offered":{"accepted":1}}`,
			`cut_offered.accepted at byte 111: expected true or false, found a number`,
		},
		{head + `"shoe_burned":{"cards":["6c",""]}}`, `shoe_burned.cards at byte 114: "" is no card`},
		{head + `"shoe_burned":{"cards":["6c",null]}}`, `shoe_burned.cards at byte 114: expected a string, found null`},
		{head + `"shoe_burned":{"cards":["6c",]}}`, `shoe_burned.cards at byte 114: expected a string, found "]"`},
		{head + `"wager_placed":{"amount":-1}}`, `wager_placed.amount at byte 110: -1 is negative, expected 0 or more`},
		{
			head + `"wager_placed":{"coupon":"-1"}}`,
			`wager_placed.coupon at byte 110: -1 is negative, expected 0 or more`,
		},
		{
			head + `"wager_paid":{"wager_id":"w1","amount":8000000000001}}`,
			`wager_paid.amount at byte 124: 8000000000001 minor units, expected at most 8000000000000`,
		},
		{
			head + `"wager_placed":{"coupon":"9223372036854775807"}}`,
			`wager_placed.coupon at byte 110: 9223372036854775807 minor units, expected at most 8000000000000`,
		},
		{
			head + `"wager_changed":{"delta":-8000000000001}}`,
			`wager_changed.delta at byte 110: -8000000000001 minor units, expected at most 8000000000000`,
		},
		{
			head + `"wager_placed":{"amount":9223372036854775808}}`,
			`wager_placed.amount at byte 110: expected an integer from -9223372036854775808 to 9223372036854775807, ` +
				`found "9223372036854775808"`,
		},
		{head + `"table_opened":{}}`, `table_opened.config at byte 100: missing`},
		{head + `"table_opened":{"config":null}}`, `table_opened.config at byte 110: null, expected an object`},
		{
			head + `"table_opened":{"config":{"posted_odds":{"TIE":"8 to 1"}}}}`,
			`table_opened.config.posted_odds.TIE at byte 126: "8 to 1": expected odds such as "8:1"`,
		},
		{
			head + `"table_opened":{"config":{"options":{"a":"1","a":"2"}}}}`,
			`table_opened.config.options at byte 130: the key "a" is given twice, expected once`,
		},
		{
			head + `"table_opened":{"config":{"min_wager":-5}}}`,
			`table_opened.config.min_wager at byte 123: -5 is negative, expected 0 or more`,
		},
		{
			head + `"table_opened":{"config":{"vigorish":{"unit":-5}}}}`,
			`table_opened.config.vigorish.unit at byte 130: -5 is negative`,
		},
		{
			head + `"table_opened":{"config":{"feeds":["RACK","ROCK"]}}}`,
			`table_opened.config.feeds at byte 127: "ROCK" is not a word`,
		},
		{strings.Replace(head, `"e"`, `""`, 1) + `"round_started":{}}`, `event_id at byte 103: missing or empty`},
		{strings.Replace(head, `"p"`, `""`, 1) + `"round_started":{}}`, `property_id at byte 103: missing or empty`},
		{strings.Replace(head, `"t"`, `null`, 1) + `"round_started":{}}`, `table_id at byte 105: missing or empty`},
		{
			strings.Replace(head, `:1,`, `:0,`, 1) + `"round_started":{}}`,
			`seq at byte 104: missing or 0, expected 1 or more`,
		},
		{strings.Replace(head, `"2026-11-19T23:14:05Z"`, `null`, 1) + `"round_started":{}}`, `at at byte 86: missing`},
	} {
		checkReject(t, schema.JSON, tt.in, tt.in, tt.want)
	}
}

// What the messages promise not to reject.
func TestAcceptJSON(t *testing.T) {
	const plain = head + `"round":1,"wager_changed":{"delta":-5,"change":"LOWERED","wager_id":"w"}}`
	d := schema.NewDecoder()
	var want schema.Event
	if err := d.Decode(schema.JSON, []byte(plain), &want); err != nil {
		t.Fatal(err)
	}
	want = want.Clone()
	for _, in := range []string{
		" \t\r\n" + strings.NewReplacer(":", " :\n", ",", " , ", "{", "{ ", "}", " }").Replace(strings.ReplaceAll(plain,
			"23:14:05", "TIME")) + "\n",
		strings.Replace(plain, `"delta":-5`, `"delta":"-5","to_spot":null`, 1),
		strings.Replace(plain, `"seq":1`, `"seq":"1","video":null,"actor":{},"card_dealt":null`, 1),
		strings.Replace(plain, `T23:14:05Z`, `T18:14:05.000-05:00`, 1),
		strings.Replace(plain, `"wager_id":"w"`, `"w\u0061ger_id":"\u0077"`, 1),
	} {
		in = strings.ReplaceAll(in, "TIME", "23:14:05")
		var got schema.Event
		if err := d.Decode(schema.JSON, []byte(in), &got); err != nil {
			t.Errorf("%s: %v", in, err)
		} else if diff := cmp.Diff(want, got.Clone()); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}

func TestRejectProto(t *testing.T) {
	// event_id e, property_id p, table_id t, seq 1, at 1 s.
	const head = "0a0165 120170 220174 2801 32020801 "
	for _, tt := range []struct{ in, want string }{
		{"", "event_id at byte 0: missing or empty"},
		{"0a", "event_id at byte 0: the record ends, or the number does not, within the value"},
		{"0a0565", "event_id at byte 0: the record ends"},
		{"80", "event at byte 0: the record ends"},
		{"ffffffffffffffffff7f", "event at byte 0: the record ends, or the number does not"},
		{"0a0165 0a0165", "event_id at byte 3: given twice, expected once"},
		{"0a01ff", `event_id at byte 0: not valid UTF-8`},
		{"3a01ff", `shoe_id at byte 0: not valid UTF-8`},
		{"0a8102" + strings.Repeat("65", 257), "event_id at byte 0: an id of 257 bytes, expected at most 256"},
		{"3a8102" + strings.Repeat("65", 257), "shoe_id at byte 0: an id of 257 bytes, expected at most 256"},
		{"0801", "event_id at byte 0: wire type 0 is not the contract's"},
		{"6001", "event at byte 0: unknown field number 12 (wire type 0)"},
		{"0001", "event at byte 0: unknown field number 0 (wire type 0)"},
		{"8093ebdc0301", "event at byte 0: unknown field number 124999984 (wire type 0)"},
		{"0b0c", "event_id at byte 0: wire type 3 is not the contract's"},
		{"408080808010", "round at byte 0: 4294967296 is too large, expected at most 4294967295"},
		{"4a020800", "actor.role at byte 2: 0 is the number of no word, expected one of DEALER, CURATOR"},
		{"4a02080a", "actor.role at byte 2: 10 is the number of no word"},
		{"4a0b08ffffffffffffffffff01", "actor.role at byte 2: -1 is the number of no word"},
		{"4a021a00", "actor at byte 2: unknown field number 3 (wire type 2)"},
		{"4a00 4a00", "actor at byte 2: given twice, expected once"},
		{"3200", "at at byte 2: 0 s 0 ns: expected a time from 1677"},
		{"32021801", "at at byte 2: unknown field number 3"},
		{"320408010801", "at.seconds at byte 4: given twice"},
		{"32061080 94ebdc03", "at at byte 2: 1000000000 nanoseconds, expected 0 to 999999999"},
		{"320b10ffffffffffffffffff01", "at at byte 2: -1 nanoseconds, expected 0 to 999999999"},
		{"32060885a08dae22", "at at byte 2: 9223491589 s 0 ns: expected a time from 1677"},
		{head, "event at byte 15: no payload"},
		{head + "820500 820500", "round_started at byte 18: a second payload, after round_started"},
		{head + "820500 ea0500", "card_touched at byte 18: a second payload, after round_started"},
		{head + "82050101", "round_started at byte 18: unknown field number 0 (wire type 1)"},
		{head + "8205020801", "round_started at byte 18: unknown field number 1"},
		{head + "c2050531783178", "card_dealt at byte 15: the record ends"},
		{head + "c205041a023178", `card_dealt.card at byte 18: "1x" is no card`},
		{head + "c20509 61000000000000f03f", "round at byte 27: missing or 0: card_dealt belongs to a round"},
		{head + "4001 c20509 61000000000000f03f", "card_dealt.hand at byte 29: missing"},
		{head + "4001 c2050d 61000000000000f03f 0801 2001", ""},
		{head + "c20509 61000000000000f83f", "card_dealt.confidence at byte 18: 1.5 is out of range, expected 0 to 1"},
		{head + "c20509 61000000000000f87f", "card_dealt.confidence at byte 18: NaN is out of range"},
		{head + "c20504 61000000", "card_dealt.confidence at byte 18: the record ends"},
		{head + "8a050b 20ffffffffffffffffff01", "wager_placed.amount at byte 18: -1 is negative, expected 0 or more"},
		{
			head + "8a0508 208180a2a9eae801",
			"wager_placed.amount at byte 18: 8000000000001 minor units, expected at most 8000000000000",
		},
		{head + "8a0502 4002", "wager_placed.area_ok at byte 18: 2 is no bool, expected 0 or 1"},
		{head + "a20100", "table_opened.config at byte 18: missing"},
		{
			head + "a2010d 0a0b 5a09 0a03544945 1202 3831",
			`table_opened.config.posted_odds.TIE at byte 22: "81": expected odds such as "8:1"`,
		},
		{
			head + "a20112 0a10 a20105 0a0161 1200 a20105 0a0161 1200",
			`table_opened.config.options at byte 31: the key "a" is given twice, expected once`,
		},
		{head + "a20106 0a04 3202 ff01", ""},
		{head + "a20105 0a03 3201 ff", "table_opened.config.seats at byte 22: the record ends"},
		{head + "a20107 0a05 4a03 010900", "table_opened.config.side_bets at byte 23: 9 is the number of no word"},
		{head + "82051b 0a19", "round_started at byte 15: the record ends"},
	} {
		in, err := hex.DecodeString(strings.ReplaceAll(tt.in, " ", ""))
		if err != nil {
			t.Fatalf("%s: %v", tt.in, err)
		}
		checkReject(t, schema.Protobuf, tt.in, string(in), tt.want)
	}
}

// checkReject wants the start of a message, or none if it is empty.
func checkReject(t *testing.T, format schema.Format, name, in, want string) {
	t.Helper()
	if len(name) > 200 {
		name = name[:200] + "..."
	}
	var ev schema.Event
	err := schema.NewDecoder().Decode(format, []byte(in), &ev)
	if want == "" {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	var r *schema.RejectError
	if !errors.As(err, &r) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%s:\n got %v\nwant %s", name, err, want)
	}
	if ev != (schema.Event{}) {
		t.Errorf("%s: a rejected event is not empty", name)
	}
}
