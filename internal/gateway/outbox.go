package gateway

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/shoeproof/shoeproof/schema"
)

// The outbox is a folder of segments. A segment is a head and groups, each a frame: magic, length and CRC-32C, then
// CBOR. A group is what one write stored before one fsync, so that a damaged group with a complete one behind it was
// durable once: that is damage, not a torn write.
const (
	frameMagic  = "spg1"
	frameHead   = len(frameMagic) + 8
	maxFrame    = 64 << 20
	segmentName = ".outbox"
	ackName     = "published"
)

// stored is an event of the outbox.
type stored struct {
	Property string        `cbor:"1,keyasint"`
	Table    string        `cbor:"2,keyasint"`
	Seq      uint64        `cbor:"3,keyasint"`
	ID       string        `cbor:"4,keyasint"`
	Sum      [16]byte      `cbor:"5,keyasint"` // of the event without its number
	Format   schema.Format `cbor:"6,keyasint"`
	Value    []byte        `cbor:"7,keyasint"`
	Parent   string        `cbor:"8,keyasint,omitempty"` // trace context of the sender
}

// frame is a group, or the head of a segment if it has no event. Last is the last number of each table before it.
type frame struct {
	No     uint64      `cbor:"1,keyasint"`
	Events []stored    `cbor:"2,keyasint"`
	Last   []lastOfKey `cbor:"3,keyasint"`
}

type lastOfKey struct {
	Property string `cbor:"1,keyasint"`
	Table    string `cbor:"2,keyasint"`
	Seq      uint64 `cbor:"3,keyasint"`
}

// tableKey names a table.
type tableKey struct{ property, table string }

// known is an event that was stored.
type known struct {
	seq     uint64
	sum     [16]byte
	segment uint64
}

type eventKey struct {
	tableKey
	id string
}

// outbox stores groups of events. It is for one goroutine, but for read, which opens its own files.
type outbox struct {
	dir      string
	maxBytes int64 // of a segment
	lock     *os.File
	file     *os.File
	size     int64
	segment  uint64 // number of the current segment, which is that of its first group
	no       uint64 // of the last group
	last     map[tableKey]uint64
	events   map[eventKey]known
	segments []segment
	// step is called before each step that a crash may separate from the next; nil but in tests.
	step func(name string) error
}

type segment struct {
	first uint64 // the number of its head: groups are above it
	size  int64
}

// errDamaged is returned for an outbox that a crash cannot explain.
var errDamaged = errors.New("the outbox is damaged: restore it from a backup, or move it away: the events in it are lost, and " +
	"the numbers of each table begin again, which the audit reports")

// openOutbox opens a folder, which one process may have open, and drops what the last write left incomplete.
func openOutbox(dir string, maxBytes int64) (_ *outbox, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the outbox: %w", err)
	}
	o := &outbox{dir: dir, maxBytes: maxBytes, last: map[tableKey]uint64{}, events: map[eventKey]known{}}
	if o.lock, err = lockFolder(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = o.close()
		}
	}()
	names, err := filepath.Glob(filepath.Join(dir, "*"+segmentName))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for i, name := range names {
		if err := o.load(name, i == len(names)-1); err != nil {
			return nil, fmt.Errorf("read the outbox %s: %w", name, err)
		}
	}
	if len(o.segments) == 0 {
		return o, o.roll()
	}
	current := o.segments[len(o.segments)-1]
	o.segment, o.size = current.first, current.size
	o.file, err = os.OpenFile(o.name(current.first), os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = o.file.Seek(o.size, io.SeekStart); err != nil {
		return nil, err
	}
	// A group that was written and not synced before the process ended is taken as stored: it is synced now.
	if err = o.file.Sync(); err != nil {
		return nil, fmt.Errorf("sync the outbox: %w", err)
	}
	return o, nil
}

func (o *outbox) name(first uint64) string {
	return filepath.Join(o.dir, fmt.Sprintf("%020d%s", first, segmentName))
}

// load reads a segment. What is incomplete at the end of the last one is cut off.
func (o *outbox) load(name string, last bool) error {
	first, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(name), segmentName), 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	at := 0
	for at < len(data) {
		f, size := parseFrame(data[at:])
		if f == nil {
			break
		}
		o.note(f, first)
		at += size
	}
	switch {
	case at == len(data) && at > 0:
	case !last || completeBehind(data[at:]):
		return fmt.Errorf("%w: byte %d", errDamaged, at)
	case at == 0: // its head was not written: the segment before is the last one
		if err := os.Remove(name); err != nil {
			return err
		}
		return syncFolder(o.dir)
	default:
		if err := truncate(name, int64(at)); err != nil {
			return err
		}
	}
	o.segments = append(o.segments, segment{first, int64(at)})
	return nil
}

// note takes in what a frame has.
func (o *outbox) note(f *frame, segment uint64) {
	o.no = max(o.no, f.No)
	for _, l := range f.Last {
		o.last[tableKey{l.Property, l.Table}] = l.Seq
	}
	for i := range f.Events {
		ev := &f.Events[i]
		key := tableKey{ev.Property, ev.Table}
		o.last[key] = ev.Seq
		o.events[eventKey{key, ev.ID}] = known{ev.Seq, ev.Sum, segment}
	}
}

// completeBehind reports whether a complete frame begins behind the first byte.
func completeBehind(data []byte) bool {
	for at := 1; at < len(data); at++ {
		next := bytes.Index(data[at:], []byte(frameMagic))
		if next < 0 {
			return false
		}
		at += next
		if f, _ := parseFrame(data[at:]); f != nil {
			return true
		}
	}
	return false
}

