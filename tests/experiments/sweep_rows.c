/* sweep_rows.c - prints how many points a results file has, 0 if there is none: for
 * sweep_resume.sh, while a sweep is writing it. */
#include <stdio.h>

#include "experiments/results/results.h"

int main(int argc, char *argv[])
{
    sqlite3 *db;
    sqlite3_stmt *row = NULL;
    struct sup_error error;
    int rows = 0;

    if (argc == 2 && results_open(argv[1], &db, &error) == 0) {
        if (sqlite3_prepare_v2(db, "SELECT count(*) FROM points", -1, &row, NULL) == SQLITE_OK &&
            sqlite3_step(row) == SQLITE_ROW)
            rows = sqlite3_column_int(row, 0);
        sqlite3_finalize(row);
        sqlite3_close(db);
    }
    printf("%d\n", rows);
    return 0;
}
