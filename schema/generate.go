package schema

// go generate ./schema lints the contract, checks it against the last released image, and writes
// eventspb/*.pb.go and *_gen.go. buf is pinned here, the plugins are pinned by go.mod.
//
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 lint proto
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 breaking proto --against proto/events.binpb
//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.50.0 generate proto --template proto/buf.gen.yaml --output proto
