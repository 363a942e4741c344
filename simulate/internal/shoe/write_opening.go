package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// Minute is in nanoseconds, the unit of Event.At.
const Minute = int64(60_000_000_000)

// Opening is what a table opens with.
type Opening struct {
	Seats   []Occupant
	Dealers []schema.DealerAssigned
	// Listed: table_opened lists the seats; otherwise each patron sits down after it.
	Listed bool
	Posted bool // the notices that the opening needs are filed
}

// Open emits the opening of the table up to the stacked cards.
func (w *Writer) Open(o *Opening) {
	start := w.Now
	w.dealer = schema.Actor{Role: schema.RoleDealer, ID: o.Dealers[0].DealerID}
	w.Now = start - 60*Minute
	if o.Posted {
		w.fileNotice(schema.NoticeTopicPaymentProcedure, start)
		if w.Config.ReshuffleAfterLacing {
			w.fileNotice(schema.NoticeTopicReshuffleOption, start)
		}
	}
	if w.Config.PreShuffled {
		w.fileNotice(schema.NoticeTopicPreShuffled, start)
	}
	w.Now = start
	opened := &schema.TableOpened{Config: w.Config}
	for _, s := range o.Seats {
		if o.Listed {
			opened.OccupiedSeats = append(opened.OccupiedSeats, s.Seat)
			w.sit(s.Seat, s.Patron)
		}
	}
	w.Emit(opened)
	for _, item := range attestations(&w.Config) {
		w.Emit(&schema.LayoutAttested{Item: item, Present: true, AttestedBy: w.Floorperson})
	}
	for i := range o.Dealers {
		w.Emit(&o.Dealers[i])
	}
	if !o.Listed {
		for _, s := range o.Seats {
			w.sit(s.Seat, s.Patron)
			w.Emit(&schema.SeatOccupied{Seat: s.Seat, PatronRef: s.Patron})
		}
	}
	w.countTray(schema.TrayOccasionOpener, 0, 0)
	w.cards()
}

func (w *Writer) fileNotice(topic schema.NoticeTopic, effective int64) {
	w.Wait(2000)
	w.Emit(&schema.NoticeFiled{
		Topic: topic, FiledAt: w.Now, EffectiveAt: effective, Written: true,
		Recipients: []schema.Recipient{schema.RecipientCommission, schema.RecipientSurveillance},
	})
}

// cards receives and opens the batches of cards: one, or two of different colours for a shuffling device.
func (w *Writer) cards() {
	w.receive(w.Table + "-b1")
	if w.Config.AutomatedShuffler {
		w.BackColor = "blue"
		w.receive(w.Table + "-b2")
	}
}

func (w *Writer) receive(batch string) {
	w.Batch = batch
	arrangement, verifier, who := schema.ArrangementRows, schema.RoleFloorperson, w.Floorperson
	if w.House.Bucket {
		arrangement = schema.ArrangementColumns
	}
	if w.House.NewYork {
		verifier, who = schema.RoleSupervisor, w.Supervisor
	}
	w.Emit(&schema.DeckReceived{
		BatchID: w.Batch, DeckCount: w.Config.Decks, BackColor: w.BackColor, BackDesign: w.backDesign,
		PreShuffled: w.Config.PreShuffled,
	})
	if w.Config.PreShuffled {
		return
	}
	w.Wait(180_000)
	w.Emit(&schema.CardsInspected{BatchID: w.Batch, DealerID: w.dealer.ID, NewDeckOrder: true})
	w.emitBy(&schema.CardsVerified{BatchID: w.Batch, VerifierRole: verifier, VerifierID: who},
		schema.Actor{Role: verifier, ID: who})
	w.Emit(&schema.CardsSpread{BatchID: w.Batch, Face: schema.FaceUp, Arrangement: arrangement, SuitSequenceOK: true})
	w.Wait(20_000)
	w.Emit(&schema.CardsViewed{BatchID: w.Batch, ParticipantsPresent: uint32(max(len(w.seats), 1))})
	w.Emit(&schema.CardsWashed{BatchID: w.Batch, Face: schema.FaceDown})
	w.Emit(&schema.CardsStacked{BatchID: w.Batch})
}

// GiveNotice files and posts a notice, then advances the clock to its effect.
func (w *Writer) GiveNotice(topic schema.NoticeTopic) {
	effective := w.Now + 40*Minute
	w.fileNotice(topic, effective)
	w.Emit(&schema.NoticePosted{Topic: topic, Medium: schema.NoticeMediumSign, PostedAt: w.Now, EffectiveAt: effective})
	w.Now = effective
}

// announceAhead files and posts a notice and publishes a configuration that comes into force 40 minutes later.
func (w *Writer) announceAhead(a *Ahead) {
	w.queuedFor = w.Now + 40*Minute
	w.fileNotice(a.Topic, w.queuedFor)
	w.Emit(&schema.NoticePosted{
		Topic: a.Topic, Medium: schema.NoticeMediumSign, PostedAt: w.Now, EffectiveAt: w.queuedFor,
	})
	if a.Replaced != nil {
		w.Emit(&schema.TableConfigured{Config: *a.Replaced, EffectiveAt: w.queuedFor})
	}
	w.Emit(&schema.TableConfigured{Config: a.Config, EffectiveAt: w.queuedFor})
	w.queued = &a.Config
}

// Pending reports whether a configuration was announced that is not yet in force.
func (w *Writer) Pending() bool { return w.queued != nil }

// comeIntoForce puts the announced configuration into force if its time has come.
func (w *Writer) comeIntoForce() {
	if w.queued != nil && w.Now >= w.queuedFor {
		w.adopt(*w.queued)
		w.queued = nil
	}
}

// Configure puts a configuration into force.
func (w *Writer) Configure(c schema.TableConfig) {
	w.adopt(c)
	p := &schema.TableConfigured{Config: c}
	w.Emit(p)
	p.EffectiveAt = w.Now
}
