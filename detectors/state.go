package detectors

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fxamacker/cbor/v2"
)

// stateVersion is the version of the format that AppendState writes. It changes with the meaning of any declared state.
const stateVersion = 2

// maxLiveKeys and maxKeys bound the keys of a state that is restored, of a table and of a property.
const (
	maxLiveKeys = 1 << 16
	maxKeys     = 1 << 24
)

// hostState is the state of a host. A field of this or another state that is renamed, added or
// removed is a new version, with a new golden file in testdata.
type hostState struct {
	Version int
	// Detectors holds the state of each detector, by id.
	Detectors map[string]cbor.RawMessage
	Ledger    ledgerState
}

// ledgerState is the state of the ledger.
type ledgerState struct {
	Accounts map[accountKey]*account
}

// stateful is a process with a declared state: a struct, or a map of structs, whose exported fields hold all that
// does not follow from the budget and from the offer of the next round.
type stateful interface {
	// save returns the state, to be encoded before the next call of the process.
	save() any
	// load decodes what save returned, checks it, and rebuilds what follows from it.
	load(decode func(any) error) error
}

// AppendState appends the state of a host of NewLive or NewStored to dst, as deterministic CBOR (RFC 8949, section
// 4.2): equal states have equal bytes.
func (h *Host) AppendState(dst []byte) ([]byte, error) {
	mode, err := encoding()
	if err != nil {
		return dst, err
	}
	s := hostState{
		Version: stateVersion, Detectors: map[string]cbor.RawMessage{}, Ledger: ledgerState{h.ledger.accounts},
	}
	for i, p := range h.processes {
		id := h.detectors[i].ID
		x, ok := p.(stateful)
		if !ok {
			return dst, fmt.Errorf("encode state of detector %s: it has no declared state", id)
		}
		if s.Detectors[id], err = mode.Marshal(x.save()); err != nil {
			return dst, fmt.Errorf("encode state of detector %s: %w", id, err)
		}
	}
	b := bytes.NewBuffer(dst)
	if err := mode.NewEncoder(b).Encode(&s); err != nil {
		return dst, fmt.Errorf("encode state of detectors: %w", err)
	}
	return b.Bytes(), nil
}

// RestoreStored returns a host of NewStored with a state that AppendState wrote between two shoes.
func RestoreStored(budget Budget, data []byte) (*Host, error) {
	h := NewStored(budget)
	if err := h.restore(data, false); err != nil {
		return nil, fmt.Errorf("restore state of detectors: %w", err)
	}
	return h, nil
}

// RestoreLive returns a host of NewLive with a state that AppendState wrote. It behaves as the host that was saved. A
// state of another version, of other detectors or with other fields is refused.
func RestoreLive(budget Budget, data []byte) (*Host, error) {
	h := NewLive(budget)
	if err := h.restore(data, true); err != nil {
		return nil, fmt.Errorf("restore state of detectors: %w", err)
	}
	return h, nil
}

// restore takes a state. Exact refuses one that would be encoded in another way, which takes as long as reading it.
func (h *Host) restore(data []byte, exact bool) error {
	limit := maxKeys
	if exact {
		limit = maxLiveKeys
	}
	mode, err := decoding(limit)
	if err != nil {
		return err
	}
	s := hostState{Ledger: ledgerState{map[accountKey]*account{}}}
	if err := mode.Unmarshal(data, &s); err != nil {
		return err
	}
	if s.Version != stateVersion {
		return fmt.Errorf("version %d, this release reads version %d", s.Version, stateVersion)
	}
	for id := range s.Detectors {
		if !slices.ContainsFunc(h.detectors, func(d *Detector) bool { return d.ID == id }) {
			return fmt.Errorf("unknown detector %q", id)
		}
	}
	for i, p := range h.processes {
		id := h.detectors[i].ID
		state, ok := s.Detectors[id]
		if !ok {
			return fmt.Errorf("no state of detector %s", id)
		}
		if err := p.(stateful).load(func(v any) error { return mode.Unmarshal(state, v) }); err != nil {
			return fmt.Errorf("detector %s: %w", id, err)
		}
	}
	if err := h.checkAccounts(s.Ledger.Accounts); err != nil {
		return err
	}
	h.ledger.accounts = s.Ledger.Accounts
	if !exact {
		return nil
	}
	// A field that is missing decodes as zero, but is encoded again: only then do the bytes differ.
	again, err := h.AppendState(nil)
	if err == nil && !bytes.Equal(again, data) {
		err = errors.New("a field is missing, or the encoding is not deterministic")
	}
	return err
}

// checkAccounts refuses accounts that the host cannot have.
func (h *Host) checkAccounts(all map[accountKey]*account) error {
	for key, a := range all {
		i := slices.IndexFunc(h.detectors, func(d *Detector) bool { return d.ID == key.Detector })
		switch {
		case i < 0:
			return fmt.Errorf("ledger: account of unknown detector %q", key.Detector)
		case !slices.Contains(h.detectors[i].Keys, key.Key.Kind) || !h.keeps(key.Key.Kind):
			return fmt.Errorf("ledger: detector %s has no accounts of a %v", key.Detector, key.Key.Kind)
		case a == nil || len(a.Top) > 20 || math.IsNaN(a.LnR):
			return fmt.Errorf("ledger: invalid account of %s %v", key.Detector, key.Key)
		}
	}
	return nil
}

// encoding is deterministic CBOR. Keys of maps are text; an empty list or map is never null.
func encoding() (cbor.EncMode, error) {
	o := cbor.CoreDetEncOptions()
	o.TextMarshaler, o.NilContainers = cbor.TextMarshalerTextString, cbor.NilContainerAsEmpty
	return o.EncMode()
}

// decoding refuses unknown fields, repeated keys, and sizes beyond the limits of a state.
func decoding(limit int) (cbor.DecMode, error) {
	return cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive, IndefLength: cbor.IndefLengthForbidden,
		TagsMd: cbor.TagsForbidden, UTF8: cbor.UTF8RejectInvalid, TextUnmarshaler: cbor.TextUnmarshalerTextString,
		MaxNestedLevels: 16, MaxArrayElements: maxLiveKeys, MaxMapPairs: limit,
	}.DecMode()
}
