//go:build !js

package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// tags is the structure of a tagged PDF (ISO 32000-1, 14.7 and 14.8): what a screen reader reads, in its order. The
// library writes none, so that it is appended to its output as an incremental update.
type tags struct {
	title    string
	root, at *element
	pages    [][]*element // of each page, by the number of the marked content
}

// element is a part of the document.
type element struct {
	kind   string // Document, H1, H2, P, Table, TR, TH or TD
	scope  string // of a TH: Column or Row
	parent *element
	kids   []kid
	object int
}

// kid is an element, or a marked content of a page, from 1.
type kid struct {
	*element
	page, content int
}

func newTags() *tags {
	root := &element{kind: "Document"}
	return &tags{root: root, at: root}
}

// within draws the content of an element.
func (p *page) within(kind, scope string, draw func()) {
	e := &element{kind: kind, scope: scope, parent: p.tags.at}
	p.tags.at.kids = append(p.tags.at.kids, kid{element: e})
	p.tags.at = e
	draw()
	p.tags.at = e.parent
}

// mark draws a content of the element, on one page.
func (p *page) mark(draw func()) {
	t, no := p.tags, p.PageNo()
	for len(t.pages) < no {
		t.pages = append(t.pages, nil)
	}
	content := len(t.pages[no-1])
	t.pages[no-1] = append(t.pages[no-1], t.at)
	t.at.kids = append(t.at.kids, kid{page: no, content: content})
	p.RawWriteStr(fmt.Sprintf("/%s <</MCID %d>> BDC", t.at.kind, content))
	draw()
	p.RawWriteStr("EMC")
}

// artifact draws what is no content: lines, headers, footers and repeated names of columns.
func (p *page) artifact(draw func()) {
	p.RawWriteStr("/Artifact BMC")
	draw()
	p.RawWriteStr("EMC")
}

// update is an incremental update of a file.
type update struct {
	pdf     []byte
	offsets []int // of the objects of the file
	size    int   // number of the next object
	out     bytes.Buffer
	xref    bytes.Buffer
}

var (
	trailerAt = regexp.MustCompile(`trailer\n<<\n/Size (\d+)\n/Root (\d+) 0 R\n/Info (\d+) 0 R\n>>\nstartxref\n(\d+)\n%%EOF\n$`)
	pageDict  = []byte("<</Type /Page\n")
)

var errStructure = errors.New("tag the summary: the structure of the file is not known")

// tagged returns the file with its structure.
func (t *tags) tagged(pdf []byte) ([]byte, error) {
	found := trailerAt.FindSubmatch(pdf)
	if found == nil {
		return nil, errStructure
	}
	var numbers [4]int
	for i := range numbers {
		numbers[i], _ = strconv.Atoi(string(found[i+1]))
	}
	size, root, info, start := numbers[0], numbers[1], numbers[2], numbers[3]
	u := &update{pdf: pdf, size: size}
	if err := u.readOffsets(start); err != nil {
		return nil, err
	}
	tree := u.next()
	t.number(t.root, u)
	parents := u.next()
	for i := range t.pages {
		old, err := u.object(1 + 2*(i+1))
		if err != nil || !bytes.HasPrefix(old, pageDict) {
			return nil, errors.Join(errStructure, err)
		}
		u.put(1+2*(i+1), "%s /StructParents %d /Tabs /S>>", bytes.TrimSuffix(old, []byte(">>")), i)
	}
	catalog, err := u.object(root)
	if err != nil {
		return nil, err
	}
	metadata := u.next()
	u.put(root, "%s/Version /1.7\n/MarkInfo <</Marked true>>\n/StructTreeRoot %d 0 R\n/Metadata %d 0 R\n"+
		"/ViewerPreferences <</DisplayDocTitle true>>\n>>", bytes.TrimSuffix(catalog, []byte(">>")), tree, metadata)
	about, err := t.metadata()
	if err != nil {
		return nil, err
	}
	u.put(metadata, "<</Type /Metadata /Subtype /XML /Length %d>>\nstream\n%s\nendstream", len(about), about)
	u.put(tree, "<</Type /StructTreeRoot /K %d 0 R /ParentTree %d 0 R /ParentTreeNextKey %d>>", t.root.object, parents,
		len(t.pages))
	t.root.put(u, tree)
	var nums bytes.Buffer
	for i, contents := range t.pages {
		fmt.Fprintf(&nums, "%d [", i)
		for _, e := range contents {
			fmt.Fprintf(&nums, "%d 0 R ", e.object)
		}
		nums.WriteString("]\n")
	}
	u.put(parents, "<</Nums [%s]>>", nums.Bytes())
	at := len(pdf) + u.out.Len()
	fmt.Fprintf(&u.out, "xref\n%strailer\n<</Size %d /Root %d 0 R /Info %d 0 R /Prev %d>>\nstartxref\n%d\n%%%%EOF\n",
		u.xref.Bytes(), u.size, root, info, start, at)
	return append(pdf, u.out.Bytes()...), nil
}

