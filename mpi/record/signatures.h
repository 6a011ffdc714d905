/* signatures.h - turns the arguments of a call in list.h into parameters, the values that are
 * passed on, and the members of struct record_arguments, in C (RECORD_C...) and for Fortran
 * (RECORD_F...). Included in one file of each. */
#ifndef MPI_RECORD_SIGNATURES_H
#define MPI_RECORD_SIGNATURES_H

#define RECORD_C(kind, name) RECORD_KIND_##kind(RECORD_PICK_C, name)
#define RECORD_F(kind, name) RECORD_KIND_##kind(RECORD_PICK_F, name)
#define RECORD_V(kind, name) RECORD_KIND_##kind(RECORD_PICK_V, name) /* the arguments */
#define RECORD_M(kind, name) RECORD_KIND_##kind(RECORD_PICK_M, name)

#define RECORD_PICK_C(c, f, name, comma, ...) c RECORD_##comma
#define RECORD_PICK_F(c, f, name, comma, ...) f RECORD_##comma
#define RECORD_PICK_V(c, f, name, comma, ...) name RECORD_##comma
#define RECORD_PICK_M(c, f, name, comma, ...) __VA_ARGS__
#define RECORD_MORE                           ,
#define RECORD_LAST

/* Of each kind: the parameters in C and Fortran, where all is passed by its address, whether it is
 * the last one, and its members. RECORD_TO_... take the value out of what the language passes. */
/* clang-format off */
#define RECORD_KIND_IN(A, x) A(const void *x, void *x, x, MORE, .x = RECORD_TO_BUFFER(x),)
#define RECORD_KIND_OUT(A, x) A(void *x, void *x, x, MORE, .x = RECORD_TO_BUFFER(x),)
#define RECORD_KIND_INT(A, x) A(int x, MPI_Fint *x, x, MORE, .x = RECORD_TO_INT(x),)
#define RECORD_KIND_INTS(A, x) A(const int x[], MPI_Fint *x, x, MORE, .x = x,)
#define RECORD_KIND_TYPE(A, x) A(MPI_Datatype x, MPI_Fint *x, x, MORE, .x = RECORD_TO_TYPE(x),)
#define RECORD_KIND_TYPES(A, x) A(const MPI_Datatype x[], MPI_Fint *x, x, MORE, .x = x,)
#define RECORD_KIND_PLACES(A, x) A(const MPI_Aint x[], void *x, x, MORE, )
#define RECORD_KIND_OP(A, x) A(MPI_Op x, MPI_Fint *x, x, MORE, .x = RECORD_TO_OP(x),)
#define RECORD_KIND_COMM(A, x) A(MPI_Comm x, MPI_Fint *x, x, LAST, .x = RECORD_TO_COMM(x),)
#define RECORD_KIND_MCOMM(A, x) A(MPI_Comm x, MPI_Fint *x, x, MORE, .x = RECORD_TO_COMM(x),)
#define RECORD_KIND_ONE(A, x) A(MPI_Request *x, MPI_Fint *x, x, MORE, .x = x, .single = true,)
#define RECORD_KIND_ONE_(A, x) A(MPI_Request *x, MPI_Fint *x, x, LAST, .x = x, .single = true,)
#define RECORD_KIND_MREQUEST(A, x) A(MPI_Request x[], MPI_Fint *x, x, MORE, .x = x,)
#define RECORD_KIND_REQUEST(A, x) A(MPI_Request x[], MPI_Fint *x, x, LAST, .x = x,)
#define RECORD_KIND_STATUS_(A, x) A(MPI_Status *x, void *x, x, LAST, )
#define RECORD_KIND_FLAG(A, x) A(int *x, MPI_Fint *x, x, MORE, )
#define RECORD_KIND_INDEX(A, x) A(int *x, MPI_Fint *x, x, MORE, )
#define RECORD_KIND_MESSAGE(A, x) A(MPI_Message *x, MPI_Fint *x, x, MORE, )
/* clang-format on */

#endif
