// Results for every second pixel, across and down: its depth, and fractions of light and of sky in 8 bits each.
uvec2 stored(float depth, vec4 part) {
    uvec4 bits = uvec4(255.0 * clamp(part, 0.0, 1.0) + 0.5);
    return uvec2(floatBitsToUint(depth), bits.r | bits.g << 8 | bits.b << 16 | bits.a << 24);
}

float depth_of(uvec2 found) {
    return uintBitsToFloat(found.x);
}

vec4 part_of(uvec2 found) {
    return vec4(found.y & 255u, found.y >> 8 & 255u, found.y >> 16 & 255u, found.y >> 24) / 255.0;
}
