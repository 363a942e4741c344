package engine

import (
	"fmt"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// retention reports records that the log lost before they were read. No table is known to be
// concerned: each one's own numbering shows what it lost.
func (e *Engine) retention(gap *GapError, out *rows.Set) {
	f := e.partitionFault(Offsets(*gap), "feed.retention", finding.Unauditable)
	f.Expected, f.Observed = offsetsInLog(Offsets(*gap)), "gone before they were read"
	out.Findings = append(out.Findings, f)
}

// LogTruncated is the finding that the log lost records which had been audited. Tables whose events were among them,
// and are not published again, show gaps.
func (e *Engine) LogTruncated(lost Offsets) finding.Finding {
	f := e.partitionFault(lost, "feed.retention", finding.Unauditable)
	f.Expected, f.Observed = offsetsInLog(lost), "audited, and lost by the log since"
	return f
}

// RowsDiffer is the finding that the same records gave other rows than the journal has: the program is not
// deterministic, or the journal or the snapshot of a table was changed.
func (e *Engine) RowsDiffer(of Offsets, journaled, found string) finding.Finding {
	f := e.partitionFault(of, "feed.journal", finding.Suspect)
	f.Expected, f.Observed = journaled, found
	return f
}

func offsetsInLog(o Offsets) string { return fmt.Sprintf("offsets %d to %d in the log", o.From, o.To) }

// partitionFault is a fault of the record that no single table has.
func (e *Engine) partitionFault(of Offsets, rule string, verdict finding.Verdict) finding.Finding {
	subject := finding.OfRange(uint64(of.From), uint64(of.To)).String()
	e.Counts.Findings++
	f := finding.New(finding.Identity{
		TableID: fmt.Sprintf("%s/%d", of.Topic, of.Partition), Rule: rule, Subject: subject,
	},
		finding.DataFault, verdict, finding.Major)
	f.Citations = []string{finding.FeedClause}
	f.At, f.Engine = schema.Time(e.newest), e.opt.Version
	f.GamingDay, f.Shift = e.opt.Calendar.Of(e.newest)
	return f
}
