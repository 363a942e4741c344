package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/smtp"
	"strings"
	"time"
)

// mail sends e-mail by SMTP.
type mail struct {
	server         string // host:port
	implicit       bool   // TLS from the first byte
	tls            *tls.Config
	user, password string
	from           string
	to             []string
	layout         layout
	now            func() time.Time
}

func (s *mail) Send(ctx context.Context, m *Message) error {
	text, err := s.layout.render(m)
	if err != nil {
		return err
	}
	if err := s.send(ctx, s.encode(m, text)); err != nil {
		return fmt.Errorf("send mail by %s: %w", s.server, err)
	}
	return nil
}

func (s *mail) send(ctx context.Context, message []byte) error {
	host, _, _ := net.SplitHostPort(s.server)
	conn, err := connect(ctx, "tcp", s.server, map[bool]*tls.Config{true: s.tls}[s.implicit])
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	c, err := smtp.NewClient(conn, host)
	if err != nil {
		return err
	}
	if s.tls != nil && !s.implicit {
		if err := c.StartTLS(s.tls); err != nil {
			return fmt.Errorf("STARTTLS: %w", err)
		}
	}
	if s.user != "" {
		if err := c.Auth(smtp.PlainAuth("", s.user, s.password, host)); err != nil {
			return fmt.Errorf("sign in: %w", err)
		}
	}
	if err := c.Mail(s.from); err != nil {
		return err
	}
	for _, to := range s.to {
		if err := c.Rcpt(to); err != nil {
			return fmt.Errorf("recipient %s: %w", to, err)
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	_, err = w.Write(message)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	_ = c.Quit() // the server has accepted the message
	return nil
}

// encode is an e-mail in plain text. A reminder refers to the first message of its finding, so that both are one
// conversation.
func (s *mail) encode(m *Message, text string) []byte {
	subject, _, _ := strings.Cut(text, "\n")
	_, domain, _ := strings.Cut(s.from, "@")
	id := func(reminder int) string { return fmt.Sprintf("<%s.%d@%s>", m.ID, reminder, domain) }
	var out bytes.Buffer
	header := func(name, value string) { fmt.Fprintf(&out, "%s: %s\r\n", name, value) }
	header("From", s.from)
	header("To", strings.Join(s.to, ", "))
	header("Subject", mime.QEncoding.Encode("utf-8", strings.TrimSpace(subject)))
	header("Date", s.now().Format(time.RFC1123Z))
	switch {
	case m.Test: // each test is a message of its own
		header("Message-ID", fmt.Sprintf("<test.%d@%s>", s.now().UnixNano(), domain))
	case m.Reminder > 0:
		header("Message-ID", id(m.Reminder))
		header("References", id(0))
	default:
		header("Message-ID", id(0))
	}
	header("Auto-Submitted", "auto-generated")
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "base64")
	out.WriteString("\r\n")
	const line = 76
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	for len(encoded) > line {
		out.WriteString(encoded[:line] + "\r\n")
		encoded = encoded[line:]
	}
	out.WriteString(encoded + "\r\n")
	return out.Bytes()
}

// connect dials with the deadline of a context, and with TLS if there is a configuration.
func connect(ctx context.Context, network, address string, config *tls.Config) (net.Conn, error) {
	dialer := &net.Dialer{}
	var conn net.Conn
	var err error
	if config != nil {
		conn, err = (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, network, address)
	} else {
		conn, err = dialer.DialContext(ctx, network, address)
	}
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(deadline)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
