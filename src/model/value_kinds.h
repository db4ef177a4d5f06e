/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All kinds of values of the fields in fields.h, one per line: TRM_VALUE_KIND(name, bytes, hash). bytes: size of the member.
 * hash: the function hash_... of fields.c that adds the value to a fingerprint. How a kind is read, written and described
 * is trm_kind_NAME of src/io. */

TRM_VALUE_KIND(number, sizeof(double), numbers)
TRM_VALUE_KIND(flag, sizeof(bool), flag)
TRM_VALUE_KIND(text, sizeof(char *), texts)
TRM_VALUE_KIND(own_name, sizeof(char *), texts) /* of the element itself */
/* Names of other elements. Including a model adds its prefix to them. */
TRM_VALUE_KIND(body_name, sizeof(char *), texts)
TRM_VALUE_KIND(joint_name, sizeof(char *), texts)
TRM_VALUE_KIND(frame_name, sizeof(char *), texts)  /* BODY or BODY.POINT */
TRM_VALUE_KIND(parent_name, sizeof(char *), texts) /* BODY, BODY.POINT or JOINT */
TRM_VALUE_KIND(formula, sizeof(char *), texts)     /* of quantities */
TRM_VALUE_KIND(condition, sizeof(char *), texts)   /* of quantities, or "contact" */
TRM_VALUE_KIND(word, sizeof(char *), texts)        /* one of the field's choices */
TRM_VALUE_KIND(method, sizeof(char *), texts)      /* the name of a method */
TRM_VALUE_KIND(solver, sizeof(char *), texts)      /* the name of a solver */
TRM_VALUE_KIND(color, sizeof(char *), texts)
TRM_VALUE_KIND(body_names, 2 * sizeof(char *), texts)
TRM_VALUE_KIND(joint_names, 2 * sizeof(char *), texts)
TRM_VALUE_KIND(frame_names, 2 * sizeof(char *), texts)
TRM_VALUE_KIND(vec3, sizeof(trm_vec3), numbers)
TRM_VALUE_KIND(scale, sizeof(trm_vec3), numbers) /* one number for all axes, or three */
TRM_VALUE_KIND(vec3_pair, 2 * sizeof(trm_vec3), numbers)
TRM_VALUE_KIND(range, 2 * sizeof(double), numbers)
TRM_VALUE_KIND(coordinates, TRM_JOINT_COORDINATES * sizeof(double), numbers) /* one number, or several */
TRM_VALUE_KIND(orientation, sizeof(trm_quat), numbers) /* quaternion, axis and angle, or roll, pitch, yaw */
TRM_VALUE_KIND(inertia, 6 * sizeof(double), numbers)   /* three moments, or six */
TRM_VALUE_KIND(friction, sizeof(double), numbers)      /* of a contact: a number, or a table by slip speed */
TRM_VALUE_KIND(mark, sizeof(trm_body_kind), mark)      /* true makes the body one of this kind */
TRM_VALUE_KIND(frame, sizeof(bool), flag)              /* "world" or "body" */
TRM_VALUE_KIND(function, sizeof(trm_function_def), functions)
TRM_VALUE_KIND(functions, 3 * sizeof(trm_function_def), functions)
TRM_VALUE_KIND(aimed_rate, sizeof(trm_function_def), functions) /* of a servo: stores that it is given */
TRM_VALUE_KIND(number_or_function, sizeof(double), numbers)     /* of a servo: a function is stored next to it */

/* Lists: the member is a pointer, and another member the count. */
TRM_VALUE_KIND(numbers, sizeof(void *), number_list)
TRM_VALUE_KIND(vec3_list, sizeof(void *), vectors)
TRM_VALUE_KIND(mesh_points, sizeof(void *), vectors)
TRM_VALUE_KIND(mesh_triangles, sizeof(void *), triangles)
TRM_VALUE_KIND(points, sizeof(void *), points)
TRM_VALUE_KIND(frames, sizeof(void *), frames)
TRM_VALUE_KIND(body_frames, sizeof(void *), frames) /* of bodies by name, in the world */
TRM_VALUE_KIND(settings, sizeof(void *), settings)
TRM_VALUE_KIND(options, sizeof(void *), nothing)  /* of a method */
TRM_VALUE_KIND(values, sizeof(void *), constants) /* numbers by name */
TRM_VALUE_KIND(input_values, sizeof(void *), constants)
TRM_VALUE_KIND(constants, sizeof(void *), constants)
TRM_VALUE_KIND(pairs, sizeof(void *), pairs)
TRM_VALUE_KIND(joint_values, sizeof(void *), joint_values)

/* Structs by the form of the field. */
TRM_VALUE_KIND(object, 0, object)
TRM_VALUE_KIND(simulation, 0, nothing)
TRM_VALUE_KIND(list, sizeof(void *), items)
TRM_VALUE_KIND(inputs, sizeof(void *), items)
TRM_VALUE_KIND(poses, sizeof(void *), items)
TRM_VALUE_KIND(outputs, sizeof(void *), items)
TRM_VALUE_KIND(joints, sizeof(void *), items) /* those that the file lists under "joints" */
TRM_VALUE_KIND(forces, sizeof(void *), items) /* and the drives among the joints */

/* Keys without a member. */
TRM_VALUE_KIND(version, 0, nothing)
TRM_VALUE_KIND(include, 0, nothing)
