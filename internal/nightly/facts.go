package nightly

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// factTable is a table of facts with the columns that its rows are compared by.
type factTable struct {
	rows.Table
	columns  []rows.Column
	keys     []rows.Column // of columns, without the property and the table: the rows are of one table
	labels   []rows.Column
	at, shoe *rows.Column
}

func factTables() []factTable {
	var all []factTable
	for _, t := range rows.FactTables() {
		columns := t.Compared()
		keys := slices.DeleteFunc(slices.Clone(columns), func(c rows.Column) bool {
			return !c.Key || c.Name == "property_id" || c.Name == "table_id"
		})
		all = append(all, factTable{t, columns, keys, t.Labels(), t.Column("at"), t.Column("shoe_id")})
	}
	return all
}

// factRow is a row of facts: its table, its shoe, and the hashes of the row and of its labels.
type factRow struct {
	name, shoe  string
	row, labels [sha256.Size]byte
}

// foldAfter is how long after the end of a day its facts are kept by row: events that come late change some.
const foldAfter = 24 * 3600 * int64(1e9)

// facts takes the facts of the days. Of rows with one key the last one counts, as in the database.
func (r *run) facts(days []tableDay, b *rows.Set) {
	var text []byte
	for i := range r.tables {
		t := &r.tables[i]
		v := t.View(b)
		for row := range v.Len {
			k := r.at(v.Instant(t.at, row))
			if k < 0 {
				continue
			}
			text = rows.AppendPlain(append(text[:0], t.Name...), t.keys, v, row)
			if days[k].rows == nil {
				days[k].rows = r.spareRows()
			}
			f := days[k].rows.row(text)
			f.name, f.shoe = t.Name, v.Word(t.shoe, row)
			text = rows.AppendPlain(text[:0], t.columns, v, row)
			f.row = sha256.Sum256(text)
			if len(t.labels) > 0 {
				text = rows.AppendPlain(text[:0], t.labels, v, row)
				f.labels = sha256.Sum256(text)
			}
		}
	}
}

// factRows are the rows of facts of a table and day. Keys has the index of each by its key.
type factRows struct {
	list []factRow
	keys map[string]int32
}

// spareRows returns empty rows, of a day that was folded if there is one: to grow new ones takes longer than to fill
// them.
func (r *run) spareRows() *factRows {
	if spare, ok := r.spare.Get().(*factRows); ok {
		return spare
	}
	return &factRows{keys: map[string]int32{}}
}

// row returns the row with a key, a new one for a new key. It is valid until the next call.
func (f *factRows) row(key []byte) *factRow {
	i, known := f.keys[string(key)]
	if !known {
		i = int32(len(f.list))
		f.keys[string(key)], f.list = i, append(f.list, factRow{})
	}
	return &f.list[i]
}

// fold reduces the facts of a day to one digest for each table of facts and shoe.
func (r *run) fold(d *tableDay) {
	if d.rows == nil {
		return
	}
	type group struct{ name, shoe string }
	type sum struct {
		rows, labels rows.Sum256
		n            uint64
	}
	sums := map[group]*sum{}
	for i := range d.rows.list {
		f := &d.rows.list[i]
		in := sums[group{f.name, f.shoe}]
		if in == nil {
			in = &sum{}
			sums[group{f.name, f.shoe}] = in
		}
		in.rows.Add(f.row)
		in.labels.Add(f.labels)
		in.n++
	}
	for g, sum := range sums { // sorted below
		f := clickhouse.FactDigest{
			Table: d.Table, Name: g.name, Shoe: strings.Clone(g.shoe), Rows: sum.n, Sum: sum.rows.String(),
		}
		if labels := sum.labels.String(); labels != "0" {
			f.Labels = labels
		}
		d.Facts = append(d.Facts, f)
	}
	slices.SortFunc(d.Facts, compareFacts)
	clear(d.rows.list)
	clear(d.rows.keys)
	d.rows.list = d.rows.list[:0]
	r.spare.Put(d.rows)
	d.rows = nil
}

