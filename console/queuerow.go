package console

import (
	"crypto/rand"
	"fmt"
	"html/template"
	"strings"
	"sync"
)

// drawnRows keeps the HTML of rows of the queue. A page has 200 rows and is drawn after each change of the queue, and
// most changes leave nearly all rows as they were.
type drawnRows struct {
	mu  sync.Mutex
	all map[rowKey]drawnRow
}

// rowKey is all that the HTML of a row depends on, except the age of the finding.
type rowKey struct {
	Row    queueRow
	Pick   bool // rows have a column of boxes
	Triage bool // the user may act on it
	Mine   bool // the user is its owner
	Of     bool // it names its property
	Old    bool // its time has a date
	clock  clock
}

// drawnRow is the HTML of a row before and after the age of its finding.
type drawnRow struct{ before, after string }

// maxDrawn is the maximum number of rows that are kept, of 2 kB each.
const maxDrawn = 4000

func (d *drawnRows) get(k *rowKey) (r drawnRow, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, ok = d.all[*k]
	return r, ok
}

func (d *drawnRows) put(k *rowKey, r drawnRow) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil || len(d.all) >= maxDrawn {
		d.all = map[rowKey]drawnRow{}
	}
	d.all[*k] = r
}

type drawRow func(pick, triage, of bool, me string, r queueRow) (template.HTML, error)

// rowDrawer returns the function of templates that draws a row of the queue by the template queuerow of page.
func (c *Console) rowDrawer(page *template.Template, k clock) drawRow {
	age := rand.Text() // where the age belongs; no text of a finding has it
	return func(pick, triage, of bool, me string, r queueRow) (template.HTML, error) {
		key := rowKey{r, pick, triage, r.Owner == me, of, isOld(c.Now(), r.FirstAt), k}
		drawn, ok := c.drawn.get(&key)
		if !ok {
			var out strings.Builder
			if err := page.ExecuteTemplate(&out, "queuerow", struct {
				rowKey
				Ago string
			}{key, age}); err != nil {
				return "", fmt.Errorf("row of the queue: %w", err)
			}
			drawn.before, drawn.after, _ = strings.Cut(out.String(), age)
			c.drawn.put(&key, drawn)
		}
		return template.HTML(drawn.before + ago(c.Now().Sub(r.FirstAt)) + drawn.after), nil //nolint:gosec // as escaped
	}
}
