#version 330
// The picture of focus_light.frag with each pixel spread over its circle of confusion.
uniform sampler2D u_light;
uniform float u_largest;  // radius, pixels
uniform int u_reach;      // width of the border, pixels
out vec4 f_colour;

vec4 sum = vec4(0.0);
vec4 own;

void add(vec4 there, float distance) {
    float away = there.a > own.a ? min(abs(there.a), abs(own.a)) : abs(there.a);
    float radius = u_largest * away;
    // A disc with an edge of one pixel's width, and its integral.
    float inside = clamp(radius + 0.5 - distance, 0.0, 1.0);
    float area = max(min(radius + 0.5, 1.0), 3.14159265 * (radius * radius + 1.0 / 12.0));
    sum += vec4(there.rgb, 1.0) * (inside / area);
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy) + u_reach;
    own = texelFetch(u_light, place, 0);
    for (int y = -u_reach; y <= u_reach; ++y)
        for (int x = -u_reach; x <= u_reach; ++x)
            add(texelFetch(u_light, place + ivec2(x, y), 0), sqrt(float(x * x + y * y)));
    f_colour = vec4(sum.rgb / sum.a, 1.0);
}
