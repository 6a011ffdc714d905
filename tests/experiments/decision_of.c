/* decision_of.c - prints a decision file's choice: decision_of FILE COLLECTIVE P BYTES prints
 * algorithm, n and window as the MPI library would choose them, or "rule" if the file says
 * nothing. */
#include <inttypes.h>
#include <stdlib.h>

#include "mpi/choice/decisions.h"

int main(int argc, char *argv[])
{
    struct choice_decisions *decisions;
    struct choice_decision_row row;
    struct sup_error error;
    FILE *file = argc == 5 ? fopen(argv[1], "r") : NULL;
    if (file == NULL)
        return 2;
    if (choice_decisions_read(file, argv[1], &decisions, &error) != RB_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    fclose(file);
    const struct choice_situation situation = {
        .collective = argv[2], .p = atoi(argv[3]), .bytes = atoll(argv[4])};
    if (choice_decision_row_make(decisions, &situation, &row) != RB_OK)
        return 3;
    const struct choice_setting *setting = choice_decision_row_find(&row, situation.bytes);
    if (setting == NULL || setting->native) {
        puts(setting == NULL ? "rule" : "native");
    } else {
        const struct choice_result choice = choice_make(setting, &situation);
        printf("%s,%" PRId64 ",%" PRId32 "\n", choice.algorithm->name, choice.plan.n, choice.width);
    }
    choice_decision_row_free(&row);
    choice_decisions_free(decisions);
    return 0;
}
