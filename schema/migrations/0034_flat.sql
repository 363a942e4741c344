-- What analysts read: each row with its game and currency, and amounts as decimals of that currency.

-- The game and the currency of each configuration. A unit is a number of minor units: docs/analysts.md.
CREATE VIEW IF NOT EXISTS {{.View "v_configs"}} AS
SELECT x.property_id AS property_id, x.table_id AS table_id, x.config_id AS config_id, x.game AS game, x.currency AS currency,
    multiIf(x.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'), 1,
        x.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'), 1000, 100) AS minor_units
FROM (
    SELECT property_id, table_id, config_id, argMax(game, seq) AS game,
        argMax(JSONExtractString(config, 'currency'), seq) AS currency
    FROM {{.Name "v_table_configs"}} WHERE NOT closed
    GROUP BY property_id, table_id, config_id
) AS x;

CREATE VIEW IF NOT EXISTS {{.View "v_rounds_flat"}} AS
SELECT r.property_id AS property_id, r.pit_id AS pit_id, r.table_id AS table_id, r.shoe_id AS shoe_id, r.round AS round, r.at AS at,
    r.gaming_day AS gaming_day, r.shift AS shift, r.dealer_id AS dealer_id, c.game AS game, r.ruleset AS ruleset,
    r.config_id AS config_id, r.result AS result, r.player_count AS player_count, r.banker_count AS banker_count, r.cards AS cards,
    r.auditable AS auditable, r.wagers AS wagers, c.currency AS currency, greatest(c.minor_units, 1) AS minor_units,
    toDecimal128(r.staked, 3) / minor_units AS staked,
    toDecimal128(r.paid, 3) / minor_units AS paid,
    toDecimal128(r.expected_pay, 3) / minor_units AS expected_pay,
    toDecimal128(r.collected, 3) / minor_units AS collected,
    toDecimal128(r.returned, 3) / minor_units AS returned,
    toDecimal128(r.vigorish, 3) / minor_units AS vigorish,
    toDecimal128(r.collected + r.vigorish - r.paid, 3) / minor_units AS win
FROM {{.Name "v_rounds"}} AS r
LEFT JOIN {{.Name "v_configs"}} AS c ON c.property_id = r.property_id AND c.table_id = r.table_id AND c.config_id = r.config_id;

CREATE VIEW IF NOT EXISTS {{.View "v_wagers_flat"}} AS
SELECT w.property_id AS property_id, r.pit_id AS pit_id, w.table_id AS table_id, w.shoe_id AS shoe_id, w.round AS round, w.at AS at,
    w.gaming_day AS gaming_day, r.shift AS shift, r.dealer_id AS dealer_id, r.game AS game, r.ruleset AS ruleset, r.result AS result,
    w.wager_id AS wager_id, w.seat AS seat, w.spot AS spot, w.medium AS medium, w.patron AS patron, w.late AS late, w.ev AS ev,
    w.disposition AS disposition, w.expected AS expected, r.currency AS currency, greatest(r.minor_units, 1) AS minor_units,
    toDecimal128(w.stake, 3) / minor_units AS stake,
    toDecimal128(w.coupon, 3) / minor_units AS coupon,
    toDecimal128(w.paid, 3) / minor_units AS paid,
    toDecimal128(w.expected_paid, 3) / minor_units AS expected_paid,
    toDecimal128(w.collected, 3) / minor_units AS collected,
    toDecimal128(w.returned, 3) / minor_units AS returned
FROM {{.Name "v_wagers"}} AS w
LEFT JOIN {{.Name "v_rounds_flat"}} AS r ON r.property_id = w.property_id AND r.table_id = w.table_id AND r.shoe_id = w.shoe_id AND
    r.round = w.round;

CREATE VIEW IF NOT EXISTS {{.View "v_vigorish_flat"}} AS
SELECT v.property_id AS property_id, r.pit_id AS pit_id, v.table_id AS table_id, v.shoe_id AS shoe_id, v.round AS round, v.at AS at,
    v.gaming_day AS gaming_day, r.shift AS shift, r.dealer_id AS dealer_id, r.game AS game, r.ruleset AS ruleset,
    v.wager_id AS wager_id, v.seat AS seat, v.kind AS kind, r.currency AS currency, greatest(r.minor_units, 1) AS minor_units,
    toDecimal128(v.won, 3) / minor_units AS won,
    toDecimal128(v.least, 3) / minor_units AS least,
    toDecimal128(v.most, 3) / minor_units AS most,
    toDecimal128(v.marked, 3) / minor_units AS marked,
    toDecimal128(v.collected, 3) / minor_units AS collected
FROM {{.Name "v_vigorish"}} AS v
LEFT JOIN {{.Name "v_rounds_flat"}} AS r ON r.property_id = v.property_id AND r.table_id = v.table_id AND r.shoe_id = v.shoe_id AND
    r.round = v.round;

CREATE VIEW IF NOT EXISTS {{.View "v_findings_flat"}} AS
SELECT f.id AS id, f.kind AS kind, f.verdict AS verdict, f.basis AS basis, f.rule AS rule, f.severity AS severity,
    arrayStringConcat(f.citations, '; ') AS citations, f.property_id AS property_id, f.pit_id AS pit_id, f.table_id AS table_id,
    f.shoe_id AS shoe_id, f.round AS round, f.seat AS seat, f.at AS at, f.gaming_day AS gaming_day, f.shift AS shift,
    f.dealer_id AS dealer_id, s.game AS game, f.expected AS expected, f.observed AS observed, f.currency AS currency,
    toDecimal128(f.amount, 3) / multiIf(f.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX',
        'VND', 'VUV', 'XAF', 'XOF', 'XPF'), 1, f.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'), 1000, 100) AS amount
FROM {{.Name "v_findings"}} AS f
LEFT JOIN {{.Name "v_shoes"}} AS s ON s.property_id = f.property_id AND s.table_id = f.table_id AND s.shoe_id = f.shoe_id;
