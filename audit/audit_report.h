/* audit_report.h - an audit as tables: text, CSV, JSON. */
#ifndef AUDIT_AUDIT_REPORT_H
#define AUDIT_AUDIT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "audit/audit.h"

enum audit_table { AUDIT_SUMMARY, AUDIT_LOSSES, AUDIT_RULES, AUDIT_POINTS, AUDIT_TABLES };
/* The values of --what. */
extern const char *const audit_table_names[AUDIT_TABLES];

/* Tables as text; `set` has the bit 1u << AUDIT_... of each. Of losses at most `top`; 0: all. Write
 * errors show in the stream. */
void audit_text(const struct audit *audit, unsigned set, int64_t top, FILE *stream);
void audit_csv(const struct audit *audit, enum audit_table table, FILE *stream);
/* Adds the threshold and an array for each table to the object, and returns it. Missing memory
 * shows in out_memory_refused. */
json_t *audit_json(const struct audit *audit, unsigned set, json_t *head);

/* "from 512KiB", "below p = 64 = 2^6": where the point's decision becomes wrong; NULL: nowhere. */
enum { AUDIT_CLIFF_SIZE = 96 };
const char *audit_cliff_text(const struct audit_point *point, char buffer[AUDIT_CLIFF_SIZE]);

#endif
