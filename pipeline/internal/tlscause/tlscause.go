// Package tlscause explains why a TLS connection fails, and names the setting to change.
package tlscause

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// Explain explains an error that no retry fixes, or returns nil. Section is the settings' name, such
// as kafka.tls, and server describes the other side.
func Explain(section, server string, err error) error {
	var (
		record    tls.RecordHeaderError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		name      x509.HostnameError
		verify    *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &record):
		return fmt.Errorf("%s.enabled: %s speaks no TLS at this port: %w", section, server, err)
	case errors.As(err, &authority):
		return fmt.Errorf("%s.ca_file: the certificate of %s is of an authority that is not trusted: %w",
			section, server, err)
	case errors.As(err, &name):
		return fmt.Errorf("%s.server_name: the certificate of %s is for another name: %w", section, server, err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Errorf("%s: the certificate of %s is valid from %s to %s only: %w", section, server,
			invalid.Cert.NotBefore.UTC().Format(time.DateTime), invalid.Cert.NotAfter.UTC().Format(time.DateTime), err)
	case errors.As(err, &verify), errors.As(err, &invalid):
		return fmt.Errorf("%s: the certificate of %s is not trusted: %w", section, server, err)
	case alert(err): // Most alerts are about the client's certificate.
		return fmt.Errorf("%s.cert_file: %s requires a client certificate, or refuses this one: %w", section, server, err)
	}
	return nil
}

func alert(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "remote error"
}

// Closed reports whether the server closed the connection without an answer. It does so when it stops, restarts or
// requires TLS; see Serves.
func Closed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}

// Serves reports whether a server answers in TLS at one of the addresses. It connects to them, for 2 s at most.
func Serves(addrs []string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	//nolint:gosec // No data is sent: the question is whether there is TLS at all.
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	for _, addr := range addrs {
		conn, err := dialer.DialContext(ctx, "tcp", addr)
		if err == nil {
			_ = conn.Close()
			return true
		}
		if alert(err) {
			return true
		}
	}
	return false
}
