"""The GLSL programs, and what they compute.

Light is summed in linear numbers, and written as sRGB (IEC 61966-2-1). For a surface with normal N,
base colour C, light of colour I from direction L, seen from direction V, with H = (L + V)/|L + V|:

    emitted + fog-free sum = E + ambient + Σ att·spot·(diffuse·(N·L) + specular)·I
    Appearance:    ambient = C·Σ light ambient·ambientIntensity; diffuse = C;
                   specular = S·(N·H)^(128·shininess)
    PBRAppearance: ambient = C·(Σ light ambient + IBLStrength·sky); diffuse = C·(1 - metalness);
                   specular = π·D·F·G·(N·L), the microfacet model of Cook and Torrance with D of
                   Trowbridge and Reitz (α = roughness²), F of Schlick (F0 = 0.04, of metal C) and G of
                   Smith and Schlick
    att = 1/(a0 + a1·d + a2·d²), 0 beyond the radius; spot falls from 1 at beamWidth to 0 at cutOffAngle

Pictures on surfaces are factors of C; on an Appearance also of E, and what has one has no specular, as in
Webots. Those of roughness, metalness and E of a PBRAppearance stand for the numbers in its fields, that of
occlusion is a factor of ambient.

The picture shows 1 − exp(−exposure·sum), as film does, so that what is bright keeps its colour (and as Webots
does). The factor 1/π of diffuse reflection is left out, as the intensities of such worlds are meant: a white
wall that a light of intensity 1 shines on straight gives off light of 1.
"""

from __future__ import annotations

from sim_core.devices.pictures import DIRECTIONAL, POINT, SPOT

LIGHTS = 32
"""Most lights that count; those that come first in the file."""
ROOTS = "0.642389263 * r + 0.712084256 * rr - 0.336859239 * rrr - 0.017571459 * c"
"""1.055·c^(1/2.4) - 0.055 from square roots, for powers are slow; off by 0.012 of 255 at most."""

VERTEX = """
#version 330
uniform mat3 u_view;  // from the axes of the world to those of the eye
uniform vec4 u_eye;
#ifdef CAST
uniform mat4 u_shadow;
#endif
in vec3 in_position;
in vec3 in_normal;
in vec3 i_x;
in vec3 i_y;
in vec3 i_z;
in vec3 i_place;
in vec4 i_base;
in vec4 i_emitted;
in vec4 i_kind;
in vec4 i_segment;
out vec3 v_place;
out vec3 v_normal;
out float v_depth;
#ifdef PICTURES
uniform vec3 u_turn_s;  // to the place in the pictures
uniform vec3 u_turn_t;
in vec2 in_picture;
out vec2 v_picture;
#endif
flat out vec4 v_base;
flat out vec4 v_emitted;
flat out vec4 v_kind;
flat out vec4 v_segment;
void main() {
    mat3 turn = mat3(i_x, i_y, i_z);
    mat3 cofactors = mat3(cross(i_y, i_z), cross(i_z, i_x), cross(i_x, i_y));
    v_place = turn * in_position + i_place;
    v_normal = cofactors * in_normal * sign(determinant(turn));
    vec3 p = u_view * v_place;
    v_depth = p.x;
#ifdef PICTURES
    v_picture = vec2(dot(u_turn_s, vec3(in_picture, 1.0)), dot(u_turn_t, vec3(in_picture, 1.0)));
#endif
    v_base = i_base;
    v_emitted = vec4(i_emitted.rgb, i_segment.a);
    v_kind = i_kind;
    v_segment = i_segment;
#ifdef CAST
    gl_Position = u_shadow * vec4(v_place, 1.0);
    return;
#endif
    gl_Position = vec4(-u_eye.x * p.y, -u_eye.y * p.z, u_eye.z * p.x + u_eye.w, p.x);
}
"""

