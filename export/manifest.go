package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// The formats of a bundle. In the first, evidence is all events of each table with a finding, uncompressed.
const (
	schemaFirst  = schemaPrefix + "1"
	schemaName   = schemaPrefix + "2"
	schemaPrefix = "shoeproof-export/"
)

// The files of a bundle that have a meaning; the first three are not in its manifest.
const (
	pathCheckpoint = "checkpoint"
	pathManifest   = "manifest.json"
	pathSums       = "SHA256SUMS"
	pathFindings   = "findings.ndjson"
	pathAmendments = "amendments.ndjson"
	pathSteps      = "steps.ndjson"
	pathCoverage   = "coverage.ndjson"
	pathMissing    = "missing.ndjson"
	pathRulebook   = "rulebook.json"
	pathFrontier   = "proof/frontier"
	pathPrevious   = "proof/prev-checkpoint"
	dirEvidence    = "evidence/"
	dirState       = "state/"
	compressed     = ".zst"
	maxManifest    = 64 << 20
	maxRulebook    = 64 << 20
)

// Manifest describes an export and its files. It is the last leaf of the export.
type Manifest struct {
	Schema    string      `json:"schema"`
	Origin    string      `json:"origin"`
	Export    int64       `json:"export"` // 1, 2, ... without a gap
	Licensee  string      `json:"licensee"`
	Form      string      `json:"form"`
	Property  string      `json:"property"`
	GamingDay string      `json:"gaming_day"`
	From      schema.Time `json:"from"`
	Until     schema.Time `json:"until"`
	Zone      string      `json:"zone"`
	Rollover  string      `json:"rollover"`
	Shifts    []Shift     `json:"shifts"`

	FirstLeaf    int64  `json:"first_leaf"`
	ManifestLeaf int64  `json:"manifest_leaf"`
	PrevSize     int64  `json:"prev_size"`
	PrevRoot     string `json:"prev_root"`

	Findings   int64 `json:"findings"`
	Amendments int64 `json:"amendments"`
	// Steps is the number of actions of triage since the last export. They are leaves after the amendments.
	Steps int64  `json:"steps,omitempty"`
	Heads *Heads `json:"heads,omitempty"`
	// FirstException is the position of the first finding among all findings and amendments of the log; amendments follow
	// the findings.
	FirstException int64   `json:"first_exception"`
	Counts         []Count `json:"counts"`
	// Amends are the gaming days whose findings the amendments change.
	Amends []string `json:"amends"`
	// Unreplayed are the exceptions, new or amended, that a replay of the evidence does not give: their rule compares
	// tables, a detector made them, they rest on events before the evidence, or late events changed them: these keep the
	// time at which they were first found.
	Unreplayed []string `json:"unreplayed"`
	// Extra are exceptions of the day that a replay of the evidence gives and this export lacks: the evidence begins
	// mid-stream, or an earlier export has them.
	Extra []string `json:"extra"`

	// Runs are the nightly runs that cover the gaming day; none for a day without events.
	Runs []Run `json:"runs,omitempty"`

	Engine       string    `json:"engine"`
	Binary       string    `json:"binary_sha256"`
	Rulebooks    []string  `json:"rulebooks"`
	Cluster      string    `json:"kafka_cluster"`
	Topics       []string  `json:"topics"`
	PseudonymKey string    `json:"pseudonym_key"`
	Retention    Retention `json:"retention"`
	Files        []File    `json:"files"`
}

// Run is a finished nightly run, with its digests in hex: of the events that it replayed, of its findings, and of the
// findings of the live audit. It has no time of the clock: the same day gives the same bundle.
type Run struct {
	ID             string `json:"id"`
	Shift          string `json:"shift,omitempty"` // empty for the whole day
	Supersedes     string `json:"supersedes,omitempty"`
	Tables         uint32 `json:"tables"`
	Events         uint64 `json:"events"`
	Findings       uint32 `json:"findings"`
	Gaps           uint32 `json:"gaps"`
	DeadLetters    uint64 `json:"dead_letters"`
	EventsSHA256   string `json:"events_sha256"`
	FindingsSHA256 string `json:"findings_sha256"`
	LiveSHA256     string `json:"live_sha256"`
}

// Shift is a shift of the property's calendar.
type Shift struct {
	Name  string `json:"name"`
	Start string `json:"start"` // such as 06:00
}

// Count is the number of findings of a rule and severity, without amendments.
type Count struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Findings int64  `json:"findings"`
}

