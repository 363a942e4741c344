-- What the nightly run keeps, who may run at a time, and what must not be deleted.

{{range $t := .Everywhere "audit_runs"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS shift LowCardinality(String);
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS events UInt64;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS events_sha256 String;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS findings_sha256 String;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS live_sha256 String;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS missing UInt32;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS extra UInt32;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS changed UInt32;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS gaps UInt32;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS dead_letters UInt64;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS open_shoes UInt32;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS supersedes String;
{{end}}
-- v_audit_runs with the new columns.
CREATE VIEW IF NOT EXISTS {{.View "v_runs"}} AS
SELECT * FROM {{.Name "audit_runs"}} FINAL;

CREATE TABLE IF NOT EXISTS {{.Stored "run_lines"}} (
    property_id LowCardinality(String),
    gaming_day  Date32,
    part        LowCardinality(String) COMMENT 'shift, and i/n of the workers',
    generation  UInt64 COMMENT 'of the lease under which it was written',
    no          UInt32,
    kind        LowCardinality(String),
    line        String CODEC(ZSTD(3)),
    written_at  DateTime DEFAULT now()
)
ENGINE = {{.Merge}}
ORDER BY (property_id, gaming_day, part, generation, no)
TTL written_at + INTERVAL 30 DAY
SETTINGS {{.Window}}
COMMENT 'what one worker of a run found; the merged run is in audit_runs and findings';

{{.Spread "run_lines" "cityHash64(property_id, gaming_day, part)"}}

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

CREATE TABLE IF NOT EXISTS {{.Stored "legal_holds"}} (
    hold_id     String,
    at          DateTime64(3, 'UTC') DEFAULT now64(3),
    action      LowCardinality(String) COMMENT 'place or release',
    property_id LowCardinality(String),
    from_day    Date32,
    until_day   Date32 COMMENT 'inclusive',
    actor       LowCardinality(String),
    reason      String
)
ENGINE = {{.Merge}}
ORDER BY (hold_id, at)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'what must not be deleted, whatever its age; append-only';

{{.Spread "legal_holds" "cityHash64(hold_id)"}}
