package clickhouse

import (
	"context"
	"encoding/json"
	"time"

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

// StepOrder is the order of the actions of triage on a finding. A note leaves the version of the finding in the queue.
// So two consoles with different clocks may give it the time of the next action, which follows it.
const StepOrder = "at, action != 'note', chain, link"

// chainEnd is the last link of a chain, with its HMAC.
type chainEnd struct {
	rows.ChainHead
	key, mac string
}

// ChainHeads returns the last link of each chain of a property, by chain.
func (s *Store) ChainHeads(ctx context.Context, property string) ([]rows.ChainHead, error) {
	ends, err := s.chainEnds(ctx, property)
	heads := []rows.ChainHead{}
	for i := range ends {
		heads = append(heads, ends[i].ChainHead)
	}
	return heads, err
}

func (s *Store) chainEnds(ctx context.Context, property string) (ends []chainEnd, err error) {
	const columns, of = "chain, link, hash, toString(mac_key) AS key, mac",
		" WHERE property_id = {property:String} AND chain != ''"
	e := chainEnd{ChainHead: rows.ChainHead{Property: property}}
	err = s.scan(ctx, "SELECT chain, max(link), argMax(hash, link), argMax(key, link), argMax(mac, link) "+
		"FROM (SELECT "+columns+" FROM "+s.name("finding_actions")+of+" UNION ALL SELECT "+columns+" FROM "+
		s.name("console_log")+of+") GROUP BY chain ORDER BY chain", params("property", property), func() {
		ends = append(ends, e)
	}, &e.Chain, &e.Link, &e.Hash, &e.key, &e.mac)
	return ends, s.explain("read the ends of the chains", err)
}

// keyBegins is how long after the first link with an HMAC a console may still write without: consoles get the key one
// after the other.
const keyBegins = 24 * time.Hour

// Begin returns the genesis of a new chain of a property: it names the ends of the chains that no genesis names. Once
// the key is in use it names no end without an HMAC: whoever adds a chain without the key would only have to wait for
// the next start of a console.
func (s *Store) Begin(ctx context.Context, property string, now time.Time) (rows.Genesis, error) {
	ends, err := s.chainEnds(ctx, property)
	if err != nil {
		return rows.Genesis{}, err
	}
	follows := []rows.ChainHead{}
	if len(ends) == 0 {
		before, err := s.Unchained(ctx, property)
		return rows.Genesis{Follows: follows, Before: &before}, err
	}
	named, keyed := map[rows.ChainHead]bool{}, false
	err = s.genesis(ctx, property, func(e *rows.Entry) {
		for _, h := range genesisOf(e).Follows {
			named[h] = true
		}
		keyed = keyed || len(s.cfg.ChainKeys) > 0 && e.Sum() == e.Hash &&
			s.cfg.ChainKeys.Verify(e.Hash, e.Key, e.MAC) == "" && now.Sub(time.UnixMicro(e.At)) > keyBegins
	})
	for i := range ends {
		if e := &ends[i]; !named[e.ChainHead] && (!keyed || e.key != "" || e.mac != "") {
			follows = append(follows, e.ChainHead)
		}
	}
	return rows.Genesis{Follows: follows}, err
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

// digestOf is the expression for a digest of rows in any order: the sum of the SHA-256 of their columns.
func digestOf(columns string) string {
	return "hex(sum(reinterpretAsUInt256(SHA256(toString(tuple(" + columns + "))))))"
}

// UnchainedTimeout bounds Unchained, which reads all rows from before there were chains: 12 million take 10 s of
// processor time. The roles of audit grants permit queries of 120 s.
const UnchainedTimeout = 100 * time.Second

// Unchained returns the number and the digest of the rows of a property without a chain.
func (s *Store) Unchained(ctx context.Context, property string) (u rows.Unchained, err error) {
	ctx, cancel := context.WithTimeout(ctx, UnchainedTimeout)
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
		err := s.conn.QueryRow(ctx, "SELECT count(), "+digestOf(t.columns)+" FROM "+s.name(t.name)+
			" WHERE property_id = {property:String} AND chain = ''",
			params("property", property)...).Scan(t.n, t.digest)
		if err != nil {
			return u, s.explain("count the rows without a chain", err)
		}
	}
	return u, nil
}
