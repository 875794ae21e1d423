#version 330
// The mean of what the pixels from FIRST to LAST, each STRIDE, across and down from this one, found of the same surface. With
// AGAIN that of the sky alone: what 4 x 4 turns find differs so much near things that their mean still shows a pattern.
uniform sampler2D u_depths;
uniform sampler2D u_parts;
out vec4 f_part;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy), last = (textureSize(u_depths, 0) - 1) / 2;
    float here = texelFetch(u_depths, 2 * at, 0).r;
    f_part = vec4(1.0);
    if (here <= 0.0) return;
    vec4 part = vec4(0.0);
    float sum = 0.0;
    // 1/depth grows evenly over a flat surface; what differs more is another surface.
    float inverse = 1.0 / here;
    float slope_x = 1.0 / max(texelFetch(u_depths, 2 * min(at + ivec2(1, 0), last), 0).r, 1e-6) - inverse;
    float slope_y = 1.0 / max(texelFetch(u_depths, 2 * min(at + ivec2(0, 1), last), 0).r, 1e-6) - inverse;
    if (abs(slope_x) > 0.05 * inverse) slope_x = 0.0;
    if (abs(slope_y) > 0.05 * inverse) slope_y = 0.0;
    for (int y = FIRST; y <= LAST; y += STRIDE)
        for (int x = FIRST; x <= LAST; x += STRIDE) {
            ivec2 there = clamp(at + ivec2(x, y), ivec2(0), last);
            float there_depth = texelFetch(u_depths, 2 * there, 0).r;
            float off = abs(1.0 - (inverse + float(x) * slope_x + float(y) * slope_y) * there_depth);
            float weight = off < 0.005 ? 1.0 : 0.0;
            part += weight * texelFetch(u_parts, there, 0);
            sum += weight;
        }
    f_part = part / max(sum, 1.0);
#ifdef AGAIN
    f_part.rgb = texelFetch(u_parts, at, 0).rgb;
#endif
}
