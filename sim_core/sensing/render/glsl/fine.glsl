#ifdef FINE
uniform usampler2D u_parts;  // see unseen.frag
uniform vec3 u_taken[9];     // see environment.py
uniform vec3 u_bounce;       // light of the ground
uniform vec3 u_balance;
#ifdef CUBE
uniform samplerCube u_around;
uniform float u_levels;
#endif
in float v_depth;

// Visible fractions of the lights that cast shadows and of the sky: the mean of neighbouring results that
// belong to this surface. 1/depth is linear over a flat surface; a larger difference means another surface.
vec4 parts() {
    vec2 place = 0.5 * (gl_FragCoord.xy - 0.5);  // results exist for every second pixel
    ivec2 low = ivec2(floor(place)), last = textureSize(u_parts, 0) - 1;
    vec2 beside = place - vec2(low);
    float inverse = gl_FragCoord.w;
    vec2 slope = vec2(dFdx(inverse), dFdy(inverse)) * v_depth;
    float sum = 0.0;
    vec4 mean = vec4(0.0);
    for (int k = 0; k < 4; ++k) {
        vec2 corner = vec2(k & 1, k >> 1), near = 1.0 - abs(beside - corner);
        ivec2 at = min(low + ivec2(corner), last);
        uvec2 found = texelFetch(u_parts, at, 0).rg;
        float off = 1.0 - depth_of(found) * inverse * (1.0 + 2.0 * dot(corner - beside, slope));
        float weight = (near.x * near.y + 0.01) / (3e-7 + off * off);
        mean += weight * part_of(found);
        sum += weight;
    }
    return mean / sum;
}

// A sky of one colour is symmetric about z: its other numbers are 0.
vec3 taken(vec3 n) {
    vec3 sum = u_taken[0] + u_taken[2] * n.z + u_taken[6] * (3.0 * n.z * n.z - 1.0);
#ifdef CUBE
    sum += u_taken[1] * n.y + u_taken[3] * n.x + u_taken[4] * (n.x * n.y) + u_taken[5] * (n.y * n.z) +
           u_taken[7] * (n.x * n.z) + u_taken[8] * (n.x * n.x - n.y * n.y);
#endif
    return max(sum, 0.0);
}

// Ambient light that a surface reflects: sharp, or blurred.
vec3 mirrored_sky(vec3 ahead, float rough) {
#ifdef CUBE
    return textureLod(u_around, ahead, rough * u_levels).rgb;
#else
    return u_sky * mix(GROUND, 1.0, clamp(0.5 + 0.5 * ahead.z / (HORIZON + rough), 0.0, 1.0));
#endif
}

vec3 thrown_back(vec3 n) {
    return u_bounce * (0.5 - 0.5 * n.z);
}
#endif
