package clickhouse

import (
	"context"
	"fmt"
	"time"
)

// Export is the row of a bundle.
type Export struct {
	Property  string `column:"property_id,word,key"`
	GamingDay string `column:"gaming_day,day,key"`
	// ID is the origin and the number, so that the exports of a log are in order. WriteExport sets it and Kind.
	ID     string    `column:"export_id,key"`
	Kind   string    `column:"kind,word"`
	Origin string    `column:"origin,word"` // the log
	Number uint64    `column:"number"`      // of the log, 1, 2, ...
	At     time.Time `column:"at,milli"`
	Actor  string    `column:"actor,word"`
	Name   string    `column:"name"` // of the bundle, without a folder
	Files  uint32    `column:"files"`
	Bytes  uint64    `column:"bytes"`
	SHA256 string    `column:"sha256"` // of manifest.json, in hex; the manifest has the hashes of the other files
	// LogSize is the number of leaves of the log, this export included. LogRoot is the signed root in base64.
	LogSize    uint64 `column:"log_size"`
	LogRoot    string `column:"log_root"`
	Findings   uint64 `column:"findings"`
	Amendments uint64 `column:"amendments"`
	Engine     string `column:"engine,word"`
}

// bundleKind is the kind of all exports.
const bundleKind = "bundle"

// WriteExport stores the row of an export. A later row of the same export replaces it.
func (s *Store) WriteExport(ctx context.Context, e *Export) error {
	row := *e
	row.ID, row.Kind = fmt.Sprintf("%s %06d", e.Origin, e.Number), bundleKind
	token := fmt.Sprintf("export:%s:%d", row.ID, e.At.UnixMilli())
	return s.explain("write the row of an export", put(ctx, s, "exports", token, row))
}

// Exports returns the bundles of a property, the newest first.
func (s *Store) Exports(ctx context.Context, property string) ([]Export, error) {
	all, err := selected[Export](ctx, s, "exports", `property_id = {property:String} AND kind = {kind:String}
ORDER BY at DESC, export_id DESC`, params("property", property, "kind", bundleKind))
	return all, s.explain("read the exports", err)
}
