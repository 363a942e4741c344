package console

import (
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// replayed is the result of a replay: the findings of a shoe, evaluated again from the archived events, compared with
// the stored findings.
type replayed struct {
	Shoe       store.Location
	Events     int
	Took       time.Duration
	Complete   bool // from the first event of the table
	Same       []finding.Finding
	OnlyReplay []finding.Finding
	OnlyStored []store.Finding
	Suspicions int // stored, and not replayed
	Engine     string
}

// Equal reports whether the replay has exactly the stored findings.
func (r *replayed) Equal() bool { return len(r.OnlyReplay) == 0 && len(r.OnlyStored) == 0 }

// maxReplayed is the maximum number of events of a replay. Those before are left out.
const maxReplayed = 300_000

var errBusy = badRequest("Other replays are running. Try again in a moment.")

// acquire reserves one of the places for replays; release returns it. A user has one place at a time.
func (c *Console) acquire(account string) (release func(), err error) {
	if _, running := c.replaying.LoadOrStore(account, true); running {
		return nil, badRequest("Another replay of yours is running. Wait until it ends.")
	}
	select {
	case c.replays <- struct{}{}:
		return func() { <-c.replays; c.replaying.Delete(account) }, nil
	default:
		c.replaying.Delete(account)
		return nil, errBusy
	}
}

func (c *Console) replay(x *exchange, shoe store.Location) (*replayed, error) {
	if !c.limits.allow("replay "+x.user.Who.Account(), 20, time.Minute) {
		return nil, errTooMany
	}
	release, err := c.acquire(x.user.Who.Account())
	if err != nil {
		return nil, err
	}
	defer release()
	began := c.Now()
	until, err := c.lastSeq(x, shoe)
	if err != nil {
		return nil, err
	}
	out := &replayed{Shoe: shoe, Engine: c.Law.Version}
	found, err := c.evaluate(x, out, until)
	if err != nil {
		return nil, err
	}
	stored, err := c.Store.Findings(x.r.Context(), x.scope(), store.FindingQuery{
		Property: shoe.Property, Table: shoe.Table, Shoe: shoe.Shoe, Limit: store.MaxRows,
	})
	if err != nil {
		return nil, err
	}
	out.compare(found, stored)
	out.Took = c.Now().Sub(began)
	return out, nil
}

// lastSeq returns the sequence number up to which to replay a shoe.
func (c *Console) lastSeq(x *exchange, shoe store.Location) (uint64, error) {
	shoes, err := c.Store.Shoes(x.r.Context(), x.scope(), shoe)
	if err != nil {
		return 0, err
	}
	if len(shoes) > 0 {
		return shoes[0].LastSeq + 1000, nil // the start of the next shoe closes this one
	}
	table := store.Location{Property: shoe.Property, Table: shoe.Table}
	feeds, err := c.Store.Floor(x.r.Context(), x.scope(), table)
	if err != nil || len(feeds) == 0 {
		return math.MaxInt64, err
	}
	return feeds[0].Seq, nil
}

// evaluate runs the engine over the archived events and returns the findings of the shoe. Of findings with one id the
// last version counts.
func (c *Console) evaluate(x *exchange, out *replayed, until uint64) (found findings, err error) {
	opt := c.Law
	opt.NoArchive = true
	found.byID = map[string]finding.Finding{}
	var batch rows.Set
	err = engine.New(opt).Replay(c.archived(x, out, until), &batch, func() error {
		if batch.Len() == 0 {
			return nil
		}
		for _, f := range batch.Findings {
			if f.ShoeID == out.Shoe.Shoe {
				found.add(f)
			}
		}
		batch.Reset()
		return nil
	})
	if err == nil && out.Events == 0 {
		err = fmt.Errorf("replay of shoe %s: %w", out.Shoe.Shoe, store.ErrNotFound)
	}
	return found, err
}

// archived returns the archived events of a replay as records, and counts them.
func (c *Console) archived(x *exchange, out *replayed, until uint64) iter.Seq2[*engine.Record, error] {
	return func(yield func(*engine.Record, error) bool) {
		r := store.Replay{Until: until, Max: maxReplayed}
		for e, err := range c.Store.Replay(x.r.Context(), x.scope(), out.Shoe, r) {
			var record engine.Record
			if err == nil {
				out.Events++
				out.Complete = out.Complete || e.Seq == 1
				record = engine.Record{Offset: e.Offset, Format: e.WireFormat(), Value: []byte(e.Raw)}
			}
			if !yield(&record, err) {
				return
			}
		}
	}
}

// findings are findings in the order of their first appearance.
type findings struct {
	byID  map[string]finding.Finding
	order []string
}

func (l *findings) add(f finding.Finding) {
	if _, ok := l.byID[f.ID]; !ok {
		l.order = append(l.order, f.ID)
	}
	l.byID[f.ID] = f
}

// compare sorts findings into equal findings and findings of one side alone.
func (r *replayed) compare(found findings, stored []store.Finding) {
	for i := range stored {
		s := &stored[i]
		if s.Kind == "anomaly" {
			r.Suspicions++
			continue
		}
		if f, ok := found.byID[s.ID]; ok && equalFinding(&f, s) {
			r.Same = append(r.Same, f)
			delete(found.byID, s.ID)
			continue
		}
		r.OnlyStored = append(r.OnlyStored, *s)
	}
	for _, id := range found.order {
		if f, ok := found.byID[id]; ok {
			r.OnlyReplay = append(r.OnlyReplay, f)
		}
	}
}

func equalFinding(f *finding.Finding, s *store.Finding) bool {
	return f.Rule == s.Rule && string(f.Verdict) == s.Verdict && (s.Basis == "" || string(f.Basis) == s.Basis) &&
		f.Severity.String() == s.Severity &&
		f.Expected == s.Expected && f.Observed == s.Observed && f.Amount == s.Amount
}

func replayPage(c *Console, x *exchange) error {
	form := x.r.PostForm
	shoe := store.Location{Property: form.Get("property"), Table: form.Get("table"), Shoe: form.Get("shoe")}
	if shoe.Property == "" || shoe.Table == "" || shoe.Shoe == "" {
		return badRequest("A replay needs a property, a table and a shoe.")
	}
	r, err := c.replay(x, shoe)
	if err != nil {
		return err
	}
	same := fmt.Sprintf("%s, same %t", count(r.Events, "event"), r.Equal())
	x.log(shoe.Property, replayedShoe, shoe.Table+"/"+shoe.Shoe, same)
	return x.page("replay", "Replay of "+shoe.Shoe, map[string]any{"Replay": r, "Back": local(form.Get("next"))})
}
