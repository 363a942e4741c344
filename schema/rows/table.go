package rows

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// Table is the declaration of a table.
type Table struct {
	Name    string
	Columns []Column
	// Added are columns that are no part of a row. The writer adds them: version, which decides between rows of the
	// same key, and epoch.
	Added []string

	row    reflect.Type
	list   bool // a list of structs, otherwise a struct of columns
	field  int  // in Set
	insert int
}

// Column is the declaration of a column.
type Column struct {
	Name string
	Type Type
	As   Conversion
	Key  bool // part of the row's key
	// Optional lists are younger than the hash of a row: an empty one is not part of it.
	Optional bool
	// Derived columns are younger than the hash, too, and never part of it: they follow from other columns, from the
	// range of the batch or from the events. Structs of columns alone have them.
	Derived bool
	// ClickHouse is the type of the column.
	ClickHouse string

	field  int
	offset uintptr
}

// Type is the Go type of a value.
type Type uint8

// Types.
const (
	stringType Type = iota // also a type with this kind
	wordsType              // Words, a whole column
	stringsType
	bytesType
	boolType
	int32Type
	int64Type
	uint8Type
	uint32Type
	uint64Type
	float64Type
	formatType
	severityType
	proofType   // finding.Evidence
	instantType // time.Time
)

// Conversion is the ClickHouse type of a value where its Go type leaves a choice.
type Conversion string

// Conversions.
const (
	plain Conversion = ""
	Word  Conversion = "word"  // LowCardinality(String), of a list too
	Time  Conversion = "time"  // DateTime64(9, 'UTC')
	milli Conversion = "milli" // DateTime64(3, 'UTC')
	Day   Conversion = "day"   // Date32
	Hash  Conversion = "hash"  // FixedString(32)
)

// Tables returns the tables of a Set in the order of their inserts.
func Tables() []Table {
	tables := declared()
	slices.SortFunc(tables, func(a, b Table) int { return cmp.Compare(a.insert, b.insert) })
	return tables
}

// declared returns the tables in the order of the fields of Set. It panics on a wrong tag: the package's own test
// calls it.
func declared() []Table {
	var tables []Table
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Set]()) {
		if !field.IsExported() {
			continue
		}
		added := strings.Split(field.Tag.Get("table"), ",")
		t := Table{Name: added[0], Added: added[1:], field: field.Index[0], row: field.Type}
		t.insert, _ = strconv.Atoi(field.Tag.Get("insert"))
		if t.list = field.Type.Kind() == reflect.Slice; t.list {
			t.row = field.Type.Elem()
		}
		t.Columns = columns(t.row, t.list)
		tables = append(tables, t)
	}
	return tables
}

// TableOf returns the declaration of a table that is no part of a Set, or of some columns of any table. A field with
// the tag column:"-" is no column.
func TableOf[R any](name string) Table {
	row := reflect.TypeFor[R]()
	return Table{Name: name, Columns: columns(row, true), row: row, list: true, field: -1}
}

// Find returns the table of a name, and panics without one.
func Find(name string) *Table {
	tables := declared()
	at := slices.IndexFunc(tables, func(t Table) bool { return t.Name == name })
	return &tables[at]
}

// Column returns the column of a name, nil without one.
func (t *Table) Column(name string) *Column {
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if at < 0 {
		return nil
	}
	return &t.Columns[at]
}

// Names returns the names of the columns and of the added ones, in the order of an insert.
func (t *Table) Names() []string {
	var names []string
	for i := range t.Columns {
		names = append(names, t.Columns[i].Name)
	}
	return append(names, t.Added...)
}

// Keys returns the names of the columns that identify a row.
func (t *Table) Keys() []string {
	var names []string
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Key {
			names = append(names, c.Name)
		}
	}
	return names
}

