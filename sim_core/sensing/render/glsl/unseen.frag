#version 330
// Fraction of the light of all lights with shadows that reaches a pixel's surface (red, green, blue; relative to the light
// without shadows), and the visible fraction of the sky.
uniform sampler2D u_depths;   // see geometry.frag; every second pixel is used, across and down
uniform sampler2D u_normals;
uniform vec3 u_ray;         // vector to the picture's corner at depth 1, axes of the world
uniform vec3 u_right;       // added to it for each pixel
uniform vec3 u_down;
uniform vec3 u_occlusion;   // largest distance of occluders, m; pixels of 1 m at 1 m; largest number of pixels
out uvec2 f_found;
const float PI = 3.14159265, HALF_PI = 1.57079633;
const int STEPS = 4;

#include "parts.glsl"

vec3 place(ivec2 pixel, float depth) {
    return depth * (u_ray + (float(pixel.x) + 0.25) * u_right + (float(pixel.y) + 0.25) * u_down);
}

float arc(float h, float g) {
    return 0.25 * (cos(g) - cos(2.0 * h - g) + 2.0 * h * sin(g));
}

// Fraction of the light from a uniform sky that nearby shapes do not hide (Jimenez, Wu, Pesce, Jarabo: Practical real-time
// strategies for accurate indirect occlusion, 2016): in a plane through the eye, between the horizons on both sides;
// neighbouring pixels use different planes.
float open(ivec2 at, vec3 p, vec3 n, float depth, float turn, float shift) {
    float reach = min(u_occlusion.x * u_occlusion.y / depth, u_occlusion.z);
    if (reach < 1.5) return 1.0;
    float radius = reach * depth / u_occlusion.y;
    ivec2 last = (textureSize(u_depths, 0) - 1) / 2;
    vec3 v = -normalize(p);
    float angle = turn * PI;
    vec2 way = vec2(cos(angle), sin(angle));
    vec3 along = u_right * way.x + u_down * way.y;
    vec3 t = normalize(along - v * dot(along, v)), axis = cross(t, v);
    vec3 flat_n = n - axis * dot(n, axis);
    float part = length(flat_n);
    float g = sign(dot(flat_n, t)) * acos(clamp(dot(flat_n, v) / max(part, 1e-6), -1.0, 1.0));
    float edge = sin(g);
    vec2 cosines = vec2(edge, -edge);  // of the horizons, initially those of the surface: back, ahead
    for (int s = 0; s < STEPS; ++s) {
        float far = (float(s) + shift) / float(STEPS);
        ivec2 to = ivec2(round(way * (1.0 + far * far * reach)));
        for (int side = 0; side < 2; ++side) {
            ivec2 there = side == 0 ? at - to : at + to;
            float there_depth = texelFetch(u_depths, 2 * clamp(there, ivec2(0), last), 0).r;
            vec3 off = place(there, there_depth) - p;
            float square = max(dot(off, off), 1e-12);
            float fade = clamp(2.0 - 2.0 * sqrt(square) / radius, 0.0, 1.0);
            if (there_depth <= 0.0) fade = 0.0;
            float low = side == 0 ? edge : -edge;
            cosines[side] = max(cosines[side], mix(low, dot(off, v) * inversesqrt(square), fade));
        }
    }
    float sum = arc(-acos(clamp(cosines.x, -1.0, 1.0)), g) + arc(acos(clamp(cosines.y, -1.0, 1.0)), g);
    return clamp(part * sum, 0.0, 1.0);
}

#ifdef LIGHTS
// Lights that cast shadows, in their order.
uniform vec4 u_sources[LIGHTS * 4];  // as u_light in surface.frag
uniform sampler2D u_atlas;
uniform mat4 u_tiles[TILES];         // from positions relative to the eye to clip coordinates
uniform vec4 u_places[TILES];        // in the atlas: centre and half the size, texels; size of a texel, m
uniform vec2 u_spans[TILES];         // nearest and farthest depth, m
const float SUN = 0.03, LAMP = 0.12;  // half the width of the sun, tangent; radius of a lamp, m
const float DEEPEST = 4.0;            // distance in m up to which the sun's shadows get softer
const int TAPS = 4;
const vec2 DISC[TAPS] = vec2[TAPS](vec2(0.3536, 0.0), vec2(-0.4515, 0.4137), vec2(0.0691, -0.7875), vec2(0.5691, 0.7423));

