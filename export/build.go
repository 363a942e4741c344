package export

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/finding"

	"golang.org/x/mod/sumdb/note"

	"github.com/shoeproof/shoeproof/pipeline"
)

// ErrNothing says that a gaming day was exported before and nothing has changed since.
var ErrNothing = errors.New("exported before, and nothing has changed since")

// builder writes the files of one bundle into a folder.
type builder struct {
	dir      string
	day      *Day
	log      tree
	manifest Manifest
	said     []toSay
	proofs   map[string]*proof // by table
	spans    []Span            // of the evidence, one for each partition
	coverage []Coverage
	docs     map[string]string // what each rule demands
}

// built is a bundle in a folder, signed.
type built struct {
	manifest   Manifest
	checkpoint string
	log        tree
	said       []toSay
	receipt    Receipt
}

// build writes the bundle that follows head into an empty folder.
func build(ctx context.Context, dir string, day *Day, head *head, x *index, signer note.Signer) (*built, error) {
	if err := day.check(); err != nil {
		return nil, err
	}
	fresh, amendments, err := x.diff(day)
	switch {
	case err != nil:
		return nil, err
	case x.days[day.GamingDay] && len(amendments) == 0:
		return nil, fmt.Errorf("gaming day %s: %w", day.GamingDay, ErrNothing)
	}
	log, err := head.tree()
	if err != nil {
		return nil, err
	}
	frontier := formatFrontier(log.frontier)
	b := &builder{
		dir: dir, day: day, log: log, proofs: map[string]*proof{},
	}
	b.manifest = day.manifest()
	m := &b.manifest
	root := log.root()
	m.Origin, m.Export, m.FirstException = signer.Name(), head.Export+1, head.Exceptions+1
	m.FirstLeaf, m.PrevSize, m.PrevRoot = log.size, log.size, formatHash(root)
	m.Findings, m.Amendments = int64(len(fresh)), int64(len(amendments))
	m.ManifestLeaf = log.size + m.Findings + m.Amendments
	for _, step := range []func() error{
		func() error { return b.leaves(fresh, amendments) },
		func() error { return b.evidence(ctx, fresh, amendments) },
		b.writeCoverage,
		b.rulebooks,
		func() error { return b.proof(head, frontier) },
		func() error { return b.people(ctx, fresh, amendments) },
	} {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.seal(signer)
}

func (d *Day) check() error {
	switch {
	case d.Property == "" || d.GamingDay == "":
		return errors.New("an export needs a property and a gaming day")
	case d.Licensee == "" || d.Form == "":
		return errors.New("an export needs the licensee and the title of the form: every record carries them")
	}
	return nil
}

func (d *Day) manifest() Manifest {
	m := Manifest{
		Schema: SchemaName, Licensee: d.Licensee, Form: d.Form, Property: d.Property, GamingDay: d.GamingDay, From: d.From, Until: d.Until,
		Zone: d.Calendar.Zone.String(), Rollover: clockText(d.Calendar.Rollover), Shifts: []Shift{}, Counts: []Count{}, Amends: []string{},
		Unreplayed: []string{}, Extra: []string{}, Engine: d.Engine, Binary: d.Binary, Rulebooks: []string{}, Cluster: d.Cluster, Topics: []string{},
		PseudonymKey: d.MaskKey, Retention: d.Retention, Files: []File{},
	}
	m.Retention.Holds = list(m.Retention.Holds)
	for _, s := range d.Calendar.Shifts {
		m.Shifts = append(m.Shifts, Shift{s.Name, clockText(s.Start)})
	}
	return m
}

func clockText(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// out is a file of the bundle being written.
type out struct {
	File
	b    *builder
	file *os.File
	buf  *bufio.Writer
	sum  hash.Hash
}

func (b *builder) create(path string) (*out, error) {
	if err := goodPath(path); err != nil {
		return nil, err
	}
	name := filepath.Join(b.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, fmt.Errorf("make a folder of the bundle: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make a file of the bundle: %w", err)
	}
	return &out{File: File{Path: path}, b: b, file: f, buf: bufio.NewWriterSize(f, 256<<10), sum: sha256.New()}, nil
}

func (o *out) Write(p []byte) (int, error) {
	o.sum.Write(p)
	o.Size += int64(len(p))
	return o.buf.Write(p)
}

// line writes a line and counts it as a row.
func (o *out) line(line []byte) error {
	o.Rows++
	_, err := o.Write(append(line, '\n'))
	return err
}

// encode writes a value as a line of canonical JSON; of a value that cannot be encoded it writes nothing.
func (o *out) encode(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	return o.line(line)
}

// done ends a file and enters it in the manifest, unless what was written failed.
func (o *out) done(err error) error {
	o.SHA256 = hex.EncodeToString(o.sum.Sum(nil))
	err = errors.Join(err, o.buf.Flush())
	if err == nil {
		err = o.file.Sync()
	}
	if err = errors.Join(err, o.file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", o.Path, err)
	}
	o.b.manifest.Files = append(o.b.manifest.Files, o.File)
	return nil
}

// write makes a file in one go.
func (b *builder) write(path string, write func(*out) error) error {
	o, err := b.create(path)
	if err != nil {
		return err
	}
	return o.done(write(o))
}

func (b *builder) leaves(fresh []*found, amendments []Amendment) error {
	m := &b.manifest
	b.said = make([]toSay, 0, len(fresh)+len(amendments))
	counts := map[Count]int64{}
	err := b.write(pathFindings, func(o *out) error {
		for _, f := range fresh {
			line, err := encode(&f.finding)
			if err != nil {
				return err
			}
			b.leaf(f.finding.ID, f.finding.GamingDay, line, &f.same)
			counts[Count{f.finding.Rule, f.finding.Severity.String(), 0}]++
			if err := o.line(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for c, n := range counts {
		m.Counts = append(m.Counts, Count{c.Rule, c.Severity, n})
	}
	slices.SortFunc(m.Counts, countOrder)
	return b.write(pathAmendments, func(o *out) error {
		for i := range amendments {
			a := &amendments[i]
			line, err := encode(a)
			if err != nil {
				return err
			}
			var same *[32]byte
			if a.Now != nil {
				sum, err := sameness(a.Now)
				if err != nil {
					return err
				}
				same = &sum
			}
			b.leaf(a.Amends, a.GamingDay, line, same)
			m.Amends = append(m.Amends, a.GamingDay)
			if err := o.line(line); err != nil {
				return err
			}
		}
		m.Amends = slices.Compact(m.Amends)
		return nil
	})
}

func countOrder(a, b Count) int {
	return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Severity, b.Severity))
}

func (b *builder) leaf(id, day string, line []byte, same *[32]byte) {
	s := toSay{id, said{day: day, leaf: b.log.size, line: sha256.Sum256(line), gone: same == nil}}
	if same != nil {
		s.same = *same
	}
	b.said = append(b.said, s)
	b.log.add(line)
}

// span is what findings name of a table.
type span struct {
	first, last uint64
	findings    []*finding.Finding
}

// spans are the tables whose events prove something, with what they prove.
func spans(fresh []*found, amendments []Amendment) map[string]*span {
	all := map[string]*span{}
	add := func(f *finding.Finding) {
		s := all[f.TableID]
		if s == nil {
			s = &span{first: 1<<64 - 1}
			all[f.TableID] = s
		}
		s.findings = append(s.findings, f)
		for _, seq := range f.Evidence.Seqs {
			s.first, s.last = min(s.first, seq), max(s.last, seq)
		}
	}
	for _, f := range fresh {
		add(&f.finding)
	}
	for i := range amendments {
		if amendments[i].Now != nil {
			add(amendments[i].Now)
		}
	}
	return all
}

// evidence writes the events of each table, and what a replay of them gives.
func (b *builder) evidence(ctx context.Context, fresh []*found, amendments []Amendment) error {
	m := &b.manifest
	var missing []missingLine
	tables := spans(fresh, amendments)
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		s := tables[table]
		replayed := map[string]*found{}
		p := &proof{}
		if s.last > 0 && b.day.Events != nil {
			var lines []evidenceLine
			var err error
			if lines, p, err = readEvidence(b.day.Events(table, s.first, s.last), b.day.Mask); err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
			if err := b.writeEvidence(table, lines); err != nil {
				return err
			}
			if replayed, err = replay(b.day.Books, b.day.Calendar, lineSeq(lines)); err != nil {
				return fmt.Errorf("replay table %s: %w", table, err)
			}
		}
		b.proofs[table] = p
		lost := missingLine{Table: table, Seqs: []uint64{}}
		for _, f := range s.findings {
			seqs, _ := p.of(f)
			lost.Seqs = append(lost.Seqs, seqs...)
			again := replayed[f.ID]
			if again != nil {
				same, err := sameness(f)
				if err != nil {
					return err
				}
				if again.same != same {
					again = nil
				}
			}
			if again == nil {
				m.Unreplayed = append(m.Unreplayed, f.ID)
			}
			delete(replayed, f.ID)
		}
		for id, again := range replayed { // sorted below
			if again.finding.GamingDay == m.GamingDay {
				m.Extra = append(m.Extra, id)
			}
		}
		if slices.Sort(lost.Seqs); len(lost.Seqs) > 0 {
			lost.Seqs = slices.Compact(lost.Seqs)
			missing = append(missing, lost)
		}
	}
	slices.Sort(m.Unreplayed)
	slices.Sort(m.Extra)
	for _, s := range b.spans {
		m.Topics = append(m.Topics, s.Topic)
	}
	slices.Sort(m.Topics)
	m.Topics = slices.Compact(m.Topics)
	return b.write(pathMissing, func(o *out) error {
		for i := range missing {
			if err := o.encode(&missing[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *builder) writeEvidence(table string, lines []evidenceLine) error {
	if len(lines) == 0 {
		return nil
	}
	return b.write(evidencePath(table), func(o *out) error {
		for i := range lines {
			b.cover(&lines[i])
			if err := o.encode(&lines[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// cover notes where an event of the bundle lies.
func (b *builder) cover(l *evidenceLine) {
	i := slices.IndexFunc(b.spans, func(s Span) bool { return s.Topic == l.Topic && s.Partition == l.Partition })
	if i < 0 {
		b.spans = append(b.spans, Span{l.Topic, l.Partition, l.Offset, l.Offset})
		return
	}
	b.spans[i].First, b.spans[i].Last = min(b.spans[i].First, l.Offset), max(b.spans[i].Last, l.Offset)
}

func (b *builder) writeCoverage() (err error) {
	if b.coverage, err = b.day.Coverage(b.spans); err != nil {
		return fmt.Errorf("read the coverage: %w", err)
	}
	slices.SortFunc(b.coverage, coverageOrder)
	return b.write(pathCoverage, func(o *out) error {
		for i := range b.coverage {
			c := &b.coverage[i]
			c.Gaps, c.DeadLetters = list(c.Gaps), list(c.DeadLetters)
			if err := o.encode(c); err != nil {
				return err
			}
		}
		return nil
	})
}

func coverageOrder(a, b Coverage) int {
	return cmp.Or(strings.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.First, b.First))
}

// rulebooks writes all that the engine knew: an object by reference, each book as it was loaded.
func (b *builder) rulebooks() error {
	books := map[string]json.RawMessage{}
	for _, book := range b.day.Books {
		books[book.Ref()] = book.Canonical()
	}
	b.manifest.Rulebooks = append(b.manifest.Rulebooks, slices.Sorted(maps.Keys(books))...)
	return b.write(pathRulebook, func(o *out) error {
		data, err := encodeIndented(books)
		if err == nil {
			_, err = o.Write(data)
		}
		return err
	})
}

func (b *builder) proof(head *head, frontier []byte) error {
	err := b.write(pathFrontier, func(o *out) error {
		_, err := o.Write(frontier)
		return err
	})
	if err != nil || head.Export == 0 {
		return err
	}
	return b.write(pathPrevious, func(o *out) error {
		_, err := io.WriteString(o, head.Checkpoint)
		return err
	})
}

// seal writes the manifest, the sums and the signed checkpoint.
func (b *builder) seal(signer note.Signer) (*built, error) {
	m := &b.manifest
	slices.SortFunc(m.Files, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	data, err := encodeIndented(m)
	if err != nil {
		return nil, err
	}
	if len(data) > maxManifest {
		return nil, fmt.Errorf("the manifest has %d bytes, want %d at most", len(data), maxManifest)
	}
	b.log.add(data)
	c := Checkpoint{m.Origin, b.log.size, b.log.root()}
	signed, err := c.sign(signer)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	files := m.Files // what follows is in no manifest
	for _, f := range []struct {
		path string
		data []byte
	}{{pathManifest, data}, {pathSums, m.sums(data)}, {pathCheckpoint, []byte(signed)}} {
		err := b.write(f.path, func(o *out) error {
			_, err := o.Write(f.data)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	r := Receipt{
		Origin: m.Origin, Export: m.Export, Property: m.Property, GamingDay: m.GamingDay, Files: len(m.Files), Manifest: hex.EncodeToString(sum[:]),
		Findings: m.Findings, Amendments: m.Amendments, Size: c.Size, Root: formatHash(c.Root), Engine: m.Engine,
	}
	for _, f := range m.Files {
		r.Bytes += f.Size
	}
	m.Files = files
	return &built{*m, signed, b.log, b.said, r}, nil
}

// calendar is the one that the manifest names.
func (m *Manifest) calendar() (pipeline.Calendar, error) {
	shifts := map[string]string{}
	for _, s := range m.Shifts {
		shifts[s.Name] = s.Start
	}
	return pipeline.NewCalendar(m.Zone, m.Rollover, shifts)
}
