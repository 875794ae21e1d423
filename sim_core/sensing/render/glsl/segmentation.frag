#version 330
flat in vec4 v_segment;
out vec4 f_colour;
void main() {
    f_colour = vec4(v_segment.bgr, 1.0);
}
