package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// ClosedFinding is a finding that is still closed, with the action that closed it. Of a finding that two people closed,
// the reason and By are those of the request and Confirmed is the second person.
type ClosedFinding struct {
	OpenFinding
	ClosedAt                   time.Time
	By, Confirmed, Disposition string
	Reason                     string
}

// Closed returns the closed findings that a filter selects, closed before a moment, the last closed first. It reads at
// most 20 times MaxRows/10 closings. A page ends between two moments, so it may have more rows than the limit. next is
// the moment before which there may be more, zero at the end.
func (s *Store) Closed(
	ctx context.Context, scope Scope, f Filter, before time.Time,
) (rows []ClosedFinding, next time.Time, err error) {
	const pages, perPage = 20, MaxRows / 10
	text, n := strings.ToLower(f.Text), LimitOf(f.Limit)
	next = before
	size := min(perPage, n+n/10) // suffices without a filter, as few findings are reopened
	for range pages {
		var page []ClosedFinding
		if page, next, err = s.closedPage(ctx, scope, next, size); err != nil {
			return nil, next, err
		}
		for i := range page {
			if !f.matches(&page[i].OpenFinding, text) {
				continue
			}
			if len(rows) >= n && page[i].ClosedAt.Before(rows[n-1].ClosedAt) {
				return rows, rows[n-1].ClosedAt, nil
			}
			rows = append(rows, page[i])
		}
		if next.IsZero() || len(rows) >= n {
			break
		}
		size = perPage
	}
	return rows, next, nil
}

// closedPage returns the findings of the last n closings before a moment, and of all of the time of the last of these,
// without those that were reopened.
func (s *Store) closedPage(
	ctx context.Context, scope Scope, before time.Time, n int,
) (rows []ClosedFinding, next time.Time, err error) {
	var closings []Action
	// The range grows until it has enough rows, so that the projection by time reads little.
	for days := 1; len(closings) < n && days < 1<<14; days *= 16 {
		w := in(scope).and("to_state = 'closed' AND action != 'note'").
			since("at", before.AddDate(0, 0, -days)).before("at", before)
		if closings, err = s.actions(ctx, w, ` ORDER BY at DESC`+limit(n)+" WITH TIES"); err != nil {
			return nil, next, err
		}
	}
	if len(closings) == 0 {
		return nil, next, nil
	}
	oldest := closings[len(closings)-1].At
	if len(closings) >= n {
		next = oldest
	}
	slices.SortFunc(closings, func(a, b Action) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.FindingID, b.FindingID))
	})
	// Only reopening leaves the state closed, and reopenings are few.
	w := in(scope).and("action = 'reopen' AND at > fromUnixTimestamp64Nano({oldest:Int64})", "oldest", oldest.UnixNano()).
		and("finding_id IN {ids:Array(String)}", "ids", idsOf(closings))
	reopened, err := s.actions(ctx, w, ` ORDER BY at DESC LIMIT 1 BY finding_id`)
	if err != nil {
		return nil, next, err
	}
	last := map[string]time.Time{}
	for i := range reopened {
		last[reopened[i].FindingID] = reopened[i].At
	}
	closings = slices.DeleteFunc(closings, func(a Action) bool { return last[a.FindingID].After(a.At) })
	rows, err = s.closed(ctx, scope, closings)
	return rows, next, err
}

func idsOf(actions []Action) []string {
	ids := make([]string, len(actions))
	for i := range actions {
		ids[i] = actions[i].FindingID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// closed returns the findings of closings, in their order.
func (s *Store) closed(ctx context.Context, scope Scope, closings []Action) ([]ClosedFinding, error) {
	if len(closings) == 0 {
		return nil, nil
	}
	findings, err := s.ActedOn(ctx, scope, closings)
	if err != nil {
		return nil, err
	}
	var confirmed []string
	for _, a := range closings {
		if a.Action == Confirm {
			confirmed = append(confirmed, a.FindingID)
		}
	}
	requests, err := s.requests(ctx, scope, confirmed)
	if err != nil {
		return nil, err
	}
	rows := make([]ClosedFinding, len(closings))
	for i, a := range closings {
		r := ClosedFinding{findings[a.FindingID], a.At, a.Actor, "", a.Disposition, a.Reason}
		r.ID, r.PropertyID, r.State = a.FindingID, a.PropertyID, Closed
		if a.Action == Confirm {
			r.By, r.Confirmed, r.Reason = requests[a.FindingID].Actor, a.Actor, requests[a.FindingID].Reason
		}
		rows[i] = r
	}
	return rows, nil
}

// ActedOn returns the findings of actions by id, open or closed.
func (s *Store) ActedOn(ctx context.Context, scope Scope, actions []Action) (map[string]OpenFinding, error) {
	if len(actions) == 0 {
		return nil, nil
	}
	ids, first, last := idsOf(actions), actions[0].At, actions[0].At
	for _, a := range actions {
		if a.At.Before(first) {
			first = a.At
		}
		if a.At.After(last) {
			last = a.At
		}
	}
	// An action, except a note, changes the row of its finding in the queue, so the index by time of change narrows the
	// read. The minute allows for the difference of the clocks.
	w := in(scope).and("id IN {ids:Array(String)}", "ids", ids).and(
		"changed_at BETWEEN fromUnixTimestamp64Milli({first:Int64}) AND fromUnixTimestamp64Milli({last:Int64})",
		"first", first.Add(-time.Minute).UnixMilli(), "last", last.Add(time.Minute).UnixMilli())
	rows, err := list[OpenFinding](ctx, s, "findings", `{{open_findings}} WHERE `+w.String()+` `+newestRow, w)
	byID := map[string]OpenFinding{}
	for i := range rows {
		byID[rows[i].ID] = rows[i]
	}
	if err != nil || len(byID) == len(ids) {
		return byID, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return byID[id].ID != "" })
	rest := in(scope).and("id IN {ids:Array(String)}", "ids", ids)
	more, err := read[Finding](ctx, s, "findings", `SELECT `+findingColumns+noTriage+` FROM {{findings}} WHERE `+
		rest.String()+newestVersion+` LIMIT 1 BY id`, rest)
	for i := range more {
		f := &more[i]
		byID[f.ID] = OpenFinding{
			PropertyID: f.PropertyID, At: f.At, ID: f.ID, Kind: f.Kind, Verdict: f.Verdict, Basis: f.Basis, Rule: f.Rule,
			Severity: f.Severity, PitID: f.PitID, TableID: f.TableID, ShoeID: f.ShoeID, Round: f.Round, Seat: f.Seat,
			DealerID: f.DealerID, GamingDay: f.GamingDay, Shift: f.Shift, Expected: f.Expected, Observed: f.Observed,
			Amount: f.Amount, Currency: f.Currency,
		}
	}
	return byID, err
}
