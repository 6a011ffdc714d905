/* fail_call.c - runs a command and lets one of its system calls fail: the kernel reports the calls
 * of one kind, of the command and all its children, and this program refuses the chosen one
 * (seccomp's notifications).
 *
 * usage: fail_call CALL ERROR K[+] COUNT COMMAND...
 *   CALL   write (pwrite64 and writev, too), sync, rename, open, fork, pipe, mmap, close,
 * sigaction; all: of which none fails ERROR  ENOSPC, EIO, EMFILE, EAGAIN, ENOMEM, EDQUOT; SIGTERM:
 * instead of failing, the call meets this signal K      the K-th fails, with + those after it, too;
 * 0: none COUNT  a file that gets the number of calls; of `all` a line "CALL NUMBER" each Exit
 * status: the command's; 128 + the number of the signal that ended it; 125: this can't be done
 * here. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NUMBERS = 30, CANNOT = 125 };

/* Old calls that not all machines have are -1, which matches none. */
#ifdef __NR_open
#define OLD_OPEN   __NR_open
#define OLD_FORK   __NR_fork
#define OLD_VFORK  __NR_vfork
#define OLD_PIPE   __NR_pipe
#define OLD_RENAME __NR_rename
#else
#define OLD_OPEN   -1
#define OLD_FORK   -1
#define OLD_VFORK  -1
#define OLD_PIPE   -1
#define OLD_RENAME -1
#endif

static const struct kind {
    const char *name;
    int numbers[MOST_NUMBERS];
    int count;
} kinds[] = {
    {"write", {__NR_write, __NR_pwrite64, __NR_writev}, 3},
    {"sync", {__NR_fsync, __NR_fdatasync}, 2},
    {"rename", {OLD_RENAME, __NR_renameat, __NR_renameat2}, 3},
    {"open", {OLD_OPEN, __NR_openat}, 2},
    {"fork", {OLD_FORK, OLD_VFORK, __NR_clone, __NR_clone3}, 4},
    {"pipe", {OLD_PIPE, __NR_pipe2, __NR_socketpair, __NR_memfd_create}, 4},
    {"mmap", {__NR_mmap}, 1},
    {"close", {__NR_close}, 1},
    {"sigaction", {__NR_rt_sigaction}, 1},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool has(const struct kind *kind, int number)
{
    for (int i = 0; i < kind->count; i++)
        if (kind->numbers[i] == number)
            return true;
    return false;
}

static const struct kind *find_kind(const char *name)
{
    static struct kind all = {.name = "all"};
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(name, kinds[i].name) == 0)
            return &kinds[i];
        for (int k = 0; k < kinds[i].count; k++)
            all.numbers[all.count++] = kinds[i].numbers[k];
    }
    return strcmp(name, all.name) == 0 ? &all : NULL;
}

static const struct {
    const char *name;
    int number; /* negative: a signal's */
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EMFILE", EMFILE},   {"EAGAIN", EAGAIN},
              {"ENOMEM", ENOMEM}, {"EDQUOT", EDQUOT}, {"SIGTERM", -SIGTERM}};

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "fail_call: %s: %s\n", what, strerror(errno));
    _exit(CANNOT);
}

/* Calls of this kind wait for what the holder of the returned file says. */
static int show_calls(const struct kind *kind)
{
    struct sock_filter filter[MOST_NUMBERS + 3];
    unsigned short length = 0;
    filter[length++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < kind->count; i++)
        filter[length++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)kind->numbers[i], (uint8_t)(kind->count - i), 0);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {.len = length, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        give_up("prctl");
    return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

/* A file's number goes through a socket, beside one byte. */
static void pass(int channel, int *file, bool to)
{
    char byte = 0, room[CMSG_SPACE(sizeof *file)] = {0};
    struct iovec text = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (to) {
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof *file);
        memcpy(CMSG_DATA(head), file, sizeof *file);
        if (sendmsg(channel, &message, 0) != 1)
            give_up("sendmsg");
        return;
    }
    if (recvmsg(channel, &message, 0) != 1 || CMSG_FIRSTHDR(&message) == NULL)
        _exit(CANNOT); /* the child has said why */
    memcpy(file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof *file);
}

/* The listener must be handed over before the calls it waits for are made: sendmsg is of no kind.
 */
static _Noreturn void be_command(const struct kind *kind, int channel, char *words[])
{
    int listener = show_calls(kind);
    if (listener < 0)
        give_up("seccomp");
    pass(channel, &listener, true);
    execvp(words[0], words);
    give_up(words[0]);
}

int main(int argc, char *argv[])
{
    int error = 0;
    if (argc < 6) {
        fprintf(stderr, "usage: fail_call CALL ERROR K[+] COUNT COMMAND...\n");
        return CANNOT;
    }
    const struct kind *kind = find_kind(argv[1]);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(argv[2], errors[i].name) == 0)
            error = errors[i].number;
    char *rest;
    const int64_t first = strtoll(argv[3], &rest, 10);
    const bool for_ever = *rest == '+';
    if (kind == NULL || error == 0) {
        fprintf(stderr, "fail_call: no such call or error\n");
        return CANNOT;
    }
    int channels[2], listener;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels) != 0)
        give_up("socketpair");
    const pid_t child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0) {
        close(channels[0]);
        be_command(kind, channels[1], argv + 5);
    }
    close(channels[1]);
    pass(channels[0], &listener, false);

    int64_t calls = 0, of_kind[KINDS] = {0};
    int how = 0;
    for (bool running = true; running;) {
        struct pollfd wait = {.fd = listener, .events = POLLIN};
        const int ready = poll(&wait, 1, 20);
        if (ready > 0 && (wait.revents & POLLIN) != 0) {
            struct seccomp_notif call = {0};
            if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
                continue; /* it has died meanwhile */
            calls++;
            for (int i = 0; i < KINDS; i++)
                of_kind[i] += has(&kinds[i], call.data.nr);
            const bool due = first > 0 && (calls == first || (for_ever && calls > first));
            const bool refused = due && error > 0;
            if (due && error < 0)
                kill((pid_t)call.pid, -error);
            struct seccomp_notif_resp answer = {.id = call.id,
                                                .error = refused ? -error : 0,
                                                .flags =
                                                    refused ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE};
            ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
        }
        if (ready <= 0 || (wait.revents & POLLIN) == 0)
            running = waitpid(child, &how, WNOHANG) == 0;
    }
    FILE *count = fopen(argv[4], "w");
    if (count == NULL)
        give_up(argv[4]);
    if (strcmp(kind->name, "all") != 0)
        fprintf(count, "%" PRId64 "\n", calls);
    for (int i = 0; i < KINDS && strcmp(kind->name, "all") == 0; i++)
        fprintf(count, "%s %" PRId64 "\n", kinds[i].name, of_kind[i]);
    if (fclose(count) != 0)
        give_up(argv[4]);
    return WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
}
