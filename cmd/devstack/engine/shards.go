//go:build unix

package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// StartShards starts two ClickHouses that both know the cluster "floor", each a shard with one replica, without a
// Keeper. Each has a folder for its data beneath dir. The settings are of all queries, as in ClickHouseOptions.Query.
func StartShards(ctx context.Context, dir string, query ...string) (shards [2]*ClickHouse, err error) {
	defer func() {
		if err != nil {
			for _, c := range shards {
				if c != nil {
					c.Stop()
				}
			}
			shards, err = [2]*ClickHouse{}, fmt.Errorf("start shards of ClickHouse: %w", err)
		}
	}()
	var config strings.Builder
	config.WriteString("<clickhouse><remote_servers><floor>")
	for i := range shards {
		own := filepath.Join(dir, fmt.Sprint("shard-", i))
		o := ClickHouseOptions{Dir: filepath.Join(own, "data"), ConfigFile: filepath.Join(own, "config.xml"), Query: query}
		if shards[i], err = newClickHouse(o); err != nil {
			return shards, err
		}
		// A server recognizes itself in its cluster by the port at which it listens, which is not the clients'.
		fmt.Fprintf(&config, "<shard><internal_replication>true</internal_replication>"+
			"<replica><host>127.0.0.1</host><port>%d</port></replica></shard>", shards[i].servers[native].number)
	}
	config.WriteString("</floor></remote_servers></clickhouse>")
	for _, c := range shards {
		if err = os.WriteFile(c.options.ConfigFile, []byte(config.String()), 0o600); err != nil {
			return shards, err
		}
		if err = c.Restart(ctx); err != nil {
			return shards, err
		}
	}
	return shards, nil
}
