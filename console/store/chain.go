package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Link is the place of a row in a chain; rows of older releases have none. See rows.Genesis.
type Link struct {
	Chain string `ch:"chain"`
	Link  uint64 `ch:"link"`
	Prev  string `ch:"prev"`
	Hash  string `ch:"hash"`
	Key   string `ch:"mac_key"` // of MAC, the HMAC of the hash; both are empty without console.chain_key
	MAC   string `ch:"mac"`
}

// chains are the chains of this process, one for each property in which it wrote. No other process continues them, so
// that two consoles never write the same link. After a write whose outcome is unknown the property gets a new chain.
type chains struct {
	mu sync.Mutex
	of map[string]*chain
}

type chain struct {
	mu   sync.Mutex
	last Link
	keys rows.ChainKeys
}

// record appends actions of triage and lines of the console log to the chains of their properties.
func (s *Store) record(ctx context.Context, actions []Action, entries []Entry) (err error) {
	of := s.chains.all(actions, entries, s.ChainKeys())
	properties := slices.Sorted(maps.Keys(of))
	for _, p := range properties { // in order, so that two writes never wait for each other
		of[p].mu.Lock()
		defer of[p].mu.Unlock()
	}
	// A request that ends does not leave a write half done: its outcome would be unknown.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	defer func() {
		if err != nil {
			for _, c := range of {
				c.last = Link{}
			}
		}
	}()
	for _, p := range properties {
		if of[p].last.Chain == "" {
			// Without the timeout of the request. Otherwise, on a large database that is older than the chains, each of
			// the first requests would start over.
			if err := s.begin(context.WithoutCancel(ctx), p, of[p]); err != nil {
				return err
			}
		}
	}
	for i := range actions {
		a := &actions[i]
		a.Reason, a.Note = strings.ToValidUTF8(a.Reason, "\uFFFD"), strings.ToValidUTF8(a.Note, "\uFFFD")
		a.Link = of[a.PropertyID].next(func(l Link) string {
			a.Link = l
			return a.row().Sum()
		})
	}
	if len(actions) > 0 {
		if err := write(ctx, s, "the actions of triage", "finding_actions", actions); err != nil {
			return err
		}
		s.pass(actions, nil)
	}
	if len(entries) == 0 {
		return nil
	}
	for i := range entries {
		entries[i].linked(of[entries[i].PropertyID])
	}
	return s.writeLog(ctx, entries)
}

// Recorded sets a function that is called with the actions of triage and the lines of the console log that this process
// has written, in the order of their chains. It must not wait.
func (s *Store) Recorded(do func([]Action, []Entry)) { s.recorded.Store(&do) }

func (s *Store) pass(actions []Action, entries []Entry) {
	if do := s.recorded.Load(); do != nil {
		(*do)(actions, entries)
	}
}

func (s *Store) writeLog(ctx context.Context, entries []Entry) error {
	err := write(ctx, s, "the console log", "console_log", entries)
	if err == nil {
		s.pass(nil, entries)
	}
	return err
}

// all returns the chains of the properties of rows, and adds those that are new.
func (c *chains) all(actions []Action, entries []Entry, keys rows.ChainKeys) map[string]*chain {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := map[string]*chain{}
	add := func(property string) {
		if c.of == nil {
			c.of = map[string]*chain{}
		}
		if c.of[property] == nil {
			c.of[property] = &chain{keys: keys}
		}
		of[property] = c.of[property]
	}
	for i := range actions {
		add(actions[i].PropertyID)
	}
	for i := range entries {
		add(entries[i].PropertyID)
	}
	return of
}

const writeTimeout = 30 * time.Second

// BeginChains begins the chains of the properties that have a table, one after the other. Without it the first
// request that is recorded at a property waits for the read of all earlier chains.
func (s *Store) BeginChains(ctx context.Context) error {
	properties, err := s.Properties(ctx, Scope{All: true})
	if err != nil {
		return err
	}
	// One thread, because pages are served at the same time.
	ctx = ch.Context(ctx, ch.WithSettings(ch.Settings{"max_threads": 1}))
	for _, p := range properties {
		if err := s.beginChain(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) beginChain(ctx context.Context, property string) error {
	c := s.chains.all(nil, []Entry{{PropertyID: property}}, s.ChainKeys())[property]
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.Chain != "" {
		return nil
	}
	err := s.begin(ctx, property, c)
	if err != nil {
		c.last = Link{}
	}
	return err
}

// begin writes the first link of a new chain.
func (s *Store) begin(ctx context.Context, property string, c *chain) error {
	ctx, cancel := context.WithTimeout(ctx, clickhouse.UnchainedTimeout)
	defer cancel()
	genesis, err := s.Begin(ctx, property, s.now())
	if err != nil {
		return fmt.Errorf("begin the chain of %q: %w", property, err)
	}
	detail, err := json.Marshal(genesis)
	if err != nil {
		return fmt.Errorf("begin the chain of %q: %w", property, err)
	}
	c.last = Link{Chain: rand.Text()}
	first := Entry{
		PropertyID: property, At: s.now().UTC(), Actor: "console", Action: rows.GenesisAction, Object: c.last.Chain,
		Detail: string(detail),
	}
	first.linked(c)
	return s.writeLog(ctx, []Entry{first})
}

// next continues a chain by a link with the hash that sum returns for it.
func (c *chain) next(sum func(Link) string) Link {
	l := Link{Chain: c.last.Chain, Link: c.last.Link + 1, Prev: c.last.Hash}
	l.Hash = sum(l)
	l.Key, l.MAC = c.keys.Sign(l.Hash)
	c.last = l
	return l
}

// linked gives an entry the next link of a chain, and the values that the table keeps of it.
func (e *Entry) linked(c *chain) {
	e.At = e.At.Truncate(time.Microsecond)
	e.Object, e.Detail = strings.ToValidUTF8(e.Object, "\uFFFD"), strings.ToValidUTF8(e.Detail, "\uFFFD")
	e.Link = c.next(func(l Link) string {
		e.Link = l
		return e.row().Sum()
	})
}

func (a *Action) row() *rows.Step {
	return &rows.Step{
		FindingID: a.FindingID, At: a.At.UnixNano(), PropertyID: a.PropertyID, Actor: a.Actor, Action: a.Action,
		From: a.From, To: a.To, Disposition: a.Disposition, Reason: a.Reason, Note: a.Note, Role: a.Role,
		Issuer: a.Issuer, Subject: a.Subject, Method: a.Method, Session: a.Session, Program: a.Program,
		Chain: a.Chain, Link: a.Link.Link, Prev: a.Prev, Hash: a.Hash, Key: a.Key, MAC: a.MAC,
	}
}

func (e *Entry) row() *rows.Entry {
	return &rows.Entry{
		PropertyID: e.PropertyID, At: e.At.UnixMicro(), Actor: e.Actor, Role: e.Role, Action: e.Action, Object: e.Object,
		Detail: e.Detail, Remote: e.Remote, Issuer: e.Issuer, Subject: e.Subject, Method: e.Method, Session: e.Session,
		Program: e.Program, Chain: e.Chain, Link: e.Link.Link, Prev: e.Prev, Hash: e.Hash, Key: e.Key, MAC: e.MAC,
	}
}
