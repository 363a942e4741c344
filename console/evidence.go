package console

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
)

// evidence is all that the page of a finding shows.
type evidence struct {
	Finding store.Finding
	Doc     string
	Actions []store.Action
	// Rounds is the round it is about, with Deal its cards; nil for a finding of a shoe or a table.
	Round        *store.Round
	Deal         *deal
	Seats        []seat
	Events       []shownEvent
	Video        *video
	Dispositions []string
	Odds         *suspicion
	// NoArchive says why there are no events.
	NoArchive string
}

func findingPage(c *Console, x *exchange) error {
	ev, err := c.evidence(x, x.r.PathValue("id"))
	if err != nil {
		return err
	}
	return x.page("finding", ev.Finding.Rule, ev)
}

func (c *Console) evidence(x *exchange, id string) (*evidence, error) {
	ctx, scope := x.r.Context(), x.scope()
	f, err := c.Store.Finding(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	ev := &evidence{Finding: f, Doc: docOf(f.Rule), Dispositions: store.Dispositions()}
	place := store.Place{Property: f.PropertyID, Table: f.TableID, Shoe: f.ShoeID, Round: f.Round}
	var events []store.Event
	var wagers []store.Wager
	var ledger []store.Vigorish
	var all errgroup.Group
	gather(&all, &ev.Actions, func() ([]store.Action, error) { return c.Store.Actions(ctx, scope, id) })
	if f.Round > 0 {
		gather(&all, &wagers, func() ([]store.Wager, error) { return c.Store.Wagers(ctx, scope, place) })
		gather(&all, &ledger, func() ([]store.Vigorish, error) { return c.Store.Ledger(ctx, scope, place) })
	}
	all.Go(func() error {
		first, last := uint64(1), uint64(0) // no range
		if f.Round > 0 {
			rounds, err := c.Store.Rounds(ctx, scope, place)
			if err != nil {
				return err
			}
			if len(rounds) > 0 {
				ev.Round = &rounds[0]
				first, last = ev.Round.FirstSeq, min(ev.Round.EndSeq, ev.Round.FirstSeq+500)
			}
		}
		var err error
		events, err = c.Store.Events(ctx, scope, f.PropertyID, f.TableID, first, last, f.Seqs[:min(len(f.Seqs), 1000)])
		if errors.Is(err, store.ErrNoArchive) {
			ev.NoArchive = "This console may not read the archive: its second user, console.archive.user, is not set or lacks its role."
			return nil
		}
		return err
	})
	if err := all.Wait(); err != nil {
		return nil, err
	}
	ev.Seats = seats(wagers, ledger, &f)
	if len(events) == 0 && ev.NoArchive == "" {
		ev.NoArchive = "The archive has none of the events that this finding names."
	}
	decoded := c.decode(events, &f)
	if ev.Round != nil {
		ev.Deal = c.dealOf(decoded, ev.Round, &f)
	}
	ev.Events = show(decoded)
	ev.Video = c.video(&f, decoded)
	if f.Kind == "anomaly" {
		if ev.Odds, err = c.suspicion(x, &f); err != nil {
			return nil, err
		}
	}
	return ev, nil
}

// decodedEvent is an event of the archive, read again.
type decodedEvent struct {
	store.Event
	Named    bool // by the finding
	Body     schema.Event
	Err      error
	HashGood bool
}

func (c *Console) decode(events []store.Event, f *store.Finding) []decodedEvent {
	d := schema.NewDecoder()
	all := make([]decodedEvent, len(events))
	for i := range events {
		e := &all[i]
		e.Event = events[i]
		e.Body, e.Err = e.Event.Decode(d)
		sum := sha256.Sum256([]byte(e.Raw))
		e.HashGood = string(sum[:]) == e.SHA256
		e.Named = slices.Contains(f.Seqs, e.Seq)
	}
	return all
}

// shownEvent is an event without what names a patron.
type shownEvent struct {
	Seq, Offset string
	At          time.Time
	Kind        string
	Text        string
	Device      string
	Named       bool
	HashGood    bool
	Hash        string
	Bytes       int
	EventID     string
	Partition   int32
	Raw         string // for those who may see it
}

func show(events []decodedEvent) []shownEvent {
	all := make([]shownEvent, len(events))
	for i := range events {
		e := &events[i]
		all[i] = shownEvent{
			Seq: strconv.FormatUint(e.Seq, 10), Offset: strconv.FormatInt(e.Offset, 10), At: e.At, Kind: e.Kind, Named: e.Named, HashGood: e.HashGood,
			Hash: hex.EncodeToString([]byte(e.SHA256)), Bytes: len(e.Raw), EventID: e.EventID, Partition: e.Partition, Device: e.Body.Source.DeviceID,
		}
		if e.Err != nil {
			all[i].Text = "cannot be read: " + e.Err.Error()
			continue
		}
		all[i].Text = tell(&e.Body)
	}
	return all
}

// told says that a field of a payload cannot name a patron. References do, text that people typed may, and so may the one who
// ordered a recut or verified cards.
func told(name string) bool {
	return !slices.Contains([]string{"patron_ref", "by_id", "verifier_id", "detail", "reason", "ground", "spot_name", "evenness"}, name)
}

// tell is an event's payload in a line, its fields as the contract names them.
func tell(ev *schema.Event) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema.AppendJSON(nil, ev), &fields); err != nil || ev.Payload == nil {
		return ""
	}
	body := fields[ev.Payload.Kind().String()]
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	return strings.Join(pairs(dec, ""), "  ")
}

