package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Evidence is a detector's factor for one round and one key.
type Evidence struct {
	Detector   string  `column:"detector,word,key"`
	Key        string  `column:"key,key"`
	At         int64   `column:"at,time,key"`
	PropertyID string  `column:"property_id,word,key"`
	TableID    string  `column:"table_id,word,key"`
	ShoeID     string  `column:"shoe_id,key"`
	Round      uint32  `column:"round,key"`
	Seq        uint64  `column:"seq"`
	GamingDay  string  `column:"gaming_day,day"`
	LnE        float64 `column:"ln_e"`
	Start      float64 `column:"start"`
	Engine     string  `column:"engine,word"`
}

// Forgotten ends the reason of a dead letter that is an event: its number had passed so long ago that it could not be
// compared with what was received under it. "table TABLE has passed event SEQ" is before it.
const Forgotten = ": it is too old to be compared with what was received under this number"

// DeadLetter is a record that could not be decoded, or not be compared.
type DeadLetter struct {
	Topic     string `column:"topic,word,key"`
	Partition int32  `column:"partition,key"`
	Offset    int64  `column:"offset,key"`
	Where     string `column:"place"`
	Reason    string `column:"reason"`
	Raw       []byte `column:"raw"`
}

// Journal is one flushed range of a partition. Offsets are inclusive.
type Journal struct {
	Topic        string `column:"topic,word,key"`
	Partition    int32  `column:"partition,key"`
	From         int64  `column:"from_offset"`
	To           int64  `column:"to_offset,key"`
	Low          int64  `column:"low_offset"` // where a restart reads from
	Clock        int64  `column:"clock"`      // latest event time of the partition before Low, ns UTC
	Generation   int32  `column:"generation"`
	Epoch        uint32 `column:"epoch"`    // how often the log was truncated before
	Cut          int64  `column:"cut_from"` // first and last offset that the log lost, of the first range since; else 0
	Lost         int64  `column:"cut_to"`
	RulesVersion string `column:"rules_version,word"`
	Engine       string `column:"engine,word"`
	Records      uint64 `column:"records"`
	CRC          uint32 `column:"crc"` // CRC-32C over offsets and values of the records
	Rows         uint64 `column:"rows"`
	Hash         string `column:"hash"`
	Released     string `column:"released"` // tables whose holes were given up after the range, JSON
	// Archived is how many of the records are in the archive or the dead letters; the others repeat records. ArchivedSum
	// is their ArchiveDigest, DerivedSum their DerivedDigest.
	Archived    uint64    `column:"archived"`
	ArchivedSum string    `column:"archived_sha256"`
	DerivedSum  string    `column:"derived_sha256"`
	WrittenAt   time.Time `column:"written_at,milli"`
	// MAC is the HMAC of Sum with the key of the id Key; both are empty without journal.key.
	Key string `column:"mac_key,word"`
	MAC string `column:"mac"`
}

// Sum is what the HMAC of the row is of: the SHA-256, in hex, of all columns of the table but the HMAC. It is no hash
// of a link.
func (j *Journal) Sum(t *Table) string {
	row := *j
	row.Key, row.MAC = "", ""
	text, view := []byte("shoeproof-range/1\n"), ViewOf([]Journal{row})
	sum := sha256.Sum256(AppendPlain(text, t.Columns, view, 0))
	return "range " + hex.EncodeToString(sum[:])
}
