/* hash.h - FNV-1a of 64 bits (Fowler, Noll, Vo): distinguishes texts and files, with the same
 * values on every machine. It does not protect against texts that somebody constructs to have the
 * same hash. */
#ifndef SUPPORT_HASH_H
#define SUPPORT_HASH_H

#include <stdbool.h>
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

enum { SUP_HASH_DIGITS = 16 };

/* Takes the hash off the end of NAME#HASH, a name of *length characters; false: there is none. */
static inline bool sup_hash_take(const char *name, size_t *length, uint64_t *hash)
{
    if (*length <= SUP_HASH_DIGITS || name[*length - SUP_HASH_DIGITS - 1] != '#')
        return false;
    uint64_t value = 0;
    for (size_t i = *length - SUP_HASH_DIGITS; i < *length; i++) {
        const char c = name[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *hash = value;
    *length -= SUP_HASH_DIGITS + 1;
    return true;
}

#endif
