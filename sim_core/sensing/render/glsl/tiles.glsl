// Instances in many copies of a scene, whose pictures are tiles of one.
uniform sampler2D u_instances;  // eight texels each: rotation at the start with scale, position, material
uniform sampler2D u_tiles;      // of a picture three texels: a row of the rotation of the eye, a coordinate of it
uniform vec4 u_grid;            // size of a tile, as a fraction of the target; tiles in a row
in vec3 i_place;   // relative to the eye
in vec4 i_motion;  // cosine and sine of the turn about z since the start, number of the instance, of the tile
flat out vec3 v_eye;
flat out float v_tile;
out float gl_ClipDistance[4];
vec3 i_x, i_y, i_z, i_ambient;
vec4 i_base, i_emitted, i_kind, i_segment;

#include "tables.glsl"

vec3 turned(vec3 at_start) {
    return vec3(mat2(i_motion.x, i_motion.y, -i_motion.y, i_motion.x) * at_start.xy, at_start.z);
}

void read_instance() {
    int first = 8 * int(i_motion.z);
    vec4 a = entry(u_instances, first), b = entry(u_instances, first + 1), c = entry(u_instances, first + 2);
    i_x = turned(a.xyz);
    i_y = turned(vec3(a.w, b.xy));
    i_z = turned(vec3(b.zw, c.x));
    i_base = entry(u_instances, first + 3);
    i_emitted = entry(u_instances, first + 4);
    i_kind = entry(u_instances, first + 5);
    i_segment = entry(u_instances, first + 6);
    i_ambient = entry(u_instances, first + 7).xyz;
    v_tile = i_motion.w;
}

// Clip a point to the square from -1 to 1, and move that to an area of the target: scale, and its middle.
vec4 in_area(vec4 p, vec2 scale, vec2 middle) {
    gl_ClipDistance[0] = p.w + p.x;
    gl_ClipDistance[1] = p.w - p.x;
    gl_ClipDistance[2] = p.w + p.y;
    gl_ClipDistance[3] = p.w - p.y;
    return vec4(scale * p.xy + p.w * middle, p.zw);
}

#ifdef CAST
uniform vec2 u_cell;  // side of a part of the shadow map, and of the target, as fractions of the map's side

// A part of the shadow map: its corner there, and the corner of its place in the target, from 0 to 1.
vec4 in_cell(vec4 p) {
    vec4 corners = entry(u_tiles, int(i_motion.w));
    vec2 place = ((0.5 * p.xy + 0.5) - corners.xy) / u_cell.x;
    float scale = u_cell.x / u_cell.y;
    return in_area(vec4(2.0 * place - 1.0, p.zw), vec2(scale), 2.0 * corners.zw + scale - 1.0);
}
#else
mat3 view_of_tile() {
    int first = 3 * int(i_motion.w);
    vec4 a = entry(u_tiles, first), b = entry(u_tiles, first + 1), c = entry(u_tiles, first + 2);
    v_eye = vec3(a.w, b.w, c.w);
    return mat3(a.xyz, b.xyz, c.xyz);
}

vec4 in_tile(vec4 p) {
    float row = floor(i_motion.w / u_grid.z);
    vec2 corner = vec2(i_motion.w - row * u_grid.z, row);
    return in_area(p, u_grid.xy, (2.0 * corner + 1.0) * u_grid.xy - 1.0);
}
#endif
