package export

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxFiles = 100_000 // of a bundle
	maxPath  = 240     // bytes of a file's name
)

// A bundle is the files of an export, in a folder or in a zip.
type bundle struct {
	paths []string // sorted
	sizes map[string]int64
	open  func(path string) (io.ReadCloser, error)
	close func() error
}

// read returns the content of a file up to a limit.
func (b *bundle) read(path string, limit int64) ([]byte, error) {
	switch size, ok := b.sizes[path]; {
	case !ok:
		return nil, fmt.Errorf("%s is missing", path)
	case size > limit:
		return nil, fmt.Errorf("%s has %d bytes, want %d at most", path, size, limit)
	}
	in, err := b.open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(data)) != b.sizes[path] {
		err = errors.New("the file changed while it was read")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// errDamaged marks an error of the container, as opposed to an error of reading it.
var errDamaged = errors.New("damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// openBundle opens a folder or a zip and checks the container: regular files only, each name once, also on
// file systems that ignore case. A zip must have exactly the bytes that the exporter writes.
func openBundle(path string) (*bundle, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the file and the cause
	}
	var b *bundle
	switch {
	case info.IsDir():
		b, err = openFolder(path)
	case info.Mode().IsRegular():
		b, err = openZip(path)
	default:
		return nil, damaged("%s is neither a folder nor a regular file", filepath.Base(path))
	}
	if err != nil {
		return nil, err
	}
	if err := b.names(); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bundle) names() error {
	if len(b.paths) > maxFiles {
		return damaged("%d files, want %d at most", len(b.paths), maxFiles)
	}
	folded := map[string]string{}
	for _, p := range b.paths {
		if err := goodPath(p); err != nil {
			return err
		}
		low := strings.ToLower(p)
		if other, ok := folded[low]; ok {
			return damaged("%q and %q are the same file on some systems", other, p)
		}
		folded[low] = p
	}
	return nil
}

// goodPath accepts the names of an exporter: relative, without . and .., of plain characters.
func goodPath(p string) error {
	if p == "" || len(p) > maxPath || !fs.ValidPath(p) || p == "." {
		return damaged("the file name %q leaves the bundle or is invalid", p)
	}
	for _, c := range []byte(p) {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-=/", rune(c)) {
			return damaged("the file name %q has invalid characters", p)
		}
	}
	return nil
}

func openFolder(dir string) (*bundle, error) {
	b := &bundle{sizes: map[string]int64{}, close: func() error { return nil }}
	b.open = func(p string) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, filepath.FromSlash(p))) }
	folders := map[string]bool{} // whether each has a file
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		p := filepath.ToSlash(rel)
		parent := filepath.ToSlash(filepath.Dir(rel))
		folders[parent] = true
		switch info, err := d.Info(); {
		case err != nil:
			return err
		case d.IsDir():
			folders[p] = false
		case !info.Mode().IsRegular():
			return damaged("%q is a link or a device, want regular files only", p)
		default:
			b.paths, b.sizes[p] = append(b.paths, p), info.Size()
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the bundle: %w", err)
	}
	if b.sizes[pathManifest] == 0 && b.sizes[pathCheckpoint] == 0 {
		return nil, damaged("%s is no bundle: want the folder of an export: no %s", filepath.Base(dir), pathManifest)
	}
	for p, used := range folders {
		if !used {
			return nil, damaged("the folder %q is empty: its files were removed, or it was added", p)
		}
	}
	slices.Sort(b.paths)
	return b, nil
}

func openZip(name string) (b *bundle, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the file and the cause
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the bundle: %w", err)
	}
	if b, err = readZip(f, info.Size(), filepath.Base(name)); err == nil {
		b.close = f.Close
	}
	return b, err
}

