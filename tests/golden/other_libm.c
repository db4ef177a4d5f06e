/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Another libm, for LD_PRELOAD: elementary functions return unusable values, and of two zeros fmin and fmax return
 * the other one than glibc. A result that depends on any of them differs. */

#define WRONG_1(name)                                                                                                \
    double name(double x);                                                                                           \
    double name(double x)                                                                                            \
    {                                                                                                                \
        return x + 12345;                                                                                            \
    }
#define WRONG_2(name)                                                                                                \
    double name(double x, double y);                                                                                 \
    double name(double x, double y)                                                                                  \
    {                                                                                                                \
        return x + y + 12345;                                                                                        \
    }

WRONG_1(sin)
WRONG_1(cos)
WRONG_1(tan)
WRONG_1(asin)
WRONG_1(acos)
WRONG_1(atan)
WRONG_1(sinh)
WRONG_1(cosh)
WRONG_1(tanh)
WRONG_1(exp)
WRONG_1(exp2)
WRONG_1(expm1)
WRONG_1(log)
WRONG_1(log2)
WRONG_1(log10)
WRONG_1(log1p)
WRONG_1(cbrt)
WRONG_2(atan2)
WRONG_2(pow)
WRONG_2(hypot)

double fmax(double a, double b);
double fmax(double a, double b)
{
    return b > a || a != a ? b : a;
}

double fmin(double a, double b);
double fmin(double a, double b)
{
    return b < a || a != a ? b : a;
}
