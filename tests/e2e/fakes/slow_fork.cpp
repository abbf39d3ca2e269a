// A fork whose child comes to itself a second late, for shells that are started with this library
// (LD_PRELOAD). What a scheduler does to a busy machine for a moment, it does always.

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

extern "C" pid_t fork() {
    using Fork = pid_t (*)();
    static const auto real = reinterpret_cast<Fork>(dlsym(RTLD_NEXT, "fork"));
    const pid_t pid = real();
    if (pid == 0) {
        timespec left{1, 0};
        while (nanosleep(&left, &left) != 0 && errno == EINTR) {
        }
    }
    return pid;
}
