package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/shoeproof/shoeproof/finding"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/shoeproof/shoeproof/schema"
)

// The frontier gives the roots of RFC 6962, as the library computes them from all hashes.
func TestTreeIsRFC6962(t *testing.T) {
	var mine tree
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		var out []tlog.Hash
		for _, i := range at {
			out = append(out, hashes[i])
		}
		return out, nil
	})
	for n := range int64(300) {
		if n > 0 {
			want, err := tlog.TreeHash(n, reader)
			if err != nil || mine.root() != want {
				t.Fatalf("size %d: root %v, want %v (%v)", n, mine.root(), want, err)
			}
			again, err := newTree(n, mine.frontier)
			if err != nil || again.root() != want {
				t.Fatalf("size %d: again %v, %v", n, again.root(), err)
			}
			if parsed, err := parseFrontier(formatFrontier(mine.frontier)); err != nil ||
				!slices.Equal(parsed, mine.frontier) {
				t.Fatalf("size %d: %v", n, err)
			}
		}
		leaf := fmt.Append(nil, "leaf ", n)
		mine.add(leaf)
		more, err := tlog.StoredHashes(n, leaf, reader)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, more...)
	}
	if empty := (&tree{}).root(); hex.EncodeToString(empty[:]) !=
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("the empty tree has root %x", empty)
	}
}

