package export

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/shoeproof/shoeproof/law"
)

// attack is a bundle that must be rejected: why, and with which code.
type attack struct {
	tried, rejected int
	by              map[string]int // by check
}

func (a *attack) expect(t *testing.T, c *casino, what, path string, code int, checks ...string) {
	t.Helper()
	a.expectWith(t, c, what, path, VerifyOptions{Last: c.last()}, code, checks...)
}

func (a *attack) expectWith(t *testing.T, c *casino, what, path string, opt VerifyOptions, code int, checks ...string) {
	t.Helper()
	before, _ := os.ReadFile(c.last())
	v := c.verify(t, path, opt)
	a.tried++
	if code == Tampered && v.Code == Undecided && v.Failed == checkCheckpoint &&
		strings.Contains(what, pathCheckpoint+", byte") {
		code = Undecided // what names the key was hit together with the signature: it looks like one of an unknown key
	}
	if v.Code != code || len(checks) > 0 && !slices.Contains(checks, v.Failed) || v.Failed == "" || v.Message == "" {
		t.Errorf("%s: code %d, check %q (%s); want code %d, check %v", what, v.Code, v.Failed, v.Message, code, checks)
		return
	}
	if after, _ := os.ReadFile(c.last()); !bytes.Equal(before, after) {
		t.Errorf("%s: rejected, and remembered as accepted", what)
		return
	}
	if a.by == nil {
		a.by = map[string]int{}
	}
	a.rejected++
	a.by[v.Failed]++
}

func (a *attack) join(b *attack) {
	a.tried, a.rejected = a.tried+b.tried, a.rejected+b.rejected
	if a.by == nil {
		a.by = map[string]int{}
	}
	for check, n := range b.by {
		a.by[check] += n
	}
}

func (a *attack) report(t *testing.T) {
	t.Helper()
	var words []string
	for _, check := range slices.Sorted(maps.Keys(a.by)) {
		words = append(words, fmt.Sprintf("%s %d", check, a.by[check]))
	}
	t.Logf("%d attempts, %d rejected: %s", a.tried, a.rejected, strings.Join(words, ", "))
	if a.tried == 0 || a.tried != a.rejected {
		t.Errorf("%d attempts, %d rejected", a.tried, a.rejected)
	}
}

// small makes a log of two exports, the first of them accepted, and gives the second as a folder and as
// the first's: everything in it is short.
func small(t *testing.T) (c *casino, first, second string) {
	t.Helper()
	c = newCasino(t, "ac-1", 1)
	// The events of one finding, without what a replay would need, and a rulebook less.
	f := c.first()
	events := c.events[f.TableID]
	c.events[f.TableID] = slices.DeleteFunc(events,
		func(e Event) bool { return !slices.Contains(f.Evidence.Seqs, e.Event.Seq) })
	c.rounds = c.rounds[:1]
	maps.DeleteFunc(c.day.Books, func(name string, _ *law.Rulebook) bool { return name != "ny-5324-21" })
	first = c.export(t, true)
	if v := c.verify(t, first, VerifyOptions{Last: c.last()}); v.Code != Good {
		t.Fatalf("first: %+v", v)
	}
	f.Observed += ", and more"
	c.findings[f.ID] = f
	c.day.GamingDay = "2026-11-20"
	return c, first, c.export(t, true)
}

// Every byte of every file, flipped in three ways; without SHOEPROOF_SOAK some places of each. Each processor
// has a copy of the bundle and takes its share of the bytes.
func TestSoakFlippedBytes(t *testing.T) {
	c, _, path := small(t)
	workers := runtime.GOMAXPROCS(0)
	shares := make([]attack, workers)
	t.Run("shares", func(t *testing.T) {
		for i := range workers {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				own := filepath.Join(t.TempDir(), filepath.Base(path))
				if err := os.CopyFS(own, os.DirFS(path)); err != nil {
					t.Fatal(err)
				}
				each(t, own, func(name string) { shares[i].flip(t, c, own, name, i, workers) })
				good(t, c, own)
			})
		}
	})
	var all attack
	for _, a := range shares {
		all.join(&a)
	}
	all.report(t)
}

