#version 330
in float v_depth;
out float f_depth;
void main() {
    f_depth = v_depth;
}
