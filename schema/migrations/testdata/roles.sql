-- Roles of database shoeproof. Give them to users of yours, and each user a password of its own:
--   CREATE USER ingest IDENTIFIED WITH sha256_password BY '...' DEFAULT ROLE shoeproof_writer;
--   GRANT shoeproof_writer TO ingest;

-- ingest
CREATE ROLE IF NOT EXISTS shoeproof_writer;
GRANT
    INSERT ON shoeproof.events,
    INSERT ON shoeproof.rounds,
    INSERT ON shoeproof.wagers,
    INSERT ON shoeproof.vigorish,
    INSERT ON shoeproof.shoes,
    INSERT ON shoeproof.table_configs,
    INSERT ON shoeproof.notices,
    INSERT ON shoeproof.table_memory,
    INSERT ON shoeproof.evidence,
    INSERT ON shoeproof.findings,
    INSERT ON shoeproof.open_findings,
    INSERT ON shoeproof.journal,
    INSERT ON shoeproof.dead_letters,
    SELECT ON shoeproof.schema_migrations,
    SELECT ON shoeproof.journal,
    SELECT ON shoeproof.table_memory,
    SELECT ON shoeproof.findings,
    SELECT ON shoeproof.v_progress
TO shoeproof_writer WITH REPLACE OPTION;

-- dashboards, and who only looks: nothing that names patrons
CREATE ROLE IF NOT EXISTS shoeproof_reader;
GRANT
    SELECT ON shoeproof.schema_migrations,
    SELECT ON shoeproof.rounds,
    SELECT ON shoeproof.wagers,
    SELECT ON shoeproof.vigorish,
    SELECT ON shoeproof.shoes,
    SELECT ON shoeproof.table_configs,
    SELECT ON shoeproof.notices,
    SELECT ON shoeproof.evidence,
    SELECT ON shoeproof.findings,
    SELECT ON shoeproof.open_findings,
    SELECT ON shoeproof.finding_actions,
    SELECT ON shoeproof.journal,
    SELECT(topic, partition, offset, place, reason) ON shoeproof.dead_letters,
    SELECT ON shoeproof.audit_runs,
    SELECT ON shoeproof.exports,
    SELECT ON shoeproof.v_audit_runs,
    SELECT(topic, partition, offset, place, reason) ON shoeproof.v_dead_letters,
    SELECT ON shoeproof.v_evidence,
    SELECT ON shoeproof.v_exports,
    SELECT ON shoeproof.v_findings,
    SELECT ON shoeproof.v_findings_by_rule,
    SELECT ON shoeproof.v_findings_by_table,
    SELECT ON shoeproof.v_notices,
    SELECT ON shoeproof.v_open_findings,
    SELECT ON shoeproof.v_progress,
    SELECT ON shoeproof.v_rounds,
    SELECT ON shoeproof.v_shoes,
    SELECT ON shoeproof.v_table_configs,
    SELECT ON shoeproof.v_vigorish,
    SELECT ON shoeproof.v_wagers
TO shoeproof_reader WITH REPLACE OPTION;
CREATE SETTINGS PROFILE IF NOT EXISTS shoeproof_reader SETTINGS readonly = 2, max_execution_time = 60, max_memory_usage = 4000000000, max_result_rows = 10000000 TO shoeproof_reader;

-- the console: what a reader sees, and what people decide about findings
CREATE ROLE IF NOT EXISTS shoeproof_triage;
GRANT
    SELECT ON shoeproof.schema_migrations,
    SELECT ON shoeproof.rounds,
    SELECT ON shoeproof.wagers,
    SELECT ON shoeproof.vigorish,
    SELECT ON shoeproof.shoes,
    SELECT ON shoeproof.table_configs,
    SELECT ON shoeproof.notices,
    SELECT ON shoeproof.evidence,
    SELECT ON shoeproof.findings,
    SELECT ON shoeproof.open_findings,
    SELECT ON shoeproof.finding_actions,
    SELECT ON shoeproof.journal,
    SELECT(topic, partition, offset, place, reason) ON shoeproof.dead_letters,
    SELECT ON shoeproof.audit_runs,
    SELECT ON shoeproof.exports,
    SELECT ON shoeproof.v_audit_runs,
    SELECT(topic, partition, offset, place, reason) ON shoeproof.v_dead_letters,
    SELECT ON shoeproof.v_evidence,
    SELECT ON shoeproof.v_exports,
    SELECT ON shoeproof.v_findings,
    SELECT ON shoeproof.v_findings_by_rule,
    SELECT ON shoeproof.v_findings_by_table,
    SELECT ON shoeproof.v_notices,
    SELECT ON shoeproof.v_open_findings,
    SELECT ON shoeproof.v_progress,
    SELECT ON shoeproof.v_rounds,
    SELECT ON shoeproof.v_shoes,
    SELECT ON shoeproof.v_table_configs,
    SELECT ON shoeproof.v_vigorish,
    SELECT ON shoeproof.v_wagers,
    INSERT ON shoeproof.open_findings,
    INSERT ON shoeproof.finding_actions,
    INSERT ON shoeproof.exports
TO shoeproof_triage WITH REPLACE OPTION;

-- the nightly audit and exports: also the archive, which names patrons
CREATE ROLE IF NOT EXISTS shoeproof_auditor;
GRANT
    SELECT ON shoeproof.schema_migrations,
    SELECT ON shoeproof.events,
    SELECT ON shoeproof.rounds,
    SELECT ON shoeproof.wagers,
    SELECT ON shoeproof.vigorish,
    SELECT ON shoeproof.shoes,
    SELECT ON shoeproof.table_configs,
    SELECT ON shoeproof.notices,
    SELECT ON shoeproof.table_memory,
    SELECT ON shoeproof.evidence,
    SELECT ON shoeproof.findings,
    SELECT ON shoeproof.open_findings,
    SELECT ON shoeproof.finding_actions,
    SELECT ON shoeproof.journal,
    SELECT ON shoeproof.dead_letters,
    SELECT ON shoeproof.audit_runs,
    SELECT ON shoeproof.exports,
    SELECT ON shoeproof.v_audit_runs,
    SELECT ON shoeproof.v_dead_letters,
    SELECT ON shoeproof.v_events,
    SELECT ON shoeproof.v_evidence,
    SELECT ON shoeproof.v_exports,
    SELECT ON shoeproof.v_findings,
    SELECT ON shoeproof.v_findings_by_rule,
    SELECT ON shoeproof.v_findings_by_table,
    SELECT ON shoeproof.v_notices,
    SELECT ON shoeproof.v_open_findings,
    SELECT ON shoeproof.v_progress,
    SELECT ON shoeproof.v_rounds,
    SELECT ON shoeproof.v_shoes,
    SELECT ON shoeproof.v_table_configs,
    SELECT ON shoeproof.v_table_memory,
    SELECT ON shoeproof.v_vigorish,
    SELECT ON shoeproof.v_wagers,
    INSERT ON shoeproof.evidence,
    INSERT ON shoeproof.findings,
    INSERT ON shoeproof.open_findings,
    INSERT ON shoeproof.audit_runs,
    INSERT ON shoeproof.exports
TO shoeproof_auditor WITH REPLACE OPTION;

-- audit migrate
CREATE ROLE IF NOT EXISTS shoeproof_migrator;
GRANT
    SELECT, INSERT, ALTER TABLE, ALTER VIEW, CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP VIEW ON shoeproof.*,
    TABLE ENGINE ON MergeTree,
    TABLE ENGINE ON ReplacingMergeTree
TO shoeproof_migrator WITH REPLACE OPTION;
