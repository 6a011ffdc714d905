/* interchange.h - plans of other programs: --algorithm file:NAME. */
#ifndef INTERCHANGE_INTERCHANGE_H
#define INTERCHANGE_INTERCHANGE_H

/* From now on algorithms whose names begin with "file:" are the plans of files (rb_resolve_by). A
 * file is read when it is first named, once for each collective. The algorithm's own name is
 * "file:NAME#HASH", with the hash of the content in 16 digits, and this name is found if the file
 * has that content. */
void inter_start(void);

#endif
