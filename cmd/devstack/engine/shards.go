//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// StartShards starts two ClickHouses that both know the cluster "floor", a shard each with one replica and no
// Keeper. Their data lie in a folder each beneath dir.
func StartShards(ctx context.Context, dir string) (shards [2]*ClickHouse, err error) {
	var ports [2]port
	var config strings.Builder
	config.WriteString("<clickhouse><remote_servers><floor>")
	for i := range ports {
		if ports[i], err = keepPort(0); err != nil {
			return shards, fmt.Errorf("start shards of ClickHouse: %w", err)
		}
		defer ports[i].release()
		fmt.Fprintf(&config, "<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>%d</port></replica></shard>", ports[i].number)
	}
	config.WriteString("</floor></remote_servers></clickhouse>")
	for i := range shards {
		own := filepath.Join(dir, fmt.Sprint("shard-", i))
		file := filepath.Join(own, "config.xml")
		if err = errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(file, []byte(config.String()), 0o600)); err != nil {
			return shards, fmt.Errorf("start shards of ClickHouse: %w", err)
		}
		if shards[i], err = StartClickHouse(ctx, ClickHouseOptions{Dir: filepath.Join(own, "data"), ConfigFile: file, Port: ports[i].number}); err != nil {
			if i > 0 {
				shards[0].Stop()
			}
			return shards, err
		}
	}
	return shards, nil
}