COLOUR = """
#version 330
uniform vec4 u_light[LIGHTS * 4];  // place, kind; direction, radius; colour, beam; attenuation, cut-off
uniform vec3 u_ambient;
uniform vec3 u_sky;
uniform float u_exposure;
uniform vec4 u_fog;  // colour, range
in vec3 v_place;
in vec3 v_normal;
flat in vec4 v_base;
flat in vec4 v_emitted;
flat in vec4 v_kind;
out vec4 f_colour;
#ifdef PICTURES
in vec2 v_picture;
uniform vec2 u_strengths;  // of the pictures of normals and of occlusion
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
    vec3 tilt = texture(u_picture_normal, v_picture).rgb * 2.0 - 1.0;
    tilt.xy *= u_strengths.x * inversesqrt(longest);
    return normalize(along_s * tilt.x + along_t * tilt.y + normal * tilt.z);
}
#endif

vec3 normal, eye, diffuse, f0;
vec4 kind;
#ifdef PBR
float nv, alpha2, k;
#endif

#ifdef SHADOW
uniform sampler2DShadow u_shadow_map;
uniform mat4 u_shadow;        // from places seen from the eye to the map
uniform float u_shadow_step;  // size of a texel at distance 1, or of all; m

float lit() {
    float scale = (u_shadow * vec4(v_place, 1.0)).w * u_shadow_step;
    vec4 p = u_shadow * vec4(v_place + 1.5 * scale * normalize(v_normal), 1.0);
    if (p.w <= 0.0) return 1.0;
    vec3 place = p.xyz / p.w * 0.5 + 0.5;
    if (any(lessThan(place.xy, vec2(0.0))) || any(greaterThan(place.xy, vec2(1.0)))) return 1.0;
    return texture(u_shadow_map, vec3(place.xy, clamp(place.z, 0.0, 1.0) - 1e-5));
}
#endif

vec3 reflected(vec3 to_light) {
    float nl = max(dot(normal, to_light), 0.0);
    vec3 h = normalize(to_light + eye);
    float nh = max(dot(normal, h), 0.0);
#ifdef PBR
    float t = nh * nh * (alpha2 - 1.0) + 1.0;
    float away = 1.0 - max(dot(eye, h), 0.0);
    float away2 = away * away;
    vec3 fresnel = f0 + (1.0 - f0) * (away2 * away2 * away);
    float factor = alpha2 / (t * t * 4.0 * (nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    return nl * (diffuse + factor * fresnel);
#elif defined(BASE)
    return nl * diffuse;
#else
    float shine = nl > 0.0 && nh > 0.0 ? pow(nh, 128.0 * kind.w) : 0.0;
    return nl * diffuse + shine * kind.rgb;
#endif
}

vec3 sun(int k) {
    return reflected(-u_light[4 * k + 1].xyz) * u_light[4 * k + 2].rgb;
}

vec3 lamp(int k, out vec3 to_light) {
    to_light = u_light[4 * k].xyz - v_place;
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

vec3 encode(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    vec3 r = sqrt(c), rr = sqrt(r), rrr = sqrt(rr);
    vec3 high = ROOTS;
    return mix(high, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}

void main() {
    normal = normalize(v_normal);
    eye = normalize(-v_place);
    vec4 base = v_base;
    kind = v_kind;
    vec3 emitted = v_emitted.rgb;
#ifdef PBR
    vec3 ambient = u_ambient + kind.z * u_sky;
#else
    vec3 ambient = u_ambient * v_emitted.a;
#endif
#ifdef BASE
    vec4 picture = texture(u_picture_base, v_picture);
    if (picture.a * base.a < 0.002) discard;
    base *= picture;
#ifndef PBR
    emitted *= picture.rgb;
#endif
#endif
#ifdef EMISSIVE
    emitted = texture(u_picture_emissive, v_picture).rgb * v_emitted.a;
#endif
#ifdef ROUGHNESS
    kind.y = texture(u_picture_roughness, v_picture).r;
#endif
#ifdef METALNESS
    kind.x = texture(u_picture_metalness, v_picture).r;
#endif
#ifdef OCCLUSION
    ambient *= mix(1.0, texture(u_picture_occlusion, v_picture).r, u_strengths.y);
#endif
#ifdef NORMAL
    normal = tilted(normal);
#endif
    vec3 sum = emitted + base.rgb * ambient;
    diffuse = base.rgb;
#ifdef PBR
    diffuse *= 1.0 - kind.x;
    f0 = mix(vec3(0.04), base.rgb, kind.x);
    nv = max(dot(normal, eye), 1e-4);
    float alpha = max(kind.y * kind.y, 0.002);
    alpha2 = alpha * alpha;
    k = alpha / 2.0;
#endif
    EACH_LIGHT
#ifdef FOG
    float d = length(v_place) / u_fog.w;
    sum = mix(u_fog.rgb, sum, FOG);
#endif
    f_colour = vec4(encode(1.0 - exp(-sum * u_exposure)).bgr, base.a);
}
"""

