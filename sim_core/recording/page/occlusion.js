// Ambient occlusion in viser's page: before each picture the depths of all shapes are drawn, and the shaders of
// `look.js` find in them how much of the sky a place sees. The same formula as for pictures, see `unseen.frag`.
(() => {
  if (window.odesimOcclusion) return;
  const LAYER = 29;  // of what is drawn, beside the layer of the camera
  const CODE = `
    uniform sampler2D odesimDepths;  // m; 0: nothing
    uniform vec2 odesimLens;         // half the picture's width and height at depth 1
    uniform float odesimReach;       // largest distance of occluders, m; 0: none
    vec3 odesimPlace(vec2 pixel, vec2 size) {
      float depth = texelFetch(odesimDepths, ivec2(clamp(pixel, vec2(0.0), size - 1.0)), 0).r;
      return depth * vec3((2.0 * (floor(pixel) + 0.5) / size - 1.0) * odesimLens, -1.0);
    }
    float odesimArc(float h, float g) { return 0.25 * (cos(g) - cos(2.0 * h - g) + 2.0 * h * sin(g)); }
    // Part of the sky above a place that nearby shapes leave open (Jimenez, Wu, Pesce, Jarabo: Practical real-time
    // strategies for accurate indirect occlusion, 2016).
    float odesimOpen(vec3 p, vec3 n) {
      vec2 size = vec2(textureSize(odesimDepths, 0));
      float scale = 0.5 * size.x / (odesimLens.x * -p.z), reach = min(odesimReach * scale, 0.15 * size.x);
      if (odesimReach <= 0.0 || reach < 1.5) return 1.0;
      vec3 v = -normalize(p);
      ivec2 odd = ivec2(gl_FragCoord.xy) & 1;  // 2 x 2 pixels look in different directions
      float turn = 0.25 * (float(odd.x + 2 * odd.y) + 0.5), shift = 0.25 * (float(odd.y + 2 * (odd.x ^ odd.y)) + 0.5);
      float radius = reach / scale, sum = 0.0;
      for (int k = 0; k < DIRECTIONS; ++k) {
        float angle = (float(k) + turn) * 3.14159265 / float(DIRECTIONS);
        vec2 way = vec2(cos(angle), sin(angle));
        vec3 t = normalize(vec3(way, 0.0) - v * dot(vec3(way, 0.0), v)), axis = cross(t, v);
        vec3 flatN = n - axis * dot(n, axis);
        float part = length(flatN);
        float g = sign(dot(flatN, t)) * acos(clamp(dot(flatN, v) / max(part, 1e-6), -1.0, 1.0)), edge = sin(g);
        vec2 horizon = vec2(edge, -edge);
        for (int s = 0; s < STEPS; ++s) {
          float far = (float(s) + shift) / float(STEPS), step = 1.0 + far * far * reach;
          for (int side = 0; side < 2; ++side) {
            float to = side == 0 ? -step : step, low = side == 0 ? edge : -edge;
            vec3 found = odesimPlace(gl_FragCoord.xy + to * way, size), off = found - p;
            float gap = max(length(off), 1e-6), fade = found.z < 0.0 ? clamp(2.0 - 2.0 * gap / radius, 0.0, 1.0) : 0.0;
            horizon[side] = max(horizon[side], mix(low, dot(off, v) / gap - 0.02, fade));
          }
        }
        sum += part * (odesimArc(-acos(clamp(horizon.x, -1.0, 1.0)), g) + odesimArc(acos(clamp(horizon.y, -1.0, 1.0)), g));
      }
      return clamp(sum / float(DIRECTIONS), 0.0, 1.0);
    }
    float odesimMean(float part) {  // of 2 x 2 pixels; at an edge, two of them may be beside the surface
      vec2 away = mod(floor(gl_FragCoord.xy), 2.0) - 0.5;
      part -= away.x * clamp(dFdx(part), -0.3, 0.3);
      return part - away.y * clamp(dFdy(part), -0.3, 0.3);
    }
  `.replaceAll('DIRECTIONS', '3').replaceAll('STEPS', '4');
  const uniforms = {odesimDepths: {value: null}, odesimLens: {value: [1, 1]}, odesimReach: {value: 0}};
  let target = null, material = null;

  // Classes of three.js come from existing objects: the target from a shadow, the material from viser's axes.
  const prepare = (scene) => {
    scene.traverse((object) => {
      if (!target && object.isLight && object.shadow?.map) {
        const plain = {type: 1015, format: 1028, minFilter: 1003, magFilter: 1003};  // float, red, nearest
        target = new object.shadow.map.constructor(1, 1, plain);
      }
      if (!material && object.isInstancedMesh && object.material.isMeshBasicMaterial) {
        material = new object.material.constructor({side: 2, toneMapped: false, fog: false});
        material.onBeforeCompile = (shader) => {
          shader.fragmentShader = shader.fragmentShader.replace('#include <dithering_fragment>', 'gl_FragColor = vec4(1.0 / gl_FragCoord.w);');
        };
        material.customProgramCacheKey = () => 'odesim-depth';
      }
    });
    return !!target && !!material;
  };
  const draw = (renderer, scene, camera) => {
    const {width, height} = renderer.domElement, {elements} = camera.projectionMatrix;
    if (target.width !== width || target.height !== height) target.setSize(width, height);
    const before = [renderer.getRenderTarget(), scene.background, camera.layers.mask, renderer.shadowMap.autoUpdate];
    [scene.background, scene.overrideMaterial, renderer.shadowMap.autoUpdate] = [null, material, false];
    camera.layers.set(LAYER);
    renderer.setRenderTarget(target);
    renderer.clear();
    renderer.render(scene, camera);
    renderer.setRenderTarget(before[0]);
    [scene.background, scene.overrideMaterial, camera.layers.mask, renderer.shadowMap.autoUpdate] = [before[1], null, before[2], before[3]];
    uniforms.odesimDepths.value = target.texture;
    uniforms.odesimLens.value = [1 / elements[0], 1 / elements[5]];
  };
  window.odesimOcclusion = {
    code: CODE, uniforms, layer: LAYER,
    // Sets the largest distance of occluders, m; 0: none. Returns whether occlusion is drawn from now on.
    use: (scene, reach) => {
      uniforms.odesimReach.value = reach > 0 && prepare(scene) ? reach : 0;
      return uniforms.odesimReach.value > 0;
    },
    draw: (renderer, scene, camera) => { if (uniforms.odesimReach.value > 0) draw(renderer, scene, camera); },
  };
})();