// flip flips the bytes of a file whose number is share modulo of.
func (a *attack) flip(t *testing.T, c *casino, path, name string, share, of int) {
	t.Helper()
	data := readFile(t, filepath.Join(path, name))
	f, err := os.OpenFile(filepath.Join(path, name), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(b byte, at int) {
		if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	step := 1
	if os.Getenv("SHOEPROOF_SOAK") == "" {
		step = 1 + len(data)/20
	}
	for i := share * step; i < len(data); i += of * step {
		for _, flip := range []byte{0x01, 0x20, 0x80} {
			write(data[i]^flip, i)
			a.expect(t, c, fmt.Sprintf("%s, byte %d ^ %#x", name, i, flip), path, Tampered, checksOf(name)...)
		}
		write(data[i], i)
	}
}

// checksOf are the checks that may find a change in a file.
func checksOf(name string) []string {
	switch name {
	case pathCheckpoint:
		return []string{checkCheckpoint, checkManifest, checkLeaves, checkRoot}
	case pathManifest:
		return []string{checkManifest, checkFiles, checkLeaves, checkFrontier, checkRoot}
	}
	return []string{checkFiles}
}

// good makes sure that the attacks ended with the bundle as it was.
func good(t *testing.T, c *casino, path string) {
	t.Helper()
	last := filepath.Join(t.TempDir(), "accepted.json")
	if before, err := os.ReadFile(c.last()); err == nil {
		put(t, last, before)
	}
	if v := c.verify(t, path, VerifyOptions{Last: last}); v.Code != Good {
		t.Fatalf("after the attacks the bundle itself is %+v", v)
	}
}

func put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// each gives the files of a folder by their path in it.
func each(t *testing.T, dir string, do func(name string)) {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if err != nil || len(names) < 10 {
		t.Fatalf("%d files in %s: %v", len(names), dir, err)
	}
	for _, name := range names {
		do(name)
	}
}

// Every byte of a zip, which holds more than its files: names, times, modes, sums.
func TestFlippedZip(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	f := c.first()
	c.events[f.TableID] = slices.DeleteFunc(c.events[f.TableID],
		func(e Event) bool { return !slices.Contains(f.Evidence.Seqs, e.Event.Seq) })
	c.rounds = nil
	path := c.export(t, false)
	data := readFile(t, path)
	contents := contentsOf(t, data)
	var a attack
	for i := range data {
		if within(contents, i) && i%997 != 0 || os.Getenv("SHOEPROOF_SOAK") == "" && i%7 != 0 {
			continue // the folder's test flips those within
		}
		for _, flip := range []byte{0x01, 0x20, 0x80} {
			data[i] ^= flip
			put(t, path, data)
			a.expect(t, c, fmt.Sprintf("byte %d ^ %#x", i, flip), path, Tampered)
			data[i] ^= flip
		}
	}
	for n := 0; n < len(data); n += 1 + len(data)/100 {
		put(t, path, data[:n])
		a.expect(t, c, fmt.Sprintf("cut at %d", n), path, Tampered, checkContainer)
	}
	for _, more := range []string{"x", "\x00", "PK\x05\x06", string(data)} {
		put(t, path, append(slices.Clone(data), more...))
		a.expect(t, c, "something behind the end", path, Tampered, checkContainer)
		put(t, path, append([]byte(more), data...))
		a.expect(t, c, "something before the start", path, Tampered, checkContainer)
	}
	put(t, path, data)
	a.report(t)
	good(t, c, path)
}

// A padded bundle is refused by the sizes of its files: none of a tebibyte is read.
func TestPadded(t *testing.T) {
	c, _, path := small(t)
	var a attack
	pad := func(file, bundle string, checks ...string) {
		t.Helper()
		info, err := os.Stat(file)
		if err == nil {
			err = os.Truncate(file, 1<<40)
		}
		if err != nil {
			t.Skipf("no sparse files here: %v", err)
		}
		a.expect(t, c, filepath.Base(file)+" padded", bundle, Tampered, checks...)
		if err := os.Truncate(file, info.Size()); err != nil {
			t.Fatal(err)
		}
	}
	each(t, path, func(name string) { pad(filepath.Join(path, name), path, checksOf(name)...) })
	zipped := filepath.Join(t.TempDir(), "bundle.zip")
	if err := zipFolder(path, zipped); err != nil {
		t.Fatal(err)
	}
	pad(zipped, zipped, checkContainer)
	a.report(t)
	good(t, c, zipped)
}

func contentsOf(t *testing.T, data []byte) [][2]int {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var all [][2]int
	for _, f := range r.File {
		at, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, [2]int{int(at), int(at) + int(f.UncompressedSize64)})
	}
	return all
}

func within(spans [][2]int, i int) bool {
	return slices.ContainsFunc(spans, func(s [2]int) bool { return s[0] <= i && i < s[1] })
}

// What can be done to files as a whole.
func TestChangedFiles(t *testing.T) {
	c, first, path := small(t)
	var a attack
	each(t, path, func(name string) {
		file := filepath.Join(path, name)
		data := readFile(t, file)
		for n := range 20 {
			if cut := len(data) * n / 20; cut < len(data) {
				put(t, file, data[:cut])
				a.expect(t, c, fmt.Sprintf("%s cut at %d", name, cut), path, Tampered, checksOf(name)...)
			}
		}
		for _, more := range []string{"\n", " ", "x", "\x00", "{}\n", string(data) + "."} {
			put(t, file, append(slices.Clone(data), more...))
			a.expect(t, c, fmt.Sprintf("%s with %q behind", name, more[:1]), path, Tampered, checksOf(name)...)
		}
		put(t, file, data)
		var missing []string
		switch name {
		case pathCheckpoint:
			missing = []string{checkCheckpoint}
		case pathManifest:
			missing = []string{checkManifest}
		default:
			missing = []string{checkFiles, checkContainer} // a folder may be empty without it
		}
		for _, to := range []string{
			file + ".bak", filepath.Join(path, "A"+filepath.Base(name)),
			filepath.Join(t.TempDir(), "away"),
		} {
			move(t, file, to)
			a.expect(t, c, name+" renamed to "+to, path, Tampered, missing...)
			move(t, to, file)
		}
		other := filepath.Join(first, name)
		if old, err := os.ReadFile(other); err == nil && !bytes.Equal(old, data) {
			put(t, file, old)
			a.expect(t, c, name+" of the export before", path, Tampered, checksOf(name)...)
			put(t, file, data)
		}
		twin := filepath.Join(filepath.Dir(file), swapCase(filepath.Base(name)))
		put(t, twin, data)
		a.expect(t, c, name+" with a case twin", path, Tampered, checkContainer)
		remove(t, twin)
		move(t, file, file+".real")
		link(t, file+".real", file)
		a.expect(t, c, name+" as a link", path, Tampered, checkContainer)
		remove(t, file)
		move(t, file+".real", file)
	})
	for _, name := range []string{"x", "people/more.csv", "evidence/other.ndjson", "proof/x", ".hidden", "timestamp.tsr"} {
		put(t, filepath.Join(path, name), []byte("x"))
		a.expect(t, c, name+" added", path, Tampered, checkFiles)
		remove(t, filepath.Join(path, name))
	}
	for _, name := range []string{"line\nfeed", "spa ce", "sémi", strings.Repeat("x", 241)} {
		put(t, filepath.Join(path, name), nil)
		a.expect(t, c, name+" added", path, Tampered, checkContainer)
		remove(t, filepath.Join(path, name))
	}
	if err := os.Mkdir(filepath.Join(path, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	a.expect(t, c, "an empty folder", path, Tampered, checkContainer)
	remove(t, filepath.Join(path, "empty"))
	bundle := path + "-link"
	link(t, path, bundle)
	a.expect(t, c, "a link to the bundle", bundle, Tampered, checkContainer)
	manifest := readFile(t, filepath.Join(path, pathManifest))
	put(t, filepath.Join(path, pathManifest), append(manifest, bytes.Repeat([]byte(" "), maxManifest)...))
	a.expect(t, c, "a huge manifest", path, Tampered, checkManifest)
	put(t, filepath.Join(path, pathManifest), []byte(strings.Repeat("[", 1<<20)))
	a.expect(t, c, "a deep manifest", path, Tampered, checkManifest)
	put(t, filepath.Join(path, pathManifest), manifest)
	a.report(t)
	good(t, c, path)
}

func swapCase(s string) string {
	if up := strings.ToUpper(s); up != s {
		return up
	}
	return strings.ToLower(s)
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// The error of a changed zip names the zip, the file and the byte.
func TestDamageIsNamed(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	path := c.export(t, false)
	data := readFile(t, path)
	parts, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte, want string) {
		t.Helper()
		_, err := readZip(bytes.NewReader(data), int64(len(data)), "b.zip")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
	for _, f := range parts.File {
		if f.UncompressedSize64 == 0 {
			continue
		}
		start, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, ".xlsx") { // a zip in the zip, whose directory is the last one
			check("cut behind the workbook", data[:start+int64(f.UncompressedSize64)],
				"b.zip is cut short, or no bundle: want the whole zip of an export")
		}
		changed := bytes.Clone(data)
		changed[start+int64(f.UncompressedSize64)/2] ^= 1 // its sum in the header before its name differs
		check(f.Name, changed, fmt.Sprintf("b.zip differs from the zip of the exporter at byte %d, in %s:",
			start-16-int64(len(f.Name)), f.Name))
	}
	check("half", data[:len(data)/2], "b.zip is cut short, or no bundle: want the whole zip of an export")
	changed := bytes.Clone(data)
	changed[bytes.LastIndex(data, []byte("PK\x01\x02"))+38] ^= 1
	check("its list", changed, "in the list of files at its end:")
}

// No error shows a signing key or names a type of Go.
func TestErrorsOfFilesOfAReader(t *testing.T) {
	secret, _, err := note.GenerateKey(zeros{7}, "audit.example/ac-1/findings")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{secret, "log " + secret} {
		_, err := ParsePolicy([]byte(text))
		if err == nil || strings.Contains(err.Error(), "PRIVATE") || !strings.HasPrefix(err.Error(), "line 1: a sign") {
			t.Errorf("a key as the policy: %v", err)
		}
	}
	for text, want := range map[string]string{
		`[]`:             `state x has a JSON array at byte 1 (key ""), want another kind of value`,
		`{"accepted":1}`: `state x has a JSON number at byte 13 (key "accepted"), want another kind of value`,
		`PK`:             "state x is not the JSON that Shoeproof writes: invalid character 'P'",
		`{"other":1}`:    `state x is not the JSON that Shoeproof writes: unknown field "other"`,
	} {
		if _, err := parseState("x", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Zips that other programs might read otherwise than we do.
func TestForgedZips(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	c.rounds = nil
	path := c.export(t, false)
	data := readFile(t, path)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var a attack
	for _, forged := range []struct {
		what   string
		change func(h *zip.FileHeader)
		again  bool
		extra  *zip.FileHeader
	}{
		{what: "packed", change: func(h *zip.FileHeader) { h.Method = zip.Deflate }},
		{what: "other times", change: func(h *zip.FileHeader) { h.Modified = time.Unix(1e9, 0) }},
		{what: "other modes", change: func(h *zip.FileHeader) { h.SetMode(0o755) }},
		{what: "links", change: func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) }},
		{what: "comments", change: func(h *zip.FileHeader) { h.Comment = "x" }},
		{what: "extra fields", change: func(h *zip.FileHeader) { h.Extra = []byte{1, 0, 0, 0} }},
		{what: "every file twice", again: true},
		{what: "a name that leads out", extra: &zip.FileHeader{Name: "../x"}},
		{what: "an absolute name", extra: &zip.FileHeader{Name: "/etc/x"}},
		{what: "a name with a backslash", extra: &zip.FileHeader{Name: `..\x`}},
		{what: "an empty name", extra: &zip.FileHeader{Name: ""}},
		{what: "a dot", extra: &zip.FileHeader{Name: "./x"}},
		{what: "a folder", extra: &zip.FileHeader{Name: "zzz/"}},
		{what: "a duplicate", extra: &zip.FileHeader{Name: pathFindings}},
		{what: "a case twin", extra: &zip.FileHeader{Name: "Findings.ndjson"}},
		{what: "a file more", extra: &zip.FileHeader{Name: "zzz"}},
	} {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		for _, f := range r.File {
			for range map[bool]int{false: 1, true: 2}[forged.again] {
				h := f.FileHeader
				if forged.change != nil {
					forged.change(&h)
				}
				in, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				out, err := w.CreateHeader(&h)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(out, in); err != nil {
					t.Fatal(err)
				}
			}
		}
		if forged.extra != nil {
			if _, err := w.CreateHeader(forged.extra); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		put(t, path, buf.Bytes())
		a.expect(t, c, forged.what, path, Tampered, checkContainer, checkFiles)
	}
	put(t, path, data)
	a.report(t)
	good(t, c, path)
}

// What a casino, or another, might hand over instead of the next export.
func TestWrongExports(t *testing.T) {
	c := newCasino(t, "ac-1", 2)
	var exports []string
	forkAt := 0
	var before string
	for day := range 4 {
		c.day.GamingDay = fmt.Sprintf("2026-11-%d", 19+day)
		if day == 2 {
			before = t.TempDir()
			if err := os.CopyFS(filepath.Join(before, "log"), os.DirFS(filepath.Join(c.dir, "log"))); err != nil {
				t.Fatal(err)
			}
			forkAt = day
		}
		exports = append(exports, c.export(t, false))
	}
	// The same log from its second export on, with another finding: a second history.
	fork := *c
	fork.dir = before
	f := c.first()
	f.Observed = "otherwise"
	fork.world = &world{events: c.events, findings: maps.Clone(c.findings), day: c.day}
	fork.findings[f.ID] = f
	fork.day.Findings = fork.allFindings
	var forked []string
	for day := range 2 {
		fork.day.GamingDay = fmt.Sprintf("2026-11-%d", 19+forkAt+day)
		forked = append(forked, fork.export(t, false))
	}
	var a attack
	a.expect(t, c, "the third as the first", exports[2], Undecided, checkSuccessor)
	for i, path := range exports[:3] {
		if i == 1 {
			a.expect(t, c, "one was skipped", exports[2], NotNext, checkSuccessor)
			a.expect(t, c, "two were skipped", exports[3], NotNext, checkSuccessor)
		}
		if v := c.verify(t, path, VerifyOptions{Last: c.last()}); v.Code != Good {
			t.Fatalf("export %d: %+v", i+1, v)
		}
		for _, old := range exports[:i+1] {
			a.expect(t, c, "replayed", old, NotNext, checkSuccessor)
		}
	}
	a.expect(t, c, "forked", forked[0], Tampered, checkSuccessor)
	a.expect(t, c, "what follows a fork", forked[1], NotNext, checkSuccessor)
	if v := c.verify(t, exports[3], VerifyOptions{}); v.Code != Good || !strings.Contains(v.Message, "Verified alone") {
		t.Errorf("a good bundle verified alone: %+v", v)
	}

	other := newCasino(t, "ac-2", 1)
	foreign := other.export(t, false)
	a.expect(t, c, "a foreign property", foreign, Undecided, checkCheckpoint)
	both := policyOf(t, vkeyOf(t, "audit.example/ac-1/findings", 7), vkeyOf(t, "audit.example/ac-2/findings", 7))
	a.expectWith(t, c, "a foreign property that is trusted too", foreign, VerifyOptions{Policy: both, Last: c.last()},
		Undecided, checkSuccessor)

	rotated, vkey := keyOf(t, origin, 9)
	c.signer = rotated
	c.day.GamingDay = "2026-11-25"
	next := c.export(t, false)
	a.expect(t, c, "signed with a rotated key", next, Undecided, checkCheckpoint)
	thief, _ := keyOf(t, origin, 11)
	stolen := newCasino(t, "ac-1", 1)
	stolen.signer = thief
	a.expect(t, c, "signed by a stranger under the casino's name", stolen.export(t, false), Undecided, checkCheckpoint)
	a.expectWith(t, c, "compared with a file that is no checkpoint", exports[3],
		VerifyOptions{Last: c.last(), Checkpoint: []byte("no checkpoint\n")}, Undecided, checkSuccessor)
	a.report(t)

	known := policyOf(t, vkeyOf(t, origin, 7), vkey)
	for _, path := range []string{exports[3], next} {
		if v := c.verify(t, path, VerifyOptions{Policy: known, Last: c.last()}); v.Code != Good {
			t.Errorf("with both keys: %+v", v)
		}
	}
	begun := filepath.Join(t.TempDir(), "begun.json")
	if v := c.verify(t, exports[2], VerifyOptions{Last: begun, Begin: true}); v.Code != Good {
		t.Errorf("begun in the middle: %+v", v)
	}
	a.expectWith(t, c, "older than the beginning", exports[0], VerifyOptions{Last: begun}, NotNext, checkSuccessor)
	if v := c.verify(t, exports[3], VerifyOptions{Last: begun}); v.Code != Good {
		t.Errorf("after the beginning: %+v", v)
	}
}

func vkeyOf(t *testing.T, origin string, seed byte) string {
	_, vkey := keyOf(t, origin, seed)
	return vkey
}

// resign makes the bundle of a dishonest casino: it changes the content, then hashes and signs everything again.
func resign(t *testing.T, dir string, signer note.Signer, change func(m *Manifest)) {
	t.Helper()
	var m Manifest
	if err := decode(readFile(t, filepath.Join(dir, pathManifest)), &m, encodeIndented); err != nil {
		t.Fatal(err)
	}
	content := map[string]int64{} // how much the change adds to the sizes of inflated files
	for _, f := range m.Files {
		content[f.Path] = -f.Content
	}
	if change != nil {
		change(&m)
	}
	for _, f := range m.Files {
		content[f.Path] += f.Content
	}
	b := &builder{dir: t.TempDir(), manifest: m}
	rows := map[string]int64{}
	for _, f := range m.Files {
		rows[f.Path] = f.Rows
	}
	b.manifest.Files = nil
	each(t, dir, func(name string) {
		if _, ok := rows[name]; !ok && (name == pathCheckpoint || name == pathManifest || name == pathSums) {
			return
		}
		err := b.write(name, func(o *out) error {
			data := unpacked(t, filepath.Join(dir, name))
			if strings.HasSuffix(strings.TrimSuffix(name, compressed), ".ndjson") {
				o.Rows = int64(bytes.Count(data, []byte("\n")))
			} else {
				o.Rows = rows[name]
			}
			if name == pathFindings || name == pathAmendments {
				if err := eachLine(bytes.NewReader(data),
					func(_ int64, line []byte) error { b.log.add(line); return nil }); err != nil {
					return err
				}
			}
			_, err := o.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	for i := range b.manifest.Files {
		b.manifest.Files[i].Content += content[b.manifest.Files[i].Path]
	}
	// Walked in the order of names: amendments come before findings, and so they were added.
	b.log = tree{}
	for _, p := range []string{pathFindings, pathAmendments} {
		if err := eachLine(bytes.NewReader(readFile(t, filepath.Join(dir, p))),
			func(_ int64, line []byte) error { b.log.add(line); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.seal(signer); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pathManifest, pathSums, pathCheckpoint} {
		put(t, filepath.Join(dir, name), readFile(t, filepath.Join(b.dir, name)))
	}
}

// unpacked is the content of a file, inflated if it is compressed.
func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	data := readFile(t, path)
	if !strings.HasSuffix(path, compressed) {
		return data
	}
	in, err := inflate(bytes.NewReader(data), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	if data, err = io.ReadAll(in); err != nil {
		t.Fatal(err)
	}
	return data
}

// packed is the opposite of unpacked.
func packed(t *testing.T, path string, data []byte) []byte {
	t.Helper()
	if !strings.HasSuffix(path, compressed) {
		return data
	}
	var b bytes.Buffer
	w, err := deflate(&b)
	if err == nil {
		_, err = w.Write(data)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A casino signs what does not hold together: the lines, the counts, the evidence, the rules.
func TestSignedLies(t *testing.T) {
	var a attack
	replace := func(from, to string) func([]byte) []byte {
		return func(data []byte) []byte {
			if !bytes.Contains(data, []byte(from)) {
				t.Fatalf("no %q in %.200s", from, data)
			}
			return bytes.Replace(data, []byte(from), []byte(to), 1)
		}
	}
	evidence := new(Manifest).evidencePath("PB-01")
	size := func(n int64) func(*Manifest) {
		return func(m *Manifest) {
			i := slices.IndexFunc(m.Files, func(f File) bool { return f.Path == evidence })
			m.Files[i].Content += n
		}
	}
	c := newCasino(t, "ac-1", 3)
	honest := c.export(t, true)
	for _, lie := range []struct {
		what, path string
		change     func([]byte) []byte
		manifest   func(m *Manifest)
		check      string
	}{
		{"an id", pathFindings, replace(`{"id":"`, `{"id":"0`), nil, checkContent},
		{"a round", pathFindings, replace(`"round":`, `"round":1`), nil, checkContent},
		{"another property", pathFindings, replace(`"property_id":"ac-1"`, `"property_id":"ac-2"`), nil, checkContent},
		{
			"another gaming day", pathFindings, replace(`"gaming_day":"2026-11-19"`, `"gaming_day":"2026-11-18"`), nil,
			checkContent,
		},
		{"an unknown key", pathFindings, replace(`{"id"`, `{"note":"","id"`), nil, checkContent},
		{"a space", pathFindings, replace(`","`, `", "`), nil, checkContent},
		{"keys in another order", pathFindings, replace(`"kind":"deviation","verdict":"BREACH"`,
			`"verdict":"BREACH","kind":"deviation"`), nil, checkContent},
		{"lines in another order", pathFindings, func(data []byte) []byte {
			l := bytes.SplitAfter(data, []byte("\n"))
			return slices.Concat(l[1], l[0], bytes.Join(l[2:], nil))
		}, nil, checkContent},
		{"a line twice", pathFindings, func(data []byte) []byte {
			l := bytes.SplitAfter(data, []byte("\n"))
			return slices.Concat(l[0], data)
		}, func(m *Manifest) { m.Findings++; m.ManifestLeaf++ }, checkContent},
		{
			"evidence withheld", evidence, func(data []byte) []byte { return data[bytes.IndexByte(data, '\n')+1:] }, nil,
			checkReplay,
		},
		{"evidence of another table", evidence, replace(`"table_id":"PB-01"`, `"table_id":"PB-02"`), nil, checkContent},
		{"evidence out of order", evidence, func(data []byte) []byte {
			l := bytes.SplitAfter(data, []byte("\n"))
			return slices.Concat(l[1], l[0], bytes.Join(l[2:], nil))
		}, nil, checkContent},
		{"evidence outside of the coverage", pathCoverage, replace(`"last":1099511627776`, `"last":3`), nil, checkContent},
		{"a segment that begins earlier", statePath("PB-01"), replace(`"offset":`, `"offset":-1`), nil, checkReplay},
		{
			"a segment that ends before it begins", statePath("PB-01"), replace(`"last":{"topic":"`, `"last":{"topic":"A`), nil,
			checkContent,
		},
		{"a state withheld", statePath("PB-01"), func(data []byte) []byte {
			before, _, _ := bytes.Cut(data, []byte(`"state":"`))
			return append(before, "\"state\":\"\"}\n"...)
		}, nil, checkReplay},
		{"a rulebook", pathRulebook, replace(`"DDDDDDDDDDD"`, `"SDDDDDDDDDD"`), nil, checkReplay},
		{"another verdict", pathFindings, replace(`"observed":"`, `"observed":"not `), nil, checkReplay},
		{"a file that inflates to more", "", nil, size(-1), checkContent},
		{"a file that inflates to less", "", nil, size(1), checkContent},
		{"counts", "", nil, func(m *Manifest) { m.Counts[0].Findings++ }, checkContent},
		{"amended days", "", nil, func(m *Manifest) { m.Amends = []string{"2026-11-01"} }, checkContent},
		{"more leaves", "", nil, func(m *Manifest) { m.ManifestLeaf++ }, checkLeaves},
		{"a first leaf", "", nil, func(m *Manifest) { m.FirstLeaf++ }, checkLeaves},
		{"a root before the first", "", nil, func(m *Manifest) { m.PrevRoot = "AAAA" + m.PrevRoot[4:] }, checkFrontier},
		{"an export number", "", nil, func(m *Manifest) { m.Export = 2 }, checkLeaves},
		{"a finding excused from the replay", "", nil, func(m *Manifest) { m.Extra = []string{"0123"} }, checkReplay},
	} {
		path := filepath.Join(t.TempDir(), filepath.Base(honest))
		if err := os.CopyFS(path, os.DirFS(honest)); err != nil {
			t.Fatal(err)
		}
		if lie.path != "" {
			file := filepath.Join(path, lie.path)
			put(t, file, packed(t, lie.path, lie.change(unpacked(t, file))))
		}
		resign(t, path, c.signer, lie.manifest)
		a.expectWith(t, c, lie.what, path, VerifyOptions{Last: c.last(), Replay: true}, Tampered, lie.check)
	}
	a.report(t)
}
