package clickhouse

import (
	"context"
	"fmt"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"
)

// Export is a bundle that was made.
type Export struct {
	Property, GamingDay string
	Origin              string // the log
	Number              int64  // of the log, 1, 2, ...
	At                  time.Time
	Actor               string
	Name                string // the bundle's, without a folder
	Files               int
	Bytes               int64
	SHA256              string // of manifest.json, in hex; it names all other files with theirs
	// LogSize are the leaves of the log with those of this export, LogRoot is the signed root in base64.
	LogSize              int64
	LogRoot              string
	Findings, Amendments int64
	Engine               string
}

// id is the key of an export's row; those of a log sort by number.
func (e *Export) id() string { return fmt.Sprintf("%s %06d", e.Origin, e.Number) }

// WriteExport stores the row of an export; of two of one export the last stays.
func (s *Store) WriteExport(ctx context.Context, e *Export) error {
	err := s.exec(ctx, "INSERT INTO "+s.name("exports")+` (property_id, gaming_day, export_id, at, actor, kind, name, files, bytes, sha256, engine, origin,
number, findings, amendments, log_size, log_root) VALUES ({property:String}, {day:Date32}, {id:String}, fromUnixTimestamp64Milli({at:Int64}, 'UTC'), {actor:String},
'bundle', {name:String}, {files:UInt32}, {bytes:UInt64}, {sha256:String}, {engine:String}, {origin:String}, {number:UInt64}, {findings:UInt64},
{amendments:UInt64}, {size:UInt64}, {root:String})`,
		ch.Named("property", e.Property), ch.Named("day", e.GamingDay), ch.Named("id", e.id()), ch.Named("at", fmt.Sprint(e.At.UnixMilli())),
		ch.Named("actor", e.Actor), ch.Named("name", e.Name), ch.Named("files", fmt.Sprint(e.Files)), ch.Named("bytes", fmt.Sprint(e.Bytes)),
		ch.Named("sha256", e.SHA256), ch.Named("engine", e.Engine), ch.Named("origin", e.Origin), ch.Named("number", fmt.Sprint(e.Number)),
		ch.Named("findings", fmt.Sprint(e.Findings)), ch.Named("amendments", fmt.Sprint(e.Amendments)),
		ch.Named("size", fmt.Sprint(e.LogSize)), ch.Named("root", e.LogRoot))
	return s.explain("write the row of an export", err)
}

// Exports are the bundles of a property, the newest first.
func (s *Store) Exports(ctx context.Context, property string) ([]Export, error) {
	const doing = "read the exports"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, `SELECT toString(gaming_day), origin, toInt64(number), at, actor, name, toInt64(files), toInt64(bytes), sha256,
toInt64(log_size), log_root, toInt64(findings), toInt64(amendments), engine FROM `+s.name("exports")+` FINAL
WHERE property_id = {property:String} AND kind = 'bundle' ORDER BY at DESC, export_id DESC`, ch.Named("property", property))
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	var all []Export
	for result.Next() {
		e := Export{Property: property}
		var files int64
		if err := result.Scan(&e.GamingDay, &e.Origin, &e.Number, &e.At, &e.Actor, &e.Name, &files, &e.Bytes, &e.SHA256, &e.LogSize, &e.LogRoot,
			&e.Findings, &e.Amendments, &e.Engine); err != nil {
			return nil, s.explain(doing, err)
		}
		e.Files = int(files)
		all = append(all, e)
	}
	return all, s.explain(doing, result.Err())
}
