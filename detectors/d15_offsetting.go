package detectors

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/schema"
)

var d15 = &Detector{
	ID: "d15", Name: "offsetting bets", Tier: Calibrated,
	Observes: "the main bets of two accounts, of one against two, or of a group of four to six, in the common rounds of " +
		"a visit: how much of them offsets",
	Null: "each chooses side and stake without regard to the other, and may follow the road: the bets of one go as well " +
		"with the other's bets of another round after the same winner; calibrated on the visit, outside the budget",
	Reports: "common rounds, the part that offset, turnover and net result, if at least 30 rounds, most of the turnover " +
		"and the turnover of the policy offset; two habits that offset, constant or by the road, are reported as a fact of " +
		"severity info",
	Keys:    []KeyKind{OfPair},
	lnFixed: lnMillion,
	start: func(b *Budget) process {
		return &offsetting{budget: b, keyedStates: keyedStates[offsetState]{keys: map[Key]*offsetState{}}}
	},
}

const (
	// offsetRounds is the minimum number of common rounds of a reported pair.
	offsetRounds = 30
	// offsetBlock is the maximum number of rounds whose bets are exchanged with each other.
	offsetBlock = 120
	// offsetTrial is after how many rounds three or more accounts whose bets do not offset are left until the end of
	// the block: there are many of them.
	offsetTrial = 24
	// groupMin and groupMax are the accounts of a group, of at most groupBets at a table. There are at most groupStarts
	// times as many groups as pairs: each has a smaller start.
	groupMin, groupMax, groupBets, groupStarts = 4, 6, 9, 16
)

// offsetWeights are the experts: by how much bets that offset fully are more likely.
var offsetWeights = [...]float64{2, 20}

// offsetting is d15.
type offsetting struct {
	inert
	budget *Budget
	keyedStates[offsetState]
	bets []mainBet // of a round, by patron
	nets []groupNet
	// several has a bit for each name of three accounts or more with a state, by joint: a round has hundreds of such
	// names, nearly all without one.
	several [1 << (jointBits - 6)]uint64
	// currency is that of the round, name the scratch of a key, road that of the table before the round.
	currency string
	name     []byte
	road     uint8
}

// offsetState is the state of a pair, or of one against two, in a visit. Others are the bets of the second side in the
// Block latest rounds: people have few distinct stakes.
type offsetState struct {
	Visit   visit
	Mixture [len(offsetWeights)]float64
	LnE     float64
	Others  []sameBets
	// Left is for how many more common rounds the account is left.
	Block, Left, Rounds, Opposite int32
	// Turnover, Open and Net are of the common rounds: the stakes, what of them did not offset, and the result.
	Turnover, Open, Net int64
	Reported            bool
	// Road, of a table, is the latest result that is not a tie: the winner as baccarat.Result, 0 before the first one.
	// Many patrons follow it, and many bet against it: two of them offset and have nothing to do with each other.
	Road uint8

	id string // of the key
}

// sameBets counts equal bets, on Player less Banker, minor units, after the same winner.
type sameBets struct {
	On    int64
	Times int32
	Road  uint8
}

// add takes a bet of the second side. The bets of a full block are dropped first.
func (s *offsetState) add(on int64, road uint8) {
	if s.Block == offsetBlock {
		s.Others, s.Block = s.Others[:0], 0
	}
	s.Block++
	at := slices.IndexFunc(s.Others, func(o sameBets) bool { return o.On == on && o.Road == road })
	if at < 0 {
		if at = len(s.Others); at == cap(s.Others) { // there are many states: append would double the list
			s.Others = append(make([]sameBets, 0, at+4), s.Others...)
		}
		s.Others = append(s.Others, sameBets{On: on, Road: road})
	}
	s.Others[at].Times++
}

// mainBet is what a patron has on the Player spot less that on the Banker spot.
type mainBet struct {
	patron string
	joint  joint // of the patron alone
	on     int64
	net    int64
}

// joint is a polynomial hash of a name, modulo 2^64, with the power of its length. That of accounts that are joined
// with "+" is computed from the joints of their names. Two names with one bit cost a search, and change nothing.
type joint struct{ hash, power uint64 }

