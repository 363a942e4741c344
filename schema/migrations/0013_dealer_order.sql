-- Findings also in the order of who dealt: the latest at one dealer's hands are next to each other, not in a hundred places. A merge that
-- drops an older version makes the second order anew.
ALTER TABLE {{.Stored "findings"}} MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild';
ALTER TABLE {{.Stored "findings"}} ADD PROJECTION IF NOT EXISTS by_dealer (SELECT * ORDER BY property_id, dealer_id, at);
ALTER TABLE {{.Stored "findings"}} MATERIALIZE PROJECTION by_dealer;