// pairs reads a JSON object as name value, in its order.
func pairs(dec *json.Decoder, under string) []string {
	var out []string
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return out
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return out
		}
		name := fmt.Sprint(key)
		if !told(name) {
			out = append(out, name+" ▒▒▒▒")
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			continue
		}
		s := strings.Trim(string(text), `"`)
		if len(s) > 120 {
			s = s[:120] + "…"
		}
		out = append(out, under+name+" "+s)
	}
	return out
}

// rawPage is the evidence as it came, patrons and all: for the auditor, and each look is noted.
func rawPage(c *Console, x *exchange) error {
	id := x.r.PathValue("id")
	f, err := c.Store.Finding(x.r.Context(), x.scope(), id)
	if err != nil {
		return err
	}
	if err := x.mustLog(f.PropertyID, "unmask", id, "events as they came"); err != nil {
		return err
	}
	ev, err := c.evidence(x, id)
	if err != nil {
		return err
	}
	first, last := uint64(1), uint64(0)
	if ev.Round != nil {
		first, last = ev.Round.FirstSeq, min(ev.Round.EndSeq, ev.Round.FirstSeq+500)
	}
	events, err := c.Store.Events(x.r.Context(), x.scope(), f.PropertyID, f.TableID, first, last, f.Seqs[:min(len(f.Seqs), 1000)])
	if err != nil {
		return err
	}
	decoded := c.decode(events, &f)
	shown := show(decoded)
	for i := range decoded {
		if decoded[i].Err == nil {
			shown[i].Raw = string(schema.AppendJSON(nil, &decoded[i].Body))
		} else {
			shown[i].Raw = strconv.QuoteToASCII(decoded[i].Raw[:min(len(decoded[i].Raw), 2000)])
		}
	}
	return x.page("raw", "Events as they came", map[string]any{"Finding": f, "Events": shown})
}

// video is where the recording is.
type video struct {
	Camera   string
	At       time.Time
	URL      string
	Preserve time.Time
	Timecode string
}

func (c *Console) video(f *store.Finding, events []decodedEvent) *video {
	v := &video{At: f.At}
	for i := range events {
		e := &events[i].Body
		if e.Video.CameraID != "" && (events[i].Named || v.Camera == "") {
			v.Camera, v.At = e.Video.CameraID, time.Unix(0, e.Video.At)
			if e.Video.At == 0 {
				v.At = events[i].At
			}
			if events[i].Named {
				break
			}
		}
	}
	keep := c.Video.Keep
	if f.Severity == "critical" || f.Kind == "anomaly" {
		keep = c.Video.KeepCritical
	}
	if keep > 0 {
		v.Preserve = f.At.AddDate(0, 0, keep)
	}
	v.Timecode = v.At.In(c.Law.Calendar.Zone).Format("15:04:05.000 MST")
	if c.Video.Template != "" {
		camera := v.Camera
		if camera == "" {
			camera = f.TableID
		}
		v.URL = strings.NewReplacer("{camera}", url.PathEscape(camera), "{from}", fmt.Sprint(v.At.Add(-10*time.Second).Unix()),
			"{to}", fmt.Sprint(v.At.Add(50*time.Second).Unix()), "{at}", url.QueryEscape(v.At.UTC().Format(time.RFC3339))).Replace(c.Video.Template)
	}
	return v
}

// suspicion is how evidence grew over time.
type suspicion struct {
	Factors []store.Factor
	Line    string // the points of the curve, in a frame of 600 by 120
	Last    float64
	High    float64
}

func (c *Console) suspicion(x *exchange, f *store.Finding) (*suspicion, error) {
	factors, err := c.Store.Factors(x.r.Context(), x.scope(), f.Rule, f.Subject, f.At)
	if err != nil || len(factors) == 0 {
		return nil, err
	}
	s := &suspicion{Factors: factors}
	sums, low := make([]float64, len(factors)), 0.0
	for i := range factors {
		s.Last += factors[i].LnE
		sums[i] = s.Last
		s.High, low = math.Max(s.High, s.Last), math.Min(low, s.Last)
	}
	spread := math.Max(1, s.High-low)
	var line strings.Builder
	for i, v := range sums {
		fmt.Fprintf(&line, "%.1f,%.1f ", 600*float64(i)/math.Max(1, float64(len(sums)-1)), 115-110*(v-low)/spread)
	}
	s.Line = line.String()
	return s, nil
}
