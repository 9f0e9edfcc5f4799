# SPDX-License-Identifier: Apache-2.0
"""Inside Blender: an obj with a PC2 cache on it through the mesh cache modifier.

blender -b --factory-startup --python play_cache.py -- OBJ PC2 FRAMES OUT
OUT gets, per frame, 'frame K N' and the N vertices as exact hexadecimal text.
"""
import sys

import bpy

obj, cache, frames, out = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.obj_import(filepath=obj, forward_axis="Y", up_axis="Z")
body = bpy.context.selected_objects[0]
modifier = body.modifiers.new("cache", "MESH_CACHE")
modifier.cache_format = "PC2"
modifier.filepath = cache
modifier.frame_start = 1
modifier.interpolation = "NONE"
modifier.forward_axis = "POS_Y"
modifier.up_axis = "POS_Z"
with open(out, "w") as file:
    for k in range(int(frames)):
        bpy.context.scene.frame_set(k + 1)
        played = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
        print("frame", k, len(played.vertices), file=file)
        for vertex in played.vertices:
            print(*(float(x).hex() for x in vertex.co), file=file)
