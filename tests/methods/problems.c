/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Problems with known answers (docs/problems.md): each is read from its example, run with the example's own options
 * and compared with what is published for it, column by column as `trammel run` writes them. */

#include <dirent.h>
#include <string.h>

#include "check.h"
#include "machines.h"
#include "running.h"
#include "sanitized.h"

static const double REFERENCE = 1e-7;         /* m, rad, and their rates: what meeting a smooth problem means */
static const double CHAOTIC_REFERENCE = 1e-5; /* from 10 s on, where the motion is chaotic */
static const double CONTACT_REFERENCE = 1e-6; /* m, m/s, rad/s: what meeting one with friction or impacts means */
static const double OPEN = 1e-10;             /* m, rad: how far joints may open in them */
/* L^2 - 2 T J2, which decides how long the wing nut stays near its middle axis, is 4e-9 of L^2: rounding to 1e-15 in
 * L and T shifts each turn by some 1e-7 s. At 20 s the spin was off by 7e-9 to 3e-7 rad/s at eight steps from 0.01
 * to 2 s, the longest no worse than the shortest. */
static const double WING_NUT_REFERENCE = 1e-6; /* rad/s, s */

enum { MOST_KNOWN = 6, MOST_VALUES = 4, MOST_COLUMNS = 7 };

/* How columns are converted to the published values. */
typedef enum reading {
    AS_THEY_ARE,
    UP_TO_THE_SIGN, /* a quaternion, whose sign is arbitrary */
    IN_BODY_AXES,   /* a quaternion followed by the angular velocity in world axes */
    TURNING_TIME, /* the same columns: the time at which the wing nut's spin about its middle axis is zero, by one step of Newton's method */
} reading;

typedef struct known {
    double t;            /* s */
    const char *columns; /* in the form of the option --columns */
    reading how;
    double values[MOST_VALUES];
} known;

typedef struct problem {
    const char *name, *file;
    trm_constant set; /* a constant of the model that is replaced; name NULL: none */
    bool is_chaotic;
    bool with_reactions; /* whether reactions of joints are computed, N and N m */
    double tolerance;    /* 0: REFERENCE */
    known list[MOST_KNOWN];
} problem;

