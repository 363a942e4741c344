#!/usr/bin/env python3
"""Publishes a table's events to Shoeproof: one round of New York minibaccarat, scripted.

    python3 publish.py --file round.ndjson              without a broker: check the file with `audit replay`
    python3 publish.py --brokers 127.0.0.1:9092         needs: pip install kafka-python

A real table system needs the class Feed. The rest is the script of one round.
"""
import argparse
import json
import os
from datetime import datetime, timedelta, timezone


class Feed:
    """The events of one table, numbered from 1 without a gap.

    The file STATE has the last number and survives the process. It is written before an event is sent: a crash
    in between causes a gap, which the audit reports, and never two events with one number.
    """

    def __init__(self, send, state, property_id, pit_id, table_id):
        self.send, self.state = send, state
        self.table = {"property_id": property_id, "pit_id": pit_id, "table_id": table_id}
        self.seq = 0
        if os.path.exists(state):
            with open(state) as f:
                self.seq = int(f.read())

    def publish(self, at, kind, payload, shoe="", round=0, actor=None, source=None):
        self.seq += 1
        event = {"event_id": f"{self.table['table_id']}-{self.seq}", **self.table, "seq": self.seq,
                 "at": at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")}
        if shoe:
            event["shoe_id"] = shoe
        if round:
            event["round"] = round
        if actor:
            event["actor"] = actor
        if source:
            event["source"] = source
        event[kind] = payload
        with open(self.state + ".new", "w") as f:
            f.write(str(self.seq))
            f.flush()
            os.fsync(f.fileno())
        os.replace(self.state + ".new", self.state)
        self.send(f"{self.table['property_id']}/{self.table['table_id']}", json.dumps(event, separators=(",", ":")))


def play(feed, at):
    """A shoe's first round. The banker wins 7 to 5; seat 3 is paid 100.00 and charged 5.00."""
    dealer = {"role": "DEALER", "id": "d114"}
    shoe = "mb-07-" + at.strftime("%Y%m%d") + "-01"

    def now(seconds):
        nonlocal at
        at += timedelta(seconds=seconds)
        return at

    feed.publish(now(0), "table_opened", {
        "config": {
            "config_id": "mb-07-1", "ruleset": "ny-5324-21", "game": "MINIBACCARAT", "currency": "USD", "decks": 8,
            "seats": [1, 2, 3, 4, 5, 6, 7], "vigorish": {"mode": "COMMISSION", "percent": 5, "timing": "IMMEDIATE"},
            "payment_procedure": 2, "dealing_style": "FACE_UP", "min_wager": 1000, "max_wager": 1000000,
            "feeds": ["CARD_FACES"],  # rules of other feeds are UNAUDITABLE, never a breach
        },
        "occupied_seats": [3, 5]})
    feed.publish(now(5), "dealer_assigned", {"dealer_id": "d114", "position": "BASE"})
    feed.publish(now(300), "shoe_shuffled", {"batch_id": "b1", "phase": "INITIAL", "method": "MANUAL"}, shoe)
    feed.publish(now(60), "shoe_loaded", {"batch_id": "b1", "deck_count": 8, "cutting_cards": 2, "device": "DEALING_SHOE"}, shoe)
    feed.publish(now(10), "shoe_burned", {"reason": "OPENING", "indicator": "2c", "count": 2, "cards": ["??", "??"],
                                          "shown": "NONE", "destination": "RACK"}, shoe)
    feed.publish(now(5), "round_started", {}, shoe, 1)
    feed.publish(now(4), "wager_placed", {"wager_id": "w1", "seat": 3, "spot": "BANKER", "amount": 10000, "medium": "CHIPS", "patron_ref": "member-4711"}, shoe, 1)
    feed.publish(now(2), "wager_placed", {"wager_id": "w2", "seat": 5, "spot": "PLAYER", "amount": 5000, "medium": "CHIPS"}, shoe, 1)
    cards = [("PLAYER", 1, "2h", "UP"), ("BANKER", 1, "3s", "UP"), ("PLAYER", 2, "Kd", "UP"), ("BANKER", 2, "Qc", "UP"),
             ("PLAYER", 3, "3c", "UP"), ("BANKER", 3, "4h", "UP")]
    for n, (hand, index, card, face) in enumerate(cards, start=4):  # three cards were burned
        feed.publish(now(2), "card_dealt", {"hand": hand, "index": index, "card": card, "card_seq": n, "face": face},
                     shoe, 1, dealer, {"device_id": "shoe-7", "kind": "SHOE"})
    feed.publish(now(3), "wager_collected", {"wager_id": "w2", "seat": 5, "amount": 5000}, shoe, 1)
    feed.publish(now(3), "vigorish_collected", {"seat": 3, "amount": 500, "kind": "ROUND", "wager_ids": ["w1"]}, shoe, 1)
    feed.publish(now(3), "wager_paid", {"wager_id": "w1", "seat": 3, "amount": 10000}, shoe, 1)
    feed.publish(now(2), "round_ended", {"result": "BANKER", "player_count": 5, "banker_count": 7, "cards_dealt": 6}, shoe, 1)
    feed.publish(now(60), "shoe_ended", {"reason": "CLOSING", "remaining": 416 - 3 - 6}, shoe)
    feed.publish(now(60), "table_closed", {"reason": "end of the example"})


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--brokers", help="host:port, with commas")
    args.add_argument("--topic", default="table-events")
    args.add_argument("--file", help="write NDJSON here instead of publishing")
    args.add_argument("--state", default="mb-07.seq", help="file that keeps the table's last seq")
    args.add_argument("--at", default=None, help="when play begins, as 2026-01-31T18:00:00Z; now if not given")
    o = args.parse_args()
    if bool(o.file) == bool(o.brokers):
        args.error("want --file or --brokers")
    at = datetime.fromisoformat(o.at.replace("Z", "+00:00")) if o.at else datetime.now(timezone.utc)

    if o.file:
        with open(o.file, "w") as out:
            play(Feed(lambda key, value: out.write(value + "\n"), o.state, "ac-1", "p3", "mb-07"), at)
        return

    from kafka import KafkaProducer  # acks of all replicas; retries must not reorder
    producer = KafkaProducer(bootstrap_servers=o.brokers.split(","), acks="all", enable_idempotence=True)

    def send(key, value):
        producer.send(o.topic, key=key.encode(), value=value.encode(),
                      headers=[("content-type", b"application/json")]).get(timeout=30)

    play(Feed(send, o.state, "ac-1", "p3", "mb-07"), at)
    producer.close()


if __name__ == "__main__":
    main()
