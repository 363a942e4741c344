package schema

// go generate ./schema lints the contract, checks that it breaks nobody who follows the image
// proto/events.binpb, and writes eventspb/*.pb.go and *_gen.go. buf is pinned here, the plugins by
// go.mod. A release renews the image: buf build proto -o proto/events.binpb.
//
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 lint proto
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 breaking proto --against proto/events.binpb
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 generate proto --template proto/buf.gen.yaml --output proto
