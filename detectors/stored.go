package detectors

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/shoeproof/shoeproof/record"
)

// storedVersion is the version of the format that WriteState writes. It changes with the meaning of any declared state.
const storedVersion = 4

// A stored state is a sequence of CBOR items (RFC 8742): a header, the state of each detector, the places and moments,
// the accounts. A property has several hundred thousand keys: each is an item, so that no part of the state is in
// memory twice.
type storedHeader struct {
	Version   int
	Detectors []string
	// Places, Moments and Accounts are their numbers.
	Places, Moments, Accounts int
}

// storedPlace, storedMoment and storedAccount refer to places and moments by 1 + their index.
type storedPlace struct {
	_                          struct{} `cbor:",toarray"`
	Property, Pit, Table, Shoe string
}

type storedMoment struct {
	_     struct{} `cbor:",toarray"`
	Place int
	At    int64
	Seq   record.Seq
	Round uint32
}

type storedAccount struct {
	_                 struct{} `cbor:",toarray"`
	Detector          uint8
	Kind              KeyKind
	ID                string
	Resting, Reported bool
	Rounds            int32
	AlarmAt, Latest   int64
	LnR               float64
	Since             int
	Money             int64
	// Effect has the fields of effect in order.
	Effect [9]float64
	Top    []storedWeight
}

type storedWeight struct {
	_      struct{} `cbor:",toarray"`
	Moment int
	LnE    float64
}

// streamed is a process whose state is maps by key, which are written and read a key at a time.
type streamed interface {
	streams() []stream
}

// stream is a map of a state.
type stream interface {
	write(*cbor.Encoder) error
	read(*cbor.Decoder, interned) error
}

// interned has one copy of each id that is read: the states and accounts of a key share it.
type interned map[string]string

func (n interned) of(id string) string {
	if known, ok := n[id]; ok {
		return known
	}
	id = strings.Clone(id)
	n[id] = id
	return id
}

// states is a map by key, or by the name of a key.
type states[K comparable, S any] struct {
	of    map[K]*S
	name  func(K) string
	parse func(string, interned) (K, bool)
	check func(*S) error
}

func byKey[S any](of map[Key]*S, check func(*S) error) stream {
	parse := func(name string, ids interned) (Key, bool) {
		key, ok := ParseKey(name)
		return Key{key.Kind, ids.of(key.ID)}, ok
	}
	return states[Key, S]{of, Key.String, parse, check}
}

func byName[S any](of map[string]*S, check func(*S) error) stream {
	same := func(name string) string { return name }
	parse := func(name string, ids interned) (string, bool) { return ids.of(name), true }
	return states[string, S]{of, same, parse, check}
}

func (s states[K, S]) write(e *cbor.Encoder) error {
	type named struct {
		name string
		key  K
	}
	all := make([]named, 0, len(s.of))
	for key := range s.of {
		all = append(all, named{s.name(key), key})
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.name, b.name) })
	err := e.Encode(len(all))
	for i := 0; i < len(all) && err == nil; i++ {
		err = errors.Join(e.Encode(all[i].name), e.Encode(s.of[all[i].key]))
	}
	return err
}

func (s states[K, S]) read(d *cbor.Decoder, ids interned) error {
	n := 0
	if err := d.Decode(&n); err != nil {
		return err
	}
	for range n {
		name, x := "", new(S)
		if err := errors.Join(d.Decode(&name), d.Decode(x)); err != nil {
			return err
		}
		key, ok := s.parse(name, ids)
		if !ok || s.of[key] != nil {
			return fmt.Errorf("key %q: unknown kind, or twice", name)
		}
		if err := s.check(x); err != nil {
			return fmt.Errorf("key %q: %w", name, err)
		}
		s.of[key] = x
	}
	return nil
}