static const problem problems[] = {
    {.name = "R01 pendulum",
     .file = "problems/r01-pendulum",
     .list = {{1, "bob.x,bob.y", AS_THEY_ARE, {0.98629175113187532, -0.16501085312554117}},
              {5, "bob.x,bob.y", AS_THEY_ARE, {-0.94230543504375734, -0.33475433841400058}},
              {10, "bob.x,bob.y", AS_THEY_ARE, {-0.27508746257611686, -0.96141920509912506}}}},
    {.name = "R02 two four-bars through their singular pose",
     .file = "problems/r02-four-bars-2",
     .list = {{1, "v0.B.x,v0.B.y", AS_THEY_ARE, {-0.19502030194943509, -0.98079920566217383}},
              {10, "v0.B.x,v0.B.y", AS_THEY_ARE, {0.32845811154081538, 0.94451853817860096}},
              {10, "v0.B.vx,v0.B.vy", AS_THEY_ARE, {1.4230514702069441, -0.49486884548704296}}}},
    {.name = "R03 Andrews' squeezer",
     .file = "problems/r03-andrews-squeezer",
     .list = {{0.03,
               "O.q,F.q,B.q,G.q",
               AS_THEY_ARE,
               {15.810771195153707, -15.756371058411839, 0.040822240119645805, -0.53473011634207959}},
              {0.03, "A5.q,H.q,A7.q", AS_THEY_ARE, {0.52440996587995407, 0.53473011634207959, 1.0480807410419379}},
              {0.03, "O.qd", AS_THEY_ARE, {1139.9203022591061}}}},
    {.name = "R05 flyball governor",
     .file = "problems/r05-flyball-governor",
     .list = {{0.1, "s.q", AS_THEY_ARE, {0.523836475569575}},
              {0.5, "s.q", AS_THEY_ARE, {0.7432494247863233}},
              {1, "s.q", AS_THEY_ARE, {0.5014209223795674}},
              {2, "s.q", AS_THEY_ARE, {0.5059092942967048}},
              {5, "s.q", AS_THEY_ARE, {0.535563103721644}},
              {10, "axle.qd,s.q", AS_THEY_ARE, {5.548203622654944, 0.6196229170613613}}}},
    {.name = "R04 Bricard, slender rods",
     .file = "bricard",
     .list = {{1,
               "rod2.P3.x,rod2.P3.y,rod2.P3.z",
               AS_THEY_ARE,
               {0.27333391580954414, -0.8865440007919623, -0.46264428523411044}},
              {2,
               "rod2.P3.x,rod2.P3.y,rod2.P3.z",
               AS_THEY_ARE,
               {-0.7799472277881708, -0.9806356304379846, -0.19584116093277387}},
              {10,
               "rod2.P3.x,rod2.P3.y,rod2.P3.z",
               AS_THEY_ARE,
               {0.9992646100894302, -0.9999997297996154, -0.0007351195114094836}}}},
    {.name = "R04 Bricard, rods of 0.1 m section",
     .file = "bricard",
     .set = {"side", 0.1},
     .list = {{1,
               "rod2.P3.x,rod2.P3.y,rod2.P3.z",
               AS_THEY_ARE,
               {0.2744813192645076, -0.8867079387346553, -0.46233000268740765}},
              {2,
               "rod2.P3.x,rod2.P3.y,rod2.P3.z",
               AS_THEY_ARE,
               {-0.7781353730334096, -0.9803526834432752, -0.19725267061707832}},
              {10,
               "rod2.P3.x,rod2.P3.y,rod2.P3.z",
               AS_THEY_ARE,
               {0.9997309873038563, -0.9999999638258174, -0.00026897651222823935}}}},
    {.name = "R08 four-bar of Drake",
     .file = "problems/r08-four-bar",
     .list = {{1, "Ao.q", AS_THEY_ARE, {3.0413451001574511}},
              {2, "Ao.q", AS_THEY_ARE, {3.1769258019161146}},
              {5, "Ao.q", AS_THEY_ARE, {-1.4887909190585605}},
              {10, "Ao.q", AS_THEY_ARE, {1.0148378717112184}}}},
    {.name = "R10 heavy top",
     .file = "problems/r10-heavy-top",
     .list = {{0.2,
               "top.q*",
               UP_TO_THE_SIGN,
               {-0.70827915297431256, 0.4387810881265819, 0.54572839614541767, 0.08939975282400501}},
              {1,
               "top.cm.x,top.cm.y,top.cm.z",
               AS_THEY_ARE,
               {0.17334396409838604, 0.64008859207056878, -0.74849079113358131}},
              {2,
               "top.cm.x,top.cm.y,top.cm.z",
               AS_THEY_ARE,
               {-0.15041682274564176, -0.72416559163689565, -0.6730222695604441}}}},
    {.name = "R11 axisymmetric free body",
     .file = "problems/r11-free-axisymmetric",
     .list = {{10,
               "body.q*",
               UP_TO_THE_SIGN,
               {-0.18587191651153787, 0.19593818983383423, -0.78596706529286711, -0.5561615131343468}},
              {10, "body.x,body.y,body.z", AS_THEY_ARE, {-41, 57, -426.5}}}},
    {.name = "R11 wing nut of Dzhanibekov",
     .file = "problems/r11-free-dzhanibekov",
     .tolerance = WING_NUT_REFERENCE,
     .list = {{6.1851993075147443, "body.q*,body.w*", TURNING_TIME, {6.1851993075147443}},
              {18.555597922544233, "body.q*,body.w*", TURNING_TIME, {18.555597922544233}},
              {20, "body.q*,body.w*", IN_BODY_AXES, {0.29168299272993214, 1.9786159384155659, 0.26383721293648386}},
              {30.925996537573722, "body.q*,body.w*", TURNING_TIME, {30.925996537573722}}}},
    {.name = "R12 babyboot",
     .file = "problems/r12-babyboot",
     .is_chaotic = true,
     .list = {{1, "swing.q,turn.q", AS_THEY_ARE, {1.4224259239962573, 0.034660979598013764}},
              {5, "swing.q,turn.q", AS_THEY_ARE, {-0.78884966817239791, -5.7250535417716227}},
              {10, "swing.q,turn.q", AS_THEY_ARE, {-1.0701134366014188, -16.222449647007136}},
              {10, "swing.qd,turn.qd", AS_THEY_ARE, {-6.7440080753737698, -2.7795696723106602}}}},
    {.name = "R13 double pendulum",
     .file = "problems/r13-double-pendulum",
     .is_chaotic = true,
     .list = {{1, "tip.x,tip.y", AS_THEY_ARE, {-0.74846111591139514, -1.0216983147399718}},
              {5, "tip.x,tip.y", AS_THEY_ARE, {0.2674034053863978, -1.6250745510325342}},
              {10, "tip.x,tip.y", AS_THEY_ARE, {-1.3348073306145803, 0.080518237739346619}},
              {15, "tip.x,tip.y", AS_THEY_ARE, {0.81989456616278151, -0.46308803608972351}}}},
    {.name = "R13 chain of eight",
     .file = "problems/r13-chain-8",
     .list = {{0.5, "p8.x,p8.y", AS_THEY_ARE, {1.3372825489331943, -1.2261473359852107}},
              {1, "p8.x,p8.y", AS_THEY_ARE, {-1.7205691352052994, -0.97296608256237791}},
              {1.5, "p8.x,p8.y", AS_THEY_ARE, {-1.8177463666665649, -0.32096273549682116}}}},
    {.name = "R15 bead on a cycloid",
     .file = "problems/r15f-cycloid",
     .list = {{0.2, "bead.x,bead.y", AS_THEY_ARE, {0.62442068609815818, 0.23235943204990196}},
              {0.5, "bead.x,bead.y", AS_THEY_ARE, {0.0039972563998494006, 7.9890719132938447e-6}},
              {1, "bead.x,bead.y", AS_THEY_ARE, {-0.72730383668707389, 0.35400475357024714}}}},
    {.name = "R14 car axis",
     .file = "problems/r14-car-axis",
     .list = {{0.5,
               "left.x,left.y,right.x,right.y",
               AS_THEY_ARE,
               {0.047887818061671225, 0.49708968718082172, 1.0435771499755328, 0.40433865315462835}},
              {1,
               "left.x,left.y,right.x,right.y",
               AS_THEY_ARE,
               {0.027182095440113456, 0.49891155262926493, 1.024548795970379, 0.42638800698116773}},
              {2,
               "left.x,left.y,right.x,right.y",
               AS_THEY_ARE,
               {-0.045604483642859456, 0.49744534321897109, 0.95174076059278757, 0.57026336159723778}},
              {3,
               "left.x,left.y,right.x,right.y",
               AS_THEY_ARE,
               {0.049345578427524092, 0.49698946023000811, 1.0417425248854261, 0.37391102726536582}},
              {3,
               "left.vx,left.vy,right.vx,right.vy",
               AS_THEY_ARE,
               {-0.077058368403592084, 0.0074468665920684165, 0.017556815753541737, 0.77034104377960106}}}},
    {.name = "R13b double pendulum of Chrono",
     .file = "problems/r13b-double-pendulum-chrono",
     .list = {{1, "lower.tip.x,lower.tip.y", AS_THEY_ARE, {-0.52925434816396008, -1.7889028517286482}},
              {5, "lower.tip.x,lower.tip.y", AS_THEY_ARE, {0.88287821188983792, -1.7543972242523779}}}},
    {.name = "R06 revolute 01",
     .file = "problems/r06-revolute",
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {-0.8923814855285571, 0, -1.7898757734231416}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {-1.9996838688879206, 0, -0.03555874754762388}},
              {5, "body.v*", AS_THEY_ARE, {-0.01466570993195807, 0, 0.8247417470740084}},
              {5,
               "body.q*",
               UP_TO_THE_SIGN,
               {0.00628620629300952, -0.00628620629312061, 0.7070788383273977, 0.7070788383274228}},
              {5, "body.w*", AS_THEY_ARE, {0, 0.4124360654741982, 0}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {0.5102298617956414, 0, 0.24825958691779076}}}},
    {.name = "R06 revolute 02",
     .file = "problems/r06-revolute",
     .set = {"case", 2},
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {1.0421038069655617, 3.413900150194352, 1.5860998498064447}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {1.209960507426935, 3.4063990517132563, 1.5936009482921958}},
              {5, "body.v*", AS_THEY_ARE, {-5.158949212250114, 0.3850882838303536, -0.3850882838175611}},
              {5,
               "body.q*",
               UP_TO_THE_SIGN,
               {0.6867166963519941, -0.2844473691355804, 0.2560005929636038, 0.6180401035090944}},
              {5, "body.w*", AS_THEY_ARE, {0, 1.8340986528514622, 1.8340986528598335}},
              {5,
               "joint.fx,joint.fy,joint.fz",
               AS_THEY_ARE,
               {-2.118869707770588, -9.409300993215375, 19.215950993180524}}}},
    {.name = "R06 spherical 01",
     .file = "problems/r06-spherical",
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {-0.8923814855285452, 0, -1.7898757734227764}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {-1.9996838688830452, 0, -0.035558747544772146}},
              {5, "body.v*", AS_THEY_ARE, {-0.014665709930563804, 0, 0.8247417470771921}},
              {5, "body.q*", UP_TO_THE_SIGN, {0.00889003819544196, 0, 0.9999604828296378, 0}},
              {5, "body.w*", AS_THEY_ARE, {0, 0.4124360654753789, 0}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {0.5102298617959541, 0, 0.24825958691770889}}}},
    {.name = "R06 spherical 02",
     .file = "problems/r06-spherical",
     .set = {"case", 2},
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {0.10761851447144037, 2.0000000000000027, 1.210124226577183}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {-0.9996838688831925, 2.0000000000001945, 2.964441252454718}},
              {5, "body.v*", AS_THEY_ARE, {-0.014665709930438926, 0, 0.824741747076703}},
              {5,
               "body.q*",
               UP_TO_THE_SIGN,
               {0.008213324332006833, -0.003402070330500358, 0.9238430234064096, 0.38266830979869054}},
              {5, "body.w*", AS_THEY_ARE, {0, 0.4124360654753042, 0}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {0.5102298617958183, 0, 0.24825958691770583}}}},
    {.name = "R06 prismatic 02",
     .file = "problems/r06-prismatic",
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {3, -0.4516625000000408, 0.5483375000000389}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {3, -59.29156250000076, -58.29156249999926}},
              {5, "body.v*", AS_THEY_ARE, {0, -24.51662500000031, -24.51662499999969}},
              {5, "body.q*", UP_TO_THE_SIGN, {0.9238795325112868, -0.38268343236508967, 0, 0}},
              {5, "body.w*", AS_THEY_ARE, {0, 0, 0}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {0, -4.903325000000007, 4.903325000000006}}}},
    {.name = "R06 cylindrical 03",
     .file = "problems/r06-cylindrical",
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {1.0421038069658304, 0.9622376501942896, -0.8655626501942897}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {1.2099605074083557, -57.88516344828522, -59.697961551714805}},
              {5, "body.v*", AS_THEY_ARE, {-5.158949212259775, -24.131536716212427, -24.901713283787554}},
              {5,
               "body.q*",
               UP_TO_THE_SIGN,
               {0.6867166963483117, -0.28444736913549956, 0.256000592965364, 0.6180401035124943}},
              {5, "body.w*", AS_THEY_ARE, {0, 1.8340986528574041, 1.8340986528573966}},
              {5,
               "joint.fx,joint.fy,joint.fz",
               AS_THEY_ARE,
               {-2.1188697075787624, -14.312625993235711, 14.312625993235708}}}},
    {.name = "R06 universal 01",
     .file = "problems/r06-universal",
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {0, -0.892381485528554, -1.7898757734227324}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {0, -1.9996838688830976, -0.03555874754467306}},
              {5, "body.v*", AS_THEY_ARE, {0, -0.01466570993065649, 0.8247417470768843}},
              {5, "body.q*", UP_TO_THE_SIGN, {0.7133650446204212, -0.7007926320344007, 0, 0}},
              {5, "body.w*", AS_THEY_ARE, {-0.4124360654752568, 0, 0}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {0, 0.5102298617959058, 0.2482595869177162}}}},
    {.name = "R06 universal 02",
     .file = "problems/r06-universal",
     .set = {"case", 2},
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {0.8923814855285548, 0, -1.7898757734228408}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {1.9996838688832923, 0, -0.035558747545326036}},
              {5, "body.v*", AS_THEY_ARE, {0.014665709930876025, 0, 0.8247417470761672}},
              {5, "body.q*", UP_TO_THE_SIGN, {0.7133650446204668, 0, -0.7007926320343537, 0}},
              {5, "body.w*", AS_THEY_ARE, {0, -0.41243606547487643, 0}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {-0.5102298617965311, 0, 0.24825958691779432}}}},
    {.name = "R06 distance 01",
     .file = "problems/r06-distance",
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {0, -0.9565450384356696, -1.7564229528913424}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {0, -1.9999980684879957, -0.002779575027417344}},
              {5, "body.v*", AS_THEY_ARE, {0, -0.00032449868488880224, 0.23348775905958652}},
              {5, "body.q*", UP_TO_THE_SIGN, {1, 0, 0, 0}},
              {5, "body.w*", AS_THEY_ARE, {0, 0, 0}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {0, 0.040887439699085794, 5.68249080403017e-05}}}},
    {.name = "R06 distance 03",
     .file = "problems/r06-distance",
     .set = {"case", 3},
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {0, 1.588487779411058, -3.670107743551729}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {0, 3.955759379861551, -0.3015865267156565}},
              {5, "body.v*", AS_THEY_ARE, {0, -0.1744119769881414, -2.4176347233575797}},
              {5,
               "body.q*",
               UP_TO_THE_SIGN,
               {0.7068679686571153, 0.018375932263318462, 0.018375932263325033, -0.706867968657142}},
              {5, "body.w*", AS_THEY_ARE, {-0.6303160409875458, 0, 0}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {0, -0.9489004888832782, 0.1964708567837752}}}},
    {.name = "R06 revolute-spherical 01",
     .file = "problems/r06-revolute-spherical",
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {0.775822341026581, 0.8050221232249014, -1.0804707086587912}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {-1.327821518258364, 1.2400302792556872, -1.2868270319178585}},
              {5, "body.v*", AS_THEY_ARE, {0.6626665487753933, -0.663793843478039, 4.8274460851922205}},
              {5,
               "body.q*",
               UP_TO_THE_SIGN,
               {-0.5378113317936711, 0.40364930066747506, 0.14410636464731097, -0.7259886838877807}},
              {5, "body.w*", AS_THEY_ARE, {-1.1297000981343264, 2.9861490293923523, -0.596731635262049}}}},
    {.name = "R06 spring 02",
     .file = "problems/r06-spring",
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {0, -0.5973274305584336, -2.189068610195342}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {0, -1.9451978504541918, -0.7674009950436815}},
              {5, "body.v*", AS_THEY_ARE, {0, -0.652461994646413, 2.814500069717579}},
              {5, "body.q*", UP_TO_THE_SIGN, {1, 0, 0, 0}},
              {5, "body.w*", AS_THEY_ARE, {0, 0, 0}}}},
    {.name = "R07 spatial slider-crank",
     .file = "problems/r07-spatial-slider-crank",
     .list = {{0.2,
               "A.q,A.qd,way.q,way.qd",
               AS_THEY_ARE,
               {1.2309269184530869, 8.780697905471994, 0.2605459326886888, 0.3949024945243844}},
              {1,
               "A.q,A.qd,way.q,way.qd",
               AS_THEY_ARE,
               {10.484073838523997, 10.229888391902373, 0.2337647503354786, -0.5377057053553828}},
              {1, "conrod.w*", AS_THEY_ARE, {2.510744177529491, 1.2295262653281531, -2.58192250690994}},
              {2,
               "A.q,A.qd,way.q,way.qd",
               AS_THEY_ARE,
               {20.031285981096737, 8.421894316010132, 0.2583044434165218, 0.3885523303509495}},
              {5,
               "A.q,A.qd,way.q,way.qd",
               AS_THEY_ARE,
               {51.36943988790106, 7.903679714688506, 0.25465008546590195, 0.37782716838038066}}}},
    {.name = "R07b spatial slider-crank with two balls",
     .file = "problems/r07b-spatial-slider-crank-balls",
     .list = {{0.2,
               "A.q,A.qd,way.q,way.qd",
               AS_THEY_ARE,
               {1.2304044065618667, 8.772121737271522, 0.2605224299414258, 0.394628720769833}},
              {1,
               "A.q,A.qd,way.q,way.qd",
               AS_THEY_ARE,
               {10.56794311515332, 10.035669882923495, 0.2293541906653151, -0.5274048870744081}},
              {1, "conrod.w*", AS_THEY_ARE, {1.0814357147974423, 2.370522876705093, -1.8610941543551267}},
              {2,
               "A.q,A.qd,way.q,way.qd",
               AS_THEY_ARE,
               {20.145711628335214, 9.29107491025942, 0.2634260874657214, 0.40242617463607144}},
              {5,
               "A.q,A.qd,way.q,way.qd",
               AS_THEY_ARE,
               {51.68065983159514, 10.363114642817566, 0.26838556936257024, 0.4140806005358787}}}},
    {.name = "R15a slider with pendulum and spring",
     .file = "problems/r15a-slider-pendulum",
     .list =
         {{0.5, "rail.q,rail.qd,pin.q", AS_THEY_ARE, {0.029115155926818573, 0.2210646701724643, -0.4980964696684363}},
          {1, "rail.q,rail.qd,pin.q", AS_THEY_ARE, {0.24502934291767814, 0.3437201631463259, -1.8129184183622378}},
          {2, "rail.q,rail.qd,pin.q", AS_THEY_ARE, {-0.3159119241675373, -0.6616505441695872, -2.873253770907382}},
          {5, "rail.q,rail.qd,pin.q", AS_THEY_ARE, {-0.5045374625934916, -1.3797884937528744, -2.161149245960109}}}},
    {.name = "R15b screw",
     .file = "problems/r15b-screw",
     .with_reactions = true,
     .list = {{1,
               "bar.z,bar.vz,bar.wz,thread.q",
               AS_THEY_ARE,
               {-4.204285714285715, -8.40857142857143, -42.042857142857144, -21.021428571428572}},
              {1, "thread.fx,thread.fy,thread.fz", AS_THEY_ARE, {0, 0, 1.4014285714285715}}}},
    {.name = "R15e Hooke joint",
     .file = "problems/r15e-hooke-joint",
     .with_reactions = true,
     .list =
         {{0.05, "out.q,out.qd,drive.tx", AS_THEY_ARE, {0.4419066357632715, 9.188230059269278, 0.37685484253610624}},
          {0.1, "out.q,out.qd,drive.tx", AS_THEY_ARE, {0.9328060446709113, 10.523022094013498, 0.6117398629554373}},
          {0.17, "out.q,out.qd,drive.tx", AS_THEY_ARE, {1.71971298629891, 11.483460111932876, -0.22341814140073768}},
          {0.25, "out.q,out.qd,drive.tx", AS_THEY_ARE, {2.567371382010482, 9.511977702786458, -0.4764706524863447}}}},
    {.name = "R15h spherical pendulum",
     .file = "problems/r15h-spherical-pendulum",
     .with_reactions = true,
     .list =
         {{1, "bob.x,bob.y,bob.z", AS_THEY_ARE, {-0.5874533306639215, -0.1111004099128507, -0.8015954610706463}},
          {2, "bob.x,bob.y,bob.z", AS_THEY_ARE, {0.5508056559419164, 0.21554370875287654, -0.806321300102788}},
          {5, "bob.x,bob.y,bob.z", AS_THEY_ARE, {-0.33289369571936456, -0.43447753111745463, -0.8369056471935079}},
          {10, "bob.x,bob.y,bob.z", AS_THEY_ARE, {-0.04662581203366267, 0.4041918847769261, -0.9134850595016197}},
          {10, "bob.v*", AS_THEY_ARE, {-1.5723152241815173, 0.7617466029275806, 0.41730542311009433}},
          {10, "bar.fx,bar.fy,bar.fz", AS_THEY_ARE, {0.5682691166222112, -4.926236247472111, 11.133432859802902}}}},
    {.name = "R03 Andrews' squeezer of IFToMM",
     .file = "problems/r03b-andrews-squeezer-iftomm",
     .list =
         {{0.01, "K1.F.x,K1.F.y,O.q", AS_THEY_ARE, {-0.003851290593627334, 0.005845302452691188, 2.153381340198999}},
          {0.03,
           "K1.F.x,K1.F.y,O.q",
           AS_THEY_ARE,
           {-0.006970260781767989, -0.000644565461490999, 15.800174670662798}},
          {0.05,
           "K1.F.x,K1.F.y,O.q",
           AS_THEY_ARE,
           {-0.005158985250188092, 0.004731265284080116, 33.81534072136005}}}},
    {.name = "R09 slider-crank",
     .file = "problems/r09-slider-crank",
     .with_reactions = true,
     .list = {{0.01,
               "slider.x,slider.vx,slider.ax",
               AS_THEY_ARE,
               {0.27604747551703057, -23.826664587333486, 1719.1961998299416}},
              {0.01, "rod.wz,drive.tz", AS_THEY_ARE, {-6.1209188973656605, -25.781025747768588}},
              {0.01, "O.fx,O.fy", AS_THEY_ARE, {154.0701519476839, -209.31061804395787}},
              {0.01,
               "B.fx,B.fy,C.fx,C.fy",
               AS_THEY_ARE,
               {158.6968954657642, -144.43974470765318, 130.65891118707557, -79.56887137134848}},
              {0.02,
               "slider.x,slider.vx,way.fy,drive.tz",
               AS_THEY_ARE,
               {0.15376845425922708, -1.6315519962564413, 11.46597494932997, -2.0356102426791987}},
              {0.04,
               "slider.x,slider.vx,way.fy,drive.tz",
               AS_THEY_ARE,
               {0.4499050450439197, 9.521664212678798, 67.72600059328032, -29.268834393273522}}}},
    {.name = "R06 rotation spring 01",
     .file = "problems/r06-rotation-spring",
     .with_reactions = true,
     .list = {{1, "body.x,body.y,body.z", AS_THEY_ARE, {1.9949209374699033, 0.0, -0.1424445620028737}},
              {1, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {-0.1714373294109393, 0.0, 7.811281528972615}},
              {5, "body.x,body.y,body.z", AS_THEY_ARE, {1.9904391270557888, 0.0, -0.19532557816177087}},
              {5, "body.v*", AS_THEY_ARE, {-1.5090864410905884e-06, 0.0, -1.537814211930008e-05}},
              {5,
               "body.q*",
               UP_TO_THE_SIGN,
               {0.7062612058452723, -0.7062612058452558, 0.034570350272893915, 0.03457035027296015}},
              {5, "joint.fx,joint.fy,joint.fz", AS_THEY_ARE, {0.0021094954612856194, 0.0, 9.828146532009772}}}},
    {.name = "R06 linear actuator 01",
     .file = "problems/r06-linear-actuator",
     .with_reactions = true,
     .list = {{1, "plate.z,plate.vz,actuator.fz", AS_THEY_ARE, {1, 1, 9.80665}},
              {5, "plate.z,plate.vz,actuator.fz", AS_THEY_ARE, {5, 1, 9.80665}}}},
    {.name = "R15c mass, damper 0.0, spring",
     .file = "problems/r15c-mass-damper-spring",
     .set = {"zeta", 0.0},
     .list = {{4.25, "way.q,way.qd", AS_THEY_ARE, {2.9495623411427752, -1.6433922116802061}}}},
    {.name = "R15c mass, damper 0.2, spring",
     .file = "problems/r15c-mass-damper-spring",
     .set = {"zeta", 0.2},
     .list = {{1.0, "way.q,way.qd", AS_THEY_ARE, {-1.545396350352583, -1.0124147886902561}}}},
    {.name = "R15c mass, damper 1.0, spring",
     .file = "problems/r15c-mass-damper-spring",
     .set = {"zeta", 1.0},
     .list = {{1.0, "way.q,way.qd", AS_THEY_ARE, {0.59744482041436732, -1.3442508459323265}}}},
    {.name = "R15c mass, damper 1.1, spring",
     .file = "problems/r15c-mass-damper-spring",
     .set = {"zeta", 1.1},
     .list = {{1.0, "way.q,way.qd", AS_THEY_ARE, {0.72429047964851565, -1.3405502882938501}}}},
    {.name = "R15g driven rod",
     .file = "problems/r15g-driven-rod",
     .with_reactions = true,
     .list =
         {{0.1, "pin.q,pin.qd,drive.tz", AS_THEY_ARE, {0.23641616532907166, 2.2928075739014544, 0.86795995967538224}},
          {0.4, "pin.q,pin.qd,drive.tz", AS_THEY_ARE, {0.74563126877378108, 0.86965861074401659, 2.382709068389681}},
          {1.0,
           "pin.q,pin.qd,drive.tz",
           AS_THEY_ARE,
           {0.11289600644789378, -2.3759819918410691, 0.4192398417542418}}}},
    {.name = "R26 caught by a rope",
     .file = "problems/r26-rope",
     .with_reactions = true,
     .list = {{0.61562771820421146 + 0.25,
               "p.x,p.y,rope.fx,rope.fy",
               AS_THEY_ARE,
               {-0.067841666091976853, -0.99769610019377379, 0.7062406822317575, 10.386147850577984}},
              {0.61562771820421146 + 0.5,
               "p.x,p.y,rope.fx,rope.fy",
               AS_THEY_ARE,
               {-0.19453997537245362, -0.98089459065797949, 1.9271298169440034, 9.716826628136495}},
              {0.61562771820421146 + 1.0,
               "p.x,p.y,rope.fx,rope.fy",
               AS_THEY_ARE,
               {-0.097821947710585795, -0.99520393213959289, 1.0110257018241602, 10.28579758937587}},
              {0.61562771820421146 + 2.0,
               "p.x,p.y,rope.fx,rope.fy",
               AS_THEY_ARE,
               {0.095631188303981133, -0.99541683521204749, -0.9889942051990375, 10.294355839780952}}}},
    {.name = "R16 a block slides down a slope",
     .file = "problems/r16-block-incline",
     .tolerance = CONTACT_REFERENCE,
     .list = {{1, "block.x,block.vx", AS_THEY_ARE, {1.1781436183311985, 2.3562872366623971}}}},
    {.name = "R16 a block just slides",
     .file = "problems/r16-block-incline",
     .set = {"mu", 0.57},
     .tolerance = CONTACT_REFERENCE,
     .list = {{1, "block.x,block.vx", AS_THEY_ARE, {0.031222874829277209, 0.062445749658554419}}}},
    {.name = "R16 a block just sticks",
     .file = "problems/r16-block-incline",
     .set = {"mu", 0.58},
     .tolerance = CONTACT_REFERENCE,
     .list = {{1, "block.x,block.y,block.z,block.vx", AS_THEY_ARE, {0, 0, 0.1, 0}}}},
    {.name = "R16 a tall box stands",
     .file = "problems/r16t-topple",
     .tolerance = CONTACT_REFERENCE,
     .list = {{1, "box.x,box.y,box.z,box.wy", AS_THEY_ARE, {0, 0, 0.25, 0}}}},
    {.name = "R16 a tall box has tipped over",
     .file = "problems/r16t-topple",
     .set = {"slope", 23 * 0.017453292519943295},
     .tolerance = CONTACT_REFERENCE,
     .list = {{2, "box.z,box.wx,box.wy,box.wz", AS_THEY_ARE, {0.1, 0, 0, 0}}}},
    {.name = "R17 a ball rolls down a slope",
     .file = "problems/r17-rolling-incline",
     .tolerance = CONTACT_REFERENCE,
     .list =
         {{1, "ball.x,ball.vx,ball.wy", AS_THEY_ARE, {0.90679101159133167, 1.8135820231826633, 36.271640463653267}}}},
    {.name = "R17 a hoop",
     .file = "problems/r17-rolling-incline",
     .set = {"arm", 1},
     .tolerance = CONTACT_REFERENCE,
     .list =
         {{1, "ball.x,ball.vx,ball.wy", AS_THEY_ARE, {0.63475370811393217, 1.2695074162278643, 25.390148324557287}}}},
    {.name = "R18 a ball slides, then rolls",
     .file = "problems/r18-billiard",
     .tolerance = CONTACT_REFERENCE,
     .list = {{1.9416533178001068,
               "ball.x,ball.vx,ball.wy",
               AS_THEY_ARE,
               {33.285485448001831, 14.285714285714286, 14.285714285714286}},
              {3, "ball.vx,ball.wy", AS_THEY_ARE, {14.285714285714286, 14.285714285714286}}}},
    {.name = "R19 a ball bounces",
     .file = "problems/r19-bouncing-ball",
     .tolerance = CONTACT_REFERENCE,
     .list = {{1, "ball.vz,ball.low.z", AS_THEY_ARE, {-1.3940508556669617, 0.71094914433303833}},
              {2, "ball.vz,ball.low.z", AS_THEY_ARE, {3.1872221811425339, 0.013684362285067738}},
              {5, "ball.vz,ball.low.z", AS_THEY_ARE, {-1.1184100332989199, 0.12154865483912441}},
              {8, "ball.vz,ball.low.z", AS_THEY_ARE, {0.24187778362009209, 0.0011926587227729161}}}},
    {.name = "R20 a rod hits without friction",
     .file = "problems/r20-rod-impact",
     .tolerance = CONTACT_REFERENCE,
     .list = {{0.2, "rod.vx,rod.vz,rod.wy", AS_THEY_ARE, {0, -0.4, 2.5455844122715711}}}},
    {.name = "R20 a rod sticks",
     .file = "problems/r20-rod-impact",
     .set = {"case", 2},
     .tolerance = CONTACT_REFERENCE,
     .list = {{0.2, "rod.vx,rod.vz,rod.wy", AS_THEY_ARE, {0.375, -0.375, 1.0606601717798213}}}},
    {.name = "R20 a rod slides fast",
     .file = "problems/r20-rod-impact",
     .set = {"case", 3},
     .tolerance = CONTACT_REFERENCE,
     .list = {{0.2,
               "rod.vx,rod.vz,rod.wy",
               AS_THEY_ARE,
               {-3.9361702127659574, -0.36170212765957447, 2.4372616713238447}}}},
    {.name = "R21 a double pendulum hits the floor",
     .file = "problems/r21-double-pendulum-impact",
     .tolerance = CONTACT_REFERENCE,
     .list = {{1e-7, "upper.wz,lower.wz", AS_THEY_ARE, {-0.23050263059640954, 0.29187509983962221}}}},
    {.name = "R21 with friction",
     .file = "problems/r21-double-pendulum-impact",
     .set = {"mu", 0.5},
     .tolerance = CONTACT_REFERENCE,
     .list = {{1e-7, "upper.wz,lower.wz", AS_THEY_ARE, {-0.19717970613818509, 0.21960668440432969}}}},
    {.name = "R22 Newton's cradle",
     .file = "problems/r22-newtons-cradle",
     .tolerance = CONTACT_REFERENCE,
     .list = {{0.2, "a.vx,b.vx,c.vx,d.vx", AS_THEY_ARE, {0, 0, 0, 0}}, {0.2, "f.vx", AS_THEY_ARE, {1}}}},
    {.name = "R22 with e = 0.9",
     .file = "problems/r22-newtons-cradle",
     .set = {"e", 0.9},
     .tolerance = CONTACT_REFERENCE,
     .list = {{0.2,
               "a.vx,b.vx,c.vx,d.vx",
               AS_THEY_ARE,
               {0.04352508203125, 0.04537296484375, 0.047296640625, 0.0492990625}},
              {0.2, "f.vx", AS_THEY_ARE, {0.81450625}}}},
    {.name = "R23 Painleve's rod",
     .file = "problems/r23-painleve-rod",
     .tolerance = CONTACT_REFERENCE,
     .list = {{1e-7, "rod.vx,rod.vy,rod.wz", AS_THEY_ARE, {-1.0 / 3, 1.0 / 3, 0.47140452079103168}}}},
    {.name = "R24 a coin rolls",
     .file = "problems/r24-rolling-coin",
     .list = {{0.1,
               "coin.x,coin.y,coin.z",
               AS_THEY_ARE,
               {-5.7423878980379545e-5, 0.0014262443493951197, 0.0098921372708252856}},
              {0.2,
               "coin.x,coin.y,coin.z",
               AS_THEY_ARE,
               {-0.0028888431392258367, -0.00011790002594325527, 0.0096810646722072063}},
              {0.5,
               "coin.x,coin.y,coin.z",
               AS_THEY_ARE,
               {8.2752918448342619e-5, 0.0015817819005007513, 0.0097608738425817192}}}},
    {.name = "R25 a rimless wheel", /* each step of the walk continues by 2 sin(pi/8) */
     .file = "problems/r25-rimless-wheel",
     .tolerance = CONTACT_REFERENCE,
     .list = {{1.03436648857477042, "wheel.x", AS_THEY_ARE, {0.76536686473017954}},
              {2.06873297714954084, "wheel.x", AS_THEY_ARE, {1.53073372946035908}}}},
    {.name = "R27 a block on a spring with friction",
     .file = "problems/r27-spring-block",
     .tolerance = CONTACT_REFERENCE,
     .list = {{0.44428829381583662, "block.x", AS_THEY_ARE, {-0.84304}},
              {0.88857658763167325, "block.x", AS_THEY_ARE, {0.68608}},
              {1.3328648814475099, "block.x", AS_THEY_ARE, {-0.52912}},
              {2.2214414690791831, "block.x", AS_THEY_ARE, {-0.2152}},
              {2.6657297628950197, "block.x,block.vx", AS_THEY_ARE, {0.05824, 0}},
              {4, "block.x,block.vx", AS_THEY_ARE, {0.05824, 0}}}},
    {.name = "R30 a rod falls",
     .file = "problems/r30-falling-rod",
     .tolerance = CONTACT_REFERENCE,
     .list = {{0.24730968341474896, "rod.x,rod.z", AS_THEY_ARE, {0, 0.25}},
              {0.29444262314897784,
               "rod.x,rod.z,rod.vx,rod.wy",
               AS_THEY_ARE,
               {0.029546203754918947, 0.17399754483166074, 0.6623956728975773, 3.8069253996567762}},
              {0.5, "rod.x,rod.z,rod.vx,rod.wy", AS_THEY_ARE, {0.08034059802569962, 0, 0, 0}}}},
    {.name = "S01 swinging pendulum",
     .file = "problems/s01-swinging-pendulum",
     .list = {{10, "bob.x,bob.y", AS_THEY_ARE, {0.015727983627, -0.999876307614}}}},
    {.name = "S02 rotating pendulum",
     .file = "problems/s02-rotating-pendulum",
     .list = {{10, "bob.x,bob.y", AS_THEY_ARE, {-0.9157283468, 0.4017979528}}}},
    {.name = "S03 triple rocker",
     .file = "problems/s03-triple-rocker",
     .list = {{1, "A.q,B.q,D.q", AS_THEY_ARE, {0.643416644252, 0.515877227773 - 0.643416644252, 1.67504612201}},
              {10, "A.q,B.q,D.q", AS_THEY_ARE, {1.42161340614, -0.35063438358 - 1.42161340614, 2.34625799418}}}},
    {.name = "S04 crank rocker",
     .file = "problems/s04-crank-rocker",
     .list = {{1, "A.q,B.q,D.q", AS_THEY_ARE, {11.8774189615, 1.22511215948 - 11.8774189615, 2.07673221921}},
              {10, "A.q,B.q,D.q", AS_THEY_ARE, {102.47385794, 0.50681669725 - 102.47385794, 1.87158635702}}}},
    {.name = "S05 parallelogram through its singular poses",
     .file = "problems/s05-parallelogram",
     .list = {{1, "A.q", AS_THEY_ARE, {10.69580700686}}, {10, "A.q", AS_THEY_ARE, {93.2382293537}}}},
    {.name = "S06 slider crank",
     .file = "problems/s06-slider-crank",
     .list = {{1, "O.q,B.q,way.q", AS_THEY_ARE, {12.4588326329, 0.0536912087631 - 12.4588326329, 2.991341308}},
              {10, "O.q,B.q,way.q", AS_THEY_ARE, {108.407255828, -0.52345511276 - 108.407255828, 1.70988702381}}}},
    {.name = "S07 slider rocker",
     .file = "problems/s07-slider-rocker",
     .list = {{1, "O.q,B.q,way.q", AS_THEY_ARE, {0.503489466296, 10.730106268522 - 0.503489466296, 1.489447645174}},
              {10, "O.q,B.q,way.q", AS_THEY_ARE, {-0.366390441, 113.896101210 + 0.366390441, 2.564844708}}}},
    {.name = "S08 Bricard",
     .file = "problems/s08-bricard",
     .list = {{1, "P1.q,P2.q", AS_THEY_ARE, {-1.2198823576, -1.8294894698}},
              {10, "P1.q,P2.q", AS_THEY_ARE, {-2.0929325976, -0.1005967791}}}},
    {.name = "S09 RSSR",
     .file = "problems/s09-rssr",
     .list = {{1, "A.q,D.q", AS_THEY_ARE, {9.421850551081, 4.189919347303}},
              {10, "A.q,D.q", AS_THEY_ARE, {92.7375475217, 4.2067087120}}}},
    {.name = "S10 unequal loop",
     .file = "problems/s10-unequal-loop",
     .is_chaotic = true,
     .list = {{1,
               "P0.q,P1.q,P2.q,P3.q",
               AS_THEY_ARE,
               {-3.05285241311, -2.21984970462 + 3.05285241311, -0.118765157762 + 2.21984970462,
                1.35948412174 + 0.118765157762}},
              {10,
               "P0.q,P1.q,P2.q,P3.q",
               AS_THEY_ARE,
               {-1.46228284737, -1.83901707884 + 1.46228284737, 0.999763294236 + 1.83901707884,
                2.29894430976 - 0.999763294236}}}},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* ---- Reading ------------------------------------------------------------------------------ */