// File is a file of a bundle. Rows is 0 for a file without rows. Content is the size of what a compressed file inflates
// to.
type File struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	Rows    int64  `json:"rows"`
	Content int64  `json:"content,omitempty"`
}

// Name is the name of the bundle.
func (m *Manifest) Name() string {
	return fmt.Sprintf("%s_%s_%06d", safeName(m.Property), m.GamingDay, m.Export)
}

// file is the entry of a path, empty without one.
func (m *Manifest) file(path string) File {
	i, ok := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return File{}
	}
	return m.Files[i]
}

// check checks the arithmetic of the manifest.
func (m *Manifest) check() error {
	findings, amendments, steps := m.file(pathFindings), m.file(pathAmendments), m.file(pathSteps)
	switch {
	case m.Export < 1 || m.PrevSize < 0 || m.Findings < 0 || m.Amendments < 0 || m.Steps < 0 || m.FirstException < 1:
		return fmt.Errorf("a number is below its minimum")
	case m.PrevSize > math.MaxInt64/4 || m.Findings > math.MaxInt64/4 || m.Amendments > math.MaxInt64/4 ||
		m.Steps > math.MaxInt64/8:
		return fmt.Errorf("a number is above its maximum")
	case (m.Export == 1) != (m.PrevSize == 0):
		return fmt.Errorf("export %d follows %d leaves", m.Export, m.PrevSize)
	case m.FirstLeaf != m.PrevSize:
		return fmt.Errorf("it starts at leaf %d, and the previous export ended with %d leaves", m.FirstLeaf, m.PrevSize)
	case m.ManifestLeaf != m.FirstLeaf+m.Findings+m.Amendments+m.Steps:
		return fmt.Errorf("%s, %s and %s of triage from leaf %d on do not end at leaf %d",
			schema.Count(m.Findings, "finding"), schema.Count(m.Amendments, "amendment"), schema.Count(m.Steps, "action"),
			m.FirstLeaf, m.ManifestLeaf)
	case findings.Rows != m.Findings || amendments.Rows != m.Amendments || steps.Rows != m.Steps:
		return fmt.Errorf("the files have %s, %s and %s of triage, the manifest %d, %d and %d",
			schema.Count(findings.Rows, "finding"), schema.Count(amendments.Rows, "amendment"),
			schema.Count(steps.Rows, "action"), m.Findings, m.Amendments, m.Steps)
	}
	return nil
}

// sums is the file SHA256SUMS: the manifest and its files, but not the checkpoint, to which witnesses may add lines.
func (m *Manifest) sums(manifest []byte) []byte {
	sum := sha256.Sum256(manifest)
	lines := []string{hex.EncodeToString(sum[:]) + "  " + pathManifest + "\n"}
	for _, f := range m.Files {
		lines = append(lines, f.SHA256+"  "+f.Path+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return []byte(strings.Join(lines, ""))
}

// safeName encodes a name for file systems that ignore case. Lower-case letters, digits, . _ and - stay. An upper-case
// letter becomes lower-case; a bit mask of these follows in hex after =u. Other bytes become =hex.
func safeName(s string) string {
	var b strings.Builder
	capitals := uint64(0)
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' && i > 0:
			b.WriteByte(c)
		case c >= 'A' && c <= 'Z':
			capitals |= 1 << i
			b.WriteByte(c + 'a' - 'A')
		default:
			fmt.Fprintf(&b, "=%02x", c)
		}
	}
	if len(s) > 64 {
		sum := sha256.Sum256([]byte(s))
		return "=" + hex.EncodeToString(sum[:])
	}
	if capitals > 0 {
		fmt.Fprintf(&b, "=u%x", capitals)
	}
	return b.String()
}

// first reports whether the bundle has the first format.
func (m *Manifest) first() bool { return m.Schema == schemaFirst }

// evidencePath is the file of the events of a table.
func (m *Manifest) evidencePath(table string) string {
	path := dirEvidence + safeName(table) + ".ndjson"
	if !m.first() {
		path += compressed
	}
	return path
}

// statePath is the file of the segments of a table's evidence.
func statePath(table string) string { return dirState + safeName(table) + ".ndjson" + compressed }

// proves reports whether a bundle has the events behind a finding: of an exception; in the first format, of all.
func (m *Manifest) proves(f *finding.Finding) bool { return m.first() || f.Exception() }
