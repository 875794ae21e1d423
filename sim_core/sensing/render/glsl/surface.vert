#version 330
uniform vec4 u_eye;
#ifdef CAST
uniform mat4 u_shadow;
#endif
in vec3 in_position;
in vec3 in_normal;
#ifdef TILES
#include "tiles.glsl"
#else
uniform mat3 u_view;  // from the axes of the world to those of the eye
in vec3 i_x;
in vec3 i_y;
in vec3 i_z;
in vec3 i_place;
in vec4 i_base;
in vec4 i_emitted;
in vec4 i_kind;
in vec4 i_segment;
in vec3 i_ambient;
#endif
invariant gl_Position;  // a second pass draws surfaces only where depths are equal
out vec3 v_place;
out vec3 v_normal;
out float v_depth;
#ifdef PICTURES
uniform vec3 u_turn_s;  // to texture coordinates
uniform vec3 u_turn_t;
in vec2 in_picture;
out vec2 v_picture;
#endif
flat out vec4 v_base;
flat out vec4 v_emitted;
flat out vec4 v_kind;
flat out vec4 v_segment;
flat out vec3 v_ambient;
#if defined(POINTS) || defined(LINES)
in vec2 in_picture;
out vec3 v_mark;
#endif
void main() {
#ifdef TILES
    read_instance();
#endif
    mat3 turn = mat3(i_x, i_y, i_z);
    mat3 cofactors = mat3(cross(i_y, i_z), cross(i_z, i_x), cross(i_x, i_y));
    v_place = turn * in_position + i_place;
    v_normal = cofactors * in_normal * sign(determinant(turn));
#if defined(TILES) && defined(CAST)
    vec3 p = v_place;
#elif defined(TILES)
    vec3 p = view_of_tile() * v_place;
#else
    vec3 p = u_view * v_place;
#endif
    v_depth = p.x;
#ifdef PICTURES
    v_picture = vec2(dot(u_turn_s, vec3(in_picture, 1.0)), dot(u_turn_t, vec3(in_picture, 1.0)));
#endif
    v_base = i_base;
    v_emitted = vec4(i_emitted.rgb, i_segment.a);
    v_kind = i_kind;
    v_segment = i_segment;
    v_ambient = i_ambient;
#if defined(POINTS) || defined(LINES)
    v_mark = in_picture.x > 0.0 ? in_normal : i_emitted.rgb;
    gl_PointSize = 4.0;
#endif
#ifdef CAST
    gl_Position = u_shadow * vec4(v_place, 1.0);
#else
    gl_Position = vec4(-u_eye.x * p.y, -u_eye.y * p.z, u_eye.z * p.x + u_eye.w, p.x);
#endif
#if defined(TILES) && defined(CAST)
    gl_Position = in_cell(gl_Position);
#elif defined(TILES)
    gl_Position = in_tile(gl_Position);
#endif
}
