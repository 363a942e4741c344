"""An outbox of table events: they are numbered and stored in one transaction, sent, then acknowledged.

    outbox = Outbox("floor.outbox", kafka_python(["127.0.0.1:9092"], "table-events"))
    outbox.add("ac-1", "mb-07", at, "card_dealt", {...}, shoe="s1", round=1, reference="shoe-7/4711")
    outbox.deliver()

add() returns when the event is on disk. Its number and its event_id never change afterwards, so that an event that is
sent again is the same event. A reference identifies the observation, for instance the device and its own number: the
second add() of a reference stores nothing, so a system that crashed may repeat what it is not sure of.

deliver() sends what is stored, in order, and acknowledges it after the destination has. It may be called by a process
of its own. A crash at any instant loses no event and numbers none twice; records may be sent twice.

Only the standard library is needed; the senders at the end need a Kafka client.
"""
import json
import sqlite3
import uuid
from datetime import timezone

# Fewer than the 64 positions by which readers put events in order again: a batch that is sent partly and then again
# arrives in order.
BATCH = 50

SCHEMA = """
CREATE TABLE IF NOT EXISTS sequence (
    property_id TEXT NOT NULL, table_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (property_id, table_id));
CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY AUTOINCREMENT, property_id TEXT NOT NULL, table_id TEXT NOT NULL, seq INTEGER NOT NULL,
    reference TEXT, value BLOB NOT NULL, acknowledged INTEGER NOT NULL DEFAULT 0,
    UNIQUE (property_id, table_id, seq), UNIQUE (property_id, table_id, reference));
CREATE INDEX IF NOT EXISTS pending ON events (position) WHERE acknowledged = 0;
CREATE TABLE IF NOT EXISTS destination (name TEXT NOT NULL);
"""


