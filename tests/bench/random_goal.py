"""random_goal.py SEED - prints a random graph in GOAL: messages and computing of 2 to 8 ranks. Operations are made in
one order of all ranks, and wait only for earlier ones, so that there is no deadlock."""

import random
import sys

choose = random.Random(int(sys.argv[1]))
ranks = choose.choice([2, 2, 3, 4, 5, 8])
operations = [[] for _ in range(ranks)]
dependences = [[] for _ in range(ranks)]


def add(rank, text):
    number = len(operations[rank])
    operations[rank].append(text)
    earlier = range(max(0, number - 6), number)
    for other in choose.sample(earlier, min(len(earlier), choose.choice([0, 1, 1, 2, 3]))):
        word = "irequires" if choose.random() < 0.25 else "requires"
        dependences[rank].append(f"l{number} {word} l{other}")


messages, computings = choose.randint(1, 6 * ranks), choose.randint(0, 5 * ranks)
for tag in range(messages + computings):
    if choose.random() < messages / (messages + computings):
        sender, receiver = choose.sample(range(ranks), 2)
        size = choose.choice([1, 8, choose.randint(1, 2000), choose.randint(1, 200000)])
        add(sender, f"send {size}b to {receiver} tag {tag}")
        add(receiver, f"recv {size}b from {sender} tag {tag}")
    else:
        time = choose.choice([0, choose.randint(1, 30000), choose.randint(1, 2000)])
        add(choose.randrange(ranks), f"calc {time}")

print(f"num_ranks {ranks}")
for rank in range(ranks):
    print(f"rank {rank} {{")
    for number, text in enumerate(operations[rank]):
        print(f"l{number}: {text}")
    print("\n".join(dependences[rank] + ["}"]))
