// Package conform checks whether the events that a table system recorded keep the contract: whether they can be
// decoded, their numbers, ids, order and clocks, their configurations, and what their feeds let the audit judge. The
// report is for the vendor of the table system.
package conform

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Report is the result of a check. Its JSON is the output of audit conform -o json.
type Report struct {
	Conforms bool     `json:"conforms"`
	Engine   string   `json:"engine"`
	Files    []string `json:"files"`
	Records  uint64   `json:"records"`
	Events   uint64   `json:"events"`
	// Unreadable are the records that cannot be decoded, by reason.
	Unreadable []Problem `json:"unreadable"`
	Tables     []Table   `json:"tables"`
}

// Table is what was found at a table.
type Table struct {
	PropertyID string `json:"property_id"`
	TableID    string `json:"table_id"`
	Events     uint64 `json:"events"`
	FirstSeq   uint64 `json:"first_seq"`
	LastSeq    uint64 `json:"last_seq"`
	FirstAt    string `json:"first_at"`
	LastAt     string `json:"last_at"`
	Shoes      uint64 `json:"shoes"`
	Rounds     uint64 `json:"rounds"`
	// Repeated are records with the bytes of an earlier one. OutOfOrder are events after one with a higher seq,
	// Furthest is the largest number of positions by which one came late.
	Repeated   uint64 `json:"repeated"`
	OutOfOrder uint64 `json:"out_of_order"`
	Furthest   uint64 `json:"furthest"`
	// Kinds counts the events of each kind.
	Kinds map[string]uint64 `json:"kinds"`
	// Configurations are the rulebooks, games and sets of feeds that were in force.
	Configurations []Configuration `json:"configurations"`
	// Faults break the contract; Notes do not; Play is what the audit reports about the play.
	Faults []Problem `json:"faults"`
	Notes  []Problem `json:"notes"`
	Play   []Problem `json:"play"`
}

// Problem is what was found, how often, and where first.
type Problem struct {
	Rule     string   `json:"rule,omitempty"`
	Severity string   `json:"severity,omitempty"`
	Verdict  string   `json:"verdict,omitempty"`
	Text     string   `json:"text"`
	Count    int      `json:"count"`
	Where    string   `json:"where"`
	Feeds    []string `json:"feeds,omitempty"` // that the rule needs
}

// Configuration is what a configuration lets the audit judge.
type Configuration struct {
	Where    string `json:"where"`
	ConfigID string `json:"config_id"`
	Rulebook string `json:"rulebook"`
	Game     string `json:"game"`
	// Rules are in force. Judged of them can be judged with the declared feeds, NoEvent of them with no feed: no event
	// of the contract shows what they demand.
	Rules   int    `json:"rules"`
	Judged  int    `json:"judged"`
	NoEvent int    `json:"no_event"`
	Feeds   []Feed `json:"feeds"`
	feeds   baccarat.Feeds
}

// Feed is what a feed contributes.
type Feed struct {
	Feed     string `json:"feed"`
	Declared bool   `json:"declared"`
	// Events of the table have content of the feed.
	Events uint64 `json:"events"`
	// Rules need the feed: of a declared feed those that are judged, of another one those that this feed alone would
	// add.
	Rules []string `json:"rules"`
	feed  baccarat.Feeds
}

// checker collects a report from records.
type checker struct {
	opt     engine.Options
	engine  *engine.Engine
	decoder *schema.Decoder
	event   schema.Event
	out     rows.Set
	sets    rules.Sets
	tables  map[[2]string]*table
	inOrder []*table
	ids     map[string]id
	report  Report
}

// id is the first event of an event_id.
type id struct {
	table *table
	where string
}

// table is a table that is being checked.
type table struct {
	Table
	first, last int64 // event time
	shoes       map[string]bool
	rounds      map[round]bool
	seen        map[uint64]seen
	feeds       map[baccarat.Feeds]uint64
	findings    []finding.Finding
	conflicts   map[string]string // where the second record of a conflict is, by finding
}

type round struct {
	shoe string
	no   uint32
}

// seen is the first event of a seq.
type seen struct {
	where string
	sum   [16]byte
}

// Files checks files of events, in order.
func Files(ctx context.Context, src *file.Source, opt engine.Options) (*Report, error) {
	opt.NoArchive = true
	c := &checker{
		opt: opt, engine: engine.New(opt), decoder: schema.NewDecoder(), sets: rules.Sets{},
		tables: map[[2]string]*table{}, ids: map[string]id{},
		report: Report{Engine: opt.Version, Files: src.Paths(), Unreadable: []Problem{}, Tables: []Table{}},
	}
	c.decoder.Accept(opt.Books.Words())
	err := src.Consume(ctx, c.read)
	switch {
	case ctx.Err() != nil:
		return nil, file.ErrInterrupted
	case err != nil:
		if _, ok := errors.AsType[*fs.PathError](err); ok {
			err = cli.WrongUsage(err)
		}
		return nil, err
	}
	c.engine.Finish(&c.out)
	c.collect("")
	return c.finish(), nil
}