class Outbox:
    """The events of any number of tables, for one destination.

    send(records) receives a list of (key, value) in order, and returns when the destination has acknowledged all of
    them; it raises an exception otherwise, and the same records are sent again by the next deliver(). send.name is the
    destination: an outbox that was made for another one is refused, because a table's numbers begin at 1 only once.
    step is called with the name of each step; only the conformance run has a use for it.
    """

    def __init__(self, path, send, step=lambda name: None):
        self.send, self.step = send, step
        self.db = sqlite3.connect(path, isolation_level=None, timeout=30)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")  # a commit survives a loss of power
        self.db.executescript(SCHEMA)
        self.db.execute("BEGIN IMMEDIATE")
        name = self.db.execute("SELECT name FROM destination").fetchone()
        if name is None:
            self.db.execute("INSERT INTO destination VALUES (?)", (send.name,))
        self.db.execute("COMMIT")
        if name is not None and name[0] != send.name:
            raise ValueError(f"outbox {path} is for {name[0]}, not for {send.name}: use another outbox")
        # Held by the one process that delivers; the lock ends with the process.
        self.lock = sqlite3.connect(path + ".lock", isolation_level=None, timeout=0)

    def add(self, property_id, table_id, at, kind, payload, *, pit="", shoe="", round=0, actor=None, source=None,
            reference=None):
        """Numbers and stores an event, and returns its seq; also if the reference was stored before."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            table = (property_id, table_id)
            if reference is not None:
                stored = self.db.execute("SELECT seq FROM events WHERE property_id = ? AND table_id = ? AND reference = ?",
                                         (*table, reference)).fetchone()
                if stored:
                    self.db.execute("COMMIT")
                    return stored[0]
            last = self.db.execute("SELECT seq FROM sequence WHERE property_id = ? AND table_id = ?", table).fetchone()
            seq = (last[0] if last else 0) + 1
            event = {"event_id": str(uuid.uuid4()), "property_id": property_id, "pit_id": pit, "table_id": table_id,
                     "seq": seq, "at": at.astimezone(timezone.utc).isoformat(timespec="microseconds")[:26] + "Z",
                     "shoe_id": shoe, "round": round, "actor": actor, "source": source}
            event = {name: value for name, value in event.items() if value}
            event[kind] = payload
            value = json.dumps(event, separators=(",", ":"), allow_nan=False).encode()
            self.db.execute("INSERT INTO sequence VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq",
                            (*table, seq))
            self.step("numbered")
            self.db.execute("INSERT INTO events (property_id, table_id, seq, reference, value) VALUES (?, ?, ?, ?, ?)",
                            (*table, seq, reference, value))
            self.step("inserted")
            self.db.execute("COMMIT")
        except BaseException:
            self.db.rollback()
            raise
        self.step("stored")
        return seq

    def deliver(self):
        """Sends all stored events that are not acknowledged, and returns how many. One process delivers at a time."""
        self.lock.execute("BEGIN EXCLUSIVE")
        try:
            sent = 0
            while batch := self.db.execute("SELECT position, property_id || '/' || table_id, value FROM events "
                                           "WHERE acknowledged = 0 ORDER BY position LIMIT ?", (BATCH,)).fetchall():
                self.step("sending")
                self.send([(key.encode(), value) for _, key, value in batch])
                self.step("sent")
                self.db.execute("UPDATE events SET acknowledged = 1 WHERE acknowledged = 0 AND position <= ?",
                                (batch[-1][0],))
                self.step("acknowledged")
                sent += len(batch)
            return sent
        finally:
            self.lock.rollback()

    def pending(self):
        """How many events wait for delivery: alert if this grows."""
        return self.db.execute("SELECT count(*) FROM events WHERE acknowledged = 0").fetchone()[0]

    def resend(self, property_id, table_id, seq):
        """Makes the events of a table from a seq on pending again, for a topic that lost them."""
        self.db.execute("UPDATE events SET acknowledged = 0 WHERE property_id = ? AND table_id = ? AND seq >= ?",
                        (property_id, table_id, seq))

    def prune(self, property_id, table_id, seq):
        """Deletes the acknowledged events of a table below a seq, and their references. The number goes on."""
        self.db.execute("DELETE FROM events WHERE acknowledged = 1 AND property_id = ? AND table_id = ? AND seq < ?",
                        (property_id, table_id, seq))


def to_file(path):
    """Appends events to an NDJSON file."""
    import os

    def send(records):
        with open(path, "a+b") as out:
            end = out.seek(0, os.SEEK_END)
            out.seek(max(0, end - (16 << 20)))
            cut = out.read()
            cut = cut[cut.rfind(b"\n") + 1:]
            out.truncate(end - len(cut))  # a crash cut the last line: it is written again
            out.write(b"".join(value + b"\n" for _, value in records))
            out.flush()
            os.fsync(out.fileno())
    send.name = "file:" + os.path.abspath(path)
    return send


HEADERS = [("content-type", b"application/json")]


def kafka_python(brokers, topic):
    """Publishes with kafka-python. All replicas acknowledge, and retries keep the order."""
    from kafka import KafkaProducer
    producer = KafkaProducer(bootstrap_servers=brokers, acks="all", enable_idempotence=True)

    def send(records):
        for sent in [producer.send(topic, key=key, value=value, headers=HEADERS) for key, value in records]:
            sent.get(timeout=60)
    send.name = "kafka:" + topic
    return send


def confluent(brokers, topic):
    """Publishes with confluent-kafka. All replicas acknowledge, and retries keep the order."""
    from confluent_kafka import KafkaException, Producer
    producer = Producer({"bootstrap.servers": ",".join(brokers), "acks": "all", "enable.idempotence": True,
                         "partitioner": "murmur2_random"})  # as other clients: a key stays in its partition

    def send(records):
        errors, delivered = [], []

        def report(error, _):
            errors.append(error) if error else delivered.append(1)
        for key, value in records:
            producer.produce(topic, key=key, value=value, headers=HEADERS, on_delivery=report)
        producer.flush(60)
        if errors:
            raise KafkaException(errors[0])
        if len(delivered) < len(records):
            raise TimeoutError(f"{len(records) - len(delivered)} of {len(records)} events were not acknowledged in 60 s")
    send.name = "kafka:" + topic
    return send
