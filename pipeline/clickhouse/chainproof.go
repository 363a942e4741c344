package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Chains is the proof of the chains of a property.
type Chains struct {
	Property string
	Chains   int
	Steps    int
	Entries  int
	// Signed is the number of links with a right HMAC; 0 without keys.
	Signed int
	// Unchained are rows from before there were chains.
	Unchained rows.Unchained
	// Problems names each link that is missing, changed, there twice or without its HMAC, each step without its log
	// entry, and each legal hold, step of a case, withdrawal and run that the log does not have.
	Problems []string
	Heads    []rows.ChainHead
	// Absent are the wanted links that are not there, or changed.
	Absent []string
	// Trusted names what is taken as it was first found: rows of releases from before their kind was proven.
	Trusted []string
}

// ChainCheck is what ProveChains does besides.
type ChainCheck struct {
	// Want are links of the property that must be there unchanged.
	Want []rows.ChainHead
	// Step, if not nil, is called for each action of triage, by chain and link.
	Step func(*rows.Step)
}

// maxProblems bounds the list of a night.
const maxProblems = 1000

// ProveChains reads each link of a property once. Each chain must begin with a genesis, have each link once with the
// hash of its content and the hash of the link before, and hold what the genesis of another names; the rows without a
// chain must be those that the first genesis counted. With keys, each link must have its HMAC, except in chains whose
// end a later genesis names: those are from before there was a key.
//
// A row and its entry are two inserts: what is wrong counts only if a second read finds it too.
func (s *Store) ProveChains(ctx context.Context, property string, check ChainCheck) (Chains, error) {
	first, err := s.proveChains(ctx, property, check)
	if err != nil || len(first.Problems) == 0 {
		return first, err
	}
	again, err := s.proveChains(ctx, property, ChainCheck{})
	first.Problems = slices.DeleteFunc(first.Problems, func(p string) bool { return !slices.Contains(again.Problems, p) })
	return first, err
}

func (s *Store) proveChains(ctx context.Context, property string, check ChainCheck) (Chains, error) {
	p := chainProver{
		Chains: Chains{Property: property, Problems: []string{}, Heads: []rows.ChainHead{}},
		check:  check, keys: s.cfg.ChainKeys, named: map[rows.ChainHead]bool{}, wanted: map[rows.ChainHead]bool{},
		holds: map[string]string{},
	}
	for _, l := range check.Want {
		if l.Property == property {
			p.wanted[l] = false
		}
	}
	err := s.genesis(ctx, property, func(e *rows.Entry) { p.genesis(genesisOf(e)) })
	if err != nil {
		return p.Chains, err
	}
	for l, err := range s.links(ctx, property) {
		if err != nil {
			return p.Chains, err
		}
		p.link(l)
	}
	p.end()
	if p.unsignedChains > 0 {
		p.Trusted = append(p.Trusted, fmt.Sprintf("chains that were written before the key was in use: %d; until a chain "+
			"with the key named their ends, anyone who may insert rows could write them", p.unsignedChains))
	}
	if p.Unchained, err = s.Unchained(ctx, property); err != nil {
		return p.Chains, err
	}
	if err := s.holdRows(ctx, property, p.hold); err != nil {
		return p.Chains, err
	}
	if err := s.caseSteps(ctx, property, p.caseStep); err != nil {
		return p.Chains, err
	}
	if err := p.proveWithdrawals(ctx, s); err != nil {
		return p.Chains, err
	}
	if err := p.proveRuns(ctx, s); err != nil {
		return p.Chains, err
	}
	p.conclude()
	if u := &p.Unchained; u.Steps+u.Log > 0 {
		p.Trusted = append(p.Trusted, fmt.Sprintf("from before there were chains, actions of triage: %d, entries of the "+
			"log: %d; they are as they were when the first chain began", u.Steps, u.Log))
	}
	return p.Chains, nil
}

