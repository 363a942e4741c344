-- What has been applied. Runs before every migration and is not recorded itself.
CREATE TABLE IF NOT EXISTS {{.Stored "schema_migrations"}} (
    version    UInt32,
    name       String,
    sha256     String,
    applied_by String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{.Replacing}}
ORDER BY version
SETTINGS {{.Window}}
COMMENT 'the migrations that made this schema';

{{.Spread "schema_migrations" "version"}}

-- One process applies migrations at a time. As in migration 6.
CREATE TABLE IF NOT EXISTS {{.Stored "leases"}} (
    name       String,
    generation UInt64,
    holder     String,
    state      LowCardinality(String),
    at         DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{.Merge}}
ORDER BY (name, generation, at)
TTL toDateTime(at) + INTERVAL 400 DAY
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'who does something that one may do at a time; the first insert of a generation wins by its token';

{{.Spread "leases" "cityHash64(name)"}}
