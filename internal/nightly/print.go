package nightly

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// ParseShare reads a share of the tables, i/n, i from 0.
func ParseShare(text string) (i, n int, err error) {
	first, second, ok := strings.Cut(text, "/")
	i, bad := strconv.Atoi(first)
	n, worse := strconv.Atoi(second)
	if !ok || bad != nil || worse != nil || i < 0 || i >= n || n > 1000 {
		return 0, 0, fmt.Errorf("--worker %q, want a share such as 3/8, the first being 0/8", text)
	}
	return i, n, nil
}

func (n *Night) replayed() string {
	r := &n.Run
	return fmt.Sprintf("%s, %s, %s, %s; %s", schema.Count(r.Tables, "table"),
		schema.Count(r.Shoes, "shoe"), schema.Count(r.Rounds, "round"), schema.Count(r.Events, "event"),
		schema.Count(r.Findings, "finding"))
}

// Print writes the summary of a day for people.
func (n *Night) Print(out io.Writer) {
	r := &n.Run
	fmt.Fprintf(out, "%s  run %s\n", strings.TrimSpace(r.GamingDay+" "+r.Shift), r.ID)
	fmt.Fprintf(out, "replayed    %s\n", n.replayed())
	if r.Missing+r.Extra+r.Changed == 0 {
		fmt.Fprintln(out, "live        equal")
	} else {
		fmt.Fprintf(out, "live        DIFFERS: %d missing live, %d only live, %d with other content\n", r.Missing, r.Extra,
			r.Changed)
	}
	if r.Late > 0 {
		fmt.Fprintf(out, "late        %d of these differences follow from events that came late, or in another partition\n",
			r.Late)
	}
	replaced := idsOf(n.Changed)
	for _, w := range n.Withdrawn {
		word := map[string]string{clickhouse.Withdraw: "withdrawn", clickhouse.Restore: "restored"}[w.Action]
		if replaced[w.Finding] {
			word = "replaced"
		}
		fmt.Fprintf(out, "%-11s %s %s: %s\n", word, w.Rule, w.Finding, w.Reason)
	}
	if n.Suspicions.Scored {
		fmt.Fprintf(out, "suspicions  %s\n", n.Suspicions.text())
	}
	fmt.Fprintf(out, "feed        %s, %s\n", schema.Count(r.Gaps, "gap"),
		schema.Count(r.DeadLetters, "dead letter"))
	if len(n.Others) > 0 {
		fmt.Fprintf(out, "labels      not compared: the live audit was by %s\n", output.Plain(strings.Join(n.Others, "; ")))
	}
	if len(n.Facts) == 0 {
		fmt.Fprintln(out, "facts       equal")
	} else {
		fmt.Fprintf(out, "facts       DIFFER from the archive: %d\n", len(n.Facts))
	}
	for _, p := range n.Facts[:min(len(n.Facts), 20)] {
		fmt.Fprintf(out, "            %s\n", output.Plain(p))
	}
	if len(n.Records) == 0 {
		fmt.Fprintln(out, "records     queue, triage and console log follow from each other")
	} else {
		fmt.Fprintf(out, "records     NOT PROVEN: %d\n", len(n.Records))
	}
	for _, p := range n.Records[:min(len(n.Records), 20)] {
		fmt.Fprintf(out, "            %s\n", output.Plain(p))
	}
	for _, t := range n.Trusted {
		fmt.Fprintf(out, "trusted     %s\n", output.Plain(t))
	}
	for _, t := range n.Vanished {
		fmt.Fprintf(out, "no events   table %s, which had events on the day before\n", output.Plain(t))
	}
	for _, o := range n.Open {
		fmt.Fprintf(out, "still open  table %s, shoe %s, round %d: the rules of the end of a shoe were not evaluated\n",
			output.Plain(o.Table), output.Plain(o.Shoe), o.Round)
	}
	fmt.Fprintf(out, "digests     events %s\n            findings %s\n            live %s\n", r.EventsSHA256,
		r.FindingsSHA256, r.LiveSHA256)
	if r.Supersedes != "" {
		fmt.Fprintf(out, "supersedes  %s\n", r.Supersedes)
	}
}
