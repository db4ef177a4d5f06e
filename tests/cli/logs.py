# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""logs.py CSV NPZ MCAP: the three hold the same numbers. MCAP is read as its specification says (mcap.dev/spec)."""

import json
import struct
import sys

import numpy


def read_csv(path):
    lines = [line.strip() for line in open(path) if not line.startswith("#")]
    return lines[0].split(","), numpy.array([[float(x) for x in line.split(",")] for line in lines[1:]])


class Bytes:
    """Little-endian numbers and texts, one after another."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        assert self.at + count <= len(self.data), "a record is cut short"
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def text(self):
        return self.take(self.number("I")).decode()

    def list(self):
        return Bytes(self.take(self.number("I")))

    def more(self):
        return self.at < len(self.data)


MAGIC = b"\x89MCAP0\r\n"


def records(data):
    """(kind, contents, offset) of each record."""
    b = Bytes(data)
    while b.more():
        start = b.at
        kind, length = b.number("B"), b.number("Q")
        yield kind, b.take(length), start


def check_index(data, chunk, index):
    """Each pair of an index is the time and place of a message of its channel."""
    b = Bytes(index)
    channel, pairs = b.number("H"), b.list()
    count = 0
    while pairs.more():
        time, place = pairs.number("Q"), pairs.number("Q")
        m = Bytes(chunk[place:])
        assert m.number("B") == 5
        m.number("Q")
        assert m.number("H") == channel
        m.number("I")
        assert m.number("Q") == time
        count += 1
    return channel, count


def read_mcap(path):
    data = open(path, "rb").read()
    assert data.startswith(MAGIC) and data.endswith(MAGIC)
    schemas, channels, messages, kinds, counts = {}, {}, [], [], {}
    chunk, statistics, offsets = None, None, []
    body = data[8:-8]
    for kind, contents, start in records(body):
        kinds.append(kind)
        b = Bytes(contents)
        if kind == 6:
            first, last, size, crc = b.number("Q"), b.number("Q"), b.number("Q"), b.number("I")
            assert b.text() == "" and crc == 0 and b.number("Q") == size
            chunk = b.take(size)
            for inner, record, _ in records(chunk):
                r = Bytes(record)
                if inner == 3:
                    number, name, encoding = r.number("H"), r.text(), r.text()
                    assert number > 0 and encoding == "jsonschema"
                    schemas[number] = name, json.loads(r.take(r.number("I")))
                elif inner == 4:
                    number, schema, topic, encoding = r.number("H"), r.number("H"), r.text(), r.text()
                    assert schema in schemas and encoding == "json" and r.number("I") == 0
                    channels[number] = topic
                else:
                    assert inner == 5
                    channel, sequence, log, publish = r.number("H"), r.number("I"), r.number("Q"), r.number("Q")
                    assert log == publish and first <= log <= last
                    messages.append((channels[channel], log, json.loads(record[22:])))
        elif kind == 7:
            channel, count = check_index(data, chunk, contents)
            counts[channel] = counts.get(channel, 0) + count
        elif kind == 8:
            first, last, place, length = b.number("Q"), b.number("Q"), b.number("Q"), b.number("Q")
            assert data[place] == 6 and struct.unpack("<Q", data[place + 1 : place + 9])[0] + 9 == length
            index = b.list()
            while index.more():
                channel, at = index.number("H"), index.number("Q")
                assert data[at] == 7 and struct.unpack("<H", data[at + 9 : at + 11])[0] == channel
            assert b.number("Q") >= 0 and b.text() == "" and b.number("Q") == b.number("Q")
        elif kind == 11:
            statistics = b.number("Q")
        elif kind == 14:
            group, place, length = b.number("B"), b.number("Q"), b.number("Q")
            assert data[place] == group and all(k == group for k, _, _ in records(data[place : place + length]))
        elif kind == 2:
            summary, summary_offsets = b.number("Q"), b.number("Q")
            assert data[summary] == 3 and data[summary_offsets] == 14 and b.number("I") == 0
    assert kinds[0] == 1 and kinds[-1] == 2 and kinds.count(15) == 1
    assert statistics == len(messages) == sum(counts.values())
    return schemas, messages


def main(csv, npz, mcap):
    names, rows = read_csv(csv)
    arrays = numpy.load(npz)
    assert list(arrays.keys()) == names, "the arrays have other names"
    for i, name in enumerate(names):
        assert arrays[name].dtype == "<f8" and numpy.array_equal(arrays[name], rows[:, i], equal_nan=True), name

    schemas, messages = read_mcap(mcap)
    by_topic = {}
    for topic, time, values in messages:
        by_topic.setdefault(topic, []).append((time, values))
    for i, name in enumerate(names):
        owner, point, part = name.rpartition(".")
        found = by_topic["/" + owner.replace(".", "/") if point else "/run"]
        assert len(found) == len(rows), name
        for row, (time, values) in zip(rows, found):
            assert time == round(row[0] * 1e9) or abs(time - row[0] * 1e9) < 1
            assert values[part] == row[i] or (values[part] is None and not numpy.isfinite(row[i])), name
    assert len(by_topic["/scene"]) == 1 and len(by_topic["/tf"]) == len(rows)
    for row, (time, values) in zip(rows, by_topic["/tf"]):
        for frame in values["transforms"]:
            assert frame["timestamp"]["sec"] * 10**9 + frame["timestamp"]["nsec"] == time
            body = frame["child_frame_id"]
            if body + ".x" in names:
                assert frame["translation"]["x"] == row[names.index(body + ".x")]
            if body + ".qw" in names:
                assert frame["rotation"]["w"] == row[names.index(body + ".qw")]


main(*sys.argv[1:])
