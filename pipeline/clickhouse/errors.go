package clickhouse

import (
	"errors"
	"fmt"
	"net"
	"strings"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline/internal/tlscause"
)

// Permanent errors: a retry does not help. ErrTLS is the exception: an insert retries it, because certificates are
// renewed. An error that wraps one of these names the remedy.
var (
	ErrTLS    = errors.New("TLS with the server failed")
	ErrLogin  = errors.New("the user or the password is refused")
	ErrGrant  = errors.New("the user lacks a grant")
	ErrSchema = errors.New("the schema does not fit this release")
	ErrServer = errors.New("the server is too old: unknown setting")
	ErrRows   = errors.New("the rows cannot be written")
	// ErrUnsigned is of a program without the key of the journal that would continue a journal with HMACs.
	ErrUnsigned = errors.New("the journal has HMACs, and journal.key is not set")
)

// Error codes of the server.
const (
	noSuchColumn       = 16
	unknownIdentifier  = 47
	typeMismatch       = 53
	unknownTable       = 60
	unknownDatabase    = 81
	unknownUser        = 192
	wrongPassword      = 193
	requiredPassword   = 194
	addressNotAllowed  = 195
	unknownSetting     = 115
	readOnly           = 164
	settingConstraint  = 452
	accessDenied       = 497
	authenticationFail = 516

	noAnswerInTime   = 159
	tooManyQueries   = 202
	outOfMemory      = 241
	tableIsReadOnly  = 242
	noSpace          = 243
	tooManyParts     = 252
	tableStaysAsItIs = 774
)

// codeOf is the server's code of an error, 0 without an answer of the server.
func codeOf(err error) int32 {
	if e, ok := errors.AsType[*ch.Exception](err); ok {
		return e.Code
	}
	return 0
}

// kindOf returns the sentinel of a permanent error, nil for other errors.
func kindOf(err error) error {
	if errors.Is(err, ErrRows) {
		return ErrRows
	}
	switch codeOf(err) {
	case unknownUser, wrongPassword, requiredPassword, addressNotAllowed, authenticationFail:
		return ErrLogin
	case accessDenied, readOnly, settingConstraint:
		return ErrGrant
	case noSuchColumn, unknownIdentifier, typeMismatch, unknownTable, unknownDatabase:
		return ErrSchema
	case unknownSetting:
		return ErrServer
	}
	return nil
}

// fix names what an operator can do about an error that is retried.
func fix(err error) string {
	switch codeOf(err) {
	case 0:
		return "check that the server runs, answers at this address, and is not overloaded"
	case noAnswerInTime:
		return "the server is too slow: check its load, disks and system.processes"
	case tooManyQueries:
		return "the server has too many queries at once: check system.processes and max_concurrent_queries"
	case outOfMemory:
		return "the server is out of memory: check system.processes, max_server_memory_usage and max_memory_usage"
	case tableIsReadOnly, tableStaysAsItIs:
		return "the table is read-only: check system.replicas, the Keeper, its disk, and the setting table_readonly"
	case noSpace:
		return "the server's disk is full: check system.disks, and free or add space"
	case tooManyParts:
		return "merges do not keep up: check system.merges and system.parts; a higher flush.every or flush.rows makes " +
			"fewer parts"
	}
	return "check the log of the server"
}

// explain adds the location to an error and, if it is permanent, the remedy.
func (s *Store) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	cause := tlscause.Explain("clickhouse.tls", "the server", err)
	var network *net.OpError
	where := fmt.Sprintf("clickhouse %s: %s", strings.Join(s.cfg.Addrs, ","), doing)
	switch kind := kindOf(err); {
	case errors.Is(kind, ErrLogin): // the server's text adds nothing to its code
		return fmt.Errorf("%s: %w (user %q, code %d): check clickhouse.user and clickhouse.password", where, kind, s.cfg.User,
			codeOf(err))
	case errors.Is(kind, ErrGrant):
		return fmt.Errorf("%s: %w (user %q): %w", where, kind, s.cfg.User, err)
	case errors.Is(kind, ErrSchema):
		return fmt.Errorf("%s: %w (database %s): %w: run `audit migrate`", where, kind, s.cfg.Database, err)
	case errors.Is(kind, ErrServer):
		return fmt.Errorf("%s: %w: %w", where, kind, err)
	case cause != nil:
		return fmt.Errorf("%s: %w: %w", where, ErrTLS, cause)
	case tlscause.Closed(err) && s.cfg.TLS == nil && tlscause.Serves(s.cfg.Addrs):
		return fmt.Errorf("%s: the server requires TLS at this port, and clickhouse.tls.enabled is not set: %w", where, err)
	case tlscause.Closed(err):
		return fmt.Errorf("%s: the server closed the connection: %w", where, err)
	case errors.As(err, &network) && network.Op == "dial":
		return fmt.Errorf("%s: no server answers at clickhouse.addrs: %w", where, network.Err)
	default:
		return fmt.Errorf("%s: %w", where, err)
	}
}