const (
	jointBase = 0x9e3779b97f4a7c15
	jointBits = 20
)

// bit is the place of the bit of a name.
func (j joint) bit() (word int, mask uint64) {
	at := j.hash * jointBase >> (64 - jointBits)
	return int(at >> 6), 1 << (at & 63)
}

func jointOf(name string) joint {
	j := joint{0, 1}
	for i := range len(name) {
		j.hash, j.power = j.hash*jointBase+uint64(name[i]), j.power*jointBase
	}
	return j
}

// with is the joint of a name, "+" and another name.
func (j joint) with(other joint) joint {
	return joint{(j.hash*jointBase+'+')*other.power + other.hash, j.power * jointBase * other.power}
}

func (s *offsetState) visited() int64 { return s.Visit.Last }

func (s *offsetState) check() error {
	all := int32(0)
	for _, o := range s.Others {
		all += o.Times
	}
	if all != s.Block || all > offsetBlock {
		return fmt.Errorf("%d bets in a block of %d rounds, at most %d", all, s.Block, offsetBlock)
	}
	return nil
}

func (d *offsetting) Round(r *Round, out *factors) {
	if d.budget.Policy.Differential || !r.Played || !out.wants(OfPair) {
		return
	}
	if d.group(r); r.Offer != nil {
		d.currency = r.Offer.Currency
	}
	d.follow(r)
	for i := range d.bets {
		for j := i + 1; j < len(d.bets); j++ {
			d.pair(&d.bets[i], &d.bets[j], r, out)
			for k := range d.bets {
				if k != i && k != j {
					d.scoreTwo(&d.bets[k], &d.bets[i], &d.bets[j], r, out)
				}
			}
		}
	}
	d.scoreGroups(r, out)
}

// follow takes the road of the table before a round, and adds the round to it.
func (d *offsetting) follow(r *Round) {
	key := Key{OfTable, r.Table}
	s := d.keys[key]
	if s == nil {
		s = newOffsetState(0)
		d.keys[key] = s
	}
	d.road, s.Visit.Last = s.Road, r.At
	if result := r.Coup.Result(); result == baccarat.PlayerWon || result == baccarat.BankerWon {
		s.Road = uint8(result)
	}
}

// named writes the id of accounts to the scratch.
func (d *offsetting) named(patrons ...string) {
	d.name = d.name[:0]
	for i, p := range patrons {
		if i > 0 {
			d.name = append(d.name, '+')
		}
		d.name = append(d.name, p...)
	}
}

// opened is the state of the accounts that the scratch names; nil if there is none in this visit.
func (d *offsetting) opened(at int64) *offsetState {
	if s := d.keys[Key{OfPair, string(d.name)}]; s != nil && at-s.Visit.Last <= visitGap {
		return s
	}
	return nil
}

// open makes the state of the accounts that the scratch names.
func (d *offsetting) open(at int64) *offsetState {
	s := newOffsetState(at)
	s.id = string(d.name)
	d.keys[Key{OfPair, s.id}] = s
	d.note(s.id)
	return s
}

// note adds a name to several, if it is of three accounts or more.
func (d *offsetting) note(id string) {
	if strings.Count(id, "+") > 1 {
		word, mask := jointOf(id).bit()
		d.several[word] |= mask
	}
}

// mayHave reports whether three accounts or more may have a state.
func (d *offsetting) mayHave(j joint) bool {
	word, mask := j.bit()
	return d.several[word]&mask != 0
}

func (d *offsetting) forget(stale func(Key, int64) bool) {
	d.keyedStates.forget(stale)
	clear(d.several[:])
	for key := range d.keys {
		d.note(key.ID)
	}
}

// pair scores two accounts.
func (d *offsetting) pair(a, b *mainBet, r *Round, out *factors) {
	d.named(a.patron, b.patron)
	s := d.opened(r.At)
	if s == nil {
		s = d.open(0)
	}
	d.score(s, a, b, r, out)
}

