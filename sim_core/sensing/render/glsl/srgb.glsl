// Linear numbers as sRGB. 1.055*c^(1/2.4) - 0.055 is made of square roots, for powers are slow; off by 0.012 of
// 255 at most.
vec3 encode(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    vec3 r = sqrt(c), rr = sqrt(r), rrr = sqrt(rr);
    vec3 high = 0.642389263 * r + 0.712084256 * rr - 0.336859239 * rrr - 0.017571459 * c;
    return mix(high, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}
