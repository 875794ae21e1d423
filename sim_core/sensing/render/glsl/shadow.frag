#version 330
// Depth only.
void main() {
}