static trm_model *model_of(const problem *p)
{
    char path[300];
    snprintf(path, sizeof path, TRM_EXAMPLES "/%s.json", p->file);
    const trm_read_options options = {.set = &p->set, .set_count = p->set.name ? 1 : 0};
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    const trm_status status = trm_read_model_file(path, &options, NULL, messages, &def);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

/* Computes the present values of the columns; returns their number. */
static int read_columns(const running *r, const char *columns, double *values)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_results *results = NULL;
    const trm_status status = trm_results_create(r->model, columns, NULL, messages, &results);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    const int count = trm_result_count(results);
    assert_true(count <= MOST_COLUMNS);
    for (int i = 0; i < count; i++) values[i] = trm_result_value(results, i, trm_sim_state(r->sim));
    trm_results_destroy(results);
    return count;
}

static trm_vec3 spin_in_body(const double columns[7])
{
    const trm_quat q = {columns[0], columns[1], columns[2], columns[3]};
    return trm_rotate_back(q, trm_v3(columns[4], columns[5], columns[6]));
}

/* Computes the published quantities from their columns; returns their number. */
static int read_known(const running *r, const known *k, double *values)
{
    const int count = read_columns(r, k->columns, values);
    const bool is_spin = k->how == IN_BODY_AXES || k->how == TURNING_TIME;
    assert_int_equal(is_spin, count == 7);
    const trm_vec3 w = is_spin ? spin_in_body(values) : trm_v3(0, 0, 0);
    switch (k->how) {
    case AS_THEY_ARE: return count;
    case UP_TO_THE_SIGN:
        for (int i = 0, turned = values[0] * k->values[0] < 0; i < count; i++) values[i] *= turned ? -1 : 1;
        return count;
    case IN_BODY_AXES: values[0] = w.x, values[1] = w.y, values[2] = w.z; return 3;
    case TURNING_TIME: values[0] = k->t - w.y / (w.z * w.x); return 1; /* J2 w2' = (J3 - J1) w3 w1, J = (1, 10, 11) */
    }
    return 0;
}

