package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// replay emits events again with new sequence numbers and times.
func (w *Writer) replay(events []schema.Event) {
	for i := range events {
		ev := &events[i]
		switch p := ev.Payload.(type) {
		case *schema.CuratorAssigned:
			w.Curator = p.Seat
		case *schema.BankerAssigned:
			w.Banker = p.Seat
		case *schema.SeatOccupied:
			w.sit(p.Seat, p.PatronRef)
		case *schema.SeatVacated:
			w.stand(p.Seat)
		case *schema.ShoeLoaded:
			w.Batch, w.BackColor = p.BatchID, p.BackColor
		case *schema.TableConfigured:
			if p.EffectiveAt <= ev.At {
				w.adopt(p.Config)
			}
		}
		c := ev.Clone()
		w.emitBy(c.Payload, c.Actor)
		last := &w.out[len(w.out)-1]
		if p, ok := c.Payload.(*schema.ShoeShuffled); ok && c.ShoeID != w.ShoeID && p.Method == schema.ShuffleMethodDevice {
			last.ShoeID = c.ShoeID
		}
		last.EventID, last.Source, last.Video = c.EventID, c.Source, c.Video
		if c.At > w.Now {
			w.Now, last.At = c.At, c.At
		}
		if p, ok := c.Payload.(*schema.TableConfigured); ok && p.EffectiveAt != 0 && p.EffectiveAt <= ev.At {
			p.EffectiveAt = last.At
		}
	}
}

// FollowTo sets the writer to the state of the table after some events; refs are the patrons by seat.
func (w *Writer) FollowTo(events []schema.Event, refs map[uint32]string) {
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.TableOpened:
			for _, s := range p.OccupiedSeats {
				w.sit(s, refs[s])
			}
		case *schema.SeatOccupied:
			w.stand(p.Seat)
			w.sit(p.Seat, p.PatronRef)
		case *schema.SeatVacated:
			w.stand(p.Seat)
		case *schema.CuratorAssigned:
			w.Curator = p.Seat
		case *schema.BankerAssigned:
			w.Banker = p.Seat
		case *schema.DealerAssigned:
			if w.dealer.ID == "" || p.Position != schema.DealerPositionPaying {
				w.dealer = schema.Actor{Role: schema.RoleDealer, ID: p.DealerID}
				w.Supervisor = p.SupervisorID
			}
		case *schema.DeckReceived:
			w.Batch, w.BackColor, w.backDesign = p.BatchID, p.BackColor, p.BackDesign
		}
	}
}
