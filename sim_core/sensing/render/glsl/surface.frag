#version 330
uniform vec4 u_light[LIGHTS * 4];  // position, 0; direction, radius; colour, beam; attenuation, cut-off
uniform vec3 u_ambient;
uniform vec3 u_sky;
uniform vec4 u_fog;  // colour, range
in vec3 v_place;
in vec3 v_normal;
flat in vec4 v_base;
flat in vec4 v_emitted;
flat in vec4 v_kind;
flat in vec3 v_ambient;
out vec4 f_colour;
#ifdef TILES
flat in vec3 v_eye;  // from the origin of the lights
flat in float v_tile;
#else
const vec3 v_eye = vec3(0.0);
#endif
const float PI = 3.14159265;
#ifdef PICTURES
in vec2 v_picture;
uniform vec2 u_strengths;  // of the textures of normals and of occlusion
#ifdef FINE
vec2 aside;   // half the distance between the two texture samples of a pixel
float level;  // mipmap level of each sample: logarithm to base 2 of its size, as a fraction of the texture

// At an oblique angle a pixel covers a longer than wide area: two samples of 0.4 of its length each are sharp up to 2.5 times the width.
// The driver's anisotropic filter takes llvmpipe four times as long.
void set_footprint() {
    vec2 x = dFdx(v_picture), y = dFdy(v_picture);
    float xx = dot(x, x), yy = dot(y, y);
    aside = 0.25 * (xx > yy ? x : y);
    level = 0.5 * log2(max(max(0.16 * max(xx, yy), min(xx, yy)), 1e-30));
}

vec4 seen(sampler2D picture, vec2 place) {
    ivec2 size = textureSize(picture, 0);
    float lod = level + log2(float(max(size.x, size.y)));
    return 0.5 * (textureLod(picture, place - aside, lod) + textureLod(picture, place + aside, lod));
}
#else
#define seen texture
#endif
#endif
#ifdef BASE
uniform sampler2D u_picture_base;
#endif
#ifdef EMISSIVE
uniform sampler2D u_picture_emissive;
#endif
#ifdef ROUGHNESS
uniform sampler2D u_picture_roughness;
#endif
#ifdef METALNESS
uniform sampler2D u_picture_metalness;
#endif
#ifdef OCCLUSION
uniform sampler2D u_picture_occlusion;
#endif
#ifdef NORMAL
uniform sampler2D u_picture_normal;

vec3 tilted(vec3 normal) {
    vec3 right = dFdx(v_place), up = dFdy(v_place);
    vec2 s = vec2(dFdx(v_picture.x), dFdy(v_picture.x)), t = vec2(dFdx(v_picture.y), dFdy(v_picture.y));
    vec3 a = cross(up, normal), b = cross(normal, right);
    float area = dot(normal, cross(right, up));
    vec3 along_s = (a * s.x + b * s.y) * sign(area), along_t = (a * t.x + b * t.y) * sign(area);
    float longest = max(dot(along_s, along_s), dot(along_t, along_t));
    if (longest <= 0.0) return normal;
    vec3 tilt = seen(u_picture_normal, v_picture).rgb * 2.0 - 1.0;
    tilt.xy *= u_strengths.x * inversesqrt(longest);
    return normalize(along_s * tilt.x + along_t * tilt.y + normal * tilt.z);
}
#endif

vec3 normal, eye, diffuse, f0;
vec4 kind;
#ifdef PBR
uniform sampler2D u_mirrored;  // reflection of uniform light: factor of f0, and the added term
float nv, alpha2, f90, v;
#endif

#ifdef SHADOW
uniform sampler2DShadow u_shadow_map;
uniform mat4 u_shadow;        // from positions relative to the eye to the map
uniform float u_shadow_step;  // size of a texel at distance 1 (perspective), or everywhere; m

#ifdef TILES
uniform sampler2DShadow u_shadow_cells;  // parts of the map with the robots of each copy
uniform sampler2D u_cells;               // corner of each in the map, and in u_shadow_cells, from 0 to 1
uniform vec3 u_cell_sizes;  // side of a cell and of u_shadow_cells as fractions of the map's, cells of a copy

#include "tables.glsl"

float lit_past_robots(vec3 place) {
    float free = 1.0, edge = 1.0 / float(textureSize(u_shadow_map, 0).x);
    int count = int(u_cell_sizes.z);
    for (int k = 0; k < count; ++k) {
        vec4 corners = entry(u_cells, int(v_tile) * count + k);
        vec2 inside = place.xy - corners.xy;
        if (all(greaterThan(inside, vec2(edge))) && all(lessThan(inside, vec2(u_cell_sizes.x - edge))))
            free *= texture(u_shadow_cells, vec3(corners.zw + inside / u_cell_sizes.y, place.z));
    }
    return free;
}
#endif

float lit() {
    vec3 at = v_place + v_eye;
    float scale = (u_shadow * vec4(at, 1.0)).w * u_shadow_step;
    vec4 p = u_shadow * vec4(at + 1.5 * scale * normalize(v_normal), 1.0);
    if (p.w <= 0.0) return 1.0;
    vec3 place = p.xyz / p.w * 0.5 + 0.5;
    if (any(lessThan(place.xy, vec2(0.0))) || any(greaterThan(place.xy, vec2(1.0)))) return 1.0;
    place.z = clamp(place.z, 0.0, 1.0) - 1e-5;
#ifdef TILES
    return texture(u_shadow_map, place) * lit_past_robots(place);
#else
    return texture(u_shadow_map, place);
#endif
}
#endif

