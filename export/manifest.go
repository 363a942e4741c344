package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// SchemaName is the format of a bundle.
const SchemaName = schemaPrefix + "1"

const schemaPrefix = "shoeproof-export/"

// The files of a bundle that are not in its manifest, and those that have a meaning.
const (
	pathCheckpoint = "checkpoint"
	pathManifest   = "manifest.json"
	pathSums       = "SHA256SUMS"
	pathFindings   = "findings.ndjson"
	pathAmendments = "amendments.ndjson"
	pathCoverage   = "coverage.ndjson"
	pathMissing    = "missing.ndjson"
	pathRulebook   = "rulebook.json"
	pathFrontier   = "proof/frontier"
	pathPrevious   = "proof/prev-checkpoint"
	dirEvidence    = "evidence/"
	maxManifest    = 64 << 20
	maxRulebook    = 64 << 20
)

// Manifest says what an export is and what it holds. It is the last leaf of its export.
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
	// FirstException is the number of the first finding in the exceptions; amendments follow.
	FirstException int64   `json:"first_exception"`
	Counts         []Count `json:"counts"`
	// Amends are the gaming days whose findings the amendments change.
	Amends []string `json:"amends"`
	// Unreplayed are the findings and amendments that a replay of the evidence does not give: of rules
	// that compare tables, of detectors, and of what came before the evidence.
	Unreplayed []string `json:"unreplayed"`
	// Extra are findings of the day that a replay of the evidence gives and this export does not carry: the
	// evidence begins in the middle of the table's record, or an export before carried them.
	Extra []string `json:"extra"`

	Engine       string    `json:"engine"`
	Binary       string    `json:"binary_sha256"`
	Rulebooks    []string  `json:"rulebooks"`
	Cluster      string    `json:"kafka_cluster"`
	Topics       []string  `json:"topics"`
	PseudonymKey string    `json:"pseudonym_key"`
	Retention    Retention `json:"retention"`
	Files        []File    `json:"files"`
}

// Shift is a shift of the property's calendar.
type Shift struct {
	Name  string `json:"name"`
	Start string `json:"start"` // such as 06:00
}

// Count is how many findings there are of a rule and severity, amendments aside.
type Count struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Findings int64  `json:"findings"`
}

// File is one file of a bundle. Rows are 0 where it has none.
type File struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"`
}

// Name is what the bundle is called.
func (m *Manifest) Name() string {
	return fmt.Sprintf("%s_%s_%06d", safeName(m.Property), m.GamingDay, m.Export)
}

func (m *Manifest) file(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return File{}, false
	}
	return m.Files[i], true
}

// check is the arithmetic that must hold of any manifest.
func (m *Manifest) check() error {
	findings, _ := m.file(pathFindings)
	amendments, _ := m.file(pathAmendments)
	switch {
	case m.Export < 1 || m.PrevSize < 0 || m.Findings < 0 || m.Amendments < 0 || m.FirstException < 1:
		return fmt.Errorf("a number of it is below what it can be")
	case m.PrevSize > math.MaxInt64/4 || m.Findings > math.MaxInt64/4 || m.Amendments > math.MaxInt64/4:
		return fmt.Errorf("a number of it is beyond what it can be")
	case (m.Export == 1) != (m.PrevSize == 0):
		return fmt.Errorf("export %d follows %d leaves", m.Export, m.PrevSize)
	case m.FirstLeaf != m.PrevSize:
		return fmt.Errorf("it begins at leaf %d, and the export before ended with %d leaves", m.FirstLeaf, m.PrevSize)
	case m.ManifestLeaf != m.FirstLeaf+m.Findings+m.Amendments:
		return fmt.Errorf("%d findings and %d amendments from leaf %d on do not lead to leaf %d", m.Findings, m.Amendments, m.FirstLeaf, m.ManifestLeaf)
	case findings.Rows != m.Findings || amendments.Rows != m.Amendments:
		return fmt.Errorf("its files have %d findings and %d amendments, it says %d and %d", findings.Rows, amendments.Rows, m.Findings, m.Amendments)
	}
	return nil
}

// sums is the file SHA256SUMS: the manifest and what is in it. The checkpoint is not, for witnesses may
// add their lines to it.
func (m *Manifest) sums(manifest []byte) []byte {
	sum := sha256.Sum256(manifest)
	lines := []string{hex.EncodeToString(sum[:]) + "  " + pathManifest + "\n"}
	for _, f := range m.Files {
		lines = append(lines, f.SHA256+"  "+f.Path+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return []byte(strings.Join(lines, ""))
}

// safeName is a name as part of a file's, whatever the system makes of capitals: small letters, digits,
// . _ and - stay; a capital becomes small, and which ones were capitals follows in hex after =u; other bytes become =hex.
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

func evidencePath(table string) string { return dirEvidence + safeName(table) + ".ndjson" }

// maxLine bounds one line of a file.
const maxLine = 16 << 20

// eachLine gives the lines of a file without their line feeds; each must end with one.
func eachLine(in io.Reader, each func(n int64, line []byte) error) error {
	r := newLines(in)
	for n := int64(1); ; n++ {
		line, err := r.next()
		if err == io.EOF { //nolint:errorlint // next returns it bare
			return nil
		}
		if err == nil {
			err = each(n, line)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// lines reads long lines without keeping more than one.
type lines struct {
	in   io.Reader
	buf  []byte
	have []byte
	err  error
}

func newLines(in io.Reader) *lines { return &lines{in: in, buf: make([]byte, 0, 64<<10)} }

func (l *lines) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.have, '\n'); i >= 0 {
			line := l.have[:i]
			l.have = l.have[i+1:]
			return line, nil
		}
		switch {
		case l.err == io.EOF && len(l.have) == 0: //nolint:errorlint // readers return it bare
			return nil, io.EOF
		case l.err == io.EOF: //nolint:errorlint // readers return it bare
			return nil, fmt.Errorf("it does not end with a line feed")
		case l.err != nil:
			return nil, l.err
		case len(l.have) > maxLine:
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		l.buf = append(l.buf[:0], l.have...)
		if cap(l.buf)-len(l.buf) < 32<<10 {
			l.buf = slices.Grow(l.buf, max(len(l.buf), 64<<10))
		}
		n, err := l.in.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf, l.err = l.buf[:len(l.buf)+n], err
		l.have = l.buf
	}
}
