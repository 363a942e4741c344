// Package schema is the contract with the casino's table systems.
//
// A table sends events: a card is dealt, a wager is paid. Decoder decodes one event, from Protobuf or JSON, and rejects
// whatever has no single meaning. An Event has its identity, its position in the order of the table (Seq) and one
// Payload. AppendProto and AppendJSON encode it again; Reader and Writer read and write files of events. The package
// knows no rule of the game and judges nothing.
//
// The contract is schema/proto/shoeproof/events/v1/events.proto; the types and codecs are generated from it. Package
// eventspb has the types of protobuf-go for the same contract, for tools and as the oracle of the tests.
package schema

// Payload is the content of an event: a pointer to one of the payload structs.
//
//sumtype:decl
type Payload interface {
	// Kind is the kind of the payload.
	Kind() Kind
	isPayload()
	clone() Payload
}

// Kinds returns all kinds in the order of the contract.
func Kinds() []Kind {
	kinds := make([]Kind, 0, lastKind)
	for k := Kind(1); k <= lastKind; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// Clone returns a copy that shares no memory with the event or its decoder.
func (ev *Event) Clone() Event {
	c := *ev
	if ev.Payload != nil {
		c.Payload = ev.Payload.clone()
	}
	return c
}
