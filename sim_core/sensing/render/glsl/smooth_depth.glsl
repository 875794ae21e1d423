// Depth at a position between texels, of a part of a picture: its first texel and the number of its last.
// Along a flat surface the inverse of the depth is linear in the picture. If the four texels around the
// position are not of one surface, the nearest is used.
float smooth_depth(sampler2D picture, ivec2 corner, ivec2 last, vec2 place, float nearest) {
    vec2 from = floor(place - 0.5), part = place - 0.5 - from;
    vec4 inverse;
    for (int k = 0; k < 4; ++k) {
        ivec2 texel = clamp(ivec2(from) + ivec2(k % 2, k / 2), ivec2(0), last);
        inverse[k] = 1.0 / texelFetch(picture, corner + texel, 0).r;
    }
    float low = min(min(inverse.x, inverse.y), min(inverse.z, inverse.w));
    float high = max(max(inverse.x, inverse.y), max(inverse.z, inverse.w));
    vec2 columns = mix(inverse.xz, inverse.yw, part.x);
    return low > 0.9 * high ? 1.0 / mix(columns.x, columns.y, part.y) : nearest;
}
