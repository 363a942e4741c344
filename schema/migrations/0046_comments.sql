-- Some comments were wrong: an import of files has a topic, files:NAME; a rulebook may name a kind of vigorish; a dead letter may be an event that is
-- too old to be compared.
{{range $t := .Everywhere "dead_letters"}}ALTER TABLE {{$t}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files',
    COMMENT COLUMN reason 'why the record could not be decoded or compared';
{{end}}
{{range $t := .Everywhere "events"}}ALTER TABLE {{$t}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';
{{end}}
{{range $t := .Everywhere "journal"}}ALTER TABLE {{$t}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';
{{end}}
{{range $t := .Everywhere "table_configs"}}ALTER TABLE {{$t}} COMMENT COLUMN mode 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6, NONE, or the word of the rulebook';
{{end}}
{{range $t := .Everywhere "table_memory"}}ALTER TABLE {{$t}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';
{{end}}
ALTER TABLE {{.View "v_dead_letters"}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files',
    COMMENT COLUMN reason 'why the record could not be decoded or compared',
    MODIFY COMMENT 'records that could not be decoded or compared';

ALTER TABLE {{.View "v_events"}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE {{.View "v_progress"}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE {{.View "v_table_configs"}} COMMENT COLUMN mode 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6, NONE, or the word of the rulebook';

ALTER TABLE {{.View "v_table_memory"}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE {{.View "v_waiting"}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

{{range $t := .Everywhere "waiting"}}ALTER TABLE {{$t}} COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';
{{end}}
