#version 330
// Depths and normals of surfaces, axes of the world.
in vec3 v_normal;
in float v_depth;
layout(location = 0) out vec4 f_depth;
layout(location = 1) out vec4 f_normal;
void main() {
    f_depth = vec4(v_depth);
    f_normal = vec4(0.5 + 0.5 * normalize(v_normal), 1.0);
}
