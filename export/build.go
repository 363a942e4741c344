package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/schema/rows"

	"golang.org/x/mod/sumdb/note"
)

// ErrNothing means that a gaming day was exported before and has no changes.
var ErrNothing = errors.New("exported before, no changes since")

// builder writes the files of one bundle into a folder.
type builder struct {
	dir      string
	day      *Day
	log      tree
	manifest Manifest
	entries  []newEntry
	proofs   map[string]*proof // by table
	spans    []Span            // of the evidence, one for each partition
	coverage []Coverage
	docs     map[string]string // description of each rule
	numbers  map[string]int64  // of the exceptions, by finding
}

// built is a signed bundle in a folder.
type built struct {
	manifest   Manifest
	checkpoint string
	log        tree
	entries    []newEntry
	receipt    Receipt
}

// position is the end of a log, where an export continues it.
type position struct {
	head  *head
	index *index
}

// build writes the bundle that continues a log into an empty folder.
func build(ctx context.Context, dir string, day *Day, at position, signer note.Signer) (*built, error) {
	head, x := at.head, at.index
	if err := day.check(); err != nil {
		return nil, err
	}
	b := &builder{dir: dir, day: day, proofs: map[string]*proof{}}
	numbered := *day
	numbered.Findings = b.number(day.Findings)
	fresh, amendments, err := x.diff(&numbered)
	switch {
	case err != nil:
		return nil, err
	case x.has(day.GamingDay, day.Runs) && len(amendments) == 0:
		return nil, fmt.Errorf("gaming day %s: %w", day.GamingDay, ErrNothing)
	}
	log, err := head.tree()
	if err != nil {
		return nil, err
	}
	frontier := formatFrontier(log.frontier)
	b.log, b.manifest = log, day.manifest()
	m := &b.manifest
	root := log.root()
	m.Origin, m.Export, m.FirstException = signer.Name(), head.Export+1, head.Exceptions+1
	m.FirstLeaf, m.PrevSize, m.PrevRoot = log.size, log.size, formatHash(root)
	m.Findings, m.Amendments = int64(len(fresh)), int64(len(amendments))
	var steps []rows.Step
	if day.Records != nil {
		if m.Heads, steps, err = day.Records(ctx, head.Chains); err != nil {
			return nil, err
		}
	}
	m.Steps = int64(len(steps))
	m.ManifestLeaf = log.size + m.Findings + m.Amendments + m.Steps
	for _, step := range []func() error{
		func() error { return b.leaves(fresh, amendments) },
		func() error { return b.records(steps) },
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
		return errors.New("an export needs the licensee and the title of the form, which are printed on every record")
	}
	return nil
}

func (d *Day) manifest() Manifest {
	m := Manifest{
		Schema: schemaName, Licensee: d.Licensee, Form: d.Form, Property: d.Property, GamingDay: d.GamingDay, From: d.From,
		Until: d.Until,
		Zone:  d.Calendar.Zone.String(), Rollover: clockText(d.Calendar.Rollover), Shifts: []Shift{}, Counts: []Count{},
		Amends:     []string{},
		Unreplayed: []string{}, Extra: []string{}, Engine: d.Engine, Binary: d.Binary, Rulebooks: []string{},
		Cluster: d.Cluster, Topics: []string{},
		Runs: d.Runs, PseudonymKey: d.MaskKey, Retention: d.Retention, Files: []File{},
	}
	m.Retention.Holds = list(m.Retention.Holds)
	for _, s := range d.Calendar.Shifts {
		m.Shifts = append(m.Shifts, Shift{s.Name, clockText(s.Start)})
	}
	return m
}

func clockText(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// rulebooks writes all rulebooks of the engine as one object by reference.
func (b *builder) rulebooks() error {
	books := map[string]json.RawMessage{}
	for _, book := range b.day.Books {
		books[book.Ref()] = book.Canonical()
	}
	b.manifest.Rulebooks = append(b.manifest.Rulebooks, slices.Sorted(maps.Keys(books))...)
	data, err := encodeIndented(books)
	if err != nil {
		return err
	}
	return b.writeData(pathRulebook, data)
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
	files := m.Files // the following files are not in the manifest
	for _, f := range []struct {
		path string
		data []byte
	}{{pathManifest, data}, {pathSums, m.sums(data)}, {pathCheckpoint, []byte(signed)}} {
		if err := b.writeData(f.path, f.data); err != nil {
			return nil, err
		}
	}
	r := Receipt{
		Origin: m.Origin, Export: m.Export, Property: m.Property, GamingDay: m.GamingDay, Files: len(m.Files),
		Manifest: hex.EncodeToString(sum[:]),
		Findings: m.Findings, Amendments: m.Amendments, Size: c.Size, Root: formatHash(c.Root), Engine: m.Engine,
	}
	for _, f := range m.Files {
		r.Bytes += f.Size
	}
	m.Files = files
	return &built{*m, signed, b.log, b.entries, r}, nil
}

// calendar is the calendar of the manifest.
func (m *Manifest) calendar() (calendar.Calendar, error) {
	shifts := map[string]string{}
	for _, s := range m.Shifts {
		shifts[s.Name] = s.Start
	}
	return calendar.New(m.Zone, m.Rollover, shifts)
}