MOST_UNROLLED = 6
"""Lights for which a program of their own is made; more are gone through in a loop, which is slower."""
_LIGHT_KINDS = {DIRECTIONAL: "sun", POINT: "point", SPOT: "spot"}
_CLEAR = {1: "max(1.0 - d, 0.0)", 2: "exp(-d)", 3: "exp(-d * d)"}
"""Part of the light that fog lets through, by its kind."""


def light_features(kinds: list[int], fog: int, shadow: int | None = None) -> tuple[str, ...]:
    """What a program for colours must know of the lights and of fog.

    Args:
        kinds: of the lights in their order, those of a kind together.
        fog: its kind; 0: none.
        shadow: number of the light that casts shadows.
    """
    calls = [
        f"sum += {'lit() * ' if number == shadow else ''}{_LIGHT_KINDS[kind]}({number});"
        for number, kind in enumerate(kinds)
    ]
    if len(kinds) > MOST_UNROLLED:
        calls = [
            f"for (int n = {kinds.index(kind)}; n < {kinds.index(kind) + kinds.count(kind)}; ++n) "
            f"sum += {'' if shadow is None else f'(n == {shadow} ? lit() : 1.0) * '}{_LIGHT_KINDS[kind]}(n);"
            for kind in dict.fromkeys(kinds)
        ]
    features: tuple[str, ...] = (f"LIGHTS {LIGHTS}", f"ROOTS {ROOTS}", f"EACH_LIGHT {' '.join(calls)}")
    if shadow is not None:
        features += ("SHADOW",)
    return (*features, f"FOG {_CLEAR[fog]}") if fog else features


DEPTH = """
#version 330
in float v_depth;
out float f_depth;
void main() {
    f_depth = v_depth;
}
"""

BACKDROP = """
#version 330
uniform sampler2D u_strip;
uniform vec3 u_sides[18];  // ahead, right, up of each
uniform mat3 u_turn;       // from the axes of the eye to those of the world
uniform vec2 u_reach;      // tangents of half the angles
uniform vec4 u_area;       // x, y, width, height of the picture, pixels
uniform float u_light;
out vec4 f_colour;

vec3 encode(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    vec3 r = sqrt(c), rr = sqrt(r), rrr = sqrt(rr);
    vec3 high = 0.642389263 * r + 0.712084256 * rr - 0.336859239 * rrr - 0.017571459 * c;
    return mix(high, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}

void main() {
    vec2 place = 1.0 - 2.0 * (gl_FragCoord.xy - u_area.xy) / u_area.zw;
    vec3 ray = u_turn * vec3(1.0, place * u_reach);
    int side = 0;
    for (int k = 1; k < 6; ++k)
        if (dot(ray, u_sides[3 * k]) > dot(ray, u_sides[3 * side])) side = k;
    vec2 on = vec2(dot(ray, u_sides[3 * side + 1]), -dot(ray, u_sides[3 * side + 2]));
    float size = float(textureSize(u_strip, 0).x);
    vec2 pixel = clamp((0.5 + 0.5 * on / dot(ray, u_sides[3 * side])) * size, vec2(0.5), vec2(size - 0.5));
    vec3 light = texture(u_strip, vec2(pixel.x, pixel.y + float(side) * size) / vec2(size, 6.0 * size)).rgb;
    f_colour = vec4(encode(1.0 - exp(-light * u_light)).bgr, 1.0);
}
"""
"""The pictures of a Background, behind all."""

CAST = """
#version 330
void main() {
}
"""
"""Depth alone."""

SEGMENT = """
#version 330
flat in vec4 v_segment;
out vec4 f_colour;
void main() {
    f_colour = vec4(v_segment.bgr, 1.0);
}
"""

WHOLE = """
#version 330
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
"""
"""One triangle over the whole picture."""

FARTHEST = """
#version 330
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 1.0, 1.0);
}
"""
"""The same, behind all."""

