/* mpi_packing.c - packs and unpacks data (mpi/library/data.h) of all sizes, one rank.
 *
 *   mpirun -n 1 mpi_packing           elements of 4 to 100 bytes
 *   mpirun -n 1 mpi_packing huge      one element of 2 GiB and 12 bytes: takes 4.1 GiB of memory
 *
 * Built with an LIB_PACKED_AT_ONCE of 16 the first has elements that are larger than what is packed
 * at once. Exit status 1 if a byte is elsewhere than where MPI has it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/library/data.h"

static int wrong;
static struct exec_self self;

static void expect(int holds, const char *what, int64_t size, int64_t count)
{
    if (!holds) {
        fprintf(stderr, "%s of %lld elements of %lld bytes\n", what, (long long)count,
                (long long)size);
        wrong = 1;
    }
}

enum { SEGMENT = 4, STRIDE = 6, MOST = 10 };

/* Elements of `segments` segments each, which have a gap behind them. */
static void pack_elements(int segments, int count, int from_bottom)
{
    static char place[2000], packed[2000], again[2000];
    char *const buffer[] = {place, again};
    MPI_Datatype type[2];
    for (int i = 0; i < 2; i++) {
        MPI_Datatype gaps;
        MPI_Aint address = 0;
        const int one = 1;
        if (from_bottom)
            MPI_Get_address(buffer[i], &address);
        MPI_Type_vector(segments, SEGMENT, STRIDE, MPI_CHAR, &gaps);
        MPI_Type_create_hindexed(1, &one, &address, gaps, &type[i]);
        MPI_Type_commit(&type[i]);
        MPI_Type_free(&gaps);
    }
    const int64_t size = (int64_t)segments * SEGMENT;
    const int64_t extent = (int64_t)(segments - 1) * STRIDE + SEGMENT;
    struct lib_data data, copy;
    for (size_t i = 0; i < sizeof place; i++)
        place[i] = (char)(i % 101);
    memset(again, -1, sizeof again);
    memset(packed, -1, sizeof packed);
    expect(lib_data_of(from_bottom ? MPI_BOTTOM : place, type[0], count, &data) == MPI_SUCCESS &&
               lib_data_of(from_bottom ? MPI_BOTTOM : again, type[1], count, &copy) ==
                   MPI_SUCCESS &&
               lib_data_bytes(&data) == count * size,
           "size", size, count);
    expect(lib_data_pack(&data, packed, &self) == MPI_SUCCESS &&
               lib_data_unpack(&copy, packed, &self) == MPI_SUCCESS,
           "packing", size, count);
    int same = 1;
    int64_t next = 0;
    for (int e = 0; e < count; e++)
        for (int64_t i = 0; i < extent; i++) {
            const int gap = i % STRIDE >= SEGMENT;
            const char byte = place[e * extent + i];
            same = same && again[e * extent + i] == (gap ? -1 : byte);
            if (!gap)
                same = same && packed[next++] == byte;
        }
    expect(same && packed[next] == -1, "packed bytes", size, count);
    MPI_Type_free(&type[0]);
    MPI_Type_free(&type[1]);
}

/* One element of 2 GiB and 12 bytes, which repeats a MiB, and is unpacked to memory of its own. */
static void pack_huge(void)
{
    enum { PIECE = 1 << 20, PIECES = 2048, REST = 12 };
    const int64_t size = (int64_t)PIECE * PIECES + REST;
    char *piece = malloc(PIECE), *packed = malloc((size_t)size), *again = malloc((size_t)size);
    MPI_Datatype whole, repeated, contiguous, sent, received;
    const int lengths[] = {1, REST};
    MPI_Aint places[] = {0, 0};
    MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_CHAR};
    struct lib_data data, copy;
    int same = piece != NULL && packed != NULL && again != NULL;
    MPI_Type_contiguous(PIECE, MPI_CHAR, &whole);
    MPI_Type_create_hvector(PIECES, 1, 0, whole, &repeated);
    MPI_Type_contiguous(PIECES, whole, &contiguous);
    types[0] = repeated;
    MPI_Type_create_struct(2, lengths, places, types, &sent);
    types[0] = contiguous;
    places[1] = (MPI_Aint)PIECE * PIECES;
    MPI_Type_create_struct(2, lengths, places, types, &received);
    MPI_Type_commit(&sent);
    MPI_Type_commit(&received);
    for (int i = 0; same && i < PIECE; i++)
        piece[i] = (char)(i % 101);
    expect(same && lib_data_of(piece, sent, 1, &data) == MPI_SUCCESS &&
               lib_data_of(again, received, 1, &copy) == MPI_SUCCESS &&
               lib_data_bytes(&data) == size,
           "size", size, 1);
    expect(lib_data_pack(&data, packed, &self) == MPI_SUCCESS &&
               lib_data_unpack(&copy, packed, &self) == MPI_SUCCESS,
           "packing", size, 1);
    for (int i = 0; same && i < PIECES; i++)
        same = memcmp(packed + (size_t)i * PIECE, piece, PIECE) == 0;
    expect(same && memcmp(packed + size - REST, piece, REST) == 0 &&
               memcmp(packed, again, (size_t)size) == 0,
           "packed bytes", size, 1);
    MPI_Type_free(&whole);
    MPI_Type_free(&repeated);
    MPI_Type_free(&contiguous);
    MPI_Type_free(&sent);
    MPI_Type_free(&received);
    free(piece);
    free(packed);
    free(again);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    self.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(self.comm, &self.rank);
    if (argc > 1)
        pack_huge();
    for (int segments = 1; segments <= 25; segments++)
        for (int count = 0; count <= MOST; count++) {
            pack_elements(segments, count, 0);
            if (count == 1)
                pack_elements(segments, count, 1);
        }
    MPI_Finalize();
    return wrong;
}
