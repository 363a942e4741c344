package store

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Orders are the orders of the queue. The first one is the default; ByUrgency and then ByAge end each order.
func Orders() []string { return []string{"urgency", "newest", "oldest", "amount", "table"} }

// Place is the place of a row in the queue, in each order. As a text it is the cursor after which the next rows begin,
// also if its row has left the queue.
type Place struct {
	Urgency uint8
	At      int64
	Amount  int64
	Table   string
	ID      string // of the finding; the fingerprint and the state of a group
}

func (p Place) String() string {
	return fmt.Sprintf("%d.%d.%d.%s.%s", p.Urgency, p.At, p.Amount, url.QueryEscape(p.ID), url.QueryEscape(p.Table))
}

// ParsePlace reads a cursor.
func ParsePlace(text string) (p Place, ok bool) {
	parts := strings.SplitN(text, ".", 5)
	if len(parts) != 5 {
		return p, false
	}
	urgency, err1 := strconv.ParseUint(parts[0], 10, 8)
	at, err2 := strconv.ParseInt(parts[1], 10, 64)
	amount, err3 := strconv.ParseInt(parts[2], 10, 64)
	id, err4 := url.QueryUnescape(parts[3])
	table, err5 := url.QueryUnescape(parts[4])
	ok = err1 == nil && err2 == nil && err3 == nil && err4 == nil && err5 == nil
	return Place{uint8(urgency), at, amount, table, id}, ok
}

// compare orders two places.
func compare(order string, a, b *Place) int {
	first := 0
	switch order {
	case "newest":
		first = cmp.Compare(b.At, a.At)
	case "oldest":
		first = cmp.Compare(a.At, b.At)
	case "amount":
		first = cmp.Compare(max(b.Amount, -b.Amount), max(a.Amount, -a.Amount))
	case "table":
		first = strings.Compare(a.Table, b.Table)
	}
	return cmp.Or(first, cmp.Compare(a.Urgency, b.Urgency), cmp.Compare(a.At, b.At), strings.Compare(a.ID, b.ID))
}

// ranked is a row of the queue: its place under a filter, and its number.
type ranked struct {
	place Place
	n     int
}

// page returns the rows that a filter shows, in order: those after its place, up to its limit. It sorts only rows that
// may be among them.
func page(rows []ranked, f *Filter) []ranked {
	sort := func(rows []ranked) {
		slices.SortFunc(rows, func(a, b ranked) int { return compare(f.Order, &a.place, &b.place) })
	}
	n, kept, last := LimitOf(f.Limit), rows[:0], Place{}
	first := f.After == Place{}
	for i, full := 0, false; i < len(rows); i++ {
		at := &rows[i].place
		if !first && compare(f.Order, at, &f.After) <= 0 || full && compare(f.Order, at, &last) > 0 {
			continue
		}
		if kept = append(kept, rows[i]); len(kept) == 2*n {
			sort(kept)
			kept, last, full = kept[:n], kept[n-1].place, true
		}
	}
	sort(kept)
	return kept[:min(n, len(kept))]
}

// PlaceOf is the place of a finding of the queue; of a group, see Group.Place.
func (r *OpenFinding) PlaceOf() Place {
	return Place{r.Urgency, r.At.UnixNano(), r.Amount, r.TableID, r.ID}
}

// Place is the place of a group.
func (g *Group) Place() Place {
	return Place{g.Urgency, g.FirstAt.UnixNano(), g.Total, g.TableID, g.Fingerprint + " " + g.State}
}

// Facet is a value of a column with the number of findings that have it.
type Facet struct {
	Value string
	Count int
}

// Facets are the values among the findings that a filter selects, by the name of the filter, the most frequent first.
type Facets map[string][]Facet

// maxFacets is the number of values of one facet.
const maxFacets = 100

func facetsOf(rows []*OpenFinding) Facets {
	names := [...]string{"property", "pit", "table", "rule", "shift", "dealer", "severity", "verdict"}
	var counts [len(names)]map[string]int
	for i := range counts {
		counts[i] = map[string]int{}
	}
	for _, r := range rows {
		for i, value := range [len(names)]string{
			r.PropertyID, r.PitID, r.TableID, r.Rule, r.Shift, r.DealerID, r.Severity, r.Verdict,
		} {
			if value != "" {
				counts[i][value]++
			}
		}
	}
	all := Facets{}
	if len(rows) == 0 {
		return all
	}
	for i, name := range names {
		values := counts[i]
		facets := make([]Facet, 0, len(values))
		for value, n := range values {
			facets = append(facets, Facet{value, n})
		}
		slices.SortFunc(facets, func(a, b Facet) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
		})
		all[name] = facets[:min(len(facets), maxFacets)]
	}
	return all
}
