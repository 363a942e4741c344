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
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/rules"
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
	all.Go(func() (err error) {
		ev.Actions, err = c.Store.Actions(ctx, scope, id)
		return err
	})
	if f.Round > 0 {
		all.Go(func() (err error) {
			wagers, err = c.Store.Wagers(ctx, scope, place)
			return err
		})
		all.Go(func() (err error) {
			ledger, err = c.Store.Ledger(ctx, scope, place)
			return err
		})
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

// seat is what one seat staked in the round, and what became of it.
type seat struct {
	Seat    uint32
	Patron  string
	Here    bool // the finding is about it
	Wagers  []settled
	Staked  int64
	X, Y    int // on the picture of the table
	Outcome string
}

type settled struct {
	store.Wager
	Wrong    bool
	Here     bool
	Vigorish *store.Vigorish
}

func seats(wagers []store.Wager, ledger []store.Vigorish, f *store.Finding) []seat {
	by := map[uint32]*seat{}
	var order []uint32
	for i := range wagers {
		w := &wagers[i]
		s := by[w.Seat]
		if s == nil {
			s = &seat{Seat: w.Seat, Patron: w.Patron, Here: f.Seat == w.Seat && w.Seat > 0}
			by[w.Seat] = s
			order = append(order, w.Seat)
		}
		row := settled{Wager: *w, Here: f.Subject == "wager:"+w.WagerID, Wrong: w.Disposition != w.Expected || w.Paid != w.ExpectedPaid}
		for j := range ledger {
			if ledger[j].WagerID == w.WagerID {
				row.Vigorish = &ledger[j]
			}
		}
		s.Wagers = append(s.Wagers, row)
		s.Staked += w.Stake
	}
	slices.Sort(order)
	all := make([]seat, len(order))
	for i, n := range order {
		all[i] = *by[n]
		// Seats stand on an arc, the first on the dealer's right.
		a := math.Pi * (0.5 + float64(i)) / float64(len(order))
		all[i].X, all[i].Y = int(300+240*math.Cos(a)), int(26+128*math.Sin(a))
	}
	return all
}

// deal is a round's cards as they came.
type deal struct {
	Player, Banker []dealtCard
	Steps          []step
	Result         string
	PlayerCount    uint8
	BankerCount    uint8
}

type dealtCard struct {
	Card  string
	Rank  string
	Suit  string
	Third bool
	Named bool
	Seq   uint64
}

// step is one thing that happened in a round, with why it was allowed or not.
type step struct {
	At    time.Time
	Seq   uint64
	What  string
	Why   string
	Bad   bool
	Named bool
	Card  *dealtCard
	Hand  string
}

func newCard(text string) dealtCard {
	c := dealtCard{Card: text, Rank: "?"}
	if len(text) == 2 && text != "??" {
		c.Rank, c.Suit = text[:1], text[1:]
		if c.Rank == "T" {
			c.Rank = "10"
		}
	}
	return c
}

// dealOf is the round card by card. Its words about the third card come from the drawing table of the
// rulebook in force; the findings remain the rules' alone.
func (c *Console) dealOf(events []decodedEvent, r *store.Round, f *store.Finding) *deal {
	d := &deal{Result: r.Result, PlayerCount: r.PlayerCount, BankerCount: r.BankerCount}
	var hands [2][]rules.Card // player, banker
	law := c.lawOf(r)
	for i := range events {
		e := &events[i]
		if e.Err != nil || e.Round != r.Round || e.ShoeID != r.ShoeID {
			continue
		}
		s := step{At: e.At, Seq: e.Seq, Named: e.Named}
		switch p := e.Body.Payload.(type) {
		case *schema.CardDealt:
			card := newCard(p.Card)
			card.Named, card.Seq = e.Named, e.Seq
			s.Card, s.Hand = &card, p.Hand.String()
			h := 0
			if p.Hand == schema.HandBanker {
				h = 1
			}
			s.What = fmt.Sprintf("%s card %d", words(p.Hand.String()), p.Index)
			s.Why, s.Bad = why(law, hands, h)
			value, err := rules.ParseCard(p.Card)
			if err != nil {
				value = rules.Unread
			}
			hands[h] = append(hands[h], value)
			card.Third = len(hands[h]) > 2
		case *schema.Announced:
			s.What = "called: " + words(p.Code.String())
			if p.Hand != 0 {
				s.What += ", " + words(p.Hand.String())
			}
			if p.Code == schema.CallPointCount || p.Code == schema.CallFinalCount {
				s.What += " " + strconv.Itoa(int(p.Value))
			}
		case *schema.RoundEnded:
			s.What = fmt.Sprintf("recorded: %s, player %d, banker %d", words(p.Result.String()), p.PlayerCount, p.BankerCount)
			s.Why, s.Bad = missing(law, hands)
		case *schema.CardMoved, *schema.CardFoundFaceup, *schema.CardCarriedOver, *schema.RoundVoided, *schema.WagerChanged, *schema.DealInstructed:
			s.What = words(e.Kind) + ": " + tell(&e.Body)
		default:
			if !e.Named {
				continue
			}
			s.What = words(e.Kind) + ": " + tell(&e.Body)
		}
		d.Steps = append(d.Steps, s)
	}
	d.Player, d.Banker = finalHands(r.Cards, d.Steps)
	return d
}

// finalHands are the hands as finally composed, from a row such as "P 6c Kh B 7d Ks".
func finalHands(cards string, steps []step) (player, banker []dealtCard) {
	into := &player
	for w := range strings.FieldsSeq(cards) {
		switch w {
		case "P":
			into = &player
			continue
		case "B":
			into = &banker
			continue
		}
		card := newCard(w)
		card.Third = len(*into) >= 2
		hand := "PLAYER"
		if into == &banker {
			hand = "BANKER"
		}
		n := 0
		for i := range steps {
			if steps[i].Card != nil && steps[i].Hand == hand {
				if n == len(*into) {
					card.Named, card.Seq = steps[i].Named, steps[i].Seq
				}
				n++
			}
		}
		*into = append(*into, card)
	}
	return player, banker
}

func (c *Console) lawOf(r *store.Round) *rules.Law {
	book := c.Law.Books[r.Ruleset]
	if book == nil {
		return nil
	}
	for _, g := range book.Games() {
		if law, ok := book.Law(g); ok && g != rules.CheminDeFer {
			return law // the drawing table is one for all games of a book but chemin de fer
		}
	}
	return nil
}

// why says on what ground the next card goes to a hand, and whether it may.
func why(law *rules.Law, hands [2][]rules.Card, to int) (text string, bad bool) {
	if len(hands[to]) < 2 {
		return "", false
	}
	if law == nil || len(hands[0]) < 2 || len(hands[1]) < 2 {
		return "third card", false
	}
	coup := rules.NewCoup(hands[0], hands[1])
	if !coup.Complete {
		return "third card; a card before it was not read", false
	}
	switch {
	case len(hands[to]) > 2:
		return "a hand has three cards at most", true
	case coup.Natural():
		return fmt.Sprintf("player %d, banker %d: a natural, no card is drawn", coup.P2, coup.B2), true
	case to == 0:
		if law.Drawing.PlayerDraws(coup.P2, coup.B2) {
			return fmt.Sprintf("player on %d draws", coup.P2), false
		}
		return fmt.Sprintf("player on %d must stand", coup.P2), true
	}
	if law.Drawing.BankerDraws(coup.P2, coup.B2, coup.Third) {
		return fmt.Sprintf("banker on %d %s draws", coup.B2, against(coup.Third)), false
	}
	return fmt.Sprintf("banker on %d %s must stand", coup.B2, against(coup.Third)), true
}

func against(third uint8) string {
	if third == rules.NoThird {
		return "against a player who stood"
	}
	return fmt.Sprintf("against a player's third card of %d", third)
}

// missing says which card was due when the round ended, and never came.
func missing(law *rules.Law, hands [2][]rules.Card) (text string, bad bool) {
	if law == nil || len(hands[0]) < 2 || len(hands[1]) < 2 {
		return "", false
	}
	coup := rules.NewCoup(hands[0], hands[1])
	if !coup.Complete || coup.Natural() {
		return "", false
	}
	if len(hands[0]) == 2 && law.Drawing.PlayerDraws(coup.P2, coup.B2) {
		return fmt.Sprintf("player on %d should have drawn", coup.P2), true
	}
	if len(hands[1]) == 2 && law.Drawing.BankerDraws(coup.P2, coup.B2, coup.Third) {
		return fmt.Sprintf("banker on %d %s should have drawn", coup.B2, against(coup.Third)), true
	}
	return "", false
}

// replayed is what running the rules again over the archive gave, beside what is stored.
type replayed struct {
	Place         store.Place
	Events        int
	Took          time.Duration
	Whole         bool
	Same          []schema.Finding
	OnlyReplay    []schema.Finding
	OnlyStored    []store.Finding
	Suspicions    int
	Engine, Books string
}

// Equal says whether the replay found what is stored, and nothing else.
func (r *replayed) Equal() bool { return len(r.OnlyReplay) == 0 && len(r.OnlyStored) == 0 }

// mostReplayed is the events of a table that a replay reads, back from the shoe.
const mostReplayed = 300_000

var errBusy = badRequest("Other replays are running. Try again in a moment.")

func (c *Console) replay(x *exchange, p store.Place) (*replayed, error) {
	select {
	case c.replays <- struct{}{}:
		defer func() { <-c.replays }()
	default:
		return nil, errBusy
	}
	ctx, scope, began := x.r.Context(), x.scope(), c.Now()
	shoes, err := c.Store.Shoes(ctx, scope, p)
	if err != nil {
		return nil, err
	}
	until := uint64(math.MaxInt64)
	if len(shoes) > 0 {
		until = shoes[0].LastSeq + 1000 // the next shoe closes this one
	} else if tiles, err := c.Store.Floor(ctx, scope, store.Place{Property: p.Property, Table: p.Table}); err != nil {
		return nil, err
	} else if len(tiles) > 0 {
		until = tiles[0].Seq
	}
	opt := c.Law
	opt.NoArchive = true
	engine, batch := pipeline.NewEngine(opt), &pipeline.Batch{}
	out := &replayed{Place: p, Engine: opt.Version}
	found := map[string]schema.Finding{}
	var order []string
	take := func() {
		for _, f := range batch.Findings {
			if f.ShoeID == p.Shoe {
				if _, ok := found[f.ID]; !ok {
					order = append(order, f.ID)
				}
				found[f.ID] = f
			}
		}
		batch.Reset()
	}
	out.Whole, err = c.Store.EachEvent(ctx, scope, p.Property, p.Table, until, mostReplayed, func(e *store.Event) error {
		format := schema.Protobuf
		if e.Format == "json" {
			format = schema.JSON
		}
		engine.Apply(&pipeline.Record{Offset: e.Offset, Format: format, Value: []byte(e.Raw)}, "archive", e.Partition, batch)
		if out.Events++; out.Events%1000 == 0 {
			take()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out.Events == 0 {
		return nil, fmt.Errorf("replay of shoe %s: %w", p.Shoe, store.ErrNone)
	}
	engine.Finish(batch)
	take()
	stored, err := c.Store.Findings(ctx, scope, store.Where{Property: p.Property, Table: p.Table, Shoe: p.Shoe, Limit: store.MostRows})
	if err != nil {
		return nil, err
	}
	for i := range stored {
		s := &stored[i]
		if s.Kind == "anomaly" {
			out.Suspicions++
			continue
		}
		f, ok := found[s.ID]
		if ok && f.Rule == s.Rule && f.Verdict == s.Verdict && f.Severity == s.Severity && f.Expected == s.Expected && f.Observed == s.Observed && f.Amount == s.Amount {
			out.Same = append(out.Same, f)
			delete(found, s.ID)
			continue
		}
		out.OnlyStored = append(out.OnlyStored, *s)
	}
	for _, id := range order {
		if f, ok := found[id]; ok {
			out.OnlyReplay = append(out.OnlyReplay, f)
		}
	}
	out.Took = c.Now().Sub(began)
	return out, nil
}

func replayPage(c *Console, x *exchange) error {
	if !c.limits.allow("replay "+x.who.Name, 20, time.Minute) {
		return errTooMany
	}
	form := x.r.PostForm
	p := store.Place{Property: form.Get("property"), Table: form.Get("table"), Shoe: form.Get("shoe")}
	if p.Property == "" || p.Table == "" || p.Shoe == "" {
		return badRequest("a replay needs a property, a table and a shoe")
	}
	r, err := c.replay(x, p)
	if err != nil {
		return err
	}
	x.log(p.Property, "replay", p.Table+"/"+p.Shoe, fmt.Sprintf("%d events, same %t", r.Events, r.Equal()))
	return x.page("replay", "Replay of "+p.Shoe, map[string]any{"Replay": r, "Back": local(form.Get("next"))})
}
