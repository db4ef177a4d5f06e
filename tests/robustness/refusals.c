/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Every public function with memory that is refused at the k-th request, for every k. This program has an arena of
 * its own that passes each request to the allocator (TRM_ARENA_EXACT), because in the library most requests are
 * served from blocks and could not be refused. Each stage makes its inputs with unlimited memory, then works with
 * limited memory. A stage that meets a refusal must report it and leave nothing allocated. In the end all public
 * functions that no stage has called are listed; the list must be empty. */

#include "choosing.h"
#include "failing_allocator.h"
#include "public_functions.h" /* must be the last: it redefines functions of the others */
#include "small_sink.h"

typedef struct stage {
    const char *name;
    bool (*work)(const trm_allocator *memory); /* returns false if out of memory */
    long least;                                /* smallest number of requests that it makes */
} stage;

static const char FOUR_BAR[] = TRM_EXAMPLES "/four-bar.json", PENDULUM[] = TRM_EXAMPLES "/pendulum.json";

/* A ball that falls on a floor and is held by a spring, with sensors, an event and a joint. */
static const char BALL[] =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81],"
    "  \"bodies\": [{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, "
    "1] }] },"
    "    { \"name\": \"ball\", \"position\": [0, 0, 0.1005], \"velocity\": [1, 0, -1],"
    "      \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1, \"density\": 1000, \"friction\": 0.3 }] },"
    "    { \"name\": \"arm\", \"position\": [2, 0, 1], \"shapes\": [{ \"type\": \"box\", \"size\": [1, 0.1, 0.1], "
    "\"density\": 500 }] }],"
    "  \"joints\": [{ \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"arm\"], \"anchor\": [1.5, "
    "0, 1], \"axis\": [0, 1, 0] }],"
    "  \"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": [\"ground\", \"arm\"], \"anchors\": [[2, 0, "
    "3], [0, 0, 0]], \"stiffness\": 10, \"rest\": 1 }],"
    "  \"inputs\": { \"u\": {} }, \"poses\": { \"home\": { \"pin\": 0.1 } },"
    "  \"sensors\": [{ \"name\": \"angle\", \"type\": \"angle\", \"joint\": \"pin\" }],"
    "  \"events\": [{ \"at\": 0.005, \"detach\": \"pin\" }] }";

static trm_model *ball(void)
{
    return model_of_text(BALL);
}

static bool is_out_of_memory(trm_status status)
{
    assert_true(status == TRM_OK || status == TRM_OUT_OF_MEMORY);
    return status == TRM_OUT_OF_MEMORY;
}

/* ---- Definitions and models ---------------------------------------------------------------- */

static trm_status define(trm_model_def *def)
{
    trm_body_def body = trm_default_body_def();
    trm_shape_def shape = trm_default_shape_def();
    trm_joint_def joint = trm_default_joint_def();
    trm_force_def force = trm_default_force_def();
    trm_sensor_def sensor = trm_default_sensor_def();
    trm_contact_def contact = trm_default_contact_def();
    trm_event_def event = trm_default_event_def();
    trm_output_def output = trm_default_output_def();
    contact.bodies[0] = "ground", contact.bodies[1] = "b", contact.friction = 0.3;
    event.at = 1, event.detach = "j";
    output.name = "o", output.value = "b.x + j.q1";
    shape.type = "sphere";
    shape.radius = 0.1;
    shape.density = 1000;
    body.name = "b";
    body.shapes = &shape;
    body.shape_count = 1;
    joint.name = "j", joint.type = "ball", joint.bodies[0] = "ground", joint.bodies[1] = "b";
    joint.anchor = trm_v3(0, 0, 1);
    force.name = "f", force.type = "drag", force.body = "b", force.damping = 1;
    sensor.name = "s", sensor.type = "gyro", sensor.body = "b";
    trm_input_def input = trm_default_input_def();
    const trm_joint_value value = {"j", {0, 0, 0, NAN, NAN, NAN}};
    const trm_pose_def pose = {.name = "home", .values = &value, .value_count = 1};
    input.name = "u";
    trm_status status = trm_add_constant(def, "c", 1);
    if (status == TRM_OK) status = trm_add_input(def, &input);
    if (status == TRM_OK) status = trm_add_pose(def, &pose);
    if (status == TRM_OK) status = trm_add_body(def, &body);
    if (status == TRM_OK) status = trm_add_joint(def, &joint);
    if (status == TRM_OK) status = trm_add_force(def, &force);
    if (status == TRM_OK) status = trm_add_contact(def, &contact);
    if (status == TRM_OK) status = trm_add_event(def, &event);
    if (status == TRM_OK) status = trm_add_output(def, &output);
    if (status == TRM_OK) status = trm_add_no_collide(def, "ground", "b");
    return status == TRM_OK ? trm_add_sensor(def, &sensor) : status;
}

static bool work_define(const trm_allocator *memory)
{
    trm_model_def *def = trm_model_def_create(memory);
    const bool refused = !def || is_out_of_memory(define(def));
    trm_model_def_destroy(def);
    return !refused;
}

static bool work_messages(const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(memory);
    trm_model_def *def = NULL;
    char text[400];
    if (!messages) return false;
    const char *bad = "{ \"trammel\": 1, \"bodies\": [{ \"nam\": 1 }], \"joints\": 3 }";
    const trm_status status = trm_read_model_text(bad, strlen(bad), "bad", NULL, memory, messages, &def);
    assert_null(def);
    for (int i = 0; i < trm_message_count(messages); i++)
        trm_format_message(trm_message_at(messages, i), text, sizeof text);
    if (status != TRM_OUT_OF_MEMORY) assert_true(trm_error_count(messages) > 0);
    trm_messages_clear(messages);
    trm_messages_destroy(messages);
    return status != TRM_OUT_OF_MEMORY;
}

static bool work_read(const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(memory);
    trm_model_def *def = NULL;
    trm_text *text = trm_text_create(memory);
    trm_status status = TRM_OUT_OF_MEMORY;
    if (messages && text) status = trm_read_model_file(FOUR_BAR, NULL, memory, messages, &def);
    if (status == TRM_OK && trm_write_model(def, trm_text_sink(text)) != TRM_OK) status = TRM_OUT_OF_MEMORY;
    trm_model_def_destroy(def);
    trm_text_destroy(text);
    trm_messages_destroy(messages);
    return !is_out_of_memory(status);
}

/* Reads, writes and builds a file of any format. */
static bool read_and_build(const char *path, const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(memory);
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    trm_text *text = trm_text_create(memory);
    trm_status status = TRM_OUT_OF_MEMORY;
    if (messages && text) status = trm_read_model_file(path, NULL, memory, messages, &def);
    if (status == TRM_OK && trm_write_model(def, trm_text_sink(text)) != TRM_OK) status = TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) status = trm_model_create(def, memory, messages, &model);
    if (status == TRM_OK && trm_write_mjcf(def, model, memory, messages, trm_text_sink(text)) != TRM_OK)
        status = TRM_OUT_OF_MEMORY;
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_text_destroy(text);
    trm_messages_destroy(messages);
    return !is_out_of_memory(status);
}

