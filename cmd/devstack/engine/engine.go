//go:build unix

// Package engine runs real engines for development and tests: a ClickHouse
// server as a child of this process, and Kafka brokers inside it.
//
// It belongs to devstack and to tests. The programs that audit never import it:
// they are given addresses, and an engine of one's own serves as well.
//
// A program or a test binary that starts ClickHouse is also the program that
// hosts it, so it hands over first thing:
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

// ChDBVersion is the release of the npm package that carries ClickHouse, also
// the name of its folder in the cache. `make engines` reads it from this line.
const ChDBVersion = "26.7.3-stable.1"

// ChDBEnv names the variable with the path of another libchdb.so.
const ChDBEnv = "SHOEPROOF_CHDB"

// ErrNoEngine is in the chain when the library of ClickHouse is not on this machine.
var ErrNoEngine = errors.New("the ClickHouse engine is not on this machine: run `make engines`")

// ChDBFolder is where `make engines` keeps the library, in the user's cache.
func ChDBFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache: %w", err)
	}
	return filepath.Join(cache, "shoeproof", "engines", "chdb-"+ChDBVersion), nil
}

// chdbLibrary is the path of the library: the environment's, or the cache's.
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
