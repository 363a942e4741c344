// Package schema is the contract with the casino's table systems: the events, their strict
// decoders and encoders, and the files that hold them.
//
// The contract is schema/proto/shoeproof/events/v1/events.proto. Package eventspb is protobuf-go's
// view of it, for tools and as the oracle of the tests; the types here are what the product uses.
package schema

// Payload is what an event says happened: a pointer to one of the payload structs.
//
//sumtype:decl
type Payload interface {
	// Kind says which payload it is.
	Kind() Kind
	isPayload()
	clone() Payload
}

// Kinds lists every kind, in the order of the contract.
func Kinds() []Kind {
	kinds := make([]Kind, 0, lastKind)
	for k := Kind(1); k <= lastKind; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// Clone is a copy that shares nothing with the event, nor with the decoder that made it.
func (ev *Event) Clone() Event {
	c := *ev
	if ev.Payload != nil {
		c.Payload = ev.Payload.clone()
	}
	return c
}
