package rows

import "github.com/shoeproof/shoeproof/schema"

// Events are the archive: each event as received, also the events that conflict with another one.
type Events struct {
	PropertyID Words           `column:"property_id,word,key"`
	PitID      Words           `column:"pit_id,word"`
	TableID    Words           `column:"table_id,word,key"`
	Seq        []uint64        `column:"seq,key"`
	EventID    Text            `column:"event_id,key"`
	At         []int64         `column:"at,time"`
	GamingDay  Words           `column:"gaming_day,day"`
	ShoeID     Words           `column:"shoe_id"`
	Round      []uint32        `column:"round"`
	Kind       Words           `column:"kind,word"`
	Format     []schema.Format `column:"format"`
	Raw        Text            `column:"raw"`
	SHA256     Text            `column:"sha256,hash,key"` // 32 bytes each
	Topic      Words           `column:"topic,word,key,derived"`
	Partition  []int32         `column:"partition"`
	Offset     []int64         `column:"offset"`
	Copy       []int32         `column:"copy,key,derived"` // Partition: the same bytes may be in two
}
