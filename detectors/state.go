package detectors

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"
)

// stateVersion is the version of the format that AppendState writes. It changes with the meaning of any declared state.
const stateVersion = 2

// maxLiveKeys bounds the keys of a state that is restored.
const maxLiveKeys = 1 << 16

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
	Accounts map[accountName]*accountState
}

// accountName names an account in text: the id of the detector, a space and the key.
type accountName struct {
	Detector string
	Key      Key
}

// MarshalText writes the name.
func (k accountName) MarshalText() ([]byte, error) {
	return []byte(k.Detector + " " + k.Key.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (k *accountName) UnmarshalText(text []byte) error {
	detector, key, ok := strings.Cut(string(text), " ")
	if !ok {
		return fmt.Errorf("parse account %q: want a detector and a key", text)
	}
	k.Detector = detector
	return k.Key.UnmarshalText([]byte(key))
}

// accountState is the state of an account.
type accountState struct {
	Resting         bool
	Case            bool `cbor:",omitempty"`
	AlarmAt, Latest int64
	LnR             float64
	Since           Location
	Rounds          int
	Money           int64
	Effect          effect
	Top             []Weight
}

// state is the state of the accounts.
func (l *ledger) state() ledgerState {
	all := make(map[accountName]*accountState, len(l.accounts))
	for key, a := range l.accounts {
		for ; a != nil; a = a.next {
			all[accountName{fmt.Sprintf("d%02d", a.detector), key}] = &accountState{
				Resting: a.resting, Case: a.reported, AlarmAt: a.alarmAt, Latest: a.latest, LnR: a.lnR,
				Since: l.moments.location(a.since), Rounds: int(a.rounds), Money: a.money, Effect: a.effect, Top: l.list(a),
			}
		}
	}
	return ledgerState{all}
}

// restore returns the account of a state.
func (s *accountState) restore(at func(*Location) momentRef) *account {
	a := &account{
		resting: s.Resting, reported: s.Case, alarmAt: s.AlarmAt, latest: s.Latest, lnR: s.LnR, rounds: int32(s.Rounds),
		money: s.Money, effect: s.Effect,
	}
	if s.Since != (Location{}) {
		a.since = at(&s.Since)
	}
	for i := range s.Top {
		a.list(at(&s.Top[i].Location), s.Top[i].LnE)
	}
	return a
}

// stateful is a process with a declared state: a struct, or a map of structs, whose exported fields hold all that
// does not follow from the budget and from the offer of the next round.
type stateful interface {
	// save returns the state, to be encoded before the next call of the process.
	save() any
	// load decodes what save returned, checks it, and rebuilds what follows from it.
	load(decode func(any) error) error
}

// AppendState appends the state of a host of NewLive to dst, as deterministic CBOR (RFC 8949, section
// 4.2): equal states have equal bytes.
func (h *Host) AppendState(dst []byte) ([]byte, error) {
	mode, err := encoding()
	if err != nil {
		return dst, err
	}
	s := hostState{
		Version: stateVersion, Detectors: map[string]cbor.RawMessage{}, Ledger: h.ledger.state(),
	}
	for i, p := range h.processes {
		id := h.detectors[i].ID
		x, ok := p.(stateful)
		if !ok {
			return dst, fmt.Errorf("encode state of detector %s: it has no declared state, want the methods save and load", id)
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

// RestoreLive returns a host of NewLive with a state that AppendState wrote. It behaves as the host that was saved. A
// state of another version, of other detectors or with other fields is refused.
func RestoreLive(budget Budget, data []byte) (*Host, error) {
	h := NewLive(budget)
	if err := h.restore(data); err != nil {
		return nil, fmt.Errorf("restore state of detectors: %w", err)
	}
	return h, nil
}

// restore takes a state. It refuses a state that would be encoded in another way.
func (h *Host) restore(data []byte) error {
	mode, err := decoding(maxLiveKeys)
	if err != nil {
		return err
	}
	s := hostState{Ledger: ledgerState{map[accountName]*accountState{}}}
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
	if err := h.restoreAccounts(s.Ledger.Accounts); err != nil {
		return err
	}
	// A field that is missing decodes as zero, but is encoded again: only then do the bytes differ.
	again, err := h.AppendState(nil)
	if err == nil && !bytes.Equal(again, data) {
		err = errors.New("a field is missing, or the encoding is not deterministic")
	}
	return err
}

// restoreAccounts takes accounts, and refuses those that the host cannot have.
func (h *Host) restoreAccounts(all map[accountName]*accountState) error {
	known := map[Location]momentRef{}
	moments := func(l *Location) momentRef {
		m := known[*l]
		if m == 0 {
			m = h.ledger.moments.of(l)
			known[*l] = m
		}
		return m
	}
	for key, a := range all {
		i := slices.IndexFunc(h.detectors, func(d *Detector) bool { return d.ID == key.Detector })
		if i < 0 || a == nil {
			return fmt.Errorf("ledger: account of unknown detector %q, or none", key.Detector)
		}
		d := h.detectors[i]
		if err := h.checkAccount(d.number(), key.Key, len(a.Top), a.LnR); err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		h.ledger.put(d, key.Key, a.restore(moments))
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
