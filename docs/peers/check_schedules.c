/* Checks circulant broadcast schedules (J. L. Traeff, Optimal Broadcast Schedules in Logarithmic
 * Time, 2024, Section 2). A line of standard input is a rank's schedule: p r s_0 ... s_(q-1) | r_0
 * ... r_(q-1), the blocks that rank r of p sends and receives in the q = ceil(log2 p) rounds of a
 * phase, relative to the phase. All ranks of a p, in order, then the next p. cc check_schedules.c
 * -o check_schedules && ./check_schedules <table */
#include <stdio.h>
#include <stdlib.h>

/* The first condition that rank r violates, 0: none. Send and receive rows are [p][q]. */
static int violated(int p, int q, const int *skip, const int *send, const int *recv, int r)
{
    int base = q; /* of rank r: the last round by which r is the sum of skips; q: r is the root */
    for (int k = q - 1, rest = r; k >= 0 && rest > 0; k--)
        if (rest >= skip[k] && (rest -= skip[k]) == 0)
            base = k;
    for (int k = 0; k < q; k++)
        if (send[r * q + k] != recv[(r + skip[k]) % p * q + k])
            return 1; /* and 2: both ends name one block */
    unsigned long seen = 0;
    for (int k = 0; k < q;
         k++) { /* 3: the baseblock and all of -q .. -1 but base - q; the root has no baseblock */
        int block = recv[r * q + k];
        if (block < -q || (block >= 0 && block != base) || block == base - q)
            return 3;
        unsigned long bit = 1ul << (block >= 0 ? base : block + q);
        if (seen & bit)
            return 3;
        seen |= bit;
    }
    for (int k = 0; k < q && r > 0;
         k++) { /* 4: what is sent came earlier in the phase, or is base - q */
        int known = send[r * q + k] == base - q;
        for (int i = 0; i < k; i++)
            known |= recv[r * q + i] == send[r * q + k];
        if (!known)
            return 4;
    }
    return 0;
}

int main(void)
{
    int p, r, wrong = 0, all = 0;
    while (scanf("%d %d", &p, &r) == 2) {
        int q = 0, skip[32];
        while (p > 1 && (1l << q) < p)
            q++;
        skip[q] = p;
        for (int k = q; k-- > 0;)
            skip[k] = (skip[k + 1] + 1) / 2;
        int *send = malloc(sizeof(int) * (size_t)p * (size_t)q + 1),
            *recv = malloc(sizeof(int) * (size_t)p * (size_t)q + 1);
        for (int rank = 0; rank < p; rank++) {
            int bad = rank > 0 && (scanf("%d %d", &p, &r) != 2 || r != rank);
            for (int k = 0; k < q; k++)
                bad |= scanf("%d", &send[rank * q + k]) != 1;
            bad |= scanf(" |") != 0;
            for (int k = 0; k < q; k++)
                bad |= scanf("%d", &recv[rank * q + k]) != 1;
            if (bad)
                return fprintf(stderr, "p = %d: the line of rank %d is missing or wrong\n", p,
                               rank),
                       2;
        }
        int condition = 0;
        for (int rank = 0; rank < p && !condition; rank++)
            if ((condition = violated(p, q, skip, send, recv, rank)))
                printf("p = %d: rank %d violates condition %d\n", p, rank, condition);
        wrong += condition != 0, all++;
        free(send), free(recv);
    }
    printf("%d of %d values of p are wrong\n", wrong, all);
    return wrong > 0;
}
