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

// WriteState writes the state between two shoes: equal states have equal bytes. They do not depend on the division into
// hosts.
func (s Stored) WriteState(w io.Writer) error { return hosts(s[:]).write(w) }

// hosts run the detectors of stored facts, each of them in one host.
type hosts []*Host

// of is the host of a detector, and the process there.
func (all hosts) of(d *Detector) (*Host, process) {
	for _, h := range all {
		if i := slices.Index(h.detectors, d); i >= 0 {
			return h, h.processes[i]
		}
	}
	return nil, nil
}

func (all hosts) write(w io.Writer) error {
	mode, err := encoding()
	if err != nil {
		return err
	}
	to := bufio.NewWriterSize(w, 1<<16)
	e := mode.NewEncoder(to)
	x := all.numbered()
	header := storedHeader{
		Version: storedVersion, Places: len(x.places), Moments: len(x.moments), Accounts: len(x.accounts),
	}
	detectors := withKeys(false)
	for _, d := range detectors {
		header.Detectors = append(header.Detectors, d.ID)
	}
	if err := e.Encode(&header); err != nil {
		return fmt.Errorf("encode state of detectors: %w", err)
	}
	for _, d := range detectors {
		_, p := all.of(d)
		if err := writeProcess(e, p); err != nil {
			return fmt.Errorf("encode state of detector %s: %w", d.ID, err)
		}
	}
	if err := x.write(e); err != nil {
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

// accountOf is an account with its key and its ledger.
type accountOf struct {
	key Key
	*account
	in *ledger
}

// numbered are the accounts of hosts in order, and their places and moments in the order of use. Numbers gives 1 + the
// index of a moment of a ledger. A moment of several ledgers is one.
type numbered struct {
	accounts []accountOf
	places   []place
	moments  []storedMoment
	numbers  map[*ledger][]int32
}

func (all hosts) numbered() (x numbered) {
	x.numbers = map[*ledger][]int32{}
	for _, h := range all {
		x.numbers[h.ledger] = make([]int32, h.ledger.moments.count+1)
		for key, a := range h.ledger.accounts {
			for ; a != nil; a = a.next {
				x.accounts = append(x.accounts, accountOf{key, a, h.ledger})
			}
		}
	}
	slices.SortFunc(x.accounts, func(a, b accountOf) int {
		return cmp.Or(cmp.Compare(a.detector, b.detector), cmp.Compare(a.key.Kind, b.key.Kind),
			cmp.Compare(a.key.ID, b.key.ID))
	})
	placed, known := map[place]int{}, map[storedMoment]int32{}
	for _, a := range x.accounts {
		numbers := x.numbers[a.in]
		a.eachMoment(func(ref *momentRef) {
			if numbers[*ref] != 0 {
				return
			}
			m := a.in.moments.at(*ref)
			if placed[*m.place] == 0 {
				x.places = append(x.places, *m.place)
				placed[*m.place] = len(x.places)
			}
			stored := storedMoment{Place: placed[*m.place], At: m.at, Seq: m.seq, Round: m.round}
			if known[stored] == 0 {
				x.moments = append(x.moments, stored)
				known[stored] = int32(len(x.moments))
			}
			numbers[*ref] = known[stored]
		})
	}
	return x
}

func (x *numbered) write(e *cbor.Encoder) error {
	for _, p := range x.places {
		if err := e.Encode(storedPlace{Property: p.property, Pit: p.pit, Table: p.table, Shoe: p.shoe}); err != nil {
			return err
		}
	}
	for _, m := range x.moments {
		if err := e.Encode(m); err != nil {
			return err
		}
	}
	for _, a := range x.accounts {
		numbers := x.numbers[a.in]
		to, f := storedAccount{
			Detector: a.detector, Kind: a.key.Kind, ID: a.key.ID, Resting: a.resting, Reported: a.reported, Rounds: a.rounds,
			AlarmAt: a.alarmAt, Latest: a.latest, LnR: a.lnR, Money: a.money, Since: int(numbers[a.since]),
		}, &a.effect
		to.Effect = [...]float64{
			float64(f.N), float64(f.Times), f.Observed, f.Expected, f.Weights, f.Weighted, f.Spread, f.Squares, f.Sum,
		}
		for i := range a.listed {
			to.Top = append(to.Top, storedWeight{Moment: int(numbers[a.top.moments[i]]), LnE: a.top.lnE[i]})
		}
		if err := e.Encode(&to); err != nil {
			return err
		}
	}
	return nil
}

// ReadState returns the detectors with a state that WriteState wrote. A state of another version, of other detectors or
// with other fields is refused.
func ReadState(budget Budget, r io.Reader) (Stored, error) {
	s := NewStored(budget)
	return s, hosts(s[:]).read(r)
}

func (all hosts) read(r io.Reader) error {
	if err := all.decode(r); err != nil {
		return fmt.Errorf("restore state of detectors: %w", err)
	}
	return nil
}

func (all hosts) decode(r io.Reader) error {
	mode, err := decoding(maxLiveKeys)
	if err != nil {
		return err
	}
	d, header, detectors := mode.NewDecoder(r), storedHeader{}, withKeys(false)
	if err := d.Decode(&header); err != nil {
		return err
	}
	if header.Version < storedOldest || header.Version > storedVersion {
		return fmt.Errorf("version %d, this release reads version %d", header.Version, storedVersion)
	}
	if !slices.EqualFunc(header.Detectors, detectors, func(id string, d *Detector) bool { return id == d.ID }) {
		return fmt.Errorf("other detectors: %v", header.Detectors)
	}
	for _, of := range detectors {
		h, p := all.of(of)
		if err := readProcess(d, p, h.names); err != nil {
			return fmt.Errorf("detector %s: %w", of.ID, err)
		}
	}
	if err := all.readAccounts(d, &header); err != nil {
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

func (all hosts) readAccounts(d *cbor.Decoder, header *storedHeader) error {
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
		for _, h := range all {
			h.ledger.moments.add(moment{place: places[m.Place-1], at: m.At, seq: m.Seq, round: m.Round})
		}
	}
	for range header.Accounts {
		var x storedAccount
		if err := d.Decode(&x); err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(h *Host) bool { return h.detectorOf(x.Detector) != nil })
		if i < 0 {
			return fmt.Errorf("account of unknown detector %d", x.Detector)
		}
		x.ID = all[i].names.of(x.ID)
		if err := all[i].readAccount(&x); err != nil {
			return err
		}
	}
	for _, h := range all { // without the moments of the others
		h.ledger.compact()
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
