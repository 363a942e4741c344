package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

func (v *verifier) container(err error) (string, *Failure) {
	if err != nil {
		return "", tampered(checkContainer, "%s", strings.TrimPrefix(err.Error(), errDamaged.Error()+": "))
	}
	return fmt.Sprintf("%d files, each once, and nothing else", len(v.bundle.paths)), nil
}

func (v *verifier) signed(context.Context) (string, *Failure) {
	data, err := v.bundle.read(pathCheckpoint, maxCheckpoint)
	if err != nil {
		return "", tampered(checkCheckpoint, "%v", err)
	}
	c, failure := v.opt.Policy.open(data)
	v.checkpoint = c
	return fmt.Sprintf("signed by %s, a key that your policy trusts", c.Origin), failure
}

func (v *verifier) readManifest(context.Context) (string, *Failure) {
	data, err := v.bundle.read(pathManifest, maxManifest)
	if err != nil {
		return "", tampered(checkManifest, "%v", err)
	}
	m := &v.manifest
	v.raw = data
	if err := decode(data, m, encodeIndented); err != nil {
		return "", tampered(checkManifest, "manifest.json %v", err)
	}
	switch {
	case !strings.HasPrefix(m.Schema, schemaPrefix) || m.Schema < schemaFirst:
		return "", tampered(checkManifest, "manifest.json has the unknown format %q", m.Schema)
	case m.Schema != schemaFirst && m.Schema != schemaName:
		return "", undecided(checkManifest, "the bundle has format %q, this program supports up to %q: use a newer release",
			m.Schema, schemaName)
	case m.Origin != v.checkpoint.Origin:
		return "", tampered(checkManifest, "manifest.json names the log %q, the checkpoint %q", m.Origin, v.checkpoint.Origin)
	}
	return fmt.Sprintf("export %d of %s, gaming day %s", m.Export, m.Property, m.GamingDay), nil
}

// files compares the files of the bundle with the manifest, byte for byte.
func (v *verifier) files(ctx context.Context) (string, *Failure) {
	m, b := &v.manifest, v.bundle
	outside := []string{pathCheckpoint, pathManifest, pathSums}
	want := slices.Clone(outside)
	for i, f := range m.Files {
		if goodPath(f.Path) != nil || slices.Contains(outside, f.Path) || i > 0 && m.Files[i-1].Path >= f.Path {
			return "", tampered(checkFiles, "the manifest's list of files is out of order at %q", f.Path)
		}
		want = append(want, f.Path)
	}
	slices.Sort(want)
	for _, p := range want {
		if _, ok := b.sizes[p]; !ok {
			return "", tampered(checkFiles, "%s is missing from the bundle", p)
		}
	}
	for _, p := range b.paths {
		if _, ok := slices.BinarySearch(want, p); !ok {
			return "", tampered(checkFiles, "%s was added to the bundle: the manifest does not name it", p)
		}
	}
	total := int64(0)
	for _, f := range m.Files {
		if err := context.Cause(ctx); err != nil {
			return "", fail(Wrong, checkFiles, "%v", []any{err})
		}
		if b.sizes[f.Path] != f.Size {
			return "", tampered(checkFiles, "%s has %d bytes, in the manifest %d", f.Path, b.sizes[f.Path], f.Size)
		}
		h := sha256.New()
		if err := b.copy(h, f.Path); err != nil {
			return "", fail(Wrong, checkFiles, "%v", []any{err})
		}
		if sum := hex.EncodeToString(h.Sum(nil)); sum != f.SHA256 {
			return "", tampered(checkFiles, "%s was changed: its SHA-256 is %s, in the manifest %s", f.Path, sum, f.SHA256)
		}
		total += f.Size
	}
	sums, err := b.read(pathSums, maxManifest)
	if err != nil || !bytes.Equal(sums, m.sums(v.raw)) {
		return "", tampered(checkFiles, "%s differs from the manifest", pathSums)
	}
	return fmt.Sprintf("%d files, %d bytes, match the manifest", len(m.Files), total), nil
}

func (v *verifier) leaves(context.Context) (string, *Failure) {
	m, c := &v.manifest, &v.checkpoint
	if err := m.check(); err != nil {
		return "", tampered(checkLeaves, "the manifest contradicts itself: %v", err)
	}
	if m.ManifestLeaf+1 != c.Size {
		return "", tampered(checkLeaves, "the manifest is leaf %d, but the signed log ends with leaf %d", m.ManifestLeaf,
			c.Size-1)
	}
	return fmt.Sprintf("leaves %d to %d", m.FirstLeaf, m.ManifestLeaf), nil
}

func (v *verifier) frontier(context.Context) (string, *Failure) {
	m := &v.manifest
	data, err := v.bundle.read(pathFrontier, maxFrontier)
	if err != nil {
		return "", tampered(checkFrontier, "%v", err)
	}
	hashes, err := parseFrontier(data)
	if err != nil {
		return "", tampered(checkFrontier, "%s: %v", pathFrontier, err)
	}
	if v.log, err = newTree(m.PrevSize, hashes); err != nil {
		return "", tampered(checkFrontier, "%v", err)
	}
	if got := formatHash(v.log.root()); got != m.PrevRoot {
		return "", tampered(checkFrontier, "the log before this export has the root %s, in the manifest %s", got, m.PrevRoot)
	}
	return "the log before this export matches the manifest", nil
}

// root appends every leaf; the result must equal the signed root.
func (v *verifier) root(ctx context.Context) (string, *Failure) {
	paths := []string{pathFindings, pathAmendments}
	if v.manifest.Steps > 0 {
		paths = append(paths, pathSteps)
	}
	for _, path := range paths {
		err := v.lines(path, func(n int64, line []byte) error {
			v.log.add(line)
			if n%1000 == 0 {
				return context.Cause(ctx)
			}
			return nil
		})
		if err != nil {
			return "", tampered(checkRoot, "%s: %v", path, err)
		}
	}
	v.log.add(v.raw)
	if v.log.size != v.checkpoint.Size || v.log.root() != v.checkpoint.Root {
		return "", tampered(checkRoot, "the findings, amendments, actions of triage and manifest of the bundle do not give "+
			"the signed root")
	}
	return fmt.Sprintf("leaves %d to %d are in the signed log", v.manifest.FirstLeaf, v.manifest.ManifestLeaf), nil
}

// lines calls each with the lines of a file, of a compressed file with those that it inflates to.
func (v *verifier) lines(path string, each func(n int64, line []byte) error) error {
	in, err := v.bundle.open(path)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { _ = in.Close() }()
	if !strings.HasSuffix(path, compressed) {
		return eachLine(in, each)
	}
	f := v.manifest.file(path)
	inflated, err := inflate(in, f.Content)
	if err != nil {
		return err
	}
	defer inflated.close()
	if err := eachLine(inflated, each); err != nil {
		return err
	}
	if inflated.left != 0 {
		return fmt.Errorf("it inflates to %d bytes, in the manifest %d", f.Content-inflated.left, f.Content)
	}
	return nil
}