func (d *offsetting) streams() []stream {
	own := byKey(d.keys, (*offsetState).check)
	own.ready = func(key Key, s *offsetState) {
		s.id = key.ID
		d.note(s.id)
	}
	return []stream{own}
}

// groupNet sums the bets of a group, which is a set of bits: on Player less Banker, and in all. Even reports that the
// group, or a part of it, offsets.
type groupNet struct {
	on, all int64
	even    bool
	joint   joint
}

// scoreGroups scores groups of accounts of which each part is open, and all together offset: the first account against
// the sum of the others. The first round that offsets opens the account of a group and is not scored.
func (d *offsetting) scoreGroups(r *Round, out *factors) {
	n := len(d.bets)
	if n < groupMin || n > groupBets {
		return
	}
	d.nets = append(d.nets[:0], make([]groupNet, 1<<n)...)
	for set := 1; set < 1<<n; set++ {
		last := bits.TrailingZeros(uint(set))
		x, rest := &d.nets[set], &d.nets[set&(set-1)]
		on := d.bets[last].on
		x.on, x.all = rest.on+on, rest.all+max(on, -on)
		if x.joint = d.bets[last].joint; set&(set-1) != 0 {
			x.joint = x.joint.with(rest.joint)
		}
		part := false
		for i := range n {
			if set&(1<<i) != 0 {
				part = part || d.nets[set&^(1<<i)].even
			}
		}
		whole := x.all > 0 && 20*max(x.on, -x.on) <= x.all
		x.even = part || whole
		if size := bits.OnesCount(uint(set)); size < groupMin || size > groupMax {
			continue
		}
		if opens := whole && !part; opens || d.mayHave(x.joint) {
			d.scoreGroup(set, opens, r, out)
		}
	}
}

// scoreGroup scores a group whose account is open, or opens it.
func (d *offsetting) scoreGroup(set int, opens bool, r *Round, out *factors) {
	d.name = d.name[:0]
	var one *mainBet
	others := mainBet{}
	for i := range d.bets {
		if b := &d.bets[i]; set&(1<<i) != 0 {
			if d.name = append(d.name, b.patron...); one == nil {
				one = b
			} else {
				others.on, others.net = others.on+b.on, others.net+b.net
			}
			d.name = append(d.name, '+')
		}
	}
	d.name = d.name[:len(d.name)-1]
	if s := d.opened(r.At); s != nil {
		d.score(s, one, &others, r, out)
	} else if opens {
		d.open(r.At)
	}
}

// group lists the main bets by patron.
func (d *offsetting) group(r *Round) {
	d.bets = d.bets[:0]
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot != baccarat.SpotPlayer && w.Spot != baccarat.SpotBanker || w.Patron == "" {
			continue
		}
		at := slices.IndexFunc(d.bets, func(b mainBet) bool { return b.patron == w.Patron })
		if at < 0 {
			at = len(d.bets)
			d.bets = append(d.bets, mainBet{patron: w.Patron, joint: jointOf(w.Patron)})
		}
		if w.Spot == baccarat.SpotPlayer {
			d.bets[at].on += w.Stake
		} else {
			d.bets[at].on -= w.Stake
		}
		d.bets[at].net += w.net()
	}
	slices.SortFunc(d.bets, func(a, b mainBet) int { return strings.Compare(a.patron, b.patron) })
}

// scoreTwo scores one against two. Their first round that offsets opens the account and is not scored.
func (d *offsetting) scoreTwo(one, a, b *mainBet, r *Round, out *factors) {
	both := mainBet{on: a.on + b.on, net: a.net + b.net}
	opens := (a.on > 0) == (b.on > 0) && a.on != 0 && b.on != 0 && offsets(one.on, both.on) >= 0.9
	if !opens && !d.mayHave(one.joint.with(a.joint).with(b.joint)) {
		return
	}
	d.named(one.patron, a.patron, b.patron)
	if s := d.opened(r.At); s != nil {
		d.score(s, one, &both, r, out)
	} else if opens {
		d.open(r.At)
	}
}

func newOffsetState(at int64) *offsetState {
	return &offsetState{Visit: visit{Last: at}, Mixture: [len(offsetWeights)]float64(newMixture(len(offsetWeights)))}
}

