package schema

// go generate ./schema lints the contract, checks that it is compatible with the image proto/events.binpb of the last
// release, and writes eventspb/*.pb.go and *_gen.go. The version of buf is pinned here, the versions of the plugins in
// go.mod. A release updates the image: buf build proto -o proto/events.binpb.
//
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 lint proto
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 breaking proto --against proto/events.binpb
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 generate proto --template proto/buf.gen.yaml --output proto
