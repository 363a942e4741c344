package console

import (
	"fmt"
	"math"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// replayed is what running the rules again over the archive gave, beside what is stored.
type replayed struct {
	Place         store.Place
	Events        int
	Took          time.Duration
	Whole         bool
	Same          []finding.Finding
	OnlyReplay    []finding.Finding
	OnlyStored    []store.Finding
	Suspicions    int
	Engine, Books string
}

// Equal says whether the replay found what is stored, and nothing else.
func (r *replayed) Equal() bool { return len(r.OnlyReplay) == 0 && len(r.OnlyStored) == 0 }

// mostReplayed is the events of a table that a replay reads, back from the shoe.
const mostReplayed = 300_000

var errBusy = badRequest("Other replays are running. Try again in a moment.")

func (c *Console) replay(x *exchange, p store.Place) (*replayed, error) {
	select {
	case c.replays <- struct{}{}:
		defer func() { <-c.replays }()
	default:
		return nil, errBusy
	}
	ctx, scope, began := x.r.Context(), x.scope(), c.Now()
	shoes, err := c.Store.Shoes(ctx, scope, p)
	if err != nil {
		return nil, err
	}
	until := uint64(math.MaxInt64)
	if len(shoes) > 0 {
		until = shoes[0].LastSeq + 1000 // the next shoe closes this one
	} else if tiles, err := c.Store.Floor(ctx, scope, store.Place{Property: p.Property, Table: p.Table}); err != nil {
		return nil, err
	} else if len(tiles) > 0 {
		until = tiles[0].Seq
	}
	opt := c.Law
	opt.NoArchive = true
	engine, batch := engine.New(opt), &rows.Set{}
	out := &replayed{Place: p, Engine: opt.Version}
	found := map[string]finding.Finding{}
	var order []string
	take := func() {
		for _, f := range batch.Findings {
			if f.ShoeID == p.Shoe {
				if _, ok := found[f.ID]; !ok {
					order = append(order, f.ID)
				}
				found[f.ID] = f
			}
		}
		batch.Reset()
	}
	out.Whole, err = c.Store.EachEvent(ctx, scope, p.Property, p.Table, until, mostReplayed, func(e *store.Event) error {
		format := schema.Protobuf
		if e.Format == "json" {
			format = schema.JSON
		}
		engine.Apply(&pipeline.Record{Offset: e.Offset, Format: format, Value: []byte(e.Raw)}, "archive", e.Partition, batch)
		if out.Events++; out.Events%1000 == 0 {
			take()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out.Events == 0 {
		return nil, fmt.Errorf("replay of shoe %s: %w", p.Shoe, store.ErrNone)
	}
	engine.Finish(batch)
	take()
	stored, err := c.Store.Findings(ctx, scope, store.Where{Property: p.Property, Table: p.Table, Shoe: p.Shoe, Limit: store.MostRows})
	if err != nil {
		return nil, err
	}
	for i := range stored {
		s := &stored[i]
		if s.Kind == "anomaly" {
			out.Suspicions++
			continue
		}
		f, ok := found[s.ID]
		if ok && f.Rule == s.Rule && string(f.Verdict) == s.Verdict && f.Severity.String() == s.Severity && f.Expected == s.Expected && f.Observed == s.Observed && f.Amount == s.Amount {
			out.Same = append(out.Same, f)
			delete(found, s.ID)
			continue
		}
		out.OnlyStored = append(out.OnlyStored, *s)
	}
	for _, id := range order {
		if f, ok := found[id]; ok {
			out.OnlyReplay = append(out.OnlyReplay, f)
		}
	}
	out.Took = c.Now().Sub(began)
	return out, nil
}

func replayPage(c *Console, x *exchange) error {
	if !c.limits.allow("replay "+x.who.Name, 20, time.Minute) {
		return errTooMany
	}
	form := x.r.PostForm
	p := store.Place{Property: form.Get("property"), Table: form.Get("table"), Shoe: form.Get("shoe")}
	if p.Property == "" || p.Table == "" || p.Shoe == "" {
		return badRequest("a replay needs a property, a table and a shoe")
	}
	r, err := c.replay(x, p)
	if err != nil {
		return err
	}
	x.log(p.Property, "replay", p.Table+"/"+p.Shoe, fmt.Sprintf("%d events, same %t", r.Events, r.Equal()))
	return x.page("replay", "Replay of "+p.Shoe, map[string]any{"Replay": r, "Back": local(form.Get("next"))})
}
