package console

import (
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
)

func shoePage(c *Console, x *exchange) error {
	ctx, scope, at := x.r.Context(), x.scope(), x.location()
	var shoes []store.Shoe
	var rounds []store.Round
	var findings []store.Finding
	var ledger []store.Vigorish
	var settlements map[uint32]store.Settlement
	var all errgroup.Group
	all.Go(func() (err error) {
		if rounds, err = c.Store.Rounds(ctx, scope, at); err != nil {
			return err
		}
		q := store.FindingQuery{Property: at.Property, Table: at.Table, Shoe: at.Shoe, Limit: 500}
		if n := len(rounds); n > 0 { // in order of time, which bounds what the findings' query reads
			q.Since, q.Until = rounds[0].At.Add(-store.ShoeLasts), rounds[n-1].At.Add(store.ShoeLasts)
		}
		findings, err = c.Store.Findings(ctx, scope, q)
		return err
	})
	fetch(&all, &shoes, func() ([]store.Shoe, error) { return c.Store.Shoes(ctx, scope, at) })
	var currency string
	fetch(&all, &currency, func() (string, error) { return c.currency(x, at) })
	fetch(&all, &settlements, func() (map[uint32]store.Settlement, error) { return c.Store.Settlements(ctx, scope, at) })
	fetch(&all, &ledger, func() ([]store.Vigorish, error) { return c.Store.Ledger(ctx, scope, at) })
	if err := all.Wait(); err != nil {
		return err
	}
	if len(shoes) == 0 && len(rounds) == 0 {
		return errNoPage
	}
	slices.Reverse(findings)
	marked, byRound := map[uint32]string{}, map[uint32][]store.Finding{}
	for _, f := range findings {
		if f.Verdict == "BREACH" || f.Verdict == "SUSPECT" {
			marked[f.Round] = f.ID
		}
		byRound[f.Round] = append(byRound[f.Round], f)
	}
	data := map[string]any{
		"At": at, "Rounds": rounds, "Findings": findings, "ByRound": byRound, "Roads": roadsOf(rounds, marked),
		"Ledger": ledgerOf(ledger, findings), "Currency": currency,
		"Settlements": settlements,
	}
	if len(shoes) > 0 {
		data["Shoe"] = shoes[0]
	}
	return x.page("shoe", "Shoe "+at.Shoe, data)
}

// account is the vigorish of a seat in a shoe. It has no verdict, because some houses pay net of vigorish and mark
// nothing; the rules know which.
type account struct {
	Seat                        uint32
	Entries                     []accountEntry
	Min, Max, Marked, Collected int64
}

type accountEntry struct {
	store.Vigorish
	Finding string // id of a finding about the vigorish of this wager
}

func ledgerOf(rows []store.Vigorish, findings []store.Finding) []account {
	byWager := map[string]string{}
	for _, f := range findings {
		wager, ok := strings.CutPrefix(f.Subject, "wager:")
		if ok && strings.HasPrefix(f.Rule, "vig.") && f.Verdict == "BREACH" {
			byWager[wager] = f.ID
		}
	}
	bySeat := map[uint32]*account{}
	var order []uint32
	for _, v := range rows {
		a := bySeat[v.Seat]
		if a == nil {
			a = &account{Seat: v.Seat}
			bySeat[v.Seat] = a
			order = append(order, v.Seat)
		}
		a.Min += v.Min
		a.Max += v.Max
		a.Marked += v.Marked
		a.Collected += v.Collected
		a.Entries = append(a.Entries, accountEntry{v, byWager[v.WagerID]})
	}
	slices.Sort(order)
	all := make([]account, len(order))
	for i, n := range order {
		all[i] = *bySeat[n]
	}
	return all
}