/* ---- Comparison --------------------------------------------------------------------------- */

static double tolerance_of(const problem *p, double t)
{
    if (p->tolerance > 0) return p->tolerance;
    return p->is_chaotic && t >= 10 ? CHAOTIC_REFERENCE : REFERENCE;
}

/* Prints the differences and asserts that they are within the tolerance. */
static void compare(const running *r, const known *k, double tolerance)
{
    double values[MOST_COLUMNS], error = 0;
    const int count = read_known(r, k, values);
    assert_true(count > 0 && count <= MOST_VALUES);
    for (int i = 0; i < count; i++) error = fmax(error, fabs(values[i] - k->values[i]));
    print_message("    %-24s at %7.4g s: off by %.1e of %.0e\n", k->columns, k->t, error, tolerance);
    for (int i = 0; i < count; i++) assert_near(values[i], k->values[i], tolerance);
}

static void check_gaps(const running *r)
{
    const trm_accuracy a = trm_sim_accuracy(r->sim);
    assert_true(a.observed > 1);
    assert_true(a.gap.position <= OPEN);
    assert_true(a.gap.angle <= OPEN);
}

static void the_published_solution_is_reached(void **state)
{
    const problem *p = *state;
    running r = run_model(model_of(p), NULL);
    trm_sim_enable_reactions(r.sim, p->with_reactions);
    for (int i = 0; i < MOST_KNOWN && p->list[i].columns; i++) {
        assert_true(p->list[i].t <= trm_sim_options(r.sim)->time);
        go(&r, p->list[i].t);
        compare(&r, &p->list[i], tolerance_of(p, p->list[i].t));
    }
    check_gaps(&r);
    stop(&r);
}