// readZip reads a zip with exactly the bytes that the exporter writes.
func readZip(f io.ReaderAt, total int64, name string) (*bundle, error) {
	r, err := zip.NewReader(f, total)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, damaged("%s is cut short, or no bundle: want the whole zip of an export: %v", name, err)
	}
	if len(r.File) > maxFiles {
		return nil, damaged("%d files, want %d at most", len(r.File), maxFiles)
	}
	if !slices.ContainsFunc(r.File, func(f *zip.File) bool { return f.Name == pathManifest }) {
		// The directory may be that of the workbook, a zip in the zip.
		return nil, damaged("%s is cut short, or no bundle: want the whole zip of an export: no %s", name, pathManifest)
	}
	b := &bundle{sizes: map[string]int64{}, close: func() error { return nil }}
	parts := map[string]*io.SectionReader{}
	for _, e := range r.File {
		if _, twice := parts[e.Name]; twice {
			return nil, damaged("%q occurs twice", e.Name)
		}
		part, err := storedPart(e, f, total)
		if err != nil {
			return nil, err
		}
		b.paths, b.sizes[e.Name], parts[e.Name] = append(b.paths, e.Name), part.Size(), part
	}
	b.open = func(p string) (io.ReadCloser, error) {
		part, ok := parts[p]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(io.NewSectionReader(part, 0, part.Size())), nil
	}
	if err := b.names(); err != nil {
		return nil, err
	}
	if !slices.IsSorted(b.paths) {
		return nil, damaged("the files of the zip are not sorted")
	}
	if err := b.padded(); err != nil {
		return nil, err
	}
	same := &comparer{with: f, left: total}
	switch err := writeZip(same, b); {
	case errors.Is(err, errOther):
		return nil, damaged("%s differs from the zip of the exporter at byte %d, in %s: the file was changed, or the zip "+
			"was packed again. Unpacked, its folder can be verified too", name, same.at, fileAt(b.paths, parts, same.at))
	case err != nil:
		return nil, err
	}
	if same.left != 0 {
		return nil, damaged("the zip has %d bytes after its end", same.left)
	}
	return b, nil
}

// padded returns an error for a bundle with much more than its manifest names. It reads the manifest only: a padded
// bundle would otherwise be read for minutes before it is refused.
func (b *bundle) padded() error {
	data, err := b.read(pathManifest, maxManifest)
	var m struct{ Files []File }
	if err != nil || json.Unmarshal(data, &m) != nil {
		return nil // refused later, with the reason
	}
	const slack = 64 << 20 // the files that the manifest does not name, which have limits of their own
	have, want := int64(0), int64(slack)
	for _, size := range b.sizes {
		have += size
	}
	for _, f := range m.Files {
		want += min(max(f.Size, 0), b.sizes[f.Path])
	}
	if have > want {
		return damaged("the files have %d bytes, and the manifest names %d of them", have, want-slack)
	}
	return nil
}

// storedPart returns the content of a zip entry, which must be a regular file without compression.
func storedPart(e *zip.File, in io.ReaderAt, zipSize int64) (*io.SectionReader, error) {
	start, err := e.DataOffset()
	if err != nil {
		return nil, damaged("%q: %v", e.Name, err)
	}
	size := int64(e.UncompressedSize64)
	if e.Method != zip.Store || size < 0 || size > zipSize-start {
		return nil, damaged("%q is compressed or longer than the zip, want it stored without compression", e.Name)
	}
	if !e.Mode().IsRegular() {
		return nil, damaged("%q is a link, a folder or a device, want regular files only", e.Name)
	}
	return io.NewSectionReader(in, start, size), nil
}

// fileAt returns the first file whose content ends after a byte of the zip.
func fileAt(paths []string, parts map[string]*io.SectionReader, at int64) string {
	for _, p := range paths {
		if _, start, size := parts[p].Outer(); at < start+size {
			return p
		}
	}
	return "the list of files at its end"
}

// errOther is the error of a comparer, whose at is the first byte that differs.
var errOther = errors.New("other bytes")

// comparer is a writer that accepts only the bytes of a file.
type comparer struct {
	with io.ReaderAt
	at   int64
	left int64
	buf  []byte
}

func (c *comparer) Write(p []byte) (int, error) {
	c.buf = append(c.buf[:0], p...)
	n, _ := c.with.ReadAt(c.buf, c.at)
	for i := range p {
		if i >= n || c.buf[i] != p[i] {
			c.at += int64(i)
			return 0, errOther
		}
	}
	c.at, c.left = c.at+int64(len(p)), c.left-int64(len(p))
	return len(p), nil
}

// writeZip writes the files of a bundle: stored, sorted, dated 1980-01-01, mode 0644.
func writeZip(out io.Writer, b *bundle) error {
	w := zip.NewWriter(out)
	for _, p := range b.paths {
		sum, err := b.crc(p)
		if err != nil {
			return err
		}
		h := zip.FileHeader{
			Name: p, Method: zip.Store, CRC32: sum, ModifiedDate: 1<<5 | 1, //nolint:staticcheck // CreateRaw writes no other
			CompressedSize64: uint64(b.sizes[p]), UncompressedSize64: uint64(b.sizes[p]),
		}
		h.SetMode(0o644)
		entry, err := w.CreateRaw(&h)
		if err != nil {
			return fmt.Errorf("write %s into the zip: %w", p, err)
		}
		if err := b.copy(entry, p); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("close the zip: %w", err)
	}
	return nil
}

func (b *bundle) crc(path string) (uint32, error) {
	h := crc32.NewIEEE()
	err := b.copy(h, path)
	return h.Sum32(), err
}

func (b *bundle) copy(out io.Writer, path string) error {
	in, err := b.open(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { _ = in.Close() }()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("copy %s: %w", path, err)
	}
	return nil
}
