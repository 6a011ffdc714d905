/* signatures.h - macros that turn the arguments of a function in list.h into its parameters in C,
 * and into the values with which another function of the same signature is called. */
#ifndef MPI_LIBRARY_SIGNATURES_H
#define MPI_LIBRARY_SIGNATURES_H

#define LIB_PARAMETER(kind, name) LIB_PARAMETER_##kind(name)
#define LIB_PARAMETER_IN(name)    const void *name,
#define LIB_PARAMETER_OUT(name)   void *name,
#define LIB_PARAMETER_INT(name)   int name,
#define LIB_PARAMETER_INTS(name)  const int name[],
#define LIB_PARAMETER_TYPE(name)  MPI_Datatype name,
#define LIB_PARAMETER_OP(name)    MPI_Op name,
#define LIB_PARAMETER_COMM(name)  MPI_Comm name

#define LIB_VALUE(kind, name) LIB_VALUE_##kind(name)
#define LIB_VALUE_IN(name)    name,
#define LIB_VALUE_OUT(name)   name,
#define LIB_VALUE_INT(name)   name,
#define LIB_VALUE_INTS(name)  name,
#define LIB_VALUE_TYPE(name)  name,
#define LIB_VALUE_OP(name)    name,
#define LIB_VALUE_COMM(name)  name

#endif
