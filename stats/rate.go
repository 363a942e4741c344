// Package stats has the statistics of rates that pages, reports and the API share. It imports numeric alone of
// this module, so that one dealer has one rate and one interval wherever the two are shown.
package stats

import "math"

// MinRounds is the number of rounds that a dealer must have dealt before a rate is shown.
//
// At 500 rounds without an error, the interval still reaches 7.6 in 1000; at 300 it reaches 12.6. Error rates are a few
// in 1000, so a smaller sample cannot separate one dealer from another. 500 is also the stricter of the two thresholds
// that were in use (the dealer report had 500, the console 300): no rate appears on a screen that a report would omit.
const MinRounds = 500

// z is the 97.5 % quantile of the standard normal distribution: a two-sided interval of 95 %.
const z = 1.959963984540054

// Wilson returns the 95 % score interval of a rate of k in n (Wilson 1927). Without observations the interval is
// 0 to 1. k above n counts as n.
func Wilson(k, n uint64) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	m := float64(n)
	p := float64(min(k, n)) / m
	middle, half, scale := p+z*z/(2*m), float64(z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))), 1+z*z/m
	return max(0, (middle-half)/scale), min(1, (middle+half)/scale)
}