func columns(row reflect.Type, list bool) []Column {
	types := clickhouse()
	var all []Column
	for _, field := range reflect.VisibleFields(row) {
		tag := strings.Split(field.Tag.Get("column"), ",")
		if tag[0] == "-" {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		c := Column{Name: cmp.Or(tag[0], name), field: field.Index[0], offset: field.Offset}
		for _, word := range tag[1:] {
			switch word {
			case "key":
				c.Key = true
			case "optional":
				c.Optional = true
			case "derived":
				c.Derived = true
			default:
				c.As = Conversion(word)
			}
		}
		element := field.Type
		switch {
		case element == reflect.TypeFor[Text]():
			element = reflect.TypeFor[[]byte]()
		case element == reflect.TypeFor[Words]():
		case !list:
			element = element.Elem()
		}
		c.Type = typeOf(element)
		c.ClickHouse = types[c.Type][c.As]
		if c.Optional && c.Type != stringsType || c.Derived && list {
			panic(fmt.Sprintf("rows: field %s of %s: an optional list, or a derived column of columns", field.Name, row))
		}
		if c.Name == "" || c.ClickHouse == "" {
			panic(fmt.Sprintf("rows: field %s of %s: no name, or no column type for %s as %q", field.Name, row, element, c.As))
		}
		all = append(all, c)
	}
	return all
}

func typeOf(t reflect.Type) Type {
	switch t {
	case reflect.TypeFor[Words]():
		return wordsType
	case reflect.TypeFor[schema.Format]():
		return formatType
	case reflect.TypeFor[finding.Severity]():
		return severityType
	case reflect.TypeFor[finding.Evidence]():
		return proofType
	case reflect.TypeFor[time.Time]():
		return instantType
	case reflect.TypeFor[[]string]():
		return stringsType
	case reflect.TypeFor[[]byte]():
		return bytesType
	}
	kinds := map[reflect.Kind]Type{
		reflect.String: stringType, reflect.Bool: boolType, reflect.Int32: int32Type, reflect.Int64: int64Type,
		reflect.Uint8:  uint8Type,
		reflect.Uint32: uint32Type, reflect.Uint64: uint64Type, reflect.Float64: float64Type,
	}
	of, ok := kinds[t.Kind()]
	if !ok {
		panic(fmt.Sprintf("rows: no column holds a %s", t))
	}
	return of
}

// clickhouse returns the type of a column for the Go type and its conversions.
func clickhouse() map[Type]map[Conversion]string {
	return map[Type]map[Conversion]string{
		stringType:   {plain: "String", Word: "LowCardinality(String)", Day: "Date32"},
		wordsType:    {plain: "String", Word: "LowCardinality(String)", Day: "Date32"},
		stringsType:  {plain: "Array(String)", Word: "Array(LowCardinality(String))"},
		bytesType:    {plain: "String", Hash: "FixedString(32)"},
		boolType:     {plain: "Bool"},
		int32Type:    {plain: "Int32"},
		int64Type:    {plain: "Int64", Time: "DateTime64(9, 'UTC')"},
		uint8Type:    {plain: "UInt8"},
		uint32Type:   {plain: "UInt32"},
		uint64Type:   {plain: "UInt64"},
		float64Type:  {plain: "Float64"},
		formatType:   {plain: "Enum8('unknown' = 0, 'protobuf' = 1, 'json' = 2)"},
		severityType: {Word: "LowCardinality(String)"},
		instantType:  {milli: "DateTime64(3, 'UTC')"},
		proofType:    {plain: "Tuple(seqs Array(UInt64), event_ids Array(String))"},
	}
}

// Ref returns a pointer to the field of the column in a row, which is a pointer to a struct. A field of kind string
// gives a *string.
func (c *Column) Ref(row any) any {
	field := reflect.ValueOf(row).Elem().Field(c.field).Addr()
	switch c.Type {
	case stringType:
		field = field.Convert(reflect.TypeFor[*string]())
	case int64Type:
		field = field.Convert(reflect.TypeFor[*int64]())
	}
	return field.Interface()
}
