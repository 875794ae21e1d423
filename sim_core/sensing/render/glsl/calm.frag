#version 330
// Mean of the results of pixels of the same surface, at offsets FIRST to LAST in steps of STRIDE, across and down. With
// AGAIN only the sky is averaged: near shapes the results of 4 x 4 rotations differ so much that their mean has a pattern.
uniform usampler2D u_parts;
out uvec2 f_found;

#include "parts.glsl"

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(u_parts, 0) - 1;
    f_found = texelFetch(u_parts, at, 0).rg;
    float here = depth_of(f_found);
    if (here <= 0.0) return;
    vec4 part = vec4(0.0);
    float sum = 0.0;
    // 1/depth is linear over a flat surface; a larger difference means another surface.
    float inverse = 1.0 / here;
    float slope_x = 1.0 / max(depth_of(texelFetch(u_parts, min(at + ivec2(1, 0), last), 0).rg), 1e-6) - inverse;
    float slope_y = 1.0 / max(depth_of(texelFetch(u_parts, min(at + ivec2(0, 1), last), 0).rg), 1e-6) - inverse;
    if (abs(slope_x) > 0.05 * inverse) slope_x = 0.0;
    if (abs(slope_y) > 0.05 * inverse) slope_y = 0.0;
    for (int y = FIRST; y <= LAST; y += STRIDE)
        for (int x = FIRST; x <= LAST; x += STRIDE) {
            uvec2 there = texelFetch(u_parts, clamp(at + ivec2(x, y), ivec2(0), last), 0).rg;
            float off = abs(1.0 - (inverse + float(x) * slope_x + float(y) * slope_y) * depth_of(there));
            float weight = off < 0.005 ? 1.0 : 0.0;
            part += weight * part_of(there);
            sum += weight;
        }
    part /= max(sum, 1.0);
#ifdef AGAIN
    part.rgb = part_of(f_found).rgb;
#endif
    f_found = stored(here, part);
}
