package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/shoeproof/shoeproof/schema"
)

// Writer writes events to the topic: the events of a table go to one partition, in order. It is for the gateway,
// demonstrations and tests.
type Writer struct {
	out    *kafka.Writer
	close  func()
	format schema.Format
}

// NewWriter returns a Writer. The topic must exist.
func NewWriter(config Config, format schema.Format) (*Writer, error) {
	config = config.withDefaults()
	transport, _, err := config.connections()
	if err != nil {
		return nil, err
	}
	return &Writer{
		out: &kafka.Writer{
			Addr: kafka.TCP(config.Brokers...), Topic: config.Topic, Transport: transport,
			// As the Java client, so that both choose the same partition for a table.
			Balancer:     kafka.Murmur2Balancer{Consistent: true},
			RequiredAcks: kafka.RequireAll, Compression: kafka.Lz4,
			BatchSize: 5000, BatchBytes: MaxBatch, BatchTimeout: 5 * time.Millisecond,
		},
		close:  transport.CloseIdleConnections,
		format: format,
	}, nil
}

// tableKey is the key of a table's records.
func tableKey(property, table string) []byte { return []byte(property + "/" + table) }

// Write returns when the brokers have acknowledged the events. After an error some may be written, and a retry may
// write them twice.
func (w *Writer) Write(ctx context.Context, events ...schema.Event) error {
	records := make([]Encoded, len(events))
	for i := range events {
		ev := &events[i]
		records[i] = Encoded{Property: ev.PropertyID, Table: ev.TableID, Format: w.format}
		if w.format == schema.JSON {
			records[i].Value = schema.AppendJSON(nil, ev)
		} else {
			records[i].Value = schema.AppendProto(nil, ev)
		}
	}
	return w.WriteEncoded(ctx, records...)
}

// Encoded is an event of a table as bytes.
type Encoded struct {
	Property, Table string
	Format          schema.Format
	Value           []byte
	// TraceParent is the trace context of the publisher (W3C), empty for none.
	TraceParent string
}

// MaxBatch is the number of bytes that are sent to a partition at once. Records up to it, with less than 5,000 of a
// partition, are written or refused together.
const MaxBatch = 900_000

// WriteEncoded is Write for encoded events.
func (w *Writer) WriteEncoded(ctx context.Context, events ...Encoded) error {
	records := make([]kafka.Message, len(events))
	for i := range events {
		ev := &events[i]
		records[i].Key, records[i].Value = tableKey(ev.Property, ev.Table), ev.Value
		if ev.Format == schema.JSON {
			// Protobuf is the default without a header, and headers cost each reader three allocations a record.
			records[i].Headers = []kafka.Header{{Key: contentType, Value: []byte(jsonType)}}
		}
		if ev.TraceParent != "" {
			records[i].Headers = append(records[i].Headers, kafka.Header{Key: traceParent, Value: []byte(ev.TraceParent)})
		}
	}
	if err := w.out.WriteMessages(ctx, records...); err != nil {
		return fmt.Errorf("write %s to topic %s: %w", schema.Count(len(events), "event"), w.out.Topic, err)
	}
	return nil
}

// Send writes a JSON record that is no table event, and returns when the brokers have acknowledged it.
func (w *Writer) Send(ctx context.Context, key string, value []byte) error {
	record := kafka.Message{
		Key: []byte(key), Value: value, Headers: []kafka.Header{{Key: contentType, Value: []byte(jsonType)}},
	}
	if err := w.out.WriteMessages(ctx, record); err != nil {
		return fmt.Errorf("write to topic %s: %w", w.out.Topic, err)
	}
	return nil
}

// Close writes what is buffered, and closes the connections.
func (w *Writer) Close() error {
	err := w.out.Close()
	w.close()
	return err
}