// WriteState writes the state of a host of NewStored, between two shoes: equal states have equal bytes.
func (h *Host) WriteState(w io.Writer) error {
	mode, err := encoding()
	if err != nil {
		return err
	}
	to := bufio.NewWriterSize(w, 1<<16)
	e := mode.NewEncoder(to)
	keys, places, moments := h.ledger.numbered()
	header := storedHeader{Version: storedVersion, Places: len(places), Moments: len(moments), Accounts: len(keys)}
	for _, d := range h.detectors {
		header.Detectors = append(header.Detectors, d.ID)
	}
	if err := e.Encode(&header); err != nil {
		return fmt.Errorf("encode state of detectors: %w", err)
	}
	for i, p := range h.processes {
		if err := writeProcess(e, p); err != nil {
			return fmt.Errorf("encode state of detector %s: %w", h.detectors[i].ID, err)
		}
	}
	if err := h.ledger.write(e, keys, places, moments); err != nil {
		return fmt.Errorf("encode accounts: %w", err)
	}
	return to.Flush()
}

func writeProcess(e *cbor.Encoder, p process) error {
	if x, ok := p.(streamed); ok {
		for _, s := range x.streams() {
			if err := s.write(e); err != nil {
				return err
			}
		}
		return nil
	}
	x, ok := p.(stateful)
	if !ok {
		return errors.New("it has no declared state")
	}
	return e.Encode(x.save())
}

// numbered returns the keys of the accounts in order, and numbers their moments and places in the order of use.
func (l *ledger) numbered() (keys []accountKey, places []*place, moments []*moment) {
	keys = make([]accountKey, 0, len(l.accounts))
	for k, a := range l.accounts {
		keys = append(keys, k)
		a.moments(func(m *moment) { m.number, m.place.number = 0, 0 })
	}
	slices.SortFunc(keys, func(a, b accountKey) int {
		return cmp.Or(cmp.Compare(a.detector, b.detector), cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id))
	})
	for _, k := range keys {
		l.accounts[k].moments(func(m *moment) {
			if m.place.number == 0 {
				places = append(places, m.place)
				m.place.number = len(places)
			}
			if m.number == 0 {
				moments = append(moments, m)
				m.number = uint32(len(moments))
			}
		})
	}
	return keys, places, moments
}

// moments calls use with the moments of an account.
func (a *account) moments(use func(*moment)) {
	if a.since != nil {
		use(a.since)
	}
	for _, w := range a.top {
		use(w.moment)
	}
}

func (l *ledger) write(e *cbor.Encoder, keys []accountKey, places []*place, moments []*moment) error {
	for _, p := range places {
		if err := e.Encode(storedPlace{Property: p.property, Pit: p.pit, Table: p.table, Shoe: p.shoe}); err != nil {
			return err
		}
	}
	for _, m := range moments {
		if err := e.Encode(storedMoment{Place: m.place.number, At: m.at, Seq: m.seq, Round: m.round}); err != nil {
			return err
		}
	}
	for _, k := range keys {
		a := l.accounts[k]
		x, f := storedAccount{
			Detector: k.detector, Kind: k.kind, ID: k.id, Resting: a.resting, Reported: a.reported, Rounds: a.rounds,
			AlarmAt: a.alarmAt, Latest: a.latest, LnR: a.lnR, Money: a.money,
		}, &a.effect
		x.Effect = [...]float64{
			float64(f.N), float64(f.Times), f.Observed, f.Expected, f.Weights, f.Weighted, f.Spread, f.Squares, f.Sum,
		}
		if a.since != nil {
			x.Since = int(a.since.number)
		}
		for _, w := range a.top {
			x.Top = append(x.Top, storedWeight{Moment: int(w.moment.number), LnE: w.lnE})
		}
		if err := e.Encode(&x); err != nil {
			return err
		}
	}
	return nil
}

// ReadState returns a host of NewStored with a state that WriteState wrote. A state of another version, of other
// detectors or with other fields is refused.
func ReadState(budget Budget, r io.Reader) (*Host, error) {
	h := NewStored(budget)
	if err := h.read(r); err != nil {
		return nil, fmt.Errorf("restore state of detectors: %w", err)
	}
	return h, nil
}

