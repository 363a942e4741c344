//go:build unix

package clickhouse

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
)

// What waits at a table is shown beside its last event, until a later row takes it back.
func TestFeedsShowWhatWaits(t *testing.T) {
	s := open(t, migrated(t))
	now := time.Now().UTC().Truncate(time.Millisecond)
	for _, table := range []string{"a", "b"} {
		if err := s.exec(t.Context(), "INSERT INTO "+s.name("feeds")+
			" VALUES ('ac-1', 'p1', '"+table+"', now64(9), 20, 'shoe', 3, 'table_closed', now64(3), 1)"); err != nil {
			t.Fatal(err)
		}
	}
	row := Waiting{
		PropertyID: "ac-1", TableID: "b", Topic: "t", Partition: 3, Missing: 7, Events: 13, Since: now.Add(-time.Minute),
	}
	states := func(want string) []TableFeed {
		t.Helper()
		feeds, err := s.Feeds(t.Context(), "ac-1")
		if err != nil || len(feeds) != 2 {
			t.Fatalf("%d feeds, %v", len(feeds), err)
		}
		if got := feeds[0].State(now) + " " + feeds[1].State(now); got != want {
			t.Errorf("the feeds are %s, want %s", got, want)
		}
		return feeds
	}
	for range 2 { // the same rows again are no repetition of an insert
		if err := s.WriteWaiting(t.Context(), []Waiting{row}); err != nil {
			t.Fatal(err)
		}
		b := states("closed waiting")[1]
		if b.Missing != 7 || b.Events != 13 || !b.Since.Equal(row.Since) {
			t.Errorf("table b: %+v", b)
		}
		got, err := s.Waiting(t.Context(), "t")
		if diff := gocmp.Diff([]Waiting{row}, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		time.Sleep(2 * time.Millisecond) // the version of a row is its time in milliseconds
		none := row
		none.Events = 0
		if err := s.WriteWaiting(t.Context(), []Waiting{none}); err != nil {
			t.Fatal(err)
		}
		states("closed closed")
		time.Sleep(2 * time.Millisecond)
	}
	if feeds, err := s.Feeds(t.Context(), "elsewhere"); err != nil || len(feeds) != 0 {
		t.Errorf("%d feeds of another property, %v", len(feeds), err)
	}
}

// An event with a wrong time hides no later event of its table.
func TestFeedsAfterAWrongTime(t *testing.T) {
	s := open(t, migrated(t))
	now := time.Now().UTC().Truncate(time.Millisecond)
	wild := time.Date(2262, time.January, 1, 0, 0, 0, 0, time.UTC)
	for i, at := range []time.Time{
		now, wild, now.Add(time.Second), now.Add(8 * time.Hour), now.Add(8*time.Hour + time.Second), now.Add(-time.Hour),
		now.Add(2 * time.Second), time.Unix(0, 0), now.Add(3 * time.Second),
	} {
		n := int64(i + 1)
		b := numbered("ac-1", n, uint64(n))
		b.Events.At[0] = at.UnixNano()
		write(t, s, b)
		feeds, err := s.Feeds(t.Context(), "ac-1")
		if err != nil || len(feeds) != 1 || feeds[0].Seq != b.Events.Seq[0] || !feeds[0].At.Equal(at) {
			t.Errorf("after event %d: %+v, %v", n, feeds, err)
		}
		if seq := value[uint64](t, s, "SELECT sum(seq) FROM "+s.name("v_feeds")); seq != b.Events.Seq[0] {
			t.Errorf("after event %d: v_feeds has event %d", n, seq)
		}
		time.Sleep(2 * time.Millisecond) // the time of receipt is in milliseconds
	}
	want := now.Add(3 * time.Second).UnixNano()
	if slowest, newest, err := s.Watermark(t.Context(), "ac-1", 120e9); slowest != want || newest != want || err != nil {
		t.Errorf("watermark %d to %d, want %d: %v", slowest, newest, want, err)
	}
}

// The queue has the basis of a finding, and a migration gives it to the findings that are open already.
func TestQueueHasTheBasis(t *testing.T) {
	s := open(t, migrated(t))
	of := func(rule string, basis finding.Basis) finding.Finding {
		f := finding.New(finding.Identity{PropertyID: "ac-1", TableID: "a", Rule: rule}, finding.Deviation, finding.Suspect,
			finding.Major)
		f.At, f.GamingDay, f.Basis = 1_800_000_000_000_000_000, "2027-01-15", basis
		return f
	}
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "t", To: 1, Hash: "a"}}
	b.Findings = []finding.Finding{of("a.assumed", "assumed:recut_by"), of("b.text", finding.Text)}
	write(t, s, b)
	const bases = "SELECT arrayStringConcat(arraySort(groupArray(basis)), ' ') FROM "
	if got := value[string](t, s, bases+s.name("v_queue")); got != "assumed:recut_by text" {
		t.Errorf("the queue has the bases %q", got)
	}
	for _, statement := range []string{
		"TRUNCATE TABLE " + s.name("open_findings"),
		"INSERT INTO " + s.name("open_findings") + " (property_id, urgency, at, id, table_id, state, version) SELECT " +
			"property_id, 2, at, id, table_id, 'acknowledged', 12 FROM " + s.name("findings"),
		"ALTER TABLE " + s.name("schema_migrations") + " DELETE WHERE version = 18 SETTINGS mutations_sync = 1",
	} {
		if err := s.exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := Migrate(t.Context(), s.cfg); err != nil {
		t.Fatal(err)
	}
	got := value[string](t, s, "SELECT arrayStringConcat(arraySort(groupArray(concat(basis, '/', state))), ' ') FROM "+
		s.name("v_queue"))
	if want := "assumed:recut_by/acknowledged text/acknowledged"; got != want {
		t.Errorf("after the migration the queue has %q, want %q", got, want)
	}
}

// A finding that has rows of two times in the queue is open by the newest alone.
func TestClosedByEitherRow(t *testing.T) {
	s := open(t, migrated(t))
	f := finding.New(finding.Identity{PropertyID: "ac-1", TableID: "a", Rule: "feed.clock"}, finding.DataFault,
		finding.Unauditable, finding.Major)
	f.At, f.GamingDay = 1_800_000_000_000_000_000, "2027-01-15"
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "t", To: 1, Hash: "a"}}
	b.Findings = []finding.Finding{f}
	write(t, s, b)
	from := " FROM " + s.name("open_findings")
	queue := "INSERT INTO " + s.name("open_findings") + " SELECT * REPLACE ("
	for _, step := range []struct {
		insert string
		want   uint64
	}{
		{queue + "at + INTERVAL 1 HOUR AS at)" + from, 1},
		{queue + "5 AS version, 'closed' AS state, 1 AS is_deleted)" + from + " ORDER BY at LIMIT 1", 0},
		{queue + "6 AS version, 'reopened' AS state, 0 AS is_deleted)" + from + " ORDER BY at DESC LIMIT 1", 1},
	} {
		if err := s.exec(t.Context(), step.insert); err != nil {
			t.Fatal(err)
		}
		for _, view := range []string{"v_queue", "v_open_findings"} {
			if n := value[uint64](t, s, "SELECT count() FROM "+s.name(view)); n != step.want {
				t.Errorf("%s: %s has %d rows, want %d", step.insert, view, n, step.want)
			}
		}
		var open uint64
		if err := s.faults(t.Context(), "ac-1", 0, func(string, int64) { open = 1 }); err != nil || open != step.want {
			t.Errorf("%s: %d, %v; want %d", step.insert, open, err, step.want)
		}
	}
}
