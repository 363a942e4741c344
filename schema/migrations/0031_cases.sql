-- Cases of the console: findings, subjects, notes and attachments, step by step. The console log has the hash of each.
CREATE TABLE IF NOT EXISTS {{.Stored "case_steps"}} (
    property_id LowCardinality(String),
    case_id     String,
    at          DateTime64(6, 'UTC'),
    actor       LowCardinality(String),
    role        LowCardinality(String),
    issuer      LowCardinality(String) COMMENT 'who vouches for the subject, as in console_log',
    subject     String,
    action      LowCardinality(String) COMMENT 'open, add, remove, about, note, attach, assign or state',
    finding_id  String COMMENT 'of add and remove',
    kind        LowCardinality(String) COMMENT 'of a subject, or the new state',
    name        String COMMENT 'of a subject, an owner or a file',
    text        String COMMENT 'title, note or reason' CODEC(ZSTD(1)),
    content     String COMMENT 'of a file; may identify people' CODEC(ZSTD(1)),
    sha256      String COMMENT 'of the content, in hex; empty without a file',
    hash        String COMMENT 'SHA-256 of all other columns, with sha256 in place of the content'
)
ENGINE = {{.Merge}}
ORDER BY (property_id, case_id, at)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'what people gathered about findings; append-only';

{{.Spread "case_steps" "cityHash64(property_id)"}}