/* ---- By other methods --------------------------------------------------------------------- */

/* Another method for the same problem, and its accuracy. */
typedef struct way {
    const char *problem, *method;
    trm_option own; /* of the method; name NULL: none */
    double order, step, error, tolerance;
} way;

static const way ways[] = {
    {"R13 chain of eight", "taylor", {0}, 20, 0.005, NAN, 1e-12},
    {"R13 chain of eight", "taylor", {0}, 8, 0.001, NAN, 1e-12},
    {"R13 chain of eight", "impulse", {0}, 8, 0.0025, NAN, 1e-12},
    {"R13 chain of eight", "lagrange", {"lagrange", "integrator", "fehlberg8", 0}, 2, 0.005, 1e-12, 1e-12},
    {"R14 car axis", "impulse", {0}, 8, 0.001, NAN, 1e-11},
    {"R14 car axis", "lagrange", {"lagrange", "integrator", "fehlberg8", 0}, 2, 0.005, 1e-12, 1e-10},
};

static const problem *find_problem(const char *name)
{
    for (int i = 0; i < PROBLEMS; i++)
        if (strcmp(problems[i].name, name) == 0) return &problems[i];
    return NULL;
}

static running start_way(const problem *p, const way *w)
{
    trm_model *model = model_of(p);
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = w->method;
    options.order = w->order;
    options.step = w->step;
    options.error = w->error;
    options.options = &w->own;
    options.option_count = w->own.name ? 1 : 0;
    return run_model(model, &options);
}

