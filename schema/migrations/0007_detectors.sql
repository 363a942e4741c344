-- What detectors weigh and what they say. Times of 1970 are unknown.
{{range $t := .Everywhere "rounds"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS decks UInt32;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS unseen String COMMENT 'cards not seen before the first one: a byte for each of 52, clubs first, aces first' CODEC(ZSTD(1));
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS chance_player Float64 COMMENT 'exact chance before the first card; 0 in all three is unknown';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS chance_banker Float64;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS chance_tie Float64;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS locked_at DateTime64(9, 'UTC') COMMENT 'no more bets' CODEC(Delta, ZSTD(1));
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS card_at DateTime64(9, 'UTC') COMMENT 'first card' CODEC(Delta, ZSTD(1));
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS end_at DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1));
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS batch_id LowCardinality(String);
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS shuffler LowCardinality(String);
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS reader LowCardinality(String);
{{end}}
{{range $t := .Everywhere "wagers"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS placed_at DateTime64(9, 'UTC') COMMENT 'placed or last raised' CODEC(Delta, ZSTD(1));
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS late Bool COMMENT 'after the first card';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS ev Float64 COMMENT 'exact expectation of the patron per unit, before the first card';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS lock_stake Int64 DEFAULT -1 COMMENT 'as a device read it when bets were closed, -1 if it did not';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS settle_stake Int64 DEFAULT -1 COMMENT 'as a device read it at settlement';
{{end}}
{{range $t := .Everywhere "findings"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS ln_e Float64 COMMENT 'evidence of an anomaly, natural logarithm';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS threshold Float64 COMMENT 'what it had to reach';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS odds String COMMENT 'what that means in words' CODEC(ZSTD(1));
{{end}}
