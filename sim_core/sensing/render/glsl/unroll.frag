#version 330
// A cylindrical or spherical picture from the sides of a cube. Rows run downwards.
uniform sampler2D u_cube;  // six sides in two rows
uniform mat3 u_turns[6];   // from the axes of the eye to those of each side
uniform int u_side;
uniform int u_layer;       // interpolation: 0 colour, 1 depth, 2 none
uniform bool u_is_sphere;
uniform vec2 u_size;
uniform float u_angle;     // rad from the left to the right edge
out vec4 f_colour;

#include "smooth_depth.glsl"

void main() {
    vec2 off = (0.5 - gl_FragCoord.xy / u_size) * u_angle;
    vec3 ray;
    if (u_is_sphere) {
        float away = length(off);
        ray = vec3(cos(away), sin(away) * off / max(away, 1e-9));
    } else {
        off.y *= u_size.y / u_size.x;
        ray = vec3(cos(off.y) * vec2(cos(off.x), sin(off.x)), sin(off.y));
    }
    int side = 0;
    vec3 local = u_turns[0] * ray;
    for (int k = 1; k < 6; ++k) {
        vec3 other = u_turns[k] * ray;
        if (other.x > local.x) { local = other; side = k; }
    }
    vec2 place = (0.5 - 0.5 * local.yz / local.x) * float(u_side);
    vec2 corner = vec2(side % 3, side / 3) * float(u_side);
    if (u_layer == 0) {
        place = clamp(place, vec2(0.5), vec2(float(u_side) - 0.5));
        f_colour = texture(u_cube, (corner + place) / vec2(textureSize(u_cube, 0)));
        return;
    }
    ivec2 last = ivec2(u_side - 1);
    vec4 nearest = texelFetch(u_cube, ivec2(corner) + clamp(ivec2(floor(place)), ivec2(0), last), 0);
    if (u_layer == 2) {
        f_colour = nearest;
        return;
    }
    float depth = smooth_depth(u_cube, ivec2(corner), last, place, nearest.r);
    f_colour = vec4(depth * length(local) / local.x);
}
