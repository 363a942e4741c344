package pipeline

import (
	"encoding/binary"
	"hash/crc32"
)

// crcOf continues the CRC of the records of a range.
func crcOf(crc uint32, table *crc32.Table, rec *Record) uint32 {
	var offset [8]byte
	binary.BigEndian.PutUint64(offset[:], uint64(rec.Offset))
	return crc32.Update(crc32.Update(crc, table, offset[:]), table, rec.Value)
}
