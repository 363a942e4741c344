-- A move to another spot counts as a raise does: the chances of the wager change with it.
{{range $t := .Everywhere "wagers"}}ALTER TABLE {{$t}} COMMENT COLUMN placed_at 'time at which the wager was placed, last raised or last moved, UTC',
    COMMENT COLUMN late 'the wager was placed, raised or moved after the first card';
{{end}}
ALTER TABLE {{.View "v_wagers"}} COMMENT COLUMN placed_at 'time at which the wager was placed, last raised or last moved, UTC',
    COMMENT COLUMN late 'the wager was placed, raised or moved after the first card';
ALTER TABLE {{.View "v_wagers_flat"}} COMMENT COLUMN late 'the wager was placed, raised or moved after the first card';
