-- Findings also in the order of who dealt: the latest at one dealer's hands are next to each other, not in a hundred places. A merge that
-- drops an older version makes the second order anew.
ALTER TABLE {{.Stored "findings"}} MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild';
ALTER TABLE {{.Stored "findings"}} ADD PROJECTION IF NOT EXISTS by_dealer (SELECT * ORDER BY property_id, dealer_id, at);
ALTER TABLE {{.Stored "findings"}} MATERIALIZE PROJECTION by_dealer;

-- A table's findings are in the order of time, in each month: those of one shoe are in few places.
ALTER TABLE {{.Stored "findings"}} ADD INDEX IF NOT EXISTS by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1;
ALTER TABLE {{.Stored "findings"}} MATERIALIZE INDEX by_shoe;
