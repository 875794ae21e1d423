// Colour of a camera for light: 1 - exp(-light·exposure), with a gamma of 2.2. c^(1/2.2) is composed of square
// roots, as powers are slow; the error is at most 0.035 of 255.
uniform float u_exposure;

vec3 film(vec3 light) {
    vec3 c = 1.0 - exp(-light * u_exposure);
    vec3 r = sqrt(c), rr = sqrt(r), rrr = sqrt(rr);
    return 1.13728732 * r + 0.07203024 * rr - 0.00938425 * rrr - 0.28133035 * r * rr + 0.08153328 * c;
}

// Value for the buffer: linear light to be converted later, or the colour.
vec3 shown(vec3 light) {
#ifdef LIGHT
    return min(light, 60000.0).bgr;
#else
    return film(light).bgr;
#endif
}
