/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Written by elementary_tables.py. 2/pi, and polynomials for sines and tangents. */

#ifndef TRM_BASE_ELEMENTARY_TRIG_TABLES_H
#define TRM_BASE_ELEMENTARY_TRIG_TABLES_H

/* pi/2 = a + b + c, a and b of 33 bits each: times whole numbers below 2^20 they are exact */
static const double half_pi_a = 0x1.921fb54400000p+0;
static const double half_pi_b = 0x1.0b4611a600000p-34;
static const double half_pi_c = 0x1.3198a2e037073p-69;
static const double half_pi_high = 0x1.921fb54442d18p+0;
static const double half_pi_low = 0x1.1a62633145c07p-54;
static const double two_over_pi = 0x1.45f306dc9c883p-1;

/* 2/pi = 0.w0 w1 w2 ... in base 2^32 */
static const uint32_t two_over_pi_words[40] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
};

/* sin y = y + y^3 p(y^2), |y| <= pi/4: to 2^-58.0 */
static const double sine[6] = {
    -0x1.5555555555549p-3, 0x1.111111110f8a5p-7,   -0x1.a01a019c15e6bp-13,
    0x1.71de357ae3e90p-19, -0x1.ae5e686c1ff52p-26, 0x1.5d939409920e2p-33,
};

/* cos y = 1 - y^2/2 + y^4 p(y^2), |y| <= pi/4: to 2^-64.2 */
static const double cosine[6] = {
    0x1.555555555554cp-5,   -0x1.6c16c16c1521ep-10, 0x1.a01a019cbf389p-16,
    -0x1.27e4f8128ee1cp-22, 0x1.1ee9f132b093dp-29,  -0x1.8fb11e4ff41ebp-37,
};

/* tan y = y + y^3 p(y^2), |y| <= 1/8: to 2^-64.2 */
static const double tangent[6] = {
    0x1.5555555555552p-2, 0x1.1111111113149p-3, 0x1.ba1ba1ad263a5p-5,
    0x1.664f5bac62595p-6, 0x1.225fe519d692dp-7, 0x1.e1527e3e987a8p-9,
};

/* the same for |y| <= 1/128: to 2^-68.2 */
static const double short_tangent[3] = {
    0x1.5555555555567p-2,
    0x1.1111110dcbc4cp-3,
    0x1.ba2123d0d3d2bp-5,
};

