// Package tlscause says which setting to look at when TLS does not come about.
package tlscause

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// Explain explains an error that no waiting mends, or returns nil. Section is the settings' name, such
// as kafka.tls, and server whom we speak to.
func Explain(section, server string, err error) error {
	var (
		record    tls.RecordHeaderError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		name      x509.HostnameError
		verify    *tls.CertificateVerificationError
		network   *net.OpError
	)
	switch {
	case errors.As(err, &record):
		return fmt.Errorf("%s.enabled: %s speaks no TLS at this port: %w", section, server, err)
	case errors.As(err, &authority):
		return fmt.Errorf("%s.ca_file: the certificate of %s is of an authority that is not trusted: %w", section, server, err)
	case errors.As(err, &name):
		return fmt.Errorf("%s.server_name: the certificate of %s is for another name: %w", section, server, err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Errorf("%s: the certificate of %s is valid from %s to %s only: %w", section, server,
			invalid.Cert.NotBefore.UTC().Format(time.DateTime), invalid.Cert.NotAfter.UTC().Format(time.DateTime), err)
	case errors.As(err, &verify), errors.As(err, &invalid):
		return fmt.Errorf("%s: the certificate of %s is not trusted: %w", section, server, err)
	case errors.As(err, &network) && network.Op == "remote error": // An alert, most of which are about our certificate.
		return fmt.Errorf("%s.cert_file: %s refuses our certificate, or that there is none: %w", section, server, err)
	}
	return nil
}

// Closed says that the other side ended the connection without a word, which a server does that wants
// TLS, or none, or an account.
func Closed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