static void other_methods_meet_it_too(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const problem *p = find_problem(ways[i].problem);
        running r = start_way(p, &ways[i]);
        print_message("    %s by %s, order %g\n", p->name, ways[i].method, trm_sim_options(r.sim)->order);
        for (int k = 0; k < MOST_KNOWN && p->list[k].columns; k++) {
            go(&r, p->list[k].t);
            compare(&r, &p->list[k], ways[i].tolerance);
        }
        stop(&r);
    }
}

/* ---- The car axis ------------------------------------------------------------------------- */

static double error_of_car_axis(double step, const void *context)
{
    const way order_two = {"", "impulse", {0}, 2, step, NAN, 0};
    const problem *p = context;
    double values[MOST_COLUMNS], error = 0;
    running r = start_way(p, &order_two);
    go_every(&r, 1, 1);
    for (int i = 0, n = read_columns(&r, p->list[1].columns, values); i < n; i++)
        error = fmax(error, fabs(values[i] - p->list[1].values[i]));
    stop(&r);
    return error;
}

/* An axle with prescribed motion does not reduce the order. */
static void the_car_axis_has_order_two_at_order_two(void **unused)
{
    (void)unused;
    assert_near(order_between(error_of_car_axis, find_problem("R14 car axis"), 0.002), 2, 0.3);
}

