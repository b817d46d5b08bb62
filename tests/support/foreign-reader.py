"""Reads exported files by Python's own csv, json, zipfile and ElementTree.

A request is a line of JSON on standard input: {"path", "format", "zip"}. The answer is a line of JSON: the cells of the
file, header first where the format has one, each as text; instants of a workbook's column "received" in ISO 8601.
"""
import csv
import datetime
import io
import json
import re
import sys
import xml.etree.ElementTree as ET
import zipfile

NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
EPOCH = datetime.datetime(1899, 12, 30)


def text_of(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "; ".join(text_of(item) for item in value)
    return str(value)


def column_of(reference):
    at = 0
    for letter in re.match("[A-Z]+", reference).group():
        at = at * 26 + ord(letter) - 64
    return at - 1


def instant(serial):
    at = EPOCH + datetime.timedelta(milliseconds=round(float(serial) * 86_400_000))
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (at.microsecond // 1000)


def workbook(data):
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        assert book.testzip() is None
        shared = []
        if "xl/sharedStrings.xml" in book.namelist():
            for item in ET.fromstring(book.read("xl/sharedStrings.xml")).iter(NS + "si"):
                shared.append("".join(part.text or "" for part in item.iter(NS + "t")))
        sheet = ET.fromstring(book.read("xl/worksheets/sheet1.xml"))
    rows = []
    for row in sheet.iter(NS + "row"):
        cells = {}
        for place, cell in enumerate(row.iter(NS + "c")):
            kind = cell.get("t", "n")
            value = cell.find(NS + "v")
            if kind == "inlineStr":
                shown = "".join(part.text or "" for part in cell.iter(NS + "t"))
            elif value is None or value.text is None:
                shown = ""
            elif kind == "s":
                shown = shared[int(value.text)]
            elif kind == "b":
                shown = "true" if value.text == "1" else "false"
            else:
                shown = value.text
            at = column_of(cell.get("r")) if cell.get("r") else place
            if rows and kind == "n" and shown and rows[0][at] == "received":
                shown = instant(shown)
            cells[at] = shown
        width = len(rows[0]) if rows else max(cells, default=-1) + 1
        rows.append([cells.get(at, "") for at in range(width)])
    return rows


def read(path, kind, zipped):
    with open(path, "rb") as file:
        data = file.read()
    if zipped:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.testzip() is None
            (name,) = [name for name in archive.namelist() if not name.endswith(".manifest.json")]
            data = archive.read(name)
    if kind == "xlsx":
        return workbook(data)
    text = data.decode("utf-8")
    if kind == "csv":
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))
    objects = json.loads(text) if kind == "json" else [json.loads(line) for line in text.split("\n")[:-1]]
    return [[text_of(value) for value in item.values()] for item in objects]


csv.field_size_limit(1 << 30)
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(read(asked["path"], asked["format"], asked["zip"])), flush=True)