/* tan and -1/tan of j/64 from j = 8 on, high and low part */
static const double tangents[44][2][2] = {
    {{0x1.01577af1511a5p-3, -0x1.fba60a478d2b0p-59}, {-0x1.fd549f047f2bbp+2, 0x1.dd9692ca6a963p-52}},
    {{0x1.21e9e01751d9cp-3, -0x1.8f2e9b85cdb48p-60}, {-0x1.c41b6e16b12a5p+2, -0x1.076ef732da2c3p-53}},
    {{0x1.42a13df7bb968p-3, -0x1.981948de81ac0p-57}, {-0x1.9642dfe1e2e1ap+2, -0x1.ceb9151d9c965p-52}},
    {{0x1.6381f20021d08p-3, -0x1.9360ee39e7d86p-58}, {-0x1.70b09206b713cp+2, 0x1.35c2b2a1f008cp-53}},
    {{0x1.84906f1132568p-3, 0x1.20efcd2f809c3p-60}, {-0x1.5152ecde725d4p+2, 0x1.c2459b4a46691p-53}},
    {{0x1.a5d13ffc776f5p-3, 0x1.b89182a3a38d7p-57}, {-0x1.36bb4ba8dc3c3p+2, 0x1.9e689479fc6e5p-53}},
    {{0x1.c7490a1d1e12dp-3, 0x1.d2fc0e48d3694p-58}, {-0x1.1fe3ca5d33b3fp+2, -0x1.11deba0ee721dp-53}},
    {{0x1.e8fc900f0376bp-3, -0x1.b971a98dc7fb0p-57}, {-0x1.0c0c5ac10bd72p+2, 0x1.1e9f317af4a78p-52}},
    {{0x1.05785a43c4c56p-2, -0x1.9c6bfe7769a3dp-58}, {-0x1.f549e32cf4a2dp+1, -0x1.8660b94a24842p-53}},
    {{0x1.16953ea9fb257p-2, 0x1.06b03f377d8f0p-59}, {-0x1.d67ecf37820b0p+1, 0x1.c1b562a959669p-54}},
    {{0x1.27d78b40b7704p-2, 0x1.f391de0df335dp-56}, {-0x1.bb0c1f15f69b8p+1, -0x1.0546aa34f2e3dp-53}},
    {{0x1.3941ead97b329p-2, -0x1.736dee67c7385p-57}, {-0x1.a26a8a4e8ca66p+1, -0x1.1843e243342bap-53}},
    {{0x1.4ad71ed51ce39p-2, -0x1.b8c42b22fff4bp-56}, {-0x1.8c2dd5f22504fp+1, -0x1.b6f3bec921475p-54}},
    {{0x1.5c9a01043014bp-2, -0x1.8a3aeeb99c243p-57}, {-0x1.77fe63a91fd68p+1, 0x1.f574fd695e517p-54}},
    {{0x1.6e8d85a6493e1p-2, -0x1.80e8ea578b238p-56}, {-0x1.65948276b6054p+1, 0x1.9493d59810650p-53}},
    {{0x1.80b4bd8b3bdd9p-2, 0x1.5a80279094351p-59}, {-0x1.54b4f854524b0p+1, 0x1.8b500f090fcbdp-53}},
    {{0x1.9312d859bf8b0p-2, -0x1.de9ddeb7d4180p-57}, {-0x1.452e6965e8ca9p+1, 0x1.e243bd7252b52p-53}},
    {{0x1.a5ab26ff403edp-2, -0x1.522f5c7d91fa7p-59}, {-0x1.36d75ebb2dd4fp+1, 0x1.f04fb3efd28eep-53}},
    {{0x1.b8811e4d009c3p-2, -0x1.2f8192327ea6bp-58}, {-0x1.298cc1a8f880bp+1, -0x1.060e535bc958ep-54}},
    {{0x1.cb9859c724099p-2, -0x1.923f8a8057bf7p-57}, {-0x1.1d30ad8065c39p+1, 0x1.e1f0e9c4f228bp-53}},
    {{0x1.def49eaab37a1p-2, 0x1.1e48c7a265428p-56}, {-0x1.11a9820c4ac36p+1, 0x1.1e5c9331afbccp-53}},
    {{0x1.f299df303cebbp-2, -0x1.925b4a577d0aap-58}, {-0x1.06e1273254d1ep+1, -0x1.dcb9c8b137f2ap-53}},
    {{0x1.03461f08a685dp-1, -0x1.71d22a449a2eap-55}, {-0x1.f988ec812776dp+0, 0x1.c34e90ba199e9p-55}},
    {{0x1.0d68092bdb64ep-1, -0x1.9115b88532a0ap-55}, {-0x1.e68580cb4f770p+0, -0x1.53cf7f4158ab8p-54}},
    {{0x1.17b4f5bf3474ap-1, 0x1.0c5e59201e209p-55}, {-0x1.d49ad7e47c0a3p+0, 0x1.6cbbe6c2202ecp-54}},
    {{0x1.222f4af63cacdp-1, 0x1.5ffe451c2abd6p-56}, {-0x1.c3af471cf89e9p+0, -0x1.aadd128c21aacp-55}},
    {{0x1.2cd98fea0ab88p-1, 0x1.bf004c33955cbp-57}, {-0x1.b3ac276242a65p+0, 0x1.93d5c9462aa61p-56}},
    {{0x1.37b66f4018e8ep-1, -0x1.1899339e50c0ep-56}, {-0x1.a47d66fccfb82p+0, -0x1.81133447cd4cfp-54}},
    {{0x1.42c8ba0e9537ap-1, -0x1.1817d3747956ap-56}, {-0x1.96112daddfad8p+0, 0x1.392b918ccb82fp-54}},
    {{0x1.4e136b0504b5fp-1, -0x1.cfa9c233bbb31p-56}, {-0x1.88578fb363680p+0, 0x1.91dcc52738e80p-54}},
    {{0x1.5999a9e0f5129p-1, -0x1.ebf504ca1c5d4p-56}, {-0x1.7b424cf35d401p+0, -0x1.5ef58253613e5p-55}},
    {{0x1.655ecf3776ef1p-1, -0x1.a80657cbfeeb6p-55}, {-0x1.6ec49a203fbfbp+0, -0x1.f4589c898b96cp-58}},
    {{0x1.7166689d41ef0p-1, -0x1.f44ffce65ed2bp-55}, {-0x1.62d2f21781688p+0, -0x1.2524c991e1448p-55}},
    {{0x1.7db43d38b62cap-1, 0x1.489d3c731da14p-55}, {-0x1.5762ee12c99d9p+0, 0x1.57ea5f3a7d853p-54}},
    {{0x1.8a4c52ca75a77p-1, 0x1.4d66e6bea4d61p-55}, {-0x1.4c6b238899d3ep+0, -0x1.9de93036ea998p-54}},
    {{0x1.9732f33b14612p-1, 0x1.c2d4507fd437ap-57}, {-0x1.41e306cf7f186p+0, -0x1.1f9740dea4b74p-54}},
    {{0x1.a46cb2be6a0b2p-1, -0x1.29a64ecb1df2ep-56}, {-0x1.37c2d1c1ecdd8p+0, 0x1.e476b84d1f009p-54}},
    {{0x1.b1fe769f7154ep-1, 0x1.32aa55fd9947dp-56}, {-0x1.2e036dc35920fp+0, 0x1.16dad7c6e8a92p-55}},
    {{0x1.bfed7cca66b49p-1, 0x1.8d237cd4d9245p-55}, {-0x1.249e60a2eacf4p+0, -0x1.ef45f058ade36p-54}},
    {{0x1.ce3f642e15af6p-1, -0x1.98cfacf28c6b2p-55}, {-0x1.1b8dbbee75267p+0, -0x1.47a4a0249e905p-54}},
    {{0x1.dcfa36110eeecp-1, -0x1.f3cf665127fd2p-57}, {-0x1.12cc0e5ab0d93p+0, 0x1.c459df86d573ap-54}},
    {{0x1.ec24707bf6687p-1, 0x1.8cb6d1fadd1dap-55}, {-0x1.0a5456f48167bp+0, -0x1.dba76a11c765bp-54}},
    {{0x1.fbc511df5917fp-1, 0x1.4e6ef3dde2f07p-55}, {-0x1.0221f9db45cd1p+0, 0x1.ac1bd9f7711bcp-56}},
    {{0x1.05f1d310d7282p+0, -0x1.a71bbb015eecdp-54}, {-0x1.f4616c9c7b208p-1, 0x1.2f35a7425766ep-56}},
};

#endif