// metadata is the title and the language as XMP (ISO 16684-1). It does not claim PDF/UA, which wants fonts in the file.
func (t *tags) metadata() ([]byte, error) {
	var title bytes.Buffer
	if err := xml.EscapeText(&title, []byte(t.title)); err != nil {
		return nil, fmt.Errorf("write the title of the summary: %w", err)
	}
	return fmt.Appendf(nil, `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>en-US</rdf:li></rdf:Bag></dc:language>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`, title.Bytes()), nil
}

// number gives an element and those below it their objects.
func (t *tags) number(e *element, u *update) {
	e.object = u.next()
	for _, k := range e.kids {
		if k.element != nil {
			t.number(k.element, u)
		}
	}
}

// put writes an element and those below it.
func (e *element) put(u *update, parent int) {
	var kids bytes.Buffer
	for _, k := range e.kids {
		if k.element != nil {
			fmt.Fprintf(&kids, "%d 0 R ", k.object)
			continue
		}
		fmt.Fprintf(&kids, "<</Type /MCR /Pg %d 0 R /MCID %d>> ", 1+2*k.page, k.content)
	}
	attributes := ""
	if e.scope != "" {
		attributes = fmt.Sprintf(" /A <</O /Table /Scope /%s>>", e.scope)
	}
	u.put(e.object, "<</S /%s /P %d 0 R%s /K [%s]>>", e.kind, parent, attributes, bytes.TrimRight(kids.Bytes(), " "))
	for _, k := range e.kids {
		if k.element != nil {
			k.put(u, e.object)
		}
	}
}

// next is the number of a new object.
func (u *update) next() int {
	u.size++
	return u.size - 1
}

// readOffsets reads the table of objects.
func (u *update) readOffsets(start int) error {
	const line = len("0000000000 00000 n \n")
	head := fmt.Sprintf("xref\n0 %d\n", u.size)
	if start < 0 || start+len(head)+u.size*line > len(u.pdf) || string(u.pdf[start:start+len(head)]) != head {
		return errStructure
	}
	for i := range u.size {
		at, err := strconv.Atoi(string(u.pdf[start+len(head)+i*line:][:10]))
		if err != nil || at >= len(u.pdf) {
			return errStructure
		}
		u.offsets = append(u.offsets, at)
	}
	return nil
}

// object is the dictionary of an object of the file.
func (u *update) object(no int) ([]byte, error) {
	if no >= len(u.offsets) {
		return nil, errStructure
	}
	body, _, ended := bytes.Cut(u.pdf[u.offsets[no]:], []byte("\nendobj\n"))
	body, is := bytes.CutPrefix(body, fmt.Appendf(nil, "%d 0 obj\n", no))
	if !ended || !is || !bytes.HasSuffix(body, []byte(">>")) {
		return nil, errStructure
	}
	return body, nil
}

// put writes a new object, or one in place of an object of the file.
func (u *update) put(no int, format string, args ...any) {
	fmt.Fprintf(&u.xref, "%d 1\n%010d 00000 n \n", no, len(u.pdf)+u.out.Len())
	fmt.Fprintf(&u.out, "%d 0 obj\n", no)
	fmt.Fprintf(&u.out, format, args...)
	u.out.WriteString("\nendobj\n")
}
