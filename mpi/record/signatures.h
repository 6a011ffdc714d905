/* signatures.h - turns the arguments of a call in list.h into parameters, the values that are
 * passed on, and the members of struct record_arguments, in C (RECORD_C...) and for Fortran
 * (RECORD_F...). Included in one file of each. */
#ifndef MPI_RECORD_SIGNATURES_H
#define MPI_RECORD_SIGNATURES_H

/* Fortran passes everything by its address, so that the kinds differ in members only. */
#define RECORD_C(kind, name)    RECORD_C_##kind(name)
#define RECORD_C_IN(name)       const void *name,
#define RECORD_C_OUT(name)      void *name,
#define RECORD_C_INT(name)      int name,
#define RECORD_C_INTS(name)     const int name[],
#define RECORD_C_TYPE(name)     MPI_Datatype name,
#define RECORD_C_TYPES(name)    const MPI_Datatype name[],
#define RECORD_C_PLACES(name)   const MPI_Aint name[],
#define RECORD_C_OP(name)       MPI_Op name,
#define RECORD_C_COMM(name)     MPI_Comm name
#define RECORD_C_MCOMM(name)    MPI_Comm name,
#define RECORD_C_ONE(name)      MPI_Request *name,
#define RECORD_C_MREQUEST(name) MPI_Request name[],
#define RECORD_C_ONE_(name)     MPI_Request *name
#define RECORD_C_REQUEST(name)  MPI_Request name[]
#define RECORD_C_STATUS_(name)  MPI_Status *name
#define RECORD_C_FLAG(name)     int *name,
#define RECORD_C_INDEX(name)    int *name,
#define RECORD_C_MESSAGE(name)  MPI_Message *name,

#define RECORD_F(kind, name)    RECORD_F_##kind(name)
#define RECORD_F_IN(name)       void *name,
#define RECORD_F_OUT(name)      void *name,
#define RECORD_F_INT(name)      MPI_Fint *name,
#define RECORD_F_INTS(name)     MPI_Fint *name,
#define RECORD_F_TYPE(name)     MPI_Fint *name,
#define RECORD_F_TYPES(name)    MPI_Fint *name,
#define RECORD_F_PLACES(name)   void *name,
#define RECORD_F_OP(name)       MPI_Fint *name,
#define RECORD_F_COMM(name)     MPI_Fint *name
#define RECORD_F_MCOMM(name)    MPI_Fint *name,
#define RECORD_F_ONE(name)      MPI_Fint *name,
#define RECORD_F_MREQUEST(name) MPI_Fint *name,
#define RECORD_F_ONE_(name)     MPI_Fint *name
#define RECORD_F_REQUEST(name)  MPI_Fint *name
#define RECORD_F_STATUS_(name)  void *name
#define RECORD_F_FLAG(name)     MPI_Fint *name,
#define RECORD_F_INDEX(name)    MPI_Fint *name,
#define RECORD_F_MESSAGE(name)  MPI_Fint *name,

/* The arguments themselves. */
#define RECORD_V(kind, name)    RECORD_V_##kind(name)
#define RECORD_V_IN(name)       name,
#define RECORD_V_OUT(name)      name,
#define RECORD_V_INT(name)      name,
#define RECORD_V_INTS(name)     name,
#define RECORD_V_TYPE(name)     name,
#define RECORD_V_TYPES(name)    name,
#define RECORD_V_PLACES(name)   name,
#define RECORD_V_OP(name)       name,
#define RECORD_V_COMM(name)     name
#define RECORD_V_MCOMM(name)    name,
#define RECORD_V_ONE(name)      name,
#define RECORD_V_MREQUEST(name) name,
#define RECORD_V_ONE_(name)     name
#define RECORD_V_REQUEST(name)  name
#define RECORD_V_STATUS_(name)  name
#define RECORD_V_FLAG(name)     name,
#define RECORD_V_INDEX(name)    name,
#define RECORD_V_MESSAGE(name)  name,

/* Members. RECORD_TO_... take the value out of what the language passes. */
#define RECORD_M(kind, name) RECORD_M_##kind(name)
#define RECORD_M_IN(name)    .name = RECORD_TO_BUFFER(name),
#define RECORD_M_OUT(name)   .name = RECORD_TO_BUFFER(name),
#define RECORD_M_INT(name)   .name = RECORD_TO_INT(name),
#define RECORD_M_INTS(name)  .name = name,
#define RECORD_M_TYPE(name)  .name = RECORD_TO_TYPE(name),
#define RECORD_M_TYPES(name) .name = name,
#define RECORD_M_PLACES(name)
#define RECORD_M_OP(name)       .op = RECORD_TO_OP(name),
#define RECORD_M_COMM(name)     .comm = RECORD_TO_COMM(name),
#define RECORD_M_MCOMM(name)    .comm = RECORD_TO_COMM(name),
#define RECORD_M_ONE(name)      .request = name, .single = true,
#define RECORD_M_MREQUEST(name) .request = name,
#define RECORD_M_ONE_(name)     .request = name, .single = true,
#define RECORD_M_REQUEST(name)  .request = name,
#define RECORD_M_STATUS_(name)
#define RECORD_M_FLAG(name)
#define RECORD_M_INDEX(name)
#define RECORD_M_MESSAGE(name)

#endif
