package exporter

import (
	"context"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/export/archive"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Database returns the reader of the current state of the database for export.VerifyOptions.
func Database(
	store *clickhouse.Store, law *engine.Options, topic string,
) func(context.Context, *export.Manifest) (*export.Database, error) {
	return func(ctx context.Context, m *export.Manifest) (*export.Database, error) {
		day := &export.Day{
			Mask:    func(ref string) string { return law.Mask(ref, m.GamingDay) },
			MaskKey: law.PatronKeyID(m.GamingDay),
			Plain:   law.Plain(),
		}
		reader := archive.Reader{
			Store: store, Property: m.Property, GamingDay: m.GamingDay, Calendar: law.Calendar,
			Topic: topic,
		}
		if err := reader.Fill(ctx, day); err != nil {
			return nil, err
		}
		all, err := store.Exports(ctx, m.Property)
		if err != nil {
			return nil, err
		}
		db := &export.Database{Day: day}
		db.Records = compareRecords(store, m, func(more []string) { db.Trusted = append(db.Trusted, more...) })
		for _, e := range all {
			if e.Origin == m.Origin && int64(e.Number) == m.Export {
				db.Listed = &export.Receipt{
					Origin: e.Origin, Export: int64(e.Number), Manifest: e.SHA256, Size: int64(e.LogSize), Root: e.LogRoot,
				}
			}
		}
		return db, nil
	}
}
