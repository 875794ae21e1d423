#version 330
// A picture distorted by a lens.
uniform sampler2D u_straight;
uniform sampler2D u_from;  // source position of each pixel, pixels
uniform int u_layer;       // interpolation: 0 colour, 1 depth, 2 none
out vec4 f_colour;

#include "smooth_depth.glsl"

void main() {
    vec2 place = texelFetch(u_from, ivec2(gl_FragCoord.xy), 0).rg;
    ivec2 size = textureSize(u_straight, 0);
    if (u_layer == 0) {
        f_colour = texture(u_straight, place / vec2(size));
        return;
    }
    f_colour = texelFetch(u_straight, clamp(ivec2(floor(place)), ivec2(0), size - 1), 0);
    if (u_layer == 1) f_colour = vec4(smooth_depth(u_straight, ivec2(0), size - 1, place, f_colour.r));
}
