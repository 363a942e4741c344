package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// sum is the hash of a row, over all columns.
func (r *AuditRun) sum() string {
	t := rows.TableOf[AuditRun]("audit_runs")
	text, view := []byte("shoeproof-run/1\n"), rows.ViewOf([]AuditRun{*r})
	sum := sha256.Sum256(rows.AppendPlain(text, t.Columns, view, 0))
	return hex.EncodeToString(sum[:])
}

// LogText is how an entry of the console log names the row.
func (r *AuditRun) LogText() string {
	row := r.done()
	return strings.TrimSpace("sha256 " + row.sum() + ":" + runDay + r.GamingDay + " " + r.Shift)
}

// LogTextWith is LogText with the FoundSum of the day that the run leaves behind.
func (r *AuditRun) LogTextWith(found string) string { return r.LogText() + runFound + found }

// runDay is before the gaming day in LogText, runFound before the FoundSum.
const (
	runDay   = " gaming day "
	runFound = " findings "
)

// FoundSum is the number of stored findings of a gaming day, of one shift or of all if it is empty, and the sum of the
// SHA-256 of their rows. The server computes it.
func (s *Store) FoundSum(ctx context.Context, property, day, shift string) (sum string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	err = s.conn.QueryRow(ctx, "SELECT concat(toString(count()), '-', "+
		digestOf(strings.Join(rows.Find("findings").Names(), ", "))+") FROM "+s.name("findings")+
		" FINAL WHERE property_id = {property:String} AND gaming_day = {day:Date32} AND "+
		"({shift:String} = '' OR shift = {shift:String})",
		params("property", property, "day", day, "shift", shift)...).Scan(&sum)
	return sum, s.explain("read the digest of the findings", err)
}

// runLog is what the console log has about the runs of a property.
type runLog struct {
	sums map[string]string // by the hash of a row the FoundSum that the run left behind; "" of earlier releases
	ids  map[string]string // runs that must have a row, with their gaming day
	last *rows.Entry
	// before is the number of rows from before runs were logged, since when they are named.
	before int
	since  int64 // microseconds UTC
}

// entry takes an entry of the log.
func (l *runLog) entry(e *rows.Entry) {
	if e.Action != rows.RunAction && e.Action != rows.RunsBegin {
		return
	}
	if l.sums == nil {
		l.sums, l.ids = map[string]string{}, map[string]string{}
	}
	found := ""
	if at := strings.LastIndex(e.Detail, runFound); at >= 0 { // a shift may have the word in its name
		found = e.Detail[at+len(runFound):]
	}
	head, day, _ := strings.Cut(e.Detail, ":")
	for sum := range strings.FieldsSeq(strings.TrimPrefix(head, "sha256 ")) {
		l.sums[sum] = found
		if e.Action == rows.RunsBegin {
			l.before, l.since = l.before+1, max(l.since, e.At)
		}
	}
	if e.Action == rows.RunAction {
		day, _, _ = strings.Cut(strings.TrimPrefix(day, runDay), " ")
		l.ids[e.Object] = day
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

// TrustedRuns states, by property, how many runs are taken as the first run of a release that logs runs found them.
func (s *Store) TrustedRuns(ctx context.Context) (all []string, err error) {
	var property string
	var n int64
	var at time.Time
	err = s.scan(ctx, "SELECT toString(property_id), sum(length(splitByChar(' ', detail)) - 1), max(at) FROM "+
		s.name("console_log")+" WHERE action = '"+rows.RunsBegin+"' GROUP BY property_id ORDER BY property_id", nil, func() {
		all = append(all, fmt.Sprintf("%d of property %q, named at %s", n, property, at.UTC().Format(time.DateTime)))
	}, &property, &n, &at)
	return all, s.explain("read the runs of earlier releases", err)
}

// proveRuns compares the stored runs with the entries that the chains have. The row of the last entry may be missing:
// the program was interrupted before it wrote the row, and the day counts as not audited. So may the row of a gaming
// day, which the entry names, that is older than the retention of runs.
func (p *chainProver) proveRuns(ctx context.Context, s *Store) error {
	if p.runs.last == nil {
		return nil
	}
	runs, err := s.runs(ctx, "property_id = {property:String}", params("property", p.Property))
	delete(p.runs.ids, p.runs.last.Object)
	for i := range runs {
		r := &runs[i]
		delete(p.runs.ids, r.ID)
		if _, logged := p.runs.sums[r.sum()]; !logged {
			p.problem("run %s of gaming day %s: not in the log, or changed after it was written", r.ID, r.GamingDay)
		}
	}
	kept := ""
	if s.cfg.RunsKept > 0 {
		kept = time.Now().UTC().AddDate(-s.cfg.RunsKept, 0, 0).Format(time.DateOnly)
	}
	if n := p.runs.before; n > 0 {
		p.Trusted = append(p.Trusted, fmt.Sprintf("runs that are taken as they were found at %s, when the first run of a "+
			"release that logs runs named them: %d; who wrote them is not known",
			time.UnixMicro(p.runs.since).UTC().Format(time.DateTime), n))
	}
	for id, day := range p.runs.ids {
		if day < kept {
			continue
		}
		p.gone = append(p.gone, fmt.Sprintf("run: the log has %s, and no row has it", id))
	}
	return err
}
