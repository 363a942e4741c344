package clickhouse

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// FactDigest is the number of rows of one table of facts (Name) of one shoe, and the sum of their SHA-256 modulo
// 2^256, in decimal. Configurations and notices have no shoe.
type FactDigest struct {
	Table  string `json:"table_id"`
	Name   string `json:"name"`
	Shoe   string `json:"shoe_id"`
	Rows   uint64 `json:"rows"`
	Sum    string `json:"sum"`
	Labels string `json:"labels,omitempty"` // the same sum over keys and labels, empty for a table without labels
	Wanted uint64 `json:"-"`                // the number of rows that a replay gives
}

// Differs describes a difference from what a replay gives.
func (f *FactDigest) Differs() string {
	if f.Rows == f.Wanted {
		return fmt.Sprintf("%s: %d, with other content", f.Name, f.Rows)
	}
	return fmt.Sprintf("%s: %d", f.Name, f.Rows)
}

// FactDigests returns the digests of the stored facts of a property with times in a window. The server computes them,
// so that no row leaves it.
func (s *Store) FactDigests(ctx context.Context, property string, from, until int64) ([]FactDigest, error) {
	days, err := s.FactDays(ctx, property, []int64{from, until})
	if err != nil {
		return nil, err
	}
	return days[0], nil
}

// FactDays returns the FactDigests of windows of time, each from one bound to before the next. One query reads the
// windows: the rows of a shoe are stored together, so a query of one day reads rows of the days beside it, too.
func (s *Store) FactDays(ctx context.Context, property string, bounds []int64) ([][]FactDigest, error) {
	from := startsOf(bounds)
	args := params("property", property, "from", bounds[0], "until", bounds[len(from)], "days", from)
	tables := rows.FactTables()
	read := make([][][]FactDigest, len(tables)) // by table and day
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(factTablesAtOnce)
	for n := range tables {
		days := make([][]FactDigest, len(from))
		read[n] = days
		group.Go(func() error {
			return s.factDigests(ctx, &tables[n], args, func(day uint64, f *FactDigest) {
				if i := slices.Index(from, day); i >= 0 {
					days[i] = append(days[i], *f)
				}
			})
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	days := make([][]FactDigest, len(from))
	for i := range days {
		for _, of := range read {
			days[i] = append(days[i], of[i]...)
		}
	}
	return days, nil
}

// factTablesAtOnce is the number of tables of facts that are read at once. The wagers take as long as all others.
const factTablesAtOnce = 2

func (s *Store) factDigests(ctx context.Context, t *rows.Table, args []any, each func(uint64, *FactDigest)) error {
	shoe := "''"
	if t.Column("shoe_id") != nil {
		shoe = "shoe_id"
	}
	labels := "''"
	if of := t.Labels(); len(of) > 0 {
		labels = sumOf(of)
	}
	f := FactDigest{Name: t.Name}
	var day uint64
	err := s.scan(ctx, "SELECT roundDown(toUInt64(toUnixTimestamp64Nano(at)), {days:Array(UInt64)}), toString(table_id), "+
		shoe+", count(), "+sumOf(t.Compared())+", "+labels+" FROM "+s.name(t.Name)+
		" FINAL WHERE property_id = {property:String} AND at >= fromUnixTimestamp64Nano({from:Int64}) "+
		"AND at < fromUnixTimestamp64Nano({until:Int64}) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3", args, func() {
		each(day, &f)
	}, &day, &f.Table, &f.Shoe, &f.Rows, &f.Sum, &f.Labels)
	return s.explain("read the digests of "+t.Name, err)
}

// sumOf is the SQL expression of the sum of the SHA-256 of columns.
func sumOf(columns []rows.Column) string {
	var texts []string
	for i := range columns {
		texts = append(texts, columns[i].Plain())
	}
	return "toString(sum(reinterpretAsUInt256(SHA256(concat(" + strings.Join(texts, ", ") + ")))))"
}

// FactSum is the SHA-256 of digests, in hex.
func FactSum(all []FactDigest) string {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b FactDigest) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Name, b.Name), strings.Compare(a.Shoe, b.Shoe))
	})
	sum := sha256.New()
	for _, f := range all {
		fmt.Fprintf(sum, "%q %s %q %d %s\n", f.Table, f.Name, f.Shoe, f.Rows, f.Sum)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
