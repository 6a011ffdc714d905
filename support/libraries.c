/* libraries.c - see libraries.h. */
#include "support/libraries.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

static const struct name {
    const char *text, *library;
    bool derived; /* another library, of which the same is known */
} names[] = {
    {"ompi", "ompi", false},
    {"openmpi", "ompi", false},
    {"customompi", "ompi", true},
    {"hpcx", "ompi", true},
    {"mpich", "mpich", false},
    {"mpich2", "mpich", false},
    {"mpich3", "mpich", false},
    {"mpich4", "mpich", false},
    {"craympich", "mpich", true},
    {"impi", "impi", false},
    {"intelmpi", "impi", false},
    {"intel(r)mpi", "impi", false},
    {"intel(r)mpilibrary", "impi", false},
    {"intelmpilibrary", "impi", false},
    {"mvapich2", "mvapich2", false},
    {"mvapich", "mvapich2", false},
    {"ucc", "ucc", false},
    {"fjmpi", "fujitsu", false},
    {"fujitsu", "fujitsu", false},
    {"fujitsumpi", "fujitsu", false},
    {"nccl", "nccl", false},
    {"rccl", "nccl", true},
    {"ncclmodel", "nccl", true},
    {"smpi", "smpi", false},
};

/* True if the text is the name, perhaps with a version. */
static bool is_named(const char *text, const char *name)
{
    for (;; text++, name++) {
        const char *begin = text;
        text += strspn(text, "_- ");
        if (*name == '\0' && *text == '\0')
            return true;
        if (*name == '\0') {
            text += strspn(text, "/@");
            return text > begin && (isdigit((unsigned char)*text) ||
                                    (*text == 'v' && isdigit((unsigned char)text[1])));
        }
        if (tolower((unsigned char)*text) != *name)
            return false;
    }
}

static const struct name *find(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_named(text, names[i].text))
            return &names[i];
    return NULL;
}

const char *sup_library_named(const char *text)
{
    const struct name *name = find(text);
    return name == NULL ? NULL : name->library;
}

bool sup_same_library(const char *a, const char *b)
{
    const struct name *left = find(a), *right = find(b);
    if (left == NULL || right == NULL)
        return strcmp(a, b) == 0;
    return left == right ||
           (strcmp(left->library, right->library) == 0 && !left->derived && !right->derived);
}

char *sup_algorithm_names(const char *list)
{
    static const char native[] = "native:";
    char *names_;
    size_t size;
    FILE *stream = sup_memory_open(&names_, &size);
    for (;;) {
        const size_t length = strcspn(list, ",");
        char *word = sup_strndup(list, length);
        const bool is_native = strncmp(word, native, sizeof native - 1) == 0;
        const char *library = is_native ? sup_library_named(word + sizeof native - 1) : NULL;
        fprintf(stream, "%s%s", library == NULL ? word : native, library == NULL ? "" : library);
        free(word);
        if (list[length] == '\0')
            break;
        fputc(',', stream);
        list += length + 1;
    }
    sup_memory_close(stream, &names_);
    return names_;
}
