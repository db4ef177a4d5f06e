/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MJCF: models attached to each other, each with its own options, defaults and names. */

#include <sys/stat.h>

#include "importing.h"

static const double ROUNDING = 1e-12; /* for a few operations on numbers of about 1 */

/* Angles in radians, a class with a density, an actuator, and a body that is outside of "base". */
static const char CHILD[] =
    "<mujoco model=\"child\"><compiler angle=\"radian\"/>\n"
    "<default><joint damping=\"0.5\"/><default class=\"heavy\"><geom density=\"3000\"/></default></default>\n"
    "<worldbody><body name=\"base\" childclass=\"heavy\"><joint name=\"j\" axis=\"0 1 0\" range=\"-1 1\"/>\n"
    "<geom type=\"box\" size=\"0.1 0.1 0.1\"/>\n"
    "<body name=\"tip\" pos=\"0.2 0 0\" euler=\"0 0 1.5\"><joint name=\"k\"/><geom type=\"box\" size=\"0.1 0.1 "
    "0.1\"/><site name=\"s\"/></body></body>\n"
    "<body name=\"other\"><joint name=\"o\"/><geom type=\"sphere\" size=\"0.1\"/></body></worldbody>\n"
    "<actuator><position joint=\"j\" kp=\"10\"/><motor joint=\"o\"/></actuator>\n"
    "<sensor><jointpos name=\"angle\" joint=\"k\"/></sensor></mujoco>\n";

static const char PARENT[] =
    "<mujoco><default><geom density=\"100\"/></default><asset><model name=\"c\" file=\"child.xml\"/></asset>\n"
    "<worldbody><frame pos=\"0 0 1\" euler=\"0 0 90\"><attach model=\"c\" body=\"base\" prefix=\"l_\"/></frame>\n"
    "<body name=\"arm\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\"/>\n"
    "<attach model=\"c\" body=\"tip\" prefix=\"r_\"/></body></worldbody></mujoco>\n";

typedef struct place {
    char folder[60];
} place;

static void write_file(const place *p, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static place begin(void)
{
    place p = {"/tmp/trammel-attach-XXXXXX"};
    assert_non_null(mkdtemp(p.folder));
    write_file(&p, "child.xml", CHILD);
    write_file(&p, "parent.xml", PARENT);
    return p;
}

static void end(const place *p)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", p->folder);
    assert_int_equal(system(command), 0);
}

static imported read_attached(const place *p, const char *name, const trm_allocator *hooks)
{
    char path[200];
    imported in = {.messages = trm_messages_create(NULL)};
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    in.status = trm_read_model_file(path, NULL, hooks, in.messages, &in.def);
    return in;
}

static bool is_said(const imported *in, const char *part)
{
    for (int i = 0; i < trm_message_count(in->messages); i++)
        if (strstr(trm_message_at(in->messages, i)->text, part)) return true;
    print_messages(in->messages);
    print_error("nothing says \"%s\"\n", part);
    return false;
}

/* The base of 24 kg at its place in the frame, rotated by 90 degrees; limits and angles in radians. */
static void attached_bodies_keep_their_defaults_and_units(void **state)
{
    (void)state;
    const place p = begin();
    imported in = read_attached(&p, "parent.xml", NULL);
    assert_int_equal(in.status, TRM_OK);
    assert_int_equal(in.def->body_count, 4);
    assert_near(body_named(&in, "l_base")->mass, 24, ROUNDING);
    assert_near(body_named(&in, "arm")->mass, 0.8, ROUNDING);
    assert_near(body_named(&in, "r_tip")->mass, 24, ROUNDING);
    assert_vector(body_named(&in, "l_tip")->position, 0, 0.2, 1, ROUNDING);
    assert_vector(body_named(&in, "r_tip")->position, 0.2, 0, 0, ROUNDING);
    assert_near(body_named(&in, "r_tip")->orientation.w, cos(0.75), ROUNDING);
    assert_near(joint_named(&in, "l_j")->limits[1], 1, ROUNDING);
    assert_near(joint_named(&in, "r_k")->damping, 0.5, ROUNDING);
    end(&p);
    import_end(&in);
}

/* Of actuators and sensors, only those of attached joints are attached. */
static void actuators_and_sensors_come_with_their_joints(void **state)
{
    (void)state;
    const place p = begin();
    imported in = read_attached(&p, "parent.xml", NULL);
    assert_int_equal(in.def->force_count, 1);
    assert_string_equal(in.def->forces[0].joint, "l_j");
    assert_true(in.def->forces[0].kp == 10);
    assert_int_equal(in.def->sensor_count, 2);
    assert_string_equal(in.def->sensors[0].name, "l_angle");
    assert_string_equal(in.def->sensors[1].joint, "r_k");
    assert_true(is_said(&in, "1 elements of \"child.xml\" refer to elements that are not attached"));
    assert_true(is_said(&in, "2 elements of \"child.xml\" refer to elements that are not attached"));
    end(&p);
    import_end(&in);
}

static void whole_worlds_are_attached_without_a_body(void **state)
{
    (void)state;
    const place p = begin();
    write_file(&p, "world.xml",
               "<mujoco><asset><model file=\"child.xml\"/></asset>"
               "<worldbody><frame pos=\"3 0 0\"><attach model=\"child\" prefix=\"\"/></frame></worldbody></mujoco>");
    imported in = read_attached(&p, "world.xml", NULL);
    assert_int_equal(in.status, TRM_OK);
    assert_int_equal(in.def->body_count, 3);
    assert_int_equal(in.def->force_count, 2);
    assert_vector(body_named(&in, "other")->position, 3, 0, 0, ROUNDING);
    end(&p);
    import_end(&in);
}

static void wrong_attachments_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *attach, *said;
    } CASES[] = {
        {"<attach model=\"x\" prefix=\"a\"/>", "<asset> has no model 'x'"},
        {"<attach model=\"c\" body=\"leg\" prefix=\"a\"/>", "there is no body 'leg' in \"child.xml\""},
        {"<attach model=\"gone\" prefix=\"a\"/>", "\"gone.xml\" cannot be read"},
        {"<attach model=\"self\" prefix=\"a\"/>", "more than 10 models are attached to each other"},
    };
    const place p = begin();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco><asset><model name=\"c\" file=\"child.xml\"/><model name=\"gone\" file=\"gone.xml\"/>"
                 "<model name=\"self\" file=\"wrong.xml\"/></asset><worldbody>%s</worldbody></mujoco>",
                 CASES[i].attach);
        write_file(&p, "wrong.xml", text);
        imported in = read_attached(&p, "wrong.xml", NULL);
        assert_int_equal(in.status, TRM_BAD_INPUT);
        assert_true(is_said(&in, CASES[i].said));
        import_end(&in);
    }
    end(&p);
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    const place p = begin();
    for (int refused = 0;; refused++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, refused, true);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        imported in = read_attached(&p, "parent.xml", &hooks);
        const bool done = in.status == TRM_OK;
        assert_true(done || (in.status == TRM_OUT_OF_MEMORY && !in.def));
        import_end(&in);
        assert_true(failing_allocator_is_clean(&memory));
        if (done && refused > 0) break;
        assert_true(refused < 5000);
    }
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attached_bodies_keep_their_defaults_and_units),
        cmocka_unit_test(actuators_and_sensors_come_with_their_joints),
        cmocka_unit_test(whole_worlds_are_attached_without_a_body),
        cmocka_unit_test(wrong_attachments_are_named),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
