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
