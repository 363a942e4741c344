-- A finding whose time or urgency changed has a row of the queue for each, and triage changes one of them: a finding that was closed was still
-- open by the other row. The newest row of a finding counts.
{{range $view := .List "v_open_findings" "v_queue"}}
DROP VIEW IF EXISTS {{$.View $view}};
CREATE VIEW IF NOT EXISTS {{$.View $view}} AS
SELECT * FROM {{$.Name "open_findings"}} FINAL
WHERE (property_id, id, version) GLOBAL IN (
    SELECT property_id, id, max(version) FROM {{$.Name "open_findings"}}
    WHERE (property_id, id) GLOBAL IN (SELECT property_id, id FROM {{$.Name "open_findings"}} FINAL)
    GROUP BY property_id, id
)
ORDER BY empty(basis), arrived_at LIMIT 1 BY property_id, id;

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
