/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Made by number_powers.py: 10^k for every 28th k from -364, scaled by a power of two to 192 bits and truncated; the
 * highest 64 bits first. Times a power of five and rounded up to 128 bits they give all 10^k up to 324 exactly rounded,
 * which number_powers.py has checked one by one. */

#ifndef TRM_BASE_NUMBER_POWERS_H
#define TRM_BASE_NUMBER_POWERS_H

#include <stdint.h>

enum { FIRST_POWER = -364, POWERS_APART = 28 };

/* clang-format off */
static const uint64_t powers_of_ten[][3] = {
    {0xe1afa13afbd14d6d, 0x82189c09a3a1ec21, 0x7a43516213c7e04c}, /* -364 */
    {0xe3e27a444d8d98b7, 0xfd1b1b2308169b25, 0x363b1f2c568dc3e2}, /* -336 */
    {0xe61acf033d1a45df, 0x6fb92487298e33bd, 0xadd7728c20b99bd1}, /* -308 */
    {0xe858ad248f5c22c9, 0xd1b3400f8f9cff68, 0xf910f9f648232f14}, /* -280 */
    {0xea9c227723ee8bcb, 0x465e15a979c1cadc, 0x0a0ce827eac11f2d}, /* -252 */
    {0xece53cec4a314ebd, 0xa4f8bf5635246428, 0x4609ac5c7899ca36}, /* -224 */
    {0xef340a98172aace4, 0x86fb897116c87c34, 0x9c39c1da4c49278d}, /* -196 */
    {0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1, 0xf80f36174730ca34}, /* -168 */
    {0xf3e2f893dec3f126, 0x5a89dba3c3efccfa, 0xd8ecb58659be9c90}, /* -140 */
    {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5, 0xaa09501d5954a559}, /* -112 */
    {0xf8a95fcf88747d94, 0x75a44c6397ce912a, 0x33cca6c06b07b74d}, /* -84 */
    {0xfb158592be068d2e, 0xeed6e2f0f0d56712, 0xac2e4f162cfad40a}, /* -56 */
    {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc, 0x76dcb60081ce0fa5}, /* -28 */
    {0x8000000000000000, 0x0000000000000000, 0x0000000000000000}, /* 0 */
    {0x813f3978f8940984, 0x4000000000000000, 0x0000000000000000}, /* 28 */
    {0x82818f1281ed449f, 0xbff8f10e7a8921a4, 0x2000000000000000}, /* 56 */
    {0x83c7088e1aab65db, 0x792667c6da79e0fa, 0x0861d3ee22d1cc53}, /* 84 */
    {0x850fadc09923329e, 0x03e2cf6bc604ddb0, 0x74a7ef0198791097}, /* 112 */
    {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2, 0x5c6658d409fb8bf7}, /* 140 */
    {0x87aa9aff79042286, 0x90fb44d2f05d0842, 0xfb118fc9c217a1d2}, /* 168 */
    {0x88fcf317f22241e2, 0x441fece3bdf81f03, 0x12f274928400100d}, /* 196 */
    {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f, 0xbc10c5c5cda97c8d}, /* 224 */
    {0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e, 0x25c7b885ba466e37}, /* 252 */
    {0x8d07e33455637eb2, 0xdb0b487b6423e1e8, 0x7ec63730f500b406}, /* 280 */
    {0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648, 0x5961db50c6d2b886}, /* 308 */
};

static const uint64_t powers_of_five[POWERS_APART] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};
/* clang-format on */

#endif
