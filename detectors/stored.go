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
const storedVersion = 6

// storedOldest is the oldest version that is read: before version 6 offsetting bets had no road, before version 5 pairs
// of a dealer and a patron had stakes of their own.
const storedOldest = 4

// A stored state is a sequence of CBOR items (RFC 8742): a header, the state of each detector, the places and moments,
// the accounts. A property has several hundred thousand keys: each is an item, so that no part of the state is in
// memory twice.
type storedHeader struct {
	Version   int
	Detectors []string
	// Places, Moments and Accounts are their numbers.
	Places, Moments, Accounts int
}

// storedMoment and storedAccount refer to places and moments by 1 + their index.
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

// interned has one copy of each id: the states and accounts of a key share it.
type interned map[string]string

func (n interned) of(id string) string {
	if n == nil {
		return id
	}
	if known, ok := n[id]; ok {
		return known
	}
	id = strings.Clone(id)
	n[id] = id
	return id
}

// pair is the id of a dealer and a patron.
func (n interned) pair(dealer, patron string) string {
	var room [128]byte
	id := append(append(append(room[:0], dealer...), '+'), patron...)
	if known, ok := n[string(id)]; ok {
		return known
	}
	return n.of(string(id))
}

// forget drops the ids of patrons and dealers without an account.
func (n interned) forget(l *ledger) {
	clear(n)
	for key := range l.accounts {
		if key.Kind == OfPatron || key.Kind == OfDealer || key.Kind == OfDealerPatron {
			n[key.ID] = key.ID
		}
	}
}

// states is a map by key, or by the name of a key.
type states[K comparable, S any] struct {
	of    map[K]*S
	name  func(K) string
	parse func(string, interned) (K, bool)
	check func(*S) error
	// ready, if not nil, is called with each state that is read.
	ready func(K, *S)
}

func byKey[S any](of map[Key]*S, check func(*S) error) states[Key, S] {
	parse := func(name string, ids interned) (Key, bool) {
		key, ok := ParseKey(name)
		return Key{key.Kind, ids.of(key.ID)}, ok
	}
	return states[Key, S]{of: of, name: Key.String, parse: parse, check: check}
}

