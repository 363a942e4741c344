package schema_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/eventspb"
)

// payloadFields lists the fields of the oneof, in the order of the contract.
func payloadFields() []protoreflect.FieldDescriptor {
	oneof := (&eventspb.TableEvent{}).ProtoReflect().Descriptor().Oneofs().ByName("payload")
	list := make([]protoreflect.FieldDescriptor, oneof.Fields().Len())
	for i := range list {
		list[i] = oneof.Fields().Get(i)
	}
	return list
}

// builder makes legal events at random, through reflection, so that no field can be forgotten.
// Full events have every field set, with the first of its usual values.
type builder struct {
	rng  *rand.Rand
	full bool
}

func (b *builder) event(payload protoreflect.FieldDescriptor) *eventspb.TableEvent {
	ev := &eventspb.TableEvent{}
	m := ev.ProtoReflect()
	b.fill(m)
	p := m.NewField(payload)
	b.fill(p.Message())
	m.Set(payload, p)
	switch payload.Name() {
	case "table_closed", "dealer_assigned", "notice_posted", "device_reported", "tray_counted": // of no round
	default:
		ev.Round, ev.ShoeId = max(ev.GetRound(), 1), cmp.Or(ev.GetShoeId(), "s")
	}
	return ev
}

func (b *builder) fill(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
			continue
		}
		name := string(f.Name())
		needed := false
		switch name {
		case "event_id", "property_id", "table_id", "seq", "config":
			needed = true
		case "topic", "item", "seat", "phase", "deck_count", "wager_id", "spot", "change", "to_spot", "code", "hand",
			"treasure", "instruction",
			"card_seq", "to", "kind", "call":
			needed = m.Descriptor().Name() != "TableConfig"
		case "reason":
			needed = f.Kind() == protoreflect.EnumKind
		case "at":
			needed = m.Descriptor().Name() == "TableEvent"
		}
		if !needed && !b.full && b.rng.IntN(4) == 0 {
			continue
		}
		switch {
		case f.IsMap():
			b.fillMap(m.Mutable(f).Map(), name)
		case f.IsList():
			n := 2
			if !b.full {
				n = b.rng.IntN(5)
			}
			for j := range n {
				m.Mutable(f).List().Append(b.value(f, j))
			}
		case f.Kind() == protoreflect.MessageKind && f.Message().FullName() == "google.protobuf.Timestamp":
			m.Set(f, protoreflect.ValueOfMessage(b.time().ProtoReflect()))
		case f.Kind() == protoreflect.MessageKind:
			sub := m.NewField(f)
			b.fill(sub.Message())
			// An empty Actor and no Actor are one event for us: make only the latter.
			if needed || proto.Size(sub.Message().Interface()) > 0 {
				m.Set(f, sub)
			}
		default:
			m.Set(f, b.value(f, 0))
		}
	}
}

func (b *builder) fillMap(m protoreflect.Map, name string) {
	n := 2
	if !b.full {
		n = b.rng.IntN(4)
	}
	key := []string{"BANKER", "TIE", "", "dragon \"7\"\n"}
	for j := range n {
		val := b.text(name, j)
		if name == "posted_odds" || name == "posted_rows" {
			val = fmt.Sprintf("%d:1", j+8)
		}
		m.Set(protoreflect.ValueOfString(key[j]).MapKey(), protoreflect.ValueOfString(val))
	}
}

func (b *builder) time() *timestamppb.Timestamp {
	if b.full {
		return &timestamppb.Timestamp{Seconds: 1795130045, Nanos: 120_000_000}
	}
	t := &timestamppb.Timestamp{Seconds: b.rng.Int64N(2*9223372036) - 9223372036}
	switch b.rng.IntN(6) {
	case 0:
	case 1:
		t.Nanos = 1_000_000 * b.rng.Int32N(1000)
	case 2:
		t.Nanos = 1_000 * b.rng.Int32N(1_000_000)
	case 3:
		t.Seconds, t.Nanos = 9223372036, 854775807
	case 4:
		t.Seconds, t.Nanos = -1, 999_999_999
	default:
		t.Nanos = b.rng.Int32N(1_000_000_000)
	}
	if t.Seconds == 0 && t.Nanos == 0 {
		t.Nanos = 1
	}
	return t
}

func (b *builder) value(f protoreflect.FieldDescriptor, j int) protoreflect.Value {
	name := string(f.Name())
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(b.text(name, j))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		n := 1 + j
		if !b.full {
			n = 1 + b.rng.IntN(f.Enum().Values().Len()-1)
		}
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n))
	case protoreflect.Uint32Kind:
		if b.full {
			return protoreflect.ValueOfUint32(uint32(j + 3))
		}
		return protoreflect.ValueOfUint32(max(1, uint32(b.number())))
	case protoreflect.Uint64Kind:
		if b.full {
			return protoreflect.ValueOfUint64(412)
		}
		return protoreflect.ValueOfUint64(max(1, b.number()))
	case protoreflect.DoubleKind:
		if b.full {
			return protoreflect.ValueOfFloat64(0.998)
		}
		return protoreflect.ValueOfFloat64(pick(b.rng, 0, 1, 0.5, 1e-9, math.SmallestNonzeroFloat64, b.rng.Float64()))
	case protoreflect.Int64Kind:
		v := int64(b.number() >> 1)
		if name == "amount" || name == "coupon" || name == "delta" {
			v %= schema.MaxAmount + 1
		}
		if b.full {
			v = 2500
		}
		if (name == "delta" || name == "clock_offset_ms") && (b.full || b.rng.IntN(2) == 0) {
			v = -v
		}
		return protoreflect.ValueOfInt64(v)
	default:
		panic("no random value for " + f.FullName())
	}
}

func (b *builder) number() uint64 { return b.rng.Uint64() >> b.rng.IntN(64) }

func (b *builder) text(name string, j int) string {
	switch name {
	case "card", "indicator", "cards", "missing", "extra":
		if b.full {
			return []string{"6c", "Kh"}[j]
		}
		c := b.rng.IntN(53)
		if c == 52 {
			return "??"
		}
		return string([]byte{"A23456789TJQK"[c/4], "cdhs"[c%4]})
	}
	if b.full {
		return strings.ReplaceAll(name, "_", "-") + "-" + fmt.Sprint(j+1)
	}
	return pick(b.rng,
		fmt.Sprintf("%s-%d", name, b.rng.IntN(3)), "x",
		"a \"quoted\" \\ line\n\ttab\x00\x1f\x7f", "Grüße, 鋪 \U0001F0CF \u2028",
		strings.Repeat("long ", 51))
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func newBuilder(tb testing.TB, seed uint64) *builder {
	tb.Helper()
	return &builder{rng: rand.New(rand.NewPCG(seed, 1))}
}