static bool work_all_keys(const trm_allocator *memory)
{
    return read_and_build(TRM_TESTS "/io/all_keys.json", memory);
}
static bool work_urdf(const trm_allocator *memory)
{
    return read_and_build(TRM_EXAMPLES "/robots/gripper.urdf", memory);
}
static bool work_mesh(const trm_allocator *memory)
{
    return read_and_build(TRM_EXAMPLES "/ball-in-bowl.json", memory);
}

static bool work_model(const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL, *points = NULL;
    trm_model *model = NULL;
    assert_int_equal(trm_read_model_text(BALL, strlen(BALL), "ball", NULL, NULL, messages, &def), TRM_OK);
    bool refused = is_out_of_memory(trm_model_create(def, memory, messages, &model));
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_model *pendulum = model_of_file(PENDULUM);
    if (!refused)
        refused = is_out_of_memory(trm_to_points(pendulum, TRM_POINTS_EIGHT, memory, messages, NULL, &points));
    trm_model_def_destroy(points);
    trm_model_destroy(pendulum);
    trm_messages_destroy(messages);
    return !refused;
}

/* Inputs and poses, of a definition and of a state. */
static bool work_inputs(const trm_allocator *memory)
{
    static const char text[] =
        "{ \"trammel\": 1, \"inputs\": { \"u\": { \"range\": [-1, 1], \"start\": 0 } },"
        "  \"bodies\": [{ \"name\": \"arm\", \"position\": [0.5, 0, 0],"
        "    \"shapes\": [{ \"type\": \"box\", \"size\": [1, 0.1, 0.1], \"density\": 500 }] }],"
        "  \"joints\": [{ \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"arm\"], \"anchor\": [0, "
        "0, 0],"
        "    \"axis\": [0, 1, 0] }],"
        "  \"forces\": [{ \"name\": \"s\", \"type\": \"servo\", \"joint\": \"pin\", \"target\": 0, \"kp\": 1 }],"
        "  \"poses\": { \"up\": { \"pin\": 0.5 } } }";
    const double q[1] = {0.25}, values[1] = {0.5};
    trm_input_def input = trm_default_input_def();
    const trm_pose_def pose = {.name = "home"};
    input.name = "v";
    trm_model_def *def = trm_model_def_create(memory);
    bool refused = !def || is_out_of_memory(trm_add_input(def, &input)) || is_out_of_memory(trm_add_pose(def, &pose));
    trm_model_def_destroy(def);
    trm_model *model = model_of_text(text);
    assert_true(trm_input_count(model) == 1 && trm_find_input(model, "u") == 0 && trm_pose_count(model) == 1);
    assert_string_equal(trm_input_info_of(model, 0).name, "u");
    assert_string_equal(trm_pose_name(model, trm_find_pose(model, "up")), "up");
    trm_state *state = refused ? NULL : trm_state_create(model, memory);
    refused = refused || !state || is_out_of_memory(trm_set_coordinates(state, q, NULL)) ||
              is_out_of_memory(trm_set_joint_values(state, 0, q, NULL)) || is_out_of_memory(trm_set_pose(state, 0));
    if (!refused) (void)trm_input_value(state, 0);
    trm_state_destroy(state);
    running r = run_model(model, NULL);
    assert_true(trm_sim_inputs(r.sim, values).ok);
    for (int i = 0; i < trm_setting_count(model); i++) {
        assert_int_equal(trm_find_setting(model, trm_setting_info_of(model, i).name), i);
        assert_true(trm_sim_set(r.sim, i, trm_setting_value(trm_sim_state(r.sim), i)).ok);
    }
    stop(&r);
    return !refused;
}

/* ---- States -------------------------------------------------------------------------------- */

static bool work_state(const trm_allocator *memory)
{
    trm_model *model = model_of_file(FOUR_BAR);
    trm_messages *messages = trm_messages_create(NULL);
    trm_state *state = trm_state_create(model, memory);
    trm_analysis *analysis = state ? trm_analyse(state, memory) : NULL;
    trm_regularity *regularity = analysis ? trm_find_regularity(state, analysis, memory) : NULL;
    trm_text *text = regularity ? trm_text_create(memory) : NULL;
    trm_status status = text ? trm_assemble(state, memory, messages, NULL) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) status = trm_set_coordinates(state, (double[]){NAN, NAN, NAN, NAN}, NULL);
    if (status == TRM_OK && trm_state_save(state, trm_text_sink(text)) != TRM_OK) status = TRM_OUT_OF_MEMORY;
    if (status == TRM_OK)
        status = trm_state_load(state, trm_text_get(text), trm_text_length(text), "saved", messages);
    if (status == TRM_OK) trm_find_hints(state, NULL, messages);
    char why[200];
    trm_method_verdict verdict;
    for (int i = 0; status == TRM_OK && trm_judge_method(state, analysis, i, why, sizeof why, &verdict); i++)
        continue;
    trm_text_destroy(text);
    trm_regularity_destroy(regularity);
    trm_analysis_destroy(analysis);
    trm_state_destroy(state);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return !is_out_of_memory(status);
}

