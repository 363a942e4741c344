package bench

// scenario has the horizon of a cheat and the expected figures.
type scenario struct {
	// horizon is the number of shoes of a run.
	horizon int
	// limit is the minimum delay of any detector at odds of a billion to one, ln(1e9)/KL; reference is a measured delay at
	// those odds. Both are in the scenario's unit, 0 if unknown.
	limit, reference float64
	// power is the power in a bench of the design, at ln A = 16.1 for clean slugs and 20.7 for disturbed ones.
	power float64
}

// billion is the natural logarithm of the odds at which limits and references are given.
const billion = 20.723

var scenarios = map[string]scenario{
	"s1-1":        {horizon: 8, limit: 33, reference: 37},
	"s1-0.5":      {horizon: 20, limit: 175, reference: 184},
	"s1-0.35":     {horizon: 30, limit: 366, reference: 356},
	"s1-0.2":      {horizon: 60, limit: 1137, reference: 1014},
	"s1-0.1":      {horizon: 160, limit: 4573, reference: 3768},
	"s2-1":        {horizon: 8, limit: 34, reference: 75},
	"s2-0.5":      {horizon: 20, limit: 185, reference: 254},
	"s2-0.25":     {horizon: 60, limit: 769, reference: 1057},
	"s2-0.1":      {horizon: 247, limit: 4855, reference: 12500},
	"s3-8":        {horizon: 1, limit: 6.9, power: 0.81},
	"s3-10":       {horizon: 1, limit: 6.9, power: 1},
	"s3-12":       {horizon: 1, limit: 6.9, reference: 9.4, power: 1},
	"s3-20":       {horizon: 1, limit: 6.9, reference: 9.4, power: 1},
	"s3-40":       {horizon: 1, limit: 6.9, reference: 9.4, power: 1},
	"s3-8-d10":    {horizon: 1, power: 0.01},
	"s3-10-d10":   {horizon: 1, power: 0.41},
	"s3-12-d10":   {horizon: 1, power: 0.72},
	"s3-20-d10":   {horizon: 1, power: 0.98},
	"s3-40-d10":   {horizon: 1, power: 1},
	"s3-8-d25":    {horizon: 1},
	"s3-10-d25":   {horizon: 1},
	"s3-12-d25":   {horizon: 1},
	"s3-20-d25":   {horizon: 1},
	"s3-40-d25":   {horizon: 1},
	"s4-1":        {horizon: 1, reference: 1, power: 1},
	"s4-2":        {horizon: 1, reference: 1, power: 1},
	"s4-3":        {horizon: 1, reference: 1, power: 1},
	"s4-4":        {horizon: 1, reference: 1, power: 1},
	"s4-5":        {horizon: 40},
	"s4-6":        {horizon: 40},
	"s5-d7-full":  {horizon: 90, reference: 22.6},
	"s5-d7-cover": {horizon: 90, reference: 21.4},
	"s5-d7-half":  {horizon: 150, reference: 37.4},
	"s5-b7-full":  {horizon: 90, reference: 22.6},
	"s5-b7-cover": {horizon: 90, reference: 21.4},
	"s5-b7-half":  {horizon: 150, reference: 37.4},
	"s6-0.5":      {horizon: 30, limit: 175, reference: 184},
	"s6-0.25":     {horizon: 90, limit: 730},
	"s6-0.1":      {horizon: 300, limit: 4573, reference: 3768},
	"s7-1":        {horizon: 15, limit: 30, reference: 30},
	"s7-0.9":      {horizon: 25, limit: 56, reference: 56},
	"s7-0.7":      {horizon: 80, limit: 252, reference: 252},
	"s8-0.1":      {horizon: 40, limit: 99, reference: 99},
	"s8-0.02":     {horizon: 350, limit: 1614, reference: 1614},
	"s9-0.01":     {horizon: 80, limit: 1473, reference: 1473},
	"s10-missing": {horizon: 80, limit: 18, reference: 21},
	"s10-extra":   {horizon: 20, reference: 1.43},
	"s10-extra2":  {horizon: 20},
	"s10-swapped": {horizon: 80, reference: 1.43},
	"s11-1":       {horizon: 4, limit: 30, reference: 30},
	"s11-0.95":    {horizon: 8, limit: 30, reference: 30},
	"s12-banker":  {horizon: 250, limit: 6025, reference: 6025},
	"s12-tie":     {horizon: 250},
	"s13":         {horizon: 10},
	"s14":         {horizon: 5},
	"s15-0.05":    {horizon: 150},
	"n1":          {horizon: 50},
	"n2":          {horizon: 50},
	"n3":          {horizon: 50},
	"n4":          {horizon: 20},
	"n5":          {horizon: 50},
	"n6":          {horizon: 50},
}
