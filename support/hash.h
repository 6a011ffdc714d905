/* hash.h - FNV-1a of 64 bits (Fowler, Noll, Vo): distinguishes texts and files, with the same
 * values on every machine. It does not protect against texts that somebody constructs to have the
 * same hash. */
#ifndef SUPPORT_HASH_H
#define SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SUP_HASH_START UINT64_C(14695981039346656037)

/* Extends `hash`, the hash of a text, by these bytes. */
static inline uint64_t sup_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
