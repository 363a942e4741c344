-- What the console asks of years: by a key of its own, not by reading all that ever was.

-- What was decided last.
ALTER TABLE {{.Stored "finding_actions"}} ADD PROJECTION IF NOT EXISTS by_time (SELECT * ORDER BY at);
ALTER TABLE {{.Stored "finding_actions"}} MATERIALIZE PROJECTION by_time;

-- The rounds that a dealer dealt of a shoe, as a set of their numbers: what comes twice counts once.
CREATE TABLE IF NOT EXISTS {{.Stored "dealer_rounds"}} (
    property_id LowCardinality(String),
    dealer_id   LowCardinality(String),
    gaming_day  Date32,
    table_id    LowCardinality(String),
    shoe_id     String,
    rounds      AggregateFunction(groupBitmap, UInt32),
    last_at     SimpleAggregateFunction(max, DateTime64(9, 'UTC'))
)
ENGINE = {{.Aggregating}}
PARTITION BY toYYYYMM(gaming_day)
ORDER BY (property_id, dealer_id, gaming_day, table_id, shoe_id)
SETTINGS {{.Window}}
COMMENT 'the rounds of a shoe that a dealer dealt';

{{.Spread "dealer_rounds" "cityHash64(property_id, table_id)"}}

CREATE MATERIALIZED VIEW IF NOT EXISTS {{.Stored "rounds_to_dealers"}} TO {{.StoredName "dealer_rounds"}} AS
SELECT property_id, dealer_id, gaming_day, table_id, shoe_id, groupBitmapState(round) AS rounds, max(r.at) AS last_at
FROM {{.StoredName "rounds"}} AS r
WHERE dealer_id != ''
GROUP BY property_id, dealer_id, gaming_day, table_id, shoe_id;

INSERT INTO {{.Name "dealer_rounds"}}
SELECT property_id, dealer_id, gaming_day, table_id, shoe_id, groupBitmapState(round) AS rounds, max(r.at) AS last_at
FROM {{.Name "rounds"}} AS r
WHERE dealer_id != ''
GROUP BY property_id, dealer_id, gaming_day, table_id, shoe_id;

CREATE TABLE IF NOT EXISTS {{.Stored "dealer_findings"}} (
    property_id LowCardinality(String),
    dealer_id   LowCardinality(String),
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    id          String CODEC(ZSTD(1)),
    table_id    LowCardinality(String),
    verdict     LowCardinality(String),
    rule        LowCardinality(String),
    severity    LowCardinality(String),
    amount      Int64,
    currency    LowCardinality(String),
    version     UInt32
)
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, dealer_id, at, id)
SETTINGS {{.Window}}
COMMENT 'findings by whose hands they were made at';

{{.Spread "dealer_findings" "cityHash64(property_id, table_id)"}}

CREATE MATERIALIZED VIEW IF NOT EXISTS {{.Stored "findings_to_dealers"}} TO {{.StoredName "dealer_findings"}} AS
SELECT property_id, dealer_id, at, id, table_id, verdict, rule, severity, amount, currency, version
FROM {{.StoredName "findings"}}
WHERE dealer_id != '';

INSERT INTO {{.Name "dealer_findings"}}
SELECT property_id, dealer_id, at, id, table_id, verdict, rule, severity, amount, currency, version
FROM {{.Name "findings"}}
WHERE dealer_id != '';