static bool work_joint_space(const trm_allocator *memory)
{
    enum { MOST = 40 };
    double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
    trm_model *model = model_of_file(FOUR_BAR);
    trm_state *state = trm_state_create(model, NULL);
    trm_joint_space *space = NULL;
    const bool refused = is_out_of_memory(trm_joint_space_create(model, memory, &space));
    if (!refused) {
        assert_true(trm_joint_space_size(space) < MOST && trm_joint_space_constraints(space) < MOST);
        (void)trm_joint_space_name_of(space, 0);
        trm_joint_space_read(space, state, a, b);
        trm_joint_space_set(space, 0, a, b);
        trm_joint_space_write(space, state);
        trm_mass_matrix(space, a);
        trm_bias_force(space, a);
        trm_gravity_force(space, a);
        trm_model_force(space, a);
        trm_inverse_dynamics(space, b, a);
        trm_forward_dynamics(space, a, b, c);
        trm_constraint_rows(space, a, b, c);
        trm_point_jacobian(space, 1, trm_v3(0, 0, 0), a);
        (void)trm_point_bias(space, 1, trm_v3(0, 0, 0));
        assert_true(trm_total_mass(space) > 0);
        (void)trm_centre_of_mass(space);
        trm_centre_of_mass_jacobian(space, a);
        (void)trm_centroidal_momentum(space);
        trm_centroidal_matrix(space, a);
    }
    trm_joint_space_destroy(space);
    trm_state_destroy(state);
    trm_model_destroy(model);
    return !refused;
}