func (h *Host) read(r io.Reader) error {
	mode, err := decoding(maxLiveKeys)
	if err != nil {
		return err
	}
	d, header, ids := mode.NewDecoder(r), storedHeader{}, interned{}
	if err := d.Decode(&header); err != nil {
		return err
	}
	if header.Version != storedVersion {
		return fmt.Errorf("version %d, this release reads version %d", header.Version, storedVersion)
	}
	if !slices.EqualFunc(header.Detectors, h.detectors, func(id string, d *Detector) bool { return id == d.ID }) {
		return fmt.Errorf("other detectors: %v", header.Detectors)
	}
	for i, p := range h.processes {
		if err := readProcess(d, p, ids); err != nil {
			return fmt.Errorf("detector %s: %w", h.detectors[i].ID, err)
		}
	}
	if err := h.readAccounts(d, &header, ids); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

func readProcess(d *cbor.Decoder, p process, ids interned) error {
	x, ok := p.(streamed)
	if !ok {
		return p.(stateful).load(d.Decode)
	}
	for _, s := range x.streams() {
		if err := s.read(d, ids); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) readAccounts(d *cbor.Decoder, header *storedHeader, ids interned) error {
	var places []*place
	for range header.Places {
		var p storedPlace
		if err := d.Decode(&p); err != nil {
			return err
		}
		places = append(places, &place{property: p.Property, pit: p.Pit, table: p.Table, shoe: p.Shoe})
	}
	moments := []*moment{nil}
	for range header.Moments {
		var m storedMoment
		if err := d.Decode(&m); err != nil {
			return err
		}
		if m.Place < 1 || m.Place > len(places) {
			return fmt.Errorf("place %d of %d", m.Place, len(places))
		}
		moments = append(moments, &moment{place: places[m.Place-1], at: m.At, seq: m.Seq, round: m.Round})
	}
	for range header.Accounts {
		var x storedAccount
		if err := d.Decode(&x); err != nil {
			return err
		}
		x.ID = ids.of(x.ID)
		if err := h.readAccount(&x, moments); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) readAccount(x *storedAccount, moments []*moment) error {
	key, f := accountKey{x.ID, x.Kind, x.Detector}, &x.Effect
	if err := h.checkAccount(key, len(x.Top), x.LnR); err != nil {
		return err
	}
	a := &account{
		resting: x.Resting, reported: x.Reported, rounds: x.Rounds, alarmAt: x.AlarmAt, latest: x.Latest, lnR: x.LnR,
		money: x.Money, effect: effect{
			N: int32(f[0]), Times: int32(f[1]), Observed: f[2], Expected: f[3], Weights: f[4], Weighted: f[5],
			Spread: f[6], Squares: f[7], Sum: f[8],
		},
	}
	for i, w := range x.Top {
		if w.Moment < 1 || w.Moment >= len(moments) {
			return fmt.Errorf("moment %d of %d", w.Moment, len(moments)-1)
		}
		if i == 0 {
			a.top = make([]weight, 0, len(x.Top))
		}
		a.top = append(a.top, weight{moments[w.Moment], w.LnE})
	}
	if x.Since < 0 || x.Since >= len(moments) {
		return fmt.Errorf("moment %d of %d", x.Since, len(moments)-1)
	}
	a.since = moments[x.Since]
	h.ledger.accounts[key] = a
	return nil
}

// checkAccount refuses an account that the host cannot have.
func (h *Host) checkAccount(key accountKey, top int, lnR float64) error {
	i := slices.IndexFunc(h.detectors, func(d *Detector) bool { return d.number() == key.detector })
	switch {
	case i < 0:
		return fmt.Errorf("account of unknown detector %d", key.detector)
	case !slices.Contains(h.detectors[i].Keys, key.kind) || !h.keeps(key.kind):
		return fmt.Errorf("detector %s has no accounts of a %v", h.detectors[i].ID, key.kind)
	case top > topRounds || math.IsNaN(lnR):
		return fmt.Errorf("invalid account of %s %v", h.detectors[i].ID, key.key())
	}
	return nil
}
