"""Documents like those of the published tables in data/reference, one JSON object a line.

    python3 plots/article.py logs | random

The documents themselves were not published; these follow what is said of them. Their sizes are near, not equal.
"""

import base64
import json
import random
import sys

DOCUMENTS = 100_000
# 19 words a message from 220 random words of 3 to 8 letters: BSON and ratios land near the published ones.
WORDS, WORDS_A_MESSAGE = 220, 19


def logs(draw):
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choice(letters) for _ in range(draw.randint(3, 8))) for _ in range(WORDS)]
    for number in range(DOCUMENTS):
        yield {
            "_id": number,
            "user": draw.randrange(10_000),
            "level": draw.choice(["debug", "info", "warn", "error"]),
            "ts": 1_700_000_000 + number,
            "msg": " ".join(draw.choice(words) for _ in range(WORDS_A_MESSAGE)),
            "host": f"srv-{draw.randrange(50):02}",
        }


def blobs(draw):
    for number in range(DOCUMENTS):
        data = base64.b64encode(draw.randbytes(200)).decode()
        yield {"_id": number, "b": {"$binary": {"base64": data, "subType": "00"}}}


SHAPES = {"logs": logs, "random": blobs}

if len(sys.argv) != 2 or sys.argv[1] not in SHAPES:
    sys.exit(__doc__)
for document in SHAPES[sys.argv[1]](random.Random(2026)):
    sys.stdout.write(json.dumps(document, separators=(",", ":")) + "\n")
