package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// The files for people, which need no program. The leaves have the same content.
const (
	pathReport     = "people/report.html"
	pathSummary    = "people/summary.pdf"
	pathExceptions = "people/exceptions.csv"
	pathWorkbook   = "people/exceptions.xlsx"
	pathRounds     = "people/rounds.parquet"
	pathReadme     = "README.txt"
)

// The maximum number of exceptions in a report, highest severity first, and in the spreadsheet. The CSV has all.
const (
	maxInReport   = 500
	maxInPDF      = 200
	maxInWorkbook = 50_000
)

func exceptionColumns() []string {
	return []string{
		"exception_no", "property", "pit", "table", "game", "shoe_id", "round_no", "gaming_day", "shift", "occurred_at_utc",
		"occurred_at_local", "rule", "citation", "severity", "description", "expected", "observed", "delta_amount",
		"currency",
		"dealer_badge", "supervisor_badge", "seat", "patron_ref", "status", "disposition", "explanation", "reviewed_by",
		"reviewed_at",
		"second_reviewer", "savings", "loss", "video_camera", "video_start", "video_end", "evidence_sha256",
		"verdict", "basis",
	}
}

// cell is a cell of a table: a number or text.
type cell struct {
	text   string
	number bool
}

// exception is a finding or an amendment in a report.
type exception struct {
	no       int64            // within its gaming day; 0 if it was withdrawn
	finding  *finding.Finding // nil if it was withdrawn
	amends   *Amendment       // nil if it is new
	severity finding.Severity
}

// exceptions returns the exceptions of a bundle: findings of the gaming day by number, then findings that amendments
// change, then findings that amendments withdraw, which have no number.
func (b *builder) exceptions(fresh []*digested, amendments []Amendment) []exception {
	all := make([]exception, 0, len(fresh)+len(amendments))
	for _, f := range fresh {
		if f.finding.Exception() {
			all = append(all, exception{b.numbers[f.finding.ID], &f.finding, nil, f.finding.Severity})
		}
	}
	for i := range amendments {
		a := &amendments[i]
		switch {
		case a.noticed():
		case a.Now == nil || !a.Now.Exception():
			all = append(all, exception{amends: a})
		default:
			all = append(all, exception{b.numbers[a.Amends], a.Now, a, a.Now.Severity})
		}
	}
	slices.SortStableFunc(all, func(x, y exception) int {
		return cmp.Or(cmp.Compare(x.rank(), y.rank()), cmp.Compare(x.no, y.no))
	})
	return all
}

// rank puts the findings of the day before amendments, and withdrawals last.
func (e *exception) rank() int {
	switch {
	case e.amends == nil:
		return 0
	case e.finding != nil:
		return 1
	}
	return 2
}

// number numbers the exceptions of all days that pass, with the numbers of audit report.
func (b *builder) number(findings iter.Seq2[*finding.Finding, error]) iter.Seq2[*finding.Finding, error] {
	return func(yield func(*finding.Finding, error) bool) {
		var light []finding.Finding
		for f, err := range findings {
			if err == nil && f.Exception() {
				light = append(light, finding.Finding{
					ID: f.ID, PropertyID: f.PropertyID, TableID: f.TableID, At: f.At, GamingDay: f.GamingDay, Severity: f.Severity,
				})
			}
			if !yield(f, err) {
				return
			}
		}
		list, numbers := finding.Exceptions(light)
		b.numbers = make(map[string]int64, len(list))
		for i := range list {
			b.numbers[list[i].ID] = int64(numbers[i])
		}
	}
}

// cells are the columns of an exception. An absent amount, round or seat is blank, as are savings and losses, which no
// event has.
func (b *builder) cells(e *exception) []cell {
	text := func(s string) cell { return cell{text: s} }
	number := func(n uint64) cell { return cell{strconv.FormatUint(n, 10), n > 0}.orBlank(n > 0) }
	f, severity := e.finding, e.severity.String()
	if f == nil {
		severity = ""
		f = &finding.Finding{ID: e.amends.Amends, PropertyID: b.manifest.Property, GamingDay: e.amends.GamingDay}
		if was := e.amends.before.brief; was != nil {
			f.TableID, f.ShoeID, f.Round, f.Rule = was.Table, was.Shoe, was.Round, was.Rule
		}
	}
	t := b.day.Triage[f.ID]
	explanation := strings.Join(nonEmpty(b.amendment(e), t.Explanation), " ")
	var seen circumstances
	if p := b.proofs[f.TableID]; p != nil && e.finding != nil {
		_, seen = p.of(f)
	}
	return []cell{
		number(uint64(e.no)), text(f.PropertyID), text(f.PitID), text(f.TableID),
		text(b.day.Games[ShoeKey{f.TableID, f.ShoeID}]), text(f.ShoeID), number(uint64(f.Round)),
		text(f.GamingDay), text(f.Shift), text(utc(f.At)), text(b.local(f.At)), text(f.Rule),
		text(strings.Join(f.Citations, "; ")),
		text(severity), text(b.description(f.Rule)), text(f.Expected), text(f.Observed),
		cell{schema.Decimal(f.Amount, f.Currency), true}.orBlank(f.Amount != 0),
		text(f.Currency), text(f.DealerID), text(seen.supervisor), number(uint64(f.Seat)), text(seen.patron), text(t.Status),
		text(t.Disposition), text(explanation),
		text(t.ReviewedBy), text(utc(t.ReviewedAt)), text(t.SecondReviewer), text(""), text(""), text(seen.camera),
		text(utc(schema.Time(seen.start))), text(utc(schema.Time(seen.end))), text(seen.sum),
		text(string(f.Verdict)), text(string(f.Basis)),
	}
}

