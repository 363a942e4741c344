package pipeline

import (
	"encoding/binary"
	"hash/crc32"
)

// crcOf continues the CRC of the records of a range, as they are stored.
func crcOf(crc uint32, table *crc32.Table, offset int64, stored []byte) uint32 {
	var place [8]byte
	binary.BigEndian.PutUint64(place[:], uint64(offset))
	return crc32.Update(crc32.Update(crc, table, place[:]), table, stored)
}
