/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The trees of a scene, for engines in joint coordinates: by which joint every body hangs, and the bodies in an order
 * in which parents come before their children. A body that no tree joint holds is the free root of its tree. */

#ifndef TRM_BENCH_TREE_HPP
#define TRM_BENCH_TREE_HPP

#include <stddef.h>

#include <vector>

#include "common/scene.h"

namespace bench
{

constexpr int ground = -1;

struct trees {
    std::vector<const scene_joint *> joint; /* that holds the body; nullptr: it is free */
    std::vector<int> order;                 /* all bodies, parents first; shorter than body_count: no trees */
};

inline int parent(const trees &trees, int body)
{
    const scene_joint *joint = trees.joint[static_cast<size_t>(body)];
    return joint ? joint->a : ground;
}

/* Appends the bodies below `root`, level by level. */
inline void append_below(trees &trees, const std::vector<std::vector<int>> &children, size_t first)
{
    for (size_t i = first; i < trees.order.size(); i++) {
        const std::vector<int> &next = children[static_cast<size_t>(trees.order[i])];
        trees.order.insert(trees.order.end(), next.begin(), next.end());
    }
}

/* False: a body hangs by two tree joints, or tree joints form a ring. */
inline bool find_trees(const scene &scene, trees &trees)
{
    const size_t count = static_cast<size_t>(scene.body_count);
    trees.joint.assign(count, nullptr);
    std::vector<std::vector<int>> children(count);
    for (int i = 0; i < scene.joint_count; i++) {
        const scene_joint &joint = scene.joints[i];
        if (joint.closes_loop) continue;
        if (joint.b == ground || trees.joint[static_cast<size_t>(joint.b)]) return false;
        trees.joint[static_cast<size_t>(joint.b)] = &joint;
        if (joint.a != ground) children[static_cast<size_t>(joint.a)].push_back(joint.b);
    }
    for (int body = 0; body < scene.body_count; body++) {
        if (parent(trees, body) != ground) continue;
        trees.order.push_back(body);
        append_below(trees, children, trees.order.size() - 1);
    }
    return trees.order.size() == count;
}

inline bool has_loops(const scene &scene)
{
    for (int i = 0; i < scene.joint_count; i++)
        if (scene.joints[i].closes_loop) return true;
    return false;
}

} // namespace bench

#endif
