/* solve_formula.c - solve_formula FORMULA DIMACS PROOF: the solver of satisfiability.c on a formula
 * in DIMACS's format. Writes the formula that it was given, and the proof. Status 10: it can be
 * satisfied, 20: it can't, 3: undecided. */
#include <stdio.h>

#include "schedules/redistribution/redistribution.h"

enum { MOST = 4096 };

static struct redist_formula *formula_of(FILE *file, FILE *dimacs, FILE *proof)
{
    struct redist_formula *const f = redist_formula_new();
    int32_t literal[MOST], value;
    int variables = 0, c;
    size_t count = 0;
    while ((c = fgetc(file)) == 'c')
        while ((c = fgetc(file)) != '\n' && c != EOF)
            ;
    ungetc(c, file);
    if (!f || fscanf(file, "p cnf %d %*d", &variables) != 1)
        return NULL;
    redist_formula_certify(f, dimacs, proof);
    while (variables-- > 0)
        redist_formula_variable(f);
    while (fscanf(file, "%d", &value) == 1)
        if (value != 0 && count < MOST)
            literal[count++] = value;
        else {
            redist_formula_clause(f, literal, count);
            count = 0;
        }
    return f;
}

int main(int argc, char **argv)
{
    static const int status_of[] = {[REDIST_NO] = 20, [REDIST_YES] = 10, [REDIST_UNDECIDED] = 3};
    FILE *const file = argc == 4 ? fopen(argv[1], "r") : NULL;
    FILE *const dimacs = argc == 4 ? fopen(argv[2], "w") : NULL;
    FILE *const proof = argc == 4 ? fopen(argv[3], "w") : NULL;
    struct redist_formula *const f =
        file && dimacs && proof ? formula_of(file, dimacs, proof) : NULL;
    enum redist_answer answer = REDIST_UNDECIDED;
    int64_t effort = INT64_C(1000000000);
    if (!f || redist_formula_solve(f, &effort, &answer) || fclose(dimacs) || fclose(proof))
        return 2;
    redist_formula_free(f);
    fclose(file);
    return status_of[answer];
}