// read checks all records of a stream.
func (c *checker) read(ctx context.Context, s pipeline.Stream) error {
	for {
		records, err := s.Next(ctx, time.Second)
		for i := range records {
			c.record(&records[i])
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c *checker) record(rec *engine.Record) {
	c.report.Records++
	err := rec.Bad
	if err == nil {
		err = c.decoder.Decode(rec.Format, rec.Value, &c.event)
	}
	if err != nil {
		c.unreadable(rec, err)
	} else {
		c.note(rec)
	}
	c.engine.Apply(rec, "files", 0, &c.out)
	c.collect(rec.Where)
}

// unreadable notes a record that cannot be decoded. Records with one reason are one problem, wherever the field is.
func (c *checker) unreadable(rec *engine.Record, err error) {
	text := schema.Explain(rec.Format, rec.Value, err)
	c.report.Unreadable = add(c.report.Unreadable, Problem{Text: text, Where: rec.Where})
}

// note counts an event.
func (c *checker) note(rec *engine.Record) {
	ev := &c.event
	c.report.Events++
	t := c.table(ev)
	sum := sha256.Sum256(rec.Value)
	now := seen{rec.Where, [16]byte(sum[:16])}
	switch before, ok := t.seen[ev.Seq]; {
	case ok && before.sum == now.sum:
		t.Repeated++
		return
	case !ok:
		t.seen[ev.Seq] = now
	}
	c.noteID(t, ev.EventID, rec.Where)
	if t.Events > 0 && ev.Seq < t.LastSeq && ev.Seq != 1 {
		t.OutOfOrder++
		t.Furthest = max(t.Furthest, t.LastSeq-ev.Seq)
	}
	if t.Events == 0 || ev.Seq < t.FirstSeq {
		t.FirstSeq = ev.Seq
	}
	if t.Events == 0 || ev.At < t.first {
		t.first = ev.At
	}
	t.LastSeq, t.last = max(t.LastSeq, ev.Seq), max(t.last, ev.At)
	t.Events++
	t.Kinds[ev.Payload.Kind().String()]++
	if ev.ShoeID != "" {
		t.shoes[ev.ShoeID] = true
		if ev.Round > 0 {
			t.rounds[round{ev.ShoeID, ev.Round}] = true
		}
	}
	for f := range each(content(ev)) {
		t.feeds[f]++
	}
}

// noteID finds an event_id that two tables use; within a table the engine finds it.
func (c *checker) noteID(t *table, event, where string) {
	before, ok := c.ids[event]
	if !ok {
		c.ids[event] = id{t, where}
		return
	}
	if before.table != t {
		t.Faults = add(t.Faults, Problem{
			Text: "an event_id of table " + before.table.TableID + ", where " + before.where + " has it", Where: where,
		})
	}
}

func (c *checker) table(ev *schema.Event) *table {
	key := [2]string{ev.PropertyID, ev.TableID}
	t := c.tables[key]
	if t == nil {
		t = &table{
			Table: Table{
				PropertyID: strings.Clone(ev.PropertyID), TableID: strings.Clone(ev.TableID),
				Kinds:          map[string]uint64{},
				Configurations: []Configuration{}, Faults: []Problem{}, Notes: []Problem{}, Play: []Problem{},
			},
			conflicts: map[string]string{}, shoes: map[string]bool{}, rounds: map[round]bool{}, seen: map[uint64]seen{},
			feeds: map[baccarat.Feeds]uint64{},
		}
		c.tables[key] = t
		c.inOrder = append(c.inOrder, t)
	}
	return t
}

// collect takes in what the engine made of a record, or of the end of the input.
func (c *checker) collect(where string) {
	for i := range c.out.Configs {
		row := &c.out.Configs[i]
		if t := c.tables[[2]string{row.PropertyID, row.TableID}]; t != nil {
			c.configuration(t, row)
		}
	}
	for i := range c.out.Findings {
		f := &c.out.Findings[i]
		if t := c.tables[[2]string{f.PropertyID, f.TableID}]; t != nil {
			t.findings = append(t.findings, *f)
			if f.Rule == "feed.conflict" {
				t.conflicts[f.ID] = where
			}
		}
	}
	c.out = rows.Set{}
}

// configuration notes what a configuration lets the audit judge.
func (c *checker) configuration(t *table, row *rows.Config) {
	l, config, ok, err := c.opt.Terms(row.Config)
	if err != nil || !ok {
		return // the engine reports an unknown rulebook
	}
	for i := range t.Configurations {
		if known := &t.Configurations[i]; known.Rulebook == l.Book.Name && known.Game == l.Game.String() &&
			known.feeds == config.Feeds {
			return
		}
	}
	t.Configurations = append(t.Configurations, c.judged(l, config, t.seen[row.Seq].where))
}

func (c *checker) judged(l *law.Law, config *law.Config, where string) Configuration {
	set := c.sets.Of(l)
	out := Configuration{
		Where: where, ConfigID: config.ID, Rulebook: l.Book.Name, Game: l.Game.String(), Rules: len(set.Rules()),
		feeds: config.Feeds,
	}
	byFeed, used := map[baccarat.Feeds][]string{}, config.Feeds
	for _, r := range set.Rules() {
		if r.Check == nil && r.Floor == nil {
			out.NoEvent++
			continue
		}
		lacks := r.Needs &^ config.Feeds
		used |= r.Needs
		if lacks == 0 {
			out.Judged++
			lacks = r.Needs
		} else if lacks&(lacks-1) != 0 {
			continue // more than one feed is missing
		}
		for f := range each(lacks) {
			byFeed[f] = append(byFeed[f], r.Name)
		}
	}
	for f := range each(used) {
		out.Feeds = append(out.Feeds, Feed{
			Feed: f.String(), Declared: config.Feeds&f != 0, Rules: append([]string{}, byFeed[f]...),
			feed: f,
		})
	}
	return out
}