// parseFrame reads a frame, nil if it is not complete.
func parseFrame(data []byte) (*frame, int) {
	if len(data) < frameHead || string(data[:len(frameMagic)]) != frameMagic {
		return nil, 0
	}
	size := int(binary.LittleEndian.Uint32(data[4:]))
	if size > maxFrame || len(data) < frameHead+size {
		return nil, 0
	}
	body := data[frameHead : frameHead+size]
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[8:]) {
		return nil, 0
	}
	f := &frame{}
	if cbor.Unmarshal(body, f) != nil {
		return nil, 0
	}
	return f, frameHead + size
}

func appendFrame(dst []byte, f *frame) ([]byte, error) {
	body, err := cbor.Marshal(f)
	if err != nil {
		return nil, err
	}
	dst = append(dst, frameMagic...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(body)))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return append(dst, body...), nil
}

// errFull is returned if the disk has no room; the outbox is as before.
var errFull = errors.New("the disk of the outbox is full")

// append makes a group durable. After an error other than errFull the outbox must not be used: what is on disk is
// unknown until it is opened again.
func (o *outbox) append(events []stored) error {
	if o.size >= o.maxBytes {
		if err := o.roll(); err != nil {
			return err
		}
	}
	f := &frame{No: o.no + 1, Events: events}
	data, err := appendFrame(nil, f)
	if err != nil {
		return err
	}
	if err := o.at("write"); err != nil {
		return err
	}
	if _, err := o.file.Write(data); err != nil {
		return o.restore(err)
	}
	if err := o.at("sync"); err != nil {
		return err
	}
	if err := o.file.Sync(); err != nil {
		return fmt.Errorf("sync the outbox: %w", err)
	}
	o.size += int64(len(data))
	o.segments[len(o.segments)-1].size = o.size
	o.note(f, o.segment)
	return nil
}

// restore cuts off a part of a group that could not be written.
func (o *outbox) restore(cause error) error {
	err := o.file.Truncate(o.size)
	if err == nil {
		_, err = o.file.Seek(o.size, io.SeekStart)
	}
	if err != nil || !isFull(cause) {
		return fmt.Errorf("write the outbox: %w", errors.Join(cause, err))
	}
	return errFull
}

// roll begins a segment, whose head has the last number of each table: earlier segments may be removed.
func (o *outbox) roll() error {
	head := &frame{No: o.no + 1}
	for key, seq := range o.last {
		head.Last = append(head.Last, lastOfKey{key.property, key.table, seq})
	}
	data, err := appendFrame(nil, head)
	if err != nil {
		return err
	}
	if err := o.at("roll"); err != nil {
		return err
	}
	file, err := os.OpenFile(o.name(head.No), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("begin a segment of the outbox: %w", err)
	}
	_, err = file.Write(data)
	if err == nil {
		err = o.at("head")
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = syncFolder(o.dir)
	}
	if isFull(err) {
		return errors.Join(errFull, file.Close(), os.Remove(file.Name()))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("begin a segment of the outbox: %w", err), file.Close())
	}
	if o.file != nil {
		if err := o.file.Close(); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	o.file, o.size, o.segment, o.no = file, int64(len(data)), head.No, head.No
	o.segments = append(o.segments, segment{head.No, o.size})
	return nil
}

// prune removes segments whose groups are all published, and forgets their ids, while the others have more than keep
// bytes.
func (o *outbox) prune(published uint64, keep int64) error {
	var total int64
	for _, s := range o.segments {
		total += s.size
	}
	for len(o.segments) > 1 && o.segments[1].first <= published+1 && total-o.segments[0].size >= keep {
		gone := o.segments[0]
		if err := os.Remove(o.name(gone.first)); err != nil {
			return fmt.Errorf("remove a published segment: %w", err)
		}
		for key, k := range o.events {
			if k.segment == gone.first {
				delete(o.events, key)
			}
		}
		total -= gone.size
		o.segments = o.segments[1:]
	}
	return nil
}

func (o *outbox) at(name string) error {
	if o.step == nil {
		return nil
	}
	return o.step(name)
}

func (o *outbox) close() error {
	var errs []error
	if o.file != nil {
		errs = append(errs, o.file.Close())
	}
	if o.lock != nil {
		errs = append(errs, o.lock.Close())
	}
	return errors.Join(errs...)
}

// truncate cuts a file, durably.
func truncate(name string, size int64) error {
	file, err := os.OpenFile(name, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	err = file.Truncate(size)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// syncFolder makes the names in a folder durable.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// readPublished returns the last group that the brokers have, 0 for none. A file that is not complete is none: groups
// are then sent again.
func readPublished(dir string) uint64 {
	data, err := os.ReadFile(filepath.Join(dir, ackName))
	if err != nil || len(data) != 12 ||
		crc32.Checksum(data[:8], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[8:]) {
		return 0
	}
	return binary.LittleEndian.Uint64(data)
}

// writePublished stores the last group that the brokers have. It may be lost: groups are then sent again.
func writePublished(dir string, no uint64) error {
	data := binary.LittleEndian.AppendUint64(nil, no)
	data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
	name := filepath.Join(dir, ackName)
	if err := os.WriteFile(name+".new", data, 0o600); err != nil {
		return fmt.Errorf("store what is published: %w", err)
	}
	return os.Rename(name+".new", name)
}