static bool work_inverse(const trm_allocator *memory)
{
    double forces[20], q[20] = {1.5707963267948966}, zero[20] = {0};
    trm_model *model = model_of_file(FOUR_BAR);
    trm_state *state = trm_state_create(model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_inverse *inverse = NULL;
    const trm_inverse_def def = trm_default_inverse_def();
    bool refused = is_out_of_memory(trm_inverse_create(model, &def, memory, messages, &inverse));
    if (!refused) {
        assert_true(trm_inverse_count(inverse) == 1);
        (void)trm_inverse_driven(inverse, 0);
        (void)trm_inverse_is_torque(inverse, 0);
        const trm_outcome closed = trm_inverse_close(inverse, 0, q, zero, zero, state);
        const trm_outcome found = closed.ok ? trm_inverse_at(inverse, state, forces) : closed;
        refused = !found.ok && strcmp(found.why, "out of memory") == 0;
    }
    trm_inverse_destroy(inverse);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    trm_model_destroy(model);
    return !refused;
}

/* ---- Simulations --------------------------------------------------------------------------- */

static bool has_no_memory(const trm_outcome *outcome)
{
    if (!outcome->ok) assert_memory_equal(outcome->why, "out of memory", strlen("out of memory"));
    return !outcome->ok;
}

static trm_spatial no_force(void *context, const trm_state *state)
{
    (void)context, (void)state;
    return (trm_spatial){{0, 0, 0}, {0, 0, 0}};
}

/* Creates a simulation with a force of the caller, steps and observes it, over an impact and an event. */
static bool step_model(trm_model *model, way how, const char *impact, int steps, const trm_allocator *memory)
{
    chosen c;
    trm_simulation_def options;
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    options_of(model, &how, &c, &options);
    options.impact = impact;
    trm_status status = trm_sim_create(model, &options, memory, messages, &sim);
    if (status == TRM_OK && strcmp(options.method, "taylor") != 0)
        status = trm_sim_add_force(sim, "push", trm_body_count(model) - 1, no_force, NULL);
    bool refused = is_out_of_memory(status);
    if (!refused) trm_sim_enable_reactions(sim, true);
    for (int i = 0; i < steps && !refused; i++) {
        trm_outcome outcome = trm_sim_step(sim, options.step);
        if (outcome.ok) outcome = trm_sim_observe(sim);
        refused = has_no_memory(&outcome);
    }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return !refused;
}

#define STEPPING(name, model, how, impact, steps)                                                                    \
    static bool name(const trm_allocator *memory)                                                                    \
    {                                                                                                                \
        return step_model(model, (way){.choice = how, .step = 0.004}, impact, steps, memory);                        \
    }
STEPPING(work_impulse, model_of_file(FOUR_BAR), "impulse", "event", 1)
STEPPING(work_lagrange, model_of_file(FOUR_BAR), "lagrange", "event", 1)
STEPPING(work_lcp, model_of_file(FOUR_BAR), "lcp", "event", 1)
STEPPING(work_minimal, model_of_file(FOUR_BAR), "minimal", "event", 1)
STEPPING(work_subsystem, model_of_file(FOUR_BAR), "subsystem", "event", 1)
STEPPING(work_extrapolation, model_of_file(TRM_EXAMPLES "/crane.json"), "impulse", "event", 1)
STEPPING(work_walker, model_of_file(TRM_EXAMPLES "/arm.json"), "impulse", "event", 1)
STEPPING(work_penalty, model_of_file(FOUR_BAR), "lagrange:integrator=fehlberg8:stabilise=penalty:alpha=1e5", "event",
         1)
STEPPING(work_lemke, ball(), "lcp:solver=lemke", "window", 2)
STEPPING(work_pgs, ball(), "lcp:solver=pgs:friction=pyramid", "window", 2)
STEPPING(work_taylor, model_of_file(TRM_EXAMPLES "/cuboid.json"), "taylor", "event", 1)
STEPPING(work_event, ball(), "impulse", "event", 2)
STEPPING(work_window, ball(), "impulse", "window", 2)
STEPPING(work_lcp_contact, ball(), "lcp", "window", 2)

static bool work_save(const trm_allocator *memory)
{
    int64_t note = 0;
    running r = run_model(ball(), NULL), other = run_model(ball(), NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_text *text = trm_text_create(memory);
    for (int i = 0; i < 2; i++) assert_true(trm_sim_step(r.sim, 0.004).ok);
    bool refused = !text || trm_sim_save(r.sim, 1, trm_text_sink(text)) != TRM_OK;
    if (!refused)
        refused = is_out_of_memory(
            trm_sim_load(other.sim, trm_text_get(text), trm_text_length(text), "saved", &note, messages));
    trm_text_destroy(text);
    trm_messages_destroy(messages);
    stop(&r);
    stop(&other);
    return !refused;
}

static bool work_rebuild(const trm_allocator *memory)
{
    trm_model *model = model_of_file(FOUR_BAR);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL, *other = NULL;
    bool refused = is_out_of_memory(trm_sim_create(model, trm_model_simulation(model), memory, messages, &sim));
    if (!refused) {
        trm_sim_detach(sim, 0);
        const trm_outcome outcome = trm_sim_attach(sim, 0);
        refused = has_no_memory(&outcome);
    }
    if (!refused)
        refused = is_out_of_memory(trm_sim_create(model, trm_model_simulation(model), memory, messages, &other));
    if (!refused) { /* neither can report it; the next step does */
        trm_sim_take_over(other, sim);
        const trm_outcome outcome = trm_sim_step(other, 0.004), first = trm_sim_step(sim, 0.004);
        refused = has_no_memory(&outcome) || has_no_memory(&first);
    }
    trm_sim_destroy(other);
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return !refused;
}

/* Copies a simulation with inputs, alone and in a batch on one thread. */
static bool work_copies(const trm_allocator *memory)
{
    trm_model *model = model_of_file(FOUR_BAR);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sims[2] = {NULL, NULL};
    trm_batch *batch = NULL;
    bool refused = false;
    for (int i = 0; i < 2 && !refused; i++) {
        trm_status status = trm_sim_create(model, trm_model_simulation(model), memory, messages, &sims[i]);
        if (status == TRM_OK) status = trm_sim_add_joint_force(sims[i], 0, 0);
        refused = is_out_of_memory(status);
    }
    if (!refused) {
        assert_true(trm_sim_joint_force_count(sims[0]) == 1 && trm_sim_joint_forces(sims[0]));
        trm_sim_restart_account(sims[0]);
        const trm_outcome outcome = trm_sim_step(sims[0], 0.004);
        refused = has_no_memory(&outcome) || is_out_of_memory(trm_sim_copy(sims[1], sims[0]));
    }
    if (!refused)
        refused =
            is_out_of_memory(trm_batch_create(model, trm_model_simulation(model), 2, 1, memory, messages, &batch));
    if (!refused) refused = is_out_of_memory(trm_batch_add_joint_force(batch, 0, 0));
    if (!refused) {
        const trm_batch_arrays none = {0};
        assert_true(trm_batch_count(batch) == 2 && trm_batch_sim(batch, 1));
        if (trm_batch_step(batch, 0.004, 1, &none) > 0)
            refused = has_no_memory(trm_batch_outcome(batch, 0)) || has_no_memory(trm_batch_outcome(batch, 1));
    }
    if (!refused) refused = is_out_of_memory(trm_batch_reset(batch, NULL, sims[0]));
    trm_batch_destroy(batch);
    trm_sim_destroy(sims[0]);
    trm_sim_destroy(sims[1]);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return !refused;
}

static bool work_cost(const trm_allocator *memory)
{
    trm_model *model = model_of_file(FOUR_BAR);
    trm_reduction_cost cost;
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "subsystem";
    const bool refused = is_out_of_memory(trm_find_reduction_cost(model, &options, 2, memory, &cost));
    trm_model_destroy(model);
    return !refused;
}

/* ---- Results ------------------------------------------------------------------------------- */

static bool write_all(trm_sim *sim, trm_report *report, trm_animation *animation, trm_live *live, trm_text *text)
{
    static const char page[] = "<html>\n<!--TRAMMEL-DATA-->\n</html>\n";
    const trm_report_def def = {.page = page, .title = "t", .status = "ok", .model = "", .command = "", .date = ""};
    const trm_frame_def frame = {.scene = 1, .number = 1, .reactions = true};
    const trm_sink sink = trm_text_sink(text);
    const trm_status html = trm_write_report_html(report, &def, sink);
    return html == TRM_OK && trm_write_gltf(animation, sink) == TRM_OK && trm_write_report_json(sim, "ok", 1, sink) &&
           trm_live_write_scene(live, "n", 1, sink) == TRM_OK && trm_live_write_frame(live, &frame, sink) &&
           trm_live_write_row(live, sink);
}

static bool work_logs(const trm_allocator *memory)
{
    running r = run_model(ball(), NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_results *columns = NULL;
    trm_mcap *mcap = NULL;
    assert_int_equal(trm_results_create(r.model, NULL, NULL, messages, &columns), TRM_OK);
    trm_table *table = trm_table_create(columns, NULL);
    trm_text *text = trm_text_create(NULL);
    trm_zip *zip = trm_zip_create(trm_text_sink(text), memory);
    assert_true(trm_table_add(table, trm_sim_state(r.sim)));
    bool refused =
        !zip || is_out_of_memory(trm_zip_add(zip, "a", "b", 1, false)) || is_out_of_memory(trm_zip_end(zip));
    refused = refused || is_out_of_memory(trm_write_npz(columns, table, memory, trm_text_sink(text)));
    refused = refused ||
              is_out_of_memory(trm_mcap_create(columns, trm_sim_state(r.sim), memory, trm_text_sink(text), &mcap));
    for (int i = 0; i < 3 && !refused; i++) refused = is_out_of_memory(trm_mcap_add(mcap, trm_sim_state(r.sim)));
    refused = refused || is_out_of_memory(trm_mcap_end(mcap));
    trm_mcap_destroy(mcap);
    trm_zip_destroy(zip);
    trm_text_destroy(text);
    trm_table_destroy(table);
    trm_results_destroy(columns);
    trm_messages_destroy(messages);
    stop(&r);
    return !refused;
}

static bool work_results(const trm_allocator *memory)
{
    running r = run_model(ball(), NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_results *columns = NULL;
    trm_sim_enable_reactions(r.sim, true);
    bool refused = is_out_of_memory(trm_results_create(r.model, "t,ball.*,pin.*", memory, messages, &columns));
    trm_text *text = trm_text_create(memory);
    trm_table *table = refused ? NULL : trm_table_create(columns, memory);
    trm_animation *animation = trm_animation_create(trm_sim_state(r.sim), memory);
    trm_report *report = trm_report_create(r.sim, memory);
    trm_live *live = trm_live_create(r.sim, memory);
    refused =
        refused || !text || !table || !animation || !report || !live || !trm_report_add_columns(report, columns);
    const trm_record_def def = {
        .until = 0.01, .every = 0.002, .table = table, .animation = animation, .report = report};
    if (!refused) {
        const trm_outcome outcome = trm_sim_record(r.sim, &def);
        refused = has_no_memory(&outcome);
    }
    if (!refused)
        refused = !trm_write_csv_header(columns, r.sim, trm_text_sink(text)) ||
                  !trm_write_csv_row(columns, trm_sim_state(r.sim), trm_text_sink(text)) ||
                  !trm_write_csv_numbers((double[]){1, 2}, 1, 2, trm_text_sink(text));
    if (!refused) refused = !write_all(r.sim, report, animation, live, text);
    trm_live_destroy(live);
    trm_report_destroy(report);
    trm_animation_destroy(animation);
    trm_table_destroy(table);
    trm_text_destroy(text);
    trm_results_destroy(columns);
    trm_messages_destroy(messages);
    stop(&r);
    return !refused;
}

/* ---- Analyses ------------------------------------------------------------------------------ */

static bool work_measure(const trm_allocator *memory)
{
    running r = run_model(ball(), NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_measure *measure = NULL;
    bool refused = is_out_of_memory(
        trm_measure_create(r.model, "max(ball.x) + k", &(trm_constant){"k", 1}, 1, memory, messages, &measure));
    if (!refused) {
        assert_false(trm_measure_needs_reactions(measure));
        assert_int_equal(trm_measure_enable(measure, r.sim), TRM_OK);
        refused = !trm_measure_add(measure, trm_sim_state(r.sim));
        assert_true(refused || isfinite(trm_measure_value(measure)));
    }
    trm_measure_destroy(measure);
    trm_messages_destroy(messages);
    stop(&r);
    return !refused;
}

static bool work_start_at(const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    bool refused = is_out_of_memory(trm_read_model_file(FOUR_BAR, NULL, memory, messages, &def));
    trm_model *model = refused ? NULL : build_model(def);
    trm_state *state = refused ? NULL : trm_state_create(model, NULL);
    if (!refused) refused = is_out_of_memory(trm_start_at(def, state, messages));
    trm_state_destroy(state);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return !refused;
}

static bool work_equilibrium(const trm_allocator *memory)
{
    trm_model *model = model_of_file(FOUR_BAR);
    trm_state *state = trm_state_create(model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_equilibrium_result *rest = NULL;
    trm_linearisation *linear = NULL;
    const trm_equilibrium_def def = trm_default_equilibrium_def();
    const trm_linearise_def ports = {"A.force", "A.q"};
    bool refused = is_out_of_memory(trm_equilibrium(state, &def, memory, messages, &rest));
    if (!refused) refused = is_out_of_memory(trm_linearise(state, &ports, memory, messages, &linear));
    double re, im;
    if (!refused) refused = !trm_frequency_response(linear, 1, 0, 0, &re, &im);
    trm_linearisation_destroy(linear);
    trm_equilibrium_destroy(rest);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    trm_model_destroy(model);
    return !refused;
}

static bool work_kinematics(const trm_allocator *memory)
{
    trm_model *model = model_of_file(FOUR_BAR);
    trm_messages *messages = trm_messages_create(NULL);
    trm_kinematics *k = NULL;
    trm_motion_range range;
    trm_singular_pose pose;
    const trm_coordinate_name crank = {0, 0};
    bool refused = is_out_of_memory(trm_kinematics_create(model, memory, messages, &k));
    if (!refused) {
        const trm_outcome outcome = trm_kinematics_go(k, 0.01);
        refused = !outcome.ok && has_no_memory(&outcome);
        assert_true(trm_kinematics_undriven(k) >= 0 && trm_kinematics_state(k));
        assert_false(trm_kinematics_singular(k, 0, &pose));
        (void)trm_transmission(k, crank, crank);
        if (!refused) refused = is_out_of_memory(trm_find_range(model, crank, memory, messages, &range));
    }
    trm_kinematics_destroy(k);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return !refused;
}

static bool work_inverse_kinematics(const trm_allocator *memory)
{
    trm_model *model = model_of_file(FOUR_BAR);
    trm_state *state = trm_state_create(model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_inverse_kinematics_def def = trm_default_inverse_kinematics_def();
    trm_inverse_kinematics_result result;
    trm_goal goal = trm_default_goal();
    assert_true(trm_find_frame(model, trm_body_info_of(model, 2).name, &goal.body, &goal.frame));
    goal.position.x = 100;
    def.starts = 2, def.most_iterations = 5;
    const bool refused = is_out_of_memory(trm_inverse_kinematics(state, &goal, 1, &def, memory, messages, &result));
    assert_true(trm_goal_left(state, &goal).position > 0);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    trm_model_destroy(model);
    return !refused;
}

static bool work_steady(const trm_allocator *memory)
{
    trm_model *model =
        model_of_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1] }, { "
                      "\"name\": \"b\", \"mass\": 1, "
                      "\"inertia\": [1, 1, 1], \"position\": [1, 0, 0] }], \"joints\": [{ \"name\": \"A\", \"type\": "
                      "\"hinge\", \"bodies\": "
                      "[\"ground\", \"a\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }, { \"name\": \"B\", "
                      "\"type\": \"slider\", \"bodies\": "
                      "[\"a\", \"b\"], \"anchor\": [1, 0, 0], \"axis\": [1, 0, 0], \"stiffness\": 100, \"limits\": "
                      "[0, 0.001] }], \"forces\": "
                      "[{ \"name\": \"d\", \"type\": \"motor\", \"joint\": \"A\", \"velocity\": 2, \"max\": 5 }] }");
    trm_state *state = trm_state_create(model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_equilibrium_result *result = NULL;
    const bool refused = is_out_of_memory(trm_equilibrium(state, NULL, memory, messages, &result));
    assert_true(refused || (result->found && result->active_count == 1));
    trm_equilibrium_destroy(result);
    trm_messages_destroy(messages);
    trm_state_destroy(state);
    trm_model_destroy(model);
    return !refused;
}

static bool work_geometry(const trm_allocator *memory)
{
    running r = run_model(ball(), NULL);
    trm_shape_set *geometry = NULL;
    trm_ray_hit hit;
    trm_nearest_points nearest;
    bool found;
    bool refused = is_out_of_memory(trm_shape_set_create(r.model, memory, &geometry));
    if (!refused) {
        (void)trm_ray_cast(geometry, trm_sim_state(r.sim), trm_v3(0, 0, 9), trm_v3(0, 0, -1), INFINITY, -1, &hit);
        refused = is_out_of_memory(trm_find_nearest_points(geometry, trm_sim_state(r.sim), 1,
                                                           trm_body_count(r.model) - 1, &found, &nearest));
    }
    trm_shape_set_destroy(geometry);
    stop(&r);
    return !refused;
}

static bool work_optimiser(const trm_allocator *memory)
{
    const trm_optimiser_def def = trm_default_optimiser_def();
    const double lower[] = {-1, -1}, upper[] = {1, 1};
    double points[200], values[100];
    trm_optimiser *o = NULL;
    const bool refused = is_out_of_memory(trm_optimiser_create(2, lower, upper, NULL, &def, memory, &o));
    if (!refused) {
        assert_true(trm_optimiser_most_points(o) <= 100);
        const int count = trm_optimiser_next(o, points);
        for (int i = 0; i < count; i++) values[i] = points[2 * i] * points[2 * i];
        trm_optimiser_record(o, values);
        assert_true(!trm_optimiser_is_done(o) && trm_optimiser_best(o, points) >= 0);
    }
    trm_optimiser_destroy(o);
    return !refused;
}

/* ---- All refusals -------------------------------------------------------------------------- */

static const stage stages[] = {
    {"definitions", work_define, 5},
    {"messages", work_messages, 5},
    {"reading", work_read, 50},
    {"models", work_model, 50},
    {"states", work_state, 20},
    {"joint space", work_joint_space, 5},
    {"inverse", work_inverse, 20},
    {"impulse", work_impulse, 20},
    {"lagrange", work_lagrange, 20},
    {"lcp", work_lcp, 20},
    {"minimal", work_minimal, 20},
    {"subsystem", work_subsystem, 20},
    {"event contacts", work_event, 20},
    {"window contacts", work_window, 20},
    {"lcp contacts", work_lcp_contact, 20},
    {"checkpoints", work_save, 2},
    {"rebuilding", work_rebuild, 20},
    {"cost", work_cost, 5},
    {"results", work_results, 20},
    {"logs", work_logs, 20},
    {"all keys", work_all_keys, 100},
    {"URDF", work_urdf, 50},
    {"meshes", work_mesh, 20},
    {"ropes", work_extrapolation, 20},
    {"servos", work_walker, 20},
    {"penalty", work_penalty, 20},
    {"Lemke", work_lemke, 20},
    {"Gauss-Seidel", work_pgs, 20},
    {"Taylor", work_taylor, 20},
    {"copies", work_copies, 20},
    {"inputs", work_inputs, 5},
    {"measures", work_measure, 5},
    {"states as models", work_start_at, 20},
    {"equilibrium", work_equilibrium, 20},
    {"steady motion", work_steady, 20},
    {"geometry", work_geometry, 2},
    {"kinematics", work_kinematics, 20},
    {"inverse kinematics", work_inverse_kinematics, 10},
    {"optimiser", work_optimiser, 5},
};

/* Refuses each request in turn. Returns the number of requests; *wrong: those whose refusal had a wrong result. */
static long refuse_all(const stage *s, bool for_good, int *wrong)
{
    failing_allocator memory;
    long k = 0;
    do {
        failing_allocator_reset(&memory, ++k, for_good);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        const bool done = s->work(&hooks);
        if (done == (memory.refusals == 0) && failing_allocator_is_clean(&memory)) continue;
        print_error("%s: request %ld refused: %s, %zu bytes left\n", s->name, k, done ? "not reported" : "reported",
                    memory.bytes_live);
        ++*wrong;
    } while (memory.refusals > 0);
    return k - 1;
}

static void every_refusal_is_reported_and_leaves_nothing(void **unused)
{
    (void)unused;
    long sum = 0;
    int wrong = 0;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const long requests = refuse_all(&stages[i], false, &wrong);
        printf("%-16s %ld requests\n", stages[i].name, requests);
        assert_true(requests >= stages[i].least);
        sum += requests;
    }
    printf("%ld requests refused, one at a time; %d went wrong\n", sum, wrong);
    assert_int_equal(wrong, 0);
}

/* ---- Functions without allocations ------------------------------------------------------------ */

static bool may_continue(void *context)
{
    (void)context;
    return true;
}

static bool hook(void *context, trm_sim *sim)
{
    (void)context, (void)sim;
    return true;
}

static trm_status put_nothing(void *context, trm_sink sink)
{
    (void)context;
    return sink.write(sink.context, "0", 1) ? TRM_OK : TRM_IO_ERROR;
}

static void look_at_model(const trm_model *model)
{
    for (int i = 0; i < trm_body_count(model); i++) (void)trm_body_info_of(model, i);
    for (int i = 0; i < trm_joint_count(model); i++) (void)trm_joint_info_of(model, i);
    for (int i = 0; i < trm_sensor_count(model); i++) assert_non_null(trm_sensor_name(model, i));
    for (int i = 0; i < trm_coordinate_count(model); i++)
        (void)trm_coordinate_at(model, i), assert_non_null(trm_coordinate_unit(model, i));
    for (int i = 0; trm_joint_type_name(i); i++) continue;
    for (int i = 0; trm_force_type_name(i); i++) continue;
    assert_int_equal(trm_find_body(model, "nobody"), -1);
    assert_int_equal(trm_find_joint(model, "nobody"), -1);
    assert_int_equal(trm_find_sensor(model, "nobody"), -1);
    assert_int_equal(trm_find_input(model, "nobody"), -1);
    assert_int_equal(trm_find_pose(model, "nobody"), -1);
    for (int i = 0; i < trm_input_count(model); i++) assert_non_null(trm_input_info_of(model, i).name);
    for (int i = 0; i < trm_pose_count(model); i++) assert_non_null(trm_pose_name(model, i));
    assert_true(trm_force_count(model) >= 0 && trm_model_name(model));
    (void)trm_model_gravity(model);
}

static void look_at_state(trm_state *state, trm_state *other)
{
    double numbers[6][60];
    const trm_arrays arrays = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
    trm_state_copy(other, state);
    assert_true(trm_state_equal(state, other) && trm_state_hash(state) == trm_state_hash(other));
    trm_set_body_pose(other, 2, trm_body_pose(state, 2));
    trm_set_body_velocity(other, 2, trm_body_velocity(state, 2));
    trm_set_body_acceleration(other, 2, trm_body_acceleration(state, 2));
    trm_set_state_time(other, trm_state_time(state));
    trm_get_arrays(state, &arrays);
    trm_get_coordinates(state, numbers[0], numbers[1]);
    trm_get_poses(state, numbers[0], numbers[1]);
    trm_set_poses(other, numbers[0], numbers[1]);
    trm_get_velocities(state, numbers[0], numbers[1]);
    trm_set_velocities(other, numbers[0], numbers[1]);
    assert_int_equal(trm_set_coordinates(other, (double[]){0.1}, (double[]){0}), TRM_OK);
    assert_int_equal(trm_set_joint_values(other, 0, (double[]){0.2}, NULL), TRM_OK);
    assert_int_equal(trm_set_pose(other, 0), TRM_OK);
    assert_near(trm_input_value(state, 0), 0.5, 0);
    (void)trm_point_position(state, 2, trm_v3(0, 0, 0));
    (void)trm_point_velocity(state, 2, trm_v3(0, 0, 0));
    (void)trm_point_acceleration(state, 2, trm_v3(0, 0, 0));
    (void)trm_joint_values(state, 0, NULL, NULL);
    (void)trm_joint_attached(state, 0);
    (void)trm_joint_reaction(state, 0);
    (void)trm_position_gap(state, 0);
    (void)trm_velocity_gap(state, 0);
    (void)trm_sensor_values(state, 0, numbers[0]);
    (void)trm_state_energy(state);
    (void)trm_state_momentum(state);
    (void)trm_bodies_asleep(state);
}

static void look_at_sim(trm_sim *sim)
{
    trm_option option;
    trm_option_choice choice;
    trm_event_note event;
    trm_contact_row contact;
    trm_coordinate_note coordinate;
    trm_row_name row;
    trm_automatic_choice automatic;
    trm_verdict verdict;
    double values[10];
    trm_outcome outcome;
    const trm_run_def run = {.until = 0.02, .every = 0.004};
    assert_int_equal(trm_sim_distribute(sim, NULL, NULL), TRM_OK);
    trm_sim_set_hooks(sim, hook, hook, NULL);
    trm_sim_set_watch(sim, may_continue, NULL);
    assert_true(trm_sim_steps(sim, 0.004, 2, NULL, &outcome));
    assert_true(trm_sim_inputs(sim, (double[]){0.5}).ok);
    assert_true(trm_sim_run(sim, &run).ok);
    (void)trm_sim_options(sim), (void)trm_sim_tolerance_note(sim), (void)trm_sim_assembly(sim);
    (void)trm_sim_automatic_choice(sim, &automatic);
    assert_non_null(trm_sim_solvers(sim));
    (void)trm_sim_method_option(sim, 0, &option), (void)trm_sim_method_choice(sim, 0, &choice);
    (void)trm_sim_sensor(sim, 0, values), (void)trm_sim_event(sim, 0, &event), (void)trm_sim_event_count(sim);
    (void)trm_sim_contacts(sim, &contact, 1), (void)trm_sim_coordinate(sim, 0, &coordinate);
    (void)trm_sim_dropped_rows(sim, &row, 1), (void)trm_sim_counters(sim), (void)trm_sim_trouble(sim);
    (void)trm_sim_accuracy(sim);
    trm_sim_add_remark(sim, TRM_CHECK, "looked at");
    trm_sim_verdict(sim, &verdict);
    assert_string_equal(trm_grade_name(TRM_GOOD), "good");
}

static void look_at_results(trm_sim *sim, const trm_model *model)
{
    trm_results *columns = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_results_create(model, NULL, NULL, messages, &columns), TRM_OK);
    trm_table *table = trm_table_create(columns, NULL);
    (void)trm_results_need_reactions(columns);
    assert_int_equal(trm_results_enable(columns, sim), TRM_OK);
    assert_true(trm_result_count(columns) > 0 && trm_result_name(columns, 0) && trm_result_unit(columns, 0));
    (void)trm_result_value(columns, 0, trm_sim_state(sim));
    assert_true(trm_table_add(table, trm_sim_state(sim)) && trm_table_rows(table) == 1 && trm_table_numbers(table));
    trm_animation *animation = trm_animation_create(trm_sim_state(sim), NULL);
    trm_report *report = trm_report_create(sim, NULL);
    trm_live *live = trm_live_create(sim, NULL);
    assert_true(trm_animation_add(animation, trm_sim_state(sim)) && trm_report_add(report, trm_sim_state(sim)));
    trm_live_follow(live, sim);
    trm_live_destroy(live);
    trm_report_destroy(report);
    trm_animation_destroy(animation);
    trm_table_destroy(table);
    trm_results_destroy(columns);
    trm_messages_destroy(messages);
}

static void write_everything(void)
{
    FILE *file = tmpfile();
    const trm_sink sink = trm_file_sink(file);
    const double x[2] = {0, 1};
    const char *const texts[] = {"a", "b"};
    const trm_plot_series series = {"s", x, x, 2};
    const trm_plot plot = {.title = "p", .x = {"x", false}, .y = {"y", false}, .series = &series, .series_count = 1};
    const trm_plot_map map = {
        .title = "m", .x = {"x", false}, .y = {"y", false}, .xs = x, .ys = x, .x_count = 2, .values = x};
    const trm_page_part part = {"id", NULL, put_nothing, NULL};
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object(&w, NULL);
    trm_json_open_array(&w, "a"), trm_json_close(&w);
    trm_json_open_object_flat(&w, "o"), trm_json_close(&w);
    trm_json_open_array_flat(&w, "f"), trm_json_close(&w);
    trm_json_put_number(&w, "n", 1), trm_json_put_integer(&w, "i", 1), trm_json_put_text(&w, "t", "x");
    trm_json_put_bool(&w, "b", true), trm_json_put_null(&w, "z");
    trm_json_put_numbers(&w, "x", x, 2), trm_json_put_texts(&w, "y", texts, 2);
    trm_json_close(&w);
    assert_true(trm_json_end(&w) && trm_put_text(sink, "text") && trm_write_base64("abc", 3, sink));
    assert_true(trm_write_plot_svg(&plot, sink) && trm_write_plots_svg(&plot, 1, sink));
    assert_true(trm_write_maps_svg(&map, 1, sink));
    assert_int_equal(trm_write_model_schema(sink), TRM_OK);
    trm_mesh_facts facts;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_read_mesh_facts("no mesh", NULL, messages, &facts), TRM_IO_ERROR);
    trm_messages_destroy(messages);
    (void)trm_write_page("no template", &part, 1, sink);
    fclose(file);
}

static void the_rest_of_the_functions(void)
{
    char why[100];
    double value;
    assert_true(trm_evaluate("1 + 1", &value, why, sizeof why) && value == 2);
    assert_non_null(trm_version());
    trm_set_threads(0);
    assert_int_equal(trm_abi_version(), TRM_ABI_VERSION);
    assert_non_null(trm_status_text(TRM_OK));
    assert_non_null(trm_default_allocator().allocate);
    (void)trm_default_contact_def(), (void)trm_default_event_def(), (void)trm_default_simulation_def();
    (void)trm_default_coordinate_def();
    (void)trm_default_term_def();
    const trm_softness soft = trm_softness_of_spring(1, 1, 0.1);
    (void)trm_spring_of_softness(soft.erp, soft.cfm, 0.1);
    trm_set_assert_handler(NULL);
    trm_model_def *def = trm_model_def_create(NULL);
    const trm_pose_def pose = {.name = "home"};
    assert_int_equal(trm_add_pose(def, &pose), TRM_OK);
    assert_string_equal(((const trm_pose_def *)trm_def_item(def, TRM_DEF_POSE, 0))->name, "home");
    trm_model_def_destroy(def);
}

static void every_public_function_was_called(void **unused)
{
    (void)unused;
    int unreached = 0;
    running r = run_model(ball(), NULL);
    trm_state *other = trm_state_create(r.model, NULL);
    look_at_model(r.model);
    look_at_sim(r.sim);
    look_at_state(trm_sim_state(r.sim), other);
    look_at_results(r.sim, r.model);
    write_everything();
    the_rest_of_the_functions();
    trm_state_destroy(other);
    stop(&r);
    for (int i = 0; i < PUBLIC_FUNCTIONS; i++) {
        if (calls_of[i] > 0) continue;
        printf("never called: %s\n", public_functions[i]);
        unreached++;
    }
    printf("%d public functions, %d of them never called\n", PUBLIC_FUNCTIONS, unreached);
    assert_int_equal(unreached, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_is_reported_and_leaves_nothing),
        cmocka_unit_test(every_public_function_was_called),
    };
    return RUN_TESTS(tests);
}
