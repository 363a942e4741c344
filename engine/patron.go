package engine

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// PatronKey is a successor of Options.PatronKey. It masks the masks of the key before it, in what is written about
// gaming days from From. So the engine compares patrons by one mask, whatever the day, and no rule sees two patrons in
// one at the change.
type PatronKey struct {
	From   string // gaming day, YYYY-MM-DD
	Secret []byte
}

// Mask is the pseudonym of a patron reference in rows and exports of a gaming day.
func (o *Options) Mask(ref, day string) string { return o.rekey(Pseudonym(o.PatronKey, ref), day) }

// Plain returns a function that reduces the free text of an event as the engine does.
func (o *Options) Plain() func(*schema.Event) {
	spots := o.Books.Words()
	return func(ev *schema.Event) { Plain(ev, o.PatronKey, spots) }
}

// Masks are the pseudonyms of a reference under all keys, the newest first.
func (o *Options) Masks(ref string) []string {
	var all []string
	for _, k := range slices.Backward(o.Successors) {
		all = append(all, o.Mask(ref, k.From))
	}
	return append(all, Pseudonym(o.PatronKey, ref))
}

// PatronKeyID identifies the key of a gaming day without revealing it.
func (o *Options) PatronKeyID(day string) string {
	key := o.PatronKey
	for i := range o.Successors {
		if o.Successors[i].From <= day {
			key = o.Successors[i].Secret
		}
	}
	return keyed(key, "name of this key")[:16]
}

// rekey masks the mask of the first key by each of its successors that is in force on a gaming day.
func (o *Options) rekey(mask, day string) string {
	for i := range o.Successors {
		if k := &o.Successors[i]; mask != "" && k.From <= day {
			mask = keyed(k.Secret, "mask\x00"+mask)[:32]
		}
	}
	return mask
}