// score scores the bet of one side against the bets of the other one.
func (d *offsetting) score(s *offsetState, a, b *mainBet, r *Round, out *factors) {
	key := Key{OfPair, s.id}
	start := s.Visit.start(r.At, roundsPerVisit(d.budget.Volume, OfPair))
	many := strings.Count(key.ID, "+")
	if many+1 >= groupMin {
		start /= groupStarts
	}
	f := Factor{Key: key, Start: start, Observed: offsets(a.on, b.on)}
	if s.Left > 0 {
		s.Left--
		return
	}
	if many > 1 && s.Rounds == offsetTrial && 2*s.Open > s.Turnover && s.LnE < 1 {
		id := s.id
		*s = *newOffsetState(s.Visit.Last)
		s.id, s.Left = id, offsetBlock-offsetTrial
		return
	}
	s.add(b.on, d.road)
	f.LnE, f.Expected = s.exchange(a.on, f.Observed, d.road)
	if s.LnE += f.LnE; s.LnE < 0 {
		s.LnE = 0
		if many == 1 { // what a pair did before is another matter
			s.Rounds, s.Opposite, s.Turnover, s.Open, s.Net = 0, 0, 0, 0, 0
		}
	}
	s.Rounds++
	if f.Observed >= 0.8 {
		s.Opposite++
	}
	size, open := max(a.on, -a.on)+max(b.on, -b.on), a.on+b.on
	s.Turnover, s.Open, s.Net = s.Turnover+size, s.Open+max(open, -open), s.Net+a.net+b.net
	due := s.Rounds >= offsetRounds && s.Turnover-s.Open >= d.budget.Policy.OffsetTurnover
	f.Defer, f.Money = !due || 10*s.Open > 3*s.Turnover, size-max(open, -open)
	if !s.Reported && due && 10*s.Open <= s.Turnover && s.LnE < lnMillion {
		s.Reported = true
		out.add(Factor{
			Key: f.Key, Certain: true, Info: true, Money: s.Turnover - s.Open,
			Note: d.Explain(f.Key) + "; two habits explain it as well as an agreement",
		})
	}
	out.add(f)
}

// exchange returns the evidence of a bet against the last bet of the second side: how much better it offsets than the
// mean of Others after the same winner would have, each of which is as likely under honest play, so that the mean of
// the factor is 1. It also returns the mean of what would have been offset.
func (s *offsetState) exchange(on int64, observed float64, road uint8) (lnE, expected float64) {
	times := 0.0
	for _, other := range s.Others {
		if other.Road == road {
			times += float64(other.Times)
			expected += float64(float64(other.Times) * offsets(on, other.On))
		}
	}
	expected /= times
	var experts [len(offsetWeights)]float64
	for i, w := range offsetWeights {
		experts[i] = (1 + float64(w*observed)) / (1 + float64(w*expected))
	}
	return mixture(s.Mixture[:]).update(0.001, experts[:]), expected
}

// offsets is the part of two bets that offsets: 1 for equal stakes on opposite sides, 0 on the same side.
func offsets(x, y int64) float64 {
	if x == 0 || y == 0 || (x > 0) == (y > 0) {
		return 0
	}
	open := x + y
	return 1 - float64(max(open, -open))/float64(max(x, -x)+max(y, -y))
}

// explained is how much of their turnover accounts offset, if there is some evidence: a pair that offsets in part may
// belong to a group that offsets fully, and has about the same evidence.
func (d *offsetting) explained(key Key) float64 {
	s := d.keys[key]
	if s == nil || s.Turnover == 0 || s.LnE < lnMillion/3 {
		return 0
	}
	return 1 - float64(s.Open)/float64(s.Turnover)
}

// Explain describes the common rounds of a pair.
func (d *offsetting) Explain(key Key) string {
	s := d.keys[key]
	return fmt.Sprintf("opposite bets of similar stakes in %d of %d common rounds, net %s on a turnover of %s",
		s.Opposite, s.Rounds, schema.Money(s.Net, d.currency), schema.Money(s.Turnover, d.currency))
}
