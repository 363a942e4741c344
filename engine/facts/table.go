// Package facts writes the rows of what was played: events as they came, rounds, wagers, shoes, vigorish,
// configurations and notices.
//
// A stage of the play goes in, rows come out. A row has what happened beside what the law demands. The package judges
// nothing, and keeps nothing from one stage to the next.
package facts

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Table writes the rows of one table. The exported fields are set once.
type Table struct {
	Play *play.Table
	// Log has the times of events.
	Log     *order.Log
	Clock   calendar.Clock
	Version string // of the program

	text   []byte                            // scratch
	values [baccarat.SpotOther + 1]spotValue // of the round that is written
}

// spotValue is the expectation of a spot in a round, once it was computed.
type spotValue struct {
	ev    float64
	known bool
}

// Source is the record that brought an event.
type Source struct {
	Format    schema.Format
	Value     []byte
	SHA256    [32]byte
	Topic     string
	Partition int32
	Offset    int64
}

// Event archives an event as it was received.
func (t *Table) Event(ev *schema.Event, from *Source, into *rows.Events) {
	day, _ := t.Clock.Of(ev.At)
	into.PropertyID.Append(ev.PropertyID)
	into.PitID.Append(ev.PitID)
	into.TableID.Append(ev.TableID)
	into.Seq = append(into.Seq, ev.Seq)
	into.EventID.AppendString(ev.EventID)
	into.At = append(into.At, ev.At)
	into.GamingDay.Append(day)
	into.ShoeID.Append(ev.ShoeID)
	into.Round = append(into.Round, ev.Round)
	into.Kind.Append(ev.Payload.Kind().String())
	into.Format = append(into.Format, from.Format)
	into.Raw.Append(from.Value)
	into.SHA256.Append(from.SHA256[:])
	into.Topic.Append(from.Topic)
	into.Partition = append(into.Partition, from.Partition)
	into.Offset = append(into.Offset, from.Offset)
	into.Copy = append(into.Copy, from.Partition)
}

// Config writes a configuration that came into force.
func (t *Table) Config(in *play.Configuration, out *rows.Set) {
	c := in.Config
	mode := law.Kind{Mode: baccarat.VigorishMode(c.Vigorish.Mode), Name: c.Vigorish.ModeName}
	out.Configs = append(out.Configs, rows.Config{
		PropertyID: t.Play.Property, PitID: in.Pit, TableID: t.Play.ID, Seq: uint64(in.Seq), At: in.At,
		EffectiveAt: max(in.At, in.Effective), Opened: in.Opened, ConfigID: c.ConfigID,
		Ruleset: c.Ruleset, Game: c.Game.String(), Mode: mode.String(), Percent: c.Vigorish.Percent,
		Procedure: c.PaymentProcedure,
		Reshuffle: c.ReshuffleAfterLacing,
		Config:    string(schema.AppendConfigJSON(nil, c)), EventID: in.EventID,
	})
}

// Closed writes that the table closed.
func (t *Table) Closed(ev *schema.Event, out *rows.Set) {
	out.Configs = append(out.Configs, rows.Config{
		PropertyID: t.Play.Property, PitID: t.Play.Pit, TableID: t.Play.ID, Seq: ev.Seq, At: ev.At, EffectiveAt: ev.At,
		Closed: true,
	})
}

// Notice writes a notice that was filed or posted.
func (t *Table) Notice(ev *schema.Event, out *rows.Set) {
	notices := t.Play.History.Notices
	n := &notices[len(notices)-1]
	row := rows.Notice{
		PropertyID: t.Play.Property, PitID: ev.PitID, TableID: t.Play.ID, Seq: ev.Seq, At: ev.At, NoticeAt: n.At,
		EffectiveAt: n.Effective,
		Filed:       n.Filed, Written: n.Writ, Recipients: []string{},
	}
	switch p := ev.Payload.(type) {
	case *schema.NoticeFiled:
		row.Topic = p.Topic.String()
		for _, r := range p.Recipients {
			row.Recipients = append(row.Recipients, r.String())
		}
	case *schema.NoticePosted:
		row.Topic, row.Medium = p.Topic.String(), p.Medium.String()
	default: // no other event gives a notice
	}
	out.Notices = append(out.Notices, row)
}