/* The multipliers of the two conditions at 3 s: the force along the axle, and twice the force along the rod, which
 * acts on the right mass in the opposite direction. */
static void the_car_axis_pushes_with_the_known_forces(void **unused)
{
    (void)unused;
    static const double LAMBDA[] = {-0.0047368865908533265, -0.0011046803312595658};
    static const double FORCE = 1e-9; /* N: of 5e-3 N, from velocities with errors of 1e-10 */
    const double yb = 0.1 * sin(30), xb = sqrt(1 - yb * yb);
    const problem *p = find_problem("R14 car axis");
    const double *place = p->list[3].values;
    running r = run_model(model_of(p), NULL);
    trm_sim_enable_reactions(r.sim, true);
    go_every(&r, 3, 1);
    const trm_vec3 guide = trm_joint_reaction(trm_sim_state(r.sim), trm_find_joint(r.model, "guide")).lin;
    const trm_vec3 rod = trm_joint_reaction(trm_sim_state(r.sim), trm_find_joint(r.model, "rod")).lin;
    assert_near(guide.x, LAMBDA[0] * xb, FORCE);
    assert_near(guide.y, LAMBDA[0] * yb, FORCE);
    assert_near(rod.x, -2 * LAMBDA[1] * (place[0] - place[2]), FORCE);
    assert_near(rod.y, -2 * LAMBDA[1] * (place[1] - place[3]), FORCE);
    stop(&r);
}

