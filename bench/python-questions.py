"""Prints the milliseconds of a question, of asof or of a bare loop: python-questions.py asof|cat NODE ASOF"""

import json
import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "clients/python"))
import asof  # noqa: E402

side, *command = sys.argv[1:]
values = {"ids": "GDP", "as_of": "2015-01-30", "limit": 8}
count = 500

source = asof.Asof(command=command)
answer = source.observations(**values)
cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
line = json.dumps([values, [list(row.values()) for row in answer]], default=str).encode() + b"\n"


def ask():
    if side == "asof":
        return source.observations(**values)
    cat.stdin.write(line)
    cat.stdin.flush()
    return json.loads(cat.stdout.readline())


for _ in range(50):
    ask()
began = time.perf_counter()
for _ in range(count):
    ask()
print((time.perf_counter() - began) / count * 1000)
