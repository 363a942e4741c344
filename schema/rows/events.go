package rows

import "github.com/shoeproof/shoeproof/schema"

// Events are the archive: each event as received, also the events that conflict with another one.
type Events struct {
	PropertyID []string        `column:"property_id,word,key"`
	PitID      []string        `column:"pit_id,word"`
	TableID    []string        `column:"table_id,word,key"`
	Seq        []uint64        `column:"seq,key"`
	EventID    Text            `column:"event_id,key"`
	At         []int64         `column:"at,time"`
	GamingDay  []string        `column:"gaming_day,day"`
	ShoeID     []string        `column:"shoe_id"`
	Round      []uint32        `column:"round"`
	Kind       []string        `column:"kind,word"`
	Format     []schema.Format `column:"format"`
	Raw        Text            `column:"raw"`
	SHA256     Text            `column:"sha256,hash,key"` // 32 bytes each
	Topic      []string        `column:"topic,word,key,optional"`
	Partition  []int32         `column:"partition"`
	Offset     []int64         `column:"offset"`
}
