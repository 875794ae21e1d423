#version 330
// A picture of light, with the distance of each pixel from the depth in focus, -1 to 1.
uniform sampler2D u_picture;
uniform sampler2D u_depth;
uniform vec2 u_focus;  // distance, length; m
uniform int u_reach;   // width of the border, pixels
out vec4 f_light;
void main() {
    ivec2 place = ivec2(gl_FragCoord.xy) - u_reach;
    float away = (texelFetch(u_depth, place, 0).r - u_focus.x) / u_focus.y;
    f_light = vec4(texelFetch(u_picture, place, 0).rgb, clamp(away, -1.0, 1.0));
}
