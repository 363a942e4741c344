#!/usr/bin/env python3
"""Publishes a table's events to Shoeproof: one round of New York minibaccarat, scripted.

    python3 publish.py --file round.ndjson              without a broker: check the file with `audit conform`
    python3 publish.py --brokers 127.0.0.1:9092         needs: pip install kafka-python

A real table system needs outbox.py. The rest is the script of one round. Run it again after a crash: what was
published is not published again.
"""
import argparse
from datetime import datetime, timedelta, timezone

import outbox


def play(publish, at):
    """A shoe's first round. The banker wins 7 to 5; seat 3 is paid 100.00 and charged 5.00.

    Each call of publish names the observation by a reference, so that a repeated call publishes nothing.
    """
    dealer = {"role": "DEALER", "id": "d114"}
    shoe = "mb-07-" + at.strftime("%Y%m%d") + "-01"
    observed = 0

    def event(seconds, kind, payload, shoe="", round=0, **more):
        nonlocal at, observed
        at += timedelta(seconds=seconds)
        observed += 1
        publish(at, kind, payload, shoe=shoe, round=round, reference=f"{at:%Y%m%d}-{observed}", **more)

    event(0, "table_opened", {
        "config": {
            "config_id": "mb-07-1", "ruleset": "ny-5324-21", "game": "MINIBACCARAT", "currency": "USD", "decks": 8,
            "seats": [1, 2, 3, 4, 5, 6, 7], "vigorish": {"mode": "COMMISSION", "percent": 5, "timing": "IMMEDIATE"},
            "payment_procedure": 2, "dealing_style": "FACE_UP", "min_wager": 1000, "max_wager": 1000000,
            "posted_odds": {"BANKER": "1:1", "PLAYER": "1:1", "TIE": "8:1"},
            "feeds": ["CARD_FACES"],  # rules of other feeds are UNAUDITABLE, never a breach
        },
        "occupied_seats": [3, 5]})
    event(5, "dealer_assigned", {"dealer_id": "d114", "position": "BASE"})
    event(300, "shoe_shuffled", {"batch_id": "b1", "phase": "INITIAL", "method": "MANUAL"}, shoe)
    event(60, "shoe_loaded", {"batch_id": "b1", "deck_count": 8, "cutting_cards": 2, "device": "DEALING_SHOE"}, shoe)
    event(10, "shoe_burned", {"reason": "OPENING", "indicator": "2c", "count": 2, "cards": ["??", "??"],
                              "shown": "NONE", "destination": "RACK"}, shoe)
    event(5, "round_started", {}, shoe, 1)
    event(4, "wager_placed", {"wager_id": "w1", "seat": 3, "spot": "BANKER", "amount": 10000, "medium": "CHIPS",
                              "patron_ref": "member-4711"}, shoe, 1)
    event(2, "wager_placed", {"wager_id": "w2", "seat": 5, "spot": "PLAYER", "amount": 5000, "medium": "CHIPS"}, shoe, 1)
    cards = [("PLAYER", 1, "2h", "UP"), ("BANKER", 1, "3s", "UP"), ("PLAYER", 2, "Kd", "UP"), ("BANKER", 2, "Qc", "UP"),
             ("PLAYER", 3, "3c", "UP"), ("BANKER", 3, "4h", "UP")]
    for n, (hand, index, card, face) in enumerate(cards, start=4):  # three cards were burned
        event(2, "card_dealt", {"hand": hand, "index": index, "card": card, "card_seq": n, "face": face},
              shoe, 1, actor=dealer, source={"device_id": "shoe-7", "kind": "SHOE"})
    event(3, "wager_collected", {"wager_id": "w2", "seat": 5, "amount": 5000}, shoe, 1, actor=dealer)
    event(3, "vigorish_collected", {"seat": 3, "amount": 500, "kind": "ROUND", "wager_ids": ["w1"]}, shoe, 1, actor=dealer)
    event(3, "wager_paid", {"wager_id": "w1", "seat": 3, "amount": 10000}, shoe, 1, actor=dealer)
    event(2, "round_ended", {"result": "BANKER", "player_count": 5, "banker_count": 7, "cards_dealt": 6}, shoe, 1)
    event(60, "shoe_ended", {"reason": "CLOSING", "remaining": 416 - 3 - 6}, shoe)
    event(60, "table_closed", {"reason": "end of the example"})


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--brokers", help="host:port, with commas")
    args.add_argument("--client", choices=["kafka-python", "confluent-kafka"], default="kafka-python")
    args.add_argument("--topic", default="table-events")
    args.add_argument("--file", help="append NDJSON to this file instead of publishing")
    args.add_argument("--outbox", help="file of the outbox; without it mb-07.file.outbox or mb-07.kafka.outbox")
    args.add_argument("--at", default=None, help="when play begins, as 2026-01-31T18:00:00Z; now if not given")
    o = args.parse_args()
    if bool(o.file) == bool(o.brokers):
        args.error("want --file or --brokers")
    at = datetime.fromisoformat(o.at.replace("Z", "+00:00")) if o.at else datetime.now(timezone.utc)

    if o.file:
        send = outbox.to_file(o.file)
    elif o.client == "confluent-kafka":
        send = outbox.confluent(o.brokers.split(","), o.topic)
    else:
        send = outbox.kafka_python(o.brokers.split(","), o.topic)
    try:
        box = outbox.Outbox(o.outbox or ("mb-07.file.outbox" if o.file else "mb-07.kafka.outbox"), send)
    except ValueError as error:
        args.error(str(error))
    play(lambda *event, **more: box.add("ac-1", "mb-07", *event, pit="p3", **more), at)
    print(f"published {box.deliver()} events")


if __name__ == "__main__":
    main()
