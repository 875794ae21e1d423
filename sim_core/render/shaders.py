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

LIGHTS = 32
"""Most lights that count; those that come first in the file."""

VERTEX = """
#version 330
uniform mat3 u_view;  // from the axes of the world to those of the eye
uniform vec4 u_eye;
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
    v_emitted = i_emitted;
    v_kind = i_kind;
    v_segment = i_segment;
    gl_Position = vec4(-u_eye.x * p.y, -u_eye.y * p.z, u_eye.z * p.x + u_eye.w, p.x);
}
"""

COLOUR = """
#version 330
const int LIGHTS = 32;
const float PI = 3.14159265358979;
uniform int u_lights;
uniform vec4 u_light[LIGHTS * 4];  // place, kind; direction, radius; colour, beam; attenuation, cut-off
uniform vec3 u_ambient;
uniform vec3 u_sky;
uniform float u_exposure;
uniform vec4 u_fog;  // kind, range
uniform vec3 u_fog_colour;
in vec3 v_place;
in vec3 v_normal;
flat in vec4 v_base;
flat in vec4 v_emitted;
flat in vec4 v_kind;
flat in vec4 v_segment;
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

vec3 encode(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}

void main() {
    vec3 normal = normalize(v_normal);
    vec3 eye = normalize(-v_place);
    bool pbr = v_emitted.a > 0.5;
    vec4 base4 = v_base;
    vec4 kind = v_kind;
    vec3 emitted = v_emitted.rgb;
    vec3 ambient = pbr ? u_ambient + kind.z * u_sky : u_ambient * v_segment.a;
#ifdef BASE
    vec4 picture = texture(u_picture_base, v_picture);
    if (picture.a * base4.a < 0.002) discard;
    base4 *= picture;
    if (!pbr) {
        emitted *= picture.rgb;
        kind = vec4(0.0, 0.0, 0.0, 1.0);
    }
#endif
#ifdef EMISSIVE
    emitted = texture(u_picture_emissive, v_picture).rgb * v_segment.a;
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
    vec3 base = base4.rgb;
    vec3 sum = emitted + base * ambient;
    vec3 diffuse = pbr ? base * (1.0 - kind.x) : base;
    vec3 f0 = mix(vec3(0.04), base, kind.x);
    float alpha = max(kind.y * kind.y, 0.002);
    for (int k = 0; k < u_lights; ++k) {
        vec4 place = u_light[4 * k], direction = u_light[4 * k + 1];
        vec4 colour = u_light[4 * k + 2], attenuation = u_light[4 * k + 3];
        vec3 to_light = -direction.xyz;
        float strength = 1.0;
        if (place.w < 1.5) {
            to_light = place.xyz - v_place;
            float d = length(to_light);
            if (d > direction.w || d == 0.0) continue;
            to_light /= d;
            float divisor = dot(attenuation.xyz, vec3(1.0, d, d * d));
            if (divisor <= 0.0) continue;
            strength = 1.0 / divisor;
            if (place.w > 0.5) {
                float angle = acos(clamp(-dot(to_light, direction.xyz), -1.0, 1.0));
                if (angle > attenuation.w) continue;
                if (angle > colour.w) strength *= (attenuation.w - angle) / (attenuation.w - colour.w);
            }
        }
        float nl = dot(normal, to_light);
        if (nl <= 0.0) continue;
        vec3 h = normalize(to_light + eye);
        float nh = max(dot(normal, h), 0.0);
        vec3 shine;
        if (pbr) {
            float nv = max(dot(normal, eye), 1e-4);
            float vh = max(dot(eye, h), 0.0);
            float a2 = alpha * alpha;
            float t = nh * nh * (a2 - 1.0) + 1.0;
            float spread = a2 / (PI * t * t);
            vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - vh, 5.0);
            float k = alpha / 2.0;
            float shadow = nl / (nl * (1.0 - k) + k) * nv / (nv * (1.0 - k) + k);
            shine = PI * spread * fresnel * shadow / (4.0 * nl * nv) * nl;
        } else {
            shine = kind.rgb * (nh > 0.0 ? pow(nh, 128.0 * kind.w) : 0.0);
        }
        sum += strength * colour.rgb * (diffuse * nl + shine);
    }
    if (u_fog.x > 0.5) {
        float d = length(v_place) / u_fog.y;
        float clear = u_fog.x < 1.5 ? max(1.0 - d, 0.0) : exp(u_fog.x < 2.5 ? -d : -d * d);
        sum = mix(u_fog_colour, sum, clear);
    }
    f_colour = vec4(encode(1.0 - exp(-sum * u_exposure)).bgr, base4.a);
}
"""

DEPTH = """
#version 330
in float v_depth;
out float f_depth;
void main() {
    f_depth = v_depth;
}
"""

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
