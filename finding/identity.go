package finding

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Identity is what makes two findings the same one. It has no offset, no clock and no version of the program: a
// finding that is found twice is stored once.
type Identity struct {
	PropertyID, TableID, ShoeID string
	Round                       uint32
	Rule                        string
	// Version is the version of the rule's meaning; 0 is version 1.
	Version uint32
	Subject string
}

// Identity is the identity of a finding of a rule at this version.
func (f *Finding) Identity(version uint32) Identity {
	return Identity{f.PropertyID, f.TableID, f.ShoeID, f.Round, f.Rule, version, f.Subject}
}

// Identified is true if the id belongs to the content at some version of the rule up to this one. An anomaly about a
// period has the gaming day or the month in its identity, which its subject does not name.
func (f *Finding) Identified(version uint32) bool {
	for v := range max(version, 1) {
		about := f.Identity(v + 1)
		if about.ID() == f.ID {
			return true
		}
		if f.Kind != Anomaly || len(f.GamingDay) < len("2006-01") {
			continue
		}
		for _, subject := range []string{f.GamingDay + " " + f.Subject, f.GamingDay[:len("2006-01")]} {
			if about.Subject = subject; about.ID() == f.ID {
				return true
			}
		}
	}
	return false
}

// ID is the first 128 bits, in hex, of the SHA-256 over the fields in their order. Each field has its length in front,
// 8 bytes big-endian; numbers are 8 bytes.
func (i Identity) ID() string {
	h := sha256.New()
	writeText(h, i.PropertyID)
	writeText(h, i.TableID)
	writeText(h, i.ShoeID)
	writeNumber(h, uint64(i.Round))
	writeText(h, i.Rule)
	writeNumber(h, uint64(max(i.Version, 1)))
	writeText(h, i.Subject)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func writeText(h hash.Hash, s string) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(s)))
	h.Write(length[:])
	h.Write([]byte(s))
}

func writeNumber(h hash.Hash, v uint64) {
	var number [16]byte
	binary.BigEndian.PutUint64(number[:8], 8)
	binary.BigEndian.PutUint64(number[8:], v)
	h.Write(number[:])
}
