#version 330
// Smooth edges of a final picture: the two ends of a step between bright and dark are searched for, and
// the pixel is mixed with the one across by the area that the line between them would cover (Lottes: FXAA, 2009). First, with
// FIND, depths are written: 0 where there is no edge, so that the second pass skips these pixels.
uniform sampler2D u_picture;
out vec4 f_colour;
const float LEAST = 0.03, LEAST_PART = 0.1;  // contrast from which on there is an edge
const int STEPS = 7;
const float LENGTHS[STEPS] = float[STEPS](1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 13.0);  // search distances along the edge, pixels
ivec2 last;

float brightness(vec4 colour) {
    return dot(colour.rgb, vec3(0.0722, 0.7152, 0.2126));
}

float bright(ivec2 at) {
    return brightness(texelFetch(u_picture, clamp(at, ivec2(0), last), 0));
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    last = textureSize(u_picture, 0) - 1;
    vec4 own = texelFetch(u_picture, at, 0);
    f_colour = own;
    float m = brightness(own);
    float w = bright(at + ivec2(-1, 0)), e = bright(at + ivec2(1, 0));
    float n = bright(at + ivec2(0, -1)), s = bright(at + ivec2(0, 1));
    float most = max(m, max(max(w, e), max(n, s))), least = min(m, min(min(w, e), min(n, s)));
    float contrast = most - least;
#ifdef FIND
    gl_FragDepth = contrast < max(LEAST, LEAST_PART * most) ? 0.0 : 1.0;
#else
    float nw = bright(at + ivec2(-1, -1)), ne = bright(at + ivec2(1, -1));
    float sw = bright(at + ivec2(-1, 1)), se = bright(at + ivec2(1, 1));
    float level = abs(nw + sw - 2.0 * w) + 2.0 * abs(n + s - 2.0 * m) + abs(ne + se - 2.0 * e);
    float upright = abs(nw + ne - 2.0 * n) + 2.0 * abs(w + e - 2.0 * m) + abs(sw + se - 2.0 * s);
    ivec2 along = level >= upright ? ivec2(1, 0) : ivec2(0, 1), across = along.yx;
    float before = level >= upright ? n : w, after = level >= upright ? s : e;
    if (abs(before - m) >= abs(after - m)) {
        across = -across;
        after = before;
    }
    float middle = 0.5 * (m + after), change = 0.25 * abs(after - m);
    vec2 size = vec2(last + 1), start = (gl_FragCoord.xy + 0.5 * vec2(across)) / size, way = vec2(along) / size;
    vec2 ends = vec2(0.0), lengths = vec2(LENGTHS[STEPS - 1]);
    bool goes_on_before = true, goes_on_after = true;
    for (int k = 0; k < STEPS && (goes_on_before || goes_on_after); ++k) {  // halfway between both rows
        if (goes_on_before) {
            ends.x = brightness(texture(u_picture, start - LENGTHS[k] * way)) - middle;
            if (abs(ends.x) >= change) {
                goes_on_before = false;
                lengths.x = LENGTHS[k];
            }
        }
        if (goes_on_after) {
            ends.y = brightness(texture(u_picture, start + LENGTHS[k] * way)) - middle;
            if (abs(ends.y) >= change) {
                goes_on_after = false;
                lengths.y = LENGTHS[k];
            }
        }
    }
    lengths -= 0.5;
    bool is_before = lengths.x < lengths.y;
    float part = 0.5 - min(lengths.x, lengths.y) / (lengths.x + lengths.y), end = is_before ? ends.x : ends.y;
    if (abs(end) < change || (end < 0.0) == (m < middle)) part = 0.0;
    // Details of one pixel's width are mixed with a little of their surroundings.
    float mean = (2.0 * (w + e + n + s) + nw + ne + sw + se) / 12.0;
    float thin = smoothstep(0.0, 1.0, clamp(abs(mean - m) / contrast, 0.0, 1.0));
    part = max(part, 0.5 * thin * thin);
    f_colour = mix(own, texelFetch(u_picture, clamp(at + across, ivec2(0), last), 0), part);
#endif
}