/* ---- The folder --------------------------------------------------------------------------- */

static bool is_compared(const char *file)
{
    char name[100];
    for (int i = 0; i < PROBLEMS; i++) {
        snprintf(name, sizeof name, "%s.json", problems[i].file);
        if (strncmp(name, "problems/", 9) == 0 && strcmp(name + 9, file) == 0) return true;
    }
    return false;
}

static void every_problem_of_the_folder_is_compared(void **unused)
{
    (void)unused;
    DIR *folder = opendir(TRM_EXAMPLES "/problems");
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".json")) continue;
        if (!is_compared(entry->d_name)) print_error("%s is compared with nothing\n", entry->d_name);
        assert_true(is_compared(entry->d_name));
        count++;
    }
    closedir(folder);
    assert_true(count > 0);
}

/* ---- R02 with 40 windows ------------------------------------------------------------------ */

static int add_rod(machine *m, trm_vec3 from, trm_vec3 to, double speed, double turn)
{
    trm_body_def rod = trm_default_body_def();
    rod.kind = TRM_BODY_ROD;
    rod.rod = (trm_rod_def){.from = from, .to = to, .mass = 1};
    rod.velocity = trm_v3(speed, 0, 0);
    rod.angular_velocity = trm_v3(0, 0, turn);
    return add_body(m, rod);
}

/* Returns the machine of r02-four-bars-2.json with n windows; the first post is body 1. Its beams are joined by balls
 * instead of hinges, so that no row is redundant and each beam could turn about itself, which it never does. */
static trm_model *windows(int n)
{
    machine m;
    machine_init(&m);
    for (int i = 0, before = 0; i <= n; i++) {
        const int post = add_rod(&m, trm_v3(i, 0, 0), trm_v3(i, 1, 0), 0.5, -1);
        add_hinge(&m, 0, post, i, 0, 0);
        if (i > 0) {
            const int beam = add_rod(&m, trm_v3(i - 1, 1, 0), trm_v3(i, 1, 0), 1, 0);
            add_joint_at(&m, "ball", before, beam, i - 1, 1, 0);
            add_joint_at(&m, "ball", beam, post, i, 1, 0);
        }
        before = post;
    }
    m.def->gravity = trm_v3(0, -9.81, 0);
    return machine_finish(&m);
}

/* When all rods lie on one line, the machine has 40 more degrees of freedom. */
static void forty_windows_fall_through_their_singular_pose_to_the_reference(void **unused)
{
    (void)unused;
    trm_simulation_def options = trm_default_simulation_def();
    options.order = 6;
    options.step = 0.02;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-12;
    running r = run_model(windows(40), &options);
    if (SANITIZED) {
        go(&r, 2); /* they pass this pose at about 1 s */
        check_gaps(&r);
        stop(&r);
        return;
    }
    go(&r, 10);
    const trm_vec3 B0 = trm_point_position(trm_sim_state(r.sim), 1, trm_v3(0.5, 0, 0));
    print_message("    B0 at 10 s: off by %.1e, %.1e of %.0e\n", fabs(B0.x - 0.18051222668672839),
                  fabs(B0.y - 0.98357274058231157), REFERENCE);
    assert_near(B0.x, 0.18051222668672839, REFERENCE);
    assert_near(B0.y, 0.98357274058231157, REFERENCE);
    check_gaps(&r);
    stop(&r);
}

int main(void)
{
    enum { OTHERS = 5 };
    struct CMUnitTest tests[PROBLEMS + OTHERS] = {
        cmocka_unit_test(every_problem_of_the_folder_is_compared),
        cmocka_unit_test(forty_windows_fall_through_their_singular_pose_to_the_reference),
        cmocka_unit_test(other_methods_meet_it_too),
        cmocka_unit_test(the_car_axis_has_order_two_at_order_two),
        cmocka_unit_test(the_car_axis_pushes_with_the_known_forces),
    };
    for (int i = 0; i < PROBLEMS; i++)
        tests[i + OTHERS] = (struct CMUnitTest){.name = problems[i].name,
                                                .test_func = the_published_solution_is_reached,
                                                .initial_state = (void *)&problems[i]};
    return RUN_TESTS(tests);
}
