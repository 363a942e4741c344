package law

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// option is an interpretive choice: what a text leaves open, and the readings of it.
type option struct {
	key string
	// words are its values; with a limit it also takes a whole number up to that.
	words       []string
	limit       uint64
	probability bool
}

// optionTable has every option that the shipped rulebooks know. docs/rulebooks.md describes each.
var optionTable = []option{
	{key: "settlement_basis", words: []string{"as_dealt", "as_required"}},
	{key: "vig_rounding_stage", words: []string{"either", "per_wager", "at_collection"}},
	{key: "vig_aggregate", words: []string{"either", "per_wager", "per_seat_round"}},
	{key: "vig_fraction", words: []string{"up_only", "ceil_minor"}},
	{key: "vig_coupon_in_base", words: []string{"true", "false"}},
	{key: "tie25_coupon_in_base", words: []string{"either", "false", "true"}},
	{key: "tie25_fraction", words: []string{"info", "floor", "ceil"}},
	{key: "ny_tie25_exclusive", words: []string{"either", "true", "false"}},
	{key: "ez_dragon7_charge", words: []string{"either", "false", "pct25"}},
	{key: "dragon_bonus_hands", words: []string{"[player, banker]", "[player]"}},
	{key: "treasures_scope", words: []string{"either", "per-wager", "per-player"}},
	{key: "coverall_unrecognised", words: []string{"either", "lose", "win"}},
	{key: "supplemental_requires_main", words: []string{"false", "true"}},
	{key: "supplemental_exclusive", words: []string{"true", "false"}},
	{key: "cutcard_first_card", words: []string{"belongs_to_next", "belongs_to_previous"}},
	{key: "recut_after_burn", words: []string{"true", "false"}},
	{key: "recut_by", words: []string{"either", "last-cutter", "next-entitled"}},
	{key: "lace_tolerance", limit: 52},
	{key: "random_alpha", probability: true},
	{key: "irregular_burn_ten", words: []string{"10", "0"}},
	{key: "faceup_recursive", words: []string{"false", "true"}},
	{key: "player_extra_column", words: []string{"none", "value"}},
	{key: "ny_irregularities", words: []string{"nj-3.12", "off"}},
	{key: "mini_irregularities", words: []string{"nj-3.12", "off"}},
	{key: "mini_draw_rules", words: []string{"nj-3.9", "off"}},
	{key: "mini_result_calls", words: []string{"nj-7.10a", "off"}},
	{key: "mini_last_hand", words: []string{"off", "nj-3.8e"}},
	{key: "mini_payment_order", words: []string{"off", "nj-3.10b"}},
	{key: "curator_none", words: []string{"dealer-deals", "stop"}},
	{key: "curator_new_shoe", words: []string{"either", "seat-1", "keep"}},
	{key: "order_scope", words: []string{"dealer-zone", "table"}},
	{key: "order_ties", words: []string{"skip", "descending"}},
	{key: "notice_lead_minutes", limit: 1_000_000},
	{
		key: "cash_conversion_deadline", words: []string{"expeditiously", "before-settlement", "before-next-round"},
		limit: 86_400,
	},
	{key: "chemin_cash_deadline", words: []string{"before-first-card"}},
	{key: "chemin_prev_wager", words: []string{"placed", "covered"}},
	{key: "chemin_standoff_counts_for_range", words: []string{"true", "false"}},
	{key: "vig_uniform_scope_ny", words: []string{"together", "per game"}},
	{key: "reshuffle_pit_scope", words: []string{"same-game", "all-games"}},
	{key: "layout_attestation_days", limit: 36_500},
	{key: "inherit_13_69f", words: []string{"true", "false"}},
	{key: "inherit_pair", words: []string{"true", "false"}},
	{key: "posted_odds", words: []string{"binding", "off"}},
}

// takes returns an error for a value that the option does not allow.
func (o *option) takes(value string) error {
	if slices.Contains(o.words, value) {
		return nil
	}
	if o.probability {
		if n, err := strconv.ParseFloat(value, 64); err != nil || !(n > 0 && n < 1) {
			return fmt.Errorf("%q: want a probability", value)
		}
		return nil
	}
	if n, err := strconv.ParseUint(value, 10, 32); err == nil && n <= o.limit && o.limit > 0 {
		return nil
	}
	want := []string{}
	if len(o.words) > 0 {
		want = append(want, fmt.Sprintf("one of %q", o.words))
	}
	if o.limit > 0 {
		want = append(want, fmt.Sprintf("a whole number up to %d", o.limit))
	}
	return fmt.Errorf("%q: want %s", value, strings.Join(want, ", or "))
}

func optionNamed(key string) *option {
	for i := range optionTable {
		if optionTable[i].key == key {
			return &optionTable[i]
		}
	}
	return nil
}

func optionNames() []string {
	all := make([]string, len(optionTable))
	for i := range optionTable {
		all[i] = optionTable[i].key
	}
	return all
}

// IsOption reports whether a key is the name of an option.
func IsOption(key string) bool { return optionNamed(key) != nil }

// OptionTakes reports whether an option allows a value.
func OptionTakes(key, value string) bool {
	o := optionNamed(key)
	return o != nil && o.takes(value) == nil
}

// Elects reports whether the configuration of a table may choose a value of an option.
func (l *Law) Elects(key, value string) bool {
	o := optionNamed(key)
	return slices.Contains(l.HouseOptions, key) && o != nil && o.takes(value) == nil
}

// options finds unknown keys and values among a game's options. A book may have options beside these that
// its rules are assumed under; only off and false mean something there.
func (c *complaints) options(g gameFile) {
	own := map[string]bool{}
	for _, e := range g.Rules {
		own[e.Assumed] = true
	}
	for _, key := range slices.Sorted(maps.Keys(g.Options)) {
		switch o := optionNamed(key); {
		case o != nil:
			c.add("options/"+key, o.takes(g.Options[key]))
		case !own[key]:
			c.add("options/"+key, noSuch("option", key, optionNames()))
		}
	}
	for _, key := range g.HouseOptions {
		if optionNamed(key) == nil {
			c.add("house_options", fmt.Errorf("%q: %w", key, noSuch("option", key, optionNames())))
		}
	}
}
