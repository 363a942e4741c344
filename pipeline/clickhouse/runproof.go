package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// sum is the hash of a row, over all columns.
func (r *AuditRun) sum() string {
	t := rows.TableOf[AuditRun]("audit_runs")
	text, view := []byte("shoeproof-run/1\n"), rows.ViewOf([]AuditRun{*r})
	for i := range t.Columns {
		text = t.Columns[i].AppendPlain(text, view, 0)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// LogText is how an entry of the console log names the row.
func (r *AuditRun) LogText() string {
	row := r.done()
	return strings.TrimSpace("sha256 " + row.sum() + ": gaming day " + r.GamingDay + " " + r.Shift)
}

// runLog is what the console log has about the runs of a property.
type runLog struct {
	sums map[string]bool // hashes of rows
	ids  map[string]bool // runs that must have a row
	last *rows.Entry
}

// entry takes an entry of the log.
func (l *runLog) entry(e *rows.Entry) {
	if e.Action != rows.RunAction && e.Action != rows.RunsBegin {
		return
	}
	if l.sums == nil {
		l.sums, l.ids = map[string]bool{}, map[string]bool{}
	}
	head, _, _ := strings.Cut(e.Detail, ":")
	for sum := range strings.FieldsSeq(strings.TrimPrefix(head, "sha256 ")) {
		l.sums[sum] = true
	}
	if e.Action == rows.RunAction {
		l.ids[e.Object] = true
	}
	if l.last == nil || l.last.At < e.At {
		l.last = e
	}
}

// runLog reads the entries about runs. Without an HMAC they count in chains from before there was a key, which a link
// with an HMAC follows.
func (s *Store) runLog(ctx context.Context, property string) (log runLog, err error) {
	c, err := s.cursor(ctx, "console_log", property, "AND chain != '' AND action IN ('"+rows.GenesisAction+"', '"+
		rows.RunAction+"', '"+rows.RunsBegin+"')")
	if err != nil {
		return log, err
	}
	defer c.close()
	var unsigned []*rows.Entry
	followed := map[string]bool{}
	for c.next() {
		e := c.entry
		switch {
		case !c.sound():
		case len(s.cfg.ChainKeys) == 0 || s.cfg.ChainKeys.Verify(e.Hash, e.Key, e.MAC) == "":
			log.entry(e)
			for _, h := range genesisOf(e).Follows {
				followed[h.Chain] = true
			}
		case e.Key == "" && e.MAC == "":
			unsigned = append(unsigned, e)
		}
	}
	for _, e := range unsigned {
		if followed[e.Chain] {
			log.entry(e)
		}
	}
	return log, c.err
}

// RunsBefore returns the hashes of the runs of a property that were stored before runs were logged; none once one is.
func (s *Store) RunsBefore(ctx context.Context, property string) (sums []string, err error) {
	log, err := s.runLog(ctx, property)
	if err != nil || log.last != nil {
		return nil, err
	}
	runs, err := s.runs(ctx, "property_id = {property:String}", params("property", property))
	for i := range runs {
		sums = append(sums, runs[i].sum())
	}
	return sums, err
}

// proveRuns compares the stored runs with the entries that the chains have. The row of the last entry may be missing:
// the program was interrupted before it wrote the row, and the day counts as not audited.
func (p *chainProver) proveRuns(ctx context.Context, s *Store) error {
	if p.runs.last == nil {
		return nil
	}
	runs, err := s.runs(ctx, "property_id = {property:String}", params("property", p.Property))
	delete(p.runs.ids, p.runs.last.Object)
	for i := range runs {
		r := &runs[i]
		delete(p.runs.ids, r.ID)
		if !p.runs.sums[r.sum()] {
			p.problem("run %s of gaming day %s: not in the log, or changed after it was written", r.ID, r.GamingDay)
		}
	}
	for id := range p.runs.ids {
		p.gone = append(p.gone, fmt.Sprintf("run: the log has %s, and no row has it", id))
	}
	return err
}
