#version 330
// Convert light to the colours of a camera; the samples of a pixel are averaged after the conversion.
#ifdef SAMPLES
uniform sampler2DMS u_light;
#else
uniform sampler2D u_light;
const int SAMPLES = 1;
#endif
out vec4 f_colour;

#include "film.glsl"

void main() {
    vec3 sum = vec3(0.0);
    for (int k = 0; k < SAMPLES; ++k)
        sum += film(texelFetch(u_light, ivec2(gl_FragCoord.xy), SAMPLES > 1 ? k : 0).rgb);
    f_colour = vec4(sum / float(SAMPLES), 1.0);
}