func compareFacts(a, b clickhouse.FactDigest) int {
	return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Shoe, b.Shoe), strings.Compare(a.Name, b.Name))
}

// factPlace is what a digest is about.
type factPlace struct{ table, shoe, name string }

func placeOf(f *clickhouse.FactDigest) factPlace { return factPlace{f.Table, f.Shoe, f.Name} }

// maxFacts bounds the findings of a night about facts. The last one has the number of the others.
const maxFacts = 50

// compareFacts compares the stored facts of a day with those that the replay gives, a shoe at a time; their labels too,
// if this release audited the day live. Facts of a table with events that arrived late may also be as the replay
// without them gives them. It leaves out shoes that are still open, to which ingest adds, and tables with late events
// whose numbers began again. It returns the digest of the stored facts, empty unless all agree.
func (r *run) compareFacts(ctx context.Context, w window, m *merged) (found []finding.Finding, sum string, err error) {
	of, err := r.storedOf(ctx, w)
	if err != nil {
		return nil, "", err
	}
	stored := of.facts
	open := map[OpenShoe]bool{}
	late := map[string]bool{}
	want, lived := map[factPlace]clickhouse.FactDigest{}, map[factPlace]clickhouse.FactDigest{}
	for i := range m.tables {
		t := &m.tables[i]
		for _, o := range slices.Concat(t.Open, t.LiveOpen) {
			open[OpenShoe{Table: o.Table, Shoe: o.Shoe}] = true
		}
		for _, f := range t.Facts {
			want[placeOf(&f)] = f
		}
		for _, f := range t.LiveFacts {
			lived[placeOf(&f)] = f
		}
		late[t.Table] = t.Late
	}
	var differ []clickhouse.FactDigest
	for _, have := range stored {
		p := placeOf(&have)
		w, l := want[p], lived[p]
		if !m.sameFacts(&w, &have) && (!late[p.table] || !m.sameFacts(&l, &have)) {
			have.Wanted = w.Rows
			differ = append(differ, have)
		}
		delete(want, p)
	}
	for p, f := range want { // sorted below
		if late[p.table] && lived[p].Rows == 0 {
			continue
		}
		f.Rows, f.Wanted = 0, f.Rows
		differ = append(differ, f)
	}
	differ = slices.DeleteFunc(differ, func(f clickhouse.FactDigest) bool {
		_, hole := m.late.holes[f.Table]
		return hole && !late[f.Table] || open[OpenShoe{Table: f.Table, Shoe: f.Shoe}]
	})
	slices.SortFunc(differ, compareFacts)
	for i, f := range differ {
		if i == maxFacts-1 && len(differ) > maxFacts {
			found = append(found, r.factFinding(w, &f, fmt.Sprintf("%d more differences", len(differ)-i)))
			break
		}
		found = append(found, r.factFinding(w, &f, f.Differs()))
	}
	if len(differ)+len(open) == 0 {
		sum = clickhouse.FactSum(stored)
	}
	return found, sum, nil
}

// sameFacts compares what a replay gives with what is stored.
func (m *merged) sameFacts(want, have *clickhouse.FactDigest) bool {
	return want.Rows == have.Rows && want.Sum == have.Sum && (len(m.others) > 0 || want.Labels == have.Labels)
}

// ofFacts begins the subject of a finding about facts.
const ofFacts = "facts:"

func (r *run) factFinding(w window, f *clickhouse.FactDigest, observed string) finding.Finding {
	out := finding.New(finding.Identity{
		PropertyID: r.Property, TableID: f.Table, ShoeID: f.Shoe, Rule: "feed.reconcile", Subject: ofFacts + f.Name,
	}, finding.DataFault, finding.Suspect, finding.Major)
	out.Citations = []string{reconcileClause}
	out.At, out.Engine = schema.Time(w.until-1), r.Engine.Version
	out.GamingDay, out.Shift = r.Engine.Calendar.Of(w.until - 1)
	out.Expected = fmt.Sprintf("%s: %d, as a replay of the archive gives them", f.Name, f.Wanted)
	out.Observed = observed
	return out
}
