// Tables of numbers as textures, counted row by row.
vec4 entry(sampler2D table, int number) {
    int width = textureSize(table, 0).x;
    return texelFetch(table, ivec2(number % width, number / width), 0);
}