func byName[S any](of map[string]*S, check func(*S) error) stream {
	same := func(name string) string { return name }
	parse := func(name string, ids interned) (string, bool) { return ids.of(name), true }
	return states[string, S]{of: of, name: same, parse: parse, check: check}
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
		if s.of[key] = x; s.ready != nil {
			s.ready(key, x)
		}
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
	all := h.ledger.numbered()
	header := storedHeader{
		Version: storedVersion, Places: len(all.places), Moments: len(all.moments), Accounts: len(all.accounts),
	}
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
	if err := h.ledger.write(e, &all); err != nil {
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

// accountOf is an account with its key.
type accountOf struct {
	key Key
	*account
}

// numbered returns the accounts in order, and their places and moments in the order of use. Numbers gives 1 + the index
// of a moment, placed that of a place.
func (l *ledger) numbered() (x numbered) {
	x.numbers, x.placed = make([]int32, l.moments.count+1), map[*place]int{}
	for key, a := range l.accounts {
		for ; a != nil; a = a.next {
			x.accounts = append(x.accounts, accountOf{key, a})
		}
	}
	slices.SortFunc(x.accounts, func(a, b accountOf) int {
		return cmp.Or(cmp.Compare(a.detector, b.detector), cmp.Compare(a.key.Kind, b.key.Kind),
			cmp.Compare(a.key.ID, b.key.ID))
	})
	for _, a := range x.accounts {
		a.eachMoment(func(ref *momentRef) {
			m := l.moments.at(*ref)
			if x.placed[m.place] == 0 {
				x.places = append(x.places, m.place)
				x.placed[m.place] = len(x.places)
			}
			if x.numbers[*ref] == 0 {
				x.moments = append(x.moments, *ref)
				x.numbers[*ref] = int32(len(x.moments))
			}
		})
	}
	return x
}

// numbered are accounts, places and moments to be written; see ledger.numbered.
type numbered struct {
	accounts []accountOf
	places   []*place
	moments  []momentRef
	numbers  []int32
	placed   map[*place]int
}

func (l *ledger) write(e *cbor.Encoder, all *numbered) error {
	for _, p := range all.places {
		if err := e.Encode(storedPlace{Property: p.property, Pit: p.pit, Table: p.table, Shoe: p.shoe}); err != nil {
			return err
		}
	}
	for _, ref := range all.moments {
		m := l.moments.at(ref)
		if err := e.Encode(storedMoment{Place: all.placed[m.place], At: m.at, Seq: m.seq, Round: m.round}); err != nil {
			return err
		}
	}
	for _, a := range all.accounts {
		x, f := storedAccount{
			Detector: a.detector, Kind: a.key.Kind, ID: a.key.ID, Resting: a.resting, Reported: a.reported, Rounds: a.rounds,
			AlarmAt: a.alarmAt, Latest: a.latest, LnR: a.lnR, Money: a.money, Since: int(all.numbers[a.since]),
		}, &a.effect
		x.Effect = [...]float64{
			float64(f.N), float64(f.Times), f.Observed, f.Expected, f.Weights, f.Weighted, f.Spread, f.Squares, f.Sum,
		}
		for i := range a.listed {
			x.Top = append(x.Top, storedWeight{Moment: int(all.numbers[a.top.moments[i]]), LnE: a.top.lnE[i]})
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
	d, header, ids := mode.NewDecoder(r), storedHeader{}, h.names
	if err := d.Decode(&header); err != nil {
		return err
	}
	if header.Version < storedOldest || header.Version > storedVersion {
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
	for range header.Moments {
		var m storedMoment
		if err := d.Decode(&m); err != nil {
			return err
		}
		if m.Place < 1 || m.Place > len(places) {
			return fmt.Errorf("place %d of %d", m.Place, len(places))
		}
		h.ledger.moments.add(moment{place: places[m.Place-1], at: m.At, seq: m.Seq, round: m.Round})
	}
	for range header.Accounts {
		var x storedAccount
		if err := d.Decode(&x); err != nil {
			return err
		}
		x.ID = ids.of(x.ID)
		if err := h.readAccount(&x); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) readAccount(x *storedAccount) error {
	key, f := Key{x.Kind, x.ID}, &x.Effect
	if err := h.checkAccount(x.Detector, key, len(x.Top), x.LnR); err != nil {
		return err
	}
	a := &account{
		resting: x.Resting, reported: x.Reported, rounds: x.Rounds, alarmAt: x.AlarmAt, latest: x.Latest, lnR: x.LnR,
		money: x.Money, since: momentRef(x.Since), effect: effect{
			N: int32(f[0]), Times: int32(f[1]), Observed: f[2], Expected: f[3], Weights: f[4], Weighted: f[5],
			Spread: f[6], Squares: f[7], Sum: f[8],
		},
	}
	count := h.ledger.moments.count
	if x.Since < 0 || x.Since > count {
		return fmt.Errorf("moment %d of %d", x.Since, count)
	}
	for _, w := range x.Top {
		if w.Moment < 1 || w.Moment > count {
			return fmt.Errorf("moment %d of %d", w.Moment, count)
		}
		a.list(momentRef(w.Moment), w.LnE)
	}
	h.ledger.put(h.detectorOf(x.Detector), key, a)
	return nil
}

// detectorOf is the detector of a number, nil if the host does not run it.
func (h *Host) detectorOf(number uint8) *Detector {
	for _, d := range h.detectors {
		if d.number() == number {
			return d
		}
	}
	return nil
}

// list adds a round behind those with stronger evidence.
func (a *account) list(m momentRef, lnE float64) {
	if a.top == nil {
		a.top = &strongest{}
	}
	a.top.moments[a.listed], a.top.lnE[a.listed] = m, lnE
	a.listed++
}

// checkAccount refuses an account that the host cannot have.
func (h *Host) checkAccount(detector uint8, key Key, top int, lnR float64) error {
	d := h.detectorOf(detector)
	switch {
	case d == nil:
		return fmt.Errorf("account of unknown detector %d", detector)
	case !slices.Contains(d.Keys, key.Kind) || !h.keeps(key.Kind):
		return fmt.Errorf("detector %s has no accounts of a %v", d.ID, key.Kind)
	case top > topRounds || math.IsNaN(lnR):
		return fmt.Errorf("invalid account of %s %v", d.ID, key)
	}
	return nil
}
