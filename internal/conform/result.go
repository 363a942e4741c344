package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// maxProblems is the number of distinct problems of a list; further ones are counted together.
const maxProblems = 100

// add counts a problem. Problems with the same rule, verdict and text are one.
func add(list []Problem, p Problem) []Problem {
	for i := range list {
		if list[i].Rule == p.Rule && list[i].Verdict == p.Verdict && (list[i].Text == p.Text || i == maxProblems) {
			list[i].Count++
			return list
		}
	}
	if len(list) == maxProblems {
		p = Problem{Rule: p.Rule, Verdict: p.Verdict, Text: "and others", Where: p.Where}
	}
	if len(list) > maxProblems {
		return list
	}
	p.Count = 1
	return append(list, p)
}

// finish makes the report.
func (c *checker) finish() *Report {
	needs := map[string]baccarat.Feeds{}
	for _, r := range rules.All() {
		needs[r.Name] = r.Needs | r.Reads
	}
	open := map[[2]string]engine.OpenShoe{}
	for _, o := range c.engine.Open() {
		open[[2]string{o.PropertyID, o.TableID}] = o
	}
	c.report.Conforms = len(c.report.Unreadable) == 0
	for _, t := range c.inOrder {
		t.FirstAt, t.LastAt = schema.Time(t.first).String(), schema.Time(t.last).String()
		t.Shoes, t.Rounds = uint64(len(t.shoes)), uint64(len(t.rounds))
		for _, f := range finding.Latest(t.findings) {
			t.take(&f, needs[f.Rule])
		}
		if o, ok := open[[2]string{t.PropertyID, t.TableID}]; ok {
			t.Notes = add(t.Notes, Problem{
				Text:  fmt.Sprintf("shoe %s is still open: the rules of the end of a shoe were not evaluated", o.ShoeID),
				Where: t.seen[o.LastSeq].where,
			})
		}
		t.judgeFeeds()
		c.report.Conforms = c.report.Conforms && len(t.Faults) == 0
		c.report.Tables = append(c.report.Tables, t.Table)
	}
	return &c.report
}

// take sorts a finding: about the feed, or about the play. That a rule lacks a feed is in the configurations.
func (t *table) take(f *finding.Finding, needs baccarat.Feeds) {
	p := Problem{Rule: f.Rule, Severity: f.Severity.String(), Verdict: string(f.Verdict), Text: f.Observed}
	p.Where = t.where(f)
	switch {
	case f.Kind == finding.Anomaly:
	case strings.HasPrefix(f.Rule, "feed."):
		if f.Expected != "" {
			p.Text += "; expected " + f.Expected
		}
		if f.Severity >= finding.Minor || f.Rule == "feed.config" {
			t.Faults = add(t.Faults, p)
		} else {
			t.Notes = add(t.Notes, p)
		}
	case f.Verdict == finding.Information:
	case f.Verdict == finding.Unauditable && t.lacks(needs):
	default:
		for feed := range each(needs) {
			p.Feeds = append(p.Feeds, feed.String())
		}
		t.Play = addRule(t.Play, p)
	}
}

// where is the place of the first event that a finding names, or after the missing ones.
func (t *table) where(f *finding.Finding) string {
	for _, seq := range f.Evidence.Seqs {
		if seen, ok := t.seen[seq]; ok {
			if again := t.conflicts[f.ID]; again != "" && again != seen.where {
				return seen.where + " and " + again
			}
			return seen.where
		}
	}
	var from, to uint64
	if _, err := fmt.Sscanf(f.Subject, "range:%d-%d", &from, &to); err == nil {
		for seq := to + 1; seq <= min(t.LastSeq, to+4096); seq++ {
			if seen, ok := t.seen[seq]; ok {
				return "before " + seen.where
			}
		}
	}
	return "-"
}

// addRule counts a finding about the play: findings of a rule with a verdict are one problem.
func addRule(list []Problem, p Problem) []Problem {
	for i := range list {
		if list[i].Rule == p.Rule && list[i].Verdict == p.Verdict {
			list[i].Count++
			return list
		}
	}
	p.Count = 1
	return append(list, p)
}

// lacks reports whether one of the configurations does not declare all of these feeds.
func (t *table) lacks(needs baccarat.Feeds) bool {
	return slices.ContainsFunc(t.Configurations, func(c Configuration) bool { return needs&^c.feeds != 0 })
}

// judgeFeeds compares the declared feeds with the content of the events.
func (t *table) judgeFeeds() {
	if len(t.Configurations) == 0 {
		t.Faults = add(t.Faults, Problem{
			Text:  "no table_opened or table_configured with a rulebook that is loaded: nothing is audited",
			Where: t.seen[t.FirstSeq].where,
		})
	}
	for i := range t.Configurations {
		config := &t.Configurations[i]
		for j := range config.Feeds {
			feed := &config.Feeds[j]
			feed.Events = t.feeds[feed.feed]
			n := len(feed.Rules)
			switch {
			case feed.Declared && feed.Events == 0 && n > 0:
				t.Notes = add(t.Notes, Problem{Where: config.Where, Text: "feed " + feed.Feed +
					" is declared and no event has content of it: what does not come of it is a breach"})
			case !feed.Declared && feed.Events > 0 && n > 0:
				t.Notes = add(t.Notes, Problem{Where: config.Where, Text: fmt.Sprintf(
					"feed %s is not declared, and its content is in %s: %s can judge if it is declared",
					feed.Feed, schema.Count(feed.Events, "event"), schema.Count(n, "more rule"))})
			}
		}
	}
}
