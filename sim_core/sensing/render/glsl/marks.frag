#version 330
// Points and lines, without lighting and fog.
in vec3 v_mark;
flat in vec4 v_base;
out vec4 f_colour;

#include "film.glsl"

void main() {
    f_colour = vec4(shown(v_mark), v_base.a);
}
