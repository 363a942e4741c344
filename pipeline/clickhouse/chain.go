package clickhouse

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// The columns of the chained tables, in the order of the fields of rows.Step and rows.Entry.
const (
	stepColumns = "finding_id, toUnixTimestamp64Nano(at), toString(property_id), toString(actor), toString(action), " +
		"toString(from_state), toString(to_state), toString(disposition), reason, note, toString(role), " +
		"toString(issuer), subject, toString(sign_in), session, program, chain, link, prev, hash, toString(mac_key), mac"
	entryColumns = "toString(property_id), toUnixTimestamp64Micro(at), toString(actor), toString(role), " +
		"toString(action), object, detail, remote, toString(issuer), subject, toString(sign_in), session, program, " +
		"chain, link, prev, hash, toString(mac_key), mac"
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
	err = s.genesis(ctx, property, func(e *rows.Entry) {
		for _, h := range genesisOf(e).Follows {
			named[h] = true
		}
	})
	return rows.Genesis{Follows: slices.DeleteFunc(heads, func(h rows.ChainHead) bool { return named[h] })}, err
}

// genesis passes the first links of all chains of a property to each.
func (s *Store) genesis(ctx context.Context, property string, each func(*rows.Entry)) error {
	c, err := s.cursor(ctx, "console_log", property, "AND chain != '' AND action = '"+rows.GenesisAction+"'")
	if err != nil {
		return err
	}
	defer c.close()
	for c.next() {
		each(c.entry)
	}
	return c.err
}

// ChainKeys are the keys of the chains.
func (s *Store) ChainKeys() rows.ChainKeys { return s.cfg.ChainKeys }

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
