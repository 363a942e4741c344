package clickhouse

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// The columns of the chained tables, in the order of the fields of rows.Step and rows.Entry.
const (
	stepColumns = "finding_id, toUnixTimestamp64Nano(at), toString(property_id), toString(actor), toString(action), " +
		"toString(from_state), toString(to_state), toString(disposition), reason, note, toString(role), " +
		"toString(issuer), subject, toString(sign_in), session, program, chain, link, prev, hash"
	entryColumns = "toString(property_id), toUnixTimestamp64Micro(at), toString(actor), toString(role), " +
		"toString(action), object, detail, remote, toString(issuer), subject, toString(sign_in), session, program, " +
		"chain, link, prev, hash"
)

// ChainHeads returns the last link of each chain of a property, by chain.
func (s *Store) ChainHeads(ctx context.Context, property string) ([]rows.ChainHead, error) {
	const doing = "read the ends of the chains"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	const of = " WHERE property_id = {property:String} AND chain != ''"
	result, err := s.conn.Query(ctx, "SELECT chain, max(link), argMax(hash, link) FROM (SELECT chain, link, hash FROM "+
		s.name("finding_actions")+of+" UNION ALL SELECT chain, link, hash FROM "+s.name("console_log")+of+
		") GROUP BY chain ORDER BY chain", params("property", property)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	heads := []rows.ChainHead{}
	for result.Next() {
		h := rows.ChainHead{Property: property}
		if err := result.Scan(&h.Chain, &h.Link, &h.Hash); err != nil {
			return nil, s.explain(doing, err)
		}
		heads = append(heads, h)
	}
	return heads, s.explain(doing, result.Err())
}

// Begin returns the genesis of a new chain of a property: it names the ends of the chains that no genesis names.
func (s *Store) Begin(ctx context.Context, property string) (rows.Genesis, error) {
	heads, err := s.ChainHeads(ctx, property)
	if err != nil {
		return rows.Genesis{}, err
	}
	if len(heads) == 0 {
		before, err := s.Unchained(ctx, property)
		return rows.Genesis{Follows: heads, Before: &before}, err
	}
	named := map[rows.ChainHead]bool{}
	err = s.Entries(ctx, property, "action = '"+rows.GenesisAction+"'", func(e *rows.Entry) error {
		for _, h := range genesisOf(e).Follows {
			named[h] = true
		}
		return nil
	})
	return rows.Genesis{Follows: slices.DeleteFunc(heads, func(h rows.ChainHead) bool { return named[h] })}, err
}

// genesisOf reads the detail of a first link; a text that this release did not write names nothing.
func genesisOf(e *rows.Entry) (g rows.Genesis) {
	if e.Action != rows.GenesisAction || json.Unmarshal([]byte(e.Detail), &g) != nil {
		return rows.Genesis{}
	}
	return g
}

// Unchained returns the number and the digest of the rows of a property without a chain.
func (s *Store) Unchained(ctx context.Context, property string) (u rows.Unchained, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	for _, t := range []struct {
		name, columns string
		n             *uint64
		digest        *string
	}{
		{
			"finding_actions", "finding_id, at, property_id, actor, action, from_state, to_state, disposition, reason, note",
			&u.Steps, &u.StepsDigest,
		},
		{"console_log", "property_id, at, actor, role, action, object, detail, remote", &u.Log, &u.LogDigest},
	} {
		err := s.conn.QueryRow(ctx, "SELECT count(), hex(sum(reinterpretAsUInt256(SHA256(toString(tuple("+t.columns+
			")))))) FROM "+s.name(t.name)+" WHERE property_id = {property:String} AND chain = ''",
			params("property", property)...).Scan(t.n, t.digest)
		if err != nil {
			return u, s.explain("count the rows without a chain", err)
		}
	}
	return u, nil
}

// Steps passes the chained actions of triage of a property to each, by chain and link. The where clause may be empty.
func (s *Store) Steps(ctx context.Context, property, where string, each func(*rows.Step) error) error {
	return s.linked(ctx, property, where, "finding_actions", func(scan func(...any) error) error {
		var r rows.Step
		if err := scan(&r.FindingID, &r.At, &r.PropertyID, &r.Actor, &r.Action, &r.From, &r.To, &r.Disposition, &r.Reason,
			&r.Note, &r.Role, &r.Issuer, &r.Subject, &r.Method, &r.Session, &r.Program, &r.Chain, &r.Link, &r.Prev,
			&r.Hash); err != nil {
			return err
		}
		return each(&r)
	})
}

// Entries passes the chained lines of the console log of a property to each, by chain and link.
func (s *Store) Entries(ctx context.Context, property, where string, each func(*rows.Entry) error) error {
	return s.linked(ctx, property, where, "console_log", func(scan func(...any) error) error {
		var r rows.Entry
		if err := scan(&r.PropertyID, &r.At, &r.Actor, &r.Role, &r.Action, &r.Object, &r.Detail, &r.Remote, &r.Issuer,
			&r.Subject, &r.Method, &r.Session, &r.Program, &r.Chain, &r.Link, &r.Prev, &r.Hash); err != nil {
			return err
		}
		return each(&r)
	})
}

// linked passes the chained rows of a table to row, by chain and link.
func (s *Store) linked(
	ctx context.Context, property, where, table string, row func(scan func(...any) error) error,
) error {
	doing, columns := "read the chains of "+table, stepColumns
	if table == "console_log" {
		columns = entryColumns
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	if where != "" {
		where = " AND " + where
	}
	result, err := s.conn.Query(ctx, "SELECT "+columns+" FROM "+s.name(table)+
		" WHERE property_id = {property:String} AND chain != ''"+where+" ORDER BY chain, link",
		params("property", property)...)
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	for result.Next() {
		if err := row(result.Scan); err != nil {
			return s.explain(doing, err)
		}
	}
	return s.explain(doing, result.Err())
}

// Chains is the proof of the chains of a property.
type Chains struct {
	Property string
	Chains   int
	Steps    int
	Entries  int
	// Unchained are rows from before there were chains.
	Unchained rows.Unchained
	// Problems names each link that is missing, changed or there twice, and each step without its log entry.
	Problems []string
	Heads    []rows.ChainHead
}

// chained is a row of either table, as far as the proof needs it.
type chained struct {
	link       uint64
	prev, hash string
	sound      bool
	step       *rows.Step // without its texts
	entry      *rows.Entry
}

// maxProblems bounds the list of a night.
const maxProblems = 1000

// ProveChains reads all links of a property. Each chain must begin with a genesis, have each link once with the hash of
// its content and the hash of the link before, and hold what the genesis of another names; the rows without a chain
// must be those that the first genesis counted.
func (s *Store) ProveChains(ctx context.Context, property string) (Chains, error) {
	c := Chains{Property: property, Problems: []string{}, Heads: []rows.ChainHead{}}
	all := map[string][]chained{}
	err := s.Steps(ctx, property, "", func(r *rows.Step) error {
		sound := r.Sum() == r.Hash
		r.Reason, r.Note = "", ""
		all[r.Chain] = append(all[r.Chain], chained{r.Link, r.Prev, r.Hash, sound, r, nil})
		c.Steps++
		return nil
	})
	if err != nil {
		return c, err
	}
	err = s.Entries(ctx, property, "", func(r *rows.Entry) error {
		sound := r.Sum() == r.Hash
		if r.Action != rows.GenesisAction {
			r.Detail = ""
		}
		all[r.Chain] = append(all[r.Chain], chained{r.Link, r.Prev, r.Hash, sound, nil, r})
		c.Entries++
		return nil
	})
	if err != nil {
		return c, err
	}
	if c.Unchained, err = s.Unchained(ctx, property); err != nil {
		return c, err
	}
	c.prove(all)
	return c, nil
}

func (c *Chains) problem(format string, args ...any) {
	if len(c.Problems) < maxProblems {
		c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
	}
}

func (c *Chains) prove(all map[string][]chained) {
	names := make([]string, 0, len(all))
	for name := range all { // sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	c.Chains = len(names)
	hashes := map[rows.ChainHead]bool{}
	var follows []rows.ChainHead
	before := rows.Unchained{}
	begun := false
	for _, name := range names {
		links := all[name]
		slices.SortStableFunc(links, func(a, b chained) int { return cmp.Compare(a.link, b.link) })
		c.chain(name, links)
		for _, l := range links {
			hashes[rows.ChainHead{Property: c.Property, Chain: name, Link: l.link, Hash: l.hash}] = true
		}
		last := links[len(links)-1]
		c.Heads = append(c.Heads, rows.ChainHead{Property: c.Property, Chain: name, Link: last.link, Hash: last.hash})
		if first := links[0].entry; first != nil {
			g := genesisOf(first)
			follows = append(follows, g.Follows...)
			if g.Before != nil && !begun {
				before, begun = *g.Before, true
			}
		}
	}
	for _, h := range follows {
		if !hashes[h] {
			c.problem("chain %s, link %d: a later chain follows it, and it is missing or changed", h.Chain, h.Link)
		}
	}
	switch u := &c.Unchained; {
	case begun && *u != before:
		c.problem("rows without a chain: %d actions of triage and %d entries, and %d and %d, or others, when chains began",
			u.Steps, u.Log, before.Steps, before.Log)
	case !begun && len(names) > 0:
		c.problem("the first chain, which counts the rows from before, is missing")
	}
}

// chain proves the links of one chain, sorted.
func (c *Chains) chain(name string, links []chained) {
	prev, want := "", uint64(1)
	if first := links[0].entry; links[0].link == 1 && (first == nil || first.Action != rows.GenesisAction ||
		first.Object != name) {
		c.problem("chain %s: its first link is no genesis", name)
	}
	unlogged := map[[5]string]int{} // actions whose entry has not come
	for _, l := range links {
		switch {
		case l.link < want:
			c.problem("chain %s, link %d: two rows have this number", name, l.link)
			continue
		case l.link > want:
			c.problem("chain %s, links %d to %d: missing", name, want, l.link-1)
		case l.prev != prev:
			c.problem("chain %s, link %d: it follows another row than link %d", name, l.link, want-1)
		}
		if !l.sound {
			c.problem("chain %s, link %d: changed after it was written", name, l.link)
		}
		prev, want = l.hash, l.link+1
		if s := l.step; s != nil {
			unlogged[[5]string{s.FindingID, s.Action, s.Issuer, s.Subject, s.Role}]++
		} else if e := l.entry; IsTriage(e.Action) {
			key := [5]string{e.Object, e.Action, e.Issuer, e.Subject, e.Role}
			if unlogged[key]--; unlogged[key] < 0 {
				c.problem("chain %s, link %d: an entry for the action %s on finding %s, which has no such action", name, l.link,
					e.Action, e.Object)
			}
		}
	}
	var missing []string
	for key, n := range unlogged { // sorted below
		if n > 0 {
			missing = append(missing, fmt.Sprintf("chain %s: the action %s on finding %s has no entry in the log", name, key[1],
				key[0]))
		}
	}
	slices.Sort(missing)
	for _, text := range missing {
		c.problem("%s", text)
	}
}

// IsTriage reports whether an action of the console log is one of triage.
func IsTriage(action string) bool {
	return slices.Contains([]string{
		"acknowledge", "review", "assign", "escalate", "note", "close", "confirm", "reject", "reopen",
	}, action)
}