BEND = """
#version 330
uniform sampler2D u_straight;
uniform sampler2D u_from;  // where in it each pixel comes from, pixels
uniform int u_layer;       // 0: colour, 1: depth, 2: as it is
out vec4 f_colour;
void main() {
    vec2 place = texelFetch(u_from, ivec2(gl_FragCoord.xy), 0).rg;
    ivec2 size = textureSize(u_straight, 0);
    if (u_layer == 0) {
        f_colour = texture(u_straight, place / vec2(size));
        return;
    }
    f_colour = texelFetch(u_straight, clamp(ivec2(floor(place)), ivec2(0), size - 1), 0);
    if (u_layer == 2) return;
    // As in a picture that is no plane, below.
    vec2 from = floor(place - 0.5), part = place - 0.5 - from;
    vec4 inverse;
    for (int k = 0; k < 4; ++k) {
        ivec2 texel = clamp(ivec2(from) + ivec2(k % 2, k / 2), ivec2(0), size - 1);
        inverse[k] = 1.0 / texelFetch(u_straight, texel, 0).r;
    }
    float low = min(min(inverse.x, inverse.y), min(inverse.z, inverse.w));
    float high = max(max(inverse.x, inverse.y), max(inverse.z, inverse.w));
    vec2 columns = mix(inverse.xz, inverse.yw, part.x);
    if (low > 0.9 * high) f_colour = vec4(1.0 / mix(columns.x, columns.y, part.y));
}
"""
"""A picture as a lens bends it."""

UNROLL = """
#version 330
uniform sampler2D u_cube;  // six sides in two rows
uniform mat3 u_turns[6];   // from the axes of the eye to those of each side
uniform int u_side;
uniform int u_layer;       // 0: colour, 1: depth, 2: as it is
uniform bool u_is_sphere;
uniform vec2 u_size;
uniform float u_step;      // rad
out vec4 f_colour;
void main() {
    vec2 angle = (u_size / 2.0 - gl_FragCoord.xy) * u_step;
    vec2 level = u_is_sphere ? vec2(cos(angle.y), sin(angle.y)) : vec2(1.0, angle.y);
    vec3 ray = vec3(level.x * cos(angle.x), level.x * sin(angle.x), level.y);
    int side = 0;
    vec3 local = u_turns[0] * ray;
    for (int k = 1; k < 6; ++k) {
        vec3 other = u_turns[k] * ray;
        if (other.x > local.x) { local = other; side = k; }
    }
    vec2 place = (0.5 - 0.5 * local.yz / local.x) * float(u_side);
    vec2 corner = vec2(side % 3, side / 3) * float(u_side);
    if (u_layer == 0) {
        place = clamp(place, vec2(0.5), vec2(float(u_side) - 0.5));
        f_colour = texture(u_cube, (corner + place) / vec2(textureSize(u_cube, 0)));
        return;
    }
    ivec2 last = ivec2(u_side - 1);
    vec4 nearest = texelFetch(u_cube, ivec2(corner) + clamp(ivec2(floor(place)), ivec2(0), last), 0);
    f_colour = nearest;
    if (u_layer == 2) return;
    // Along a flat surface the inverse of the depth is linear in the picture. Where the four texels round the
    // place are no one surface, the nearest counts.
    vec2 from = floor(place - 0.5), part = place - 0.5 - from;
    vec4 inverse;
    for (int k = 0; k < 4; ++k) {
        ivec2 texel = clamp(ivec2(from) + ivec2(k % 2, k / 2), ivec2(0), last);
        inverse[k] = 1.0 / texelFetch(u_cube, ivec2(corner) + texel, 0).r;
    }
    float low = min(min(inverse.x, inverse.y), min(inverse.z, inverse.w));
    float high = max(max(inverse.x, inverse.y), max(inverse.z, inverse.w));
    float depth = nearest.r;
    if (low > 0.9 * high) {
        vec2 columns = mix(inverse.xz, inverse.yw, part.x);
        depth = 1.0 / mix(columns.x, columns.y, part.y);
    }
    f_colour = vec4(depth * length(local) / local.x);
}
"""
"""A picture that is no plane, from the sides of a cube. Rows run downwards."""