// chainProver follows the links of a property, one chain after the other.
type chainProver struct {
	Chains
	check ChainCheck
	keys  rows.ChainKeys

	named, wanted map[rows.ChainHead]bool // links that a genesis names, and that the caller wants; true once found
	before        *rows.Unchained         // of the first genesis
	holds         map[string]string       // entries of legal holds without their row yet, by action and id
	released      map[string]bool         // holds that the log released
	cases         map[string]int          // entries of steps of cases without their row yet
	withdrawals   withdrawalProof
	runs          runLog
	gone          []string // what the log has, and no row

	unsignedChains int // that a later chain follows

	// Of the chain that is read.
	name      string
	prev      string
	want      uint64
	unsigned  string            // what is wrong with the HMAC of its first link without one
	unlogged  map[[5]string]int // actions whose entry has not come
	lastChain rows.ChainHead
}

func (p *chainProver) problem(format string, args ...any) {
	if len(p.Problems) < maxProblems {
		p.Problems = append(p.Problems, fmt.Sprintf(format, args...))
	}
}

func (p *chainProver) genesis(g rows.Genesis) {
	for _, h := range g.Follows {
		p.named[h] = false
	}
	if g.Before != nil && p.before == nil {
		p.before = g.Before
	}
}

func (p *chainProver) link(l *link) {
	if l.chain != p.name || p.Chains.Chains == 0 {
		p.end()
		p.begin(l)
	}
	if l.step != nil {
		p.Steps++
	} else {
		p.Entries++
	}
	sound := l.sound()
	at := rows.ChainHead{Property: p.Property, Chain: l.chain, Link: l.no, Hash: l.hash}
	if _, ok := p.named[at]; ok {
		p.named[at] = true
	}
	if _, ok := p.wanted[at]; ok && sound {
		p.wanted[at] = true
	}
	switch {
	case l.no < p.want:
		p.problem("chain %s, link %d: two rows have this number", l.chain, l.no)
		return
	case l.no > p.want:
		p.problem("chain %s, links %d to %d: missing", l.chain, p.want, l.no-1)
	case l.prev != p.prev:
		p.problem("chain %s, link %d: it follows another row than link %d", l.chain, l.no, p.want-1)
	}
	if !sound {
		p.problem("chain %s, link %d: changed after it was written", l.chain, l.no)
	}
	p.signed(l)
	p.prev, p.want, p.lastChain = l.hash, l.no+1, at
	p.content(l)
}

// signed checks the HMAC of a link. A chain without any is from before there was a key, or from who has none.
func (p *chainProver) signed(l *link) {
	if len(p.keys) == 0 {
		return
	}
	wrong := p.keys.Verify(l.hash, l.key, l.mac)
	switch {
	case wrong == "":
		p.Signed++
		if p.unsigned != "" {
			p.problem("chain %s: a link before link %d: %s", l.chain, l.no, p.unsigned)
			p.unsigned = ""
		}
	case l.key == "" && l.mac == "" && (l.no == 1 || p.unsigned != ""):
		p.unsigned = wrong
	default:
		p.problem("chain %s, link %d: %s", l.chain, l.no, wrong)
	}
}

// content matches actions with their entries, and collects the entries of legal holds.
func (p *chainProver) content(l *link) {
	if s := l.step; s != nil {
		if p.check.Step != nil {
			p.check.Step(s)
		}
		p.unlogged[[5]string{s.FindingID, s.Action, s.Issuer, s.Subject, s.Role}]++
		return
	}
	e := l.entry
	switch {
	case rows.IsTriage(e.Action):
		key := [5]string{e.Object, e.Action, e.Issuer, e.Subject, e.Role}
		if p.unlogged[key]--; p.unlogged[key] < 0 {
			p.problem("chain %s, link %d: an entry for the action %s on finding %s, which has no such action", l.chain, l.no,
				e.Action, e.Object)
		}
	case strings.HasPrefix(e.Action, rows.CaseAction):
		p.caseEntry(e)
	case e.Action == rows.WithdrawalsBegin || strings.HasPrefix(e.Action, rows.WithdrawalAction):
		p.withdrawals.entry(e)
	case e.Action == rows.RunAction || e.Action == rows.RunsBegin:
		p.runs.entry(e)
	case e.Action == rows.PlaceAction || e.Action == rows.ReleaseAction:
		p.holds[e.Action+" "+e.Object] = e.Detail
		if e.Action == rows.ReleaseAction {
			if p.released == nil {
				p.released = map[string]bool{}
			}
			p.released[e.Object] = true
		}
	}
}

