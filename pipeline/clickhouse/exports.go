package clickhouse

import (
	"context"
	"fmt"
	"time"
)

// Export is the row of a bundle.
type Export struct {
	Property, GamingDay string
	Origin              string // the log
	Number              int64  // of the log, 1, 2, ...
	At                  time.Time
	Actor               string
	Name                string // of the bundle, without a folder
	Files               int
	Bytes               int64
	SHA256              string // of manifest.json, in hex; the manifest has the hashes of the other files
	// LogSize is the number of leaves of the log, this export included. LogRoot is the signed root in base64.
	LogSize              int64
	LogRoot              string
	Findings, Amendments int64
	Engine               string
}

// id is the key of the row of an export. Within a log it sorts by number.
func (e *Export) id() string { return fmt.Sprintf("%s %06d", e.Origin, e.Number) }

// WriteExport stores the row of an export. A later row of the same export replaces it.
func (s *Store) WriteExport(ctx context.Context, e *Export) error {
	err := s.exec(ctx, "INSERT INTO "+s.name("exports")+` (property_id, gaming_day, export_id, at, actor, kind, name,
files, bytes, sha256, engine, origin,
number, findings, amendments, log_size, log_root) VALUES ({property:String}, {day:Date32}, {id:String},
fromUnixTimestamp64Milli({at:Int64}, 'UTC'), {actor:String},
'bundle', {name:String}, {files:UInt32}, {bytes:UInt64}, {sha256:String}, {engine:String}, {origin:String},
{number:UInt64}, {findings:UInt64},
{amendments:UInt64}, {size:UInt64}, {root:String})`,
		params("property", e.Property, "day", e.GamingDay, "id", e.id(), "at", e.At.UnixMilli(), "actor", e.Actor, "name",
			e.Name, "files", e.Files, "bytes", e.Bytes, "sha256", e.SHA256, "engine", e.Engine, "origin", e.Origin, "number",
			e.Number, "findings", e.Findings, "amendments", e.Amendments, "size", e.LogSize, "root", e.LogRoot)...)
	return s.explain("write the row of an export", err)
}

// Exports returns the bundles of a property, the newest first.
func (s *Store) Exports(ctx context.Context, property string) ([]Export, error) {
	const doing = "read the exports"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, `SELECT toString(gaming_day), origin, toInt64(number), at, actor, name,
toInt64(files), toInt64(bytes), sha256,
toInt64(log_size), log_root, toInt64(findings), toInt64(amendments), engine FROM `+s.name("exports")+` FINAL
WHERE property_id = {property:String} AND kind = 'bundle' ORDER BY at DESC, export_id DESC`,
		params("property", property)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	var all []Export
	for result.Next() {
		e := Export{Property: property}
		var files int64
		if err := result.Scan(&e.GamingDay, &e.Origin, &e.Number, &e.At, &e.Actor, &e.Name, &files, &e.Bytes, &e.SHA256,
			&e.LogSize, &e.LogRoot,
			&e.Findings, &e.Amendments, &e.Engine); err != nil {
			return nil, s.explain(doing, err)
		}
		e.Files = int(files)
		all = append(all, e)
	}
	return all, s.explain(doing, result.Err())
}
