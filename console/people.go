package console

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/stats"
)

// since returns the start of the period that the request selects in days; days is the default.
func (x *exchange) since(days int) (time.Time, int) {
	if n, err := strconv.Atoi(x.r.FormValue("days")); err == nil && n > 0 && n <= 366 {
		days = n
	}
	return x.c.Now().AddDate(0, 0, -days), days
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
	ctx, scope := context.WithoutCancel(x.r.Context()), x.scope()
	return cached(&c.figures, fmt.Sprint("dealers ", scope, days), figuresTTL, func() (t tallies, err error) {
		t.at = c.Now()
		t.all, err = c.Store.Dealers(ctx, scope, t.at.AddDate(0, 0, -days))
		return t, err
	})
}

func dealersPage(c *Console, x *exchange) error {
	_, days := x.since(30)
	tallies, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	rates, house, scale := ratesOf(tallies.all)
	return x.page("dealers", "Dealers", map[string]any{
		"At": tallies.at, "Rates": rates, "Days": days, "House": house, "HouseX": drawn(house, scale),
		"MinRounds": stats.MinRounds,
	})
}

func dealerPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	property, dealer := x.r.PathValue("property"), x.r.PathValue("dealer")
	since, days := x.since(30)
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
	tallies, err := c.Store.DealerTallies(ctx, scope, property, dealer, since)
	if err != nil {
		return err
	}
	query := store.FindingQuery{Property: property, Dealer: dealer, Since: since, Limit: 100}
	findings, err := c.Store.Findings(ctx, scope, query)
	if err != nil {
		return err
	}
	if dealt == 0 && len(findings) == 0 {
		return errNoPage
	}
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
		"Findings": findings, "TooFew": dealt < stats.MinRounds, "MinRounds": stats.MinRounds,
	})
}

func patronPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	property, patron := x.r.PathValue("property"), x.r.PathValue("patron")
	var play []store.Patron
	var wagers []store.Wager
	var findings []store.Finding
	var currency string
	var all errgroup.Group
	fetch(&all, &currency, func() (string, error) {
		return c.Store.Currency(ctx, scope, store.Location{Property: property})
	})
	fetch(&all, &play, func() ([]store.Patron, error) { return c.Store.Patron(ctx, scope, property, patron) })
	fetch(&all, &wagers, func() ([]store.Wager, error) { return c.Store.PatronWagers(ctx, scope, property, patron) })
	fetch(&all, &findings, func() ([]store.Finding, error) {
		return c.Store.PatronFindings(ctx, scope, property, patron)
	})
	if err := all.Wait(); err != nil {
		return err
	}
	if len(play) == 0 {
		return errNoPage
	}
	x.log(property, "view-patron", patron, "masked")
	return x.page("patron", "Patron "+short(patron), map[string]any{
		"Property": property, "Patron": patron, "Play": play, "Wagers": wagers, "Findings": findings, "Currency": currency,
	})
}
