package console

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// evidence is the content of the page of a finding, with the round of the finding, if it is about one.
type evidence struct {
	*played
	Finding      store.Finding
	Doc          string
	Clauses      []clause
	Actions      []store.Action
	Video        *video
	Dispositions []string
	Settled      string // the payment that the finding is about, unless it cannot be judged
	Curve        *curve
	Strips       *strips
	Related      []store.Finding // others of its round, and of the shoe under its rule
	Cases        []store.CaseRow // that have the finding
	CasesOpen    []store.CaseRow // of the property, to which it can be added
}

func findingPage(c *Console, x *exchange) error {
	ev, err := c.sharedEvidence(x)
	if err != nil {
		return err
	}
	return x.page("finding", ev.Finding.Rule, ev)
}

// evidenceTTL is how long requests share the evidence of a finding or the record of a round: many people open the
// finding that raised an alarm. A change of the queue, or of a case by a user of this console, ends it.
const evidenceTTL = 3 * time.Second

// sharedEvidence is the evidence of the finding that the path names. It must not be changed.
func (c *Console) sharedEvidence(x *exchange) (*evidence, error) {
	x, done := x.detached()
	defer done()
	id := x.r.PathValue("id")
	key := fmt.Sprintf("evidence %#v %#v %q", x.scope(), x.user.Scope(permReadCases), id)
	return cached(x.r.Context(), &c.volatile, key, evidenceTTL, func(context.Context) (*evidence, error) {
		return c.evidence(x, id)
	})
}

func (c *Console) evidence(x *exchange, id string) (*evidence, error) {
	ctx, scope := x.r.Context(), x.scope()
	f, others, err := c.Store.WithShoe(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	ev := &evidence{
		Finding: f, Related: related(&f, others), Doc: docOf(f.Rule), Clauses: clausesIn(f.Rule, f.Citations),
		Dispositions: store.Dispositions(),
	}
	at := store.Location{Property: f.PropertyID, Table: f.TableID, Shoe: f.ShoeID, Round: f.Round}
	var all errgroup.Group
	if !c.Store.Untouched(scope, id) {
		fetch(&all, &ev.Actions, func() ([]store.Action, error) { return c.Store.Actions(ctx, scope, id) })
	}
	fetch(&all, &ev.played, func() (*played, error) { return c.played(x, at, &f, nil) })
	if x.user.Scope(permReadCases).Has(f.PropertyID) {
		all.Go(func() error { return c.casesOf(x, ev) })
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	if len(ev.archived) == 0 && ev.NoEvents == "" {
		ev.NoEvents = "The archive does not have the events that this finding cites."
	}
	ev.Settled = settlement(&f, ev.Seats, ev.Currency)
	ev.Video = c.video(&f, ev.archived)
	if f.Kind == "anomaly" {
		if ev.Curve, err = c.curve(x, &f); err != nil {
			return nil, err
		}
		if f.Rule == "d04" && f.ShoeID != "" {
			if ev.Strips, err = c.strips(x, &f); err != nil {
				return nil, err
			}
		}
	}
	return ev, nil
}

// settlement describes the payment that a breach or a suspicion is about. Of a payment that cannot be judged it says
// nothing, and of a wager that breaks another rule neither.
func settlement(f *store.Finding, all []seat, currency string) string {
	// That a wager may not have been settled says nothing about an amount.
	claimed := f.Verdict == string(finding.Breach) ||
		f.Verdict == string(finding.Suspect) && f.Rule != "payout.unsettled"
	if !claimed || !strings.HasPrefix(f.Rule, "payout.") {
		return ""
	}
	for i := range all {
		for j := range all[i].Wagers {
			if w := &all[i].Wagers[j]; w.Subject {
				return settledText(w, currency)
			}
		}
	}
	return ""
}

// related selects findings of the round of a finding, and of its shoe under the same rule.
func related(f *store.Finding, ofShoe []store.Finding) []store.Finding {
	const most = 10
	found := slices.DeleteFunc(ofShoe, func(o store.Finding) bool {
		return (o.Round != f.Round || f.Round == 0) && o.Rule != f.Rule
	})
	return found[:min(len(found), most)]
}

// casesOf adds the cases that have the finding, and those to which it can be added.
func (c *Console) casesOf(x *exchange, ev *evidence) error {
	all, err := c.Store.Cases(x.r.Context(), store.Scope{Properties: []string{ev.Finding.PropertyID}}, ev.Finding.ID)
	for i := range all {
		switch r := all[i]; {
		case r.Has:
			ev.Cases = append(ev.Cases, r)
		case r.State != store.Closed:
			ev.CasesOpen = append(ev.CasesOpen, r)
		}
	}
	return err
}

// citedBy are the first 1,000 events that a finding cites, without a range: First is after Last.
func citedBy(f *store.Finding) store.EventRange {
	return store.EventRange{First: 1, Also: f.Seqs[:min(len(f.Seqs), 1000)]}
}

// rawPage shows events as received, patrons included. Each view is logged before it is shown.
func rawPage(c *Console, x *exchange) error {
	id := x.r.PathValue("id")
	f, err := c.Store.Finding(x.r.Context(), x.scope(), id)
	if err != nil {
		return err
	}
	if err := x.mustLog(f.PropertyID, unmasked, id, "events as received"); err != nil {
		return err
	}
	ev, err := c.evidence(x, id)
	if err != nil {
		return err
	}
	return ev.raw(x, "/findings/"+f.ID)
}

// raw is the page of the events as received; back is the page that it belongs to.
func (p *played) raw(x *exchange, back string) error {
	if p.noArchive {
		return store.ErrNoArchive
	}
	for i := range p.archived {
		e := &p.archived[i]
		if e.Err == nil {
			p.Events[i].Raw = string(schema.AppendJSON(nil, &e.Body))
		} else {
			p.Events[i].Raw = strconv.QuoteToASCII(e.Raw[:min(len(e.Raw), 2000)])
		}
	}
	return x.page("raw", "Events as received", map[string]any{"Back": back, "Events": p.Events})
}