vec3 reflected(vec3 to_light) {
    float nl = dot(normal, to_light);
    vec3 h = normalize(to_light + eye);
    float nh = max(dot(normal, h), 0.0);
#ifdef PBR
    nl = clamp(nl, 0.0001, 1.0);
    float t = nh * nh * (alpha2 - 1.0) + 1.0;
    float away = clamp(1.0 - dot(eye, h), 0.0, 1.0);
    float away2 = away * away;
    vec3 fresnel = f0 + (f90 - f0) * (away2 * away2 * away);
    float factor = alpha2 / (t * t * (nl + sqrt(alpha2 + (1.0 - alpha2) * nl * nl)) * v);
    return nl / PI * ((1.0 - fresnel) * diffuse + factor * fresnel);
#else
    nl = max(nl, 0.0);
#ifdef BASE
    return nl * diffuse;
#else
    float shine = nl > 0.0 && nh > 0.0 ? pow(nh, 128.0 * kind.w) : 0.0;
    return nl * diffuse + shine * kind.rgb;
#endif
#endif
}

vec3 sun(int k) {
    return reflected(-u_light[4 * k + 1].xyz) * u_light[4 * k + 2].rgb;
}

vec3 lamp(int k, out vec3 to_light) {
    to_light = u_light[4 * k].xyz - v_eye - v_place;
    float d = length(to_light);
    to_light /= max(d, 1e-9);
    float divisor = dot(u_light[4 * k + 3].xyz, vec3(1.0, d, d * d));
    float strength = d <= u_light[4 * k + 1].w && divisor > 0.0 ? 1.0 / divisor : 0.0;
    return strength * reflected(to_light) * u_light[4 * k + 2].rgb;
}

vec3 point(int k) {
    vec3 to_light;
    return lamp(k, to_light);
}

vec3 spot(int k) {
    vec3 to_light;
    vec3 light = lamp(k, to_light);
    float beam = u_light[4 * k + 2].w, edge = u_light[4 * k + 3].w;
    float angle = acos(clamp(-dot(to_light, u_light[4 * k + 1].xyz), -1.0, 1.0));
    return light * (angle > edge ? 0.0 : angle <= beam ? 1.0 : (edge - angle) / (edge - beam));
}

#include "film.glsl"
#include "parts.glsl"
#include "fine.glsl"

void main() {
    float open = 1.0;
#if defined(FINE) && defined(PICTURES)
    set_footprint();
#endif
    normal = normalize(v_normal);
#if defined(FINE) && !defined(AT_EYE)
    vec4 part = parts();
    open = part.a;
#endif
    eye = normalize(-v_place);
    vec4 base = v_base;
    kind = v_kind;
    vec3 emitted = v_emitted.rgb;
#ifdef BASE
    vec4 picture = seen(u_picture_base, v_picture);
    if (picture.a * base.a < 0.002) discard;
    base *= picture;
#ifndef PBR
    emitted = (emitted + open * u_ambient * v_ambient) * picture.rgb;
#endif
#elif !defined(PBR)
    emitted += open * u_ambient * v_ambient;
#endif
#ifdef EMISSIVE
    emitted = seen(u_picture_emissive, v_picture).rgb * v_emitted.a;
#endif
#ifdef ROUGHNESS
    kind.y = seen(u_picture_roughness, v_picture).r;
#endif
#ifdef METALNESS
    kind.x = seen(u_picture_metalness, v_picture).r;
#endif
#ifdef NORMAL
    normal = tilted(normal);
#endif
    diffuse = base.rgb;
    vec3 sum = emitted;
#ifdef PBR
    float rough = clamp(kind.y, 0.04, 1.0), metal = clamp(kind.x, 0.0, 1.0), alpha = rough * rough;
    diffuse *= 0.96 * (1.0 - metal);
    f0 = mix(vec3(0.04), base.rgb, metal);
    f90 = clamp(25.0 * max(f0.r, max(f0.g, f0.b)), 0.0, 1.0);
    nv = dot(normal, eye);
    vec2 mirrored = texture(u_mirrored, vec2(nv - 0.001, rough)).rg;
#ifdef FINE
    vec3 ahead = reflect(-eye, normal);
    vec3 mirrors = mirrored_sky(ahead, rough) * open;
    vec3 around = kind.z * (taken(normal) * diffuse * open + mirrors * (f0 * mirrored.x + mirrored.y));
    around += open * thrown_back(normal) * diffuse;
#else
    vec3 around = kind.z * u_sky * (diffuse + f0 * mirrored.x + mirrored.y);
#endif
#ifdef OCCLUSION
    around *= mix(1.0, seen(u_picture_occlusion, v_picture).r, u_strengths.y);
#endif
    sum += around;
    alpha2 = alpha * alpha;
    nv = abs(nv) + 0.0001;
    v = nv + sqrt(alpha2 + (1.0 - alpha2) * nv * nv);
#endif
#if defined(FINE) && !defined(PBR)
    sum += open * PI * thrown_back(normal) * diffuse;
#endif
    EACH_LIGHT
#ifdef FINE
    sum *= u_balance;
#endif
#ifdef FOG
    float d = length(v_place) / u_fog.w;
    sum = mix(sum, u_fog.rgb, pow(1.0 - FOG, 2.2));
#endif
    f_colour = vec4(shown(sum), base.a);
}
