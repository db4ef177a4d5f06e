/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Locks for a program of one thread, where the C library has none: nobody is ever kept out. Waiting for another thread would last
 * forever, and ends the program instead. */

#ifndef TRM_WASM_PTHREAD_H
#define TRM_WASM_PTHREAD_H

#include <stdlib.h>
#include <time.h>

typedef int pthread_mutex_t, pthread_cond_t, pthread_condattr_t;

#define PTHREAD_MUTEX_INITIALIZER 0

#define TRM_NOTHING(name, type)                                                                                      \
    static inline int name(type *what)                                                                               \
    {                                                                                                                \
        (void)what;                                                                                                  \
        return 0;                                                                                                    \
    }
TRM_NOTHING(pthread_mutex_lock, pthread_mutex_t)
TRM_NOTHING(pthread_mutex_unlock, pthread_mutex_t)
TRM_NOTHING(pthread_mutex_destroy, pthread_mutex_t)
TRM_NOTHING(pthread_cond_signal, pthread_cond_t)
TRM_NOTHING(pthread_cond_broadcast, pthread_cond_t)
TRM_NOTHING(pthread_cond_destroy, pthread_cond_t)
TRM_NOTHING(pthread_condattr_init, pthread_condattr_t)
TRM_NOTHING(pthread_condattr_destroy, pthread_condattr_t)
#undef TRM_NOTHING

static inline int pthread_mutex_init(pthread_mutex_t *lock, const void *how)
{
    (void)how;
    *lock = 0;
    return 0;
}

static inline int pthread_cond_init(pthread_cond_t *condition, const void *how)
{
    (void)how;
    *condition = 0;
    return 0;
}

static inline int pthread_condattr_setclock(pthread_condattr_t *how, clockid_t clock)
{
    (void)how, (void)clock;
    return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    (void)condition, (void)lock;
    abort();
}

static inline int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                         const struct timespec *until)
{
    (void)condition, (void)lock, (void)until;
    abort();
}

#endif
