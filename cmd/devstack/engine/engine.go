//go:build unix

// Package engine runs real engines for development and tests: a ClickHouse
// server as a child of this process, and Kafka brokers inside it.
//
// Only devstack and tests import it. The programs that audit connect to addresses
// and never link it.
//
// A program or a test binary that starts ClickHouse also hosts it in a child
// process, so main or TestMain begins with HostClickHouse:
//
//	func TestMain(m *testing.M) {
//		engine.HostClickHouse()
//		os.Exit(m.Run())
//	}
package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ChDBVersion is the release of the npm package of ClickHouse, which is also in
// the name of its folder in the cache. `make engines` reads it from this line.
const ChDBVersion = "26.7.3-stable.1"

// ChDBEnv is the environment variable with the path of another libchdb.so.
const ChDBEnv = "SHOEPROOF_CHDB"

// ErrNoEngine is the error if the library of ClickHouse is not on this machine.
var ErrNoEngine = errors.New("the ClickHouse engine is not on this machine: run `make engines`")

// ChDBFolder is the folder in the user's cache where `make engines` stores the library.
func ChDBFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache: %w", err)
	}
	return filepath.Join(cache, "shoeproof", "engines", "chdb-"+ChDBVersion), nil
}

// chdbLibrary returns the path of the library: from the environment, or in the cache.
func chdbLibrary() (string, error) {
	path, from := os.Getenv(ChDBEnv), ChDBEnv
	if path == "" {
		folder, err := ChDBFolder()
		if err != nil {
			return "", err
		}
		// The file is called libchdb.so on darwin too.
		path, from = filepath.Join(folder, "libchdb.so"), "the cache"
	}
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w (looked for %s, from %s)", ErrNoEngine, path, from)
	case err != nil:
		return "", fmt.Errorf("look for ClickHouse, from %s: %w", from, err)
	}
	return path, nil
}
