package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/stats"
)

// since returns the start of the period that the request selects in days; days is the default.
func (x *exchange) since(days int) (since time.Time, n int, err error) {
	if text := x.r.FormValue("days"); text != "" {
		if days, err = strconv.Atoi(text); err != nil || days < 1 || days > 366 {
			return since, 0, badRequest("days %q: want 1 to 366", text)
		}
	}
	return x.c.Now().AddDate(0, 0, -days), days, nil
}

// figuresTTL is the age at which figures of days are refreshed. They are shown up to twice that age.
const figuresTTL = 30 * time.Second

// tallies are the tallies of all dealers, with the time of their query.
type tallies struct {
	at  time.Time
	all []store.Tally
}

// dealers returns the findings and rounds of each dealer in the last days.
func (c *Console) dealers(x *exchange, days int) (tallies, error) {
	scope, key := x.scope(), fmt.Sprintf("dealers %#v %d", x.scope(), days)
	return cached(x.r.Context(), &c.figures, key, figuresTTL, func(ctx context.Context) (t tallies, err error) {
		t.at = c.Now()
		t.all, err = c.Store.Dealers(ctx, scope, t.at.AddDate(0, 0, -days))
		return t, err
	})
}

func dealersPage(c *Console, x *exchange) error {
	_, days, err := x.since(30)
	if err != nil {
		return err
	}
	tallies, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	rates, house, scale := ratesOf(tallies.all)
	chart := chartOf(rates, house) // before the rates are read: it sets their limits
	return x.page("dealers", "Dealers", map[string]any{
		"At": tallies.at, "Rates": rates, "Days": days, "House": house, "HouseX": drawn(house, scale),
		"MinRounds": stats.MinRounds, "Chart": chart,
	})
}

func dealerPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	property, dealer := x.r.PathValue("property"), x.r.PathValue("dealer")
	since, days, err := x.since(30)
	if err != nil {
		return err
	}
	dealers, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	var dealt, all uint64
	for _, t := range dealers.all {
		if at, name, _ := strings.Cut(t.Name, "/"); at == property {
			all += t.Rounds
			if name == dealer {
				dealt = t.Rounds
			}
		}
	}
	figures, err := c.dealerFigures(x, property, dealer, days)
	if err != nil {
		return err
	}
	query := store.FindingQuery{Property: property, Dealer: dealer, Since: since, Limit: 100}
	findings, err := c.Store.Findings(ctx, scope, query)
	if err != nil {
		return err
	}
	if dealt == 0 && len(findings) == 0 {
		at, err := c.Store.DealtBy(ctx, scope, dealer) // before the period
		if err != nil || !slices.Contains(at, property) {
			return cmp.Or(err, errNoPage)
		}
	}
	week, err := c.dealerWeek(x, property, dealer, figures.byDay)
	if err != nil {
		return err
	}
	tallies := slices.Clone(figures.tallies) // shared
	for i := range tallies {
		tallies[i].Rounds = dealt
	}
	scale := scaleOf(tallies)
	rates := make([]rate, len(tallies))
	for i, t := range tallies {
		rates[i] = rateOf(t, scale, 1)
	}
	return x.page("dealer", "Dealer "+dealer, map[string]any{
		"Property": property, "Dealer": dealer, "Rounds": dealt, "All": all, "Days": days, "Rates": rates,
		"Findings": findings, "TooFew": dealt < stats.MinRounds, "MinRounds": stats.MinRounds, "Week": week,
		"At": figures.at,
	})
}

// patronView is the play of a masked patron.
type patronView struct {
	Property, Patron, Currency string
	Play                       []store.Patron
	Wagers                     []store.Wager
	Findings                   []store.Finding
}

// patron reads the play of the patron that the path names, and logs the view.
func (c *Console) patron(x *exchange) (*patronView, error) {
	ctx, scope := x.r.Context(), x.scope()
	p := &patronView{Property: x.r.PathValue("property"), Patron: x.r.PathValue("patron")}
	var all errgroup.Group
	fetch(&all, &p.Currency, func() (string, error) {
		return c.currency(x, store.Location{Property: p.Property})
	})
	fetch(&all, &p.Wagers, func() ([]store.Wager, error) {
		return c.Store.PatronWagers(ctx, scope, p.Property, p.Patron)
	})
	fetch(&all, &p.Findings, func() (_ []store.Finding, err error) {
		if p.Play, err = c.Store.Patron(ctx, scope, p.Property, p.Patron); err != nil {
			return nil, err
		}
		if len(p.Play) == 0 {
			return nil, errNoPage
		}
		all.Go(func() error {
			x.log(p.Property, viewedPatron, p.Patron, "masked")
			return nil
		})
		return c.Store.PatronFindings(ctx, scope, p.Property, p.Patron, p.Play)
	})
	return p, all.Wait()
}

func patronPage(c *Console, x *exchange) error {
	var view struct {
		*patronView
		Visits *takings
	}
	var all errgroup.Group
	fetch(&all, &view.patronView, func() (*patronView, error) { return c.patron(x) })
	fetch(&all, &view.Visits, func() (*takings, error) {
		return c.visits(x, x.r.PathValue("property"), x.r.PathValue("patron"))
	})
	if err := all.Wait(); err != nil {
		return err
	}
	return x.page("patron", "Patron "+short(view.Patron), view)
}