func (c cell) orBlank(keep bool) cell {
	if !keep {
		return cell{}
	}
	return c
}

// amendment describes the amendment of an exception, empty without one.
func (b *builder) amendment(e *exception) string {
	if e.amends == nil {
		return ""
	}
	return b.describe(e.amends)
}

// description is the description of a rule; of a finding without a rule, its name.
func (b *builder) description(rule string) string {
	if b.docs == nil {
		b.docs = map[string]string{}
		for _, r := range rules.All() {
			b.docs[r.Name] = r.Doc
		}
	}
	return cmp.Or(b.docs[rule], rule)
}

func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(s string) bool { return s == "" })
}

func utc(at schema.Time) string {
	if at == 0 {
		return ""
	}
	return at.String()
}

func (b *builder) local(at schema.Time) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, int64(at)).In(b.day.Calendar.Zone).Format("2006-01-02T15:04:05.999999999-07:00")
}

// harmless is a cell as text. Numbers need no apostrophe.
func harmless(c cell) string {
	if c.number {
		return schema.Visible(c.text)
	}
	return schema.Cell(c.text)
}

// people writes the files for people.
func (b *builder) people(ctx context.Context, fresh []*digested, amendments []Amendment) error {
	all := b.exceptions(fresh, amendments)
	bySeverity := slices.Clone(all)
	slices.SortStableFunc(bySeverity, func(x, y exception) int { return int(y.severity) - int(x.severity) })
	r := b.report(bySeverity, fresh, amendments)
	for _, f := range []struct {
		path  string
		write func(*out) error
	}{
		{pathExceptions, func(o *out) error { return b.writeCSV(o, all) }},
		{pathWorkbook, func(o *out) error { return b.writeWorkbook(o, all, r.Sections[0]) }},
		{pathReport, func(o *out) error { return r.writeHTML(o) }},
		{pathSummary, func(o *out) error { return r.writePDF(o) }},
		{pathRounds, func(o *out) error { return b.writeRounds(ctx, o) }},
		{pathReadme, func(o *out) error {
			_, err := io.WriteString(o, b.manifest.readme(b.day.Verifiers))
			return err
		}},
	} {
		if err := b.write(f.path, f.write); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) readme(verifiers []Verifier) string {
	hashes := "The SHA-256 of verify.html and audit.exe are in the file\nverifiers.sha256 of that release.\n"
	if len(verifiers) > 0 {
		hashes = "The SHA-256 of the files of this release:\n\n"
		for _, v := range verifiers {
			hashes += "    " + v.SHA256 + "  " + v.Name + "\n"
		}
	}
	return fmt.Sprintf(`%s
%s
Property %s, gaming day %s, export %d of the log %s

people/report.html, people/summary.pdf  the report
people/exceptions.csv, .xlsx            the exceptions, one per row
people/rounds.parquet                   the rounds of the day
findings.ndjson                         the findings, one leaf of the log per line
amendments.ndjson                       changes to earlier exports
evidence/, state/                       the events that prove the exceptions, with pseudonyms of patrons, and the state
                                        of each table before them; to read them: zstd -d evidence/*.zst
coverage.ndjson, missing.ndjson         records that were received, and events that are missing
rulebook.json                           the rules that were applied
manifest.json, checkpoint, proof/       the signed content, the signature, and the previous export

To check that no file was changed, without this program:

    sha256sum -c SHA256SUMS

To check the signature, and that the bundle follows the previous export:

    audit verify THIS-BUNDLE --policy POLICY --last RECORD

or, without installing a program: open verify.html of the release in a browser and drop the zip and the policy on it. It
needs no network and sends nothing. On Windows, audit.exe is the same program as audit.

The bundle was made by the release %s. %s
Compare them with the values that the publisher of the release, or the casino in person, gave you. This file cannot
prove them: whoever forges a bundle can write the hashes of forged programs into it.

The policy is the file that the casino gave you in person. Never use a key from a bundle.
A good result proves that nothing was changed, removed, added or reordered since the checkpoint left the casino. It does
not prove that the cameras and table systems recorded correctly.
`, m.Licensee, m.Form, m.Property, m.GamingDay, m.Export, m.Origin, m.Engine, hashes)
}