func (p *chainProver) begin(l *link) {
	p.Chains.Chains++
	p.name, p.prev, p.want, p.unsigned, p.unlogged = l.chain, "", 1, "", map[[5]string]int{}
	if l.no == 1 && (l.entry == nil || l.entry.Action != rows.GenesisAction || l.entry.Object != l.chain) {
		p.problem("chain %s: its first link is no genesis", l.chain)
	}
}

// end concludes the chain that was read.
func (p *chainProver) end() {
	if p.Chains.Chains == 0 {
		return
	}
	p.Heads = append(p.Heads, p.lastChain)
	if _, followed := p.named[p.lastChain]; p.unsigned != "" && !followed {
		p.problem("chain %s: %s, and no later chain follows it", p.name, p.unsigned)
	} else if p.unsigned != "" {
		p.unsignedChains++
	}
	var missing []string
	for key, n := range p.unlogged { // sorted below
		if n > 0 {
			missing = append(missing, fmt.Sprintf("chain %s: the action %s on finding %s has no entry in the log", p.name,
				key[1], key[0]))
		}
	}
	slices.Sort(missing)
	for _, text := range missing {
		p.problem("%s", text)
	}
}

// hold matches a row of the legal holds with its entry.
func (p *chainProver) hold(h *holdAction) {
	key := "hold-" + h.Action + " " + h.ID
	text, logged := p.holds[key]
	delete(p.holds, key)
	switch {
	case logged && text != h.text() && text != h.untimed():
		p.problem("legal hold %s, %s: %s, and in the log %s", h.ID, h.Action, h.text(), text)
	case !logged && !(h.Action == "place" && p.released[h.ID]):
		p.problem("legal hold %s, %s: not in the log; after the incident is investigated, release it and place it again",
			h.ID, h.Action)
	}
}

// conclude compares what the chains name with what was found.
func (p *chainProver) conclude() {
	gone := p.gone
	for h, found := range p.named { // sorted below
		if !found {
			gone = append(gone, fmt.Sprintf("chain %s, link %d: a later chain follows it, and it is missing or changed",
				h.Chain, h.Link))
		}
	}
	for key, text := range p.holds { // sorted below
		gone = append(gone, fmt.Sprintf("legal hold: the log has %s, %s, and no row has it", key, text))
	}
	for _, entry := range p.withdrawals.unstored() { // sorted below
		gone = append(gone, fmt.Sprintf("withdrawal: the log has %s, and no row has it", entry))
	}
	for key := range p.cases { // sorted below
		gone = append(gone, fmt.Sprintf("case: the log has %s, and no row has it", key))
	}
	slices.Sort(gone)
	for _, text := range gone {
		p.problem("%s", text)
	}
	for _, l := range p.check.Want {
		if found, ok := p.wanted[l]; ok && !found {
			p.Absent = append(p.Absent, fmt.Sprintf("link %d of chain %s", l.Link, l.Chain))
		}
	}
	switch u := &p.Unchained; {
	case p.before != nil && *u != *p.before:
		p.problem("rows without a chain: %s of triage and %d in the log, and %d and %d, or others, when chains began",
			schema.Count(u.Steps, "action"), u.Log, p.before.Steps, p.before.Log)
	case p.before == nil && p.Chains.Chains > 0:
		p.problem("the first chain, which counts the rows from before, is missing")
	}
}