// exceptionNumbers are the numbers of the exceptions of a bundle, by finding.
func exceptionNumbers(t *testing.T, path string) map[string]string {
	t.Helper()
	var all []finding.Finding
	err := eachLine(bytes.NewReader(readFile(t, filepath.Join(path, pathFindings))), func(_ int64, line []byte) error {
		var f finding.Finding
		err := decode(line, &f, encode)
		all = append(all, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, numbers := finding.Exceptions(all)
	no := map[string]string{}
	for i := range list {
		no[list[i].ID] = fmt.Sprint(numbers[i])
	}
	return no
}

// readAloud reads the report, the summary and the explanations of the CSV, which must state each text.
func readAloud(t *testing.T, path string, texts ...string) {
	t.Helper()
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	var printed, explained strings.Builder
	words := regexp.MustCompile(`\(((?:[^()\\]|\\.)*)\) ?Tj`)
	for _, m := range words.FindAllSubmatch(readFile(t, filepath.Join(path, pathSummary)), -1) {
		printed.WriteString(strings.ReplaceAll(string(m[1]), `\`, "") + " ")
	}
	rows := readCSV(t, filepath.Join(path, pathExceptions))
	for _, row := range rows[1:] {
		explained.WriteString(row[slices.Index(rows[0], "explanation")] + " ")
	}
	forms := map[string]string{
		pathReport:     html.UnescapeString(string(readFile(t, filepath.Join(path, pathReport)))),
		pathSummary:    printed.String(),
		pathExceptions: explained.String(),
	}
	for form, text := range forms {
		for _, want := range texts {
			if sum := strings.HasPrefix(want, "This export") || strings.HasSuffix(want, "restored."); sum &&
				form == pathExceptions {
				continue // a row has no sum
			}
			if !strings.Contains(plain(text), plain(want)) {
				t.Errorf("%s does not state %q\n%s", form, want, plain(text))
			}
		}
	}
}

// What changes after a day was exported comes as an amendment, and the log keeps the earlier record.
func TestAmendments(t *testing.T) {
	c := newCasino(t, "ac-1", 5)
	c.export(t, true)
	exported := int64(len(c.findings))
	var ids []string
	for id, f := range c.findings {
		if f.Exception() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	changed, withdrawn, held := c.findings[ids[0]], c.findings[ids[1]], c.findings[ids[2]]
	observed := changed.Observed
	changed.Observed = "otherwise"
	c.findings[changed.ID] = changed
	delete(c.findings, withdrawn.ID)
	held.Engine = "shoeproof@next" // finds the same
	c.findings[held.ID] = held
	late := held
	late.Subject = "seat:9"
	late.ID = late.Identity(1).ID()
	c.findings[late.ID] = late
	other := late // of a day that the log does not have
	other.GamingDay, other.Subject = "2026-11-01", "seat:8"
	other.ID = other.Identity(1).ID()
	c.findings[other.ID] = other

	read := func(path string) map[string]Amendment {
		all := map[string]Amendment{}
		err := eachLine(bytes.NewReader(
			readFile(t, filepath.Join(path, pathAmendments)),
		), func(_ int64, line []byte) error {
			var a Amendment
			err := decode(line, &a, encode)
			all[a.Amends] = a
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	second := c.export(t, true)
	got := read(second)
	if len(got) != 3 || got[changed.ID].Reason != amendChanged || got[withdrawn.ID].Reason != amendWithdrawn ||
		got[late.ID].Reason != amendLate {
		t.Fatalf("amendments %+v", got)
	}
	first := bytes.Split(readFile(t, filepath.Join(c.dir, "out", "ac-1_2026-11-19_000001", pathFindings)), []byte("\n"))
	was := got[changed.ID]
	if sum := sha256.Sum256(first[was.Leaf]); was.Was != hex.EncodeToString(sum[:]) ||
		!bytes.Contains(first[was.Leaf], []byte(changed.ID)) {
		t.Errorf("it replaces leaf %d, %s", was.Leaf, was.Was)
	}
	if _, err := c.try(t.Context(), true, nil); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing changed since: %v", err)
	}
	c.findings[withdrawn.ID] = withdrawn
	if got := read(c.export(t, true)); len(got) != 1 || got[withdrawn.ID].Reason != amendRestored ||
		got[withdrawn.ID].Leaf < exported {
		t.Errorf("found again: %+v", got)
	}
	no := exceptionNumbers(t, filepath.Join(c.dir, "out", "ac-1_2026-11-19_000001"))
	readAloud(t, filepath.Join(c.dir, "out", "ac-1_2026-11-19_000002"),
		"This export amends what was exported before of gaming day 2026-11-19. Exceptions: 1 withdrawn, 1 changed, 1 added.",
		fmt.Sprintf("Withdrawn: exception No. %s of gaming day 2026-11-19, reported in export 1 (log leaf %d), "+
			"no longer stands. "+
			"It was: Rule %s (%s, %s) at table %s", no[withdrawn.ID], got[withdrawn.ID].Leaf, withdrawn.Rule,
			withdrawn.Severity,
			withdrawn.Verdict, withdrawn.TableID),
		"Reason: it is not in the database, and no run withdrew it.",
		fmt.Sprintf(
			"Changed: exception No. %s of gaming day 2026-11-19, reported in export 1 (log leaf %d).", no[changed.ID],
			was.Leaf,
		),
		fmt.Sprintf("What was observed was %q and is \"otherwise\".", observed),
		"Reason: an audit after the export found it with other content.",
		"Added: exception No. ", ", after that day was exported. Rule "+late.Rule,
		"Reason: an audit after the export found it.")
	readAloud(t, filepath.Join(
		c.dir, "out", "ac-1_2026-11-19_000003",
	), "Exceptions: 1 restored.", "Restored: exception No. ",
		"Export 2 had withdrawn it. Rule "+withdrawn.Rule, "found it again.")
	// The numbers of exceptions begin at 1 and have no gap; of an amendment it is the number that audit report gives
	// now.
	var now []finding.Finding
	for _, f := range c.findings {
		now = append(now, f)
	}
	list, numbers := finding.Exceptions(now)
	restored := slices.IndexFunc(list, func(f finding.Finding) bool { return f.ID == withdrawn.ID })
	for n := 1; n <= 3; n++ {
		path := filepath.Join(c.dir, "out", fmt.Sprintf("ac-1_2026-11-19_%06d", n))
		rows := readCSV(t, filepath.Join(path, pathExceptions))[1:]
		if want := []int{len(ids), 3, 1}[n-1]; len(rows) != want {
			t.Errorf("export %d: %d exceptions, want %d", n, len(rows), want)
		}
		for i, row := range rows {
			switch {
			case n == 1 && row[0] != fmt.Sprint(i+1):
				t.Fatalf("exception %s, want %d", row[0], i+1)
			case n == 3 && row[0] != fmt.Sprint(numbers[restored]):
				t.Errorf("restored as exception %s, want %d", row[0], numbers[restored])
			}
		}
		if v := c.verify(t, path, VerifyOptions{Last: c.last(), Replay: true}); v.Code != Good {
			t.Errorf("export %d: %+v", n, v)
		}
	}
}

// A crash at any failpoint leaves no half bundle under its name, and the next attempt makes the one export
// that follows: never two.
func TestCrashes(t *testing.T) {
	crash := errors.New("crash")
	want := newCasino(t, "ac-1", 2).export(t, false)
	for _, failpoint := range []string{"built", "indexed", "headed"} {
		c := newCasino(t, "ac-1", 2)
		_, err := c.try(t.Context(), false, func(at string) error {
			if at == failpoint {
				return crash
			}
			return nil
		})
		if !errors.Is(err, crash) {
			t.Fatalf("%s: %v", failpoint, err)
		}
		out := filepath.Join(c.dir, "out")
		names := func() (all []string) {
			entries, err := os.ReadDir(out)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if !strings.HasPrefix(e.Name(), ".") {
					all = append(all, e.Name())
				}
			}
			return all
		}
		if got := names(); len(got) > 0 {
			t.Fatalf("%s: %v under its name before it was made", failpoint, got)
		}
		_, err = c.try(t.Context(), false, nil)
		if failpoint == "headed" && !errors.Is(err, ErrNothing) || failpoint != "headed" && err != nil {
			t.Fatalf("%s: again: %v", failpoint, err)
		}
		got := names()
		if len(got) != 1 || !bytes.Equal(readFile(t, filepath.Join(out, got[0])), readFile(t, want)) {
			t.Errorf("%s: %v, want one bundle, equal to that of an export without a crash", failpoint, got)
		}
	}
}

// Of many exports at the same time one goes through, and the log has one history.
func TestExportsDoNotFork(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	var mu sync.Mutex
	var made []*Done
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			done, err := c.try(context.Background(), true, nil)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				made = append(made, done)
			case !errors.Is(err, ErrBusy) && !errors.Is(err, ErrNothing):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(made) != 1 || made[0].Manifest.Export != 1 {
		t.Fatalf("%d exports were made", len(made))
	}
	// Where a lock does not reach, the head is compared before it is swapped.
	c.day.GamingDay = "2026-11-20"
	head := filepath.Join(c.dir, "log", headName)
	_, err := c.try(t.Context(), true, func(at string) error {
		if at == "indexed" {
			put(t, head, append(readFile(t, head), ' '))
		}
		return nil
	})
	if !errors.Is(err, ErrBusy) {
		t.Errorf("the head moved: %v, want %v", err, ErrBusy)
	}
}

// A full disk leaves nothing under the bundle's name. The log stays as it was.
func TestNoSpace(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	if err := os.MkdirAll(filepath.Join(c.dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", filepath.Join(c.dir, "probe")); err != nil {
		t.Fatal(err)
	}
	b := &builder{dir: filepath.Join(c.dir, "out")}
	o, err := b.create("x")
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	o.file.Close()
	o.file = full
	o.buf.Reset(full)
	_, err = o.Write(make([]byte, 1<<20))
	if err := o.done(err); err == nil || len(b.manifest.Files) > 0 {
		t.Errorf("written to a full disk: %v", err)
	}
}

// The same day and log give the same bytes whatever the machine is set to. The test runs itself with other
// settings; each run seeds its maps differently.
func TestSettingsDoNotShow(t *testing.T) {
	if dir := os.Getenv("SHOEPROOF_EXPORT_TO"); dir != "" {
		c := newCasino(t, "ac-1", 4)
		c.dir = dir
		c.export(t, false)
		return
	}
	sums := map[string][]string{}
	for _, env := range [][]string{
		{"TZ=UTC", "LANG=C", "GOMAXPROCS=1"},
		{"TZ=Asia/Macau", "LANG=de_DE.UTF-8", "GOMAXPROCS=2"},
		{"TZ=America/New_York", "LC_ALL=tr_TR.UTF-8", "GOMAXPROCS=8"},
		{"TZ=Pacific/Apia", "LC_ALL=zh_CN.GB18030", "GOGC=10"},
	} {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSettingsDoNotShow$")
		cmd.Env = append(append(os.Environ(), "SHOEPROOF_EXPORT_TO="+dir), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", env, err, out)
		}
		sum := sha256.Sum256(readFile(t, filepath.Join(dir, "out", "ac-1_2026-11-19_000001.zip")))
		sums[hex.EncodeToString(sum[:])] = append(sums[hex.EncodeToString(sum[:])], strings.Join(env, " "))
	}
	if len(sums) != 1 {
		t.Errorf("on %s: %v, want the same bytes", runtime.GOOS, sums)
	}
}

func TestKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	vkey, err := NewKey(origin, path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("mode %v, %v; want 0400", info.Mode(), err)
	}
	before := readFile(t, path)
	if _, err := NewKey(origin, path); err == nil || !bytes.Equal(before, readFile(t, path)) {
		t.Errorf("a second time: %v, want it refused and the key as it was", err)
	}
	signer, err := ParseKey(string(before))
	if err != nil {
		t.Fatal(err)
	}
	checkpoint := Checkpoint{origin, 3, tlog.RecordHash(nil)}
	signed, err := checkpoint.sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	if got, failure := policyOf(t, vkey).open([]byte(signed)); failure != nil || got != checkpoint {
		t.Errorf("%+v, %v", got, failure)
	}
	if _, err := ParseKey(strings.Replace(string(before), "PRIVATE", "PUBLIC", 1)); err == nil ||
		strings.Contains(err.Error(), string(before[30:50])) {
		t.Errorf("a broken key: %v", err)
	}
	for _, name := range []string{"", "two words", "with+plus", "line\nfeed", "sémi"} {
		if _, err := NewKey(name, path+"2"); err == nil {
			t.Errorf("the name %q was taken", name)
		}
	}
}

// Signatures of C2SP: the library of Go's checksum database opens what we sign.
func TestCheckpointIsANote(t *testing.T) {
	signer, vkey := keyOf(t, origin, 3)
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := Checkpoint{
			origin,
			rapid.Int64Range(1, 1<<62).Draw(t, "size"),
			tlog.RecordHash(rapid.SliceOf(rapid.Byte()).Draw(t, "leaf")),
		}
		signed, err := c.sign(signer)
		if err != nil {
			t.Fatal(err)
		}
		n, err := note.Open([]byte(signed), note.VerifierList(verifier))
		if err != nil || n.Text != c.text() || len(n.Sigs) != 1 {
			t.Fatalf("%v, %v", n, err)
		}
		if got, sigs, err := parseCheckpoint([]byte(signed)); err != nil || got != c || len(sigs) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
	})
}

// Every field of an event that names a patron leaves under a pseudonym; free text aside.
func TestPatronsAreMasked(t *testing.T) {
	masked := 0
	for line := range bytes.SplitSeq(bytes.TrimSpace(readFile(t, "../schema/testdata/events.ndjson")), []byte("\n")) {
		var ev schema.Event
		if err := schema.NewDecoder().Decode(schema.JSON, line, &ev); err != nil {
			t.Fatal(err)
		}
		ev.Actor = schema.Actor{Role: schema.RolePatron, ID: "PATRON-CANARY"}
		switch p := ev.Payload.(type) {
		case *schema.RecutOrdered:
			p.ByRole, p.ByID = schema.RolePatron, "PATRON-CANARY"
		case *schema.CardsVerified:
			p.VerifierRole, p.VerifierID = schema.RolePatron, "PATRON-CANARY"
		case *schema.SeatOccupied:
			p.PatronRef = "PATRON-CANARY"
		case *schema.SeatVacated:
			p.PatronRef = "PATRON-CANARY"
		case *schema.WagerPlaced:
			p.PatronRef = "PATRON-CANARY"
		}
		mask(&ev, func(string) string { masked++; return "masked" })
		if out := schema.AppendJSON(nil, &ev); bytes.Contains(out, []byte("CANARY")) {
			t.Errorf("%v: %s", ev.Payload.Kind(), out)
		}
	}
	if masked < 40 {
		t.Errorf("%d references masked, want one in every kind and more", masked)
	}
}
