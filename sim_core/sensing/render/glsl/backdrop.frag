#version 330
// The pictures of a Background, behind all shapes.
uniform sampler2D u_strip;
uniform vec3 u_sides[18];  // ahead, right, up of each
uniform mat3 u_turn;       // from the axes of the eye to those of the world
uniform vec2 u_reach;      // tangents of half the angles of view
uniform vec4 u_area;       // x, y, width, height of the picture, pixels
out vec4 f_colour;

#include "film.glsl"

void main() {
    vec2 place = 1.0 - 2.0 * (gl_FragCoord.xy - u_area.xy) / u_area.zw;
    vec3 ray = u_turn * vec3(1.0, place * u_reach);
    int side = 0;
    for (int k = 1; k < 6; ++k)
        if (dot(ray, u_sides[3 * k]) > dot(ray, u_sides[3 * side])) side = k;
    vec2 on = vec2(dot(ray, u_sides[3 * side + 1]), -dot(ray, u_sides[3 * side + 2]));
    float size = float(textureSize(u_strip, 0).x);
    vec2 pixel = clamp((0.5 + 0.5 * on / dot(ray, u_sides[3 * side])) * size, vec2(0.5), vec2(size - 0.5));
    vec3 written = texture(u_strip, vec2(pixel.x, pixel.y + float(side) * size) / vec2(size, 6.0 * size)).rgb;
    f_colour = vec4(shown(written * written), 1.0);
}
