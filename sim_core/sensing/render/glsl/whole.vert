#version 330
// One triangle over the whole picture.
#ifdef BEHIND_ALL
const float DEPTH = 1.0;
#elif defined(HALFWAY)
const float DEPTH = 0.5;
#else
const float DEPTH = 0.0;
#endif
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, DEPTH, 1.0);
}
