"""Counts and encodes the corpus with rs-bpe, and prints its line: name, MB/s of both, share of the texts with the same tokens.

    peers.py DIRECTORY    # the output of token-peers
"""

import statistics
import struct
import sys
import time
from pathlib import Path

from rs_bpe.bpe import openai

ROUNDS = 5


def main() -> None:
    directory = Path(sys.argv[1])
    numbers = (directory / "tokens.bin").read_bytes()
    texts, expected, at = [], [], 0
    while at < len(numbers):
        (length,) = struct.unpack_from("<I", numbers, at)
        expected.append(list(struct.unpack_from(f"<{length}I", numbers, at + 4)))
        at += 4 * (length + 1)
        texts.append((directory / f"{len(texts)}.txt").read_bytes().decode())
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    tokenizer = openai.o200k_base()
    tokenizer.encode("warm")
    counting, encoding = [], []
    for _ in range(ROUNDS):
        for speeds, work in ((encoding, tokenizer.encode), (counting, tokenizer.count)):
            start = time.perf_counter()
            for text in texts:
                work(text)
            speeds.append(megabytes / (time.perf_counter() - start))
    same = sum(tokenizer.encode(text) == tokens for text, tokens in zip(texts, expected))
    share = 100 * same / len(texts)
    print(f"rs-bpe\t{statistics.median(counting):.0f}\t{statistics.median(encoding):.0f}\t{share:.2f}")


main()