vec3 p, n, all, taken;
vec2 round_about;

float depth_in(bool is_lamp, vec2 span, float z) {
    float depth = is_lamp ? span.x * span.y / (span.y - z * (span.y - span.x)) : z * span.y;
    return z < 1.0 ? depth : 1e9;  // empty texel; the lit surface may be beyond the map
}

// Visible fraction of a light (Fernando: Percentage-closer soft shadows, 2005). Positions in the axes of the map: x and y
// across it, z its depth in m; for lamps x and y are divided by z. `a` and `b` span a disc around c, m.
float lit(bool is_lamp, vec3 c, vec3 a, vec3 b, float texel, vec4 place, vec2 span) {
    float widest = max(is_lamp ? LAMP : SUN * min(c.z, DEEPEST), 2.0 * texel);
    mat2 spin = mat2(round_about.x, round_about.y, -round_about.y, round_about.x);
    vec2 low = place.xy - place.z, high = place.xy + place.z - 1.0;
    float blockers = 0.0, sum = 0.0;
    for (int k = 0; k < TAPS; ++k) {
        vec2 o = spin * DISC[k] * widest;
        vec3 q = c + o.x * a + o.y * b;
        vec2 at = place.xy + (is_lamp ? q.xy / q.z : q.xy) * place.z;
        float depth = depth_in(is_lamp, span, texelFetch(u_atlas, ivec2(clamp(at, low, high)), 0).r);
        float blocks = depth < q.z ? 1.0 : 0.0;
        blockers += blocks;
        sum += blocks * depth;
    }
    float before = sum / max(blockers, 1.0);
    float width = is_lamp ? LAMP * (c.z - before) / max(before, 1e-3) : SUN * (c.z - before);
    width = clamp(width, 0.75 * texel, widest);
    float seen = 0.0;
    for (int k = 0; k < TAPS; ++k) {
        vec2 o = spin * DISC[k] * width;
        vec3 q = c + o.x * a + o.y * b;
        vec2 at = place.xy + (is_lamp ? q.xy / q.z : q.xy) * place.z;
        float depth = depth_in(is_lamp, span, texelFetch(u_atlas, ivec2(clamp(at, low, high)), 0).r);
        seen += depth < q.z ? 0.0 : 1.0;
    }
    return blockers == 0.0 ? 1.0 : seen / float(TAPS);
}

