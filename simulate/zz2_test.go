package simulate

import (
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

func TestStat(t *testing.T) {
	n := map[string]int{}
	for _, k := range Kinds() {
		for seed := range uint64(30) {
			for _, e := range legal(t, k, seed, 6, 0) {
				switch p := e.Payload.(type) {
				case *schema.RoundVoided:
					n["void"]++
				case *schema.CardCarriedOver:
					n["carry"]++
				case *schema.CardFoundFaceup:
					n["found"]++
				case *schema.ShoeBurned:
					if p.Reason == schema.BurnReasonIrregularity {
						n["irrburn"]++
					}
				case *schema.CardMoved:
					if p.From == schema.MovePlacePlayer {
						n["moved"]++
					}
				case *schema.RecutOrdered:
					n["recut"]++
				case *schema.TableConfigured:
					n["configured"]++
				case *schema.SqueezeRelinquished:
					n["give"]++
				case *schema.BankerRelinquished:
					n["resign"]++
				case *schema.BancoAnnounced:
					n[p.Call.String()]++
				case *schema.ShoeEnded:
					n["shoes"]++
				case *schema.BatchReported:
					n["batch"]++
				}
			}
		}
	}
	t.Log(n)
}
