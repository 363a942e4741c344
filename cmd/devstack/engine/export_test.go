//go:build unix

package engine

// ServerAddr is where the server itself listens, behind the proxy.
func (c *ClickHouse) ServerAddr() string { return c.servers[native].addr() }