// A disc perpendicular to the light, projected along it onto the surface.
void disc(vec3 to_light, out vec3 a, out vec3 b) {
    a = normalize(cross(to_light, abs(to_light.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
    b = cross(to_light, a);
    float slope = 1.0 / max(dot(n, to_light), 0.2);
    a -= to_light * dot(n, a) * slope;
    b -= to_light * dot(n, b) * slope;
}

void add(vec3 light, float part) {
    all += light;
    taken += light * part;
}

void sun(int k, int first, int count) {
    vec3 to_light = -u_sources[4 * k + 1].xyz, a, b;
    mat4 map = u_tiles[first];
    vec4 place = u_places[first];
    vec2 span = u_spans[first];
    vec4 c = map * vec4(p, 1.0);
    for (int more = 1; more < 3; ++more)
        if (more < count && max(abs(c.x), abs(c.y)) > 0.97) {
            map = u_tiles[first + more];
            place = u_places[first + more];
            span = u_spans[first + more];
            c = map * vec4(p, 1.0);
        }
    bool is_inside = max(abs(c.x), abs(c.y)) < 1.0;
    disc(to_light, a, b);
    vec3 depths = vec3(1.0, 1.0, 0.5 * span.y);  // per clip coordinate, m
    vec3 from = (map * vec4(p + 1.5 * place.w * n, 1.0)).xyz;
    from.z = 0.5 * span.y * (from.z + 1.0);
    float part = lit(false, from, mat3(map) * a * depths, mat3(map) * b * depths, place.w, place, span);
    add(u_sources[4 * k + 2].rgb * max(dot(n, to_light), 0.0), is_inside ? part : 1.0);
}

vec3 light_of(int k, vec3 to_light, float d) {
    vec4 more = u_sources[4 * k + 3];
    float strength = d <= u_sources[4 * k + 1].w ? 1.0 / max(dot(more.xyz, vec3(1.0, d, d * d)), 1e-6) : 0.0;
    return u_sources[4 * k + 2].rgb * strength * max(dot(n, to_light), 0.0);
}

void spot(int k, int first, int count) {
    vec3 to_light = u_sources[4 * k].xyz - p, a, b;
    float d = length(to_light);
    to_light /= max(d, 1e-9);
    disc(to_light, a, b);
    mat3 map = mat3(u_tiles[first]);
    vec3 ahead = u_sources[4 * k + 1].xyz, from = p - u_sources[4 * k].xyz;
    float texel = u_places[first].w * dot(from, ahead);
    from += 1.5 * texel * n;
    vec3 c = vec3((map * from).xy, dot(from, ahead));
    a = vec3((map * a).xy, dot(a, ahead));
    b = vec3((map * b).xy, dot(b, ahead));
    float part = lit(true, c, a, b, texel, u_places[first], u_spans[first]);
    float edge = u_sources[4 * k + 3].w, cosine = -dot(to_light, ahead);
    vec3 light = light_of(k, to_light, d) * smoothstep(cos(edge), cos(min(u_sources[4 * k + 2].w, edge - 1e-3)), cosine);
    add(light, c.z > 0.0 ? part : 1.0);
}

void point(int k, int first, int count) {
    vec3 from = p - u_sources[4 * k].xyz, size = abs(from), a, b;
    float d = length(from);
    disc(-from / max(d, 1e-9), a, b);
    // The side of the cube, see optics.py: to the side, up, out of it.
    bool is_x = size.x >= max(size.y, size.z), is_y = !is_x && size.y >= size.z;
    float way = is_x ? sign(from.x) : is_y ? sign(from.y) : sign(from.z);
    vec3 side = is_x ? vec3(0.0, way, 0.0) : is_y ? vec3(-way, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
    vec3 up = is_x || is_y ? vec3(0.0, 0.0, 1.0) : vec3(-way, 0.0, 0.0);
    vec3 out_of = is_x ? vec3(way, 0.0, 0.0) : is_y ? vec3(0.0, way, 0.0) : vec3(0.0, 0.0, way);
    float number = is_x ? 1.0 - way : is_y ? 2.0 - way : 4.5 - 0.5 * way;
    vec4 place = u_places[first];
    place.xy += 2.0 * place.z * vec2(number > 2.5 ? number - 3.0 : number, number > 2.5 ? 1.0 : 0.0);
    float texel = place.w * dot(out_of, from);
    vec3 to_light = -from / max(d, 1e-9);
    from += 1.5 * texel * n;
    vec3 margin = vec3(1.0 / MARGIN, 1.0 / MARGIN, 1.0);
    vec3 c = margin * vec3(dot(side, from), dot(up, from), dot(out_of, from));
    a = margin * vec3(dot(side, a), dot(up, a), dot(out_of, a));
    b = margin * vec3(dot(side, b), dot(up, b), dot(out_of, b));
    add(light_of(k, to_light, d), lit(true, c, a, b, texel, place, u_spans[first]));
}
#else
vec3 p, n, all, taken;
vec2 round_about;
#endif

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    float depth = texelFetch(u_depths, 2 * at, 0).r;
    vec4 part = vec4(1.0);
    f_found = stored(depth, part);
    if (depth <= 0.0) return;
    p = place(at, depth);
    n = normalize(texelFetch(u_normals, 2 * at, 0).xyz - 0.5);
    int cell = (at.x & 3) + 4 * (at.y & 3);  // 16 rotations, each once in every 4 x 4 pixels
    float turn = (float((cell * 7) & 15) + 0.5) / 16.0, shift = (float((cell * 11 + 5) & 15) + 0.5) / 16.0;
    if (u_occlusion.x > 0.0) part.a = open(at, p, n, depth, turn, shift);
    round_about = vec2(cos(6.2831853 * turn), sin(6.2831853 * turn));
    all = taken = vec3(0.0);
    EACH_CAST
    part.rgb = mix(vec3(1.0), taken / max(all, 1e-9), greaterThan(all, vec3(1e-9)));
    f_found = stored(depth, part);
}
