-- Where several rows were equal by what chose among them, a view showed one or the other of them, from query to query. Each view now has a whole order.
-- A note took the disposition of a closed finding from v_triage, and amounts of several currencies were one sum in v_dealer_findings.
DROP VIEW IF EXISTS {{.View "v_triage"}};
CREATE VIEW IF NOT EXISTS {{.View "v_triage"}} AS
WITH (a.at, a.action != 'note', a.chain, a.link) AS step
SELECT a.finding_id AS finding_id, a.property_id AS property_id, min(a.at) AS first_step_at, argMin(a.actor, step) AS first_actor,
    argMax(a.to_state, step) AS state, argMaxIf(a.disposition, step, a.action != 'note') AS disposition, max(a.at) AS last_step_at,
    count() AS steps
FROM {{.Name "finding_actions"}} AS a
GROUP BY a.property_id, a.finding_id;

DROP VIEW IF EXISTS {{.View "v_dealer_findings"}};
CREATE VIEW IF NOT EXISTS {{.View "v_dealer_findings"}} AS
SELECT property_id, dealer_id, gaming_day, rule, severity, verdict, count() AS findings, sum(amount) AS amount, currency
FROM {{.Name "findings"}} FINAL
WHERE dealer_id != '' AND id GLOBAL NOT IN (SELECT finding_id FROM {{.Name "v_withdrawn"}})
GROUP BY property_id, dealer_id, gaming_day, rule, severity, verdict, currency;

DROP VIEW IF EXISTS {{.View "v_withdrawn"}};
CREATE VIEW IF NOT EXISTS {{.View "v_withdrawn"}} AS
SELECT w.property_id AS property_id, w.finding_id AS finding_id, argMax(w.gaming_day, w.at) AS gaming_day, argMax(w.shift, w.at) AS shift,
    argMax(w.rule, w.at) AS rule, max(w.at) AS withdrawn_at, argMax(w.reason, w.at) AS reason, argMax(w.run_id, w.at) AS run_id
FROM {{.Name "withdrawals"}} AS w
GROUP BY w.property_id, w.finding_id
HAVING argMax(w.action, w.at) = 'withdraw';

DROP VIEW IF EXISTS {{.View "v_configs"}};
CREATE VIEW IF NOT EXISTS {{.View "v_configs"}} AS
SELECT x.property_id AS property_id, x.table_id AS table_id, x.config_id AS config_id, x.game AS game, x.currency AS currency,
    multiIf(x.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'), 1,
        x.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'), 1000, 100) AS minor_units
FROM (
    SELECT property_id, table_id, config_id, argMax(game, (seq, at)) AS game,
        argMax(JSONExtractString(config, 'currency'), (seq, at)) AS currency
    FROM {{.Name "v_table_configs"}} WHERE NOT closed
    GROUP BY property_id, table_id, config_id
) AS x;

ALTER TABLE {{.Stored "events_to_feeds"}} MODIFY QUERY
WITH bitShiftLeft(toInt128(toUnixTimestamp64Nano(e.at)), 64) + toInt128(e.seq) AS latest,
    (toFloat64(toUnixTimestamp64Nano(e.at)) - toFloat64(toUnixTimestamp64Nano(now64(9)))) / 60e9 AS minutes
SELECT e.property_id AS property_id, argMax(e.pit_id, latest) AS pit_id, e.table_id AS table_id, max(e.at) AS at,
    argMax(e.seq, latest) AS seq, argMax(e.shoe_id, latest) AS shoe_id, argMax(e.round, latest) AS round,
    argMax(e.kind, latest) AS kind, now64(3) AS received_at,
    toInt8(if(minutes <= -1, -1, 1) * (1 + floor(log2(1 + abs(minutes))))) AS clock
FROM {{.StoredName "events"}} AS e
GROUP BY e.property_id, e.table_id, clock;

DROP VIEW IF EXISTS {{.View "v_feeds"}};
CREATE VIEW IF NOT EXISTS {{.View "v_feeds"}} AS
SELECT * FROM {{.Name "feeds"}} FINAL
ORDER BY received_at DESC, seq DESC, clock LIMIT 1 BY property_id, table_id;
{{range $view := .List "v_open_findings" "v_queue"}}
DROP VIEW IF EXISTS {{$.View $view}};
CREATE VIEW IF NOT EXISTS {{$.View $view}} AS
SELECT * FROM {{$.Name "open_findings"}} FINAL
WHERE (property_id, id, version) GLOBAL IN (
    SELECT property_id, id, max(version) FROM {{$.Name "open_findings"}}
    WHERE (property_id, id) GLOBAL IN (SELECT property_id, id FROM {{$.Name "open_findings"}} FINAL)
    GROUP BY property_id, id
)
ORDER BY empty(basis), arrived_at, urgency, at LIMIT 1 BY property_id, id;

ALTER TABLE {{$.View $view}} COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN urgency '1 critical, 2 major, 3 minor, 4 info, 5 other',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    MODIFY COMMENT 'the queue of triage';
{{end}}
ALTER TABLE {{.View "v_configs"}} COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN minor_units 'minor units of a unit of the currency: 100 of most',
    MODIFY COMMENT 'game and currency of each configuration';

ALTER TABLE {{.View "v_dealer_findings"}} COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    MODIFY COMMENT 'findings by dealer, gaming day and rule';

ALTER TABLE {{.View "v_feeds"}} COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN received_at 'when ingest received the last event, UTC',
    COMMENT COLUMN clock 'how much the event was ahead of its receipt: 1 within a minute, one more for twice as long, negative if behind, 0 unknown',
    MODIFY COMMENT 'last event of each table that was received';

ALTER TABLE {{.View "v_triage"}} COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN first_step_at 'time of the first action, UTC',
    COMMENT COLUMN first_actor 'user of the first action',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN disposition 'result of the triage',
    COMMENT COLUMN last_step_at 'time of the last action, UTC',
    COMMENT COLUMN steps 'number of actions',
    MODIFY COMMENT 'state of triage of each finding';

ALTER TABLE {{.View "v_withdrawn"}} COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN withdrawn_at 'when the run withdrew it, UTC',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN run_id 'the nightly run',
    MODIFY COMMENT 'findings that a later run withdrew, and why';
